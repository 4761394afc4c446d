//! What may be done with the rows of a relation (`relation_is_updatable`).

use types::Oid;

use super::updatable::{column_not_updatable, updatable_base};
use crate::query::*;
use crate::relations::{RelationKind, Relations};

/// Commands as bits, as PostgreSQL numbers them.
pub const UPDATE_EVENT: i32 = 1 << 2;
pub const INSERT_EVENT: i32 = 1 << 3;
pub const DELETE_EVENT: i32 = 1 << 4;
const ALL_EVENTS: i32 = INSERT_EVENT | UPDATE_EVENT | DELETE_EVENT;

/// The commands that a relation supports; with a column's number, those that may store in this column.
pub fn relation_is_updatable(relations: &dyn Relations, relation: Oid, column: Option<i16>) -> i32 {
    let (mut relation, mut events) = (relation, ALL_EVENTS);
    // `None`: any column.
    let mut columns = column.map(|column| vec![column]);
    let mut seen = Vec::new();
    while !seen.contains(&relation) {
        match relations.relation_by_oid(relation).map(|found| found.kind) {
            Some(RelationKind::Table) => return events,
            Some(RelationKind::View) => {}
            _ => return 0,
        }
        seen.push(relation);
        let Ok(view) = relations.view_query(relation) else { return 0 };
        let Ok(base) = updatable_base(relations, &view.query, false) else { return 0 };
        let RangeTableKind::Relation { oid, .. } = view.query.entry(base).kind else { return 0 };
        let wanted = |number| columns.as_ref().is_none_or(|columns| columns.contains(&number));
        let stored = |target: &TargetEntry| match target.expr {
            Expr::Var(var) if column_not_updatable(target, base).is_none() && wanted(target.number) => {
                Some(var.attribute)
            }
            _ => None,
        };
        let stored: Vec<i16> = view.query.targets.iter().filter_map(stored).collect();
        if stored.is_empty() {
            events &= DELETE_EVENT;
        }
        columns = Some(stored);
        relation = oid;
    }
    0
}
