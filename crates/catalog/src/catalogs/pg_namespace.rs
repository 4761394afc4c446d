//! `pg_namespace`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Name, catalog};

catalog! {
    /// A schema.
    pub struct PgNamespace in "pg_namespace" {
        pub oid: Oid,
        pub nspname: Name,
        pub nspowner: Oid,
        pub nspacl: Option<Box<[AclItem]>>,
    }
}
