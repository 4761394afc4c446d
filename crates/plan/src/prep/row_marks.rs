//! Which tables' rows are locked, or looked at again after another transaction changed one: PostgreSQL's `preprocess_rowmarks`.

use analyze::check_select_locking;
use analyze::query::*;
use types::Result;

use crate::manip::relations_in_tree;
use crate::planner_info::{Planner, RowMarkInfo};
use crate::prep::join::pull_up::is_plain;
use crate::relids::Relids;

/// A mark for each entry of FROM, if there is need for any. Rows that are no table's cannot be locked: those of a view, whose query
/// analysis has not seen, are refused here.
pub fn collect(planner: &Planner, query: &Query) -> Result<Vec<RowMarkInfo>> {
    if let Some(first) = query.row_marks.first() {
        check_select_locking(query, first.strength.name())?;
    }
    let changes = matches!(query.command, CommandType::Update | CommandType::Delete | CommandType::Merge);
    if query.row_marks.is_empty() && !changes {
        return Ok(Vec::new());
    }
    let mut relations = Relids::new();
    for tree in &query.join_tree.from {
        relations.add_all(&relations_in_tree(tree, false));
    }
    let table = |relation: RangeTableIndex| match query.entry(relation).kind {
        RangeTableKind::Relation { oid, .. } => Some(oid),
        _ => None,
    };
    let mut marks: Vec<RowMarkInfo> = Vec::new();
    for mark in &query.row_marks {
        let Some(table) = table(mark.relation) else {
            continue;
        };
        match marks.iter_mut().find(|known| known.relation == mark.relation) {
            // Locked twice: as strongly as either wants, and waiting as the strictest says.
            Some(known) => {
                known.strength = known.strength.max(Some(mark.strength));
                known.wait = stricter(known.wait, mark.wait);
            }
            None => marks.push(RowMarkInfo {
                relation: mark.relation,
                table,
                strength: Some(mark.strength),
                wait: mark.wait,
            }),
        }
    }
    for relation in relations.iter().filter(|relation| Some(*relation) != query.result_relation) {
        if let Some(table) = table(relation).or_else(|| is_copied(planner, query.entry(relation)).then_some(0))
            && !marks.iter().any(|mark| mark.relation == relation)
        {
            marks.push(RowMarkInfo { relation, table, strength: None, wait: LockWait::Block });
        }
    }
    Ok(marks)
}

/// Is the row of what is no table the same one when others are looked at again?
fn is_copied(planner: &Planner, entry: &RangeTableEntry) -> bool {
    match &entry.kind {
        // It depends on others' rows: a part of the query in PostgreSQL, but for placeholders, which are not here; or a
        // sublink's, which is asked again.
        RangeTableKind::Subquery(inner) => entry.in_from && !(entry.lateral && is_plain(planner, inner)),
        RangeTableKind::Function { .. } | RangeTableKind::Values { .. } | RangeTableKind::Cte { .. } => true,
        RangeTableKind::Relation { .. } | RangeTableKind::Join { .. } | RangeTableKind::Result => false,
    }
}

fn stricter(a: LockWait, b: LockWait) -> LockWait {
    let rank = |wait| match wait {
        LockWait::Block => 0,
        LockWait::Skip => 1,
        LockWait::Error => 2,
    };
    if rank(a) >= rank(b) { a } else { b }
}
