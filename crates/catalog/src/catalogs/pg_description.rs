//! `pg_description`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// The comment on an object.
    pub struct PgDescription in "pg_description" {
        pub objoid: Oid,
        pub classoid: Oid,
        pub objsubid: i32,
        pub description: Name,
    }
}
