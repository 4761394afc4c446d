//! The reference: the submitting thread makes the call itself and completes it.

use super::{Method, run_blocking};
use crate::engine::Shared;

pub(crate) struct Sync;

impl Method for Sync {
    fn submit(&self, shared: &Shared, leaders: &[u32]) {
        for &slot in leaders {
            run_blocking(shared, slot);
        }
    }
}
