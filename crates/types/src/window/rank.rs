//! Window functions that count: numbers of rows and of groups of peers.

use arrow_array::Array;
use error::sqlstate;

use super::{Reach, Window, WindowFunction};
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::sql::*;

pub const FUNCTIONS: &[WindowFunction] = &[
    counting("row_number", Reach::Rows, |window, out| each(window, |row| 1 + row, out)),
    counting("rank", Reach::RowsOfGroups, |window, out| each(window, |row| 1 + before(window, row), out)),
    counting("dense_rank", Reach::Groups, |window, out| {
        let first = window.partition.rows().start;
        each(window, |row| 1 + window.partition.group(first + row), out)
    }),
    function("percent_rank", &[], oid::FLOAT8, |window, out| {
        let others = window.partition.rows().len().saturating_sub(1).max(1);
        each_part(window, |row| before(window, row), others, out)
    }),
    function("cume_dist", &[], oid::FLOAT8, |window, out| {
        let rows = window.partition.rows();
        each_part(window, |row| window.partition.peers(rows.start + row).end - rows.start, rows.len(), out)
    }),
    function("ntile", &[oid::INT4], oid::INT4, ntile),
];

type Evaluate = fn(&Window<'_>, &mut ColumnBuilder) -> Result<()>;

const fn function(name: &'static str, arguments: &'static [Oid], result: Oid, evaluate: Evaluate) -> WindowFunction {
    WindowFunction { name, arguments, result, framed: false, reach: Reach::Partition, evaluate }
}

const fn counting(name: &'static str, reach: Reach, evaluate: Evaluate) -> WindowFunction {
    WindowFunction { name, arguments: &[], result: oid::INT8, framed: false, reach, evaluate }
}

/// Rows before a row's peers. Rows count from 0 here.
fn before(window: &Window<'_>, row: usize) -> usize {
    let first = window.partition.rows().start;
    window.partition.peers(first + row).start - first
}

fn each(window: &Window<'_>, number: impl Fn(usize) -> usize, out: &mut ColumnBuilder) -> Result<()> {
    for row in 0..window.partition.rows().len() {
        out.put::<int8, _>(Some(number(row) as i64));
    }
    Ok(())
}

fn each_part(window: &Window<'_>, part: impl Fn(usize) -> usize, whole: usize, out: &mut ColumnBuilder) -> Result<()> {
    for row in 0..window.partition.rows().len() {
        out.put::<float8, _>(Some(part(row) as f64 / whole as f64));
    }
    Ok(())
}

/// Equal parts; the first ones have a row more if there are rows left. How many there are, the first row says in which that
/// is not NULL.
fn ntile(window: &Window<'_>, out: &mut ColumnBuilder) -> Result<()> {
    let rows = window.partition.rows();
    let (counts, count_at) = (window.arguments[0].of::<int4>(), &window.arguments[0]);
    let given = |row: &usize| !counts.is_null(count_at.index(*row));
    let first = rows.clone().find(given).unwrap_or(rows.end);
    for _ in rows.start..first {
        out.put::<int4, i32>(None);
    }
    if first == rows.end {
        return Ok(());
    }
    let count = counts.value(count_at.index(first));
    if count <= 0 {
        return Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_NTILE, "argument of ntile must be greater than zero"));
    }
    let (size, larger) = (rows.len() / count as usize, rows.len() % count as usize);
    for row in 0..rows.end - first {
        let in_larger = larger * (size + 1);
        // Where there are more parts than rows, all rows are in larger ones.
        let tile = if row < in_larger { row / (size + 1) } else { larger + (row - in_larger) / size.max(1) };
        out.put::<int4, _>(Some(tile as i32 + 1));
    }
    Ok(())
}
