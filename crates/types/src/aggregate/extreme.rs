//! `min` and `max` of every type that has an order, and `any_value`.

use std::cmp::Ordering;
use std::marker::PhantomData;

use arrow_array::{Array, ArrayRef};

use super::fold::{Combine, fold};
use super::states::{AnyValue, BytesColumn, Row, State, States, Take};
use super::{Aggregate, AggregateCall, GroupStates, Start};
use crate::array::{self, ArrayView};
use crate::column::Argument;
use crate::compare;
use crate::datetime::values::{date, interval, time, timestamp, timestamptz, timetz};
use crate::datetime::{Interval, TimeTz};
use crate::datum::{ColumnBuilder, Datum};
use crate::error::Result;
use crate::float::arithmetic;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;

macro_rules! aggregates {
    ($($type:ident $oid:ident $native:ty;)*) => {
        pub const AGGREGATES: &[Aggregate] = &[
            $(
                extreme("max", &[oid::$oid], fold::<$type, $native, Larger>),
                extreme("min", &[oid::$oid], fold::<$type, $native, Smaller>),
            )*
            extreme("max", &[oid::TEXT], best::<OfText, true>),
            extreme("min", &[oid::TEXT], best::<OfText, false>),
            extreme("max", &[oid::BPCHAR], best::<OfBpchar, true>),
            extreme("min", &[oid::BPCHAR], best::<OfBpchar, false>),
            extreme("max", &[oid::BYTEA], best::<OfBytea, true>),
            extreme("min", &[oid::BYTEA], best::<OfBytea, false>),
            extreme("max", &[oid::NUMERIC], best::<OfNumeric, true>),
            extreme("min", &[oid::NUMERIC], best::<OfNumeric, false>),
            extreme("max", &[oid::TID], best::<OfTid, true>),
            extreme("min", &[oid::TID], best::<OfTid, false>),
            extreme("max", &[oid::ANYENUM], best::<OfEnum, true>),
            extreme("min", &[oid::ANYENUM], best::<OfEnum, false>),
            extreme("max", &[oid::ANYARRAY], best::<OfArray, true>),
            extreme("min", &[oid::ANYARRAY], best::<OfArray, false>),
            extreme("max", &[oid::RECORD], best::<OfRecord, true>),
            extreme("min", &[oid::RECORD], best::<OfRecord, false>),
            extreme("any_value", &[oid::ANYELEMENT], any_value),
        ];
    };
}

aggregates! {
    int2 INT2 i16;
    int4 INT4 i32;
    int8 INT8 i64;
    oid_ OID u32;
    xid8 XID8 u64;
    float4 FLOAT4 f32;
    float8 FLOAT8 f64;
    date DATE i32;
    time TIME i64;
    timetz TIMETZ TimeTz;
    timestamp TIMESTAMP i64;
    timestamptz TIMESTAMPTZ i64;
    interval INTERVAL Interval;
}

const fn extreme(name: &'static str, arguments: &'static [Oid], start: Start) -> Aggregate {
    Aggregate { name, arguments, result: arguments[0], decimals: false, start }
}

/// The order of values.
trait Order {
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! orders {
    ($($type:ty: $order:expr;)*) => {$(
        impl Order for $type {
            #[inline]
            fn order(&self, other: &Self) -> Ordering {
                let order: fn(&$type, &$type) -> Ordering = $order;
                order(self, other)
            }
        }
    )*};
}

orders! {
    i16: Ord::cmp;
    i32: Ord::cmp;
    i64: Ord::cmp;
    u32: Ord::cmp;
    u64: Ord::cmp;
    f32: |a, b| arithmetic::compare((*a).into(), (*b).into());
    f64: |a, b| arithmetic::compare(*a, *b);
    TimeTz: |a, b| a.rank().cmp(&b.rank());
    Interval: |a, b| a.span().cmp(&b.span());
}

/// Of equal ones the later, which may look different.
struct Larger;
struct Smaller;

impl<V: Order> Combine<V> for Larger {
    #[inline]
    fn combine(old: V, new: V) -> Result<V> {
        Ok(if old.order(&new).is_gt() { old } else { new })
    }
}

impl<V: Order> Combine<V> for Smaller {
    #[inline]
    fn combine(old: V, new: V) -> Result<V> {
        Ok(if old.order(&new).is_lt() { old } else { new })
    }
}

/// A representation whose values have no fixed size, or are compared by their bytes.
trait InBytes: Clone + Send + Sync + 'static {
    const REPR: Repr;
    /// Of equal ones the first is kept.
    const FIRST: bool = false;

