//! The column types: PostgreSQL's identity of each, and the Arrow type that represents it.

use arrow_schema::{DataType, TimeUnit};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PgType {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    /// Precision and scale.
    Numeric(u8, i8),
    Text,
    /// The longest length in characters.
    Varchar(Option<u32>),
    Char(u32),
    Date,
    Timestamp,
    Timestamptz,
    Bytea,
    Uuid,
}

impl PgType {
    /// The OID in `pg_type`.
    pub fn oid(self) -> u32 {
        match self {
            PgType::Bool => 16,
            PgType::Bytea => 17,
            PgType::Int8 => 20,
            PgType::Int2 => 21,
            PgType::Int4 => 23,
            PgType::Text => 25,
            PgType::Float4 => 700,
            PgType::Float8 => 701,
            PgType::Char(_) => 1042,
            PgType::Varchar(_) => 1043,
            PgType::Date => 1082,
            PgType::Timestamp => 1114,
            PgType::Timestamptz => 1184,
            PgType::Numeric(_, _) => 1700,
            PgType::Uuid => 2950,
        }
    }

    /// `pg_attribute.atttypmod`.
    pub fn typmod(self) -> i32 {
        match self {
            PgType::Varchar(Some(n)) | PgType::Char(n) => n as i32 + 4,
            PgType::Numeric(p, s) => ((i32::from(p) << 16) | (i32::from(s) & 0x7ff)) + 4,
            _ => -1,
        }
    }

    /// `pg_type.typlen`: bytes, or -1 for variable lengths.
    pub fn type_len(self) -> i16 {
        match self {
            PgType::Bool => 1,
            PgType::Int2 => 2,
            PgType::Int4 | PgType::Float4 | PgType::Date => 4,
            PgType::Int8 | PgType::Float8 | PgType::Timestamp | PgType::Timestamptz => 8,
            PgType::Uuid => 16,
            _ => -1,
        }
    }

    /// What `format_type` prints.
    pub fn name(self) -> String {
        match self {
            PgType::Bool => "boolean".into(),
            PgType::Int2 => "smallint".into(),
            PgType::Int4 => "integer".into(),
            PgType::Int8 => "bigint".into(),
            PgType::Float4 => "real".into(),
            PgType::Float8 => "double precision".into(),
            PgType::Numeric(p, s) => format!("numeric({p},{s})"),
            PgType::Text => "text".into(),
            PgType::Varchar(None) => "character varying".into(),
            PgType::Varchar(Some(n)) => format!("character varying({n})"),
            PgType::Char(n) => format!("character({n})"),
            PgType::Date => "date".into(),
            PgType::Timestamp => "timestamp without time zone".into(),
            PgType::Timestamptz => "timestamp with time zone".into(),
            PgType::Bytea => "bytea".into(),
            PgType::Uuid => "uuid".into(),
        }
    }

    /// How values are held in memory and on pages.
    pub fn arrow(self) -> DataType {
        match self {
            PgType::Bool => DataType::Boolean,
            PgType::Int2 => DataType::Int16,
            PgType::Int4 => DataType::Int32,
            PgType::Int8 => DataType::Int64,
            PgType::Float4 => DataType::Float32,
            PgType::Float8 => DataType::Float64,
            PgType::Numeric(p, s) => DataType::Decimal128(p, s),
            PgType::Text | PgType::Varchar(_) | PgType::Char(_) => DataType::Utf8,
            PgType::Date => DataType::Date32,
            PgType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            PgType::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            PgType::Bytea => DataType::Binary,
            PgType::Uuid => DataType::FixedSizeBinary(16),
        }
    }
}
