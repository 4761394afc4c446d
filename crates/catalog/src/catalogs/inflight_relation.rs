//! What `pg_class` has no columns for.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// How a relation's rows lie. One without a row has zeros.
    pub struct InflightRelation in "inflight_relation" {
        pub relid: Oid,
        /// The transaction that wrote its rows anew without changing them; snapshots that do not see it would find none.
        pub moved_by: i64,
    }
}
