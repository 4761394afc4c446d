//! Functions that compare rows.

use std::cmp::Ordering;

use error::sqlstate;

use crate::array::type_name;
use crate::compare::{self, has_equality, has_order};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid::Oid;
use crate::sql::*;

use super::value::record;
use super::view::{Field, RecordView};

pub const FUNCTIONS: &[Function] = functions! {
    record_eq(record, record) -> boolean = |a, b| equal(&a, &b);
    record_ne(record, record) -> boolean = |a, b| Result::Ok(!equal(&a, &b)?);
    record_lt(record, record) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_lt());
    record_le(record, record) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_le());
    record_gt(record, record) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_gt());
    record_ge(record, record) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_ge());
    btrecordcmp(record, record) -> int4 = |a, b| Result::Ok(order(&a, &b)? as i32);
    record_larger(record, record) -> record = |a, b| Result::Ok(if order(&a, &b)?.is_gt() { a } else { b });
    record_smaller(record, record) -> record = |a, b| Result::Ok(if order(&a, &b)?.is_lt() { a } else { b });
};

fn equal(a: &RecordView<'_>, b: &RecordView<'_>) -> Result<bool> {
    let operator = |ty| match has_equality(ty) {
        true => Ok(()),
        false => Err(missing("an equality operator", ty)),
    };
    Ok(first_difference(a, b, operator)?.is_eq())
}

/// The order of PostgreSQL's `btrecordcmp`.
pub fn order(a: &RecordView<'_>, b: &RecordView<'_>) -> Result<Ordering> {
    let operator = |ty| match has_order(ty) {
        true => Ok(()),
        false => Err(missing("a comparison function", ty)),
    };
    first_difference(a, b, operator)
}

fn missing(what: &str, ty: Oid) -> Error {
    Error::new(sqlstate::UNDEFINED_FUNCTION, format!("could not identify {what} for type {}", type_name(ty)))
}

/// The order of the first columns that are not equal. Fails with 42804 where columns before them are not comparable, or the
/// rows have no difference but their length.
fn first_difference(
    a: &RecordView<'_>,
    b: &RecordView<'_>,
    check_type: impl Fn(Oid) -> Result<()>,
) -> Result<Ordering> {
    for (number, (a, b)) in a.present().zip(b.present()).enumerate() {
        if a.ty != b.ty {
            return Err(dissimilar(&a, &b, number + 1));
        }
        check_type(a.ty)?;
        let order = compare::nullable(a.repr, a.value, b.value);
        if order.is_ne() {
            return Ok(order);
        }
    }
    match a.present().count() == b.present().count() {
        true => Ok(Ordering::Equal),
        false => Err(Error::new(
            sqlstate::DATATYPE_MISMATCH,
            "cannot compare record types with different numbers of columns",
        )),
    }
}

fn dissimilar(a: &Field<'_>, b: &Field<'_>, column: usize) -> Error {
    let (a, b) = (type_name(a.ty), type_name(b.ty));
    Error::new(
        sqlstate::DATATYPE_MISMATCH,
        format!("cannot compare dissimilar column types {a} and {b} at record column {column}"),
    )
}
