//! `variance`, `var_samp`, `var_pop`, `stddev`, `stddev_samp`, `stddev_pop`, and `avg` of floating-point numbers.
//!
//! Floating-point numbers are gathered by the method of Youngs and Cramer, whole numbers and `numeric` as exact sums.

use arrow_array::ArrayRef;

use super::states::{Finish, Row, State, States, Take, part};
use super::{Aggregate, Start};
use crate::column::Parameter;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::float::arithmetic::{double, overflow};
use crate::numeric::sum::Sum;
use crate::numeric::value::{Decimal, Numeric};
use crate::numeric::whole::Whole;
use crate::numeric::{math, numeric};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::sql::*;

macro_rules! family {
    ($($name:literal $float:ident $exact:ident;)*) => {
        pub const AGGREGATES: &[Aggregate] = &[
            aggregate("avg", &[oid::FLOAT4], oid::FLOAT8, |_| States::<Moments, (float4,)>::boxed(average)),
            aggregate("avg", &[oid::FLOAT8], oid::FLOAT8, |_| States::<Moments, (float8,)>::boxed(average)),
            $(
                aggregate($name, &[oid::FLOAT4], oid::FLOAT8, |_| States::<Moments, (float4,)>::boxed($float)),
                aggregate($name, &[oid::FLOAT8], oid::FLOAT8, |_| States::<Moments, (float8,)>::boxed($float)),
                aggregate($name, &[oid::INT2], oid::NUMERIC, |_| exact::<(int2,)>($exact)),
                aggregate($name, &[oid::INT4], oid::NUMERIC, |_| exact::<(int4,)>($exact)),
                aggregate($name, &[oid::INT8], oid::NUMERIC, |_| exact::<(int8,)>($exact)),
                aggregate($name, &[oid::NUMERIC], oid::NUMERIC, |_| exact::<(numeric,)>($exact)),
            )*
        ];
    };
}

family! {
    "variance" var_samp exact_var_samp;
    "var_samp" var_samp exact_var_samp;
    "var_pop" var_pop exact_var_pop;
    "stddev" stddev_samp exact_stddev_samp;
    "stddev_samp" stddev_samp exact_stddev_samp;
    "stddev_pop" stddev_pop exact_stddev_pop;
}

const fn aggregate(name: &'static str, arguments: &'static [Oid], result: Oid, start: Start) -> Aggregate {
    Aggregate { name, arguments, result, decimals: false, start }
}

/// Numbers, their sum, and the sum of the squares of their differences from the mean (`float8_accum`).
#[derive(Clone, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

fn average(state: &Moments, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<float8, _>((state.count > 0.0).then(|| state.sum / state.count));
    Ok(())
}

fn var_pop(state: &Moments, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<float8, _>(state.variance(0.0));
    Ok(())
}

fn var_samp(state: &Moments, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<float8, _>(state.variance(1.0));
    Ok(())
}

fn stddev_pop(state: &Moments, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<float8, _>(state.variance(0.0).map(f64::sqrt));
    Ok(())
}

fn stddev_samp(state: &Moments, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<float8, _>(state.variance(1.0).map(f64::sqrt));
    Ok(())
}

impl Moments {
    /// Of a sample (1) or of all there are (0).
    fn variance(&self, fewer: f64) -> Option<f64> {
        (self.count > fewer).then(|| self.squares / (self.count - fewer))
    }
}

impl State for Moments {
    const PARTS: &'static [Repr] = &[Repr::Float8, Repr::Float8, Repr::Float8];

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        for (part, value) in parts.iter_mut().zip([self.count, self.sum, self.squares]) {
            part.put::<float8, _>(Some(value));
        }
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let [count, sum, squares] = [0, 1, 2].map(|number| part::<float8>(parts, number, row));
        if self.count == 0.0 {
            *self = Moments { count, sum, squares };
        } else if count > 0.0 {
            let (all, apart) = (self.count + count, self.sum / self.count - sum / count);
            let merged = self.squares + squares + self.count * count * apart * apart / all;
            if merged.is_infinite() && !self.squares.is_infinite() && !squares.is_infinite() {
                return Err(overflow());
            }
            *self = Moments { count: all, sum: double::add(self.sum, sum)?, squares: merged };
        }
        Ok(())
    }
}

impl<P> Take<(P,)> for Moments
where
    P: Parameter + 'static,
    for<'a> f64: From<P::Value<'a>>,
{
    #[inline]
    fn add(&mut self, value: P::Value<'_>) -> Result<()> {
        let value = f64::from(value);
        let (before, sum_before) = (self.count, self.sum);
        self.count += 1.0;
        self.sum += value;
        if before == 0.0 {
            if !value.is_finite() {
                self.squares = f64::NAN;
            }
            return Ok(());
        }
        let apart = value * self.count - self.sum;
        self.squares += apart * apart / (self.count * before);
        if self.sum.is_infinite() || self.squares.is_infinite() {
            if !sum_before.is_infinite() && !value.is_infinite() {
                return Err(overflow());
            }
            self.squares = f64::NAN;
        }
        Ok(())
    }
}

