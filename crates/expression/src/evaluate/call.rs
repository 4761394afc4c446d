//! Calls of functions, and operators on decimals.

use std::cmp::Ordering;
use std::sync::Arc;

use types::{Argument, Call, Result, decimal};

use crate::frame::Frame;
use crate::node::{CallNode, DecimalOperator};

/// The rows to compute for: one, where all arguments are the same in all rows.
fn rows(frame: &Frame<'_>, values: &[Argument]) -> usize {
    if values.iter().all(Argument::is_constant) { 1 } else { frame.rows }
}

impl CallNode {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let constant = !self.volatile && values.iter().all(Argument::is_constant);
        let rows = if constant { 1 } else { frame.rows };
        let call = Call {
            context: &frame.execution.context,
            rows,
            arguments: &self.arguments,
            result: self.result,
            variadic: self.variadic,
        };
        let array = (self.function.kernel)(&call, values)?;
        Ok(if constant { Argument::constant(array) } else { Argument::column(array) })
    }
}

pub(crate) fn decimal(operator: DecimalOperator, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
    let rows = rows(frame, values);
    let of = match operator {
        DecimalOperator::Add => decimal::add,
        DecimalOperator::Subtract => decimal::subtract,
        DecimalOperator::Multiply => decimal::multiply,
    };
    let array = of(rows, &values[0], &values[1])?;
    Ok(if values.iter().all(Argument::is_constant) { Argument::constant(array) } else { Argument::column(array) })
}

pub(crate) fn decimal_compare(accept: fn(Ordering) -> bool, frame: &Frame<'_>, values: &[Argument]) -> Argument {
    let array = Arc::new(decimal::compare(rows(frame, values), &values[0], &values[1], accept));
    if values.iter().all(Argument::is_constant) { Argument::constant(array) } else { Argument::column(array) }
}
