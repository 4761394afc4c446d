//! Statements from their texts to their rows: PostgreSQL's `tcop`, `commands` and `utils/cache/plancache.c`. It leads a
//! statement through the stages and keeps what they made; it knows no sockets.
//!
//! The way of a statement: [`parse()`] cuts a query string into statements; [`Session::run`] runs one, which is a query
//! ([`query`]) or a command ([`utility`], [`commands`]); a [`portal`] gives its rows.
//!
//! * [`session`]: what one connected user has set and begun; [`xact`]: transactions. [`identity`], `role`: who a session is.
//! * [`environment`]: what a statement is understood with; `search_path`: the schemas of its names. [`objects`]: what engine's catalog has, as rows of PostgreSQL's
//!   catalogs. [`facts`]: tables, for plans that are made ready.
//! * `statement_cache`: query strings that came before; [`plan_cache`]: statements analyzed once and planned once.
//! * `fastpath`: functions that clients call by their numbers.
//! * `bound`: queries that have their values and are not run yet. `cursor`: the rows of a query as FETCH moves over them.
//! * [`functions`]: what functions ask of the session; [`names`]: what they ask of the catalog; [`definitions`]: objects as
//!   SQL, `function_definition`: functions, `index_definition` and
//!   `index_properties`: indexes; [`dependency`]: what queries refer to; [`sequences`], [`sizes`].
//! * `spi`: queries that commands run for themselves. `stored`: what definitions keep as trees.
//! * `permissions`: who may read what is secret in the catalogs.
//! * `index_compiler`: what indexes compute of rows, for the engine.
//! * [`stat`]: what functions tell of the server, for the system views.
//! * [`statistics`]: what ANALYZE finds out for the planner; `restored_statistics`: what functions put in its place. [`autovacuum`]: what runs it, and VACUUM, by itself.
//!   [`first_statement`]: a statement that makes the server ready for those of clients.
//! * `parameters`, [`output`], `client_encoding`: how values come from clients and go to them. [`errors`]: what went wrong, as clients are told.

mod client;
pub mod def_elem;
mod definition;
mod environment;
pub mod errors;
mod functions;
pub mod identity;
mod plan_cache;
mod portal;
mod session;
mod setting;
pub mod stat;
mod statement;
mod transaction;
mod uninterrupted;
mod utility;

pub use client::output::{Format, Output};
pub use client::parameters::ParameterInput;
pub use definition::columns::{Columns, is_system_column};
pub use environment::spread::spread;
pub use environment::table_statistics::TableStatistics;
pub use environment::{Environment, search_path};
pub use executor::Batch;
pub use functions::sequences;
pub use identity::{ownership, permissions};
pub use plan_cache::{CachedPlan, Column, views};
pub use portal::portals::missing_portal;
pub use portal::{Portal, changed_result_type};
pub use session::reply::{CopyChunk, CopyIn, CopyOut, Fed};
pub use session::{Notice, Reply, Session, Shared, Utility, done};
pub use setting::{guc, tablespace, variable};
pub use statement::bound::BoundQuery;
pub use statement::expressions::MAX_KEPT_LEVELS;
pub use statement::fastpath::FastpathFunction;
pub use statement::parameter::Parameter;
pub use statement::parse::{ParsedStatement, bound_trees};
pub use statement::prepared::Prepared;
pub use statement::query::{QueryText, Ready};
pub use statement::statement_cache::Statement;
pub use statement::{first_statement, prepare, spi};
pub use transaction::block::TransactionStatus;
pub use transaction::on_commit::OnCommit;
pub use uninterrupted::uninterrupted;
