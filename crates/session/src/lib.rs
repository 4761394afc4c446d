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

pub mod autovacuum;
mod bound;
mod catalog_statistics;
mod client_encoding;
pub mod commands;
mod constants;
mod cursor;
pub mod definitions;
pub mod dependency;
pub mod environment;
pub mod errors;
mod expressions;
pub mod facts;
mod fastpath;
pub mod first_statement;
mod function_definition;
pub mod functions;
pub mod identity;
mod index_compiler;
mod index_definition;
mod index_properties;
pub mod names;
mod namespace;
mod object_description;
pub mod output;
mod ownership;
mod parameters;
mod parse;
mod permissions;
pub mod plan_cache;
mod planning;
pub mod portal;
mod postgres;
mod prewarm;
mod query;
mod restored_statistics;
mod role;
mod roles;
mod search_path;
pub mod sequences;
pub mod session;
mod sizes;
mod spi;
pub mod stat;
mod statement_cache;
pub mod statistics;
pub mod stored;
mod uninterrupted;
mod utility;
mod xact;

pub use bound::BoundQuery;
pub use commands::copy_from::CopyIn;
pub use commands::copy_to::{CopyChunk, CopyOut};
pub use commands::db_role_setting::apply as apply_role_settings;
pub use commands::portals::missing_portal;
pub use commands::prepare::Prepared;
pub use executor::Batch;
pub use fastpath::FastpathFunction;
pub use output::Format;
pub use parameters::ParameterInput;
pub use parse::{ParsedStatement, bound_trees};
pub use plan_cache::Column;
pub use portal::Portal;
pub use query::Parameter;
pub use session::{Notice, Reply, Session, Shared};
pub use statement_cache::Statement;
pub use xact::TransactionStatus;
