//! With what names are looked up. What it answers is in [`crate::definition::names`].

use std::sync::Arc;

use catalog::{Catalog, Objects};
use types::Oid;

/// A version of the catalogs and a search path.
#[derive(Clone, Debug)]
pub struct CatalogNames {
    pub objects: Arc<Objects>,
    pub search_path: Arc<[Oid]>,
    pub database: (Oid, String),
}

impl CatalogNames {
    pub(crate) fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.search_path, objects: Some(&self.objects) }
    }
}
