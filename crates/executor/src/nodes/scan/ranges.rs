//! From an index scan's conditions to ranges of the index's keys, and what of their entries passes: PostgreSQL's scan keys.

use std::ops::Range;
use std::sync::Arc;

use access::index::key::after_prefix;
use access::index::{KeyFilter, KeyShape, PartCondition};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use catalog::strategy;
use engine::KeyRange;
use expression::ExprState;
use plan::plan::IndexCondition;
use types::array::ArrayView;
use types::array::column::to_column;
use types::{Argument, Context, Datum, Repr};

use crate::compile::facts::IndexFacts;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::nodes::scan::place::{Place, place_in_zone};
use crate::run::estate::Run;

/// More ranges than this are not made of lists on several columns.
const MOST: usize = 65_536;

/// The first byte of a value's part of a key; NULL's is 0 or 2.
const VALUE: u8 = 1;

pub struct Ranges {
    /// How the columns of the index's key lie.
    reprs: Vec<Repr>,
    /// What the conditions compare with.
    values: Vec<ExprState>,
    alternatives: Vec<Vec<Condition>>,
    /// The ranges may have entries that do not satisfy the conditions.
    lossy: bool,
}

/// Values are named by their places among the ranges' values.
enum Condition {
    Compare { column: usize, strategy: i16, value: usize },
    Any { column: usize, strategy: i16, array: usize },
    Row { column: usize, strategy: i16, values: Range<usize> },
    IsNull { column: usize },
    IsNotNull { column: usize },
}

impl Condition {
    fn column(&self) -> usize {
        match self {
            Condition::Compare { column, .. } | Condition::Any { column, .. } | Condition::Row { column, .. } => {
                *column
            }
            Condition::IsNull { column } | Condition::IsNotNull { column } => *column,
        }
    }

    /// The column has one of some values.
    fn is_equality(&self) -> bool {
        match self {
            Condition::Compare { strategy, .. } | Condition::Any { strategy, .. } => *strategy == strategy::EQUAL,
            Condition::IsNull { .. } => true,
            Condition::Row { .. } | Condition::IsNotNull { .. } => false,
        }
    }
}

/// One part of the ranges is not known, or nothing satisfies the conditions.
enum Part {
    Values(Vec<Vec<u8>>),
    Unknown,
}

impl Ranges {
    pub fn compile(
        compiler: &Compiler<'_>,
        facts: &IndexFacts,
        alternatives: &[Vec<IndexCondition>],
        layout: &Layout,
    ) -> types::Result<Ranges> {
        let mut values = Vec::new();
        let mut place = |expr: &analyze::query::Expr| {
            values.push(compiler.expr(expr, layout)?);
            Ok(values.len() - 1)
        };
        let mut condition = |condition: &IndexCondition| {
            Ok(match condition {
                IndexCondition::Compare { column, strategy, value, .. } => {
                    Condition::Compare { column: *column, strategy: *strategy, value: place(value)? }
                }
                IndexCondition::Any { column, strategy, array, .. } => {
                    Condition::Any { column: *column, strategy: *strategy, array: place(array)? }
                }
                IndexCondition::Row { column, strategy, values, .. } => {
                    let places = values.iter().map(&mut place).collect::<types::Result<Vec<_>>>()?;
                    let values = places.first().map_or(0..0, |first| *first..first + places.len());
                    Condition::Row { column: *column, strategy: *strategy, values }
                }
                IndexCondition::IsNull { column } => Condition::IsNull { column: *column },
                IndexCondition::IsNotNull { column } => Condition::IsNotNull { column: *column },
            })
        };
        let list = |list: &Vec<IndexCondition>| list.iter().map(&mut condition).collect::<types::Result<Vec<_>>>();
        let alternatives = alternatives.iter().map(list).collect::<types::Result<Vec<_>>>()?;
        let reprs = facts.keys.clone();
        let lossy = alternatives.iter().any(|list| is_lossy(list, reprs.len()));
        Ok(Ranges { reprs, values, alternatives, lossy })
    }

    /// The ranges, each entry in one of them, in ascending order; and whether they may have too many entries.
    pub async fn evaluate(&self, keys: &KeyShape, run: &Run) -> Result<(Vec<KeyRange>, bool)> {
        let mut values = Vec::with_capacity(self.values.len());
        for value in &self.values {
            values.push(Argument::constant(evaluate_one(value, run).await?));
        }
        self.of_row(keys, &values, 0, &run.execution.context)
    }

