//! The definitions of the system views.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// A view of `pg_catalog` or `information_schema`. Its columns are in `pg_attribute`.
    pub struct View in "views" {
        pub oid: Oid,
        /// The query, as `pg_get_viewdef` gives it.
        pub definition: Name,
    }
}

/// The query of a system view.
pub fn definition(view: Oid) -> Option<&'static str> {
    static VIEWS: std::sync::LazyLock<&[View]> = std::sync::LazyLock::new(crate::facts::rows::<View>);
    let found = VIEWS.binary_search_by_key(&view, |row| row.oid).ok()?;
    Some(&VIEWS[found].definition)
}
