//! The allocator of programs: mimalloc, or the C library's where memory is scarce, and for blocks that are large.
//!
//! mimalloc is quick when one thread frees what another has made, and keeps much for that: each thread has 4 MiB for each
//! size of larger blocks, and what others have freed comes back when the thread allocates again. The C library gives
//! large blocks back to the system at once. Which one it is must be known before `main`, at the first allocation, and
//! hold: the environment says.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use libmimalloc_sys as mi;

use crate::recent_blocks::{self, Class};

/// A program that has this variable in its environment, whatever its value, uses the C library's allocator.
pub const SPARING: &CStr = c"INFLIGHT_SPARE_MEMORY";

/// Blocks of this size or more are the C library's in any case, and go back to the system at once when they are freed, by
/// any thread. mimalloc has them until the thread that has made them is active again: after a statement of 100 MB, 250 MB stayed.
/// And they grow without being copied.
const LARGE: usize = 4 << 20;

const UNKNOWN: u8 = 0;
const QUICK: u8 = 1;
const SPARE: u8 = 2;
static CHOICE: AtomicU8 = AtomicU8::new(UNKNOWN);

#[inline]
fn is_quick() -> bool {
    CHOICE.load(Ordering::Relaxed) == QUICK || !is_sparing()
}

#[cold]
fn is_sparing() -> bool {
    match CHOICE.load(Ordering::Relaxed) {
        UNKNOWN => choose(),
        choice => choice == SPARE,
    }
}

/// Runs with the first allocation, when there is one thread.
fn choose() -> bool {
    // SAFETY: a string with its zero; nothing changes the environment meanwhile. It does not allocate.
    let sparing = !unsafe { libc::getenv(SPARING.as_ptr()) }.is_null();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !sparing {
        // Otherwise it keeps blocks for others that are as large as the largest that was freed, up to 32 MiB.
        // SAFETY: it takes the C library's own locks.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as i32) };
    }
    CHOICE.store(if sparing { SPARE } else { QUICK }, Ordering::Relaxed);
    sparing
}

/// mimalloc's blocks of 16 bytes or more lie at multiples of 16, smaller ones at multiples of 8. Asking for no alignment is half
/// the way.
#[inline]
fn is_aligned_in_any_case(align: usize, size: usize) -> bool {
    align <= 8 || (align == 16 && size >= 16)
}

/// mimalloc has blocks of an alignment at hand for sizes that are multiples of it; for others, 64 bytes at 128 as Arrow
/// wants them, it takes twice as much and a longer way.
fn whole(layout: Layout) -> usize {
    layout.pad_to_align().size()
}

/// mimalloc.
struct Quick;

