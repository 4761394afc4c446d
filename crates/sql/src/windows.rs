//! Named windows: `OVER w`, `OVER (w ORDER BY …)`, and windows that extend others.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, NamedWindowDefinition, NamedWindowExpr, Select, VisitMut, WindowSpec, WindowType,
};
use engine::{EngineError, Result};

use crate::ddl::ident;
use crate::outside;

/// Gives every window function of a SELECT, and of its ORDER BY, the whole of its window.
pub fn resolve(select: &mut Select, order: &mut impl VisitMut) -> Result<()> {
    let mut known: Vec<(String, WindowSpec)> = vec![];
    for NamedWindowDefinition(name, window) in std::mem::take(&mut select.named_window) {
        let name = ident(&name);
        if known.iter().any(|(other, _)| *other == name) {
            return Err(EngineError::new("42P20", format!("window \"{name}\" is already defined")));
        }
        let NamedWindowExpr::WindowSpec(spec) = window else {
            return Err(EngineError::new("42601", format!("syntax error in the definition of window \"{name}\"")));
        };
        let spec = whole(spec, &known)?;
        known.push((name, spec));
    }
    let mut over = |expr: &mut Expr| {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let spec = match function.over.take() {
            None => return ControlFlow::Continue(()),
            Some(WindowType::NamedWindow(name)) => find(&name, &known).cloned(),
            Some(WindowType::WindowSpec(spec)) => whole(spec, &known),
        };
        match spec {
            Ok(spec) => {
                function.over = Some(WindowType::WindowSpec(spec));
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    };
    let done = [
        outside::visit_mut(&mut select.projection, &mut over),
        outside::visit_mut(&mut select.distinct, &mut over),
        outside::visit_mut(order, &mut over),
    ];
    done.into_iter().try_for_each(|done| match done {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    })
}

fn find<'k>(name: &Ident, known: &'k [(String, WindowSpec)]) -> Result<&'k WindowSpec> {
    let name = ident(name);
    let found = known.iter().find(|(other, _)| *other == name).map(|(_, spec)| spec);
    found.ok_or_else(|| EngineError::new("42704", format!("window \"{name}\" does not exist")))
}

/// A window with what it copies from the one that it names.
fn whole(mut spec: WindowSpec, known: &[(String, WindowSpec)]) -> Result<WindowSpec> {
    let Some(name) = spec.window_name.take() else { return Ok(spec) };
    let base = find(&name, known)?;
    let refused = |what: String| Err(EngineError::new("42P20", what));
    let name = ident(&name);
    if !spec.partition_by.is_empty() {
        return refused(format!("cannot override PARTITION BY clause of window \"{name}\""));
    }
    if !spec.order_by.is_empty() && !base.order_by.is_empty() {
        return refused(format!("cannot override ORDER BY clause of window \"{name}\""));
    }
    if base.window_frame.is_some() {
        return refused(format!("cannot copy window \"{name}\" because it has a frame clause"));
    }
    spec.partition_by = base.partition_by.clone();
    if spec.order_by.is_empty() {
        spec.order_by = base.order_by.clone();
    }
    Ok(spec)
}
