//! `pg_aggregate`.

use types::Oid;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// What an aggregate function is made of.
    pub struct PgAggregate in "pg_aggregate" {
        pub aggfnoid: Oid,
        /// `n` normal, `o` ordered-set, `h` hypothetical-set.
        pub aggkind: Char,
        pub aggnumdirectargs: i16,
        pub aggtransfn: Oid,
        pub aggfinalfn: Oid,
        pub aggcombinefn: Oid,
        pub aggserialfn: Oid,
        pub aggdeserialfn: Oid,
        pub aggmtransfn: Oid,
        pub aggminvtransfn: Oid,
        pub aggmfinalfn: Oid,
        pub aggfinalextra: bool,
        pub aggmfinalextra: bool,
        pub aggfinalmodify: Char,
        pub aggmfinalmodify: Char,
        pub aggsortop: Oid,
        pub aggtranstype: Oid,
        pub aggtransspace: i32,
        pub aggmtranstype: Oid,
        pub aggmtransspace: i32,
        pub agginitval: Option<Name>,
        pub aggminitval: Option<Name>,
    }
}
