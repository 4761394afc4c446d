//! ORs over several relations say something of each of them, if each of their parts does: `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND
//! b.y = 4)` lets through only rows of `a` with 1 or 3. It is asked of them before they are joined (PostgreSQL's `orclauses.c`).

use analyze::query::{BoolOperator, Expr};

use crate::manip;
use crate::path::clauses::contains_volatile;
use crate::path::estimate::clausesel;
use crate::path::estimate::clausesel::For;
use crate::path::join::restrictinfo::{Place, is_movable_to, make_restrictinfo, shared};
use crate::path::relset::{Rels, rels_of};
use crate::path::state::{R, RelId};
use crate::planner_info::PlannerInfo;

/// A condition that more rows than this part pass is not worth asking.
const MOST: f64 = 0.9;

/// `extract_restriction_or_clauses`.
pub fn extract_restriction_or_clauses(root: &mut PlannerInfo) {
    let bases: Vec<RelId> = root.paths.base.iter().flatten().copied().collect();
    for rel in bases {
        let clauses = root.paths.rels[rel].join_clauses.clone();
        for clause in clauses.iter().filter(|clause| manip::is_or(&clause.clause)) {
            if is_movable_to(root, clause, rel)
                && let Some(or) = extract_or_clause(root, &clause.clause, root.paths.rels[rel].relids)
            {
                consider_new_or_clause(root, rel, or, clause);
            }
        }
    }
}

/// What an OR says of these relations alone; `None`: one of its parts says nothing.
fn extract_or_clause(root: &PlannerInfo, or: &Expr, rels: Rels) -> Option<Expr> {
    let Expr::BoolExpr(or) = or else { return None };
    let of_part = |part: &Expr| {
        let mut found = Vec::new();
        for condition in manip::and_slice(part) {
            if manip::is_or(condition) {
                found.extend(extract_or_clause(root, condition, rels));
            } else if rels_of(condition) == rels && !contains_volatile(root.planner.catalog, condition) {
                found.push(condition.clone());
            }
        }
        manip::make_and(found)
    };
    let parts = or.arguments.iter().map(of_part).collect::<Option<Vec<Expr>>>()?;
    let flat = parts.into_iter().flat_map(|part| match part {
        Expr::BoolExpr(inner) if inner.operator == BoolOperator::Or => inner.arguments,
        part => vec![part],
    });
    manip::make_bool(BoolOperator::Or, flat.collect())
}

/// Takes the condition if it keeps rows away, and counts them once: not with the OR that it was made of again.
fn consider_new_or_clause(root: &mut PlannerInfo, rel: RelId, or: Expr, join: &R) {
    let place = Place { pushed_down: true, security_level: join.security_level, ..Place::default() };
    let made = shared(make_restrictinfo(root, or, place));
    let relation = root.paths.rels[rel].relation;
    let selectivity = clausesel::restriction(root, &made, For::rel(relation));
    if selectivity > MOST {
        return;
    }
    let known = &mut root.paths.rels[rel];
    known.least_security = known.least_security.min(made.security_level);
    known.conditions.push(made);
    if selectivity > 0.0 {
        let whole = clausesel::restriction(root, join, For::rel(analyze::query::RangeTableIndex(0)));
        join.selectivity.set((whole / selectivity).min(1.0));
    }
}
