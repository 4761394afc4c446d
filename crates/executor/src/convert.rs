//! Columns of one type that lie otherwise: a `numeric` is decimals in one part of a plan and bytes in another.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use types::text::{missing_blanks, push_blanks};
use types::{Repr, decimal};

use crate::batch::Batch;
use crate::error::Result;

/// The representation that columns with these have in common.
pub fn common(mut reprs: impl Iterator<Item = Repr>) -> Repr {
    let first = reprs.next().expect("there is one");
    if reprs.all(|repr| repr == first) { first } else { general(first) }
}

/// The representation of the same type that every value has.
pub fn general(repr: Repr) -> Repr {
    match repr {
        Repr::Decimal { .. } => Repr::Numeric,
        other => other,
    }
}

/// A column in the [common](common) or [general] representation.
pub fn convert(column: &ArrayRef, from: Repr, to: Repr) -> ArrayRef {
    match (from, to) {
        (Repr::Decimal { .. }, Repr::Numeric) => {
            std::sync::Arc::new(decimal::to_numeric(column.as_primitive::<Decimal128Type>()))
        }
        _ => column.clone(),
    }
}

/// A column in any representation of its type. Fails for numbers for which a decimal has no room.
pub fn fit(column: &ArrayRef, from: Repr, to: Repr) -> Result<ArrayRef> {
    Ok(match (from, to) {
        (Repr::Decimal { .. } | Repr::Numeric, Repr::Decimal { precision, scale }) if from != to => {
            let numeric = convert(column, from, Repr::Numeric);
            std::sync::Arc::new(decimal::from_numeric(numeric.as_binary(), (precision, scale))?)
        }
        _ => convert(column, from, to),
    })
}

/// As [`convert`], for all columns of a batch.
pub fn convert_batch(batch: Batch, from: &[Repr], to: &[Repr]) -> Result<Batch> {
    if from == to {
        return Ok(batch);
    }
    let columns = batch.columns.iter().zip(from.iter().zip(to));
    Ok(Batch::new(columns.map(|(column, (&from, &to))| convert(column, from, to)).collect(), batch.rows))
}

/// `character(n)` with its blanks.
pub fn padded(column: &ArrayRef, length: usize) -> ArrayRef {
    let values = column.as_string::<i32>();
    let missing = |value: &str| missing_blanks(value, length);
    if values.iter().flatten().all(|value| missing(value) == 0) {
        return column.clone();
    }
    let mut out = StringBuilder::with_capacity(values.len(), values.len() * length);
    for value in values {
        let Some(value) = value else {
            out.append_null();
            continue;
        };
        out.write_str(value).and_then(|()| push_blanks(&mut out, missing(value))).expect("a builder takes it");
        out.append_value("");
    }
    Arc::new(out.finish())
}

/// `character(n)` as pages have it.
pub fn without_padding(column: &ArrayRef) -> ArrayRef {
    let values = column.as_string::<i32>();
    if !values.iter().flatten().any(|value| value.ends_with(' ')) {
        return column.clone();
    }
    let mut out = StringBuilder::with_capacity(values.len(), values.value_data().len());
    values.iter().for_each(|value| out.append_option(value.map(|value| value.trim_end_matches(' '))));
    Arc::new(out.finish())
}
