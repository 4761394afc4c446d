//! SQL over the engine: DataFusion plans and runs queries over our scan nodes; everything else (DDL, INSERT, settings,
//! EXPLAIN, system views) is ours, and PostgreSQL's meaning wins where DataFusion's differs. It knows no sockets.
//!
//! The way of a statement: [`parse`](parse::parse) cuts the text into statements; [`Session::run`] looks at each, runs
//! ours itself, and hands queries to DataFusion after [`rewrite`] has made PostgreSQL's spelling DataFusion's and before
//! [`semantics`] has replaced the operators that silently differ. [`output`] prints values as PostgreSQL does.

mod advisory;
mod aggregate;
mod alter;
mod array_text;
mod array_types;
mod arrays;
mod binary;
mod calendar;
mod cast;
mod conflict;
mod constraints;
mod copy;
mod datetime_fields;
mod datetime_input;
mod datetime_output;
mod ddl;
mod definition;
mod depth;
mod describe;
mod dialect;
mod discard;
mod errors;
mod exact;
mod explain;
mod floats;
mod from_functions;
mod function;
mod function_names;
mod functions;
mod hash_bytes;
mod heap_scan;
mod identity;
mod index_range;
mod infer;
mod insert;
mod integers;
mod interval;
mod labels;
mod lock_rows;
mod locking_clause;
mod modify;
mod numeric;
pub mod output;
mod outside;
mod over_rows;
mod pace;
mod parameters;
pub mod parse;
mod planner_state;
mod point;
mod prepared;
mod query_memory;
mod reg_types;
mod returning;
mod rewrite;
mod role_statement;
mod roles;
mod semantics;
mod sequence;
mod series;
mod session;
mod session_calls;
mod settings;
mod small_functions;
mod stages;
mod style;
mod subqueries;
mod system;
mod tables;
mod time_functions;
mod unbroken;

pub use copy::{CopyFormat, CopyIn};
/// Rows of a result.
pub use datafusion::arrow::array::RecordBatch as Batch;
pub use describe::Prepared;
pub use engine::Style;
pub use errors::translate;
pub use output::{Column, Format, Plain, decode_parameter, encode_binary, encode_value};
pub use parameters::Parameter;
pub use parse::{Parsed, ParsedKind, parse};
pub use prepared::may_add;
pub use session::{Notice, Reply, RowsReply, Session, Stamp, TransactionStatus};
