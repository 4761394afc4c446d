//! AND, OR, NOT.

use analyze::query::*;
use catalog::Catalog;
use types::{Datum, Result};

use super::{Folder, boolean, constant_truth, nothing};
use crate::compile::ROOM;

impl Folder<'_> {
    pub(super) fn fold_bool(&mut self, e: BoolExpr) -> Result<Expr> {
        match e.operator {
            BoolOperator::And => self.fold_junction(e, false),
            BoolOperator::Or => self.fold_junction(e, true),
            BoolOperator::Not => {
                let argument = e.arguments.into_iter().next().unwrap_or_else(nothing);
                Ok(negate(self.fold(argument)?, self.catalog()))
            }
        }
    }

    /// An AND, which false `decides`, or an OR, which true does. One inside the other's arguments becomes part of it.
    fn fold_junction(&mut self, e: BoolExpr, decides: bool) -> Result<Expr> {
        let operator = e.operator;
        let mut kept = Vec::with_capacity(e.arguments.len());
        let mut unknown = false;
        // The next is the last one.
        let mut left: Vec<Expr> = e.arguments.into_iter().rev().collect();
        while let Some(argument) = left.pop() {
            let argument = match argument {
                Expr::BoolExpr(inner) if inner.operator == operator => {
                    left.extend(inner.arguments.into_iter().rev());
                    continue;
                }
                argument => self.fold(argument)?,
            };
            match argument {
                // Folding has made one of something else; its arguments are folded.
                Expr::BoolExpr(inner) if inner.operator == operator => left.extend(inner.arguments.into_iter().rev()),
                argument => match constant_truth(&argument) {
                    Some(Some(value)) if value == decides => return Ok(boolean(Some(decides))),
                    Some(Some(_)) => {}
                    Some(None) => unknown = true,
                    None => kept.push(argument),
                },
            }
        }
        if unknown {
            kept.push(boolean(None));
        }
        Ok(match kept.len() {
            0 => boolean(Some(!decides)),
            1 => kept.remove(0),
            _ => Expr::BoolExpr(BoolExpr { operator, arguments: kept, location: e.location }),
        })
    }
}

/// The negation of a condition, pushed as far down as it goes (`negate_clause`).
pub fn negate(expr: Expr, catalog: Catalog<'_>) -> Expr {
    syntax::with_stack_for(ROOM, || negate_any(expr, catalog))
}

fn negate_any(expr: Expr, catalog: Catalog<'_>) -> Expr {
    match expr {
        Expr::Const(constant) => boolean(match constant.value {
            Datum::Bool(value) => Some(!value),
            _ => None,
        }),
        Expr::OpExpr(mut e) => match negator(catalog, e.operator) {
            Some((operator, function)) => {
                (e.operator, e.function) = (operator, function);
                Expr::OpExpr(e)
            }
            None => not(Expr::OpExpr(e)),
        },
        Expr::ScalarArrayOpExpr(mut e) => match negator(catalog, e.operator) {
            Some((operator, function)) => {
                (e.operator, e.function, e.any) = (operator, function, !e.any);
                Expr::ScalarArrayOpExpr(e)
            }
            None => not(Expr::ScalarArrayOpExpr(e)),
        },
        Expr::BoolExpr(mut e) => {
            e.operator = match e.operator {
                BoolOperator::And => BoolOperator::Or,
                BoolOperator::Or => BoolOperator::And,
                BoolOperator::Not => return e.arguments.remove(0),
            };
            e.arguments = e.arguments.into_iter().map(|argument| negate(argument, catalog)).collect();
            Expr::BoolExpr(e)
        }
        // Of a row, neither may hold.
        Expr::NullTest(mut e) if !e.row => {
            e.is_null = !e.is_null;
            Expr::NullTest(e)
        }
        Expr::BooleanTest(mut e) => {
            e.kind = match e.kind {
                BooleanTestKind::IsTrue => BooleanTestKind::IsNotTrue,
                BooleanTestKind::IsNotTrue => BooleanTestKind::IsTrue,
                BooleanTestKind::IsFalse => BooleanTestKind::IsNotFalse,
                BooleanTestKind::IsNotFalse => BooleanTestKind::IsFalse,
                BooleanTestKind::IsUnknown => BooleanTestKind::IsNotUnknown,
                BooleanTestKind::IsNotUnknown => BooleanTestKind::IsUnknown,
            };
            Expr::BooleanTest(e)
        }
        expr => not(expr),
    }
}

fn not(expr: Expr) -> Expr {
    let location = expr.location();
    Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments: vec![expr], location })
}

fn negator(catalog: Catalog<'_>, operator: types::Oid) -> Option<(types::Oid, types::Oid)> {
    let negator = catalog.negator(operator)?;
    Some((negator, catalog.operator(negator)?.oprcode))
}
