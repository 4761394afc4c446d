//! How many rows conditions let through (PostgreSQL's `clausesel.c`).

use std::cell::OnceCell;

use analyze::query::*;
use types::{Oid, oid};

use crate::path::arrays;
use crate::path::clauses::{is_pseudo_constant, strip_relabel};
use crate::path::estimate::likesupport;
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::{VariableStats, clamp};
use crate::path::estimate::values::known_value;
use crate::path::relset::{Rels, rels_of};
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::planner_info::PlannerInfo;

/// For what conditions are estimated: a relation's own (`rel`, joined with others by parameters), or a join.
#[derive(Clone, Copy)]
pub struct For<'j> {
    /// The only relation whose columns are looked at; the rest are parameters. 0: all.
    pub rel: RangeTableIndex,
    pub join: Option<&'j SpecialJoinInfo>,
    /// The kind of the join that is estimated.
    pub kind: JoinKind,
    /// A semijoin's inner rows.
    pub inner_rows: f64,
}

impl<'j> For<'j> {
    pub fn rel(rel: RangeTableIndex) -> For<'static> {
        For { rel, join: None, kind: JoinKind::Inner, inner_rows: 0.0 }
    }

    pub fn join(join: &'j SpecialJoinInfo, kind: JoinKind, inner_rows: f64) -> For<'j> {
        For { rel: RangeTableIndex(0), join: Some(join), kind, inner_rows }
    }
}

/// Two inequalities on one expression: a range.
struct RangeClause<'e> {
    variable: &'e Expr,
    low: Option<f64>,
    high: Option<f64>,
}

// `pg_operator.oprrest` of what is estimated in a way of its own.
pub(crate) const EQSEL: Oid = 101;
const NEQSEL: Oid = 102;
pub(crate) const SCALARLTSEL: Oid = 103;
pub(crate) const SCALARGTSEL: Oid = 104;
pub(crate) const SCALARLESEL: Oid = 336;
pub(crate) const SCALARGESEL: Oid = 337;
const EQJOINSEL: Oid = 105;
const NEQJOINSEL: Oid = 106;
const SCALARLTJOINSEL: Oid = 107;
const SCALARGTJOINSEL: Oid = 108;
const SCALARLEJOINSEL: Oid = 386;
const SCALARGEJOINSEL: Oid = 398;
const MATCHINGSEL: Oid = 5040;

/// Of conditions that all have to hold (`clauselist_selectivity`).
pub fn clauselist(root: &PlannerInfo, clauses: &[R], what: For) -> f64 {
    if let [only] = clauses {
        return restriction(root, only, what);
    }
    let exprs = clauses.iter().map(|clause| (&clause.clause, Some(clause)));
    list(root, exprs, what)
}

fn list<'e>(root: &PlannerInfo, clauses: impl Iterator<Item = (&'e Expr, Option<&'e R>)>, what: For) -> f64 {
    let mut all = 1.0;
    let mut ranges: Vec<RangeClause> = Vec::new();
    for (expr, restrict) in clauses {
        let one = match restrict {
            Some(restrict) => restriction(root, restrict, what),
            None => clause(root, expr, what),
        };
        if let Some((variable, is_low)) = range_part(root, expr, what.rel) {
            let at = ranges.iter().position(|range| range.variable == variable).unwrap_or_else(|| {
                ranges.push(RangeClause { variable, low: None, high: None });
                ranges.len() - 1
            });
            let bound = if is_low { &mut ranges[at].low } else { &mut ranges[at].high };
            *bound = Some(bound.map_or(one, |other| other.min(one)));
        } else {
            all *= one;
        }
    }
    for range in ranges {
        all *= match (range.low, range.high) {
            (Some(low), Some(high)) => {
                if low == selfuncs::DEFAULT_INEQ || high == selfuncs::DEFAULT_INEQ {
                    selfuncs::DEFAULT_RANGE
                } else {
                    let both = high + low - 1.0 + selfuncs::null_test(root, range.variable, true);
                    if both > 0.0 {
                        both
                    } else if both < -0.01 {
                        selfuncs::DEFAULT_RANGE
                    } else {
                        1.0e-10
                    }
                }
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 1.0,
        };
    }
    all
}

/// `x > constant` or `x < constant`: of what, and whether it is a lower bound.
fn range_part<'e>(root: &PlannerInfo, expr: &'e Expr, rel: RangeTableIndex) -> Option<(&'e Expr, bool)> {
    let Expr::OpExpr(op) = expr else { return None };
    let [left, right] = op.arguments.as_slice() else { return None };
    let catalog = root.planner.catalog;
    let row = catalog.operator(op.operator)?;
    let is_low = match row.oprrest {
        SCALARGTSEL | SCALARGESEL => true,
        SCALARLTSEL | SCALARLESEL => false,
        _ => return None,
    };
    let (left_rels, right_rels) = (rels_of(left), rels_of(right));
    let of_one = |rels: Rels| if rel.0 == 0 { rels.len() == 1 } else { rels == Rels::of(rel) };
    if of_one(left_rels) && (right_rels.is_empty() && is_pseudo_constant(catalog, right)) {
        Some((left, is_low))
    } else if of_one(right_rels) && left_rels.is_empty() && is_pseudo_constant(catalog, left) {
        Some((right, !is_low))
    } else {
        None
    }
}

