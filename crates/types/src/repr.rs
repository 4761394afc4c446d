//! How the values of a type lie in memory and on pages: its Arrow type.
//!
//! Equal values of some types may look different (`numeric` 1.0 and 1.00, `character(3)`, an `interval` of a day and one
//! of 24 hours). DataFusion would take them for different ones, so it never gets them as keys: what groups, joins, sorts
//! or makes distinct asks [`Repr::key`].

use arrow_schema::{DataType, TimeUnit};

use crate::oid::{self, Oid};

/// A representation. Several types may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    Bool,
    /// `"char"`: a byte.
    Char,
    Int2,
    Int4,
    Int8,
    /// Oids and transaction ids.
    Oid,
    Xid8,
    Float4,
    Float8,
    /// `numeric(p,s)` of up to 38 digits: every value shows `s` digits after the point.
    Decimal {
        precision: u8,
        scale: i8,
    },
    /// Any other `numeric`: [`crate::numeric`] has the bytes.
    Numeric,
    Text,
    /// Text whose trailing blanks do not count when it is compared.
    Bpchar,
    Bytea,
    /// Sixteen bytes: of `uuid`, `aclitem`, and of every enum.
    Uuid,
    Date,
    Time,
    /// Microseconds and the zone's seconds west of Greenwich, big-endian.
    TimeTz,
    Timestamp,
    TimestampTz,
    /// Microseconds, days and months, big-endian.
    Interval,
    /// Block and row.
    Tid,
    /// An array of any type: [`crate::array`] has the bytes.
    Array,
    /// A row.
    Record,
    /// [`crate::jsonb`] has the bytes.
    Jsonb,
}

impl Repr {
    /// The representation of a type that is built in; `None` for those that have no values here.
    pub fn of(ty: Oid, typmod: i32) -> Option<Repr> {
        Some(match ty {
            oid::BOOL => Repr::Bool,
            oid::CHAR => Repr::Char,
            oid::INT2 => Repr::Int2,
            oid::INT4 => Repr::Int4,
            oid::INT8 => Repr::Int8,
            oid::OID | oid::XID | oid::CID => Repr::Oid,
            oid::REGPROC | oid::REGPROCEDURE | oid::REGOPER | oid::REGOPERATOR => Repr::Oid,
            oid::REGCLASS | oid::REGTYPE | oid::REGNAMESPACE | oid::REGROLE | oid::REGCOLLATION => Repr::Oid,
            oid::XID8 | oid::PG_LSN => Repr::Xid8,
            oid::FLOAT4 => Repr::Float4,
            oid::FLOAT8 => Repr::Float8,
            oid::NUMERIC => numeric(typmod),
            oid::TEXT | oid::VARCHAR | oid::NAME | oid::CSTRING | oid::UNKNOWN => Repr::Text,
            oid::JSON | oid::JSONPATH | oid::REFCURSOR | oid::PG_NODE_TREE | oid::VOID => Repr::Text,
            oid::JSONB => Repr::Jsonb,
            oid::BPCHAR => Repr::Bpchar,
            oid::BYTEA | oid::INET => Repr::Bytea,
            oid::UUID | oid::ACLITEM | oid::ANYENUM => Repr::Uuid,
            oid::DATE => Repr::Date,
            oid::TIME => Repr::Time,
            oid::TIMETZ => Repr::TimeTz,
            oid::TIMESTAMP => Repr::Timestamp,
            oid::TIMESTAMPTZ => Repr::TimestampTz,
            oid::INTERVAL => Repr::Interval,
            oid::TID => Repr::Tid,
            oid::INT2VECTOR | oid::OIDVECTOR => Repr::Array,
            oid::RECORD => Repr::Record,
            // Columns of catalogs have arrays of whatever type.
            oid::ANYARRAY => Repr::Array,
            _ => return crate::array::element_type(ty).map(|_| Repr::Array),
        })
    }

    /// The Arrow type.
    pub fn arrow(self) -> DataType {
        match self {
            Repr::Bool => DataType::Boolean,
            Repr::Char => DataType::UInt8,
            Repr::Int2 => DataType::Int16,
            Repr::Int4 => DataType::Int32,
            Repr::Int8 => DataType::Int64,
            Repr::Oid => DataType::UInt32,
            Repr::Xid8 => DataType::UInt64,
            Repr::Float4 => DataType::Float32,
            Repr::Float8 => DataType::Float64,
            Repr::Decimal { precision, scale } => DataType::Decimal128(precision, scale),
            Repr::Numeric | Repr::Bytea | Repr::Array | Repr::Record | Repr::Jsonb => DataType::Binary,
            Repr::Text | Repr::Bpchar => DataType::Utf8,
            Repr::Uuid | Repr::Interval => DataType::FixedSizeBinary(16),
            Repr::Date => DataType::Date32,
            Repr::Time => DataType::Time64(TimeUnit::Microsecond),
            Repr::TimeTz => DataType::FixedSizeBinary(12),
            Repr::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Repr::TimestampTz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Repr::Tid => DataType::FixedSizeBinary(6),
        }
    }

    /// What stands for a value where values are compared: [`crate::key`] makes a column of it, of this type. `None`: the
    /// values themselves do, as Arrow compares them.
    pub fn key(self) -> Option<DataType> {
        match self {
            // NaN is one value and so is zero; Arrow's order of bits tells them apart.
            Repr::Float4 => Some(DataType::Float32),
            Repr::Float8 => Some(DataType::Float64),
            Repr::Bpchar => Some(DataType::Utf8),
            Repr::TimeTz => Some(DataType::FixedSizeBinary(12)),
            Repr::Interval => Some(DataType::FixedSizeBinary(16)),
            Repr::Numeric | Repr::Array | Repr::Record | Repr::Jsonb => Some(DataType::Binary),
            _ => None,
        }
    }
}

/// The digits in all and after the point of a `numeric`'s type modifier; `None` where there is none.
pub fn precision_and_scale(typmod: i32) -> Option<(i32, i32)> {
    let bits = typmod.wrapping_sub(4);
    // The scale has eleven bits and a sign.
    (typmod >= 4).then(|| ((bits >> 16) & 0xffff, ((bits & 0x7ff) ^ 1024) - 1024))
}

fn numeric(typmod: i32) -> Repr {
    match precision_and_scale(typmod) {
        Some((precision @ 1..=38, scale)) if (0..=precision).contains(&scale) => {
            Repr::Decimal { precision: precision as u8, scale: scale as i8 }
        }
        _ => Repr::Numeric,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_modifiers() {
        let typmod = |p: i32, s: i32| ((p << 16) | (s & 0x7ff)) + 4;
        assert_eq!(precision_and_scale(-1), None);
        for (p, s) in [(10, 2), (1000, -1000), (5, 1000), (38, 38)] {
            assert_eq!(precision_and_scale(typmod(p, s)), Some((p, s)));
        }
        assert_eq!(Repr::of(oid::NUMERIC, typmod(12, 2)), Some(Repr::Decimal { precision: 12, scale: 2 }));
        assert_eq!(Repr::of(oid::NUMERIC, typmod(12, -2)), Some(Repr::Numeric));
        assert_eq!(Repr::of(oid::NUMERIC, -1), Some(Repr::Numeric));
    }
}
