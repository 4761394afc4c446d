//! `count` and `regr_count`.

use arrow_array::{Array, ArrayRef};

use super::states::{Row, State, States, Take, part};
use super::{Aggregate, AggregateCall, GroupStates};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::oid;
use crate::repr::Repr;
use crate::sql::int8;

pub const AGGREGATES: &[Aggregate] = &[
    count("count", &[], rows::<0>),
    count("count", &[oid::ANY], rows::<1>),
    count("regr_count", &[oid::FLOAT8, oid::FLOAT8], rows::<2>),
];

const fn count(name: &'static str, arguments: &'static [oid::Oid], start: super::Start) -> Aggregate {
    Aggregate { name, arguments, result: oid::INT8, decimals: true, start }
}

fn rows<const ARGUMENTS: usize>(_: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    States::<Count, Present<ARGUMENTS>>::boxed(|state, out| {
        out.put::<int8, _>(Some(state.0));
        Ok(())
    })
}

/// A row in which so many arguments are not NULL.
struct Present<const ARGUMENTS: usize>;

impl<const ARGUMENTS: usize> Row for Present<ARGUMENTS> {
    type Columns<'a> = &'a [Argument];
    type Value<'a> = ();

    fn columns(arguments: &[Argument]) -> &[Argument] {
        &arguments[..ARGUMENTS]
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        columns.iter().all(|argument| argument.array().is_valid(argument.index(row))).then_some(())
    }
}

#[derive(Clone, Default)]
struct Count(i64);

impl State for Count {
    const PARTS: &'static [Repr] = &[Repr::Int8];
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put::<int8, _>(Some(self.0));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        self.0 += part::<int8>(parts, 0, row);
        Ok(())
    }
}

impl<const ARGUMENTS: usize> Take<Present<ARGUMENTS>> for Count {
    #[inline]
    fn add(&mut self, (): ()) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn remove(&mut self, (): ()) -> Result<bool> {
        self.0 -= 1;
        Ok(true)
    }
}
