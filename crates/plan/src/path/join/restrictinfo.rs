//! Conditions with what is known of them (PostgreSQL's `restrictinfo.c`).

use std::cell::Cell;
use std::rc::Rc;

use analyze::query::Expr;
use expression::clauses::contain_leaked_vars;

use crate::path::clauses::{contains_volatile, fail_in_hashing};
use crate::path::relset::{Rels, rels_of};
use crate::path::state::{R, RelOptInfo, RestrictInfo};
use crate::planner_info::PlannerInfo;

/// How a condition stands in the query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub pushed_down: bool,
    pub delayed: bool,
    pub pseudoconstant: bool,
    /// What has to be joined before; empty: the entries in it.
    pub required: Rels,
    pub outer: Rels,
    /// Those in it that outer joins below it may have made NULL.
    pub nullable: Rels,
    pub security_level: u32,
}

/// `make_restrictinfo`, `check_mergejoinable`, `check_hashjoinable`.
pub fn make_restrictinfo(root: &PlannerInfo, mut clause: Expr, place: Place) -> RestrictInfo {
    let catalog = root.planner.catalog;
    let clause_rels = rels_of(&clause);
    if clause.is_indeterminate() && clause_rels.len() > 1 {
        fail_in_hashing(catalog, &mut clause);
    }
    let mut made = RestrictInfo {
        clause_rels,
        required: if place.required.is_empty() { clause_rels } else { place.required },
        outer: place.outer,
        nullable: place.nullable,
        left: Rels::EMPTY,
        right: Rels::EMPTY,
        pushed_down: place.pushed_down,
        delayed: place.delayed,
        can_join: false,
        pseudoconstant: place.pseudoconstant,
        has_volatile: false,
        security_level: place.security_level,
        leakproof: place.security_level == 0 || !contain_leaked_vars(catalog, &clause),
        merge_families: Default::default(),
        hash_operator: None,
        left_class: Cell::new(None),
        right_class: Cell::new(None),
        parent_class: None,
        selectivity: Cell::new(-1.0),
        outer_selectivity: Cell::new(-1.0),
        merge_scan: Cell::default(),
        cost: Cell::new(None),
        clause,
    };
    if let Expr::OpExpr(op) = &made.clause
        && let [left, right] = op.arguments.as_slice()
        && !made.clause.is_indeterminate()
    {
        made.left = rels_of(left);
        made.right = rels_of(right);
        made.can_join = !made.left.is_empty() && !made.right.is_empty() && !made.left.overlaps(made.right);
        let row = catalog.operator(op.operator);
        if !place.pseudoconstant && row.is_some_and(|row| row.oprcanmerge || row.oprcanhash) {
            made.has_volatile = contains_volatile(catalog, &made.clause);
            let ty = left.ty().oid;
            if !made.has_volatile {
                if catalog.is_mergejoinable(op.operator, ty) {
                    made.merge_families = catalog.mergejoin_opfamilies(op.operator).into();
                }
                if made.can_join && catalog.is_hashjoinable(op.operator, ty) {
                    made.hash_operator = Some(op.operator);
                }
            }
        }
    }
    made
}

/// May a condition be asked of a relation before all others (`restriction_is_securely_promotable`)?
pub fn is_promotable(clause: &RestrictInfo, rel: &RelOptInfo) -> bool {
    clause.leakproof || clause.security_level <= rel.least_security
}

pub fn shared(made: RestrictInfo) -> R {
    Rc::new(made)
}

/// The sides of a binary operator.
pub fn sides(clause: &RestrictInfo) -> Option<(&Expr, &Expr)> {
    match &clause.clause {
        Expr::OpExpr(op) => match op.arguments.as_slice() {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

/// May it be asked of the relation when others give it values (`join_clause_is_movable_to`)?
pub fn is_movable_to(root: &PlannerInfo, clause: &R, rel: crate::path::state::RelId) -> bool {
    let rel = &root.paths.rels[rel];
    clause.clause_rels.overlaps(rel.relids)
        && !clause.outer.overlaps(rel.relids)
        && !clause.nullable.overlaps(rel.relids)
        && !clause.pseudoconstant
        // A relation must not be given values by one that takes values from it.
        && !rel.lateral_referencers.overlaps(clause.clause_rels)
}

/// As [`is_movable_to`], within a set of relations that the clause's must be in (`join_clause_is_movable_into`).
pub fn is_movable_into(clause: &R, current: Rels, with_outer: Rels) -> bool {
    clause.clause_rels.is_subset(with_outer)
        && clause.clause_rels.overlaps(current)
        && !clause.outer.overlaps(current)
        && !clause.nullable.overlaps(current)
}
