//! The I/O methods. Each one takes submitted operations to the kernel in its way and reports the answers through
//! [`Shared::answer`] or [`Shared::step`]; everything else (retries, short transfers, completions) is common.
//!
//! | method | submits | completes |
//! |---|---|---|
//! | `io_uring` | one system call a batch | the thread that looks at the completion queue |
//! | `worker` | to a queue | the worker thread |
//! | `sync` | makes the call | at once, in the submitter |
//! | `posix_aio` | `aio_read` and its sisters | a reaper thread |
//! | `sim` | to a seeded schedule | when a waiter lets virtual time pass |

#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod posix;
mod sim;
mod sync;
#[cfg(target_os = "linux")]
mod uring;
mod worker;

use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use crate::activity::WorkerView;
use crate::clock::Nanos;
use crate::config::{Config, IoMethod, SetupError};
use crate::engine::{Shared, Step};
use crate::executor::Parker;
use crate::file::File;
use crate::op::{OpInfo, OpKind};

pub use sim::SimConfig;

/// The table of operations of a method.
pub(crate) trait Method: Send + Sync {
    /// Starts the method's threads, once, when the engine exists.
    fn start(&self, _: &Arc<Shared>) -> Result<(), SetupError> {
        Ok(())
    }

    /// Takes a batch of operations (leaders of merged runs) to the kernel. Never refuses one.
    fn submit(&self, shared: &Shared, leaders: &[u32]);

    /// Completes what has ended; says how much. Never waits.
    fn poll(&self, _: &Shared) -> usize {
        0
    }

    /// Sleeps until something may have ended or `parker` is notified.
    fn park(&self, _: &Shared, parker: &Parker) {
        if !parker.is_notified() {
            std::thread::park();
        }
    }

    /// Lets simulated time pass to the next event. `false`: there is none to come.
    fn advance(&self, _: &Shared) -> bool {
        false
    }

    /// The simulated power goes: operations under way reach the disk, in part, or do not.
    fn lose_power(&self, _: &Shared) {}

    fn driver_fds(&self) -> Vec<RawFd> {
        Vec::new()
    }

    fn workers(&self) -> Vec<WorkerView> {
        Vec::new()
    }

    /// Ends the method's threads. Operations under way finish first.
    fn shut_down(&self) {}
}

pub(crate) fn make(config: &Config) -> Result<Box<dyn Method>, SetupError> {
    Ok(match config.method {
        #[cfg(target_os = "linux")]
        IoMethod::IoUring => Box::new(uring::Uring::new(config.rings, config.max_sessions * config.max_concurrency)?),
        #[cfg(not(target_os = "linux"))]
        IoMethod::IoUring => return Err(SetupError::Unsupported("io_uring")),
        IoMethod::Worker => Box::new(worker::Workers::new(config)),
        IoMethod::Sync => Box::new(sync::Sync),
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        IoMethod::PosixAio => Box::new(posix::PosixAio::new()?),
        #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
        IoMethod::PosixAio => return Err(SetupError::Unsupported("posix_aio")),
        IoMethod::Sim => Box::new(sim::Sim::new(config.sim.clone())),
    })
}

/// Can a ring with the operations we need be set up here? The reason if not.
pub fn probe_uring() -> Result<(), SetupError> {
    #[cfg(target_os = "linux")]
    return uring::Uring::new(1, 64).map(drop);
    #[cfg(not(target_os = "linux"))]
    Err(SetupError::Unsupported("io_uring"))
}

/// Does this platform have POSIX asynchronous I/O?
pub const fn posix_aio_available() -> bool {
    cfg!(all(target_os = "linux", target_env = "gnu"))
}

/// One operation, as the kernel is asked for it.
pub(crate) struct KernelOp {
    pub(crate) kind: OpKind,
    pub(crate) file: File,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// Into the leader's vectors, which do not move while it is `SUBMITTED`.
    pub(crate) vectors: *const libc::iovec,
    pub(crate) vector_count: usize,
}

