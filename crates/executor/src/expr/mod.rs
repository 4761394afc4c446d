//! Expressions in nodes: [`evaluate`]: their values; [`wait`](mod@wait): what they wait for; [`output`]: what each node does at its end, which
//! begins with [`multi_expr`]; [`pace`]: for how many rows at once.

pub mod evaluate;
pub mod multi_expr;
pub mod output;
pub mod pace;
pub mod wait;
