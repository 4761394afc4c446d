//! `pg_collation`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A collation.
    pub struct PgCollation in "pg_collation" {
        pub oid: Oid,
        pub collname: Name,
        pub collnamespace: Oid,
        pub collowner: Oid,
        pub collprovider: Char,
        pub collisdeterministic: bool,
        pub collencoding: i32,
        pub collcollate: Option<Name>,
        pub collctype: Option<Name>,
        pub colllocale: Option<Name>,
        pub collicurules: Option<Name>,
        pub collversion: Option<Name>,
    }
}
