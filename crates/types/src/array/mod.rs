//! Arrays: PostgreSQL's `arrayfuncs.c` and what stands around it.
//!
//! # The bytes of an array
//! An array of any type is one binary value, which says itself what it is:
//!
//! | bytes | |
//! |---|---|
//! | 4 | the type of the elements (oid) |
//! | 1 | how they are represented ([`packed::code`]) |
//! | 1 | the number of dimensions, 0 to 6; 0: there are no elements |
//! | 1 | 1: there are NULLs among the elements |
//! | 1 | levels of arrays and rows that are in the elements |
//! | 8 for each dimension | its length and its first subscript |
//! | a bit for each element, if there are NULLs | 1: it is no NULL |
//! | 4 for each element, if they are not of one width | where it ends |
//! | | the elements, in the order of PostgreSQL (the last subscript goes round first) |
//!
//! Numbers are little-endian. An element of one width is there also where it is NULL, as zeros: every element is found by
//! its number in one step. Arrays that are the same have the same bytes; those that are only equal (`{1.0}` and `{1.00}`)
//! do not: [`crate::key`] compares them.
//!
//! `int2vector` and `oidvector` are such arrays whose first subscript is 0 ([`vector`]).
//!
//! # What is where
//! * [`ArrayView`] reads an array, [`ArrayBuilder`] makes one, [`Shape`] is its dimensions.
//! * [`input`], [`output`], [`wire`]: its texts and bytes for clients; of elements of any [`crate::BaseType`].
//! * [`subscript`]: elements, slices, and assignments to them. [`construct`]: `ARRAY[…]`.
//! * [`column`]: the elements of a whole column, and arrays made of them. [`any`]: `ANY` and `ALL` over arrays.
//! * The rest are functions of `pg_proc`.

pub mod any;
mod arrange;
pub mod builder;
pub mod column;
mod comparison;
mod concatenate;
pub mod construct;
mod dimensions;
pub mod input;
pub mod output;
pub mod packed;
mod search;
pub mod shape;
pub mod subscript;
pub(crate) mod text;
pub mod types;
pub mod value;
pub mod vector;
pub mod view;
pub mod wire;

pub use builder::{ArrayBuilder, empty};
pub(crate) use comparison::order;
pub use shape::Shape;
pub use types::{TYPES, array_type, element_repr, element_type, type_name};
pub use view::ArrayView;

use crate::function::Function;

pub const FUNCTIONS: &[&[Function]] = &[
    dimensions::FUNCTIONS,
    comparison::FUNCTIONS,
    search::FUNCTIONS,
    concatenate::FUNCTIONS[0],
    concatenate::FUNCTIONS[1],
    arrange::FUNCTIONS[0],
    arrange::FUNCTIONS[1],
    text::FUNCTIONS,
    vector::FUNCTIONS,
];
