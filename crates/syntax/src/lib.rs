//! PostgreSQL's parser/gram.y stage: text to raw trees, with positions and errors. It knows nothing of names and types.
//!
//! The grammar and the scanner are PostgreSQL 18.6's own (`vendor/postgresql`), compiled over a small backend of ours
//! (`c`), so what is accepted, the trees, the messages and their positions are PostgreSQL's by construction. A tree is
//! built by C, written as bytes, and read into Rust's (`nodes.rs`, generated from PostgreSQL's headers with their names).
//!
//! * [`parse`]: 2.9 us for a statement of PostgreSQL's regression files on average, its tree dropped (the best of five
//!   times on a busy machine, `examples/measure.rs`).
//! * [`shape`]: statements that differ in constants share a plan; 0.13 us to cut a short one.
//! * Any text is answered. Depth, memory, and the scanner's work are bounded ([`parse_with`] says how); a stack of 192 kB
//!   is enough; threads have nothing in common and keep nothing.

mod ffi;
#[allow(non_camel_case_types, clippy::upper_case_acronyms, clippy::enum_variant_names)]
pub mod nodes;
mod parse;
mod places;
mod read;
mod report;
pub mod shape;
#[cfg(test)]
mod tests;
mod value;

pub use ffi::RawParseMode;
pub use parse::{
    BackslashQuote, Parsed, RawStmt, Settings, limit_memory, parse, parse_type_name, parse_with, with_stack_for,
};
pub use places::is_same_window;
pub use report::{Notice, Report, Severity, SyntaxError};
pub use value::{Constant, ParseLoc};