/// The sum of numbers, and that of their squares.
#[derive(Clone, Default)]
struct Exact {
    sum: Sum,
    squares: Sum,
}

fn exact<R: Row>(finish: Finish<Exact>) -> Result<Box<dyn super::GroupStates>>
where
    Exact: Take<R>,
{
    States::<Exact, R>::boxed(finish)
}

fn exact_var_pop(state: &Exact, out: &mut ColumnBuilder) -> Result<()> {
    state.put(0, |variance, _| variance, out)
}

fn exact_var_samp(state: &Exact, out: &mut ColumnBuilder) -> Result<()> {
    state.put(1, |variance, _| variance, out)
}

fn exact_stddev_pop(state: &Exact, out: &mut ColumnBuilder) -> Result<()> {
    state.put(0, |variance, scale| math::square_root(&variance, scale), out)
}

fn exact_stddev_samp(state: &Exact, out: &mut ColumnBuilder) -> Result<()> {
    state.put(1, |variance, scale| math::square_root(&variance, scale), out)
}

impl Exact {
    fn put(&self, fewer: i64, of: fn(Decimal, i32) -> Decimal, out: &mut ColumnBuilder) -> Result<()> {
        let result = match self.sum.of_special() {
            _ if self.sum.count() <= fewer => None,
            Some(_) => Some(Numeric::NaN),
            None => Some(Numeric::finite(self.of_finite(fewer, of))?),
        };
        out.put::<numeric, _>(result);
        Ok(())
    }

    fn of_finite(&self, fewer: i64, of: fn(Decimal, i32) -> Decimal) -> Decimal {
        let (count, sum) = (Decimal::whole(self.sum.count()), self.sum.total());
        let apart = count.multiply(&self.squares.total()).subtract(&sum.multiply(&sum));
        if apart.value.is_negative() || apart.is_zero() {
            return Decimal::ZERO;
        }
        let divisor = count.multiply(&Decimal::whole(self.sum.count() - fewer));
        let scale = apart.quotient_scale(&divisor);
        of(apart.divide(&divisor, scale), scale)
    }

    #[inline]
    fn add_whole(&mut self, value: i64) {
        self.sum.add_units(value.into(), 0);
        self.squares.add_units(i128::from(value) * i128::from(value), 0);
    }

    fn remove_whole(&mut self, value: i64) -> bool {
        self.remove_numeric(Numeric::from(value))
    }

    fn remove_numeric(&mut self, value: Numeric) -> bool {
        let square = match &value {
            Numeric::Finite(finite) => Some(finite.multiply(finite)),
            _ => None,
        };
        self.sum.remove(value) && square.is_none_or(|square| self.squares.remove(Numeric::Finite(square)))
    }
}

impl State for Exact {
    const PARTS: &'static [Repr] = &[
        Repr::Numeric,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
        Repr::Numeric,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
        Repr::Int8,
    ];
    const HEAP: bool = true;
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        let (sum, squares) = parts.split_at_mut(6);
        self.sum.save(sum)?;
        self.squares.save(squares)
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        State::merge(&mut self.sum, &parts[..6], row)?;
        State::merge(&mut self.squares, &parts[6..], row)
    }

    fn heap(&self) -> usize {
        self.sum.memory() + self.squares.memory()
    }
}

macro_rules! whole_numbers {
    ($($type:ident $native:ty;)*) => {$(
        impl Take<($type,)> for Exact {
            #[inline]
            fn add(&mut self, value: $native) -> Result<()> {
                self.add_whole(value.into());
                Ok(())
            }

            fn remove(&mut self, value: $native) -> Result<bool> {
                Ok(self.remove_whole(value.into()))
            }
        }
    )*};
}

whole_numbers! {
    int2 i16;
    int4 i32;
    int8 i64;
}

impl Take<(numeric,)> for Exact {
    fn add(&mut self, value: Numeric) -> Result<()> {
        if let Numeric::Finite(finite) = &value {
            match finite.multiply(finite) {
                Decimal { value: Whole::Small(units), scale } => self.squares.add_units(units, scale),
                large => self.squares.add(Numeric::Finite(large)),
            }
        }
        self.sum.add(value);
        Ok(())
    }

    fn remove(&mut self, value: Numeric) -> Result<bool> {
        Ok(self.remove_numeric(value))
    }
}
