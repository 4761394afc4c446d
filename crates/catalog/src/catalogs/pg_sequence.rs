//! `pg_sequence`.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// What a sequence counts, beside its row in `pg_class`.
    pub struct PgSequence in "pg_sequence" {
        pub seqrelid: Oid,
        pub seqtypid: Oid,
        pub seqstart: i64,
        pub seqincrement: i64,
        pub seqmax: i64,
        pub seqmin: i64,
        pub seqcache: i64,
        pub seqcycle: bool,
    }
}