impl KernelOp {
    /// Bytes in the vectors.
    fn bytes(&self) -> u64 {
        // SAFETY: the vectors belong to the slot until `step` is told the answer.
        let vectors = unsafe { std::slice::from_raw_parts(self.vectors, self.vector_count) };
        vectors.iter().map(|v| v.iov_len as u64).sum()
    }
}

fn answer_of(result: isize) -> i64 {
    if result < 0 {
        -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    } else {
        result as i64
    }
}

/// Makes the system call. A write-then-flush does only its write here.
fn execute(op: &KernelOp) -> i64 {
    let fd = op.file.as_raw_fd();
    let offset = op.offset as libc::off_t;
    match op.kind {
        // SAFETY: the vectors and the buffers they point into belong to the slot until `step` is told the answer.
        OpKind::Read => answer_of(unsafe { libc::preadv(fd, op.vectors, op.vector_count as i32, offset) }),
        OpKind::Write | OpKind::WriteFlush => {
            // SAFETY: as above.
            answer_of(unsafe { libc::pwritev(fd, op.vectors, op.vector_count as i32, offset) })
        }
        // SAFETY: an open descriptor; no memory is involved.
        OpKind::Fsync => answer_of(unsafe { libc::fsync(fd) } as isize),
        OpKind::Fdatasync => flush(fd),
        OpKind::Allocate => {
            // SAFETY: as above.
            answer_of(unsafe { libc::fallocate(fd, libc::FALLOC_FL_KEEP_SIZE, offset, op.len as libc::off_t) } as isize)
        }
    }
}

fn flush(fd: RawFd) -> i64 {
    // SAFETY: an open descriptor; no memory is involved.
    answer_of(unsafe { libc::fdatasync(fd) } as isize)
}

/// Carries an operation to its end with blocking calls, in the time the simulated volume allows.
fn run_blocking(shared: &Shared, slot: u32) {
    loop {
        let due = shared.admit(slot);
        let op = shared.kernel_op(slot);
        let mut answer = execute(&op);
        let mut flush_failed = false;
        if op.kind == OpKind::WriteFlush && answer == op.len as i64 {
            let flushed = flush(op.file.as_raw_fd());
            if flushed < 0 {
                (answer, flush_failed) = (flushed, true);
            }
        }
        sleep_until(shared, due);
        if shared.step(slot, answer, flush_failed) == Step::Done {
            return;
        }
    }
}

fn sleep_until(shared: &Shared, due: Nanos) {
    if due > 0 {
        let now = shared.clock.now();
        if due > now {
            std::thread::sleep(Duration::from_nanos(due - now));
        }
    }
}

/// An error or short transfer to come, for tests: applied to the kernel's answer, so that it works with every method
/// (the kernel may have done the work; a failed write leaves unknown bytes behind, as on a real device).
#[derive(Clone, Debug)]
pub struct Fault {
    /// Only operations of this kind.
    pub kind: OpKind,
    /// Only files whose name contains this.
    pub file: String,
    /// Lets this many matching answers pass first.
    pub skip: u32,
    /// How many answers it then changes.
    pub count: u32,
    /// `Some(errno)` fails them; `None` cuts transfers to half their length, rounded down to sectors.
    pub errno: Option<i32>,
}

pub(crate) fn apply_faults(faults: &mut [Fault], op: &OpInfo, answer: i64) -> i64 {
    for fault in faults.iter_mut() {
        if fault.kind != op.kind || fault.count == 0 || !op.file.contains(&fault.file) {
            continue;
        }
        if fault.skip > 0 {
            fault.skip -= 1;
            continue;
        }
        fault.count -= 1;
        return match fault.errno {
            Some(errno) => -i64::from(errno),
            // At least a sector, or it would read as the end of the file.
            None if answer > 512 && op.kind.is_transfer() => (answer / 2 / 512 * 512).max(512),
            None => answer,
        };
    }
    answer
}
