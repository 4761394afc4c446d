//! `pg_shdescription`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// The comment on an object that all databases share.
    pub struct PgShdescription in "pg_shdescription" {
        pub objoid: Oid,
        pub classoid: Oid,
        pub description: Name,
    }
}
