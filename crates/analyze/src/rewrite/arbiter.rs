//! The unique indexes that ON CONFLICT means (`infer_arbiter_indexes` of `plancat.c`).

use types::Result;

use super::Rewriter;
use crate::query::*;
use crate::relations::{Relation, UniqueIndex};

impl Rewriter<'_> {
    pub(super) fn infer_arbiters(&mut self, query: &mut Query, relation: &Relation) -> Result<()> {
        let Some(conflict) = &mut query.on_conflict else { return Ok(()) };
        let Some(inference) = conflict.inference.take() else { return Ok(()) };
        let mut columns = Vec::new();
        let mut expressions = Vec::new();
        for key in inference.keys {
            match key {
                Expr::Var(var) => columns.push(var.attribute),
                other => expressions.push(other),
            }
        }
        let conditions = conjuncts(inference.predicate);
        let mut arbiters = Vec::new();
        for index in &relation.unique_indexes {
            if self.is_arbiter(index, &columns, &expressions, &conditions)? {
                arbiters.push(index.oid);
            }
        }
        conflict.arbiters = Some(arbiters);
        Ok(())
    }

    /// It is on these columns and expressions, whatever their order, and for all rows that the conditions hold for.
    fn is_arbiter(
        &self,
        index: &UniqueIndex,
        columns: &[i16],
        expressions: &[Expr],
        conditions: &[Expr],
    ) -> Result<bool> {
        let of_index = |column: &i16| index.columns.contains(column);
        let wanted = |column: &&i16| **column != 0;
        if !columns.iter().all(of_index) || !index.columns.iter().filter(wanted).all(|c| columns.contains(c)) {
            return Ok(false);
        }
        if !index.partial && expressions.is_empty() && !index.columns.contains(&0) {
            return Ok(true);
        }
        let stored = self.relations.index_expressions(index.oid)?;
        Ok(expressions.iter().all(|expression| stored.keys.contains(expression))
            && stored.keys.iter().all(|key| expressions.contains(key))
            && conjuncts(stored.predicate.clone()).iter().all(|condition| conditions.contains(condition)))
    }
}

/// What all has to hold.
fn conjuncts(condition: Option<Expr>) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut pending: Vec<Expr> = condition.into_iter().collect();
    while let Some(expr) = pending.pop() {
        match expr {
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => pending.extend(arguments),
            other => found.push(other),
        }
    }
    found
}
