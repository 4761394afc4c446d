//! The constants of a tree that may be any others of their kind.

use crate::nodes::*;

/// Called with each of them, an `A_Const`, which it may replace.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&mut Node);

/// Statements with constants that may be others, wherever they stand; all other nodes have none.
pub(super) fn statement(node: &mut Node, visit: Visit) {
    match node {
        Node::SelectStmt(s) => select(s, visit),
        Node::InsertStmt(s) => {
            with(&mut s.with_clause, visit);
            optional(&mut s.select_stmt, visit, statement);
            if let Some(conflict) = &mut s.on_conflict_clause {
                expressions(&mut conflict.target_list, visit);
                optional(&mut conflict.where_clause, visit, expression);
            }
            returning(&mut s.returning_clause, visit);
        }
        Node::UpdateStmt(s) => {
            with(&mut s.with_clause, visit);
            expressions(&mut s.target_list, visit);
            s.from_clause.iter_mut().for_each(|n| relation(n, visit));
            optional(&mut s.where_clause, visit, expression);
            returning(&mut s.returning_clause, visit);
        }
        Node::DeleteStmt(s) => {
            with(&mut s.with_clause, visit);
            s.using_clause.iter_mut().for_each(|n| relation(n, visit));
            optional(&mut s.where_clause, visit, expression);
            returning(&mut s.returning_clause, visit);
        }
        Node::MergeStmt(s) => {
            with(&mut s.with_clause, visit);
            optional(&mut s.source_relation, visit, relation);
            optional(&mut s.join_condition, visit, expression);
            for when in &mut s.merge_when_clauses {
                if let Node::MergeWhenClause(when) = when {
                    optional(&mut when.condition, visit, expression);
                    expressions(&mut when.target_list, visit);
                    expressions(&mut when.values, visit);
                }
            }
            returning(&mut s.returning_clause, visit);
        }
        _ => {}
    }
}

fn select(s: &mut SelectStmt, visit: Visit) {
    // SELECT INTO makes a table.
    if s.into_clause.is_some() {
        return;
    }
    with(&mut s.with_clause, visit);
    for arm in [&mut s.larg, &mut s.rarg].into_iter().flatten() {
        select(arm, visit);
    }
    expressions(&mut s.values_lists, visit);
    s.from_clause.iter_mut().for_each(|n| relation(n, visit));
    optional(&mut s.where_clause, visit, expression);
    // Where rows are grouped or made distinct, expressions are looked for in one another.
    if s.group_clause.is_empty() && s.distinct_clause.is_empty() {
        expressions(&mut s.target_list, visit);
        optional(&mut s.having_clause, visit, expression);
        for sort in &mut s.sort_clause {
            // A constant alone is a column.
            if let Node::SortBy(sort) = sort
                && !matches!(sort.node, Some(Node::A_Const(_)))
            {
                optional(&mut sort.node, visit, expression);
            }
        }
    }
    optional(&mut s.limit_offset, visit, expression);
    // How many rows are wanted decides how they are found, and few numbers are in use.
    if !matches!(s.limit_count, Some(Node::A_Const(_))) {
        optional(&mut s.limit_count, visit, expression);
    }
}

fn with(clause: &mut Option<Box<WithClause>>, visit: Visit) {
    for cte in clause.iter_mut().flat_map(|w| &mut w.ctes) {
        if let Node::CommonTableExpr(cte) = cte {
            optional(&mut cte.ctequery, visit, statement);
        }
    }
}

fn returning(clause: &mut Option<Box<ReturningClause>>, visit: Visit) {
    if let Some(clause) = clause {
        expressions(&mut clause.exprs, visit);
    }
}

/// What stands in FROM.
fn relation(node: &mut Node, visit: Visit) {
    match node {
        Node::RangeSubselect(r) => optional(&mut r.subquery, visit, statement),
        Node::JoinExpr(join) => {
            optional(&mut join.larg, visit, relation);
            optional(&mut join.rarg, visit, relation);
            optional(&mut join.quals, visit, expression);
        }
        Node::RangeFunction(r) => r.functions.iter_mut().for_each(|f| function(f, visit)),
        _ => {}
    }
}

/// A function in FROM: a list of the call and of the definitions of its columns.
fn function(node: &mut Node, visit: Visit) {
    if let Node::List(pair) = node
        && let Some(call) = pair.first_mut()
    {
        expression(call, visit);
    }
}

fn optional(node: &mut Option<Node>, visit: Visit, walk: fn(&mut Node, Visit)) {
    if let Some(node) = node {
        walk(node, visit);
    }
}

fn expressions(nodes: &mut [Node], visit: Visit) {
    nodes.iter_mut().for_each(|n| expression(n, visit));
}

fn expression(node: &mut Node, visit: Visit) {
    match node {
        Node::A_Const(_) => visit(node),
        Node::A_Expr(e) => {
            optional(&mut e.lexpr, visit, expression);
            optional(&mut e.rexpr, visit, expression);
        }
        Node::List(items) => expressions(items, visit),
        Node::BoolExpr(e) => expressions(&mut e.args, visit),
        Node::NullTest(e) => optional(&mut e.arg, visit, expression),
        Node::BooleanTest(e) => optional(&mut e.arg, visit, expression),
        Node::CaseExpr(e) => {
            optional(&mut e.arg, visit, expression);
            expressions(&mut e.args, visit);
            optional(&mut e.defresult, visit, expression);
        }
        Node::CaseWhen(e) => {
            optional(&mut e.expr, visit, expression);
            optional(&mut e.result, visit, expression);
        }
        Node::CoalesceExpr(e) => expressions(&mut e.args, visit),
        Node::MinMaxExpr(e) => expressions(&mut e.args, visit),
        Node::RowExpr(e) => expressions(&mut e.args, visit),
        Node::A_ArrayExpr(e) => expressions(&mut e.elements, visit),
        // How `interval '1' day` is read depends on the type's modifier.
        Node::TypeCast(e)
            if matches!(e.arg, Some(Node::A_Const(_)))
                && e.type_name.as_ref().is_some_and(|ty| !ty.typmods.is_empty()) => {}
        Node::TypeCast(e) => optional(&mut e.arg, visit, expression),
        Node::CollateClause(e) => optional(&mut e.arg, visit, expression),
        Node::NamedArgExpr(e) => optional(&mut e.arg, visit, expression),
        // DISTINCT and ORDER BY within an aggregate look for one another.
        Node::FuncCall(e) => {
            if !e.agg_distinct {
                expressions(&mut e.args, visit);
            }
            optional(&mut e.agg_filter, visit, expression);
        }
        Node::SubLink(e) => {
            optional(&mut e.testexpr, visit, expression);
            optional(&mut e.subselect, visit, statement);
        }
        Node::A_Indirection(e) => {
            optional(&mut e.arg, visit, expression);
            expressions(&mut e.indirection, visit);
        }
        Node::A_Indices(e) => {
            optional(&mut e.lidx, visit, expression);
            optional(&mut e.uidx, visit, expression);
        }
        // A column of the select list, of SET, and of (a, b) = (…) there.
        Node::ResTarget(e) => {
            expressions(&mut e.indirection, visit);
            optional(&mut e.val, visit, expression);
        }
        Node::MultiAssignRef(e) => optional(&mut e.source, visit, expression),
        _ => {}
    }
}
