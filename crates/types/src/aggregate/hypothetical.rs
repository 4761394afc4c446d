//! Hypothetical-set aggregates: where a row would stand among a group's. The direct arguments are that row.

use std::cmp::Ordering;

use super::Aggregate;
use super::ordered::{Finish, OrderedSet, SortedRows};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::oid;
use crate::scalar::Scalar;
use crate::sql::{float8, int8};

macro_rules! aggregate {
    ($name:literal, $result:ident, $finish:expr) => {
        Aggregate {
            name: $name,
            arguments: &[oid::ANY],
            result: oid::$result,
            decimals: false,
            start: |call| {
                const FINISH: Finish = $finish;
                OrderedSet::boxed(call, true, FINISH)
            },
        }
    };
}

pub const AGGREGATES: &[Aggregate] = &[
    aggregate!("rank", INT8, |rows, direct, row, out| {
        put_count(out, 1 + rows_that(rows, direct, row, Ordering::is_lt).len())
    }),
    aggregate!("dense_rank", INT8, |rows, direct, row, out| {
        let mut before = rows_that(rows, direct, row, Ordering::is_lt);
        before.sort_by(|&a, &b| rows.compare(a, b));
        before.dedup_by(|a, b| rows.compare(*a, *b).is_eq());
        put_count(out, 1 + before.len())
    }),
    aggregate!("percent_rank", FLOAT8, |rows, direct, row, out| {
        let before = rows_that(rows, direct, row, Ordering::is_lt).len();
        put_part(out, before, rows.len())
    }),
    aggregate!("cume_dist", FLOAT8, |rows, direct, row, out| {
        let until = rows_that(rows, direct, row, Ordering::is_le).len();
        put_part(out, 1 + until, 1 + rows.len())
    }),
];

/// The rows whose order to the hypothetical one is such.
fn rows_that(rows: &SortedRows<'_>, direct: &[Argument], row: usize, accept: fn(Ordering) -> bool) -> Vec<usize> {
    let value = |column: usize| {
        let argument = &direct[column];
        Scalar::of(argument.array(), argument.index(row))
    };
    (0..rows.len()).filter(|&each| accept(rows.compare_with(each, value))).collect()
}

fn put_count(out: &mut ColumnBuilder, count: usize) -> crate::Result<()> {
    out.put::<int8, _>(Some(count as i64));
    Ok(())
}

fn put_part(out: &mut ColumnBuilder, part: usize, whole: usize) -> crate::Result<()> {
    out.put::<float8, _>(Some(if whole == 0 { 0.0 } else { part as f64 / whole as f64 }));
    Ok(())
}
