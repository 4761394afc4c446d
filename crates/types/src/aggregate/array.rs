//! `array_agg` of values and of arrays.

use arrow_array::ArrayRef;
use error::sqlstate;

use super::states::{BytesColumn, Row, State, States, Take};
use super::{Aggregate, AggregateCall, GroupStates};
use crate::array::shape::{MOST_DIMENSIONS, too_many_dimensions};
use crate::array::{ArrayBuilder, ArrayView, Shape};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

pub const AGGREGATES: &[Aggregate] = &[
    Aggregate {
        name: "array_agg",
        arguments: &[oid::ANYNONARRAY],
        result: oid::ANYARRAY,
        decimals: false,
        start: of_values,
    },
    Aggregate {
        name: "array_agg",
        arguments: &[oid::ANYARRAY],
        result: oid::ANYARRAY,
        decimals: false,
        start: of_arrays,
    },
];

fn of_values(call: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    let initial = Values { builder: ArrayBuilder::new(call.arguments[0], call.reprs[0]) };
    States::<Values, Nullable>::with_parts(&[Repr::Array], initial, |state, out| {
        out.put_bytes(state.array()?.as_deref());
        Ok(())
    })
}

fn of_arrays(_: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    States::<Arrays, Nullable>::with_parts(&[Repr::Array], Arrays::default(), |state, out| {
        out.put_bytes(state.array()?.as_deref());
        Ok(())
    })
}

/// A value of any type, or NULL.
struct Nullable;

impl Row for Nullable {
    type Columns<'a> = &'a Argument;
    type Value<'a> = Option<Scalar<'a>>;

    fn columns(arguments: &[Argument]) -> &Argument {
        &arguments[0]
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        Some(Scalar::of(columns.array(), columns.index(row)))
    }
}

#[derive(Clone)]
struct Values {
    builder: ArrayBuilder,
}

impl Values {
    /// NULL if there were no rows.
    fn array(&self) -> Result<Option<Vec<u8>>> {
        (!self.builder.is_empty()).then(|| self.builder.finish_list()).transpose()
    }
}

impl State for Values {
    const PARTS: &'static [Repr] = &[Repr::Array];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put_bytes(self.array()?.as_deref());
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Some(bytes) = BytesColumn::of(&parts[0]).get(row) else { return Ok(()) };
        let array = ArrayView::new(bytes);
        self.builder.extend(&array, 0..array.len())
    }

    fn heap(&self) -> usize {
        self.builder.memory()
    }
}

impl Take<Nullable> for Values {
    #[inline]
    fn add(&mut self, value: Option<Scalar<'_>>) -> Result<()> {
        self.builder.push(value)
    }
}

/// Arrays of one shape, of which there is an array with one dimension more.
#[derive(Clone, Default)]
struct Arrays(Option<Gathered>);

#[derive(Clone)]
struct Gathered {
    builder: ArrayBuilder,
    shape: Shape,
    count: i32,
}

impl Arrays {
    fn array(&self) -> Result<Option<Vec<u8>>> {
        let Some(Gathered { builder, shape, count }) = &self.0 else { return Ok(None) };
        let lengths: Vec<i32> = std::iter::once(*count).chain(shape.lengths().iter().copied()).collect();
        let lower: Vec<i32> = std::iter::once(1).chain(shape.lower().iter().copied()).collect();
        builder.finish(&Shape::new(&lengths, &lower)?).map(Some)
    }

    /// Takes so many arrays, whose elements are those of `array`.
    fn take(&mut self, array: &ArrayView<'_>, shape: Shape, count: i32) -> Result<()> {
        let new = || Gathered { builder: ArrayBuilder::like(array), shape, count: 0 };
        let gathered = self.0.get_or_insert_with(new);
        if gathered.shape != shape {
            return Err(Error::new(
                sqlstate::ARRAY_SUBSCRIPT_ERROR,
                "cannot accumulate arrays of different dimensionality",
            ));
        }
        gathered.count += count;
        gathered.builder.extend(array, 0..array.len())
    }
}

impl State for Arrays {
    const PARTS: &'static [Repr] = &[Repr::Array];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put_bytes(self.array()?.as_deref());
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Some(bytes) = BytesColumn::of(&parts[0]).get(row) else { return Ok(()) };
        let array = ArrayView::new(bytes);
        let (lengths, lower) = (array.shape().lengths(), array.shape().lower());
        let [count, lengths @ ..] = lengths else { return Ok(()) };
        self.take(&array, Shape::new(lengths, &lower[1..])?, *count)
    }

    fn heap(&self) -> usize {
        self.0.as_ref().map_or(0, |gathered| gathered.builder.memory())
    }
}

impl Take<Nullable> for Arrays {
    fn add(&mut self, value: Option<Scalar<'_>>) -> Result<()> {
        let Some(value) = value else {
            return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "cannot accumulate null arrays"));
        };
        let array = ArrayView::new(value.bytes());
        match array.shape().dimensions() {
            0 => Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "cannot accumulate empty arrays")),
            MOST_DIMENSIONS => Err(too_many_dimensions(MOST_DIMENSIONS + 1)),
            _ => self.take(&array, *array.shape(), 1),
        }
    }
}
