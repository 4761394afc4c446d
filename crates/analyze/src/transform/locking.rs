//! FOR UPDATE and its like (`transformLockingClause` of `analyze.c`).

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result};

use super::{error, required, unexpected};
use crate::query::*;

/// As messages call it (`LCS_asString`).
pub(crate) fn name_of_locking(strength: raw::LockClauseStrength) -> &'static str {
    match strength {
        raw::LockClauseStrength::LCS_FORKEYSHARE => "FOR KEY SHARE",
        raw::LockClauseStrength::LCS_FORSHARE => "FOR SHARE",
        raw::LockClauseStrength::LCS_FORNOKEYUPDATE => "FOR NO KEY UPDATE",
        _ => "FOR UPDATE",
    }
}

/// The first locking clause's name, if there is one.
pub(crate) fn first_locking(clauses: &[Node]) -> Option<&'static str> {
    clauses.iter().find_map(|clause| match clause {
        Node::LockingClause(clause) => Some(name_of_locking(clause.strength)),
        _ => None,
    })
}

pub(crate) fn transform_locking_clause(
    query: &mut Query,
    clause: &raw::LockingClause,
    pushed_down: bool,
) -> Result<()> {
    let name = name_of_locking(clause.strength);
    check_select_locking(query, name)?;
    let strength = match clause.strength {
        raw::LockClauseStrength::LCS_FORKEYSHARE => LockStrength::KeyShare,
        raw::LockClauseStrength::LCS_FORSHARE => LockStrength::Share,
        raw::LockClauseStrength::LCS_FORNOKEYUPDATE => LockStrength::NoKeyUpdate,
        _ => LockStrength::Update,
    };
    let wait = match clause.wait_policy {
        raw::LockWaitPolicy::LockWaitBlock => LockWait::Block,
        raw::LockWaitPolicy::LockWaitSkip => LockWait::Skip,
        raw::LockWaitPolicy::LockWaitError => LockWait::Error,
    };
    let lock = |query: &mut Query, index: usize| -> Result<()> {
        let relation = RangeTableIndex(index as u32 + 1);
        mark(query, RowMark { relation, strength, wait, pushed_down });
        if let RangeTableKind::Subquery(inner) = &mut query.range_table[index].kind {
            let all = raw::LockingClause { locked_rels: vec![], ..clause.clone() };
            transform_locking_clause(inner, &all, true)?;
        }
        Ok(())
    };
    let locks = |kind: &RangeTableKind| matches!(kind, RangeTableKind::Relation { .. } | RangeTableKind::Subquery(_));
    if clause.locked_rels.is_empty() {
        for index in 0..query.range_table.len() {
            if query.range_table[index].in_from && locks(&query.range_table[index].kind) {
                lock(query, index)?;
            }
        }
        return Ok(());
    }
    for node in &clause.locked_rels {
        let Node::RangeVar(table) = node else { return Err(unexpected()) };
        let wanted = required(&table.relname)?;
        if table.schemaname.is_some() || table.catalogname.is_some() {
            return Err(error(
                sqlstate::SYNTAX_ERROR,
                format!("{name} must specify unqualified relation names"),
                table.location,
            ));
        }
        let is = |entry: &RangeTableEntry| entry.in_from && *entry.name == **wanted && is_named(entry);
        let Some(index) = query.range_table.iter().position(is) else {
            let message = format!("relation \"{wanted}\" in {name} clause not found in FROM clause");
            return Err(error(sqlstate::UNDEFINED_TABLE, message, table.location));
        };
        let what = match &query.range_table[index].kind {
            RangeTableKind::Join { .. } => "a join",
            RangeTableKind::Function { .. } => "a function",
            RangeTableKind::Values { .. } => "VALUES",
            RangeTableKind::Cte { .. } => "a WITH query",
            _ => {
                lock(query, index)?;
                continue;
            }
        };
        return Err(error(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("{name} cannot be applied to {what}"),
            table.location,
        ));
    }
    Ok(())
}

/// Joins, subqueries and VALUES have no names but aliases.
fn is_named(entry: &RangeTableEntry) -> bool {
    use RangeTableKind::*;
    entry.aliased || !matches!(entry.kind, Join { .. } | Subquery(_) | Values { .. })
}

/// `CheckSelectLocking`. The planner asks again, when views are queries: they are locked as what names them.
pub fn check_select_locking(query: &Query, name: &str) -> Result<()> {
    let what = match () {
        _ if query.set_operations.is_some() => "UNION/INTERSECT/EXCEPT",
        _ if query.distinct != Distinct::None => "DISTINCT clause",
        _ if !query.group_clause.is_empty() || !query.grouping_sets.is_empty() => "GROUP BY clause",
        _ if query.having.is_some() => "HAVING clause",
        _ if query.has_aggregates => "aggregate functions",
        _ if query.has_window_functions => "window functions",
        _ if query.has_target_sets => "set-returning functions in the target list",
        _ => return Ok(()),
    };
    Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{name} is not allowed with {what}")))
}

/// The strongest of several clauses for a table wins (`applyLockingClause`).
fn mark(query: &mut Query, new: RowMark) {
    let wait = |wait: LockWait| match wait {
        LockWait::Block => 0,
        LockWait::Skip => 1,
        LockWait::Error => 2,
    };
    match query.row_marks.iter_mut().find(|mark| mark.relation == new.relation) {
        Some(known) => {
            known.strength = known.strength.max(new.strength);
            if wait(new.wait) > wait(known.wait) {
                known.wait = new.wait;
            }
            known.pushed_down &= new.pushed_down;
        }
        None => query.row_marks.push(new),
    }
}

/// A view's tables are locked as the view is (`markQueryForLocking`).
pub(crate) fn push_lock_down(query: &mut Query, lock: &RowMark) {
    for index in 0..query.range_table.len() {
        if !query.range_table[index].in_from {
            continue;
        }
        let relation = RangeTableIndex(index as u32 + 1);
        let new = RowMark { relation, pushed_down: true, ..*lock };
        match &mut query.range_table[index].kind {
            RangeTableKind::Relation { .. } => mark(query, new),
            RangeTableKind::Subquery(inner) => {
                push_lock_down(inner, lock);
                mark(query, new);
            }
            _ => {}
        }
    }
}
