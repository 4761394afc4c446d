//! What functions get and give: columns of values, each of a type that is known from the function's declaration.

use arrow_array::{Array, ArrayRef};

use crate::error::Result;
use crate::oid::Oid;

/// An argument of a call: a value for each row, or one for all of them.
#[derive(Clone, Debug)]
pub struct Argument {
    array: ArrayRef,
    /// 1 where each row has its value, 0 where all have the first.
    stride: usize,
}

impl Argument {
    pub fn column(array: ArrayRef) -> Argument {
        Argument { array, stride: 1 }
    }

    /// `array` has one value, which all rows have.
    pub fn constant(array: ArrayRef) -> Argument {
        assert_eq!(array.len(), 1, "a constant is one value");
        Argument { array, stride: 0 }
    }

    pub fn is_constant(&self) -> bool {
        self.stride == 0
    }

    pub fn array(&self) -> &ArrayRef {
        &self.array
    }

    /// Where the value of a row is.
    #[inline]
    pub fn index(&self, row: usize) -> usize {
        row * self.stride
    }

    /// The column of a type. Panics for one that is represented otherwise, which is a bug of the caller.
    pub fn of<T: SqlType>(&self) -> &T::Array {
        let found = || panic!("a value of type {} is represented by {}", T::OID, self.array.data_type());
        self.array.as_any().downcast_ref().unwrap_or_else(found)
    }
}

/// A type as functions see it: what a value is in Rust, and how a column of values lies in Arrow.
pub trait SqlType {
    const OID: Oid;
    type Value<'a>;
    type Array: Array + 'static;
    type Builder;

    fn get(array: &Self::Array, index: usize) -> Self::Value<'_>;
    fn builder(rows: usize) -> Self::Builder;
    fn put_null(builder: &mut Self::Builder);
    /// Fails when another value might have no room in the column.
    #[inline]
    fn check(_: &Self::Builder) -> Result<()> {
        Ok(())
    }
    fn finish(builder: Self::Builder) -> ArrayRef;
}

/// A type whose values can be given as a `V`.
pub trait Put<V>: SqlType {
    fn put(builder: &mut Self::Builder, value: V);
}

/// How a declaration takes an argument: `int4` where NULL makes the result NULL (the function is strict), `Option<int4>`
/// where the function sees NULL.
pub trait Parameter {
    type Type: SqlType;
    const STRICT: bool;
    type Value<'a>;

    /// `None`: the result is NULL.
    fn get(array: &<Self::Type as SqlType>::Array, index: usize) -> Option<Self::Value<'_>>;
}

impl<T: SqlType> Parameter for Option<T> {
    type Type = T;
    const STRICT: bool = false;
    type Value<'a> = Option<T::Value<'a>>;

    #[inline]
    fn get(array: &T::Array, index: usize) -> Option<Option<T::Value<'_>>> {
        Some((!array.is_null(index)).then(|| T::get(array, index)))
    }
}

/// How a declaration gives its result: `int4` from a function that gives a value, `Option<int4>` from one that may give
/// NULL.
pub trait Return {
    type Type: SqlType;
}

impl<T: SqlType> Return for Option<T> {
    type Type = T;
}

/// What a function of this result may give.
pub trait Give<V>: Return {
    fn give(builder: &mut <Self::Type as SqlType>::Builder, value: V);
}

impl<V, T: Put<V>> Give<Option<V>> for Option<T> {
    #[inline]
    fn give(builder: &mut T::Builder, value: Option<V>) {
        match value {
            Some(value) => T::put(builder, value),
            None => T::put_null(builder),
        }
    }
}
