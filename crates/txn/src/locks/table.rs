//! The lock table: what is locked, and who waits for what.

use std::collections::HashMap;

use super::mode::LockMode;
use super::queue::Lock;
use super::tag::LockTag;
use crate::id::Owner;

pub(super) type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

#[derive(Debug, Default)]
pub(super) struct LockTable {
    pub(super) locks: Map<LockTag, Lock>,
    /// Until the session ends, and how often each was taken.
    pub(super) kept: Map<Owner, Map<(LockTag, LockMode), u64>>,
    /// An owner waits for one thing at a time.
    pub(super) waiting: Map<Owner, (LockTag, LockMode)>,
}
