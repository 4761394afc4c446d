//! What most aggregates are made of: a [`State`] for a group, a [`Row`] of values that it takes, and a function that gives its
//! result.

use std::marker::PhantomData;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray, StringArray};
use arrow_schema::DataType;

use super::{GroupStates, Members, Rows};
use crate::column::{Argument, Parameter, SqlType};
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::memory::{LONG, claim_once, too_long_for_a_batch};
use crate::repr::Repr;

/// What is known of a group's rows.
pub trait State: Clone + Send + Sync + 'static {
    /// The columns that it is saved in.
    const PARTS: &'static [Repr];
    /// It has memory of its own, besides its size.
    const HEAP: bool = false;
    /// Some rows can be taken back.
    const RETRACTS: bool = false;

    /// Appends the state to its columns. Fails where it has become too long for them.
    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()>;

    /// Takes a saved state into this one.
    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()>;

    fn heap(&self) -> usize {
        0
    }
}

/// How a state takes a row.
pub trait Take<R: Row>: State {
    fn add(&mut self, value: R::Value<'_>) -> Result<()>;

    /// The opposite of [`Take::add`]; `false` if that cannot be done.
    fn remove(&mut self, value: R::Value<'_>) -> Result<bool> {
        let _ = value;
        Ok(false)
    }
}

/// The values of an aggregate's arguments.
pub trait Row: 'static {
    type Columns<'a>;
    type Value<'a>;

    fn columns(arguments: &[Argument]) -> Self::Columns<'_>;

    /// `None`: the row does not count.
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>>;
}

/// A column of arguments that are declared as those of functions are.
pub type Column<'a, P> = (&'a <<P as Parameter>::Type as SqlType>::Array, &'a Argument);

impl<P: Parameter + 'static> Row for (P,) {
    type Columns<'a> = Column<'a, P>;
    type Value<'a> = P::Value<'a>;

    fn columns(arguments: &[Argument]) -> Self::Columns<'_> {
        (arguments[0].of::<P::Type>(), &arguments[0])
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        P::get(columns.0, columns.1.index(row))
    }
}

impl<P: Parameter + 'static, Q: Parameter + 'static> Row for (P, Q) {
    type Columns<'a> = (Column<'a, P>, Column<'a, Q>);
    type Value<'a> = (P::Value<'a>, Q::Value<'a>);

    fn columns(arguments: &[Argument]) -> Self::Columns<'_> {
        let ([first], [second]) = (&arguments[..1], &arguments[1..2]) else { unreachable!("two arguments") };
        ((first.of::<P::Type>(), first), (second.of::<Q::Type>(), second))
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        let ((first, at_first), (second, at_second)) = columns;
        Some((P::get(first, at_first.index(row))?, Q::get(second, at_second.index(row))?))
    }
}

/// A value of any type, not NULL: its column and where it is there.
pub struct AnyValue;

impl Row for AnyValue {
    type Columns<'a> = &'a Argument;
    type Value<'a> = (&'a dyn Array, usize);

    fn columns(arguments: &[Argument]) -> &Argument {
        &arguments[0]
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        let (array, index) = (columns.array(), columns.index(row));
        array.is_valid(index).then_some((array.as_ref(), index))
    }
}

