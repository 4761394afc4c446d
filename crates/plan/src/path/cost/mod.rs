//! What paths cost: [`costsize`], and [`joincost`] for joins.

pub mod costsize;
pub mod joincost;
