//! `pg_authid`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// A role. Its password is the verifier, or NULL.
    pub struct PgAuthid in "pg_authid" {
        pub oid: Oid,
        pub rolname: Name,
        pub rolsuper: bool,
        pub rolinherit: bool,
        pub rolcreaterole: bool,
        pub rolcreatedb: bool,
        pub rolcanlogin: bool,
        pub rolreplication: bool,
        pub rolbypassrls: bool,
        pub rolconnlimit: i32,
        pub rolpassword: Option<Name>,
        pub rolvaliduntil: Option<i64>,
    }
}
