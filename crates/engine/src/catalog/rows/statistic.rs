//! What ANALYZE has found out, as rows of `pg_statistic`: one for each column, and each expression of an index. Slots are filled
//! in PostgreSQL's order, and by its rules what a slot has: the most common values, a histogram of the others, how much the
//! rows' order is the values'.

use catalog::catalogs::{AnyArray, PgStatistic};
use catalog::{Catalog, strategy};
use types::{Oid, oid};

use super::prototype::{collation, owned};
use crate::catalog::{AnalyzedColumn, TableDef};
use crate::column_type::ColumnType;

/// `STATISTIC_KIND_MCV`, `_HISTOGRAM` and `_CORRELATION`.
pub const COMMON: i16 = 1;
pub const HISTOGRAM: i16 = 2;
pub const CORRELATION: i16 = 3;

/// The rows of a table's columns and of its indexes' expressions.
pub fn rows(table: &TableDef) -> Vec<PgStatistic> {
    let mut statistics = Vec::new();
    let Some(analyzed) = &table.analyzed else { return statistics };
    for ((number, column), kept) in (1..).zip(&table.columns).zip(&analyzed.columns) {
        statistics.extend(kept.as_ref().map(|kept| row((table.oid, number), column.ty, kept)));
    }
    for index in &table.indexes {
        let Some(kept) = analyzed.index(index.oid) else { continue };
        let expressions =
            (1..).zip(&index.columns).filter_map(|(number, column)| Some((number, column.key.expression()?)));
        for ((number, expression), kept) in expressions.zip(&kept.expressions) {
            statistics.extend(kept.as_ref().map(|kept| row((index.oid, number), expression.ty, kept)));
        }
    }
    statistics
}

#[derive(Default)]
struct Slot {
    kind: i16,
    operator: Oid,
    collation: Oid,
    numbers: Option<Box<[f32]>>,
    values: Option<AnyArray>,
}

fn row((relation, number): (Oid, i16), ty: ColumnType, kept: &AnalyzedColumn) -> PgStatistic {
    let mut slots = slots(ty, kept).into_iter();
    let [a, b, c, d, e] = std::array::from_fn(|_| slots.next().unwrap_or_default());
    PgStatistic {
        starelid: relation,
        staattnum: number,
        stainherit: false,
        stanullfrac: kept.null_fraction as f32,
        stawidth: kept.width,
        stadistinct: kept.distinct as f32,
        stakind1: a.kind,
        stakind2: b.kind,
        stakind3: c.kind,
        stakind4: d.kind,
        stakind5: e.kind,
        staop1: a.operator,
        staop2: b.operator,
        staop3: c.operator,
        staop4: d.operator,
        staop5: e.operator,
        stacoll1: a.collation,
        stacoll2: b.collation,
        stacoll3: c.collation,
        stacoll4: d.collation,
        stacoll5: e.collation,
        stanumbers1: a.numbers,
        stanumbers2: b.numbers,
        stanumbers3: c.numbers,
        stanumbers4: d.numbers,
        stanumbers5: e.numbers,
        stavalues1: a.values,
        stavalues2: b.values,
        stavalues3: c.values,
        stavalues4: d.values,
        stavalues5: e.values,
    }
}

fn slots(ty: ColumnType, kept: &AnalyzedColumn) -> Vec<Slot> {
    let slot = |kind: i16, meaning: i16| Slot {
        kind,
        operator: operator(ty.value.0, meaning),
        collation: collation(ty.value.0),
        ..Slot::default()
    };
    let mut slots = Vec::new();
    let array = |values: &mut dyn Iterator<Item = &String>| {
        Some(AnyArray { element: ty.oid, values: values.map(|value| owned(value)).collect() })
    };
    if !kept.common.is_empty() {
        let numbers = Some(kept.common.iter().map(|(_, part)| *part as f32).collect());
        let values = array(&mut kept.common.iter().map(|(value, _)| value));
        slots.push(Slot { numbers, values, ..slot(COMMON, strategy::EQUAL) });
    }
    if !kept.histogram.is_empty() {
        slots.push(Slot { values: array(&mut kept.histogram.iter()), ..slot(HISTOGRAM, strategy::LESS) });
    }
    if let Some(correlation) = kept.correlation {
        slots.push(Slot { numbers: Some(Box::new([correlation as f32])), ..slot(CORRELATION, strategy::LESS) });
    }
    slots
}

/// The operator that a slot's values are compared with.
fn operator(ty: Oid, meaning: i16) -> Oid {
    let comparison = Catalog::BUILT_IN.comparison(ty);
    let operator = if meaning == strategy::EQUAL { comparison.equal } else { comparison.less };
    operator.unwrap_or(oid::INVALID)
}
