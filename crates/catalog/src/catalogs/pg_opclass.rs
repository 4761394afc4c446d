//! `pg_opclass`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// An operator class of an access method.
    pub struct PgOpclass in "pg_opclass" {
        pub oid: Oid,
        pub opcmethod: Oid,
        pub opcname: Name,
        pub opcnamespace: Oid,
        pub opcowner: Oid,
        pub opcfamily: Oid,
        pub opcintype: Oid,
        pub opcdefault: bool,
        pub opckeytype: Oid,
    }
}
