//! Values of enums as functions see them: numbers that have the values' order.

use crate::sql::fixed;

fixed! {
    anyenum ANYENUM u128, 16, u128::from_be_bytes, u128::to_be_bytes;
}
