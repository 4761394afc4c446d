//! `pg_extension`. None is there before CREATE EXTENSION makes it: PostgreSQL's PL/pgSQL is not here.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// An extension.
    pub struct PgExtension in "pg_extension" {
        pub oid: Oid,
        pub extname: Name,
        pub extowner: Oid,
        pub extnamespace: Oid,
        pub extrelocatable: bool,
        pub extversion: Name,
        pub extconfig: Option<Box<[Oid]>>,
        pub extcondition: Option<Box<[Name]>>,
    }
}
