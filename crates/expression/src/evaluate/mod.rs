//! Nodes over rows. Every node that waits for nothing is evaluated here; what a node does with its children's values is
//! said once, also for [`crate::wait`].

pub(crate) mod any;
pub(crate) mod array;
pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod compare;
mod convert;
pub(crate) mod junction;
pub(crate) mod row;
pub(crate) mod row_call;
pub(crate) mod row_compare;
mod test;

use arrow_array::Array;
use error::sqlstate;
use smallvec::SmallVec;
use types::{Argument, Error, Result};

use crate::frame::Frame;
use crate::node::{Kind, Node};
use branch::Branches;
use junction::Junction;
use row_compare::RowComparison;

pub(crate) type Values = SmallVec<[Argument; 3]>;

impl Node {
    pub fn evaluate(&self, frame: &Frame<'_>) -> Result<Argument> {
        let value = self.value(frame)?;
        self.check(frame, &value);
        Ok(value)
    }

    /// In debug builds: the values lie as was said when the expression was compiled, and there is one for each row.
    pub fn check(&self, frame: &Frame<'_>, value: &Argument) {
        let (found, array) = (value.array().data_type(), value.array());
        debug_assert!(*found == self.repr.arrow(), "{:?} gives {found} for {:?}", self.kind, self.repr);
        let rows = if value.is_constant() { 1 } else { frame.rows };
        debug_assert!(array.len() == rows, "{:?} gives {} values for {rows} rows", self.kind, array.len());
    }

    fn value(&self, frame: &Frame<'_>) -> Result<Argument> {
        match &self.kind {
            Kind::Constant(value) => Ok(value.clone()),
            Kind::Column(at) => Ok(frame.column(*at)),
            Kind::Local(at) => Ok(frame.local(*at)),
            Kind::External(at) => external(frame, *at),
            Kind::Exec(at) => exec(frame, *at),
            Kind::Let => {
                let value = self.children[0].evaluate(frame)?;
                self.children[1].evaluate(&frame.with_local(value))
            }
            Kind::Junction { and } => {
                let mut junction = Junction::new(*and, frame.rows);
                for child in &self.children {
                    match junction.next(frame, child.cheap) {
                        None => break,
                        Some(None) => junction.take(&child.evaluate(frame)?),
                        Some(Some(some)) => junction.take(&child.evaluate(&some)?),
                    }
                }
                Ok(junction.finish())
            }
            Kind::Case => {
                let mut branches = Branches::new(frame.rows);
                for pair in self.children.chunks(2) {
                    let [condition, result] = pair else {
                        let rest = branches.rest(frame);
                        let value = pair[0].evaluate(rest.as_ref().unwrap_or(frame))?;
                        branches.take_rest(value);
                        break;
                    };
                    let rest = branches.rest(frame);
                    let condition = condition.evaluate(rest.as_ref().unwrap_or(frame))?;
                    if let Some(rows) = branches.choose(&condition) {
                        let some = branches.frame_of(frame, &rows);
                        let value = result.evaluate(some.as_ref().unwrap_or(frame))?;
                        branches.take(rows, value);
                    }
                    if branches.is_done() {
                        break;
                    }
                }
                branches.finish()
            }
            Kind::Coalesce => {
                let mut branches = Branches::new(frame.rows);
                for (at, child) in self.children.iter().enumerate() {
                    let rest = branches.rest(frame);
                    let value = child.evaluate(rest.as_ref().unwrap_or(frame))?;
                    branches.take_values(value, at + 1 == self.children.len());
                    if branches.is_done() {
                        break;
                    }
                }
                branches.finish()
            }
            Kind::RowCompare { columns, accept } => {
                let mut comparison = RowComparison::new(frame.rows);
                for (column, pair) in columns.iter().zip(self.children.chunks(2)) {
                    let rest = comparison.rest(frame);
                    let some = rest.as_ref().unwrap_or(frame);
                    let (left, right) = (pair[0].evaluate(some)?, pair[1].evaluate(some)?);
                    comparison.take(column, some, &[left, right])?;
                    if comparison.is_done() {
                        break;
                    }
                }
                Ok(comparison.finish(*accept))
            }
            Kind::Waiting(_) => {
                Err(Error::new(sqlstate::INTERNAL_ERROR, "an expression that waits is evaluated without waiting"))
            }
            _ => {
                let mut values = Values::with_capacity(self.children.len());
                for child in &self.children {
                    values.push(child.evaluate(frame)?);
                }
                self.combine(frame, &values)
            }
        }
    }

    /// The result of a node all of whose children have been evaluated.
    pub fn combine(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        match &self.kind {
            Kind::Call(call) => call.evaluate(frame, values),
            Kind::Compare(comparison) => Ok(comparison.evaluate(frame, values)),
            Kind::Decimal(operator) => call::decimal(*operator, frame, values),
            Kind::DecimalCompare(comparison) => call::decimal_compare(comparison, frame, values),
            Kind::ToNumeric => Ok(convert::to_numeric(&values[0])),
            Kind::Rescale { precision, scale } => Ok(convert::rescale(&values[0], *precision, *scale)),
            Kind::ToDecimal { precision, scale } => convert::to_decimal(&values[0], *precision, *scale),
            Kind::Reinterpret => Ok(convert::reinterpret(&values[0])),
            Kind::Not => Ok(test::not(frame.rows, &values[0])),
            Kind::Distinct(equal) => test::distinct(frame, equal, values),
            Kind::NullIf(equal) => test::null_if(frame, equal, values),
            Kind::NullTest { is_null } => Ok(test::null_test(frame.rows, &values[0], *is_null)),
            Kind::BooleanTest(kind) => Ok(test::boolean_test(frame.rows, &values[0], *kind)),
            Kind::MinMax { greatest, compare } => branch::min_max(frame, *greatest, compare, values),
            Kind::ThroughText { output, input } => convert::through_text(frame, *output, *input, &values[0], self.repr),
            Kind::SessionName(value) => convert::session_name(frame, *value),
            Kind::AnyOf(any) => any.evaluate(frame, values),
            Kind::AnyOfArray(any) => any.evaluate(frame, values),
            Kind::AnyOfMembers(any) => Ok(any.evaluate(frame, &values[0])),
            Kind::Array(array) => array.evaluate(frame, values),
            Kind::JsonbSubscript { assigns } => array::jsonb_subscript(frame, values, *assigns),
            Kind::CharOfName => Ok(array::char_of_name(frame, values)),
            Kind::Subscript(subscript) => subscript.evaluate(frame, values),
            Kind::ArrayCoerce(coerce) => coerce.evaluate(frame, &values[0]),
            Kind::Row(row) => row.evaluate(frame, values),
            Kind::RowCall(call) => call.evaluate(frame, values),
            Kind::Field(index) => Ok(row::field(frame, &values[0], *index, self.repr)),
            Kind::RowNullTest { is_null } => Ok(row::null_test(frame, &values[0], *is_null)),
            _ => unreachable!("a leaf, or a node that evaluates its children itself"),
        }
    }
}

fn external(frame: &Frame<'_>, at: usize) -> Result<Argument> {
    let missing = || Error::new(sqlstate::UNDEFINED_PARAMETER, format!("no value found for parameter {}", at + 1));
    frame.execution.external.get(at).cloned().ok_or_else(missing)
}

fn exec(frame: &Frame<'_>, at: usize) -> Result<Argument> {
    let value = frame.execution.parameters.get(at).and_then(|parameter| parameter.get());
    value.cloned().ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, format!("parameter {at} has no value yet")))
}
