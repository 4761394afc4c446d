//! Memory that the device may write to: aligned for direct I/O, allocated once, owned by one party at a time.
//!
//! A [`BufferArena`] reserves its whole region at start and cuts it into buffers of one size. Memory comes with the first
//! touch, and buffers are handed out in order: an arena takes no more than was ever used of it at once. An [`IoBuf`] is the
//! *only* way to a buffer's bytes: to start an operation one moves it into the operation, so while the kernel works on it no
//! safe code can look. Dropping it returns it to its arena.

#![allow(unsafe_code)]

use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::lwlock::Mutex;

/// Direct I/O wants memory, offset and length at multiples of the device's logical block; 4096 satisfies all.
pub const ALIGNMENT: usize = 4096;

const HUGE_PAGE: usize = 2 << 20;

#[derive(Debug)]
struct Region {
    base: NonNull<u8>,
    mapped: usize,
    buffer_len: usize,
    free: Mutex<Free>,
    count: usize,
}

/// The buffers that are free.
#[derive(Debug, Default)]
struct Free {
    /// Used before, the latest last.
    returned: Vec<u32>,
    /// From here on none was ever handed out.
    fresh: u32,
}

// SAFETY: `base` points to a private mapping that lives as long as the region. The bytes of buffer `i` are reached only
// through the one `IoBuf` with that index; the free list that hands indices out is behind a mutex.
unsafe impl Send for Region {}
// SAFETY: as above; a shared `&Region` gives no access to the bytes.
unsafe impl Sync for Region {}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `BufferArena::new` with exactly this address and length, and every `IoBuf`
        // holds an `Arc<Region>`, so none is left.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

/// A fixed number of equally long, aligned buffers.
#[derive(Clone, Debug)]
pub struct BufferArena {
    region: Arc<Region>,
}

impl BufferArena {
    /// Reserves `count` buffers of `buffer_len` bytes (a multiple of [`ALIGNMENT`]). Huge pages are asked for and not
    /// insisted on. Fails with the system's error when it refuses that much address space.
    pub fn new(count: usize, buffer_len: usize) -> io::Result<BufferArena> {
        let arena = BufferArena::reserve(count, buffer_len)?;
        arena.ask_for_huge_pages(0..count);
        Ok(arena)
    }

    /// [`BufferArena::new`] without huge pages, for a region that is large and taken bit by bit: the first touch of a huge
    /// page takes milliseconds on a virtual machine, and a session that reads ahead waits for it.
    pub fn reserve(count: usize, buffer_len: usize) -> io::Result<BufferArena> {
        assert!(count > 0 && count <= u32::MAX as usize, "an arena holds 1 to 2^32 buffers");
        assert!(buffer_len > 0 && buffer_len.is_multiple_of(ALIGNMENT), "buffers are aligned for direct I/O");
        let len = count.checked_mul(buffer_len).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?;
        let mapped = if len >= HUGE_PAGE { len.next_multiple_of(HUGE_PAGE) } else { len };
        // SAFETY: an anonymous private mapping at an address of the kernel's choice touches no existing memory.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                // Most of a large region may never be touched: it does not count as promised memory.
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast::<u8>()).expect("mmap does not return null without MAP_FIXED");
        Ok(BufferArena { region: Arc::new(Region { base, mapped, buffer_len, free: Mutex::default(), count }) })
    }

    /// Lets the system put these buffers into huge pages: at the first touch, or those in use some time later.
    pub fn ask_for_huge_pages(&self, buffers: std::ops::Range<usize>) {
        assert!(buffers.end <= self.region.count, "an arena has so many buffers");
        let (start, end) = (buffers.start * self.region.buffer_len, buffers.end * self.region.buffer_len);
        if end.saturating_sub(start) < HUGE_PAGE {
            return;
        }
        // SAFETY: advice on a part of the region's own mapping. A refusal (old kernel, no THP) costs speed only.
        unsafe { libc::madvise(self.region.base.add(start).as_ptr().cast(), end - start, libc::MADV_HUGEPAGE) };
    }

    /// Has the system make the memory of these buffers, which are about to be touched: one call takes half as long as a fault for
    /// each page.
    pub fn populate(&self, buffers: std::ops::Range<usize>) {
        assert!(buffers.start <= buffers.end && buffers.end <= self.region.count, "an arena has so many buffers");
        let (start, end) = (buffers.start * self.region.buffer_len, buffers.end * self.region.buffer_len);
        // SAFETY: it changes no byte of the region's own mapping: what was touched stays, what was not reads as zeros as before.
        // A refusal (kernels before 5.14) costs speed only.
        unsafe {
            libc::madvise(self.region.base.add(start).as_ptr().cast(), end - start, libc::MADV_POPULATE_WRITE);
        }
    }

    /// Takes a buffer, or `None` when all are out: the caller waits for one of its own I/Os to give one back.
    pub fn take(&self) -> Option<IoBuf> {
        let index = {
            let mut free = self.region.free.lock();
            match free.returned.pop() {
                Some(index) => index,
                None if (free.fresh as usize) < self.region.count => {
                    free.fresh += 1;
                    free.fresh - 1
                }
                None => return None,
            }
        };
        Some(IoBuf { region: self.region.clone(), index, len: self.region.buffer_len as u32 })
    }

    pub fn buffer_len(&self) -> usize {
        self.region.buffer_len
    }

    /// Buffers in the arena, taken or not.
    pub fn count(&self) -> usize {
        self.region.count
    }
}

