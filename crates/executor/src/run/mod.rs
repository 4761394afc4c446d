//! What runs: a statement ([`estate`]), the nodes of its plan ([`plan_tree`], [`node`]), and the rows that they give ([`rows`]), which
//! several tasks may make ([`gather`]) or take ([`share`]). [`instrument`]: what nodes did. [`transaction`]: the session's, lent.
//!
//! These know none of the nodes.

pub mod estate;
pub mod gather;
pub mod instrument;
pub mod node;
pub mod plan_tree;
pub mod rows;
pub mod share;
pub mod transaction;
