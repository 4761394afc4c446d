//! What the tests share that record answers of a real server.

use types::{BASE_TYPES, BaseType, Oid};

/// A text as a field of a line.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

pub fn base_type(ty: Oid) -> &'static BaseType {
    let mut all = BASE_TYPES.iter().copied().flatten();
    all.find(|t| t.oid == ty).unwrap_or_else(|| panic!("type {ty} has no text"))
}
