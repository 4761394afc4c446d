//! A compiled expression, as others hold it.

use std::sync::Arc;

use analyze::query::TypeRef;
use arrow_array::{ArrayRef, BooleanArray, new_empty_array};
use arrow_select::take::take;
use types::memory::{Claim, claim_once};
use types::{Argument, Repr, Result};

use crate::evaluate::call::long_bytes;
use crate::execution::Execution;
use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::Node;

/// An expression that is ready to run. It has no state of an execution: it is kept with a plan, and shared.
#[derive(Debug)]
pub struct ExprState {
    pub(crate) node: Node,
    pub(crate) ty: TypeRef,
}

/// The rows of a batch for which conditions hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    All,
    None,
    /// True for those.
    Some(BooleanArray),
}

/// Levels of [`syntax::with_stack_for`] that evaluating a level of nodes takes.
pub(crate) const STACK_OF_LEVEL: usize = 4;

impl ExprState {
    /// The type of its values.
    pub fn ty(&self) -> TypeRef {
        self.ty
    }

    /// How its values lie in columns.
    pub fn repr(&self) -> Repr {
        self.node.repr
    }

    /// It has to wait for something: it is evaluated by [`ExprState::evaluate_async`].
    pub fn waits(&self) -> bool {
        self.node.waits
    }

    /// The value, if it is the same in all rows and executions.
    pub fn constant(&self) -> Option<&Argument> {
        self.node.constant()
    }

    /// The values for the rows of a batch. It must not be one that [waits](ExprState::waits).
    pub fn evaluate(&self, columns: &[ArrayRef], rows: usize, execution: &Execution) -> Result<Argument> {
        if rows == 0 {
            return Ok(self.of_no_rows());
        }
        let frame = Frame::new(columns, rows, execution);
        self.with_stack(|| self.node.evaluate(&frame))
    }

    /// The same as a column.
    pub fn evaluate_column(&self, columns: &[ArrayRef], rows: usize, execution: &Execution) -> Result<ArrayRef> {
        to_column(&self.evaluate(columns, rows, execution)?, rows)
    }

    pub(crate) fn of_no_rows(&self) -> Argument {
        Argument::column(new_empty_array(&self.node.repr.arrow()))
    }

    pub(crate) fn with_stack<T>(&self, evaluate: impl FnOnce() -> T) -> T {
        match self.node.depth {
            ..16 => evaluate(),
            depth => syntax::with_stack_for(depth * STACK_OF_LEVEL, evaluate),
        }
    }
}

impl Drop for ExprState {
    /// Dropping a deep tree takes as much stack as walking it.
    fn drop(&mut self) {
        if self.node.depth >= 16 {
            let children = std::mem::take(&mut self.node.children);
            self.with_stack(|| drop(children));
        }
    }
}

/// A value for each row.
pub fn to_column(argument: &Argument, rows: usize) -> Result<ArrayRef> {
    if !argument.is_constant() || rows == 1 {
        return Ok(argument.array().clone());
    }
    let _room = room_for_column(long_bytes(argument).saturating_mul(rows))?;
    let first = arrow_array::UInt32Array::from_value(0, rows);
    Ok(take(argument.array(), &first, None).expect("the first row is there"))
}

/// Asks for room for a column with so many bytes of values of variable length. Fails with 53200.
pub(crate) fn room_for_column(bytes: usize) -> Result<Claim> {
    if bytes > i32::MAX as usize {
        return Err(types::memory::too_long_for_a_batch());
    }
    claim_once(bytes)
}

/// The rows for which all conditions are true. Each is evaluated for the rows that those before have left.
pub fn filter(conditions: &[ExprState], columns: &[ArrayRef], rows: usize, execution: &Execution) -> Result<Selection> {
    if rows == 0 {
        return Ok(Selection::None);
    }
    let frame = Frame::new(columns, rows, execution);
    let mut left = Mask::all(rows);
    for condition in conditions {
        let node = &condition.node;
        left = condition.with_stack(|| -> Result<Mask> {
            if left.count() == rows || node.cheap {
                return Ok(left.and(&Mask::trues(&node.evaluate(&frame)?, rows)));
            }
            let narrow = frame.narrow(&left);
            Ok(left.pick(&Mask::trues(&node.evaluate(&narrow)?, narrow.rows)))
        })?;
        if left.is_empty() {
            break;
        }
    }
    Ok(left.into())
}

impl From<Mask> for Selection {
    fn from(mask: Mask) -> Selection {
        match mask.count() {
            0 => Selection::None,
            count if count == mask.rows() => Selection::All,
            _ => Selection::Some(mask.to_booleans()),
        }
    }
}

const fn shared<T: Send + Sync>() {}
const _: () = shared::<ExprState>();
const _: () = shared::<Arc<ExprState>>();
