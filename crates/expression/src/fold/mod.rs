//! Expressions made simpler before they are planned (`eval_const_expressions`): what is constant is computed, what cannot
//! be reached is left out. Errors of constant parts are errors of the statement, unless nothing can reach them.

mod boolean;
mod branch;
mod cast;
mod function;
mod support;
mod values;

use analyze::query::*;
use catalog::Catalog;
use error::sqlstate;
use types::{Argument, Datum, Result, oid};

pub use boolean::negate;
pub use values::fold_columns;

use crate::clauses;
use crate::compile::{NoInput, ROOM, compile};
use crate::execution::Execution;
use crate::frame::Frame;

/// What is known while expressions are simplified.
#[derive(Clone, Copy)]
pub struct Folding<'a> {
    pub catalog: Catalog<'a>,
    /// For functions that ask the session; its external parameters are those of `bound`.
    pub execution: &'a Execution,
    /// External parameters are the values that the execution has: a plan for this execution only.
    pub bound: bool,
    /// An estimate is wanted (`estimate_expression_value`): stable functions are computed too, and parameters are their
    /// values. Never for what is run.
    pub estimate: bool,
}

/// The same values, by a simpler expression. Subqueries are left as they are: each level of a query is simplified by itself.
pub fn fold(expr: Expr, folding: &Folding<'_>) -> Result<Expr> {
    Folder { folding, case_value: None }.fold(expr)
}

/// The value that an expression has now, if it does not depend on rows (`estimate_expression_value`). When it runs a stable
/// function may give another.
pub fn estimate(expr: &Expr, catalog: Catalog<'_>, execution: &Execution) -> Option<Const> {
    if is_of_rows(expr) {
        return None;
    }
    match fold(expr.clone(), &Folding { catalog, execution, bound: true, estimate: true }) {
        Ok(Expr::Const(constant)) => Some(constant),
        // Running it tells of an error.
        _ => None,
    }
}

/// Does an expression have other values in it than constants and parameters from outside?
pub fn is_of_rows(expr: &Expr) -> bool {
    expr.contains(&mut |expr| match expr {
        Expr::Param(param) => param.kind != ParamKind::External,
        Expr::Var(_) | Expr::Aggref(_) | Expr::SubPlan(_) | Expr::SubLink(_) => true,
        _ => false,
    })
}

struct Folder<'a> {
    folding: &'a Folding<'a>,
    /// The argument of the CASE around, where it is constant.
    case_value: Option<Const>,
}

pub(crate) fn boolean(value: Option<bool>) -> Expr {
    let value = value.map_or(Datum::Null, Datum::Bool);
    Expr::Const(Const { ty: TypeRef::of(oid::BOOL), value, location: Location::NONE })
}

pub(crate) fn null(ty: TypeRef) -> Expr {
    Expr::Const(Const { ty, value: Datum::Null, location: Location::NONE })
}

/// What stands where an expression was taken from.
pub(crate) fn nothing() -> Expr {
    Expr::MergeAction
}

/// The truth of a constant: NULL is not true. `None`: it is no constant.
pub(crate) fn constant_truth(expr: &Expr) -> Option<Option<bool>> {
    match expr {
        Expr::Const(constant) => Some(match constant.value {
            Datum::Bool(value) => Some(value),
            _ => None,
        }),
        _ => None,
    }
}