    /// May they have entries that do not satisfy the conditions, whatever the values are?
    pub fn are_lossy(&self) -> bool {
        self.lossy
    }

    /// May they have to wait for a value?
    pub fn wait(&self) -> bool {
        self.values.iter().any(ExprState::waits)
    }

    /// What the conditions compare with for each of so many rows, which give it these columns.
    pub fn values(&self, columns: &[ArrayRef], rows: usize, run: &Run) -> types::Result<Vec<Argument>> {
        self.values.iter().map(|value| value.evaluate(columns, rows, &run.execution)).collect()
    }

    /// The ranges for the values of a row, as [`Ranges::evaluate`] gives them.
    pub fn of_row(
        &self,
        keys: &KeyShape,
        values: &[Argument],
        row: usize,
        context: &Context,
    ) -> Result<(Vec<KeyRange>, bool)> {
        let conditions = RowConditions { ranges: self, keys, values, row, context };
        let mut all = Vec::new();
        let mut lossy = self.lossy;
        for list in &self.alternatives {
            lossy |= conditions.of_list(list, &mut all)?;
        }
        all.sort_by(|a: &KeyRange, b| a.from.cmp(&b.from));
        let mut apart: Vec<KeyRange> = Vec::with_capacity(all.len());
        for range in all {
            match apart.last_mut() {
                Some(last) if last.to.as_ref().is_none_or(|end| *end > range.from) => {
                    last.to = last.to.take().zip(range.to).map(|(a, b)| a.max(b));
                    if last.filter != range.filter {
                        last.filter = None;
                    }
                }
                _ => apart.push(range),
            }
        }
        Ok((apart, lossy))
    }
}

/// The conditions with the values of a row.
struct RowConditions<'a> {
    ranges: &'a Ranges,
    keys: &'a KeyShape,
    values: &'a [Argument],
    row: usize,
    context: &'a Context,
}

