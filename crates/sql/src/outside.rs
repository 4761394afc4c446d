//! Expressions outside of subqueries: those may mean tables of their own by the names that they use.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Query, Visit, VisitMut, Visitor, VisitorMut};

/// Gives each expression to `each`, those outside before those inside of them.
pub fn visit<B>(node: &impl Visit, each: impl FnMut(&Expr) -> ControlFlow<B>) -> ControlFlow<B> {
    node.visit(&mut Outside { each, depth: 0 })
}

/// Gives each expression to `each`, which may replace it, those inside of others before those.
pub fn visit_mut<B>(node: &mut impl VisitMut, each: impl FnMut(&mut Expr) -> ControlFlow<B>) -> ControlFlow<B> {
    node.visit(&mut Outside { each, depth: 0 })
}

struct Outside<F> {
    each: F,
    /// Queries around the place.
    depth: usize,
}

impl<B, F: FnMut(&Expr) -> ControlFlow<B>> Visitor for Outside<F> {
    type Break = B;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<B> {
        self.depth += 1;
        ControlFlow::Continue(())
    }
    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<B> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<B> {
        if self.depth == 0 { (self.each)(expr) } else { ControlFlow::Continue(()) }
    }
}

impl<B, F: FnMut(&mut Expr) -> ControlFlow<B>> VisitorMut for Outside<F> {
    type Break = B;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<B> {
        self.depth += 1;
        ControlFlow::Continue(())
    }
    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<B> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<B> {
        if self.depth == 0 { (self.each)(expr) } else { ControlFlow::Continue(()) }
    }
}
