//! Ordered-set aggregates: `percentile_disc`, `percentile_cont`, `mode`.

use arrow_array::Array;
use error::sqlstate;

use super::Aggregate;
use super::ordered::{Finish, OrderedSet, SortedRows};
use super::states::BytesColumn;
use crate::array::{ArrayBuilder, ArrayView, empty};
use crate::column::Argument;
use crate::datetime::Interval;
use crate::datum::{ColumnBuilder, Datum};
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::{self, Scalar};
use crate::sql::float8;

macro_rules! aggregate {
    ($name:literal, $arguments:expr, $result:ident, $finish:expr) => {
        Aggregate {
            name: $name,
            arguments: $arguments,
            result: oid::$result,
            decimals: false,
            start: |call| {
                const FINISH: Finish = $finish;
                OrderedSet::boxed(call, false, FINISH)
            },
        }
    };
}

const INTERVAL_ARRAY: Oid = 1187;
const OF_ANY: &[Oid] = &[oid::FLOAT8, oid::ANYELEMENT];
const ALL_OF_ANY: &[Oid] = &[oid::FLOAT8_ARRAY, oid::ANYELEMENT];
const OF_FLOAT: &[Oid] = &[oid::FLOAT8, oid::FLOAT8];
const ALL_OF_FLOAT: &[Oid] = &[oid::FLOAT8_ARRAY, oid::FLOAT8];
const OF_INTERVAL: &[Oid] = &[oid::FLOAT8, oid::INTERVAL];
const ALL_OF_INTERVAL: &[Oid] = &[oid::FLOAT8_ARRAY, oid::INTERVAL];

pub const AGGREGATES: &[Aggregate] = &[
    aggregate!("percentile_disc", OF_ANY, ANYELEMENT, |rows, direct, row, out| one(rows, direct, row, out, discrete)),
    aggregate!("percentile_disc", ALL_OF_ANY, ANYARRAY, |rows, direct, row, out| many(
        rows, direct, row, out, discrete
    )),
    aggregate!("percentile_cont", OF_FLOAT, FLOAT8, |rows, direct, row, out| one(rows, direct, row, out, continuous)),
    aggregate!("percentile_cont", ALL_OF_FLOAT, FLOAT8_ARRAY, |rows, direct, row, out| {
        many(rows, direct, row, out, continuous)
    }),
    aggregate!("percentile_cont", OF_INTERVAL, INTERVAL, |rows, direct, row, out| {
        one(rows, direct, row, out, continuous)
    }),
    Aggregate {
        name: "percentile_cont",
        arguments: ALL_OF_INTERVAL,
        result: INTERVAL_ARRAY,
        decimals: false,
        start: |call| OrderedSet::boxed(call, false, |rows, direct, row, out| many(rows, direct, row, out, continuous)),
    },
    aggregate!("mode", &[oid::ANYELEMENT], ANYELEMENT, mode),
];

/// The value at a part (0 to 1) of rows that are sorted.
type Percentile = fn(&SortedRows<'_>, sorted: &[usize], part: f64) -> Result<Datum>;

/// The least value that is not less than such a part of all.
fn discrete(rows: &SortedRows<'_>, sorted: &[usize], part: f64) -> Result<Datum> {
    let number = (part * sorted.len() as f64).ceil() as usize;
    let value = rows.value(sorted[number.max(1) - 1]);
    Ok(value.map_or(Datum::Null, |value| value.to_datum(rows.repr())))
}

/// What is between the two values next to it.
fn continuous(rows: &SortedRows<'_>, sorted: &[usize], part: f64) -> Result<Datum> {
    let place = part * (sorted.len() - 1) as f64;
    let value = |place: f64| rows.value(sorted[place as usize]);
    let (Some(low), Some(high)) = (value(place.floor()), value(place.ceil())) else { return Ok(Datum::Null) };
    if place.floor() == place.ceil() {
        return Ok(low.to_datum(rows.repr()));
    }
    let part = place - place.floor();
    match rows.repr() {
        Repr::Interval => {
            let [low, high] = [low, high].map(|v| Interval::from_bytes(v.bytes().try_into().expect("16 bytes")));
            Ok(Datum::bytes(high.minus(low)?.times(part)?.plus(low)?.to_bytes()))
        }
        _ => Ok(Datum::F64(low.float() + part * (high.float() - low.float()))),
    }
}

fn check(part: f64) -> Result<()> {
    if (0.0..=1.0).contains(&part) {
        return Ok(());
    }
    Err(Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("percentile value {} is not between 0 and 1", six_digits(part)),
    ))
}

/// As `%g` in PostgreSQL's own `snprintf`.
pub(crate) fn six_digits(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "NaN" } else { "Infinity" });
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a small number");
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match exponent {
        -4..6 => trim(&format!("{value:.*}", (5 - exponent) as usize)),
        _ => format!("{}e{}{:02}", trim(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

fn one(
    rows: &SortedRows<'_>,
    direct: &[Argument],
    row: usize,
    out: &mut ColumnBuilder,
    percentile: Percentile,
) -> Result<()> {
    let part = &direct[0];
    let (parts, at) = (part.of::<float8>(), part.index(row));
    let mut result = Datum::Null;
    if !parts.is_null(at) {
        check(parts.value(at))?;
        if rows.len() > 0 {
            result = percentile(rows, &rows.sorted(), parts.value(at))?;
        }
    }
    out.push(&result);
    Ok(())
}

/// An array of values for an array of parts, of its shape.
fn many(
    rows: &SortedRows<'_>,
    direct: &[Argument],
    row: usize,
    out: &mut ColumnBuilder,
    percentile: Percentile,
) -> Result<()> {
    let parts = BytesColumn::of(direct[0].array()).get(direct[0].index(row));
    let Some(parts) = parts.map(ArrayView::new).filter(|_| rows.len() > 0) else {
        out.push(&Datum::Null);
        return Ok(());
    };
    if parts.is_empty() {
        out.put_bytes(Some(&empty(rows.ty(), rows.repr())));
        return Ok(());
    }
    let sorted = rows.sorted();
    let mut values = ArrayBuilder::new(rows.ty(), rows.repr());
    parts.iter().flatten().try_for_each(|part| check(part.float()))?;
    for part in parts.iter() {
        match part {
            Some(part) => values.push_datum(&percentile(rows, &sorted, part.float())?)?,
            None => values.push(None)?,
        }
    }
    out.put_bytes(Some(&values.finish(parts.shape())?));
    Ok(())
}

/// The value that is there most often; of several such the first.
fn mode(rows: &SortedRows<'_>, _: &[Argument], _: usize, out: &mut ColumnBuilder) -> Result<()> {
    let sorted = rows.sorted();
    let mut best: Option<(usize, usize)> = None;
    for run in sorted.chunk_by(|&a, &b| rows.compare(a, b).is_eq()) {
        if best.is_none_or(|(length, _)| run.len() > length) {
            best = Some((run.len(), run[0]));
        }
    }
    let value: Option<Scalar<'_>> = best.and_then(|(_, row)| rows.value(row));
    scalar::append(out, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_messages() {
        let all = [(1.5, "1.5"), (-0.1, "-0.1"), (1e10, "1e+10"), (1234567.0, "1.23457e+06"), (100000.0, "100000")];
        for (value, text) in all {
            assert_eq!(six_digits(value), text);
        }
        assert_eq!([six_digits(f64::NAN), six_digits(-1e-7)], ["NaN", "-1e-07"]);
    }
}
