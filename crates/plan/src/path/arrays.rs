//! The elements of constant arrays.

use analyze::query::{Const, Expr, Location, TypeRef};
use types::Datum;
use types::array::ArrayView;
use types::array::column::to_column;

/// The elements of an array; `None`: it is NULL.
pub fn elements(value: &Datum) -> Option<Vec<Datum>> {
    let Datum::Bytes(bytes) = value else { return None };
    let values = to_column(&ArrayView::new(bytes)).ok()?;
    Some((0..values.len()).map(|row| Datum::of(&values, row)).collect())
}

/// How many there are.
pub fn length(value: &Datum) -> Option<usize> {
    let Datum::Bytes(bytes) = value else { return None };
    Some(ArrayView::new(bytes).len())
}

/// The elements of an array that is written out or constant, if they are not more than `most`.
pub fn listed(array: &Expr, most: usize) -> Option<Vec<Expr>> {
    match array {
        Expr::Array(array) if !array.multidimensional && array.elements.len() <= most => Some(array.elements.clone()),
        Expr::Const(Const { ty, value, .. }) if length(value).is_some_and(|length| length <= most) => {
            let ty = TypeRef::of(types::array::element_type(ty.oid)?);
            let element = |value| Expr::Const(Const { ty, value, location: Location::NONE });
            Some(elements(value)?.into_iter().map(element).collect())
        }
        _ => None,
    }
}
