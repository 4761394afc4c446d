//! `pg_enum`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// A label of an enum.
    pub struct PgEnum in "pg_enum" {
        pub oid: Oid,
        pub enumtypid: Oid,
        pub enumsortorder: f32,
        pub enumlabel: Name,
    }
}
