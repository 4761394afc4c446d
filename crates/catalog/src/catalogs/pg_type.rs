//! `pg_type`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A type.
    pub struct PgType in "pg_type" and "own/pg_type.tsv" {
        pub oid: Oid,
        pub typname: Name,
        pub typnamespace: Oid,
        pub typowner: Oid,
        pub typlen: i16,
        pub typbyval: bool,
        /// `b` base, `c` composite, `d` domain, `e` enum, `p` pseudo-type, `r` range, `m` multirange.
        pub typtype: Char,
        pub typcategory: Char,
        pub typispreferred: bool,
        pub typisdefined: bool,
        pub typdelim: Char,
        pub typrelid: Oid,
        /// The function that subscripts it: an array's is [`ARRAY_SUBSCRIPT_HANDLER`].
        pub typsubscript: Oid,
        pub typelem: Oid,
        pub typarray: Oid,
        pub typinput: Oid,
        pub typoutput: Oid,
        pub typreceive: Oid,
        pub typsend: Oid,
        pub typmodin: Oid,
        pub typmodout: Oid,
        pub typanalyze: Oid,
        pub typalign: Char,
        pub typstorage: Char,
        pub typnotnull: bool,
        pub typbasetype: Oid,
        pub typtypmod: i32,
        pub typndims: i32,
        pub typcollation: Oid,
        pub typdefaultbin: Option<Name>,
        pub typdefault: Option<Name>,
        pub typacl: Option<Box<[AclItem]>>,
    }
}
