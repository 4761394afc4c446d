//! Rows: PostgreSQL's `rowtypes.c`.
//!
//! # The bytes of a row
//! The row's type (`record` or a composite one; 4 bytes), the number of its columns (3), the levels of arrays and rows
//! that are in them (1) and the size of their names (4); for each column its type (4), how
//! it is represented ([`crate::array::packed::code`]; with the highest bit set it is NULL; 1) and where its value ends (4);
//! then the names ([`RowNames`]), and the values one behind the other. Numbers are little-endian.
//!
//! Rows of type `record` carry the names of their columns because those of a query are in no catalog; a table's are not put into
//! each of its rows.
//!
//! # What is where
//! * [`RecordView`] reads a row, [`RecordBuilder`] makes one, [`column`] does both for whole columns of one [`RowShape`].
//! * [`text`], [`wire`]: its texts and bytes for clients. What columns a composite type has is the caller's to know.
//! * `comparison`: `record_eq` and the like.

pub mod builder;
pub mod column;
mod comparison;
mod shape;
pub mod text;
pub mod value;
pub mod view;
pub mod wire;

pub use builder::RecordBuilder;
pub use comparison::FUNCTIONS;
pub use shape::{RowNames, RowShape};
pub use view::{Field, RecordView};

use error::sqlstate;

use crate::base_type::BaseType;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::made_of::Reader;
use crate::oid::{self, Oid};
use crate::repr::Repr;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::RECORD,
    input: |_, _, _| Err(anonymous()),
    output: text::output,
    receive: |_, _, _| Err(anonymous()),
    send: wire::send,
}];

fn anonymous() -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "input of anonymous composite types is not implemented")
}

/// A column of a composite type.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub ty: Oid,
    pub typmod: i32,
    pub repr: Repr,
    /// How its values are read.
    pub reader: Reader,
}

/// How the values of a row's column are written, also of types that users have made.
fn writer(context: &Context, field: &Field<'_>) -> Result<&'static BaseType> {
    crate::base_type::writer(&*context.names, field.ty, field.repr)
}
