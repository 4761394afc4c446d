//! EXISTS that depends on the row by equalities alone can be asked of a hash table (`convert_EXISTS_to_ANY`).

use analyze::query::*;
use expression::clauses::contain_volatile_functions;
use types::{Result, oid};

use super::sub_plan::{Sublink, build, fits_in_hash, plan_query};
use crate::manip::*;
use crate::planner_info::{Planner, PlannerGlobal, PlannerInfo};
use crate::prep::sublink::simplify::equality_with_outer;

/// An EXISTS as `(values of the row) = ANY (query)`.
pub struct Any {
    query: Query,
    /// Over [`ParamKind::SubLink`] for the query's columns.
    test: Expr,
}

/// The same as a simplified EXISTS, if what it takes from the row stands alone on one side of equalities.
pub fn exists_to_any(planner: &Planner, query: &Query) -> Option<Any> {
    let condition = query.join_tree.condition.as_ref()?;
    if contain_volatile_functions(planner.catalog, condition) {
        return None;
    }
    let mut query = query.clone();
    let condition = query.join_tree.condition.take()?;
    if query_has_level(&query, 1) {
        return None;
    }
    let (mut rest, mut tests, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for part in and_list(crate::prep::qual::canonicalize(condition)) {
        match equality_with_outer(planner, &part) {
            Some((operator, function, outer, inner)) => {
                let number = targets.len() as u32 + 1;
                let column = Param { kind: ParamKind::SubLink, number, ty: inner.ty(), location: Location::NONE };
                let mut outer = outer.clone();
                increment_levels(&mut outer, -1, 1);
                tests.push(Expr::OpExpr(OpExpr {
                    operator,
                    function,
                    result: oid::BOOL,
                    collation: oid::INVALID,
                    arguments: vec![outer, Expr::Param(column)],
                    location: Location::NONE,
                }));
                targets.push(TargetEntry::new(inner.clone(), number as i16, String::new()));
            }
            None if has_level(&part, 1) => return None,
            None => rest.push(part),
        }
    }
    query.join_tree.condition = make_and(rest);
    query.targets = targets;
    Some(Any { query, test: make_and(tests)? })
}

/// How often an expression is believed to be asked, where it is not known yet.
const CALLS: f64 = 1000.0;

/// The cheaper of both ways. (PostgreSQL decides when it knows how many rows will ask.)
pub fn choose<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, each: SubPlan, any: Any) -> Result<Expr> {
    let (plan, given) = plan_query(global, root, any.query, 0.0)?;
    let total = plan.cost.total;
    let fits = given.is_empty() && fits_in_hash(root, &plan.cost);
    if !fits || total > each.startup_cost + CALLS * each.per_call_cost {
        return Ok(Expr::SubPlan(Box::new(each)));
    }
    let link = Sublink { kind: SubLinkKind::Any, test: Some(any.test), result: TypeRef::of(oid::BOOL) };
    let hashed = build(global, root, link, plan, given)?;
    match hashed {
        // NULL would be false.
        Expr::SubPlan(plan) if plan.hashed => Ok(Expr::BooleanTest(Box::new(BooleanTest {
            argument: Expr::SubPlan(plan),
            kind: BooleanTestKind::IsTrue,
            location: Location::NONE,
        }))),
        _ => Ok(Expr::SubPlan(Box::new(each))),
    }
}
