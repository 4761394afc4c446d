//! `pg_cast`.

use types::Oid;

use crate::facts::{Char, catalog};

catalog! {
    /// A cast.
    pub struct PgCast in "pg_cast" {
        pub oid: Oid,
        pub castsource: Oid,
        pub casttarget: Oid,
        pub castfunc: Oid,
        /// `e` explicit, `a` in assignments too, `i` everywhere.
        pub castcontext: Char,
        /// `f` by a function, `b` none is needed, `i` by the types' texts.
        pub castmethod: Char,
    }
}
