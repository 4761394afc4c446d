//! Conditions in a normal form: PostgreSQL's `prepqual.c`, and `process_duplicate_ors` of it. ANDs stand in no AND and ORs in
//! no OR; what all arms of an OR demand stands before it.

use analyze::query::*;
use types::Datum;

use crate::manip::{and_list, make_bool, make_bool_const};

/// A condition that has to be true (`canonicalize_qual`): NULL in it is as good as false.
pub fn canonicalize(expr: Expr) -> Expr {
    match expr {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => {
            let mut flat = Vec::with_capacity(arguments.len());
            for argument in arguments {
                let argument = canonicalize(argument);
                match constant(&argument) {
                    Some(true) => {}
                    Some(false) => return make_bool_const(false),
                    None => flat.extend(and_list(argument)),
                }
            }
            make_bool(BoolOperator::And, flat).unwrap_or_else(|| make_bool_const(true))
        }
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, arguments, .. }) => {
            let mut flat = Vec::with_capacity(arguments.len());
            for argument in arguments {
                let argument = canonicalize(argument);
                match (constant(&argument), argument) {
                    (Some(true), argument) => return argument,
                    (Some(false), _) => {}
                    (_, Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, arguments, .. })) => {
                        flat.extend(arguments)
                    }
                    (_, other) => flat.push(other),
                }
            }
            if flat.is_empty() { make_bool_const(false) } else { without_common_parts(flat) }
        }
        other => other,
    }
}

/// Is it a constant, and true?
fn constant(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Const(constant) => Some(constant.value == Datum::Bool(true)),
        _ => None,
    }
}

/// `(a AND b) OR (a AND c)` is `a AND (b OR c)`: the shortest arm says what may be common.
fn without_common_parts(arms: Vec<Expr>) -> Expr {
    let or = |arms: Vec<Expr>| make_bool(BoolOperator::Or, arms).expect("it had arms");
    let mut arms: Vec<Vec<Expr>> = arms.into_iter().map(and_list).collect();
    let shortest = arms.iter().min_by_key(|arm| arm.len()).expect("it had arms");
    let mut common: Vec<Expr> = Vec::new();
    if arms.len() > 1 {
        for part in shortest {
            if !common.contains(part) && arms.iter().all(|arm| arm.contains(part)) {
                common.push(part.clone());
            }
        }
    }
    let and = |arm: Vec<Expr>| make_bool(BoolOperator::And, arm).expect("an arm has parts");
    if common.is_empty() {
        return or(arms.into_iter().map(and).collect());
    }
    for arm in &mut arms {
        arm.retain(|part| !common.contains(part));
    }
    // An arm with nothing else is true where the common parts are.
    if !arms.iter().any(Vec::is_empty) {
        match or(arms.into_iter().map(and).collect()) {
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => common.extend(arguments),
            other => common.push(other),
        }
    }
    and(common)
}
