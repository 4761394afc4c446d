//! Statements from their texts to their rows: PostgreSQL's `tcop` and `utils/cache/plancache.c`. It leads a statement through the
//! stages and keeps what they made; it knows no sockets. Of commands it has its own alone: transactions, PREPARE and EXECUTE,
//! cursors, settings. All others are above it, in the crate `commands`, and come in as a [`Utility`].
//!
//! The way of a statement: [`Session::statements`] cuts a query string into statements; [`Session::run`] runs one, which is a
//! query (`statement::query`) or a command (`utility`); a [`Portal`] gives its rows.
//!
//! * `session`: what one connected user has set and begun; what others may know of it ([`Shared`]); what it answers ([`Reply`]).
//! * `statement`: statements read, kept, prepared, bound and run; [`spi`]: queries that commands run for themselves.
//! * `plan_cache`: statements analyzed once and planned once. `environment`: what they are understood and planned with.
//! * `portal`: rows on their way to clients; cursors. `client`: how values come from clients and go to them.
//! * `transaction`, `setting`. [`identity`]: who a session is, and what that role may change ([`ownership`]) and read.
//! * `functions`: what functions ask of the session; `definition`: what they ask of the catalog; [`stat`]: what they tell of the
//!   server, for the system views.
//!
//! What is public here is for `commands`, which may use all of a session but for the fields that say how far its transaction is,
//! and for the server, which asks for statements, portals and notices alone.
//!
//! Types lie below what is done with them, so that a file says what it may touch. One circle is left on purpose, of five files: a
//! [`Session`] has cursors, which have portals, whose rows come while the session lends them its transaction, and a session's
//! answer ([`Reply`]) is such a portal.

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
