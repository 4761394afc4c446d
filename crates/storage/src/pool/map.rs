//! Which frame has which page: PostgreSQL's buffer mapping table (`buf_table.c`), in parts with a lock each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use aio::lwlock::Mutex;

use super::frames::Tag;

const SHARDS: usize = 128;

/// Multiplicative hashing: tags are small numbers and come from us, not from an attacker.
#[derive(Default)]
pub(super) struct TagHasher(u64);

impl Hasher for TagHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u32(u32::from(b));
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(value)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Where pages are.
pub(super) type Places = HashMap<Tag, u32, BuildHasherDefault<TagHasher>>;

/// A part of the map, on cache lines of its own.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Shard(Mutex<Places>);

/// Takes a frame out of the map: of a page whose read failed there may be another one by now.
pub(super) fn remove_frame(places: &mut Places, tag: &Tag, frame: u32) {
    if places.get(tag) == Some(&frame) {
        places.remove(tag);
    }
}

impl std::ops::Deref for Shard {
    type Target = Mutex<Places>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The map.
pub(super) struct BufferMap(Box<[Shard]>);

impl BufferMap {
    pub(super) fn new() -> BufferMap {
        BufferMap((0..SHARDS).map(|_| Shard::default()).collect())
    }

    /// The part with a page.
    pub(super) fn shard(&self, tag: &Tag) -> &Shard {
        let mut hasher = TagHasher::default();
        std::hash::Hash::hash(tag, &mut hasher);
        &self.0[hasher.finish() as usize % SHARDS]
    }

    /// Where a page is now.
    pub(super) fn frame_of(&self, tag: &Tag) -> Option<u32> {
        self.shard(tag).lock().get(tag).copied()
    }

    pub(super) fn has(&self, tag: &Tag) -> bool {
        self.frame_of(tag).is_some()
    }
}
