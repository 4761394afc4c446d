//! The elements of constant arrays.

use types::{Datum, Oid};

use crate::planner::PlannerInfo;

/// The values of an array of one dimension. `None`: it is NULL or nothing is known.
pub fn elements(_root: &PlannerInfo, _ty: Oid, _value: &Datum) -> Option<Vec<Datum>> {
    None
}
