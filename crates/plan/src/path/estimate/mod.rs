//! How many rows conditions leave: [`clausesel`] for conditions as a whole, [`selfuncs`] by operators and statistics, [`likesupport`]
//! for patterns, [`common_values`] for what two columns have in common, [`values`] for what is known when a plan is made.

pub mod clausesel;
pub mod common_values;
pub mod likesupport;
pub mod selfuncs;
pub mod values;
