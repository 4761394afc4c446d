//! Which index a scan's conditions can use, and for which keys.

use access::btree::key::after_prefix;
use access::row::value_bytes;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use engine::{Index, Table};
use txn::Snapshot;

/// A range of an index's keys.
#[derive(Clone, Debug)]
pub struct IndexRange {
    /// The index's position among the table's.
    pub index: usize,
    pub from: Vec<u8>,
    pub to: Option<Vec<u8>>,
    /// The conditions, by position, that the range stands for.
    pub used: Vec<usize>,
}

/// A condition on one column: `column operator constant`.
struct Bound {
    condition: usize,
    column: usize,
    operator: Operator,
    value: Vec<u8>,
}

fn bounds(table: &Table, filters: &[Expr]) -> Vec<Bound> {
    let mut found = Vec::new();
    for (condition, filter) in filters.iter().enumerate() {
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else { continue };
        let (column, operator, value) = match (&**left, &**right) {
            (Expr::Column(column), Expr::Literal(value, _)) => (column, *op, value),
            (Expr::Literal(value, _), Expr::Column(column)) => match op.swap() {
                Some(operator) => (column, operator, value),
                None => continue,
            },
            _ => continue,
        };
        let wanted = matches!(operator, Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq);
        let Ok(column) = table.schema.index_of(&column.name) else { continue };
        if wanted && let Some(value) = bytes_of(table, column, value) {
            found.push(Bound { condition, column, operator, value });
        }
    }
    found
}

/// A constant's bytes as pages have them, if it has exactly the column's type.
fn bytes_of(table: &Table, column: usize, value: &ScalarValue) -> Option<Vec<u8>> {
    let shape = &table.heap().shape.columns[column];
    if value.data_type() != shape.data_type || value.is_null() {
        return None;
    }
    let array = value.to_array().ok()?;
    value_bytes(&array, shape.width, 0).map(<[u8]>::to_vec)
}

/// The index that promises most, if one promises enough: equality on its first column, or both ends of a range.
pub fn choose(table: &Table, filters: &[Expr], snapshot: &Snapshot) -> Option<IndexRange> {
    let bounds = bounds(table, filters);
    let candidates = table.indexes.iter().enumerate().filter(|(_, index)| snapshot.sees(index.def.made_by, 0));
    let ranges = candidates.filter_map(|(position, index)| range(position, index, &bounds));
    ranges.max_by_key(|(score, _)| *score).map(|(_, range)| range)
}

fn range(position: usize, index: &Index, bounds: &[Bound]) -> Option<(usize, IndexRange)> {
    let mut prefix = Vec::new();
    let mut used = Vec::new();
    let mut equal = 0;
    for column in &index.keys.columns {
        let Some(bound) = bounds.iter().find(|b| b.column == column.column && b.operator == Operator::Eq) else {
            break;
        };
        column.encode(&mut prefix, Some(&bound.value));
        used.push(bound.condition);
        equal += 1;
    }
    let mut from = prefix.clone();
    let mut to = after_prefix(&prefix);
    let mut ends = 0;
    if let Some(column) = index.keys.columns.get(equal) {
        for bound in bounds.iter().filter(|b| b.column == column.column && b.operator != Operator::Eq) {
            let mut key = prefix.clone();
            column.encode(&mut key, Some(&bound.value));
            let operator = match bound.operator {
                operator if !column.descending => operator,
                Operator::Lt => Operator::Gt,
                Operator::LtEq => Operator::GtEq,
                Operator::Gt => Operator::Lt,
                _ => Operator::LtEq,
            };
            match operator {
                Operator::GtEq => from = from.max(key),
                Operator::Gt => from = from.max(after_prefix(&key)?),
                Operator::Lt => to = Some(to.map_or(key.clone(), |to| to.min(key))),
                _ => {
                    let end = after_prefix(&key)?;
                    to = Some(to.map_or(end.clone(), |to| to.min(end)));
                }
            }
            used.push(bound.condition);
            ends += 1;
        }
    }
    if equal == 0 && ends < 2 {
        return None;
    }
    let whole = index.def.unique && equal == index.keys.columns.len();
    let score = usize::from(whole) * 1000 + equal * 10 + ends;
    Some((score, IndexRange { index: position, from, to, used }))
}
