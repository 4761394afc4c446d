//! `pg_tablespace`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Name, catalog};

catalog! {
    /// Where files of relations are kept.
    pub struct PgTablespace in "pg_tablespace" {
        pub oid: Oid,
        pub spcname: Name,
        pub spcowner: Oid,
        pub spcacl: Option<Box<[AclItem]>>,
        pub spcoptions: Option<Box<[Name]>>,
    }
}
