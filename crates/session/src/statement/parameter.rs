//! The value of a parameter of a statement.

use types::{Datum, Oid, Repr, oid};

/// The value of `$1` or its like.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub ty: Oid,
    pub repr: Repr,
    pub value: Datum,
}

impl Parameter {
    /// The type that analysis is told; 0: it is to find out.
    pub fn declared(&self) -> Oid {
        if self.ty == oid::UNKNOWN { 0 } else { self.ty }
    }
}
