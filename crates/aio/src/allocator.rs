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

use mimalloc::MiMalloc;

/// A program that has this variable in its environment, whatever its value, uses the C library's allocator.
pub const SPARING: &CStr = c"INFLIGHT_SPARE_MEMORY";

const UNKNOWN: u8 = 0;
const QUICK: u8 = 1;
const SPARE: u8 = 2;
static CHOICE: AtomicU8 = AtomicU8::new(UNKNOWN);

fn is_sparing() -> bool {
    match CHOICE.load(Ordering::Relaxed) {
        UNKNOWN => choose(),
        choice => choice == SPARE,
    }
}

/// Runs with the first allocation, when there is one thread.
#[cold]
fn choose() -> bool {
    // SAFETY: a string with its zero; nobody changes the environment meanwhile. It does not allocate.
    let sparing = !unsafe { libc::getenv(SPARING.as_ptr()) }.is_null();
    CHOICE.store(if sparing { SPARE } else { QUICK }, Ordering::Relaxed);
    sparing
}

/// mimalloc has blocks of an alignment at hand for sizes that are multiples of it; for others, 64 bytes at 128 as Arrow
/// wants them, it takes twice as much and a longer way.
fn whole(layout: Layout) -> Layout {
    layout.pad_to_align()
}

/// For `#[global_allocator]`.
pub struct Allocator;

// SAFETY: each call goes on, as it is, to an allocator, and always to the same.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_sparing() { System.alloc(layout) } else { MiMalloc.alloc(whole(layout)) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same, and the block is this allocator's.
        unsafe { if is_sparing() { System.dealloc(block, layout) } else { MiMalloc.dealloc(block, layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { if is_sparing() { System.alloc_zeroed(layout) } else { MiMalloc.alloc_zeroed(whole(layout)) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the same, and the block is this allocator's.
        unsafe {
            if is_sparing() { System.realloc(block, layout, size) } else { MiMalloc.realloc(block, layout, size) }
        }
    }
}
