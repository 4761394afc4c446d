//! With what names are looked up. What it answers is in [`crate::definition::names`].

use std::sync::Arc;

use catalog::acl::Viewer;
use catalog::{Catalog, Objects};
use types::Oid;

/// A version of the catalogs and a search path.
#[derive(Clone, Debug)]
pub struct CatalogNames {
    pub objects: Arc<Objects>,
    /// What others see of them while the transaction has changed some.
    pub committed: Option<Arc<Objects>>,
    pub search_path: Arc<[Oid]>,
    pub database: (Oid, String),
    /// The role that asks, which may not name all schemas.
    pub viewer: Arc<Viewer>,
}

impl CatalogNames {
    pub(crate) fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.search_path, objects: Some(&self.objects), viewer: Some(&self.viewer) }
    }
}
