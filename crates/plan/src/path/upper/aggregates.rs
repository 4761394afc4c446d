//! The aggregates of a query: what they cost, and in which order they want their rows (PostgreSQL's `prepagg.c` and
//! `adjust_group_pathkeys_for_groupagg`).
//!
//! One order of the rows below serves as many aggregates as it can: those are marked ([`Aggref::presorted`]), and an Agg node
//! says whether its child has that order. The others gather their rows and sort them.

use analyze::query::*;

use crate::path::clauses;
use crate::path::cost::costsize;
use crate::path::cost::costsize::AggCosts;
use crate::path::pathkeys;
use crate::path::pathkeys::contained_in;
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// The aggregates of targets and HAVING, each once.
fn all(root: &PlannerInfo) -> Vec<Aggref> {
    let is_aggregate = |e: &Expr| matches!(e, Expr::Aggref(_));
    let mut found: Vec<Expr> = Vec::new();
    let targets = root.query.targets.iter().map(|target| &target.expr);
    targets.chain(&root.query.having).for_each(|expr| clauses::pull_vars(expr, &mut found, is_aggregate));
    let aggregate = |expr| if let Expr::Aggref(call) = expr { Some(*call) } else { None };
    found.into_iter().filter_map(aggregate).collect()
}

pub fn any_wants_order(root: &PlannerInfo) -> bool {
    root.query.has_aggregates
        && all(root).iter().any(|call| call.distinct || !call.order.is_empty() || !call.direct_arguments.is_empty())
}

/// Which order of rows serves most aggregates (`adjust_group_pathkeys_for_groupagg`); marks them.
pub fn find_order(root: &mut PlannerInfo) -> Presort {
    let mut best = Presort { keys: root.paths.group_keys.clone(), optional: true };
    if !root.query.has_aggregates || !root.grouping_sets.is_empty() || !root.planner.settings.enable_presorted_aggregate
    {
        return best;
    }
    let calls: Vec<Aggref> = all(root).into_iter().filter(|call| may_be_presorted(root, call)).collect();
    let mut wanted: Vec<(Aggref, PathKeys)> = Vec::with_capacity(calls.len());
    for call in calls {
        if let Some(keys) = wanted_by(root, &call) {
            wanted.push((call, keys));
        }
    }
    let mut served: Vec<Aggref> = Vec::new();
    while wanted.len() > served.len() {
        let mut keys = wanted[0].1.clone();
        let (mut these, mut others) = (Vec::new(), Vec::new());
        for (call, own) in wanted {
            if contained_in(&keys, &own) {
                keys = own;
                these.push(call);
            } else if contained_in(&own, &keys) {
                these.push(call);
            } else {
                others.push((call, own));
            }
        }
        wanted = others;
        if these.len() > served.len() {
            best = Presort { keys, optional: these.iter().all(is_hashed) };
            served = these;
        }
    }
    mark(root, &served);
    best
}

/// Ordered-set aggregates sort by themselves. What FILTER leaves out must not be evaluated to sort by it.
fn may_be_presorted(root: &PlannerInfo, call: &Aggref) -> bool {
    let catalog = root.planner.catalog;
    let plain = |mut expr: &Expr| {
        while let Expr::RelabelType(relabel) = expr {
            expr = &relabel.argument;
        }
        matches!(expr, Expr::Var(_) | Expr::Const(_))
    };
    !call.order.is_empty()
        && catalog.aggregate(call.function).is_some_and(|row| row.aggkind == b'n')
        && (call.filter.is_none() || call.arguments.iter().all(plain))
        && !call.order.iter().any(|by| clauses::contains_volatile(catalog, &call.arguments[by.argument]))
}

/// Its rows are only to be different ones, whatever their order.
fn is_hashed(call: &Aggref) -> bool {
    call.distinct && call.order_written == 0
}

/// GROUP BY's keys, then the aggregate's. `None`: rows cannot be sorted by those.
fn wanted_by(root: &mut PlannerInfo, call: &Aggref) -> Option<PathKeys> {
    let mut keys = root.paths.group_keys.clone();
    for by in &call.order {
        let id = pathkeys::from_sort_operator(root, &call.arguments[by.argument], &by.clause, true)?;
        pathkeys::add(root, &mut keys, id);
    }
    Some(keys)
}

fn mark(root: &mut PlannerInfo, served: &[Aggref]) {
    let mut mark = |expr: &mut Expr, depth: u32| {
        if let Expr::Aggref(call) = expr
            && depth == 0
            && served.contains(call)
        {
            call.presorted = true;
        }
        true
    };
    let targets = root.query.targets.iter_mut().map(|target| &mut target.expr);
    targets.chain(&mut root.query.having).for_each(|expr| crate::manip::mutate(&mut mark, expr, 0));
}

/// What the aggregates cost with so many rows (`get_agg_clause_costs`). `presorted`: those come in the order found.
pub fn costs(root: &PlannerInfo, rows: f64, presorted: bool) -> AggCosts {
    let mut costs = AggCosts::default();
    let catalog = root.planner.catalog;
    let operator = root.planner.settings.cpu_operator_cost;
    let function = |oid| catalog.function(oid).map_or(0.0, |row| f64::from(row.procost) * operator);
    for aggregate in &all(root) {
        costs.count += 1.0;
        if let Some(row) = catalog.aggregate(aggregate.function) {
            costs.transition.per_tuple += function(row.aggtransfn);
            if row.aggfinalfn != 0 {
                costs.last.per_tuple += function(row.aggfinalfn);
            }
            let ty = catalog.pg_type(row.aggtranstype);
            if !ty.is_some_and(|ty| ty.typbyval) {
                let width = crate::plancat::type_width(catalog, row.aggtranstype, -1);
                costs.space +=
                    if row.aggtransspace > 0 { f64::from(row.aggtransspace) } else { f64::from(width) + 16.0 };
            }
        }
        let arguments = costsize::qual_cost(root, aggregate.arguments.iter().chain(&aggregate.filter));
        costs.transition.startup += arguments.startup;
        costs.transition.per_tuple += arguments.per_tuple;
        let direct = costsize::qual_cost(root, &aggregate.direct_arguments);
        costs.last.startup += direct.startup;
        costs.last.per_tuple += direct.per_tuple;
        let compares = match aggregate {
            call if call.order.is_empty() => 0.0,
            // Rows are compared with the one before.
            call if presorted && call.presorted => f64::from(u8::from(call.distinct)),
            // They are looked up among those that were seen.
            call if is_hashed(call) => 2.0,
            // The rows of a group are sorted.
            _ => 2.0 * rows.max(2.0).log2(),
        };
        costs.transition.per_tuple += compares * operator;
    }
    costs
}
