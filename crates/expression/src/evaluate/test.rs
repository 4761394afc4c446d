//! NOT, IS NULL, IS TRUE, IS DISTINCT FROM, NULLIF.

use std::sync::Arc;

use analyze::query::BooleanTestKind;
use arrow_array::BooleanArray;
use types::{Argument, Result};

use super::junction::constant;
use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::CallNode;

fn column(mask: Mask) -> Argument {
    Argument::column(Arc::new(mask.to_booleans()))
}

pub(crate) fn not(rows: usize, value: &Argument) -> Argument {
    let rows = if value.is_constant() { 1 } else { rows };
    let (trues, nulls) = (Mask::trues(value, rows), Mask::nulls(value, rows));
    let result = trues.or(&nulls).complement().to_booleans_with(&nulls);
    if value.is_constant() { Argument::constant(Arc::new(result)) } else { Argument::column(Arc::new(result)) }
}

pub(crate) fn null_test(rows: usize, value: &Argument, is_null: bool) -> Argument {
    if value.is_constant() {
        return constant(value.array().is_null(0) == is_null);
    }
    // Most columns have none.
    if value.array().null_count() == 0 {
        return constant(!is_null);
    }
    let nulls = Mask::nulls(value, rows);
    column(if is_null { nulls } else { nulls.complement() })
}

pub(crate) fn boolean_test(rows: usize, value: &Argument, kind: BooleanTestKind) -> Argument {
    use BooleanTestKind::*;
    let of = |rows: usize| {
        let (trues, nulls) = (Mask::trues(value, rows), Mask::nulls(value, rows));
        match kind {
            IsTrue => trues,
            IsNotTrue => trues.complement(),
            IsFalse => trues.or(&nulls).complement(),
            IsNotFalse => trues.or(&nulls),
            IsUnknown => nulls,
            IsNotUnknown => nulls.complement(),
        }
    };
    if value.is_constant() { constant(of(1).is_full()) } else { column(of(rows)) }
}

/// NULLs are equal to each other and to nothing else.
pub(crate) fn distinct(frame: &Frame<'_>, equal: &CallNode, values: &[Argument]) -> Result<Argument> {
    let constant_result = values.iter().all(Argument::is_constant);
    let rows = if constant_result { 1 } else { frame.rows };
    let equal = Mask::trues(&equal.evaluate(frame, values)?, rows);
    let both_null = Mask::nulls(&values[0], rows).and(&Mask::nulls(&values[1], rows));
    let distinct = equal.or(&both_null).complement();
    Ok(if constant_result { constant(distinct.is_full()) } else { column(distinct) })
}

/// NULL where the values are equal, else the first one.
pub(crate) fn null_if(frame: &Frame<'_>, equal: &CallNode, values: &[Argument]) -> Result<Argument> {
    let equal = equal.evaluate(frame, values)?;
    // A constant equality leaves a constant: all its values are constants.
    let rows = if equal.is_constant() { 1 } else { frame.rows };
    let trues = Mask::trues(&equal, rows);
    if trues.is_empty() {
        return Ok(values[0].clone());
    }
    let first = crate::state::to_column(&values[0], rows)?;
    let equal: BooleanArray = trues.to_booleans();
    let result = arrow_select::nullif::nullif(&first, &equal).expect("as many rows");
    Ok(if rows == 1 && values[0].is_constant() { Argument::constant(result) } else { Argument::column(result) })
}
