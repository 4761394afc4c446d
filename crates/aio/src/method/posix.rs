//! The C library's POSIX asynchronous I/O. glibc implements it with threads, one per file; it is here because the
//! standard has it and other platforms do it well.
//!
//! Each operation's end raises a real-time signal whose handler writes the slot's number to a pipe (one of the few things
//! a handler may do); a reaper thread reads the pipe. Signals can be lost when their queue is full, so the reaper also
//! looks at everything under way from time to time.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use super::{KernelOp, Method, answer_of, execute};
use crate::config::SetupError;
use crate::engine::{Shared, Step};
use crate::op::OpKind;

/// The write end of the pipe of the one reaper that signals go to; -1 when there is none. A signal number is a resource of
/// the process, so all engines share it: a wake-up for another engine's slot only makes a reaper look.
static SIGNAL_PIPE: AtomicI32 = AtomicI32::new(-1);

/// How long a lost signal can go unnoticed.
const RESCAN: Duration = Duration::from_millis(20);

struct Pending {
    blocks: Box<[libc::aiocb]>,
    kind: OpKind,
    len: u64,
    /// A write-then-flush whose write has ended.
    flushing: bool,
}

// SAFETY: the control blocks are used by the C library, which is thread-safe, and by the thread that holds the mutex around
// the map; the buffers they point to belong to the slot until `step`.
unsafe impl Send for Pending {}

struct Inner {
    under_way: Mutex<HashMap<u32, Pending>>,
    stopping: AtomicBool,
    reader: OwnedFd,
    writer: OwnedFd,
}

pub(crate) struct PosixAio {
    inner: Arc<Inner>,
    reaper: Mutex<Option<std::thread::JoinHandle<()>>>,
}

fn signal_number() -> i32 {
    libc::SIGRTMIN() + 5
}

extern "C" fn on_signal(_: i32, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let pipe = SIGNAL_PIPE.load(Ordering::Relaxed);
    if pipe >= 0 {
        let byte = 1u8;
        // SAFETY: `write` is async-signal-safe; a full pipe (non-blocking) already wakes the reaper. The interrupted code's
        // errno is restored.
        unsafe {
            let errno = *libc::__errno_location();
            libc::write(pipe, (&raw const byte).cast(), 1);
            *libc::__errno_location() = errno;
        }
    }
}

impl PosixAio {
    pub(crate) fn new() -> Result<PosixAio, SetupError> {
        let mut ends = [0; 2];
        // SAFETY: `pipe2` writes two descriptors that nothing else owns.
        let (reader, writer) = unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
                return Err(SetupError::Thread(io::Error::last_os_error()));
            }
            (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
        };
        // SAFETY: installs a handler that only calls `write`.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            if libc::sigaction(signal_number(), &action, std::ptr::null_mut()) != 0 {
                return Err(SetupError::Thread(io::Error::last_os_error()));
            }
        }
        let inner = Inner { under_way: Mutex::default(), stopping: AtomicBool::new(false), reader, writer };
        Ok(PosixAio { inner: Arc::new(inner), reaper: Mutex::default() })
    }
}

fn control_block(op: &KernelOp) -> libc::aiocb {
    // SAFETY: all-zero is a valid control block.
    let mut block: libc::aiocb = unsafe { std::mem::zeroed() };
    block.aio_fildes = op.file.as_raw_fd();
    block.aio_sigevent.sigev_notify = libc::SIGEV_SIGNAL;
    block.aio_sigevent.sigev_signo = signal_number();
    block
}

impl Inner {
    /// Starts an operation; gives the answer at once if it could not be started.
    fn start(&self, shared: &Shared, slot: u32) -> Option<i64> {
        let op = shared.kernel_op(slot);
        if op.kind == OpKind::Allocate {
            // POSIX has no asynchronous form of it.
            return Some(execute(&op));
        }
        let blocks: Box<[libc::aiocb]> = if op.kind.is_transfer() {
            // There are no vectors either: one request for each.
            let mut offset = op.offset;
            (0..op.vector_count)
                .map(|i| {
                    // SAFETY: `vector_count` entries follow `vectors`.
                    let vector = unsafe { *op.vectors.add(i) };
                    let mut block = control_block(&op);
                    block.aio_buf = vector.iov_base;
                    block.aio_nbytes = vector.iov_len;
                    block.aio_offset = offset as libc::off_t;
                    offset += vector.iov_len as u64;
                    block
                })
                .collect()
        } else {
            Box::new([control_block(&op)])
        };
        let mut under_way = self.under_way.lock();
        let pending =
            under_way.entry(slot).insert_entry(Pending { blocks, kind: op.kind, len: op.len, flushing: false });
        Self::enqueue(pending.into_mut())
    }

