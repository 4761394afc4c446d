//! `pg_constraint`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A constraint.
    pub struct PgConstraint in "pg_constraint" {
        pub oid: Oid,
        pub conname: Name,
        pub connamespace: Oid,
        pub contype: Char,
        pub condeferrable: bool,
        pub condeferred: bool,
        pub conenforced: bool,
        pub convalidated: bool,
        pub conrelid: Oid,
        pub contypid: Oid,
        pub conindid: Oid,
        pub conparentid: Oid,
        pub confrelid: Oid,
        pub confupdtype: Char,
        pub confdeltype: Char,
        pub confmatchtype: Char,
        pub conislocal: bool,
        pub coninhcount: i16,
        pub connoinherit: bool,
        pub conperiod: bool,
        pub conkey: Option<Box<[i16]>>,
        pub confkey: Option<Box<[i16]>>,
        pub conpfeqop: Option<Box<[Oid]>>,
        pub conppeqop: Option<Box<[Oid]>>,
        pub conffeqop: Option<Box<[Oid]>>,
        pub confdelsetcols: Option<Box<[i16]>>,
        pub conexclop: Option<Box<[Oid]>>,
        /// The expression of a check: a tree, or of what is built in SQL.
        pub conbin: Option<Name>,
    }
}