impl Folder<'_> {
    pub fn catalog(&self) -> Catalog<'_> {
        self.folding.catalog
    }

    pub fn fold(&mut self, expr: Expr) -> Result<Expr> {
        match expr {
            // Nothing is in them, and most expressions are these.
            Expr::Var(_) | Expr::Const(_) => Ok(expr),
            _ => syntax::with_stack_for(ROOM, || self.fold_any(expr)),
        }
    }

    pub fn fold_all(&mut self, exprs: Vec<Expr>) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|expr| self.fold(expr)).collect()
    }

    /// Folds what is right below a node.
    fn fold_children(&mut self, mut expr: Expr) -> Result<Expr> {
        let mut failed = None;
        expr.mutate(
            &mut |child| {
                if failed.is_none() {
                    match self.fold(std::mem::replace(child, nothing())) {
                        Ok(folded) => *child = folded,
                        Err(error) => failed = Some(error),
                    }
                }
            },
            &mut |_| {},
        );
        failed.map_or(Ok(expr), Err)
    }

    fn fold_any(&mut self, expr: Expr) -> Result<Expr> {
        match expr {
            Expr::Param(param) => Ok(self.bound(param)),
            Expr::FuncExpr(call) => self.fold_function(call),
            Expr::OpExpr(call) => self.fold_operator(call),
            Expr::DistinctExpr(call) => self.fold_distinct(call),
            Expr::NullIfExpr(call) => self.fold_null_if(call),
            Expr::ScalarArrayOpExpr(_) => {
                let expr = self.fold_children(expr)?;
                let Expr::ScalarArrayOpExpr(e) = &expr else { unreachable!("folding keeps the node") };
                let safe = is_const(&e.scalar) && is_const(&e.array) && self.is_safe(e.function);
                if safe { self.computed(expr) } else { Ok(expr) }
            }
            Expr::BoolExpr(e) => self.fold_bool(e),
            // It is folded when it is made.
            Expr::SubPlan(_) => Ok(expr),
            Expr::RelabelType(e) => {
                let argument = self.fold(e.argument)?;
                Ok(cast::relabel(argument, e.result, e.form, e.location))
            }
            Expr::CoerceViaIo(e) => self.fold_through_text(*e),
            Expr::ArrayCoerce(e) => self.fold_array_coerce(*e),
            Expr::Case(e) => self.fold_case(*e),
            Expr::CaseTest(_) => Ok(self.case_value.clone().map_or(expr, Expr::Const)),
            Expr::SubscriptingRef(_) | Expr::Array(_) | Expr::Row(_) | Expr::MinMax(_) => {
                let expr = self.fold_children(expr)?;
                let stop = |child: &Expr| if is_const(child) { Walk::On } else { Walk::Stop };
                let constant = expr.walk(&mut { stop }, &mut |_| Walk::Stop) == Walk::On;
                if constant { self.computed(expr) } else { Ok(expr) }
            }
            Expr::Coalesce(e) => self.fold_coalesce(e),
            Expr::SqlValue(_) if self.folding.estimate => self.computed(expr),
            Expr::FieldSelect(e) => self.fold_field(*e),
            Expr::NullTest(e) => self.fold_null_test(*e),
            Expr::BooleanTest(e) => self.fold_boolean_test(*e),
            _ => self.fold_children(expr),
        }
    }

    fn bound(&self, param: Param) -> Expr {
        let known = self.folding.bound || self.folding.estimate;
        let value = match param.kind {
            ParamKind::External if known => self.folding.execution.external.get(param.number as usize - 1),
            _ => None,
        };
        match value {
            Some(value) => {
                let value = Datum::of(value.array(), 0);
                Expr::Const(Const { ty: param.ty, value, location: param.location })
            }
            None => Expr::Param(param),
        }
    }

    /// Whether a function may be computed now (`ece_function_is_safe`).
    fn is_safe(&self, function: types::Oid) -> bool {
        match clauses::function_volatility(self.catalog(), function) {
            b'i' => true,
            b's' => self.folding.estimate,
            _ => false,
        }
    }

    /// The value of an expression of constants. What is not here is left as it is: it fails when it is compiled to run. A function that
    /// may not be called fails at once.
    fn computed(&self, expr: Expr) -> Result<Expr> {
        let ty = expr.ty();
        match self.value(&expr)? {
            Some(value) => Ok(Expr::Const(Const { ty, value, location: expr.location() })),
            None => Ok(expr),
        }
    }

    fn value(&self, expr: &Expr) -> Result<Option<Datum>> {
        let state = match compile(expr, &NoInput, self.catalog()) {
            Ok(state) => state,
            Err(error) if error.0.code == sqlstate::INSUFFICIENT_PRIVILEGE => return Err(error),
            Err(_) => return Ok(None),
        };
        if state.waits() {
            return Ok(None);
        }
        let value: Argument = state.node.evaluate(&Frame::new(&[], 1, self.folding.execution))?;
        Ok(Some(Datum::of(value.array(), 0)))
    }

    fn fold_field(&mut self, e: FieldSelect) -> Result<Expr> {
        let row = self.fold(e.row)?;
        match row {
            Expr::Var(var) if var.attribute == 0 && var.levels_up == 0 => {
                Ok(Expr::Var(Var { attribute: e.field, ty: e.result, ..var }))
            }
            Expr::Row(mut row) => {
                let at = (e.field as usize).wrapping_sub(1);
                match row.fields.get(at).is_some_and(|field| field.ty() == e.result) {
                    true => Ok(row.fields.swap_remove(at)),
                    false => Ok(Expr::FieldSelect(Box::new(FieldSelect { row: Expr::Row(row), ..e }))),
                }
            }
            row => {
                let constant = is_const(&row);
                let expr = Expr::FieldSelect(Box::new(FieldSelect { row, ..e }));
                if constant { self.computed(expr) } else { Ok(expr) }
            }
        }
    }
}

pub(crate) fn is_const(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_))
}

pub(crate) fn is_null_const(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(constant) if constant.value.is_null())
}
