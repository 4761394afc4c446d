//! Calls of functions, and operators on decimals.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use types::memory::claim;
use types::numeric::bytes::from_bytes;
use types::numeric::value::{Decimal, Numeric};
use types::numeric::whole::Whole;
use types::{Argument, Call, Datum, Oid, Repr, Result, decimal, oid};

use crate::frame::Frame;
use crate::node::{CallNode, DecimalComparison, DecimalOperator};

/// The rows to compute for: one, where all arguments are the same in all rows.
fn rows(frame: &Frame<'_>, values: &[Argument]) -> usize {
    if values.iter().all(Argument::is_constant) { 1 } else { frame.rows }
}

/// What a function makes of long values is as long, most likely: are its results texts or bytes?
fn gives_bytes(result: Oid) -> bool {
    matches!(result, oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::BYTEA | oid::JSON | oid::JSONB)
}

/// Bytes of an argument's texts.
pub(crate) fn long_bytes(argument: &Argument) -> usize {
    let length = |offsets: &[i32]| (offsets[offsets.len() - 1] - offsets[0]) as usize;
    let array = argument.array();
    match array.data_type() {
        DataType::Utf8 => length(array.as_string::<i32>().value_offsets()),
        DataType::Binary => length(array.as_binary::<i32>().value_offsets()),
        _ => 0,
    }
}

/// Bytes of one of an argument's texts.
pub(crate) fn bytes_of(argument: &Argument, index: usize) -> usize {
    let array = argument.array();
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value_length(index) as usize,
        DataType::Binary => array.as_binary::<i32>().value_length(index) as usize,
        _ => 0,
    }
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
        if gives_bytes(self.result) {
            drop(claim(values.iter().map(long_bytes).sum())?);
        }
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

pub(crate) fn decimal_compare(
    comparison: &DecimalComparison,
    frame: &Frame<'_>,
    values: &[Argument],
) -> Result<Argument> {
    let (Some(a), Some(b)) = (as_decimal(&values[0]), as_decimal(&values[1])) else {
        let numeric = |value: &Argument| match value.array().data_type() {
            DataType::Binary => value.clone(),
            _ => super::convert::to_numeric(value),
        };
        return comparison.call.evaluate(frame, &[numeric(&values[0]), numeric(&values[1])]);
    };
    let array = Arc::new(decimal::compare(rows(frame, values), &a, &b, comparison.accept));
    let constant = values.iter().all(Argument::is_constant);
    Ok(if constant { Argument::constant(array) } else { Argument::column(array) })
}

/// A column of decimals, or a constant `numeric` as one.
fn as_decimal(value: &Argument) -> Option<Argument> {
    if !matches!(value.array().data_type(), DataType::Binary) {
        return Some(value.clone());
    }
    let (units, (precision, scale)) = value.is_constant().then(|| decimal_of(value)).flatten()?;
    Some(Argument::constant(units.to_array(Repr::Decimal { precision, scale })))
}

/// A constant `numeric` as a decimal, with the type that has room for it; `None` where there is none.
pub(crate) fn decimal_of(value: &Argument) -> Option<(Datum, decimal::Digits)> {
    let Datum::Bytes(bytes) = Datum::of(value.array(), 0) else { return Some((Datum::Null, (1, 0))) };
    let Numeric::Finite(Decimal { value: Whole::Small(units), scale }) = from_bytes(&bytes) else { return None };
    let length = units.unsigned_abs().checked_ilog10().unwrap_or(0) as i32 + 1;
    let precision = length.max(scale);
    (precision <= 38).then_some((Datum::I128(units), (precision as u8, scale as i8)))
}