    /// Hands the control blocks to the C library. On a refusal nothing of the operation is left under way.
    fn enqueue(pending: &mut Pending) -> Option<i64> {
        for index in 0..pending.blocks.len() {
            let block: *mut libc::aiocb = &mut pending.blocks[index];
            // SAFETY: the block stays where it is (boxed) until the C library is done with it.
            let refused = unsafe {
                match pending.kind {
                    OpKind::Read => libc::aio_read(block),
                    OpKind::Write => libc::aio_write(block),
                    OpKind::WriteFlush if !pending.flushing => libc::aio_write(block),
                    OpKind::Fsync => libc::aio_fsync(libc::O_SYNC, block),
                    _ => libc::aio_fsync(libc::O_DSYNC, block),
                }
            } != 0;
            if refused {
                let answer = answer_of(-1);
                for started in &mut pending.blocks[..index] {
                    // SAFETY: blocks that were enqueued above; they are waited for, so the C library lets go of them.
                    unsafe {
                        while libc::aio_error(started) == libc::EINPROGRESS {
                            let list = [&raw const *started];
                            libc::aio_suspend(list.as_ptr(), 1, std::ptr::null());
                        }
                        libc::aio_return(started);
                    }
                }
                return Some(answer);
            }
        }
        None
    }

    /// Collects everything that has ended.
    fn reap(&self, shared: &Shared) {
        let mut ended = Vec::new();
        {
            let mut under_way = self.under_way.lock();
            under_way.retain(|&slot, pending| {
                // SAFETY: asks for the status of enqueued blocks.
                let busy = pending.blocks.iter().any(|b| unsafe { libc::aio_error(b) } == libc::EINPROGRESS);
                if busy {
                    return true;
                }
                let mut answer = 0;
                let mut broken = false;
                for block in &mut pending.blocks {
                    // SAFETY: the block has ended and is returned once.
                    let (error, result) = unsafe { (libc::aio_error(block), libc::aio_return(block)) };
                    // Bytes after the first short or failed piece do not count: they will be transferred again.
                    if broken {
                        continue;
                    }
                    if error != 0 {
                        broken = true;
                        if answer == 0 {
                            answer = -i64::from(error);
                        }
                    } else {
                        answer += result as i64;
                        broken = (result as usize) < block.aio_nbytes;
                    }
                }
                if pending.kind == OpKind::WriteFlush && !pending.flushing && answer == pending.len as i64 {
                    let fd = pending.blocks[0].aio_fildes;
                    // SAFETY: all-zero is a valid control block.
                    let mut block: libc::aiocb = unsafe { std::mem::zeroed() };
                    block.aio_fildes = fd;
                    block.aio_sigevent = pending.blocks[0].aio_sigevent;
                    pending.blocks = Box::new([block]);
                    pending.flushing = true;
                    match Self::enqueue(pending) {
                        None => return true,
                        Some(errno) => answer = errno,
                    }
                } else if pending.flushing && answer >= 0 {
                    answer = pending.len as i64;
                }
                ended.push((slot, answer, pending.flushing && answer < 0));
                false
            });
        }
        for (slot, answer, flush_failed) in ended {
            if flush_failed {
                if shared.step(slot, answer, true) == Step::Again {
                    self.submit(shared, slot);
                }
            } else {
                shared.answer(slot, answer);
            }
        }
    }

    fn submit(&self, shared: &Shared, slot: u32) {
        if let Some(answer) = self.start(shared, slot) {
            self.under_way.lock().remove(&slot);
            shared.answer(slot, answer);
        }
    }

    fn run(&self, engine: &Weak<Shared>) {
        loop {
            let mut fd = libc::pollfd { fd: self.reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let mut bytes = [0u8; 256];
            // SAFETY: waits for and empties the pipe into a local buffer.
            unsafe {
                libc::poll(&mut fd, 1, RESCAN.as_millis() as i32);
                libc::read(self.reader.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len());
            }
            let Some(shared) = engine.upgrade() else { return };
            self.reap(&shared);
            if self.stopping.load(Ordering::Acquire) && self.under_way.lock().is_empty() {
                return;
            }
        }
    }
}

impl Method for PosixAio {
    fn start(&self, shared: &Arc<Shared>) -> Result<(), SetupError> {
        SIGNAL_PIPE.store(self.inner.writer.as_raw_fd(), Ordering::Relaxed);
        let (inner, engine) = (self.inner.clone(), Arc::downgrade(shared));
        let thread = std::thread::Builder::new().name("inflight-posix-aio".into());
        *self.reaper.lock() = Some(thread.spawn(move || inner.run(&engine)).map_err(SetupError::Thread)?);
        Ok(())
    }

    fn submit(&self, shared: &Shared, leaders: &[u32]) {
        for &slot in leaders {
            shared.admit(slot);
            self.inner.submit(shared, slot);
        }
    }

    fn shut_down(&self) {
        // Another engine's signals find no pipe, or the newer engine's: the rescan covers both.
        let own = self.inner.writer.as_raw_fd();
        let _ = SIGNAL_PIPE.compare_exchange(own, -1, Ordering::Relaxed, Ordering::Relaxed);
        self.inner.stopping.store(true, Ordering::Release);
        if let Some(reaper) = self.reaper.lock().take()
            && reaper.thread().id() != std::thread::current().id()
        {
            let _ = reaper.join();
        }
    }
}