/// Of a condition, kept in it (`clause_selectivity`).
pub fn restriction(root: &PlannerInfo, restrict: &R, what: For) -> f64 {
    if restrict.pseudoconstant {
        return if crate::path::clauses::is_false(&restrict.clause) { 0.0 } else { 1.0 };
    }
    // What is the same for all joins is kept.
    let cacheable = what.rel.0 == 0 || restrict.clause_rels.len() <= 1;
    let kept = if what.kind == JoinKind::Inner { &restrict.selectivity } else { &restrict.outer_selectivity };
    if cacheable && kept.get() >= 0.0 {
        return kept.get();
    }
    let one = clause(root, &restrict.clause, what);
    if cacheable {
        kept.set(one);
    }
    one
}

/// Of any expression that gives a boolean.
pub fn clause(root: &PlannerInfo, expr: &Expr, what: For) -> f64 {
    match expr {
        Expr::Const(_) | Expr::Param(_) => match known_value(root, expr) {
            Some((_, value)) => f64::from(u8::from(*value == types::Datum::Bool(true))),
            None => 0.5,
        },
        Expr::Var(_) => bool_variable(root, expr),
        Expr::BoolExpr(e) => match e.operator {
            BoolOperator::Not => 1.0 - clause(root, &e.arguments[0], what),
            BoolOperator::And => list(root, e.arguments.iter().map(|part| (part, None)), what),
            BoolOperator::Or => e.arguments.iter().fold(0.0, |sum, part| {
                let one = clause(root, part, what);
                sum + one - sum * one
            }),
        },
        Expr::OpExpr(op) => clamp(operator(root, op, what)),
        Expr::DistinctExpr(op) => {
            let equal = operator(root, op, what);
            clamp(1.0 - equal)
        }
        Expr::ScalarArrayOpExpr(op) => scalar_array(root, op, what),
        Expr::RowCompare(e) => {
            let Some(operator_) = e.operators.first() else { return 0.5 };
            let first = crate::path::clauses::make_opclause(
                root.planner.catalog,
                *operator_,
                e.left[0].clone(),
                e.right[0].clone(),
            );
            clause(root, &first, what)
        }
        Expr::NullTest(test) => selfuncs::null_test(root, &test.argument, test.is_null),
        Expr::BooleanTest(test) => selfuncs::boolean_test(root, test, || clause(root, &test.argument, what)),
        Expr::RelabelType(e) => clause(root, &e.argument, what),
        Expr::FuncExpr(_) => 0.333_333_3,
        _ => bool_variable(root, expr),
    }
}

/// A boolean that is a condition itself (`boolvarsel`).
fn bool_variable(root: &PlannerInfo, expr: &Expr) -> f64 {
    let found = selfuncs::examine_variable(root, expr);
    match found.statistics {
        Some(_) => selfuncs::eq_const(&found, (oid::BOOL, &types::Datum::Bool(true)), false),
        None => 0.5,
    }
}

/// Is it estimated as a join's condition (`treat_as_join_clause`)?
fn is_join_clause(expr_rels: Rels, what: For) -> bool {
    what.rel.0 == 0 && what.join.is_some() && expr_rels.len() > 1
}

fn operator(root: &PlannerInfo, op: &OpExpr, what: For) -> f64 {
    let Some(row) = root.planner.catalog.operator(op.operator) else { return 0.5 };
    let [left, right] = op.arguments.as_slice() else {
        return if row.oprrest == 0 { 0.5 } else { selfuncs::DEFAULT_MATCH };
    };
    if let Some(join) = what.join
        && is_join_clause(rels_of(left) | rels_of(right), what)
    {
        let joined = || selfuncs::eq_join(root, (op.operator, left, right), join, what.inner_rows);
        return match row.oprjoin {
            EQJOINSEL => joined(),
            // A row has another partner, unless all of them are the same.
            NEQJOINSEL if matches!(join.kind, JoinKind::Semi | JoinKind::Anti) => {
                selfuncs::not_null_of_outer(root, left, right, join)
            }
            NEQJOINSEL => 1.0 - joined(),
            SCALARLTJOINSEL | SCALARGTJOINSEL | SCALARLEJOINSEL | SCALARGEJOINSEL => selfuncs::DEFAULT_INEQ,
            0 => 0.5,
            _ => selfuncs::DEFAULT_MATCH,
        };
    }
    comparison(root, op.operator, row.oprrest, left, right, what.rel)
}

