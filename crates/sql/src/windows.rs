//! Named windows: `OVER w`, `OVER (w ORDER BY …)`, and windows that extend others.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, NamedWindowDefinition, NamedWindowExpr, Select, UnaryOperator, Value, VisitMut, WindowFrameBound,
    WindowFrameUnits, WindowSpec, WindowType,
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
        match spec.and_then(|spec| check_frame(&spec).map(|()| spec)) {
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

/// Refuses frames that PostgreSQL refuses, with its codes.
fn check_frame(spec: &WindowSpec) -> Result<()> {
    use WindowFrameBound::{CurrentRow, Following, Preceding};
    let Some(frame) = &spec.window_frame else { return Ok(()) };
    let wrong = |what: &str| Err(EngineError::new("42P20", what));
    let end = frame.end_bound.as_ref().unwrap_or(&CurrentRow);
    match (&frame.start_bound, end) {
        (Following(None), _) => return wrong("frame start cannot be UNBOUNDED FOLLOWING"),
        (_, Preceding(None)) => return wrong("frame end cannot be UNBOUNDED PRECEDING"),
        (CurrentRow, Preceding(_)) => return wrong("frame starting from current row cannot have preceding rows"),
        (Following(_), Preceding(_) | CurrentRow) => {
            return wrong("frame starting from following row cannot have preceding rows");
        }
        _ => {}
    }
    if frame.units == WindowFrameUnits::Groups && spec.order_by.is_empty() {
        return wrong("GROUPS mode requires an ORDER BY clause");
    }
    for (bound, which) in [(&frame.start_bound, "starting"), (end, "ending")] {
        let (Preceding(Some(offset)) | Following(Some(offset))) = bound else { continue };
        if frame.units == WindowFrameUnits::Range {
            if spec.order_by.len() != 1 {
                return wrong("RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column");
            }
            continue;
        }
        match &**offset {
            Expr::Value(value) if matches!(value.value, Value::Null) => {
                return Err(EngineError::new("22004", format!("frame {which} offset must not be null")));
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => {
                return Err(EngineError::new("22013", format!("frame {which} offset must not be negative")));
            }
            _ => {}
        }
    }
    Ok(())
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
