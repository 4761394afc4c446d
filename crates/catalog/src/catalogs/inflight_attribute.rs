//! What `pg_attribute` has no columns for.

use types::Oid;

use crate::facts::{Char, catalog};

catalog! {
    /// How a column lies on its relation's pages. One without a row has zeros.
    pub struct InflightAttribute in "inflight_attribute" {
        pub attrelid: Oid,
        pub attnum: i16,
        /// Since when it is on the pages: 0 as declared, `n` and `v` since the first one, with NULL bits or without them, `a`
        /// added later, `x` not at all.
        pub lies: Char,
        /// The number under which it was added.
        pub added: i32,
        /// The type of a dropped column, and the transaction that has dropped it.
        pub droppedtype: Oid,
        pub dropped_by: i64,
        /// The missing value, as it is stored.
        pub missing: Option<Box<[Char]>>,
    }
}
