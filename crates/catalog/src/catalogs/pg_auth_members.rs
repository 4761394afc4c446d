//! `pg_auth_members`.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// A role's membership in another role.
    pub struct PgAuthMembers in "pg_auth_members" {
        pub oid: Oid,
        pub roleid: Oid,
        pub member: Oid,
        pub grantor: Oid,
        pub admin_option: bool,
        pub inherit_option: bool,
        pub set_option: bool,
    }
}
