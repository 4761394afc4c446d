//! `pg_class`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A relation: a table, an index, a view ….
    pub struct PgClass in "pg_class" and "own/pg_class.tsv" {
        pub oid: Oid,
        pub relname: Name,
        pub relnamespace: Oid,
        pub reltype: Oid,
        pub reloftype: Oid,
        pub relowner: Oid,
        pub relam: Oid,
        pub relfilenode: Oid,
        pub reltablespace: Oid,
        pub relpages: i32,
        pub reltuples: f32,
        pub relallvisible: i32,
        pub relallfrozen: i32,
        pub reltoastrelid: Oid,
        pub relhasindex: bool,
        pub relisshared: bool,
        pub relpersistence: Char,
        pub relkind: Char,
        pub relnatts: i16,
        pub relchecks: i16,
        pub relhasrules: bool,
        pub relhastriggers: bool,
        pub relhassubclass: bool,
        pub relrowsecurity: bool,
        pub relforcerowsecurity: bool,
        pub relispopulated: bool,
        pub relreplident: Char,
        pub relispartition: bool,
        pub relrewrite: Oid,
        pub relfrozenxid: Oid,
        pub relminmxid: Oid,
        pub relacl: Option<Box<[AclItem]>>,
        pub reloptions: Option<Box<[Name]>>,
        pub relpartbound: Option<Name>,
    }
}

impl PgClass {
    /// The value of an option of the relation.
    pub fn option(&self, name: &str) -> Option<&str> {
        let options = self.reloptions.iter().flatten().filter_map(|option| option.split_once('='));
        { options }.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Is a boolean option of the relation true? Values are checked when they are set.
    pub fn is_option_set(&self, name: &str) -> bool {
        self.option(name).and_then(types::boolean::parse) == Some(true)
    }
}
