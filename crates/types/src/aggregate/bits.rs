//! `bool_and`, `bool_or`, `every`, and `bit_and`, `bit_or`, `bit_xor` of whole numbers.

use std::ops::{BitAnd, BitOr, BitXor};

use arrow_array::ArrayRef;

use super::fold::{Combine, fold};
use super::states::{State, States, Take, part};
use super::{Aggregate, Start};
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::sql::*;

macro_rules! aggregates {
    ($($type:ident $oid:ident $native:ty;)*) => {
        pub const AGGREGATES: &[Aggregate] = &[
            truth("bool_and", |_| States::<Truth, (boolean,)>::boxed(all)),
            truth("every", |_| States::<Truth, (boolean,)>::boxed(all)),
            truth("bool_or", |_| States::<Truth, (boolean,)>::boxed(any)),
            $(
                bitwise("bit_and", &[oid::$oid], fold::<$type, $native, And>),
                bitwise("bit_or", &[oid::$oid], fold::<$type, $native, Or>),
                bitwise("bit_xor", &[oid::$oid], fold::<$type, $native, Xor>),
            )*
        ];
    };
}

aggregates! {
    int2 INT2 i16;
    int4 INT4 i32;
    int8 INT8 i64;
}

const fn truth(name: &'static str, start: Start) -> Aggregate {
    Aggregate { name, arguments: &[oid::BOOL], result: oid::BOOL, decimals: false, start }
}

const fn bitwise(name: &'static str, arguments: &'static [Oid], start: Start) -> Aggregate {
    Aggregate { name, arguments, result: arguments[0], decimals: false, start }
}

/// How many values there were, and how many were true.
#[derive(Clone, Default)]
struct Truth {
    count: i64,
    trues: i64,
}

fn all(state: &Truth, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<boolean, _>((state.count > 0).then_some(state.trues == state.count));
    Ok(())
}

fn any(state: &Truth, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<boolean, _>((state.count > 0).then_some(state.trues > 0));
    Ok(())
}

impl State for Truth {
    const PARTS: &'static [Repr] = &[Repr::Int8, Repr::Int8];
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put::<int8, _>(Some(self.count));
        parts[1].put::<int8, _>(Some(self.trues));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        self.count += part::<int8>(parts, 0, row);
        self.trues += part::<int8>(parts, 1, row);
        Ok(())
    }
}

impl Take<(boolean,)> for Truth {
    #[inline]
    fn add(&mut self, value: bool) -> Result<()> {
        self.count += 1;
        self.trues += i64::from(value);
        Ok(())
    }

    fn remove(&mut self, value: bool) -> Result<bool> {
        self.count -= 1;
        self.trues -= i64::from(value);
        Ok(true)
    }
}

macro_rules! combine {
    ($($name:ident $trait:ident $operator:tt)*) => {$(
        struct $name;

        impl<V: $trait<Output = V>> Combine<V> for $name {
            #[inline]
            fn combine(old: V, new: V) -> Result<V> {
                Ok(old $operator new)
            }
        }
    )*};
}

combine!(And BitAnd & Or BitOr | Xor BitXor ^);
