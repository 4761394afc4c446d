//! `pg_shdepend`.

use types::Oid;
use types::names::{ObjectAddress, PG_AUTHID};

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

impl PgShdepend {
    /// That an object of a database (0: which all share) needs a role: its owner (`o`), one with rights on it (`a`), or one that a
    /// policy names (`r`).
    pub fn on_role(dbid: Oid, object: ObjectAddress, role: Oid, deptype: Char) -> PgShdepend {
        let ObjectAddress { class: classid, oid: objid, column: objsubid } = object;
        PgShdepend { dbid, classid, objid, objsubid, refclassid: PG_AUTHID, refobjid: role, deptype }
    }
}
