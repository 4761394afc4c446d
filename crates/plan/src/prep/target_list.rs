//! What the rows of a query have to have beside what is asked for: PostgreSQL's `preptlist.c`. INSERT gives all columns in
//! their order; nodes that change or lock rows need to know which they are; RETURNING needs the other tables' columns.

use analyze::query::*;
use types::{Datum, Result, oid};

use crate::manip::{make_var, mutate, visit};
use crate::plan::{CTID, TABLE_OID};
use crate::planner_info::PlannerInfo;

/// Completes a query's targets (`preprocess_targetlist`). Junk targets: `ctid` of the table that is changed, `ctidN` of the
/// entry N whose rows are marked, `wholerowN` where that is no table.
pub fn preprocess_target_list(root: &mut PlannerInfo) -> Result<()> {
    null_without_row(root);
    match root.query.command {
        CommandType::Select => {}
        CommandType::Insert => {
            let mut targets = std::mem::take(&mut root.query.targets);
            expand_insert(root, &mut targets);
            root.query.targets = targets;
        }
        CommandType::Update => {
            let columns = root.query.targets.iter().filter(|target| !target.junk).map(|target| target.number);
            root.update_columns = columns.collect();
            renumber(&mut root.query.targets);
        }
        CommandType::Delete | CommandType::Merge => renumber(&mut root.query.targets),
    }
    if let Some(relation) = root.query.result_relation
        && root.query.command != CommandType::Insert
    {
        let ctid = make_var(relation, CTID, TypeRef::of(oid::TID));
        add_junk(&mut root.query.targets, Expr::Var(ctid), "ctid".to_string());
    }
    for mark in &root.row_marks {
        let name = if mark.table == 0 { "wholerow" } else { "ctid" };
        add_junk(&mut root.query.targets, Expr::Var(mark.var()), format!("{name}{}", mark.relation.0));
    }
    add_needed(root);
    Ok(())
}

/// `old` and `new` as a whole are NULL where there is no such row, as their columns are.
fn null_without_row(root: &mut PlannerInfo) {
    let ReturningRows { old, new } = root.query.returning_rows;
    let mut change = |expr: &mut Expr, depth: u32| {
        let Expr::Var(row) = *expr else { return true };
        if row.attribute == 0 && row.levels_up == depth && [old, new].contains(&Some(row.relation)) {
            let table = Var { attribute: TABLE_OID, ty: TypeRef::of(oid::OID), ..row };
            let location = Location::NONE;
            let there = NullTest { argument: Expr::Var(table), is_null: false, row: false, location };
            let when = vec![CaseWhen { condition: Expr::NullTest(Box::new(there)), result: Expr::Var(row) }];
            let null = Expr::Const(Const { ty: row.ty, value: Datum::Null, location });
            let otherwise = Some(null);
            *expr = Expr::Case(Box::new(CaseExpr { result: row.ty, argument: None, when, otherwise, location }));
            return false;
        }
        true
    };
    for target in &mut root.query.returning {
        mutate(&mut change, &mut target.expr, 0);
    }
}

fn renumber(targets: &mut [TargetEntry]) {
    for (index, target) in targets.iter_mut().enumerate() {
        target.number = index as i16 + 1;
    }
}

fn add_junk(targets: &mut Vec<TargetEntry>, expr: Expr, name: String) {
    let number = targets.len() as i16 + 1;
    targets.push(TargetEntry { junk: true, ..TargetEntry::new(expr, number, name) });
}

/// All columns of the table in their order; NULL for those that got no value (`expand_insert_targetlist`).
fn expand_insert(root: &PlannerInfo, targets: &mut Vec<TargetEntry>) {
    let Some(RangeTableKind::Relation { oid: table, .. }) =
        root.query.result_relation.map(|relation| &root.query.entry(relation).kind)
    else {
        return;
    };
    let Some(relation) = root.planner.relations.relation_by_oid(*table) else {
        return;
    };
    let in_order = |targets: &[TargetEntry]| {
        targets.iter().enumerate().all(|(index, target)| target.number as usize == index + 1 && !target.junk)
    };
    if targets.len() == relation.columns.len() && in_order(targets) {
        return;
    }
    let mut given: Vec<TargetEntry> = std::mem::take(targets);
    for (index, column) in relation.columns.iter().enumerate() {
        let number = index as i16 + 1;
        let at = given.iter().position(|target| !target.junk && target.number == number);
        targets.push(match at {
            Some(at) => given.swap_remove(at),
            None => {
                let ty = if column.dropped { TypeRef::of(oid::INT4) } else { column.ty };
                let null = Const { ty, value: Datum::Null, location: Location::NONE };
                TargetEntry::new(Expr::Const(null), number, column.name.clone())
            }
        });
    }
}

/// Columns of other tables that RETURNING and MERGE's actions use.
fn add_needed(root: &mut PlannerInfo) {
    let query = &mut root.query;
    let Some(result) = query.result_relation else {
        return;
    };
    let ReturningRows { old, new } = query.returning_rows;
    let changed = [Some(result), old, new];
    let mut needed: Vec<Var> = Vec::new();
    let mut gather = |expr: &Expr| {
        let mut other = |e: &Expr, depth: u32| {
            if let Expr::Var(var) = e
                && var.levels_up == depth
                && !changed.contains(&Some(var.relation))
                && !matches!(query.range_table[var.relation.index()].kind, RangeTableKind::Result)
                && !needed.contains(var)
            {
                needed.push(*var);
            }
            true
        };
        visit(&mut other, expr, 0);
    };
    query.returning.iter().for_each(|target| gather(&target.expr));
    for action in &query.merge_actions {
        action.condition.iter().for_each(&mut gather);
        if let MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } = &action.action {
            targets.iter().for_each(|target| gather(&target.expr));
        }
    }
    query.merge_condition.iter().for_each(&mut gather);
    for var in needed {
        let expr = Expr::Var(var);
        if !query.targets.iter().any(|target| target.expr == expr) {
            add_junk(&mut query.targets, expr, String::new());
        }
    }
}