impl RowConditions<'_> {
    /// A value, and how it lies.
    fn datum(&self, value: usize) -> (Datum, Repr) {
        let argument = &self.values[value];
        (Datum::of(argument.array(), argument.index(self.row)), self.ranges.values[value].repr())
    }

    /// Adds the ranges of one list of conditions; gives whether they may have too many entries.
    fn of_list(&self, list: &[Condition], all: &mut Vec<KeyRange>) -> Result<bool> {
        let mut prefixes = vec![Vec::new()];
        let mut column = 0;
        while let Some(condition) = list.iter().find(|c| c.column() == column && c.is_equality()) {
            let values = match self.equal(condition, column)? {
                Part::Unknown => break,
                Part::Values(values) => values,
            };
            if values.len() * prefixes.len() > MOST {
                break;
            }
            let longer = prefixes.iter().flat_map(|prefix: &Vec<u8>| values.iter().map(|v| [&prefix[..], v].concat()));
            prefixes = longer.collect();
            column += 1;
        }
        let used_equalities = column;
        let mut bounds = Bounds::default();
        let mut unknown = list.iter().any(|c| c.is_equality() && c.column() >= used_equalities);
        for condition in list.iter().filter(|c| c.column() == column && !c.is_equality()) {
            unknown |= !self.bound(condition, column, &mut bounds)?;
        }
        let further = |c: &&Condition| c.column() > column || c.column() == column && c.is_equality();
        if bounds.nothing {
            return Ok(unknown);
        }
        let Some(filter) = self.filter(list.iter().filter(further))? else { return Ok(unknown) };
        for prefix in prefixes {
            let with = |end: &[u8]| [&prefix[..], end].concat();
            let (from, to) = match bounds.any {
                false => (prefix.clone(), after_prefix(&prefix)),
                true => {
                    let from = with(bounds.from.as_deref().unwrap_or(&[VALUE]));
                    (from, Some(with(bounds.to.as_deref().unwrap_or(&[VALUE + 1]))))
                }
            };
            if to.as_ref().is_none_or(|to| from < *to) {
                all.push(KeyRange { from, to, filter: filter.clone() });
            }
        }
        Ok(unknown)
    }

    /// What conditions say of columns that ranges say nothing of; the outer `None`: no entry satisfies them.
    fn filter<'c>(&self, conditions: impl Iterator<Item = &'c Condition>) -> Result<Option<Option<Arc<KeyFilter>>>> {
        let mut parts = Vec::new();
        for condition in conditions {
            let column = condition.column();
            // A part begins with a byte that is no 255.
            let equal = |part: Vec<u8>| after_prefix(&part).map(|after| (part, after));
            let ranges = match condition.is_equality() {
                true => match self.equal(condition, column)? {
                    Part::Unknown => continue,
                    Part::Values(values) => values.into_iter().filter_map(equal).collect(),
                },
                false => {
                    let mut bounds = Bounds::default();
                    if !self.bound(condition, column, &mut bounds)? {
                        continue;
                    }
                    let (from, to) = (bounds.from.unwrap_or(vec![VALUE]), bounds.to.unwrap_or(vec![VALUE + 1]));
                    if bounds.nothing || from >= to { Vec::new() } else { vec![(from, to)] }
                }
            };
            if ranges.is_empty() {
                return Ok(None);
            }
            parts.push(PartCondition { column, ranges });
        }
        Ok(Some(KeyFilter::new(self.keys, parts).map(Arc::new)))
    }

    /// The parts of keys that a column's value may be.
    fn equal(&self, condition: &Condition, column: usize) -> Result<Part> {
        Ok(match condition {
            Condition::IsNull { .. } => {
                let mut part = Vec::new();
                self.keys.columns[column].encode(&mut part, None);
                Part::Values(vec![part])
            }
            Condition::Compare { value, .. } => {
                let (value, from) = self.datum(*value);
                self.parts(std::iter::once(value), from, column)
            }
            Condition::Any { array, .. } => match self.elements(*array)? {
                Some((elements, from)) => {
                    self.parts((0..elements.len()).map(|at| Datum::of(&elements, at)), from, column)
                }
                // Nothing is equal to any of it.
                None => Part::Values(Vec::new()),
            },
            Condition::Row { .. } | Condition::IsNotNull { .. } => Part::Unknown,
        })
    }

    /// Where a value lies among those of a column.
    fn place(&self, value: &Datum, from: Repr, column: usize) -> Place {
        place_in_zone(self.context, value, from, self.ranges.reprs[column])
    }

    /// The parts of keys that have one of these values.
    fn parts(&self, values: impl Iterator<Item = Datum>, from: Repr, column: usize) -> Part {
        let mut parts = Vec::with_capacity(values.size_hint().0);
        for value in values.filter(|value| !value.is_null()) {
            match self.place(&value, from, column) {
                Place::At(bytes) => {
                    let mut part = Vec::new();
                    self.keys.columns[column].encode(&mut part, Some(&bytes));
                    parts.push(part);
                }
                Place::Unknown => return Part::Unknown,
                Place::After(_) | Place::Below | Place::Above => {}
            }
        }
        parts.sort_unstable();
        parts.dedup();
        Part::Values(parts)
    }

    /// The elements of an array, and how they lie; `None`: it is NULL.
    fn elements(&self, array: usize) -> Result<Option<(ArrayRef, Repr)>> {
        let argument = &self.values[array];
        let (arrays, at) = (argument.array().as_binary::<i32>(), argument.index(self.row));
        if arrays.is_null(at) {
            return Ok(None);
        }
        let view = ArrayView::new(arrays.value(at));
        Ok(Some((to_column(&view)?, view.repr())))
    }

    /// Narrows the range of a column; `false`: it does not know how.
    fn bound(&self, condition: &Condition, column: usize, bounds: &mut Bounds) -> Result<bool> {
        match condition {
            Condition::IsNotNull { .. } => {
                bounds.any = true;
                Ok(true)
            }
            Condition::Compare { strategy, value, .. } => {
                let (value, from) = self.datum(*value);
                Ok(self.compare((&value, from), *strategy, column, bounds))
            }
            Condition::Row { strategy, values, .. } => Ok(self.row(values.clone(), *strategy, column, bounds)),
            Condition::Any { strategy, array, .. } => {
                let Some((values, repr)) = self.elements(*array)? else {
                    bounds.nothing = true;
                    return Ok(true);
                };
                let mut widest = Bounds { nothing: true, ..Bounds::default() };
                for row in (0..values.len()).filter(|&row| values.is_valid(row)) {
                    let mut one = Bounds::default();
                    if !self.compare((&Datum::of(&values, row), repr), *strategy, column, &mut one) {
                        return Ok(false);
                    }
                    widest.or(one);
                }
                bounds.and(widest);
                Ok(true)
            }
            Condition::IsNull { .. } => Ok(false),
        }
    }

    fn compare(&self, (value, from): (&Datum, Repr), strategy: i16, column: usize, bounds: &mut Bounds) -> bool {
        bounds.any = true;
        if value.is_null() {
            bounds.nothing = true;
            return true;
        }
        let less = matches!(strategy, strategy::LESS | strategy::LESS_EQUAL);
        let (bytes, strategy) = match self.place(value, from, column) {
            Place::At(bytes) => (bytes, strategy),
            Place::After(bytes) => (bytes, if less { strategy::LESS_EQUAL } else { strategy::GREATER }),
            Place::Below => {
                bounds.nothing |= less;
                return true;
            }
            Place::Above => {
                bounds.nothing |= !less;
                return true;
            }
            Place::Unknown => return false,
        };
        let mut key = Vec::new();
        self.keys.columns[column].encode(&mut key, Some(&bytes));
        bounds.narrow(key, strategy, self.keys.columns[column].descending);
        true
    }

    /// `(a, b) < (x, y)`: as far as the values are known, are not NULL and the columns may have them.
    fn row(&self, values: Range<usize>, strategy: i16, column: usize, bounds: &mut Bounds) -> bool {
        let keys = self.keys;
        bounds.any = true;
        let mut key = Vec::new();
        let mut whole = true;
        for (at, value) in values.enumerate() {
            let (datum, from) = self.datum(value);
            let known = keys.columns.get(column + at).filter(|_| !datum.is_null());
            let placed = known.map(|_| self.place(&datum, from, column + at));
            match (placed, at) {
                (Some(Place::At(bytes)), _) => keys.columns[column + at].encode(&mut key, Some(&bytes)),
                (None, 0) if datum.is_null() => {
                    bounds.nothing = true;
                    return true;
                }
                (_, 0) => return self.compare((&datum, from), strategy, column, bounds),
                _ => {
                    whole = false;
                    break;
                }
            }
        }
        // Rows with the same first columns may do.
        let strategy = match strategy {
            _ if whole => strategy,
            strategy::LESS | strategy::LESS_EQUAL => strategy::LESS_EQUAL,
            _ => strategy::GREATER_EQUAL,
        };
        bounds.narrow(key, strategy, keys.columns[column].descending);
        true
    }
}

