//! How clients write and read the values of a type: its text and its binary representation.

use std::collections::HashMap;
use std::sync::LazyLock;

use arrow_array::Array;
use error::sqlstate;

use crate::BASE_TYPES;
use crate::array::types::type_name;
use crate::column::SqlType;
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::names::Names;
use crate::oid::{self, Oid};
use crate::repr::Repr;

/// A type's `typinput`, `typoutput`, `typreceive` and `typsend`.
#[derive(Clone, Copy, Debug)]
pub struct BaseType {
    pub oid: Oid,
    /// The value that a text means, made to fit a type modifier (-1: there is none).
    pub input: fn(&Context, &str, i32) -> Result<Datum>,
    /// Appends the text of a column's value, which is not NULL.
    pub output: fn(&Context, &dyn Array, usize, &mut Vec<u8>) -> Result<()>,
    /// The value that bytes mean. Fails with 22P03 when they are none.
    pub receive: fn(&Context, &[u8], i32) -> Result<Datum>,
    /// Appends the bytes of a column's value, which is not NULL.
    pub send: fn(&Context, &dyn Array, usize, &mut Vec<u8>) -> Result<()>,
}

/// How values of a built-in type are read and written; `None` for a type that is not here.
pub fn base_type(ty: Oid) -> Option<&'static BaseType> {
    static BY_OID: LazyLock<HashMap<Oid, &'static BaseType, foldhash::fast::RandomState>> =
        LazyLock::new(|| BASE_TYPES.iter().copied().flatten().map(|ty| (ty.oid, ty)).collect());
    BY_OID.get(&ty).copied()
}

/// How values of a type are written, of which at least the representation is known: arrays and rows say themselves what
/// they are.
pub fn writer(names: &dyn Names, ty: Oid, repr: Repr) -> Result<&'static BaseType> {
    let of_users = match repr {
        Repr::Array => base_type(oid::RECORDARRAY),
        Repr::Record => base_type(oid::RECORD),
        _ => None,
    };
    let missing = || Error::unsupported(format_args!("output of type {}", type_name(ty)));
    base_type(ty).or(of_users).or_else(|| base_type(names.value_type(ty))).ok_or_else(missing)
}

/// What is said of bytes that are left when a value was read.
pub const LEFT_OVER: &str = "incorrect binary data format";

/// The bytes of a value of fixed width.
pub fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    if bytes.len() < N {
        return Err(Error::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message"));
    }
    bytes.try_into().map_err(|_| Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, LEFT_OVER))
}

/// What is said where one more byte is read than there are.
pub fn no_data_left() -> Error {
    Error::new(sqlstate::PROTOCOL_VIOLATION, "no data left in message")
}

/// The one byte of a value.
pub fn one_byte(bytes: &[u8]) -> Result<u8> {
    match bytes {
        [] => Err(no_data_left()),
        [byte] => Ok(*byte),
        _ => Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, LEFT_OVER)),
    }
}

/// A value of a column of type `T`.
pub fn value<T: SqlType>(array: &dyn Array, index: usize) -> T::Value<'_> {
    let found = || panic!("a value of type {} is represented by {}", T::OID, array.data_type());
    T::get(array.as_any().downcast_ref::<T::Array>().unwrap_or_else(found), index)
}
