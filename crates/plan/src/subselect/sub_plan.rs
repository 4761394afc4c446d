//! A sublink's plan, and how it is run: once, for each row, or into a hash table (`make_subplan`, `build_subplan`).

use analyze::query::*;
use error::sqlstate;
use types::{Error, Result, oid};

use super::{column_parameters, exists, process_sublinks};
use crate::manip::{and_slice, make_var};
use crate::path::clauses::fail_in_hashing;
use crate::path::cost::costsize;
use crate::plan::create_plan::create_plan;
use crate::plan::{Cost, Node, OUTER, Plan};
use crate::planner_info::{PlanParameter, PlannerGlobal, PlannerInfo, SubqueryOptions};
use crate::prep::sublink::simplify::{convert_test, simplify_exists};

/// What stands in a sublink's place: a `SubPlan`, or a parameter that an init plan sets.
pub fn make_sub_plan<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    mut link: SubLink,
) -> Result<Expr> {
    let mut simple_exists = false;
    if link.kind == SubLinkKind::Exists {
        simple_exists = simplify_exists(root.planner, &mut link.query)?;
    }
    let tuple_fraction = match link.kind {
        SubLinkKind::Exists => 1.0,
        SubLinkKind::All | SubLinkKind::Any => 0.5,
        _ => 0.0,
    };
    let hashable = match simple_exists && crate::manip::query_has_level(&link.query, 1) {
        true => exists::exists_to_any(root.planner, &link.query),
        false => None,
    };
    let SubLink { kind, test, query, result, .. } = link;
    let (plan, given) = plan_query(global, root, query, tuple_fraction)?;
    let built = build(global, root, Sublink { kind, test, result }, plan, given)?;
    match (hashable, built) {
        (Some(any), Expr::SubPlan(each)) => exists::with_alternative(global, root, *each, any),
        (_, built) => Ok(built),
    }
}

/// A plan, and what it takes from this level.
pub fn plan_query<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    query: Query,
    tuple_fraction: f64,
) -> Result<(Plan, Vec<PlanParameter>)> {
    // What neighbours took is theirs.
    let others = global.take_parameters(root.level);
    let mut below = global.plan_subquery(query, SubqueryOptions { tuple_fraction, ..Default::default() })?;
    let plan = create_plan(global, &mut below, tuple_fraction)?;
    let given = std::mem::replace(&mut global.levels[root.level - 1].plan_params, others);
    Ok((plan, given))
}

/// A sublink without its query.
pub struct Sublink {
    pub kind: SubLinkKind,
    pub test: Option<Expr>,
    pub result: TypeRef,
}

/// `build_subplan`.
pub fn build<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    link: Sublink,
    mut plan: Plan,
    given: Vec<PlanParameter>,
) -> Result<Expr> {
    let Sublink { kind, test, result } = link;
    let mut made = SubPlan {
        kind,
        test: None,
        columns: Vec::new(),
        plan: 0,
        name: String::new(),
        result,
        hashed: false,
        set_parameters: Vec::new(),
        parameters: Vec::new(),
        arguments: Vec::new(),
        startup_cost: 0.0,
        per_call_cost: 0.0,
        alternative: None,
    };
    for PlanParameter { mut item, parameter } in given {
        // Sublinks in an aggregate's arguments were left for this level.
        if !matches!(item, Expr::Var(_)) {
            process_sublinks(global, root, &mut item)?;
        }
        made.parameters.push(parameter);
        made.arguments.push(item);
    }
    let correlated = !made.parameters.is_empty();
    let once = match kind {
        SubLinkKind::Exists | SubLinkKind::Scalar | SubLinkKind::Array if !correlated => {
            let parameter = global.new_parameter(result);
            made.set_parameters.push(parameter.number);
            Some(Expr::Param(parameter))
        }
        SubLinkKind::RowCompare if !correlated => {
            let parameters = column_parameters(global, &plan.targets);
            made.set_parameters.extend(parameters.iter().map(|parameter| parameter.number));
            let values: Vec<Expr> = parameters.into_iter().map(Expr::Param).collect();
            let test = test.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a comparison of rows has no test"))?;
            Some(convert_test(test, &values))
        }
        SubLinkKind::MultiExpr => {
            let parameters = column_parameters(global, &plan.targets);
            made.set_parameters.extend(parameters.iter().map(|parameter| parameter.number));
            root.multi_parameters.push(parameters);
            (!correlated).then(null_row)
        }
        _ => {
            if let Some(test) = test {
                let parameters = column_parameters(global, &plan.targets);
                made.columns.extend(parameters.iter().map(|parameter| parameter.number));
                let values: Vec<Expr> = parameters.into_iter().map(Expr::Param).collect();
                made.test = Some(convert_test(test, &values));
            }
            if !correlated {
                made.hashed = kind == SubLinkKind::Any && is_hashable(root, &plan, &made);
                if made.hashed && made.test.as_mut().is_some_and(|test| fails_in_hashing(root, test)) {
                    made.hashed = false;
                }
                if !made.hashed && root.planner.settings.enable_material && !keeps_rows(&plan) {
                    plan = material(root, plan);
                }
            }
            None
        }
    };
    (made.startup_cost, made.per_call_cost) = costs(root, &made, &plan);
    global.sub_plans.push(plan);
    made.plan = global.sub_plans.len() - 1;
    let number = global.sub_plans.len();
    Ok(match once {
        Some(value) => {
            made.name = format!("InitPlan {number}");
            root.init_plans.push(made);
            value
        }
        None => {
            made.name = format!("SubPlan {number}");
            Expr::SubPlan(Box::new(made))
        }
    })
}

