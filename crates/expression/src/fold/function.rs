//! Calls of functions and operators.

use analyze::query::*;
use types::{Datum, Oid, Result, oid};

use super::boolean::negate;
use super::{Folder, boolean, constant_truth, is_const, is_null_const, null, support};
use crate::clauses::function_is_strict;

/// `=` and `<>` of booleans.
const BOOLEAN_EQUAL: Oid = 91;
const BOOLEAN_NOT_EQUAL: Oid = 85;

impl Folder<'_> {
    pub(super) fn fold_function(&mut self, mut call: FuncExpr) -> Result<Expr> {
        call.arguments = self.fold_all(call.arguments)?;
        if call.returns_set || !self.may_compute(call.function, &call.arguments) {
            return Ok(support::simplify(call));
        }
        if self.is_null_by_strictness(call.function, &call.arguments) {
            return Ok(null(call.result));
        }
        self.computed(Expr::FuncExpr(call))
    }

    pub(super) fn fold_operator(&mut self, mut call: OpExpr) -> Result<Expr> {
        call.arguments = self.fold_all(call.arguments)?;
        if self.may_compute(call.function, &call.arguments) {
            if self.is_null_by_strictness(call.function, &call.arguments) {
                return Ok(null(TypeRef::of(call.result)));
            }
            return self.computed(Expr::OpExpr(call));
        }
        match call.operator {
            BOOLEAN_EQUAL | BOOLEAN_NOT_EQUAL => Ok(self.with_boolean(call)),
            _ => Ok(Expr::OpExpr(call)),
        }
    }

    /// Whether the value of a call is known: all arguments are and it may be computed, or it is NULL (`evaluate_function`).
    fn may_compute(&self, function: Oid, arguments: &[Expr]) -> bool {
        let Some(row) = self.catalog().function(function) else { return false };
        if row.proretset || row.prorettype == oid::RECORD {
            return false;
        }
        self.is_null_by_strictness(function, arguments) || (arguments.iter().all(is_const) && self.is_safe(function))
    }

    fn is_null_by_strictness(&self, function: Oid, arguments: &[Expr]) -> bool {
        arguments.iter().any(is_null_const) && function_is_strict(self.catalog(), function)
    }

    /// `x = true` is x (`simplify_boolean_equality`).
    fn with_boolean(&self, mut call: OpExpr) -> Expr {
        let constant = call.arguments.iter().position(is_const);
        let Some(value) = constant.and_then(|at| constant_truth(&call.arguments[at]).flatten()) else {
            return Expr::OpExpr(call);
        };
        let other = call.arguments.swap_remove(1 - constant.unwrap_or_default());
        if value == (call.operator == BOOLEAN_EQUAL) { other } else { negate(other, self.catalog()) }
    }

    pub(super) fn fold_distinct(&mut self, mut call: OpExpr) -> Result<Expr> {
        call.arguments = self.fold_all(call.arguments)?;
        if call.arguments.iter().all(is_const) {
            let nulls = call.arguments.iter().filter(|argument| is_null_const(argument)).count();
            if nulls > 0 {
                return Ok(boolean(Some(nulls == 1)));
            }
            if self.is_safe(call.function) {
                return self.computed(Expr::DistinctExpr(call));
            }
        }
        Ok(Expr::DistinctExpr(call))
    }

    pub(super) fn fold_null_if(&mut self, mut call: OpExpr) -> Result<Expr> {
        call.arguments = self.fold_all(call.arguments)?;
        // Nothing is equal to NULL.
        if call.arguments.iter().any(is_null_const) {
            return Ok(call.arguments.swap_remove(0));
        }
        match call.arguments.iter().all(is_const) && self.is_safe(call.function) {
            true => self.computed(Expr::NullIfExpr(call)),
            false => Ok(Expr::NullIfExpr(call)),
        }
    }

    pub(super) fn fold_null_test(&mut self, e: NullTest) -> Result<Expr> {
        let argument = self.fold(e.argument)?;
        match argument {
            Expr::Row(row) if e.row => Ok(self.fold_row_test(row, e.is_null, e.location)),
            Expr::Const(constant) if !e.row => Ok(boolean(Some(constant.value.is_null() == e.is_null))),
            argument => Ok(Expr::NullTest(Box::new(NullTest { argument, ..e }))),
        }
    }

    /// A test of each field. Fields that are rows themselves count as values.
    fn fold_row_test(&self, row: RowExpr, is_null: bool, location: Location) -> Expr {
        let mut tests = Vec::new();
        for field in row.fields {
            match &field {
                Expr::Const(constant) if constant.value.is_null() == is_null => {}
                Expr::Const(_) => return boolean(Some(false)),
                _ => tests.push(Expr::NullTest(Box::new(NullTest { argument: field, is_null, row: false, location }))),
            }
        }
        match tests.len() {
            0 => boolean(Some(true)),
            1 => tests.remove(0),
            _ => Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments: tests, location: Location::NONE }),
        }
    }

    pub(super) fn fold_boolean_test(&mut self, e: BooleanTest) -> Result<Expr> {
        use BooleanTestKind::*;
        let argument = self.fold(e.argument)?;
        let Some(truth) = constant_truth(&argument) else {
            return Ok(Expr::BooleanTest(Box::new(BooleanTest { argument, ..e })));
        };
        let holds = match e.kind {
            IsTrue => truth == Some(true),
            IsNotTrue => truth != Some(true),
            IsFalse => truth == Some(false),
            IsNotFalse => truth != Some(false),
            IsUnknown => truth.is_none(),
            IsNotUnknown => truth.is_some(),
        };
        Ok(boolean(Some(holds)))
    }
}

/// An integer that is known.
pub(super) fn constant_int(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(Const { value: Datum::I32(value), .. }) => Some(*value),
        _ => None,
    }
}
