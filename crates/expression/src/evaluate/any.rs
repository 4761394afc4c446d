//! `= ANY` and its like: a value compared with several.

use std::sync::Arc;

use types::array::any::{Members, Quantifier, scalar_array_op};
use types::{Argument, Call, Repr, Result};

use super::compare::Comparison;
use super::junction::Junction;
use crate::frame::Frame;
use crate::node::CallNode;

/// The first child compared with each of the others, until one decides.
#[derive(Debug)]
pub(crate) struct AnyOf {
    pub compare: CallNode,
    pub native: Option<Comparison>,
    /// ANY; or ALL.
    pub any: bool,
}

impl AnyOf {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let frame = Frame::of_locals(values.iter().cloned().collect(), frame.rows, frame.execution);
        let mut result = Junction::new(!self.any, frame.rows);
        for at in 1..values.len() {
            let Some(narrow) = result.next(&frame, self.native.is_some()) else { break };
            let frame = narrow.as_ref().unwrap_or(&frame);
            let pair = [frame.local(0), frame.local(at)];
            result.take(&match &self.native {
                Some(comparison) => comparison.evaluate(frame, &pair),
                None => self.compare.evaluate(frame, &pair)?,
            });
        }
        Ok(result.finish())
    }
}

/// The first child compared with the elements of the array that the second one is.
#[derive(Debug)]
pub(crate) struct AnyOfArray {
    pub compare: CallNode,
    pub quantifier: Quantifier,
    /// How the value and the elements are represented.
    pub value: Repr,
    pub element: Repr,
}

impl AnyOfArray {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let constant = values.iter().all(Argument::is_constant);
        let call = Call {
            context: &frame.execution.context,
            rows: if constant { 1 } else { frame.rows },
            arguments: &self.compare.arguments,
            result: self.compare.result,
            variadic: false,
        };
        let kernel = self.compare.function.kernel;
        let (value, array) = ((&values[0], self.value), (&values[1], self.element));
        let result = scalar_array_op(&call, kernel, self.quantifier, value, array)?;
        Ok(if constant { Argument::constant(result) } else { Argument::column(result) })
    }
}

/// The only child looked up among the elements of a constant array.
#[derive(Debug)]
pub(crate) struct AnyOfMembers {
    pub members: Members,
    pub quantifier: Quantifier,
}

impl AnyOfMembers {
    pub fn evaluate(&self, frame: &Frame<'_>, value: &Argument) -> Argument {
        let rows = if value.is_constant() { 1 } else { frame.rows };
        let found = Arc::new(self.members.find(rows, value, self.quantifier));
        if value.is_constant() { Argument::constant(found) } else { Argument::column(found) }
    }
}
