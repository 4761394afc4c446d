//! The blocks that each thread has freed last, for its next allocations.
//!
//! mimalloc hands a page's blocks out one after the other and comes back to the first when it has been through all of them: a
//! session that allocates a hundred blocks for each statement so goes round in megabytes, and each block comes cold from the
//! caches' last level. Here the block that was freed last comes first, and is still in the first. (PostgreSQL has that from its
//! memory contexts.)
//!
//! Invariants: a block in a list has at least the bytes of its class, at its alignment; it is in one list, of one thread, and
//! has the next one's address in its first bytes; a list has no more blocks than its class allows; a thread that ends gives all
//! of them back. For [`crate::allocator`] alone.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::ptr::null_mut;

/// Up to this size classes are [`SMALL_STEP`] bytes apart, up to [`LARGEST`] [`LARGE_STEP`].
const SMALL: usize = 1024;
const SMALL_STEP: usize = 16;
const LARGE_STEP: usize = 512;
const LARGEST: usize = 8192;
/// What Arrow aligns its buffers to: they have classes of their own, of the same sizes.
const LINE: usize = 64;
const CLASSES: usize = SMALL / SMALL_STEP + (LARGEST - SMALL) / LARGE_STEP;
/// Blocks of a class are at most so many, and so many bytes or two blocks.
const BLOCKS: usize = 32;
const BYTES: usize = 4096;

/// Which list a block belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class(usize);

impl Class {
    /// Of a block of a size (not 0) and an alignment that nearly all blocks have.
    #[inline(always)]
    pub fn of_small(size: usize, align: usize) -> Option<Class> {
        (size <= SMALL && align <= SMALL_STEP).then(|| Class((size - 1) / SMALL_STEP))
    }

    /// `None`: blocks of this size and alignment are not kept.
    #[inline]
    pub fn of(size: usize, align: usize) -> Option<Class> {
        if size > LARGEST || (align > SMALL_STEP && align != LINE) {
            return None;
        }
        let class = match size <= SMALL {
            true => (size - 1) / SMALL_STEP,
            false => SMALL / SMALL_STEP + (size - SMALL).div_ceil(LARGE_STEP) - 1,
        };
        Some(Class(if align == LINE { CLASSES + class } else { class }))
    }

    /// Bytes that each of its blocks has.
    #[inline]
    pub fn size(self) -> usize {
        let class = if self.0 < CLASSES { self.0 } else { self.0 - CLASSES };
        let size = match class < SMALL / SMALL_STEP {
            true => (class + 1) * SMALL_STEP,
            false => SMALL + (class + 1 - SMALL / SMALL_STEP) * LARGE_STEP,
        };
        if self.0 < CLASSES { size } else { size.next_multiple_of(LINE) }
    }

    fn most(self) -> u16 {
        (BYTES / self.size()).clamp(2, BLOCKS) as u16
    }
}

#[derive(Clone, Copy)]
struct List {
    first: *mut u8,
    /// How many more it takes: none before the thread's first block, and when the thread ends.
    room: u16,
}

struct Lists {
    lists: UnsafeCell<[List; 2 * CLASSES]>,
    state: Cell<State>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    /// The thread ends.
    Closed,
}

thread_local! {
    static LISTS: Lists =
        const { Lists { lists: UnsafeCell::new([List { first: null_mut(), room: 0 }; 2 * CLASSES]), state: Cell::new(State::New) } };
    static AT_END: AtEnd = const { AtEnd };
}

/// Takes the block that the thread has freed last; null: there is none.
#[inline(always)]
pub fn take(class: Class) -> *mut u8 {
    LISTS.with(|own| {
        // SAFETY: the thread's own, and nothing here comes back to it. There is a list for each class, and a block that is in one begins
        // with the next one's address.
        unsafe {
            let list = (*own.lists.get()).get_unchecked_mut(class.0);
            let block = list.first;
            if !block.is_null() {
                list.first = block.cast::<*mut u8>().read();
                list.room += 1;
            }
            block
        }
    })
}

/// Keeps a block. `false`: there is no room.
///
/// # Safety
/// The block is as large as the class says, and the caller's no more.
#[inline(always)]
pub unsafe fn keep(class: Class, block: *mut u8) -> bool {
    LISTS.with(|own| {
        // SAFETY: as in `take`; the block has room for an address, at its alignment.
        unsafe {
            let list = (*own.lists.get()).get_unchecked_mut(class.0);
            if list.room == 0 {
                return keep_first(own, class, block);
            }
            list.put(block);
            true
        }
    })
}

impl List {
    #[inline(always)]
    unsafe fn put(&mut self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { block.cast::<*mut u8>().write(self.first) };
        self.first = block;
        self.room -= 1;
    }
}

/// The same where the list is full, or where it is the thread's first block. Where memory is scarce none are kept.
#[cold]
unsafe fn keep_first(own: &Lists, class: Class, block: *mut u8) -> bool {
    if own.state.get() != State::New {
        return false;
    }
    own.state.set(State::Closed);
    if !crate::allocator::keeps_blocks() {
        return false;
    }
    // What it registers may allocate and free.
    if AT_END.try_with(|_| {}).is_err() {
        return false;
    }
    own.state.set(State::Open);
    // SAFETY: as in `keep`.
    unsafe {
        let lists = &mut *own.lists.get();
        for (at, list) in lists.iter_mut().enumerate() {
            list.room = Class(at).most();
        }
        lists[class.0].put(block);
    }
    true
}

/// Frees all blocks that this thread has kept.
pub fn give_back() {
    for class in (0..2 * CLASSES).map(Class) {
        let blocks = std::iter::repeat_with(|| take(class));
        for block in blocks.take_while(|block| !block.is_null()) {
            // SAFETY: it was just taken.
            unsafe { crate::allocator::free_kept(block) };
        }
    }
}

struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        LISTS.with(|own| own.state.set(State::Closed));
        give_back();
        // SAFETY: as in `take`.
        LISTS.with(|own| unsafe { (*own.lists.get()).iter_mut().for_each(|list| list.room = 0) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_room_for_their_sizes() {
        for align in [1, 8, 16, LINE] {
            for size in 1..=LARGEST {
                let class = Class::of(size, align).unwrap();
                assert!(
                    class.size() >= size && class.size() <= (size + LARGE_STEP).next_multiple_of(LINE),
                    "{size} at {align}"
                );
                assert!(class.size().is_multiple_of(align), "{size} at {align}");
                assert!(class.0 < 2 * CLASSES);
            }
        }
        assert_eq!(Class::of(LARGEST + 1, 8), None);
        assert_eq!(Class::of(100, 32), None);
        assert_eq!(Class::of(100, 4096), None);
    }

    #[test]
    fn the_last_freed_comes_first_and_lists_end() {
        let class = Class::of(40, 8).unwrap();
        let most = usize::from(class.most());
        let mut blocks = vec![[0_u64; 6]; most + 1];
        let blocks: Vec<*mut u8> = blocks.iter_mut().map(|block| block.as_mut_ptr().cast()).collect();
        // SAFETY: the blocks are the test's, as large as the class says, and taken back before they are gone.
        let kept: Vec<bool> = blocks.iter().map(|block| unsafe { keep(class, *block) }).collect();
        assert_eq!(kept, [vec![true; most], vec![false]].concat());
        let taken: Vec<*mut u8> = std::iter::repeat_with(|| take(class)).take_while(|block| !block.is_null()).collect();
        assert!(taken.iter().eq(blocks[..most].iter().rev()));
    }
}
