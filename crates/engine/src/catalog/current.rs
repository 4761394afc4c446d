//! The catalog as it is now. Every statement asks if it is still the one that it was planned with: that costs a look at an
//! address, not a lock that all processors would take turns at.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use aio::lwlock::RwLock;

use crate::catalog::Catalog;

pub(crate) struct CurrentCatalog {
    catalog: RwLock<Arc<Catalog>>,
    /// Where it is.
    address: AtomicPtr<Catalog>,
}

impl CurrentCatalog {
    pub(crate) fn new(catalog: Catalog) -> CurrentCatalog {
        let catalog = Arc::new(catalog);
        CurrentCatalog { address: AtomicPtr::new(Arc::as_ptr(&catalog).cast_mut()), catalog: RwLock::new(catalog) }
    }

    pub(crate) fn get(&self) -> Arc<Catalog> {
        self.catalog.read().clone()
    }

    /// Is it this one? The caller holds it, so no other one can have come to lie at its address.
    pub(crate) fn is(&self, catalog: &Arc<Catalog>) -> bool {
        Arc::as_ptr(catalog) == self.address.load(Ordering::Acquire).cast_const()
    }

    /// Puts a changed one in its place. The caller has the turn to change it ([`crate::database::Inner::catalog_turn`]).
    pub(crate) fn replace(&self, changed: Arc<Catalog>) {
        let mut catalog = self.catalog.write();
        let before = std::mem::replace(&mut *catalog, changed);
        self.address.store(Arc::as_ptr(&catalog).cast_mut(), Ordering::Release);
        drop(catalog);
        // Not earlier: nothing else may come to lie where it is while that is the address.
        drop(before);
    }
}