/// Whether some condition says more than ranges can.
fn is_lossy(list: &[Condition], columns: usize) -> bool {
    let equal = |column: usize| list.iter().any(|c| c.column() == column && c.is_equality());
    let first = (0..columns).find(|&column| !equal(column)).unwrap_or(columns);
    let used = |condition: &Condition| match condition {
        Condition::Row { .. } => false,
        Condition::Any { strategy, .. } if *strategy != strategy::EQUAL => condition.column() == first,
        _ if condition.is_equality() => {
            condition.column() < first && list.iter().filter(|c| c.column() == condition.column()).count() == 1
        }
        _ => condition.column() == first,
    };
    !list.iter().all(used)
}

/// A range of a column's part of the keys.
#[derive(Default)]
struct Bounds {
    /// It does not have all values, and no NULL.
    any: bool,
    nothing: bool,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
}

impl Bounds {
    fn narrow(&mut self, key: Vec<u8>, strategy: i16, descending: bool) {
        let strategy = if descending { strategy::commute(strategy) } else { strategy };
        // A part begins with a byte that is no 255.
        let after = |key: &[u8]| after_prefix(key).expect("something is greater");
        let one = match strategy {
            strategy::LESS => Bounds { to: Some(key), ..Bounds::default() },
            strategy::LESS_EQUAL => Bounds { to: Some(after(&key)), ..Bounds::default() },
            strategy::GREATER_EQUAL => Bounds { from: Some(key), ..Bounds::default() },
            strategy::GREATER => Bounds { from: Some(after(&key)), ..Bounds::default() },
            _ => Bounds { to: Some(after(&key)), from: Some(key), ..Bounds::default() },
        };
        self.and(Bounds { any: true, ..one });
    }

    fn and(&mut self, other: Bounds) {
        self.any |= other.any;
        self.nothing |= other.nothing;
        self.from = std::mem::take(&mut self.from).max(other.from);
        self.to = match (std::mem::take(&mut self.to), other.to) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    fn or(&mut self, other: Bounds) {
        if other.nothing {
            return;
        }
        if std::mem::take(&mut self.nothing) {
            *self = other;
            return;
        }
        self.any &= other.any;
        self.from = match (std::mem::take(&mut self.from), other.from) {
            (Some(a), Some(b)) => Some(a.min(b)),
            _ => None,
        };
        self.to = std::mem::take(&mut self.to).zip(other.to).map(|(a, b)| a.max(b));
    }
}
