//! `pg_parameter_acl`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Name, catalog};

catalog! {
    /// Who besides superusers may set a parameter.
    pub struct PgParameterAcl in "pg_parameter_acl" {
        pub oid: Oid,
        pub parname: Name,
        pub paracl: Option<Box<[AclItem]>>,
    }
}