// SAFETY: mimalloc gives blocks of at least the size and, where it is not had in any case, the alignment that it is asked for,
// and takes back and resizes what it gave, however that was asked for. Blocks of a class are asked for with the size and the alignment
// of the class, by each of these functions.
unsafe impl GlobalAlloc for Quick {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = Class::of(layout.size(), layout.align()) else {
            // SAFETY: mimalloc takes any size, and the alignment is a power of two.
            return unsafe { allocate(layout) };
        };
        let kept = recent_blocks::take(class);
        match kept.is_null() {
            // SAFETY: the same.
            true => unsafe { allocate(in_class(class, layout)) },
            false => kept,
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is mimalloc's, and as large as its class says.
        unsafe {
            match Class::of(layout.size(), layout.align()) {
                Some(class) if recent_blocks::keep(class, block) => {}
                _ => mi::mi_free(block.cast()),
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`; a block of a class is as long as its layout at least.
        unsafe {
            if Class::of(layout.size(), layout.align()).is_some() {
                let block = self.alloc(layout);
                if !block.is_null() {
                    block.write_bytes(0, layout.size());
                }
                return block;
            }
            match is_aligned_in_any_case(layout.align(), layout.size()) {
                true => mi::mi_zalloc(layout.size()).cast(),
                false => mi::mi_zalloc_aligned(whole(layout), layout.align()).cast(),
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (own, wanted) = (Class::of(layout.size(), layout.align()), Class::of(size, layout.align()));
        if own.is_some() && own == wanted {
            return block;
        }
        let size = wanted.map_or(size, Class::size);
        // SAFETY: the block is mimalloc's; otherwise as for `alloc`.
        unsafe {
            match is_aligned_in_any_case(layout.align(), size) {
                true => mi::mi_realloc(block.cast(), size).cast(),
                false => mi::mi_realloc_aligned(block.cast(), size, layout.align()).cast(),
            }
        }
    }
}

/// mimalloc's block.
///
/// # Safety
/// As for [`GlobalAlloc::alloc`].
#[inline]
unsafe fn allocate(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        match is_aligned_in_any_case(layout.align(), layout.size()) {
            true => mi::mi_malloc(layout.size()).cast(),
            false => mi::mi_malloc_aligned(whole(layout), layout.align()).cast(),
        }
    }
}

/// The layout of all blocks of a class.
#[inline]
fn in_class(class: Class, layout: Layout) -> Layout {
    // SAFETY: the size is none that could overflow, and the alignment is a layout's.
    unsafe { Layout::from_size_align_unchecked(class.size(), layout.align()) }
}

/// Are blocks kept by the threads that free them?
pub(crate) fn keeps_blocks() -> bool {
    is_quick()
}

/// Frees a block that a thread has kept.
///
/// # Safety
/// It is [`recent_blocks::take`]'s.
pub(crate) unsafe fn free_kept(block: *mut u8) {
    // SAFETY: what is kept is mimalloc's.
    unsafe { mi::mi_free(block.cast()) }
}

/// Gives free memory back to the system where it is scarce: of what was freed between blocks that are in use the C library keeps
/// all that was not large. Takes milliseconds: for callers that have freed much.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if is_sparing() {
        // SAFETY: it takes the allocator's own locks.
        unsafe { libc::malloc_trim(0) };
    }
}

unsafe extern "C" {
    /// mimalloc's, of which the bindings have it only beside much else.
    fn mi_collect(force: bool);
}

/// A statement that had much has freed it, and nothing was done about that yet.
static MUCH_FREED: AtomicBool = AtomicBool::new(false);

/// A statement has freed so much that it is worth giving back.
pub fn note_much_freed() {
    MUCH_FREED.store(true, Ordering::Relaxed);
}

/// Was that noted since a thread has asked last?
pub fn was_much_freed() -> bool {
    MUCH_FREED.load(Ordering::Relaxed) && MUCH_FREED.swap(false, Ordering::Relaxed)
}

/// Gives what was freed back to the system, the quick allocator's memory too: of this thread, and what waits for no thread.
/// For a thread that has freed much and is silent from then on. Takes milliseconds.
pub fn give_back_freed() {
    if !is_quick() {
        return give_back();
    }
    recent_blocks::give_back();
    // SAFETY: it takes the allocator's own locks.
    unsafe { mi_collect(true) }
}

/// For `#[global_allocator]`.
pub struct Allocator;

/// Is a block of so many bytes mimalloc's?
#[inline]
fn is_of_quick(size: usize) -> bool {
    size < LARGE && is_quick()
}

// SAFETY: each call goes on, as it is, to an allocator, but for small blocks that the thread has freed, which are the quick one's. Which
// allocator has a block its size says, on every thread; a block that becomes larger or smaller than that is put into a new one.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(class) = Class::of_small(layout.size(), layout.align()) {
            let kept = recent_blocks::take(class);
            if !kept.is_null() {
                return kept;
            }
        }
        // SAFETY: the caller's promises are the same.
        unsafe { self.alloc_other(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same, and the block is this allocator's. Only threads whose blocks are all the quick
        // one's keep any.
        unsafe {
            match Class::of_small(layout.size(), layout.align()) {
                Some(class) if recent_blocks::keep(class, block) => {}
                _ => self.dealloc_other(block, layout),
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_of_quick(layout.size()) { Quick.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the same, and the block is this allocator's.
        unsafe {
            match (is_of_quick(layout.size()), is_of_quick(size)) {
                (true, true) => Quick.realloc(block, layout, size),
                (false, false) => System.realloc(block, layout, size),
                _ => self.replace(block, layout, size),
            }
        }
    }
}

impl Allocator {
    /// As `alloc`, of what the thread has not kept. Apart, so that what is nearly always done is short.
    #[inline(never)]
    unsafe fn alloc_other(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_of_quick(layout.size()) { Quick.alloc(layout) } else { System.alloc(layout) } }
    }

    #[inline(never)]
    unsafe fn dealloc_other(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_of_quick(layout.size()) { Quick.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    /// As `realloc`, from one allocator to the other.
    #[cold]
    unsafe fn replace(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller has promised that the size is a layout's. Both blocks are as long as what is copied, and apart.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_as_they_are_to_and_keep_what_is_in_them() {
        for align in [1, 2, 4, 8, 16, 32, 64, 128, 4096] {
            for size in (1..200).chain([255, 256, 1000, 4096, 5000, 70_000, 2_000_000]) {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: sizes are not zero, and each block is given back with its last layout.
                unsafe {
                    let block = Quick.alloc_zeroed(layout);
                    assert!(block.addr().is_multiple_of(align), "{size} bytes at {align}");
                    assert!(std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == 0));
                    block.write_bytes(7, size);
                    let block = Quick.realloc(block, layout, size * 2 + 1);
                    assert!(block.addr().is_multiple_of(align), "{size} bytes at {align}, resized");
                    assert!(std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == 7));
                    Quick.dealloc(block, Layout::from_size_align(size * 2 + 1, align).unwrap());
                    let block = Quick.alloc(layout);
                    assert!(block.addr().is_multiple_of(align), "{size} bytes at {align}");
                    Quick.dealloc(block, layout);
                }
            }
        }
    }

    #[test]
    fn blocks_that_become_large_or_small_keep_what_is_in_them() {
        for align in [1, 16, 64, 4096] {
            // SAFETY: sizes are not zero, and each block is given back with its last layout.
            unsafe {
                let layout = |size| Layout::from_size_align(size, align).unwrap();
                let mut size = LARGE / 2;
                let mut block = Allocator.alloc_zeroed(layout(size));
                block.write_bytes(7, size);
                for next in [LARGE - 1, LARGE, LARGE + 1, 5 * LARGE, LARGE, LARGE - 1, 100] {
                    block = Allocator.realloc(block, layout(size), next);
                    assert!(block.addr().is_multiple_of(align), "{next} bytes at {align}");
                    let kept = next.min(size);
                    assert!(std::slice::from_raw_parts(block, kept).iter().all(|byte| *byte == 7), "{next} at {align}");
                    block.write_bytes(7, next);
                    size = next;
                }
                Allocator.dealloc(block, layout(size));
            }
        }
    }
}
