//! What `pg_index` has no columns for.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// How an index is read.
    pub struct InflightIndex in "inflight_index" {
        pub indexrelid: Oid,
        /// Snapshots that began before this transaction id was given out must not use it: it lacks rows that were gone when it
        /// was made.
        pub made_after: i64,
        /// Long texts in its keys are compressed.
        pub compressed_keys: bool,
        /// The columns of the table that each expression of its key is made of, with a 0 behind each expression's.
        pub indexprcols: Option<Box<[i16]>>,
        /// Those of its predicate.
        pub indpredcols: Option<Box<[i16]>>,
        /// The collation of each expression's values, which COLLATE may say otherwise of the key.
        pub indexprcollations: Option<Box<[Oid]>>,
    }
}