fn null_row() -> Expr {
    Expr::Const(Const { ty: TypeRef::of(oid::RECORD), value: types::Datum::Null, location: Location::NONE })
}

/// Do its rows fit into a hash table (`subplan_is_hashable`)?
pub fn fits_in_hash(root: &PlannerInfo, cost: &Cost) -> bool {
    costsize::relation_bytes(cost.rows, cost.width) <= costsize::hash_mem(root.planner.settings)
}

fn is_hashable(root: &PlannerInfo, plan: &Plan, made: &SubPlan) -> bool {
    let is_column =
        |e: &Expr| matches!(e, Expr::Param(p) if p.kind == ParamKind::Exec && made.columns.contains(&p.number));
    let comparison = |e: &Expr| match e {
        Expr::OpExpr(op) => {
            is_hash_operator(root, op)
                && !op.arguments[0].contains(&mut |e| is_column(e))
                && !op.arguments[1].contains(&mut |e| matches!(e, Expr::Var(_)))
        }
        _ => false,
    };
    fits_in_hash(root, &plan.cost) && made.test.as_ref().is_some_and(|test| and_slice(test).iter().all(comparison))
}

/// Is a comparison's collation unknown? A hash table would not be made: it is hashing that fails.
fn fails_in_hashing(root: &PlannerInfo, test: &mut Expr) -> bool {
    let parts = match test {
        Expr::BoolExpr(all) => &mut all.arguments[..],
        one => std::slice::from_mut(one),
    };
    let mut fails = false;
    for part in parts.iter_mut().filter(|part| part.is_indeterminate()) {
        fails = true;
        fail_in_hashing(root.planner.catalog, part);
    }
    fails
}

/// `hash_ok_operator`.
pub fn is_hash_operator(root: &PlannerInfo, op: &OpExpr) -> bool {
    let catalog = root.planner.catalog;
    op.arguments.len() == 2
        && catalog.is_hashjoinable(op.operator, op.arguments[0].ty().oid)
        && catalog.function(op.function).is_some_and(|row| row.proisstrict)
}

/// Does it keep its rows, so that they can be had again for little (`ExecMaterializesOutput`)?
fn keeps_rows(plan: &Plan) -> bool {
    matches!(
        plan.node,
        Node::Material { .. }
            | Node::FunctionScan { .. }
            | Node::CteScan { .. }
            | Node::WorkTableScan { .. }
            | Node::Sort { .. }
    )
}

/// `materialize_finished_plan`.
fn material(root: &PlannerInfo, child: Plan) -> Plan {
    let column = |(index, target): (usize, &TargetEntry)| {
        let var = make_var(OUTER, index as i16 + 1, target.expr.ty());
        TargetEntry { expr: Expr::Var(var), ..target.clone() }
    };
    let targets = child.targets.iter().enumerate().map(column).collect();
    let total = child.cost.total + 2.0 * root.planner.settings.cpu_operator_cost * child.cost.rows;
    let cost = Cost { total, ..child.cost };
    let node = Node::Material { child: Box::new(child) };
    Plan { node, targets, conditions: Vec::new(), cost, init_plans: Vec::new() }
}

/// Once, and for each call (`cost_subplan`).
fn costs(root: &PlannerInfo, made: &SubPlan, plan: &Plan) -> (f64, f64) {
    let operator = root.planner.settings.cpu_operator_cost;
    let Cost { startup, total, rows, .. } = plan.cost;
    let run = total - startup;
    if made.hashed {
        return (total + operator * rows, operator);
    }
    let each = match made.kind {
        SubLinkKind::Exists => run / rows.max(1.0),
        SubLinkKind::All | SubLinkKind::Any => 0.5 * run + 0.5 * rows * operator,
        _ => run,
    };
    if made.parameters.is_empty() && keeps_rows(plan) { (startup, each) } else { (0.0, each + startup) }
}
