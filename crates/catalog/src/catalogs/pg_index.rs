//! `pg_index`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// What an index is, beside its row in `pg_class`.
    pub struct PgIndex in "pg_index" {
        pub indexrelid: Oid,
        pub indrelid: Oid,
        pub indnatts: i16,
        pub indnkeyatts: i16,
        pub indisunique: bool,
        pub indnullsnotdistinct: bool,
        pub indisprimary: bool,
        pub indisexclusion: bool,
        pub indimmediate: bool,
        pub indisclustered: bool,
        pub indisvalid: bool,
        pub indcheckxmin: bool,
        pub indisready: bool,
        pub indislive: bool,
        pub indisreplident: bool,
        pub indkey: Box<[i16]>,
        pub indcollation: Box<[Oid]>,
        pub indclass: Box<[Oid]>,
        pub indoption: Box<[i16]>,
        /// Trees, as is the predicate.
        pub indexprs: Option<Name>,
        pub indpred: Option<Name>,
    }
}
