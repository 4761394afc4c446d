//! How values are spread: the most common ones, a histogram of the others, and how far they lie in order (PostgreSQL's
//! `compute_scalar_stats`). ANALYZE asks for it of samples, and [`crate::environment::catalog_statistics`] of the built-in catalogs.

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use engine::AnalyzedColumn;
use types::scalar::Scalar;
use types::{Context, Oid, Repr, Result, compare};

use crate::client::output::Output;

/// Values of more bytes count as all different.
const TOO_WIDE: usize = 1024;

/// How values are spread that were found in some of so many rows. `target`: most common values and parts of the histogram, at most.
pub fn spread(
    values: &[ArrayRef],
    (ty, repr): (Oid, Repr),
    (rows, target): (f64, u16),
    context: &Context,
) -> Result<Option<AnalyzedColumn>> {
    let output = Output::new(&*context.names, ty, repr)?;
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
