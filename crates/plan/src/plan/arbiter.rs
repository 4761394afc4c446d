//! The unique indexes that ON CONFLICT means (`infer_arbiter_indexes` of `plancat.c`). They are looked for when the plan is made, as
//! what a condition says may be known only with the values of parameters.

use analyze::query::*;
use analyze::relations::UniqueIndex;
use error::sqlstate;
use types::{Error, Oid, Result, oid};

use crate::path::predtest;
use crate::planner_info::PlannerInfo;

/// The indexes of `table` that decide; `None`: any does.
pub fn infer_arbiters(root: &PlannerInfo, conflict: &OnConflict, table: Oid) -> Result<Option<Vec<Oid>>> {
    let Some(inference) = &conflict.inference else { return Ok(conflict.arbiters.clone()) };
    let missing = || Error::new(sqlstate::INTERNAL_ERROR, "the table of ON CONFLICT is not there");
    let relation = root.planner.relations.relation_by_oid(table).ok_or_else(missing)?;
    let wanted = Wanted::of(root, inference)?;
    let mut arbiters = Vec::new();
    for index in &relation.unique_indexes {
        if wanted.is_met_by(root, index)? {
            arbiters.push(index.oid);
        }
    }
    match arbiters.is_empty() {
        true => {
            let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
            Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message))
        }
        false => Ok(Some(arbiters)),
    }
}

/// What ON CONFLICT says is unique.
struct Wanted {
    /// With their collations; 0: any.
    columns: Vec<(i16, Oid)>,
    expressions: Vec<(Expr, Oid)>,
    conditions: Vec<Expr>,
}

impl Wanted {
    fn of(root: &PlannerInfo, inference: &Inference) -> Result<Wanted> {
        let mut wanted = Wanted { columns: Vec::new(), expressions: Vec::new(), conditions: Vec::new() };
        for key in &inference.keys {
            match &key.expr {
                Expr::Var(var) => wanted.columns.push((var.attribute, key.collation)),
                other => wanted.expressions.push((folded(root, other)?, key.collation)),
            }
        }
        if let Some(predicate) = &inference.predicate {
            wanted.conditions = conjuncts(folded(root, predicate)?);
        }
        Ok(wanted)
    }

    /// It is on these columns and expressions, whatever their order, and for all rows that the conditions hold for.
    fn is_met_by(&self, root: &PlannerInfo, index: &UniqueIndex) -> Result<bool> {
        let collated = |wanted: Oid, own: Oid| wanted == oid::INVALID || wanted == own;
        let columns = || index.columns.iter().copied().zip(index.collations.iter().copied());
        let of_index =
            |&(column, collation): &(i16, Oid)| columns().any(|(own, its)| own == column && collated(collation, its));
        let mut own = index.columns.iter().filter(|column| **column != 0);
        let is_wanted = |column: &i16| self.columns.iter().any(|(wanted, _)| wanted == column);
        if !self.columns.iter().all(of_index) || !own.all(is_wanted) {
            return Ok(false);
        }
        if !index.partial && self.expressions.is_empty() && !index.columns.contains(&0) {
            return Ok(true);
        }
        let stored = root.planner.relations.index_expressions(index.oid)?;
        let keys = stored.keys.iter().map(|key| folded(root, key)).collect::<Result<Vec<_>>>()?;
        let predicate = stored.predicate.iter().map(|predicate| folded(root, predicate));
        let predicate: Vec<Expr> = predicate.collect::<Result<Vec<_>>>()?.into_iter().flat_map(conjuncts).collect();
        let conditions: Vec<&Expr> = self.conditions.iter().collect();
        let computed = columns().filter(|(column, _)| *column == 0).map(|(_, collation)| collation);
        let keys: Vec<(Expr, Oid)> = keys.into_iter().zip(computed).collect();
        let is_key = |(wanted, collation): &(Expr, Oid)| {
            keys.iter().any(|(key, its)| key == wanted && collated(*collation, *its))
        };
        Ok(self.expressions.iter().all(is_key)
            && keys.iter().all(|(key, _)| self.expressions.iter().any(|(wanted, _)| wanted == key))
            && predtest::implied_by(root, &predicate, &conditions))
    }
}

fn folded(root: &PlannerInfo, expr: &Expr) -> Result<Expr> {
    let mut expr = expr.clone();
    root.planner.fold(&mut expr)?;
    Ok(expr)
}

/// What all has to hold.
fn conjuncts(condition: Expr) -> Vec<Expr> {
    match condition {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => {
            arguments.into_iter().flat_map(conjuncts).collect()
        }
        other => vec![other],
    }
}
