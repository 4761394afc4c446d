//! The types that SQL calls by other names than `pg_type` does. The grammar knows them as keywords; code that reads a type's name
//! from a value (`regtype`, `to_regtype`) finds them here.

use types::{Oid, oid};

/// The type of a spelling in lower case, with single blanks and without a modifier; `None`: SQL has no name of its own for
/// it. `bit` and `character` without a length mean a length of 1, `float(p)` has two types: that is the grammar's affair.
pub fn sql_type_name(spelling: &str) -> Option<Oid> {
    Some(match spelling {
        "bit" => oid::BIT,
        "bit varying" => oid::VARBIT,
        "boolean" => oid::BOOL,
        "character" | "char" | "national character" | "national char" | "nchar" => oid::BPCHAR,
        "character varying" | "char varying" | "varchar" => oid::VARCHAR,
        "national character varying" | "national char varying" | "nchar varying" => oid::VARCHAR,
        "decimal" | "dec" | "numeric" => oid::NUMERIC,
        "double precision" | "float" => oid::FLOAT8,
        "int" | "integer" => oid::INT4,
        "bigint" => oid::INT8,
        "smallint" => oid::INT2,
        "interval" => oid::INTERVAL,
        "json" => oid::JSON,
        "real" => oid::FLOAT4,
        "time" | "time without time zone" => oid::TIME,
        "time with time zone" => oid::TIMETZ,
        "timestamp" | "timestamp without time zone" => oid::TIMESTAMP,
        "timestamp with time zone" => oid::TIMESTAMPTZ,
        _ => return None,
    })
}
