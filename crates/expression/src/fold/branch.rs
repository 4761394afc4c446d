//! CASE and COALESCE: parts that cannot be reached are left out, and not computed.

use analyze::query::*;
use types::Result;

use super::{Folder, constant_truth, is_const, is_null_const, null};

impl Folder<'_> {
    pub(super) fn fold_case(&mut self, case: CaseExpr) -> Result<Expr> {
        let argument = case.argument.map(|argument| self.fold(argument)).transpose()?;
        let (value, argument) = match argument {
            Some(Expr::Const(value)) => (Some(value), None),
            argument => (None, argument),
        };
        let outer = std::mem::replace(&mut self.case_value, value);
        let branches = self.fold_branches(case.when, case.otherwise);
        self.case_value = outer;
        let (when, otherwise) = branches?;
        if when.is_empty() {
            return Ok(otherwise.unwrap_or_else(|| null(case.result)));
        }
        Ok(Expr::Case(Box::new(CaseExpr { argument, when, otherwise, ..case })))
    }

    fn fold_branches(&mut self, when: Vec<CaseWhen>, otherwise: Option<Expr>) -> Result<(Vec<CaseWhen>, Option<Expr>)> {
        let mut kept = Vec::with_capacity(when.len());
        for CaseWhen { condition, result } in when {
            let condition = self.fold(condition)?;
            match constant_truth(&condition) {
                Some(Some(true)) => return Ok((kept, Some(self.fold(result)?))),
                Some(_) => {}
                None => kept.push(CaseWhen { condition, result: self.fold(result)? }),
            }
        }
        let otherwise = otherwise.map(|otherwise| self.fold(otherwise)).transpose()?;
        Ok((kept, otherwise))
    }

    pub(super) fn fold_coalesce(&mut self, e: CoalesceExpr) -> Result<Expr> {
        let mut kept = Vec::with_capacity(e.arguments.len());
        for argument in e.arguments {
            let argument = self.fold(argument)?;
            if is_null_const(&argument) {
                continue;
            }
            let last = is_const(&argument);
            if last && kept.is_empty() {
                return Ok(argument);
            }
            kept.push(argument);
            if last {
                break;
            }
        }
        if kept.is_empty() {
            return Ok(null(TypeRef::of(e.ty.oid)));
        }
        Ok(Expr::Coalesce(CoalesceExpr { arguments: kept, ..e }))
    }
}