/// A comparison of an expression with something that is known, or is not (`restriction_selectivity`).
fn comparison(
    root: &PlannerInfo,
    operator: Oid,
    estimator: Oid,
    left: &Expr,
    right: &Expr,
    rel: RangeTableIndex,
) -> f64 {
    let (left_rels, right_rels) = (rels_of(left), rels_of(right));
    let ours = |rels: Rels| if rel.0 == 0 { !rels.is_empty() } else { rels.contains(rel) };
    let (variable, other, on_left) = match (ours(left_rels), ours(right_rels)) {
        (true, false) => (left, right, true),
        (false, true) => (right, left, false),
        _ => {
            return match estimator {
                EQSEL => DEFAULT_EQ_BOTH,
                NEQSEL => 1.0 - DEFAULT_EQ_BOTH,
                SCALARLTSEL | SCALARGTSEL | SCALARLESEL | SCALARGESEL => selfuncs::DEFAULT_INEQ,
                0 => 0.5,
                _ => likesupport::default_selectivity(estimator),
            };
        }
    };
    compared(root, (operator, estimator), &selfuncs::examine_variable(root, variable), other, on_left)
}

/// The same where it is known which side is looked at.
fn compared(
    root: &PlannerInfo,
    (operator, estimator): (Oid, Oid),
    found: &VariableStats,
    other: &Expr,
    on_left: bool,
) -> f64 {
    let known = known_value(root, other);
    let value = known.as_ref().map(|(ty, value)| (*ty, &**value));
    let shown = found.is_guarded.then(|| found.clone().shown_to(root, operator));
    let shown = shown.as_ref().unwrap_or(found);
    match estimator {
        EQSEL | NEQSEL => match value {
            Some(value) => selfuncs::eq_const(shown, value, estimator == NEQSEL),
            None => selfuncs::eq_non_const(shown, estimator == NEQSEL),
        },
        SCALARLTSEL | SCALARGTSEL | SCALARLESEL | SCALARGESEL => {
            let greater = matches!(estimator, SCALARGTSEL | SCALARGESEL) == on_left;
            let or_equal = matches!(estimator, SCALARLESEL | SCALARGESEL);
            value.map_or(selfuncs::DEFAULT_INEQ, |value| selfuncs::inequality(shown, value, greater, or_equal))
        }
        MATCHINGSEL => 0.010,
        0 => 0.5,
        _ => likesupport::pattern_selectivity(root, operator, estimator, found, value.filter(|_| on_left)),
    }
}

const DEFAULT_EQ_BOTH: f64 = selfuncs::DEFAULT_EQ;

/// `x = ANY (array)` and its like (`scalararraysel`).
fn scalar_array(root: &PlannerInfo, op: &ScalarArrayOpExpr, what: For) -> f64 {
    let Some(row) = root.planner.catalog.operator(op.operator) else { return 0.5 };
    let (is_equality, is_inequality) = (row.oprrest == EQSEL, row.oprrest == NEQSEL);
    let rels = rels_of(&op.scalar);
    let ours = if what.rel.0 == 0 { !rels.is_empty() } else { rels.contains(what.rel) };
    let joins = what.join.is_some() && is_join_clause(rels, what);
    // What is known of it is looked up once for all elements.
    let found = OnceCell::new();
    let of = |element: &Expr| {
        if ours && !joins && rels_of(element).is_empty() {
            let found = found.get_or_init(|| selfuncs::examine_variable(root, &op.scalar));
            return compared(root, (op.operator, row.oprrest), found, element, true);
        }
        let both = OpExpr {
            operator: op.operator,
            function: op.function,
            result: oid::BOOL,
            collation: op.collation,
            arguments: vec![(*op.scalar).clone(), element.clone()],
            location: Location::NONE,
        };
        operator(root, &both, what)
    };
    let array = strip_relabel(&op.array);
    let each: Vec<f64> = match array {
        Expr::Array(array) if !array.multidimensional => array.elements.iter().map(of).collect(),
        other => {
            let known = known_value(root, other);
            if known.as_ref().is_some_and(|(_, value)| value.is_null()) {
                return 0.0;
            }
            match known.and_then(|(_, value)| arrays::elements(&value)) {
                Some(list) => {
                    let ty = TypeRef::of(root.planner.catalog.element_type(other.ty().oid).unwrap_or(oid::INVALID));
                    let constant = |value| Expr::Const(Const { ty, value, location: Location::NONE });
                    list.into_iter().map(|value| of(&constant(value))).collect()
                }
                None => {
                    // Ten elements, of which nothing is known.
                    let element = root.planner.catalog.element_type(other.ty().oid).unwrap_or(oid::INVALID);
                    let unknown = Expr::CaseTest(TypeRef::of(element));
                    vec![of(&unknown); 10]
                }
            }
        }
    };
    combine(&each, op.any, is_equality, is_inequality)
}

fn combine(each: &[f64], any: bool, is_equality: bool, is_inequality: bool) -> f64 {
    let (mut all, mut disjoint) = if any { (0.0, 0.0) } else { (1.0, 1.0) };
    for one in each {
        if any {
            all = all + one - all * one;
            disjoint += one;
        } else {
            all *= one;
            disjoint += one - 1.0;
        }
    }
    let believable = if any { is_equality } else { is_inequality };
    clamp(if believable && (0.0..=1.0).contains(&disjoint) { disjoint } else { all })
}
