//! Which tables' rows are locked, or looked at again after somebody else changed one: PostgreSQL's `preprocess_rowmarks`.

use analyze::check_select_locking;
use analyze::query::*;
use types::Result;

use crate::manip::relations_in_tree;
use crate::planner::RowMarkInfo;
use crate::relids::Relids;

/// A mark for each table of FROM, if there is need for any. Rows that are no table's cannot be locked: those of a view, whose query
/// analysis has not seen, are refused here.
pub fn collect(query: &Query) -> Result<Vec<RowMarkInfo>> {
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
        if let Some(table) = table(relation)
            && !marks.iter().any(|mark| mark.relation == relation)
        {
            marks.push(RowMarkInfo { relation, table, strength: None, wait: LockWait::Block });
        }
    }
    Ok(marks)
}

fn stricter(a: LockWait, b: LockWait) -> LockWait {
    let rank = |wait| match wait {
        LockWait::Block => 0,
        LockWait::Skip => 1,
        LockWait::Error => 2,
    };
    if rank(a) >= rank(b) { a } else { b }
}
