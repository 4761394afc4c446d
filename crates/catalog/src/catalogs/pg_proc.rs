//! `pg_proc`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, Expressions, Name, catalog};

catalog! {
    /// A function, a procedure, an aggregate or a window function.
    pub struct PgProc in "pg_proc" and "own/pg_proc.tsv" {
        pub oid: Oid,
        pub proname: Name,
        pub pronamespace: Oid,
        pub proowner: Oid,
        pub prolang: Oid,
        pub procost: f32,
        pub prorows: f32,
        /// The element type of the last argument where it takes any number of them; 0 where it does not.
        pub provariadic: Oid,
        pub prosupport: Oid,
        /// `f` function, `p` procedure, `a` aggregate, `w` window function.
        pub prokind: Char,
        pub prosecdef: bool,
        pub proleakproof: bool,
        pub proisstrict: bool,
        pub proretset: bool,
        /// `i` immutable, `s` stable, `v` volatile.
        pub provolatile: Char,
        pub proparallel: Char,
        pub pronargs: i16,
        pub pronargdefaults: i16,
        pub prorettype: Oid,
        pub proargtypes: Box<[Oid]>,
        pub proallargtypes: Option<Box<[Oid]>>,
        /// `i` in, `o` out, `b` both, `v` variadic, `t` table, for each of `proallargtypes`.
        pub proargmodes: Option<Box<[Char]>>,
        pub proargnames: Option<Box<[Name]>>,
        /// The expressions of the last `pronargdefaults` arguments, as SQL.
        pub proargdefaults: Option<Expressions>,
        pub protrftypes: Option<Box<[Oid]>>,
        pub prosrc: Name,
        pub probin: Option<Name>,
        /// The body of a function in SQL's standard syntax, as SQL.
        pub prosqlbody: Option<Name>,
        pub proconfig: Option<Box<[Name]>>,
        pub proacl: Option<Box<[AclItem]>>,
    }
}
