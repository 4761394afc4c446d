//! `pg_attribute`.

use types::Oid;
use types::acl::AclItem;

use crate::catalogs::AnyArray;
use crate::facts::{Char, Name, catalog};

catalog! {
    /// A column of a relation.
    pub struct PgAttribute in "pg_attribute" and "own/pg_attribute.tsv" {
        pub attrelid: Oid,
        pub attname: Name,
        pub atttypid: Oid,
        pub attlen: i16,
        pub attnum: i16,
        pub atttypmod: i32,
        pub attndims: i16,
        pub attbyval: bool,
        pub attalign: Char,
        pub attstorage: Char,
        pub attcompression: Char,
        pub attnotnull: bool,
        pub atthasdef: bool,
        pub atthasmissing: bool,
        pub attidentity: Char,
        pub attgenerated: Char,
        pub attisdropped: bool,
        pub attislocal: bool,
        pub attinhcount: i16,
        pub attcollation: Oid,
        pub attstattarget: Option<i16>,
        pub attacl: Option<Box<[AclItem]>>,
        pub attoptions: Option<Box<[Name]>>,
        pub attfdwoptions: Option<Box<[Name]>>,
        pub attmissingval: Option<AnyArray>,
    }
}
