//! `pg_database`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A database.
    pub struct PgDatabase in "pg_database" {
        pub oid: Oid,
        pub datname: Name,
        pub datdba: Oid,
        pub encoding: i32,
        pub datlocprovider: Char,
        pub datistemplate: bool,
        pub datallowconn: bool,
        pub dathasloginevt: bool,
        pub datconnlimit: i32,
        pub datfrozenxid: Oid,
        pub datminmxid: Oid,
        pub dattablespace: Oid,
        pub datcollate: Name,
        pub datctype: Name,
        pub datlocale: Option<Name>,
        pub daticurules: Option<Name>,
        pub datcollversion: Option<Name>,
        pub datacl: Option<Box<[AclItem]>>,
    }
}
