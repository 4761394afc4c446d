//! `pg_depend`.

use types::Oid;
use types::names::ObjectAddress;

use crate::facts::{Char, catalog};

catalog! {
    /// That an object needs another one. What is built in is pinned and has no rows.
    pub struct PgDepend in "pg_depend" {
        pub classid: Oid,
        pub objid: Oid,
        pub objsubid: i32,
        pub refclassid: Oid,
        pub refobjid: Oid,
        pub refobjsubid: i32,
        /// `n` normal, `a` automatic, `i` internal, `P` and `S` of partitions, `e` and `x` of extensions.
        pub deptype: Char,
    }
}

impl PgDepend {
    pub fn new(dependent: ObjectAddress, referenced: ObjectAddress, deptype: Char) -> PgDepend {
        let ObjectAddress { class: classid, oid: objid, column: objsubid } = dependent;
        let ObjectAddress { class: refclassid, oid: refobjid, column: refobjsubid } = referenced;
        PgDepend { classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype }
    }
}
