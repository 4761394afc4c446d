//! `pg_init_privs`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, catalog};

catalog! {
    /// What may be done with an object since there is the cluster. Dumps have what differs from it.
    pub struct PgInitPrivs in "pg_init_privs" and "own/pg_init_privs.tsv" {
        pub objoid: Oid,
        pub classoid: Oid,
        pub objsubid: i32,
        /// `i` made by initdb, `e` by CREATE EXTENSION.
        pub privtype: Char,
        pub initprivs: Box<[AclItem]>,
    }
}
