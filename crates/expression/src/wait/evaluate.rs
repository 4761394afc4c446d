//! Nodes that wait, and those around them: the loops of [`crate::evaluate`] with waiting in them.

use error::sqlstate;
use types::asynchronous::WaitingFunction;
use types::session::Wait;
use types::{Argument, Call, ColumnBuilder, Datum, Error, Oid, Repr, Result};

use super::{Runner, Waiting};
use crate::evaluate::Values;
use crate::evaluate::branch::Branches;
use crate::evaluate::junction::Junction;
use crate::evaluate::row_compare::RowComparison;
use crate::frame::Frame;
use crate::node::{Kind, Node};

impl Node {
    /// As [`Node::evaluate`].
    pub fn evaluate_async<'a>(&'a self, frame: &'a Frame<'a>, runner: &'a dyn Runner) -> Wait<'a, Argument> {
        if !self.waits {
            let result = self.evaluate(frame);
            return Box::pin(std::future::ready(result));
        }
        match &self.kind {
            Kind::Let => Box::pin(async move {
                let value = self.children[0].evaluate_async(frame, runner).await?;
                self.children[1].evaluate_async(&frame.with_local(value), runner).await
            }),
            Kind::Junction { and } => Box::pin(self.junction(*and, frame, runner)),
            Kind::Case => Box::pin(self.case(frame, runner)),
            Kind::Coalesce => Box::pin(self.coalesce(frame, runner)),
            Kind::RowCompare { .. } => Box::pin(self.row_compare(frame, runner)),
            Kind::Waiting(waiting) => match waiting {
                Waiting::SubPlan(sub_plan) => Box::pin(sub_plan.evaluate(&self.children, self.repr, frame, runner)),
                Waiting::InitPlan(number) => Box::pin(init_plan(*number, frame, runner)),
                Waiting::NextValue { sequence } => Box::pin(next_value(*sequence, self.repr, frame)),
                Waiting::Call { function, arguments, result } => {
                    Box::pin(self.call(function, (arguments, *result), frame, runner))
                }
            },
            _ => Box::pin(async move {
                let values = self.values(&self.children, frame, runner).await?;
                let value = self.combine(frame, &values)?;
                self.check(frame, &value);
                Ok(value)
            }),
        }
    }

    /// The values of some children.
    async fn values(&self, children: &[Node], frame: &Frame<'_>, runner: &dyn Runner) -> Result<Values> {
        let mut values = Values::with_capacity(children.len());
        for child in children {
            values.push(child.evaluate_async(frame, runner).await?);
        }
        Ok(values)
    }

    async fn junction(&self, and: bool, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Argument> {
        let mut junction = Junction::new(and, frame.rows);
        for child in &self.children {
            let Some(narrow) = junction.next(frame, child.cheap) else { break };
            let value = child.evaluate_async(narrow.as_ref().unwrap_or(frame), runner).await?;
            junction.take(&value);
        }
        Ok(junction.finish())
    }

    async fn case(&self, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Argument> {
        let mut branches = Branches::new(frame.rows);
        for pair in self.children.chunks(2) {
            let rest = branches.rest(frame);
            let first = pair[0].evaluate_async(rest.as_ref().unwrap_or(frame), runner).await?;
            let [_, result] = pair else {
                branches.take_rest(first);
                break;
            };
            if let Some(rows) = branches.choose(&first) {
                let some = branches.frame_of(frame, &rows);
                let value = result.evaluate_async(some.as_ref().unwrap_or(frame), runner).await?;
                branches.take(rows, value);
            }
            if branches.is_done() {
                break;
            }
        }
        branches.finish()
    }

    async fn coalesce(&self, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Argument> {
        let mut branches = Branches::new(frame.rows);
        for (at, child) in self.children.iter().enumerate() {
            let rest = branches.rest(frame);
            let value = child.evaluate_async(rest.as_ref().unwrap_or(frame), runner).await?;
            branches.take_values(value, at + 1 == self.children.len());
            if branches.is_done() {
                break;
            }
        }
        branches.finish()
    }

    async fn row_compare(&self, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Argument> {
        let Kind::RowCompare { columns, accept } = &self.kind else { unreachable!("it is one") };
        let mut comparison = RowComparison::new(frame.rows);
        for (column, pair) in columns.iter().zip(self.children.chunks(2)) {
            let rest = comparison.rest(frame);
            let some = rest.as_ref().unwrap_or(frame);
            let values = self.values(pair, some, runner).await?;
            comparison.take(column, some, &values)?;
            if comparison.is_done() {
                break;
            }
        }
        Ok(comparison.finish(*accept))
    }

    /// A function that waits, in the order of rows.
    async fn call(
        &self,
        function: &WaitingFunction,
        (arguments, result): (&[Oid], Oid),
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Argument> {
        let values = self.values(&self.children, frame, runner).await?;
        let call = Call { context: &frame.execution.context, rows: frame.rows, arguments, result, variadic: false };
        let value = Argument::column((function.kernel)(&call, &values).await?);
        self.check(frame, &value);
        Ok(value)
    }
}

async fn init_plan(number: usize, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Argument> {
    let unknown = || Error::new(sqlstate::INTERNAL_ERROR, format!("parameter {number} has no value"));
    let parameter = frame.execution.parameters.get(number).ok_or_else(unknown)?;
    if parameter.get().is_none() {
        runner.init_plan(number as u32, frame.execution).await?;
    }
    parameter.get().cloned().ok_or_else(unknown)
}

async fn next_value(sequence: Oid, repr: Repr, frame: &Frame<'_>) -> Result<Argument> {
    let mut out = ColumnBuilder::new(repr, frame.rows);
    for _ in 0..frame.rows {
        let value = frame.execution.context.session.next_identity(sequence).await?;
        // A sequence's bounds are those of its type.
        out.push(&match repr {
            Repr::Int2 => Datum::I16(value as i16),
            Repr::Int4 => Datum::I32(value as i32),
            _ => Datum::I64(value),
        });
    }
    Ok(Argument::column(out.finish()))
}
