//! `pg_operator`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// An operator.
    pub struct PgOperator in "pg_operator" {
        pub oid: Oid,
        pub oprname: Name,
        pub oprnamespace: Oid,
        pub oprowner: Oid,
        /// `b` infix, `l` prefix.
        pub oprkind: Char,
        pub oprcanmerge: bool,
        pub oprcanhash: bool,
        /// 0 for a prefix operator.
        pub oprleft: Oid,
        pub oprright: Oid,
        pub oprresult: Oid,
        pub oprcom: Oid,
        pub oprnegate: Oid,
        pub oprcode: Oid,
        pub oprrest: Oid,
        pub oprjoin: Oid,
    }
}
