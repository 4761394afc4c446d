//! `pg_am`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// An access method.
    pub struct PgAm in "pg_am" {
        pub oid: Oid,
        pub amname: Name,
        pub amhandler: Oid,
        pub amtype: Char,
    }
}
