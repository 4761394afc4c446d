//! Window functions that give another row's value: of one some rows away, or of one at a place in the frame.

use std::ops::Range;

use arrow_array::Array;
use error::sqlstate;

use super::{Reach, Window, WindowFunction};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::decimal;
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::scalar::{self, Scalar};
use crate::sql::int4;

pub const FUNCTIONS: &[WindowFunction] = &[
    lag(&[oid::ANYELEMENT]),
    lag(&[oid::ANYELEMENT, oid::INT4]),
    lag(&[oid::ANYCOMPATIBLE, oid::INT4, oid::ANYCOMPATIBLE]),
    lead(&[oid::ANYELEMENT]),
    lead(&[oid::ANYELEMENT, oid::INT4]),
    lead(&[oid::ANYCOMPATIBLE, oid::INT4, oid::ANYCOMPATIBLE]),
    of_frame("first_value", &[oid::ANYELEMENT], |window, out| of_frames(window, |_, parts| Ok(first(parts)), out)),
    of_frame("last_value", &[oid::ANYELEMENT], |window, out| of_frames(window, |_, parts| Ok(last(parts)), out)),
    of_frame("nth_value", &[oid::ANYELEMENT, oid::INT4], nth_value),
];

type Evaluate = fn(&Window<'_>, &mut ColumnBuilder) -> Result<()>;

const fn lag(arguments: &'static [Oid]) -> WindowFunction {
    of_row("lag", arguments, Reach::Away(-1), |window, out| some_rows_away(window, -1, out))
}

const fn lead(arguments: &'static [Oid]) -> WindowFunction {
    of_row("lead", arguments, Reach::Away(1), |window, out| some_rows_away(window, 1, out))
}

const fn of_row(name: &'static str, arguments: &'static [Oid], reach: Reach, evaluate: Evaluate) -> WindowFunction {
    WindowFunction { name, arguments, result: arguments[0], framed: false, reach, evaluate }
}

const fn of_frame(name: &'static str, arguments: &'static [Oid], evaluate: Evaluate) -> WindowFunction {
    WindowFunction { name, arguments, result: arguments[0], framed: true, reach: Reach::Partition, evaluate }
}

/// A column's value, NULL too.
fn put(out: &mut ColumnBuilder, argument: &Argument, row: usize) {
    scalar::append(out, Scalar::of(argument.array(), argument.index(row)));
}

/// An argument that is a whole number; `None` for NULL.
fn number(argument: &Argument, row: usize) -> Option<i32> {
    let (values, index) = (argument.of::<int4>(), argument.index(row));
    (!values.is_null(index)).then(|| values.value(index))
}

/// `lag` (-1) and `lead` (1): the value of the row that many away, or else the default.
fn some_rows_away(window: &Window<'_>, direction: i128, out: &mut ColumnBuilder) -> Result<()> {
    let rows = window.partition.rows();
    let values = decimal::argument_to_numeric(&window.arguments[0]);
    let default = window.arguments.get(2).map(decimal::argument_to_numeric);
    for row in rows.clone() {
        let offset = match window.arguments.get(1) {
            Some(argument) => number(argument, row),
            None => Some(1),
        };
        let away = offset.map(|offset| row as i128 + direction * i128::from(offset));
        match (away, &default) {
            (Some(away), _) if away >= rows.start as i128 && away < rows.end as i128 => {
                put(out, &values, away as usize)
            }
            (Some(_), Some(default)) => put(out, default, row),
            _ => scalar::append(out, None),
        }
    }
    Ok(())
}

/// The value of the row that `choose` takes of the parts of each row's frame.
fn of_frames(
    window: &Window<'_>,
    choose: impl Fn(usize, &[Range<usize>; 3]) -> Result<Option<usize>>,
    out: &mut ColumnBuilder,
) -> Result<()> {
    let values = decimal::argument_to_numeric(&window.arguments[0]);
    let frames = window.frames.expect("frames, for a function that looks at them");
    for row in window.partition.rows() {
        match choose(row, &frames.parts(window.partition, row))? {
            Some(chosen) => put(out, &values, chosen),
            None => scalar::append(out, None),
        }
    }
    Ok(())
}

fn first(parts: &[Range<usize>; 3]) -> Option<usize> {
    parts.iter().find(|part| !part.is_empty()).map(|part| part.start)
}

fn last(parts: &[Range<usize>; 3]) -> Option<usize> {
    parts.iter().rfind(|part| !part.is_empty()).map(|part| part.end - 1)
}

fn nth_value(window: &Window<'_>, out: &mut ColumnBuilder) -> Result<()> {
    let choose = |row: usize, parts: &[Range<usize>; 3]| {
        let Some(number) = number(&window.arguments[1], row) else { return Ok(None) };
        if number <= 0 {
            return Err(Error::new(
                sqlstate::INVALID_ARGUMENT_FOR_NTH_VALUE,
                "argument of nth_value must be greater than zero",
            ));
        }
        Ok(parts.iter().cloned().flatten().nth(number as usize - 1))
    };
    of_frames(window, choose, out)
}
