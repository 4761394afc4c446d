//! Aggregates whose state is a value of their type, which takes others by a function of two: sums of floats, bits, the
//! greatest and the least of what has a fixed size.

use std::marker::PhantomData;

use arrow_array::ArrayRef;

use super::states::{State, States, Take, optional_part};
use super::{AggregateCall, GroupStates};
use crate::column::{Parameter, Put, SqlType};
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::repr::Repr;

/// A type whose values are small.
pub trait Small<V>:
    for<'a> SqlType<Value<'a> = V> + for<'a> Parameter<Type = Self, Value<'a> = V> + Put<V> + 'static
{
}

impl<V, T> Small<V> for T where
    T: for<'a> SqlType<Value<'a> = V> + for<'a> Parameter<Type = Self, Value<'a> = V> + Put<V> + 'static
{
}

/// The function of two.
pub trait Combine<V>: 'static {
    fn combine(old: V, new: V) -> Result<V>;
}

/// `None`: there was no value.
pub struct Fold<T, V, C>(Option<V>, PhantomData<fn() -> (T, C)>);

impl<T, V: Copy, C> Clone for Fold<T, V, C> {
    fn clone(&self) -> Self {
        Fold(self.0, PhantomData)
    }
}

impl<T, V, C> Default for Fold<T, V, C> {
    fn default() -> Self {
        Fold(None, PhantomData)
    }
}

impl<T, V, C> State for Fold<T, V, C>
where
    T: Small<V>,
    V: Copy + Send + Sync + 'static,
    C: Combine<V>,
{
    // The type's: `fold` gives it.
    const PARTS: &'static [Repr] = &[];

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put::<T, _>(self.0);
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        optional_part::<T>(parts, 0, row).map_or(Ok(()), |value| self.add(value))
    }
}

impl<T, V, C> Take<(T,)> for Fold<T, V, C>
where
    T: Small<V>,
    V: Copy + Send + Sync + 'static,
    C: Combine<V>,
{
    #[inline]
    fn add(&mut self, value: V) -> Result<()> {
        self.0 = Some(match self.0 {
            Some(old) => C::combine(old, value)?,
            None => value,
        });
        Ok(())
    }
}

/// The object for an aggregate of this kind.
pub fn fold<T, V, C>(_: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>>
where
    T: Small<V>,
    V: Copy + Send + Sync + 'static,
    C: Combine<V>,
{
    let repr = Repr::of(T::OID, -1).expect("a type with values");
    States::<Fold<T, V, C>, (T,)>::with_parts(&[repr], Fold::default(), |state, out| {
        out.put::<T, _>(state.0);
        Ok(())
    })
}
