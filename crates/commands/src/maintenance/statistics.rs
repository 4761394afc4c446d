//! How the values of columns are spread, from a sample of the rows (PostgreSQL's `analyze.c`, `compute_scalar_stats`).

use arrow_array::ArrayRef;
use engine::{AnalyzedColumn, AnalyzedIndex, ColumnDef, Index, Sample, Table, TableDef};
use executor::facts::columns_of;
use session::spread;
use types::{Context, Result};

/// The greatest statistics target of what ANALYZE looks at; 0: of nothing.
pub fn greatest_target(table: &TableDef, default: u16) -> u16 {
    let columns = table.live_columns().map(|(_, column)| column.statistics_target);
    let expressions = table.indexes.iter().flat_map(|index| index.expressions());
    let all = columns.chain(expressions.map(|expression| expression.statistics_target));
    all.map(|target| target.unwrap_or(default)).max().unwrap_or(default)
}

/// By the position of the column; one with a target of 0 keeps what was known of it.
pub fn columns(
    table: &TableDef,
    sample: &Sample,
    default_target: u16,
    context: &Context,
) -> Result<Vec<Option<AnalyzedColumn>>> {
    let facts = columns_of(table)?;
    let before = table.analyzed.as_ref().map(|analyzed| analyzed.columns.as_slice()).unwrap_or_default();
    let each = facts.iter().zip(&table.columns).enumerate();
    each.map(|(at, (facts, def))| {
        if def.dropped {
            return Ok(None);
        }
        let target = def.statistics_target.unwrap_or(default_target);
        if target == 0 {
            return Ok(before.get(at).cloned().flatten());
        }
        let values: Vec<ArrayRef> = sample.sample.iter().map(|batch| batch.column(at).clone()).collect();
        let spread = spread(&values, (def.ty.oid, facts.repr), (sample.rows, target), context)?;
        Ok(spread.map(|found| AnalyzedColumn { distinct: said_distinct(def).unwrap_or(found.distinct), ..found }))
    })
    .collect()
}

/// How many different values a column has, if ALTER COLUMN … SET says that; 0 says nothing.
fn said_distinct(def: &ColumnDef) -> Option<f64> {
    let (_, value) = def.options.iter().find(|(name, _)| name == "n_distinct")?;
    value.parse().ok().filter(|distinct| *distinct != 0.0)
}

/// The indexes that compute something: how many rows are in them, and how the values of their expressions are spread.
pub fn indexes(
    table: &Table,
    sample: &Sample,
    default_target: u16,
    context: &Context,
) -> engine::Result<Vec<AnalyzedIndex>> {
    let before = |index: &Index| table.def.analyzed.as_ref().and_then(|analyzed| analyzed.index(index.def.oid));
    let computed = table.indexes.iter().filter(|index| index.def.is_computed());
    computed.map(|index| of_index(index, before(index), sample, default_target, context)).collect()
}

fn of_index(
    index: &Index,
    before: Option<&AnalyzedIndex>,
    sample: &Sample,
    default_target: u16,
    context: &Context,
) -> engine::Result<AnalyzedIndex> {
    let (mut rows, mut kept) = (0, 0);
    let mut values: Vec<Vec<ArrayRef>> = vec![Vec::new(); index.def.expressions().count()];
    for batch in &sample.sample {
        let keyed = index.keys.of_batch(|column| batch.column(column), batch.num_rows())?;
        rows += batch.num_rows();
        kept += keyed.len();
        values.iter_mut().zip(keyed.computed).for_each(|(all, values)| all.push(values));
    }
    let part = if rows == 0 { 1.0 } else { kept as f64 / rows as f64 };
    let mut expressions = Vec::with_capacity(values.len());
    for (at, (expression, values)) in index.def.expressions().zip(&values).enumerate() {
        let ty = (expression.ty.oid, expression.repr()?);
        expressions.push(match expression.statistics_target.unwrap_or(default_target) {
            0 => before.and_then(|before| before.expressions.get(at).cloned().flatten()),
            target => spread(values, ty, (sample.rows * part, target), context)?,
        });
    }
    Ok(AnalyzedIndex { oid: index.def.oid, part, expressions })
}
