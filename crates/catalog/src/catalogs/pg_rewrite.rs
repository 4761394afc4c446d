//! `pg_rewrite`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// What is done instead of, or beside, a command on a relation: a view's query is its only rule here.
    pub struct PgRewrite in "pg_rewrite" and "own/pg_rewrite.tsv" {
        pub oid: Oid,
        pub rulename: Name,
        pub ev_class: Oid,
        /// `1` SELECT.
        pub ev_type: Char,
        pub ev_enabled: Char,
        pub is_instead: bool,
        pub ev_qual: Name,
        /// The view's query: a tree, or of what is built in SQL.
        pub ev_action: Name,
    }
}
