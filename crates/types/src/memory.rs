//! Memory for long values. Such a value is made in one piece, so its maker asks before whether there is room: where a
//! control group has less than that, the system would end the server.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use error::sqlstate;

use crate::error::{Error, Result};

/// Shorter values are made without asking, in bytes.
pub const LONG: usize = 4 << 20;
/// Several values of a batch have no more than this together, where there is enough memory.
const BATCH: usize = 64 << 20;
/// Nor do they have less where there is little, in bytes.
pub const LEAST_BATCH: usize = 1 << 20;

/// So often a long value is there while it is made: as the function has it, as a part of a column, and as a constant where the
/// planner computes it.
const COPIES: usize = 3;

/// Says how many bytes could be taken now.
type Room = fn() -> usize;

static ROOM: OnceLock<Room> = OnceLock::new();
static BATCH_BYTES: AtomicUsize = AtomicUsize::new(BATCH);
/// Bytes that are being written now, and may not be in use yet.
static CLAIMED: AtomicUsize = AtomicUsize::new(0);
/// A long value was made.
static MADE: AtomicBool = AtomicBool::new(false);

/// From now on `room` is asked. `memory` is all that the process may use, in bytes: 32 batches are to fit into it.
pub fn follow(room: Room, memory: usize) {
    BATCH_BYTES.store((memory / 32).clamp(LEAST_BATCH, BATCH), Ordering::Relaxed);
    ROOM.get_or_init(|| room);
}

/// What several values of a batch may have together, in bytes. An evaluation of fewer rows at once gets by with it.
pub fn batch_bytes() -> usize {
    BATCH_BYTES.load(Ordering::Relaxed)
}

/// Was a long value made since this was asked last, by any session? There may be much that was freed.
pub fn was_long_made() -> bool {
    MADE.load(Ordering::Relaxed) && MADE.swap(false, Ordering::Relaxed)
}

/// Room for a value, while it is written.
#[must_use]
#[derive(Debug)]
pub struct Claim(usize);

impl Drop for Claim {
    fn drop(&mut self) {
        if self.0 > 0 {
            CLAIMED.fetch_sub(self.0, Ordering::Relaxed);
        }
    }
}

/// Asks for room for a value of so many bytes, and its copies. Fails with 53200.
#[inline]
pub fn claim(bytes: usize) -> Result<Claim> {
    if bytes < LONG { Ok(Claim(0)) } else { claim_long(bytes, COPIES) }
}

/// The same for what is there once, while a value is made of it.
#[inline]
pub fn claim_once(bytes: usize) -> Result<Claim> {
    if bytes < LONG { Ok(Claim(0)) } else { claim_long(bytes, 1) }
}

/// Makes room for more elements of what grows, for which it asks where it gets long. Fails with 53200.
#[inline]
pub fn reserve<T>(grown: &mut Vec<T>, more: usize) -> Result<()> {
    if grown.capacity() - grown.len() >= more { Ok(()) } else { grow(grown, more) }
}

#[cold]
fn grow<T>(grown: &mut Vec<T>, more: usize) -> Result<()> {
    // What a vector grows to.
    let elements = grown.len().saturating_add(more).max(grown.capacity().saturating_mul(2));
    let _room = claim_once(elements.saturating_mul(size_of::<T>()))?;
    grown.reserve(more);
    Ok(())
}

/// The same for a text.
pub fn reserve_text(grown: &mut String, more: usize) -> Result<()> {
    if grown.capacity() - grown.len() >= more {
        return Ok(());
    }
    let _room = claim_once(grown.len().saturating_add(more).max(grown.capacity().saturating_mul(2)))?;
    grown.reserve(more);
    Ok(())
}

#[cold]
fn claim_long(bytes: usize, copies: usize) -> Result<Claim> {
    MADE.store(true, Ordering::Relaxed);
    let claim = Claim(bytes.saturating_mul(copies));
    let claimed = CLAIMED.fetch_add(claim.0, Ordering::Relaxed).saturating_add(claim.0);
    match ROOM.get() {
        Some(room) if room() < claimed => Err(out_of_memory(bytes)),
        _ => Ok(claim),
    }
}

fn out_of_memory(bytes: usize) -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "out of memory").detail(format!("Failed on request of size {bytes}."))
}

/// The error for what fewer rows at once may have room for.
pub fn too_long_for_a_batch() -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "out of memory")
        .detail("The values of a batch are too long to be there at once.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_asked_for_long_values_alone_and_for_all_that_are_written() {
        // Nothing else in this process makes values as long as these.
        follow(|| 3 << 30, 16 << 30);
        assert!(claim(usize::MAX / 2).is_err());
        let first = claim(1 << 30).unwrap();
        let error = claim(1 << 30).unwrap_err();
        assert_eq!((error.0.code, error.0.detail.as_deref()), ("53200", Some("Failed on request of size 1073741824.")));
        drop(first);
        assert!(claim(1 << 30).is_ok() && claim(100).is_ok());
    }
}
