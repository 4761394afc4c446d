//! Which arrays there are of the types that are built in, and the functions that read and write them.

use error::sqlstate;

use crate::base_type::BaseType;
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::repr::Repr;

use super::{input, output, vector, wire};

/// A type, the arrays of it, and its name in SQL.
struct ArrayType {
    element: Oid,
    array: Oid,
    name: &'static str,
}

macro_rules! array_types {
    ($($element:ident $array:literal $name:literal;)*) => {
        const ARRAY_TYPES: &[ArrayType] =
            &[$(ArrayType { element: oid::$element, array: $array, name: $name }),*];

        pub const TYPES: &[BaseType] = &[
            vector::INT2VECTOR,
            vector::OIDVECTOR,
            ANY,
            $(BaseType {
                oid: $array,
                input: |context, text, typmod| input::input(context, oid::$element, text, typmod),
                output: output::output,
                receive: |context, bytes, typmod| wire::receive(context, oid::$element, bytes, typmod),
                send: wire::send,
            },)*
        ];
    };
}

/// What columns of catalogs have: an array that says itself what it is of.
const ANY: BaseType = BaseType {
    oid: oid::ANYARRAY,
    input: |_, _, _| Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot accept a value of type anyarray")),
    output: output::output,
    receive: |_, _, _| Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot accept a value of type anyarray")),
    send: wire::send,
};

array_types! {
    BOOL 1000 "boolean";
    BYTEA 1001 "bytea";
    CHAR 1002 "\"char\"";
    NAME 1003 "name";
    INT8 1016 "bigint";
    INT2 1005 "smallint";
    INT2VECTOR 1006 "int2vector";
    INT4 1007 "integer";
    REGPROC 1008 "regproc";
    TEXT 1009 "text";
    OID 1028 "oid";
    TID 1010 "tid";
    XID 1011 "xid";
    CID 1012 "cid";
    OIDVECTOR 1013 "oidvector";
    JSON 199 "json";
    JSONB 3807 "jsonb";
    JSONPATH 4073 "jsonpath";
    FLOAT4 1021 "real";
    FLOAT8 1022 "double precision";
    BPCHAR 1014 "character";
    VARCHAR 1015 "character varying";
    DATE 1182 "date";
    TIME 1183 "time without time zone";
    TIMESTAMP 1115 "timestamp without time zone";
    TIMESTAMPTZ 1185 "timestamp with time zone";
    INTERVAL 1187 "interval";
    TIMETZ 1270 "time with time zone";
    ACLITEM 1034 "aclitem";
    NUMERIC 1231 "numeric";
    REFCURSOR 2201 "refcursor";
    REGPROCEDURE 2207 "regprocedure";
    REGOPER 2208 "regoper";
    REGOPERATOR 2209 "regoperator";
    REGCLASS 2210 "regclass";
    REGTYPE 2211 "regtype";
    RECORD 2287 "record";
    CSTRING 1263 "cstring";
    UUID 2951 "uuid";
    REGNAMESPACE 4090 "regnamespace";
    REGROLE 4097 "regrole";
    XID8 271 "xid8";
    PG_LSN 3221 "pg_lsn";
    INET 1041 "inet";
}

/// The type of the arrays of a built-in type.
pub fn array_type(element: Oid) -> Option<Oid> {
    ARRAY_TYPES.iter().find(|ty| ty.element == element).map(|ty| ty.array)
}

/// What the elements of a built-in type of arrays are.
pub fn element_type(array: Oid) -> Option<Oid> {
    match array {
        oid::INT2VECTOR => Some(oid::INT2),
        oid::OIDVECTOR => Some(oid::OID),
        _ => ARRAY_TYPES.iter().find(|ty| ty.array == array).map(|ty| ty.element),
    }
}

/// A built-in type's name in SQL, for messages; its oid for any other.
pub fn type_name(ty: Oid) -> String {
    known_name(ty).unwrap_or_else(|| ty.to_string())
}

/// A built-in type's name in SQL. An unknown literal's has no arrays.
pub(super) fn known_name(ty: Oid) -> Option<String> {
    if ty == oid::UNKNOWN {
        return Some("unknown".into());
    }
    let known = ARRAY_TYPES.iter().find(|known| known.element == ty || known.array == ty)?;
    Some(if known.array == ty { format!("{}[]", known.name) } else { known.name.to_string() })
}

/// How the elements of a type lie in an array. Fails with 0A000 for a type that has no values here.
pub fn element_repr(element: Oid) -> Result<Repr> {
    let missing = || Error::unsupported(format_args!("an array of type {}", type_name(element)));
    Repr::of(element, -1).ok_or_else(missing)
}
