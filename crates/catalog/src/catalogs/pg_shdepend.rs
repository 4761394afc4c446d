//! `pg_shdepend`.

use types::Oid;

use crate::facts::{Char, catalog};

catalog! {
    /// What depends on a role or a tablespace.
    pub struct PgShdepend in "pg_shdepend" {
        /// The database of what depends; 0: all databases share it.
        pub dbid: Oid,
        pub classid: Oid,
        pub objid: Oid,
        pub objsubid: i32,
        pub refclassid: Oid,
        pub refobjid: Oid,
        pub deptype: Char,
    }
}
