//! PostgreSQL's types and the functions on them (its `utils/adt`): each type once, with its oid, its text and binary
//! representations, how a column of it lies in Arrow, how values compare, and the kernels of its casts, operators and
//! functions. It knows no catalog and no statement.
//!
//! * [`oid`]: types by their oids; [`repr`]: how the values of each lie in Arrow.
//! * [`datum`]: one value; [`column`]: the values of a batch, as functions get and give them.
//! * [`scalar`]: one value where it lies, for functions over values of any type; [`compare`] is how such are compared, and
//!   [`key`] gives columns that compare so.
//! * [`base_type`]: the texts and the bytes in which clients write and read values. [`made_of`]: those of users' types.
//! * [`function`]: what a declaration of a function is, and the macro [`functions!`] that makes one from a signature and a
//!   Rust function; [`sql`] has the types' names for it. [`BUILT_IN`] has them all.
//! * [`aggregate`]: the same for aggregate functions. [`BUILT_IN_AGGREGATES`] has them all.
//! * [`window`]: the same for window functions. [`BUILT_IN_WINDOW_FUNCTIONS`] has them all.
//! * [`set_returning`]: the same for functions that give rows. [`BUILT_IN_SET_FUNCTIONS`] has them all.
//! * [`context`]: what functions may ask: the session ([`session`]) and the catalog ([`names`]). [`asynchronous`]: functions
//!   that may have to wait. [`server`]: functions that the session has answers to, statistics most of all.
//! * One module for each type or family: what its values are and what can be done with them.
//!
//! # Invariants
//! * A function is declared once, under its name and argument types in PostgreSQL's `pg_proc`. What else there is to know
//!   of it (oid, volatility, operators, casts …) is a fact of PostgreSQL's that the catalog has.
//! * Functions get exactly the types that they are declared with: every conversion is a cast that the analysis has decided.
//! * A function fails with PostgreSQL's message and SQLSTATE, and never panics, whatever the values.
//! * No allocation for each row but for results that need one.

pub mod acl;
pub mod advisory;
pub mod aggregate;
pub mod array;
pub mod asynchronous;
pub mod base_type;
pub mod boolean;
pub mod bytea;
pub mod column;
pub mod compare;
pub mod context;
pub mod datetime;
pub mod datum;
pub mod decimal;
mod digits;
pub mod encoding;
pub mod r#enum;
pub mod error;
pub mod float;
pub mod function;
pub mod inet;
pub mod information_schema;
mod input_check;
pub mod integer;
pub mod json;
pub mod jsonb;
pub mod jsonpath;
pub mod key;
pub mod made_of;
pub mod memory;
pub mod names;
pub mod number_format;
pub mod numeric;
pub mod object_address;
pub mod object_id;
pub mod oid;
pub mod pg_lsn;
pub mod privileges;
pub mod quote;
pub mod random;
pub mod record;
pub mod reg;
pub mod regex;
pub mod repr;
pub mod scalar;
pub mod server;
pub mod session;
pub mod set_returning;
pub mod size;
pub mod sql;
pub mod sql_value;
pub mod statistics;
pub mod system;
pub mod text;
pub mod uuid;
pub mod window;

pub use self::error::{Error, Result};
pub use aggregate::{Aggregate, BUILT_IN_AGGREGATES};
pub use base_type::BaseType;
pub use column::{Argument, SqlType};
pub use context::Context;
pub use datum::{ColumnBuilder, Datum};
pub use function::{Call, Function, Kernel};
pub use made_of::Reader;
pub use oid::Oid;
pub use repr::Repr;
pub use scalar::Scalar;
pub use set_returning::{BUILT_IN_SET_FUNCTIONS, SetFunction};
pub use window::{BUILT_IN_WINDOW_FUNCTIONS, WindowFunction};

/// Every function that is declared in this room.
pub const BUILT_IN: &[&[&[Function]]] = &[
    &[boolean::FUNCTIONS, number_format::FUNCTIONS],
    integer::FUNCTIONS,
    numeric::functions::FUNCTIONS,
    float::FUNCTIONS,
    text::FUNCTIONS,
    text::COMPARISONS,
    text::OF_CHARACTERS,
    text::LIKE,
    regex::FUNCTIONS,
    &[regex::SIMILAR],
    bytea::FUNCTIONS,
    &[uuid::FUNCTIONS, size::FUNCTIONS, random::FUNCTIONS],
    datetime::FUNCTIONS,
    json::FUNCTIONS,
    jsonb::FUNCTIONS,
    &[jsonpath::FUNCTIONS],
    array::FUNCTIONS,
    &[record::FUNCTIONS],
    r#enum::FUNCTIONS,
    object_id::FUNCTIONS,
    &[reg::FUNCTIONS, privileges::OF_COLUMNS_AND_ROLES],
    privileges::FUNCTIONS,
    system::FUNCTIONS,
    advisory::FUNCTIONS,
    &[inet::FUNCTIONS, pg_lsn::FUNCTIONS, acl::FUNCTIONS, information_schema::FUNCTIONS, server::FUNCTIONS],
];

/// The functions that go by the collation of what they are given, as they are in the collation `C`.
pub const BUILT_IN_IN_C: &[&[&[Function]]] = &[text::FUNCTIONS_IN_C, regex::FUNCTIONS_IN_C];

/// Every type that is declared in this room.
pub const BASE_TYPES: &[&[BaseType]] = &[
    boolean::TYPES,
    integer::TYPES,
    numeric::TYPES,
    float::TYPES,
    text::TYPES,
    datetime::TYPES,
    json::TYPES,
    jsonb::TYPES,
    jsonpath::TYPES,
    array::TYPES,
    record::TYPES,
    r#enum::TYPES,
    object_id::TYPES,
    reg::TYPES,
    acl::TYPES,
    bytea::TYPES,
    uuid::TYPES,
    inet::TYPES,
    pg_lsn::TYPES,
];
