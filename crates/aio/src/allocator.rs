//! The allocator of programs: mimalloc, or the C library's where memory is scarce.
//!
//! mimalloc is quick when one thread frees what another has made, and keeps much for that: each thread has 4 MiB for each
//! size of larger blocks, and what others have freed comes back when the thread allocates again. The C library gives
//! large blocks back to the system at once. Which one it is must be known before `main`, at the first allocation, and
//! hold: the environment says.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, Ordering};

use libmimalloc_sys as mi;

/// A program that has this variable in its environment, whatever its value, uses the C library's allocator.
pub const SPARING: &CStr = c"INFLIGHT_SPARE_MEMORY";

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
    // SAFETY: a string with its zero; nobody changes the environment meanwhile. It does not allocate.
    let sparing = !unsafe { libc::getenv(SPARING.as_ptr()) }.is_null();
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
// and takes back and resizes what it gave, however that was asked for.
unsafe impl GlobalAlloc for Quick {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: mimalloc takes any size, and the alignment is a power of two.
        unsafe {
            match is_aligned_in_any_case(layout.align(), layout.size()) {
                true => mi::mi_malloc(layout.size()).cast(),
                false => mi::mi_malloc_aligned(whole(layout), layout.align()).cast(),
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the block is mimalloc's.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        unsafe {
            match is_aligned_in_any_case(layout.align(), layout.size()) {
                true => mi::mi_zalloc(layout.size()).cast(),
                false => mi::mi_zalloc_aligned(whole(layout), layout.align()).cast(),
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block is mimalloc's; otherwise as for `alloc`.
        unsafe {
            match is_aligned_in_any_case(layout.align(), size) {
                true => mi::mi_realloc(block.cast(), size).cast(),
                false => mi::mi_realloc_aligned(block.cast(), size, layout.align()).cast(),
            }
        }
    }
}

/// Gives free memory back to the system where it is scarce: of what was freed between blocks that are in use the C library keeps
/// all that was not large. Takes milliseconds: for whoever has freed much.
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

/// Gives what was freed back to the system, the quick allocator's memory too: of this thread, and what waits for no thread. For who
/// has freed much and is silent from then on. Takes milliseconds.
pub fn give_back_freed() {
    match is_quick() {
        // SAFETY: it takes the allocator's own locks.
        true => unsafe { mi_collect(true) },
        false => give_back(),
    }
}

/// For `#[global_allocator]`.
pub struct Allocator;

// SAFETY: each call goes on, as it is, to an allocator, and always to the same.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_quick() { Quick.alloc(layout) } else { System.alloc(layout) } }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same, and the block is this allocator's.
        unsafe { if is_quick() { Quick.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_quick() { Quick.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the same, and the block is this allocator's.
        unsafe { if is_quick() { Quick.realloc(block, layout, size) } else { System.realloc(block, layout, size) } }
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
}