/// A column of texts or bytes.
pub enum BytesColumn<'a> {
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> BytesColumn<'a> {
    pub fn of(array: &'a ArrayRef) -> BytesColumn<'a> {
        match array.data_type() {
            DataType::Utf8 => BytesColumn::Text(array.as_string()),
            DataType::Binary => BytesColumn::Binary(array.as_binary()),
            _ => BytesColumn::Fixed(array.as_fixed_size_binary()),
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        match self {
            BytesColumn::Text(array) => array.is_valid(index).then(|| array.value(index).as_bytes()),
            BytesColumn::Binary(array) => array.is_valid(index).then(|| array.value(index)),
            BytesColumn::Fixed(array) => array.is_valid(index).then(|| array.value(index)),
        }
    }
}

/// How a state's result is appended to a column of results.
pub type Finish<S> = fn(&S, &mut ColumnBuilder) -> Result<()>;

/// The groups' states, one after the other.
pub struct States<S, R> {
    states: Vec<S>,
    /// That of a group without rows.
    initial: S,
    /// What the states hold besides.
    heap: usize,
    finish: Finish<S>,
    parts: Vec<Repr>,
    rows: PhantomData<fn() -> R>,
}

impl<S: Take<R>, R: Row> States<S, R> {
    pub fn boxed(finish: Finish<S>) -> Result<Box<dyn GroupStates>>
    where
        S: Default,
    {
        Self::with_parts(S::PARTS, S::default(), finish)
    }

    /// For a state that depends on the call.
    pub fn with_parts(parts: &[Repr], initial: S, finish: Finish<S>) -> Result<Box<dyn GroupStates>> {
        Ok(Box::new(Self { states: Vec::new(), initial, heap: 0, finish, parts: parts.to_vec(), rows: PhantomData }))
    }

    #[inline]
    fn change<T>(&mut self, group: usize, change: impl FnOnce(&mut S) -> T) -> T {
        let state = &mut self.states[group];
        if !S::HEAP {
            return change(state);
        }
        let before = state.heap();
        let result = change(state);
        self.heap = self.heap + state.heap() - before;
        result
    }

    fn grow(&mut self, groups: usize) {
        if groups > self.states.len() {
            self.states.resize(groups, self.initial.clone());
        }
    }
}

impl<S: Take<R>, R: Row> GroupStates for States<S, R> {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.grow(rows.groups);
        let columns = R::columns(rows.arguments);
        if let (Members::OneGroup, None) = (rows.members, rows.filter) {
            // The state is in registers meanwhile.
            return self.change(0, |state| {
                rows.rows.clone().try_for_each(|row| R::get(&columns, row).map_or(Ok(()), |value| state.add(value)))
            });
        }
        rows.each(|row, group| match R::get(&columns, row) {
            Some(value) => self.change(group, |state| state.add(value)),
            None => Ok(()),
        })
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<bool> {
        let columns = R::columns(rows.arguments);
        let mut able = S::RETRACTS;
        rows.each(|row, group| {
            if let (true, Some(value)) = (able, R::get(&columns, row)) {
                able = self.change(group, |state| state.remove(value))?;
            }
            Ok(())
        })?;
        Ok(able)
    }

    fn retracts(&self) -> bool {
        S::RETRACTS
    }

    fn results(&mut self, groups: Range<usize>, _: &[Argument], out: &mut ColumnBuilder) -> Result<()> {
        self.states[groups].iter().try_for_each(|state| {
            let before = out.bytes();
            if before > MOST_RESULTS {
                return Err(too_long_for_a_batch());
            }
            (self.finish)(state, out)?;
            room_to_grow(before, out.bytes())
        })
    }

    fn state_reprs(&self) -> Vec<Repr> {
        self.parts.clone()
    }

    fn state(&self, groups: Range<usize>) -> Result<Vec<ArrayRef>> {
        let mut parts: Vec<_> = self.parts.iter().map(|&repr| ColumnBuilder::new(repr, groups.len())).collect();
        self.states[groups].iter().try_for_each(|state| state.save(&mut parts))?;
        Ok(parts.into_iter().map(ColumnBuilder::finish).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], members: Members<'_>, groups: usize) -> Result<()> {
        self.grow(groups);
        (0..states[0].len()).try_for_each(|row| self.change(members.group(row), |state| state.merge(states, row)))
    }

    fn discard(&mut self, groups: usize) {
        if S::HEAP {
            let forgotten: usize = self.states[..groups].iter().map(S::heap).sum();
            self.heap -= forgotten;
        }
        self.states.drain(..groups);
    }

    fn groups(&self) -> usize {
        self.states.len()
    }

    fn memory(&self) -> usize {
        self.states.capacity() * size_of::<S>() + self.heap
    }
}

/// Bytes of a batch's results behind which there is room for another, which has less than 1 GiB.
const MOST_RESULTS: usize = 1 << 30;

/// Asks for room for a column of so many bytes to become twice as long, when it has become so long that it will.
fn room_to_grow(before: usize, bytes: usize) -> Result<()> {
    if bytes >= LONG && before.leading_zeros() != bytes.leading_zeros() {
        drop(claim_once(bytes)?);
    }
    Ok(())
}

/// A value of a saved state's column, which is not NULL.
pub fn part<T: SqlType>(parts: &[ArrayRef], number: usize, row: usize) -> T::Value<'_> {
    crate::base_type::value::<T>(&parts[number], row)
}

/// A value of a saved state's column.
pub fn optional_part<T: SqlType>(parts: &[ArrayRef], number: usize, row: usize) -> Option<T::Value<'_>> {
    parts[number].is_valid(row).then(|| part::<T>(parts, number, row))
}
