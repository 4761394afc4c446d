//! `pg_policy`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A policy of row level security.
    pub struct PgPolicy in "pg_policy" {
        pub oid: Oid,
        pub polname: Name,
        pub polrelid: Oid,
        /// `r` SELECT, `a` INSERT, `w` UPDATE, `d` DELETE, `*` all of them.
        pub polcmd: Char,
        pub polpermissive: bool,
        /// 0 is PUBLIC, which stands alone.
        pub polroles: Box<[Oid]>,
        /// USING: a tree.
        pub polqual: Option<Name>,
        /// WITH CHECK: a tree.
        pub polwithcheck: Option<Name>,
    }
}
