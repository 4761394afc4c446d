//! Functions of all enums.

use arrow_array::{Array, ArrayRef};
use error::sqlstate;

use crate::array::ArrayBuilder;
use crate::array::value::anyarray;
use crate::column::{Argument, Put, SqlType};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::{Call, Function, Kernel};
use crate::functions;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;
use crate::system::format_type;

use super::value::anyenum;
use super::{Label, label_of};

pub const FUNCTIONS: &[&[Function]] = &[
    functions! {
        enum_eq(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a == b);
        enum_ne(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a != b);
        enum_lt(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a < b);
        enum_le(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a <= b);
        enum_gt(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a > b);
        enum_ge(anyenum, anyenum) -> boolean = |a, b| Result::Ok(a >= b);
        enum_cmp(anyenum, anyenum) -> int4 = |a: u128, b: u128| Result::Ok(a.cmp(&b) as i32);
        enum_smaller(anyenum, anyenum) -> anyenum = |a: u128, b: u128| Result::Ok(a.min(b));
        enum_larger(anyenum, anyenum) -> anyenum = |a: u128, b: u128| Result::Ok(a.max(b));
    },
    &[
        of_type("enum_first", &[oid::ANYENUM], oid::ANYENUM, |call, _| endpoint(call, <[Label]>::first)),
        of_type("enum_last", &[oid::ANYENUM], oid::ANYENUM, |call, _| endpoint(call, <[Label]>::last)),
        of_type("enum_range", &[oid::ANYENUM], oid::ANYARRAY, |call, _| range(call, None)),
        of_type("enum_range", &[oid::ANYENUM, oid::ANYENUM], oid::ANYARRAY, |call, ends| range(call, Some(ends))),
    ],
];

/// A function that asks for its argument's type, of which NULL is a value as good as others.
const fn of_type(name: &'static str, arguments: &'static [Oid], result: Oid, kernel: Kernel) -> Function {
    Function { name, arguments, result, strict: false, kernel }
}

/// The labels of the enum that a call is about, in their order.
fn labels(call: &Call<'_>) -> (Oid, Vec<Label>) {
    let ty = call.arguments[0];
    (ty, call.context.names.enum_labels(ty))
}

fn endpoint(call: &Call<'_>, end: fn(&[Label]) -> Option<&Label>) -> Result<ArrayRef> {
    let (ty, labels) = labels(call);
    let missing = || {
        let message = format!("enum {} contains no values", format_type(call.context, ty, None));
        Error::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    };
    let mut out = anyenum::builder(call.rows);
    for _ in 0..call.rows {
        let value = end(&labels).ok_or_else(missing)?.usable_value(call.context, ty)?;
        anyenum::put(&mut out, value);
    }
    Ok(anyenum::finish(out))
}

/// The values from one to another one; NULL leaves an end open.
fn range(call: &Call<'_>, ends: Option<&[Argument]>) -> Result<ArrayRef> {
    let (ty, labels) = labels(call);
    let end = |number: usize, row: usize| {
        let argument = &ends?[number];
        let (column, at) = (argument.of::<anyenum>(), argument.index(row));
        (!column.is_null(at)).then(|| label_of(anyenum::get(column, at)))
    };
    let mut out = anyarray::builder(call.rows);
    for row in 0..call.rows {
        anyarray::put(&mut out, values_between(call.context, (ty, &labels), (end(0, row), end(1, row)))?);
        anyarray::check(&out)?;
    }
    Ok(anyarray::finish(out))
}

/// An array of the values whose labels are between two others (`enum_range_internal`).
fn values_between(
    context: &Context,
    (ty, labels): (Oid, &[Label]),
    (lower, upper): (Option<Oid>, Option<Oid>),
) -> Result<Vec<u8>> {
    let mut builder = ArrayBuilder::new(ty, Repr::Uuid);
    let mut is_within = lower.is_none();
    for label in labels {
        is_within |= lower == Some(label.oid);
        if is_within {
            let value = label.usable_value(context, ty)?.to_be_bytes();
            builder.push(Some(Scalar::Bytes(&value)))?;
        }
        if upper == Some(label.oid) {
            break;
        }
    }
    builder.finish_list()
}
