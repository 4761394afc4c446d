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

/// Both ways, if the hash table has room: which is cheaper is known when it is known how many rows ask
/// ([`crate::plan::setrefs`]).
pub fn with_alternative<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    mut each: SubPlan,
    any: Any,
) -> Result<Expr> {
    let (plan, given) = plan_query(global, root, any.query, 0.0)?;
    if given.is_empty() && fits_in_hash(root, &plan.cost) {
        let link = Sublink { kind: SubLinkKind::Any, test: Some(any.test), result: TypeRef::of(oid::BOOL) };
        match build(global, root, link, plan, given)? {
            Expr::SubPlan(plan) if plan.hashed => {
                // NULL would be false.
                let (argument, kind, location) = (Expr::SubPlan(plan), BooleanTestKind::IsTrue, Location::NONE);
                each.alternative = Some(Expr::BooleanTest(Box::new(BooleanTest { argument, kind, location })));
            }
            _ => {}
        }
    }
    Ok(Expr::SubPlan(Box::new(each)))
}
