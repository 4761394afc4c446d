//! What ANALYZE has found out, from rows of `pg_statistic` and `pg_class`.

use catalog::Catalog;
use catalog::catalogs::{AnyArray, PgClass, PgStatistic};
use types::Oid;

use crate::catalog::rows::statistic::{COMMON, CORRELATION, HISTOGRAM};
use crate::catalog::{Analyzed, AnalyzedColumn, AnalyzedIndex, IndexDef, TableDef};

/// `None`: the table was not analyzed since it was last emptied or written anew.
pub fn analyzed(catalog: Catalog<'_>, relation: &PgClass, table: &TableDef) -> Option<Analyzed> {
    // What was never counted has -1.
    if relation.reltuples < 0.0 {
        return None;
    }
    let rows = f64::from(relation.reltuples);
    let columns = (1..).zip(&table.columns).map(|(number, _)| column(catalog, (table.oid, number)));
    let computing = table.indexes.iter().filter(|index| index.is_computed());
    Some(Analyzed {
        pages: relation.relpages as u32,
        rows,
        all_visible: relation.relallvisible as u32,
        columns: columns.collect(),
        indexes: computing.filter_map(|found| index(catalog, rows, found)).collect(),
    })
}

fn index(catalog: Catalog<'_>, rows: f64, index: &IndexDef) -> Option<AnalyzedIndex> {
    let tuples = f64::from(catalog.relation(index.oid)?.reltuples);
    let part = if rows > 0.0 && tuples >= 0.0 { (tuples / rows).min(1.0) } else { 1.0 };
    let expressions = (1..).zip(&index.columns).filter(|(_, column)| column.key.expression().is_some());
    let expressions = expressions.map(|(number, _)| column(catalog, (index.oid, number)));
    Some(AnalyzedIndex { oid: index.oid, part, expressions: expressions.collect() })
}

fn column(catalog: Catalog<'_>, (relation, number): (Oid, i16)) -> Option<AnalyzedColumn> {
    let row = catalog.statistic((relation, number, false))?;
    let slots = slots(row);
    let slot = |kind: i16| slots.iter().find(|slot| slot.0 == kind);
    let values = |array: Option<&AnyArray>| -> Vec<String> {
        array.map(|array| array.values.iter().map(|value| value.to_string()).collect()).unwrap_or_default()
    };
    let numbers = |numbers: Option<&[f32]>| -> Vec<f64> {
        numbers.unwrap_or_default().iter().map(|number| f64::from(*number)).collect()
    };
    let common = slot(COMMON).map(|(_, parts, common)| values(*common).into_iter().zip(numbers(*parts)).collect());
    Some(AnalyzedColumn {
        null_fraction: f64::from(row.stanullfrac),
        width: row.stawidth,
        distinct: f64::from(row.stadistinct),
        common: common.unwrap_or_default(),
        histogram: slot(HISTOGRAM).map(|(_, _, bounds)| values(*bounds)).unwrap_or_default(),
        correlation: slot(CORRELATION).and_then(|(_, found, _)| numbers(*found).first().copied()),
    })
}

type Slot<'a> = (i16, Option<&'a [f32]>, Option<&'a AnyArray>);

fn slots(row: &PgStatistic) -> [Slot<'_>; 5] {
    [
        (row.stakind1, row.stanumbers1.as_deref(), row.stavalues1.as_ref()),
        (row.stakind2, row.stanumbers2.as_deref(), row.stavalues2.as_ref()),
        (row.stakind3, row.stanumbers3.as_deref(), row.stavalues3.as_ref()),
        (row.stakind4, row.stanumbers4.as_deref(), row.stavalues4.as_ref()),
        (row.stakind5, row.stanumbers5.as_deref(), row.stavalues5.as_ref()),
    ]
}
