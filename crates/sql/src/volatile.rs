//! Which expressions may give another value each time: they are computed as often as PostgreSQL computes them, no more.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::logical_expr::{ScalarUDF, Volatility};
use datafusion::sql::sqlparser::ast::{Expr, Visit, visit_expressions};

use crate::ddl::ident;

/// Knows the volatile functions among those of a session.
pub struct Volatile<'a> {
    pub functions: &'a HashMap<String, Arc<ScalarUDF>>,
}

impl Volatile<'_> {
    /// Is a volatile function called in it, in subqueries or outside of them?
    pub fn is_in(&self, node: &impl Visit) -> bool {
        let found = visit_expressions(node, |expr| match expr {
            Expr::Function(function) if self.has(function.name.0.last().and_then(|p| p.as_ident()).map(ident)) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        found.is_break()
    }

    fn has(&self, name: Option<String>) -> bool {
        let function = name.and_then(|name| self.functions.get(&name));
        function.is_some_and(|function| function.signature().volatility == Volatility::Volatile)
    }
}
