//! Sublinks that become joins or comparisons.

pub mod decorrelate;
pub mod simplify;
pub mod sublinks;
pub mod values;
