//! `pg_range`.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// What a range type is, beside its row in `pg_type`.
    pub struct PgRange in "pg_range" {
        pub rngtypid: Oid,
        pub rngsubtype: Oid,
        pub rngmultitypid: Oid,
        pub rngcollation: Oid,
        pub rngsubopc: Oid,
        pub rngcanonical: Oid,
        pub rngsubdiff: Oid,
    }
}
