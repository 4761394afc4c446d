//! A definition that versions of the catalog share.
//!
//! Two are equal only if they are the very same: so what differs between two versions is found without a look into the
//! definitions ([`imbl::OrdMap::diff`] passes over what both versions share). A definition that is put again is another one.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shared<T>(pub Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T> From<Arc<T>> for Shared<T> {
    fn from(definition: Arc<T>) -> Shared<T> {
        Shared(definition)
    }
}
