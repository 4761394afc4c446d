//! Targets, and what names them: sorting, grouping, DISTINCT, windows; set operations; what statements do with a table.

use types::{Oid, oid};

use super::node::{boolean, comparison, of_type};
use super::{Checked, Level, Stage, Thorough, holds};
use crate::query::*;
use crate::relations::Relation;

pub(super) fn clauses(thorough: &Thorough<'_>, level: &Level<'_>) -> Checked {
    let query = level.query;
    references(query)?;
    named_targets(thorough, query)?;
    conditions(query)?;
    if let Some(operation) = &query.set_operations
        && thorough.stage != Stage::Preparation
    {
        set_operations(thorough, query, operation)?;
    }
    // The planner completes INSERT's targets, and numbers the others anew.
    if thorough.stage != Stage::Preparation {
        changes(thorough, level)?;
    }
    Ok(())
}

/// Fails where two targets have one reference.
fn references(query: &Query) -> Checked {
    let mut seen = Vec::new();
    query.targets.iter().filter(|target| target.reference != 0).try_for_each(|target| {
        holds(!seen.contains(&target.reference), || format!("two targets have reference {}", target.reference))?;
        seen.push(target.reference);
        Ok(())
    })
}

/// Fails unless what clauses name is there and can be compared so.
fn named_targets(thorough: &Thorough<'_>, query: &Query) -> Checked {
    let distinct = match &query.distinct {
        Distinct::None => &[][..],
        Distinct::All(clauses) | Distinct::On(clauses) => clauses,
    };
    let of_windows = query.windows.iter().flat_map(|window| window.partition.iter().chain(&window.order));
    let all = query.sort_clause.iter().chain(&query.group_clause).chain(distinct).chain(of_windows);
    for clause in all {
        let target = query.target_of(clause.reference).filter(|_| clause.reference != 0);
        let target = target.ok_or_else(|| format!("no target has reference {}", clause.reference))?;
        sort_group_clause(thorough, clause, target.expr.ty().oid)?;
    }
    let is_grouped_by = |reference: &u32| query.group_clause.iter().any(|clause| clause.reference == *reference);
    let mut sets: Vec<&GroupingSet> = query.grouping_sets.iter().collect();
    while let Some(set) = sets.pop() {
        match set {
            GroupingSet::Empty => {}
            GroupingSet::Simple(references) => {
                holds(references.iter().all(is_grouped_by), || "a grouping set of what is not grouped by")?;
            }
            GroupingSet::Rollup(inner) | GroupingSet::Cube(inner) | GroupingSet::Sets(inner) => sets.extend(inner),
        }
    }
    Ok(())
}

fn sort_group_clause(thorough: &Thorough<'_>, clause: &SortGroupClause, ty: Oid) -> Checked {
    let catalog = thorough.known.catalog;
    comparison(catalog, clause.equality, ty)?;
    if clause.sort == oid::INVALID { Ok(()) } else { comparison(catalog, clause.sort, ty) }
}

fn conditions(query: &Query) -> Checked {
    let mut trees: Vec<&JoinTree> = query.join_tree.from.iter().collect();
    let mut all: Vec<&Expr> = query.join_tree.condition.iter().chain(&query.having).collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(_) => {}
            JoinTree::From(from) => {
                all.extend(&from.condition);
                trees.extend(&from.from);
            }
            JoinTree::Join(join) => {
                all.extend(&join.condition);
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    all.extend(&query.merge_condition);
    all.extend(query.with_check_options.iter().map(|check| &check.condition));
    all.extend(query.range_table.iter().flat_map(|entry| &entry.security_conditions));
    all.extend(query.merge_actions.iter().filter_map(|action| action.condition.as_ref()));
    all.into_iter().try_for_each(|condition| boolean(condition, "a condition"))?;
    let mut limits = query.limit.iter().chain(&query.offset);
    limits.try_for_each(|limit| of_type(limit, oid::INT8, "LIMIT or OFFSET"))
}

/// Fails unless the arms give as many columns as the operation has, and each can become the operation's.
fn set_operations(thorough: &Thorough<'_>, query: &Query, operation: &SetOperation) -> Checked {
    let SetOperation::Node { left, right, columns, group_clauses, .. } = operation else { return Ok(()) };
    let targets: Vec<&TargetEntry> = query.targets.iter().filter(|target| !target.junk).collect();
    let same = targets.len() == columns.len()
        && targets
            .iter()
            .zip(columns)
            .all(|(target, column)| target.expr.ty() == *column || query.set_operations.as_ref() != Some(operation));
    holds(same, || "a set operation does not give the query's columns")?;
    holds(
        group_clauses.is_empty() || group_clauses.len() == columns.len(),
        || "a set operation compares other columns",
    )?;
    for (clause, column) in group_clauses.iter().zip(columns) {
        sort_group_clause(thorough, clause, column.oid)?;
    }
    for side in [left, right] {
        let given: Vec<TypeRef> = match &**side {
            SetOperation::Leaf(relation) => query.entry(*relation).columns.iter().map(|column| column.ty).collect(),
            SetOperation::Node { columns, .. } => columns.clone(),
        };
        holds(given.len() == columns.len(), || {
            format!("an arm of {} columns, where there are {}", given.len(), columns.len())
        })?;
        for (given, column) in given.iter().zip(columns) {
            let becomes = crate::parse_coerce::can_coerce_type(
                thorough.known.catalog,
                &[given.oid],
                &[column.oid],
                crate::parse_coerce::CoercionContext::Implicit,
            );
            holds(becomes, || format!("a column of type {} of an arm, where it is {}", given.oid, column.oid))?;
        }
        set_operations(thorough, query, side)?;
    }
    Ok(())
}

/// Fails unless values are given to columns that the changed table has, of their types.
fn changes(thorough: &Thorough<'_>, level: &Level<'_>) -> Checked {
    let query = level.query;
    let Some(changed) = query.result_relation else { return Ok(()) };
    let relation = level.relations[changed.index()].as_ref().ok_or("what is changed is no relation")?;
    let rewritten = thorough.stage == Stage::Rewriting;
    if matches!(query.command, CommandType::Insert | CommandType::Update) {
        assigned(&query.targets, relation)?;
    }
    if rewritten && query.command == CommandType::Insert {
        let numbers = query.targets.iter().map(|target| target.number);
        holds(numbers.eq((1..).take(relation.columns.len())), || "INSERT does not give all columns in their order")?;
    }
    if let Some(OnConflict { action: ConflictAction::Update { targets, condition, .. }, .. }) = &query.on_conflict {
        assigned(targets, relation)?;
        condition.iter().try_for_each(|condition| boolean(condition, "a condition"))?;
    }
    query.merge_actions.iter().try_for_each(|action| match &action.action {
        MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } => assigned(targets, relation),
        MergeCommand::Delete | MergeCommand::Nothing => Ok(()),
    })
}

fn assigned(targets: &[TargetEntry], relation: &Relation) -> Checked {
    targets.iter().filter(|target| !target.junk).try_for_each(|target| {
        let column = usize::try_from(target.number - 1).ok().and_then(|place| relation.columns.get(place));
        let column = column.ok_or_else(|| format!("{} has no column {}", relation.name, target.number))?;
        let fits = column.dropped || target.expr.ty().oid == column.ty.oid;
        holds(fits, || {
            format!("column {} of {} gets a value of type {}", target.number, relation.name, target.expr.ty().oid)
        })
    })
}