    fn order(a: &[u8], b: &[u8]) -> Result<Ordering> {
        Ok(compare::scalars(Self::REPR, Scalar::Bytes(a), Scalar::Bytes(b)))
    }
}

macro_rules! in_bytes {
    ($($name:ident $repr:ident $($first:literal)?;)*) => {$(
        #[derive(Clone)]
        struct $name;

        impl InBytes for $name {
            const REPR: Repr = Repr::$repr;
            $(const FIRST: bool = $first;)?
        }
    )*};
}

in_bytes! {
    OfText Text;
    OfBpchar Bpchar true;
    OfBytea Bytea;
    OfNumeric Numeric;
    OfTid Tid;
    OfEnum Uuid;
    OfRecord Record;
}

#[derive(Clone)]
struct OfArray;

impl InBytes for OfArray {
    const REPR: Repr = Repr::Array;

    /// Those of a column of type `anyarray` need not be of one type.
    fn order(a: &[u8], b: &[u8]) -> Result<Ordering> {
        array::order(&ArrayView::new(a), &ArrayView::new(b))
    }
}

/// The bytes of a value.
struct Bytes;

impl Row for Bytes {
    type Columns<'a> = (BytesColumn<'a>, &'a Argument);
    type Value<'a> = &'a [u8];

    fn columns(arguments: &[Argument]) -> Self::Columns<'_> {
        (BytesColumn::of(arguments[0].array()), &arguments[0])
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        columns.0.get(columns.1.index(row))
    }
}

/// The greatest or the least so far.
#[derive(Clone)]
struct Best<K, const MAX: bool> {
    value: Option<Vec<u8>>,
    key: PhantomData<K>,
}

impl<K, const MAX: bool> Default for Best<K, MAX> {
    fn default() -> Self {
        Best { value: None, key: PhantomData }
    }
}

fn best<K: InBytes, const MAX: bool>(call: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    States::<Best<K, MAX>, Bytes>::with_parts(&call.reprs[..1], Best::default(), |state, out| {
        out.put_bytes(state.value.as_deref());
        Ok(())
    })
}

impl<K: InBytes, const MAX: bool> State for Best<K, MAX> {
    // The argument's: `best` gives it.
    const PARTS: &'static [Repr] = &[];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put_bytes(self.value.as_deref());
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        BytesColumn::of(&parts[0]).get(row).map_or(Ok(()), |value| self.add(value))
    }

    fn heap(&self) -> usize {
        self.value.as_ref().map_or(0, Vec::capacity)
    }
}

impl<K: InBytes, const MAX: bool> Take<Bytes> for Best<K, MAX> {
    fn add(&mut self, value: &[u8]) -> Result<()> {
        let Some(old) = &mut self.value else {
            self.value = Some(value.to_vec());
            return Ok(());
        };
        let better = match K::order(value, old)? {
            Ordering::Equal => !K::FIRST,
            Ordering::Greater => MAX,
            Ordering::Less => !MAX,
        };
        if better {
            old.clear();
            old.extend_from_slice(value);
        }
        Ok(())
    }
}

/// The first value.
#[derive(Clone, Default)]
struct First(Option<Datum>);

fn any_value(call: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    States::<First, AnyValue>::with_parts(&call.reprs[..1], First::default(), |state, out| {
        out.push(state.0.as_ref().unwrap_or(&Datum::Null));
        Ok(())
    })
}

impl State for First {
    // The argument's: `any_value` gives it.
    const PARTS: &'static [Repr] = &[];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].push(self.0.as_ref().unwrap_or(&Datum::Null));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        if parts[0].is_valid(row) {
            self.add((parts[0].as_ref(), row))?;
        }
        Ok(())
    }

    fn heap(&self) -> usize {
        match &self.0 {
            Some(Datum::Text(text)) => text.len(),
            Some(Datum::Bytes(bytes)) => bytes.len(),
            _ => 0,
        }
    }
}

impl Take<AnyValue> for First {
    #[inline]
    fn add(&mut self, (array, index): (&dyn Array, usize)) -> Result<()> {
        if self.0.is_none() {
            self.0 = Some(Datum::of(array, index));
        }
        Ok(())
    }
}
