//! Do stored trees fit the relations that there are? Each column that they name must be there with the type that they take it
//! for, and each entry of a range table.

use std::sync::Arc;

use types::Result;

use crate::nodes::damaged;
use crate::query::*;
use crate::relations::{Relation, Relations};

/// An expression over the columns of a relation, which is entry 1.
pub(super) fn expression(expr: &Expr, relation: Option<&Relation>) -> Result<()> {
    let fits = |var: &Var| match (var.levels_up, var.relation.0, relation) {
        (0, 1, Some(relation)) => fits(var, relation),
        _ => false,
    };
    Verifier { relations: None, of_entry_1: &fits }.expr(expr, None)
}

/// A query.
pub(super) fn query(query: &Query, relations: &dyn Relations) -> Result<()> {
    Verifier { relations: Some(relations), of_entry_1: &|_| false }.query(query, None)
}

struct Verifier<'a> {
    relations: Option<&'a dyn Relations>,
    /// Of expressions outside of queries.
    of_entry_1: &'a dyn Fn(&Var) -> bool,
}

/// A query around what is looked at.
struct Level<'a> {
    query: &'a Query,
    /// By entry.
    relations: Vec<Option<Arc<Relation>>>,
    outer: Option<&'a Level<'a>>,
}

impl Verifier<'_> {
    fn query(&self, query: &Query, outer: Option<&Level<'_>>) -> Result<()> {
        let query = &query.without_columns_of_sides();
        let relation = |entry: &RangeTableEntry| match entry.kind {
            RangeTableKind::Relation { oid, .. } => self.relations?.relation_by_oid(oid),
            _ => None,
        };
        let relations = query.range_table.iter().map(relation).collect();
        let level = Level { query, relations, outer };
        entries(query)?;
        let mut result = Ok(());
        let mut each = |expr: &Expr| {
            result = self.expr(expr, Some(&level));
            if result.is_ok() { Walk::On } else { Walk::Stop }
        };
        walk_query(query, &mut each, &mut |_| Walk::On);
        result?;
        query.subqueries().try_for_each(|inner| self.query(inner, Some(&level)))
    }

    fn expr(&self, expr: &Expr, level: Option<&Level<'_>>) -> Result<()> {
        if let Expr::Var(var) = expr
            && !self.var(var, level)
        {
            return Err(damaged(&format!("no column {} of entry {}", var.attribute, var.relation.0)));
        }
        let mut result = Ok(());
        let failed = std::cell::RefCell::new(&mut result);
        let note = |outcome: Result<()>| match outcome {
            Ok(()) => Walk::On,
            Err(error) => {
                **failed.borrow_mut() = Err(error);
                Walk::Stop
            }
        };
        expr.walk(&mut |child| note(self.expr(child, level)), &mut |query| note(self.query(query, level)));
        result
    }

    fn var(&self, var: &Var, level: Option<&Level<'_>>) -> bool {
        let mut at = level;
        for _ in 0..var.levels_up {
            at = at.and_then(|level| level.outer);
        }
        let Some(level) = at else { return (self.of_entry_1)(var) };
        if !has_entry(level.query, var.relation) {
            return false;
        }
        match &level.relations[var.relation.index()] {
            Some(relation) => fits(var, relation),
            None => true,
        }
    }
}

fn fits(var: &Var, relation: &Relation) -> bool {
    let Ok(number) = usize::try_from(var.attribute) else { return true };
    let Some(place) = number.checked_sub(1) else { return true };
    relation.columns.get(place).is_some_and(|column| !column.dropped && column.ty.oid == var.ty.oid)
}

fn has_entry(query: &Query, relation: RangeTableIndex) -> bool {
    (1..=query.range_table.len()).contains(&(relation.0 as usize))
}

/// Are the entries that a query names outside of expressions there?
fn entries(query: &Query) -> Result<()> {
    let mut named: Vec<RangeTableIndex> = query.row_marks.iter().map(|mark| mark.relation).collect();
    let mut trees: Vec<&JoinTree> = query.join_tree.from.iter().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => named.push(*relation),
            JoinTree::From(from) => trees.extend(&from.from),
            JoinTree::Join(join) => {
                named.push(join.relation);
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    let mut operations: Vec<&SetOperation> = query.set_operations.iter().collect();
    while let Some(operation) = operations.pop() {
        match operation {
            SetOperation::Leaf(relation) => named.push(*relation),
            SetOperation::Node { left, right, .. } => operations.extend([&**left, &**right]),
        }
    }
    match named.into_iter().find(|relation| !has_entry(query, *relation)) {
        None => Ok(()),
        Some(relation) => Err(damaged(&format!("no entry {}", relation.0))),
    }
}
