//! `pg_amproc`.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// A support function of an operator family.
    pub struct PgAmproc in "pg_amproc" {
        pub oid: Oid,
        pub amprocfamily: Oid,
        pub amproclefttype: Oid,
        pub amprocrighttype: Oid,
        pub amprocnum: i16,
        pub amproc: Oid,
    }
}
