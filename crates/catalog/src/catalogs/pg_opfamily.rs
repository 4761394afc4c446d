//! `pg_opfamily`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// A family of operators of an access method.
    pub struct PgOpfamily in "pg_opfamily" {
        pub oid: Oid,
        pub opfmethod: Oid,
        pub opfname: Name,
        pub opfnamespace: Oid,
        pub opfowner: Oid,
    }
}
