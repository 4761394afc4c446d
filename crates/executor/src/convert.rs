//! Columns of one type that lie otherwise: a `numeric` is decimals in one part of a plan and bytes in another.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
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
