//! Statements from their texts to their ends: cut and read ([`parse`], [`statement_cache`]), run as a query ([`query`]) or a
//! command ([`postgres`]), prepared ([`prepare`], [`bound`]); queries that commands run for themselves ([`spi`]).

pub mod bound;
pub mod expressions;
pub mod fastpath;
pub mod first_statement;
pub mod parameter;
pub mod parse;
pub mod planning;
pub mod postgres;
pub mod prepare;
pub mod prepared;
pub mod query;
pub mod spi;
pub mod statement_cache;
