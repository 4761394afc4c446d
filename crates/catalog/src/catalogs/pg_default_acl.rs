//! `pg_default_acl`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, catalog};

catalog! {
    /// What may be done with objects that a role makes (ALTER DEFAULT PRIVILEGES).
    pub struct PgDefaultAcl in "pg_default_acl" {
        pub oid: Oid,
        pub defaclrole: Oid,
        /// 0: in any schema.
        pub defaclnamespace: Oid,
        /// `r` relations, `S` sequences, `f` functions, `T` types, `n` schemas, `L` large objects.
        pub defaclobjtype: Char,
        pub defaclacl: Box<[AclItem]>,
    }
}
