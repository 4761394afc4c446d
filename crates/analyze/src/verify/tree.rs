//! Going through an expression with what is around each node of it.

use catalog::Catalog;
use types::Oid;

use super::{Checked, holds, node};
use crate::query::*;

/// What is around a node.
#[derive(Clone, Copy, Default)]
pub struct Around<'e> {
    /// The type of what [`Expr::CaseTest`] is.
    case_test: Option<Oid>,
    /// The query whose columns [`ParamKind::SubLink`] are.
    pub sublink: Option<&'e Query>,
}

impl<'e> Around<'e> {
    /// What is around a child of a node.
    fn of_child(self, catalog: Catalog<'_>, parent: &'e Expr, number: usize) -> Around<'e> {
        match parent {
            Expr::Case(case) if number > 0 => match &case.argument {
                Some(argument) => Around { case_test: Some(argument.ty().oid), ..self },
                None => self,
            },
            Expr::ArrayCoerce(cast) if number == 1 => {
                Around { case_test: catalog.base_element_type(cast.argument.ty().oid), ..self }
            }
            Expr::SubLink(link) => Around { sublink: Some(&link.query), ..self },
            _ => self,
        }
    }
}

/// Calls `each` for a node and all below it, and `query` for the queries of sublinks, until something does not fit. With a
/// catalog each node has to fit those below it.
pub fn tree(
    catalog: Option<Catalog<'_>>,
    expr: &Expr,
    around: Around<'_>,
    each: &mut dyn FnMut(&Expr, Around<'_>) -> Checked,
    query: &mut dyn FnMut(&Query) -> Checked,
) -> Checked {
    if let Some(catalog) = catalog {
        node(catalog, expr)?;
        if let Expr::CaseTest(ty) = expr {
            holds(around.case_test == Some(ty.oid), || format!("the value of a CASE is not of type {}", ty.oid))?;
        }
    }
    each(expr, around)?;
    let (mut result, mut found, mut number) = (Ok(()), Ok(()), 0);
    let walk_on = |result: &Checked| if result.is_ok() { Walk::On } else { Walk::Stop };
    let mut child = |child: &Expr| {
        let around = catalog.map_or(around, |catalog| around.of_child(catalog, expr, number));
        number += 1;
        result = tree(catalog, child, around, each, query);
        walk_on(&result)
    };
    // A sublink's test is looked at before its query: one at a time has `query`.
    expr.walk(&mut child, &mut |_| Walk::On);
    result?;
    if let Expr::SubLink(link) = expr {
        found = query(&link.query);
    }
    found
}
