//! What `pg_enum` has no columns for.

use types::Oid;

use crate::facts::catalog;

catalog! {
    /// Where the values of a label lie among those of its enum (`types::r#enum`). It never changes, as `enumsortorder` may.
    pub struct InflightEnum in "inflight_enum" {
        pub labelid: Oid,
        pub high: i64,
        pub low: i64,
    }
}

impl InflightEnum {
    pub fn new(label: Oid, place: u128) -> InflightEnum {
        InflightEnum { labelid: label, high: (place >> 64) as i64, low: place as i64 }
    }

    pub fn place(&self) -> u128 {
        u128::from(self.high as u64) << 64 | u128::from(self.low as u64)
    }
}