/// Exclusive ownership of one aligned buffer.
#[derive(Debug)]
pub struct IoBuf {
    region: Arc<Region>,
    index: u32,
    len: u32,
}

impl IoBuf {
    /// Shortens (or restores, up to the arena's buffer length) what an operation transfers.
    pub fn set_len(&mut self, len: usize) {
        assert!(len <= self.region.buffer_len, "a buffer does not grow");
        self.len = len as u32;
    }

    /// Gives the buffer's memory back to the system until it is touched again, where it takes whole pages of the system's. What it
    /// holds is lost.
    pub fn release_memory(&mut self) {
        // SAFETY: a system call without memory.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        if page <= 0 || !self.region.buffer_len.is_multiple_of(page as usize) {
            return;
        }
        // SAFETY: whole pages of a private anonymous mapping that begins at a page's start, and nothing but this `IoBuf`
        // reaches them; they read as zeros then. A refusal leaves them as they are, which costs memory only.
        unsafe { libc::madvise(self.start().as_ptr().cast(), self.region.buffer_len, libc::MADV_DONTNEED) };
    }

    pub(crate) fn as_iovec(&mut self) -> libc::iovec {
        libc::iovec { iov_base: self.start().as_ptr().cast(), iov_len: self.len as usize }
    }

    fn start(&self) -> NonNull<u8> {
        // SAFETY: `index < count`, so the offset stays inside the mapping.
        unsafe { self.region.base.add(self.index as usize * self.region.buffer_len) }
    }
}

impl Deref for IoBuf {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the buffer's bytes are mapped, initialised (zero pages) and reachable only through this `IoBuf`.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.len as usize) }
    }
}

impl DerefMut for IoBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start().as_ptr(), self.len as usize) }
    }
}

impl Drop for IoBuf {
    fn drop(&mut self) {
        let mut free = self.region.free.lock();
        debug_assert!(free.returned.len() < free.fresh as usize, "a buffer has several owners");
        free.returned.push(self.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_memory_reads_as_zeros_and_the_neighbours_stay() {
        let arena = BufferArena::new(2, 8192).unwrap();
        let (mut one, mut other) = (arena.take().unwrap(), arena.take().unwrap());
        one.fill(1);
        other.fill(2);
        one.release_memory();
        assert!(one.iter().all(|&byte| byte == 0) && other.iter().all(|&byte| byte == 2));
        one.fill(3);
        assert!(one.iter().all(|&byte| byte == 3));
    }

    #[test]
    fn buffers_are_aligned_disjoint_and_come_back() {
        let arena = BufferArena::new(3, 8192).unwrap();
        let mut taken: Vec<_> = (0..3).map(|_| arena.take().unwrap()).collect();
        assert!(arena.take().is_none());
        for (i, buf) in taken.iter_mut().enumerate() {
            assert_eq!(buf.as_ptr() as usize % ALIGNMENT, 0);
            buf.fill(i as u8 + 1);
        }
        for (i, buf) in taken.iter().enumerate() {
            assert!(buf.iter().all(|&b| b == i as u8 + 1));
        }
        drop(taken);
        assert!(arena.take().is_some());
    }

    #[test]
    fn what_was_not_used_takes_no_memory() {
        // More than a small machine has.
        let arena = BufferArena::new(1 << 20, 8192).unwrap();
        for _ in 0..1000 {
            let mut buf = arena.take().unwrap();
            buf.fill(1);
            assert_eq!(buf.index, 0, "the latest is used again");
        }
    }
}
