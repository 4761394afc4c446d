//! Statements from their texts to their rows: PostgreSQL's `tcop` and `utils/cache/plancache.c`. It leads a statement through
//! the stages and keeps what they made; it knows no sockets.
//!
//! * [`objects`]: what engine's catalog has, as rows of PostgreSQL's catalogs.

pub mod objects;
