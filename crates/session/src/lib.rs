//! Statements from their texts to their rows: PostgreSQL's `tcop` and `utils/cache/plancache.c`. It leads a statement through
//! the stages and keeps what they made; it knows no sockets.
//!
//! * [`environment`]: what a statement is understood with. [`objects`]: what engine's catalog has, as rows of PostgreSQL's
//!   catalogs.
//! * [`names`]: what functions ask of the catalog; [`definitions`]: objects as SQL, `function_definition`: functions.
//! * `permissions`: who may read what is secret in the catalogs.
//! * [`stat`]: what functions tell of the server, for the system views.
//! * [`statistics`]: what ANALYZE finds out for the planner.
//! * [`plan_cache`]: statements analyzed once and planned once.
//! * [`portal`]: statements that run. [`facts`]: the tables that they use. [`output`]: how values go to clients.

pub mod definitions;
pub mod environment;
pub mod facts;
mod function_definition;
pub mod names;
pub mod objects;
pub mod output;
mod permissions;
pub mod plan_cache;
pub mod portal;
pub mod stat;
pub mod statistics;
