//! How the values of columns are spread, from a sample of the rows (PostgreSQL's `analyze.c`, `compute_scalar_stats`).

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use engine::{AnalyzedColumn, AnalyzedIndex, ColumnDef, Index, Sample, Table, TableDef};
use executor::facts::columns_of;
use types::scalar::Scalar;
use types::{Context, Oid, Repr, Result, compare};

use crate::output::Output;

/// Values of more bytes count as all different.
const TOO_WIDE: usize = 1024;

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

/// How values are spread that were found in some of so many rows. `target`: most common values and parts of the histogram, at most.
pub fn spread(
    values: &[ArrayRef],
    (ty, repr): (Oid, Repr),
    (rows, target): (f64, u16),
    context: &Context,
) -> Result<Option<AnalyzedColumn>> {
    let output = Output::new(ty, repr)?;
    Values::gather(values, repr, target.into()).analyze(rows, ty, |(batch, row)| {
        let mut text = Vec::new();
        output.text(context, &values[batch], row, &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    })
}

/// A row of the sample: its batch and its place there.
type Row = (usize, usize);

/// The values of a column in the sample.
struct Values {
    /// The statistics target.
    target: usize,
    rows: usize,
    nulls: usize,
    too_wide: usize,
    bytes: usize,
    /// Bytes that compare as the values do, and the number of the value's row among those that are not NULL.
    keys: Vec<(Vec<u8>, usize)>,
    /// Of each number.
    places: Vec<Row>,
}

/// A value that there is several times: how often, and its first place in the order.
#[derive(Clone, Copy)]
struct Common {
    count: usize,
    first: usize,
}

impl Values {
    fn gather(sample: &[ArrayRef], repr: Repr, target: usize) -> Values {
        let (keys, places) = (Vec::new(), Vec::new());
        let mut values = Values { target, rows: 0, nulls: 0, too_wide: 0, bytes: 0, keys, places };
        for (number, array) in sample.iter().enumerate() {
            let (array, repr) = general(array, repr);
            values.rows += array.len();
            for row in 0..array.len() {
                let Some(value) = Scalar::of(&*array, row) else {
                    values.nulls += 1;
                    continue;
                };
                let mut key = Vec::with_capacity(9);
                compare::append_key(repr, value, &mut key);
                values.bytes += key.len();
                if key.len() > TOO_WIDE {
                    values.too_wide += 1;
                    continue;
                }
                values.keys.push((key, values.places.len()));
                values.places.push((number, row));
            }
        }
        values.keys.sort();
        values
    }

    /// `None`: there are no rows.
    fn analyze(&self, total: f64, ty: Oid, text: impl Fn(Row) -> Result<String>) -> Result<Option<AnalyzedColumn>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let width = (self.bytes / (self.rows - self.nulls).max(1)) as i32;
        let null_fraction = self.nulls as f64 / self.rows as f64;
        if !compare::has_equality(ty) {
            return Ok(Some(AnalyzedColumn {
                null_fraction,
                width,
                distinct: 0.0,
                common: vec![],
                histogram: vec![],
                correlation: None,
            }));
        }
        let (groups, distinct) = self.groups();
        let distinct_values = self.distinct(&groups, distinct, total, null_fraction);
        let common = self.common(groups, distinct, distinct_values, total, null_fraction);
        let value = |key: usize| text(self.places[self.keys[key].1]);
        let most = common.iter().map(|c| Ok((value(c.first)?, c.count as f64 / self.rows as f64)));
        let ordered = compare::has_order(ty);
        let histogram = if ordered { self.histogram(&common, distinct) } else { vec![] };
        Ok(Some(AnalyzedColumn {
            null_fraction,
            width,
            distinct: distinct_values,
            common: most.collect::<Result<_>>()?,
            histogram: histogram.into_iter().map(value).collect::<Result<_>>()?,
            correlation: self.correlation().filter(|_| ordered),
        }))
    }

    /// Values that there are several times, and how many different ones there are.
    fn groups(&self) -> (Vec<Common>, usize) {
        let (mut groups, mut distinct, mut first) = (Vec::new(), 0, 0);
        for at in 1..=self.keys.len() {
            if at == self.keys.len() || self.keys[at].0 != self.keys[first].0 {
                distinct += 1;
                if at - first > 1 {
                    groups.push(Common { count: at - first, first });
                }
                first = at;
            }
        }
        (groups, distinct)
    }

    /// How many different values the table has, as `pg_statistic` says it (Haas and Stokes).
    fn distinct(&self, groups: &[Common], distinct: usize, total: f64, null_fraction: f64) -> f64 {
        let repeated = groups.len();
        if repeated == 0 {
            // Whatever there is, is unique.
            return -(1.0 - null_fraction);
        }
        let estimate = if self.too_wide == 0 && repeated == distinct {
            distinct as f64
        } else {
            let once = (distinct - repeated + self.too_wide) as f64;
            let seen = once + repeated as f64;
            let (n, all) = ((self.rows - self.nulls) as f64, total * (1.0 - null_fraction));
            let estimate = if all > 0.0 { n * seen / ((n - once) + once * n / all) } else { 0.0 };
            estimate.clamp(seen, all.max(seen)).round()
        };
        if estimate > 0.1 * total { -(estimate / total) } else { estimate }
    }

    /// The most common values, most common first.
    fn common(&self, mut groups: Vec<Common>, distinct: usize, estimate: f64, total: f64, nulls: f64) -> Vec<Common> {
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        let complete = groups.len() == distinct && self.too_wide == 0 && estimate > 0.0 && distinct <= self.target;
        groups.truncate(self.target);
        if !complete {
            let keep = self.worth_keeping(&groups, estimate, total, nulls);
            groups.truncate(keep);
        }
        groups
    }

    /// How many of the most common values are clearly more common than the others (`analyze_mcv_list`).
    fn worth_keeping(&self, groups: &[Common], estimate: f64, total: f64, null_fraction: f64) -> usize {
        let (n, all) = (self.rows as f64, total);
        if n >= all || all <= 1.0 {
            return groups.len();
        }
        let distinct = if estimate < 0.0 { -estimate * all } else { estimate };
        let mut keep = groups.len();
        let mut above: f64 = groups.iter().take(keep.saturating_sub(1)).map(|group| group.count as f64).sum();
        while keep > 0 {
            let others = distinct - (keep - 1) as f64;
            let rest = (1.0 - above / n - null_fraction).clamp(0.0, 1.0);
            let each = if others > 1.0 { rest / others } else { rest };
            let count = groups[keep - 1].count as f64;
            let expected = all * count / n;
            let variance = n * expected * (all - expected) * (all - n) / (all * all * (all - 1.0));
            if count > each * n + 2.0 * variance.max(0.0).sqrt() + 0.5 {
                break;
            }
            keep -= 1;
            if keep > 0 {
                above -= groups[keep - 1].count as f64;
            }
        }
        keep
    }

    /// The values that cut all but the most common ones into equal parts.
    fn histogram(&self, common: &[Common], distinct: usize) -> Vec<usize> {
        let bounds = (distinct - common.len()).min(self.target + 1);
        if bounds < 2 {
            return Vec::new();
        }
        let mut taken: Vec<_> = common.iter().map(|group| group.first..group.first + group.count).collect();
        taken.sort_by_key(|range| range.start);
        let mut rest = Vec::with_capacity(self.keys.len());
        let mut at = 0;
        for range in taken {
            rest.extend(at..range.start);
            at = range.end;
        }
        rest.extend(at..self.keys.len());
        (0..bounds).map(|bound| rest[bound * (rest.len() - 1) / (bounds - 1)]).collect()
    }

    /// How much the rows' order is the values' order.
    fn correlation(&self) -> Option<f64> {
        let n = self.keys.len() as f64;
        if self.keys.len() < 2 {
            return None;
        }
        let products: f64 = self.keys.iter().enumerate().map(|(at, (_, row))| at as f64 * *row as f64).sum();
        let sum = (n - 1.0) * n / 2.0;
        let squares = (n - 1.0) * n * (2.0 * n - 1.0) / 6.0;
        Some((n * products - sum * sum) / (n * squares - sum * sum))
    }
}

/// A column as values are compared.
fn general(column: &ArrayRef, repr: Repr) -> (ArrayRef, Repr) {
    match repr {
        Repr::Decimal { .. } => {
            let numbers = types::decimal::to_numeric(column.as_primitive::<Decimal128Type>());
            (std::sync::Arc::new(numbers), Repr::Numeric)
        }
        repr => (column.clone(), repr),
    }
}
