//! `= ANY` and its like: a value compared with several.

use types::{Argument, Result};

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
