//! `pg_attrdef`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// What a column has where no value is given, or what a generated one is made of.
    pub struct PgAttrdef in "pg_attrdef" {
        pub oid: Oid,
        pub adrelid: Oid,
        pub adnum: i16,
        /// The expression.
        pub adbin: Name,
    }
}
