//! Conditions and joins.
//!
//! * [`initsplan`]: where conditions belong; [`restrictinfo`]: a condition; [`orclauses`]: what ORs say of one relation;
//!   [`equivclass`]: what is equal.
//! * [`joinrels`]: the order of joins; [`joinpath`], [`unique`]: their ways.

pub mod equivclass;
pub mod initsplan;
pub mod joinpath;
pub mod joinrels;
pub mod orclauses;
pub mod restrictinfo;
pub mod unique;
