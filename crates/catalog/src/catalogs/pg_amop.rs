//! `pg_amop`.

use types::Oid;

use crate::facts::{Char, catalog};

catalog! {
    /// An operator of an operator family.
    pub struct PgAmop in "pg_amop" {
        pub oid: Oid,
        pub amopfamily: Oid,
        pub amoplefttype: Oid,
        pub amoprighttype: Oid,
        pub amopstrategy: i16,
        /// `s` search, `o` order.
        pub amoppurpose: Char,
        pub amopopr: Oid,
        pub amopmethod: Oid,
        pub amopsortfamily: Oid,
    }
}
