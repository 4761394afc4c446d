//! Linux's io_uring. A batch goes to the kernel in one system call; completions are read from shared memory by the thread
//! that looks first, so no thread stands between the device and a waiter that is awake.
//!
//! Rings are shared by threads on purpose (no `SINGLE_ISSUER`, no `DEFER_TASKRUN`): with those flags only the thread that
//! submitted could make completions appear, and a session that is slow would hold up all that wait for its reads.
//! A thread always submits to the same ring, so with a ring per thread the submission lock is not contended.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering, fence};

use io_uring::{IoUring, Probe, cqueue, opcode, squeue, types};
use parking_lot::Mutex;

use super::{KernelOp, Method};
use crate::config::SetupError;
use crate::engine::{Shared, Step};
use crate::executor::{Parker, drain_event, ring_event, thread_number};
use crate::lwlock;
use crate::op::OpKind;

const ENTRIES: u32 = 256;
const MAX_COMPLETIONS: usize = 32768;

// `user_data`: the slot, and for a write-then-flush which half answers; or the wake-up event.
const FIRST_HALF: u64 = 1 << 32;
const SECOND_HALF: u64 = 1 << 33;
const WAKE: u64 = 1 << 34;

struct Ring {
    ring: IoUring,
    /// Held while entries are pushed and the kernel is entered for them.
    submission: lwlock::Mutex<()>,
    /// Held while entries are popped; no thread ever waits for it.
    completion: Mutex<()>,
    /// A thread has come to read entries since the last reading began.
    looked_for: AtomicBool,
    /// Held by the one thread that sleeps inside the ring.
    sleeper: Mutex<()>,
    /// Readable when the sleeper is to wake; the ring watches it while `armed`.
    event: OwnedFd,
    armed: AtomicBool,
    /// Of a write-then-flush the kernel answers once (from Linux 5.17 on): for the flush, or for a write that has failed or was
    /// short, whose flush is cancelled without a word. Each answer wakes threads.
    answers_once: bool,
}

pub(crate) struct Uring {
    rings: Vec<Ring>,
}

impl Uring {
    pub(crate) fn new(rings: usize, handles: usize) -> Result<Uring, SetupError> {
        let completions = (handles * 2 + 16).next_power_of_two().clamp(2 * ENTRIES as usize, MAX_COMPLETIONS) as u32;
        let rings = (0..rings.max(1)).map(|_| Ring::new(completions)).collect::<Result<_, _>>()?;
        Ok(Uring { rings })
    }

    /// The ring of the current thread.
    fn own(&self) -> &Ring {
        &self.rings[thread_number() % self.rings.len()]
    }
}

fn refusal(what: &str, error: &std::io::Error) -> SetupError {
    let hint = match error.raw_os_error() {
        Some(libc::ENOSYS) => " (the kernel has none)",
        Some(libc::EPERM) => " (forbidden, by kernel.io_uring_disabled or a container's seccomp profile)",
        Some(libc::ENOMEM) => " (the limit on locked memory, RLIMIT_MEMLOCK, is too low)",
        _ => "",
    };
    SetupError::Uring(format!("{what}: {error}{hint}"))
}

impl Ring {
    fn new(completions: u32) -> Result<Ring, SetupError> {
        let ring = IoUring::builder()
            .setup_cqsize(completions)
            .setup_submit_all()
            .build(ENTRIES)
            .map_err(|e| refusal("io_uring_setup", &e))?;
        if !ring.params().is_feature_nodrop() {
            return Err(SetupError::Uring("the kernel may drop completions (before Linux 5.5)".into()));
        }
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe).map_err(|e| refusal("io_uring_register", &e))?;
        let needed = [
            opcode::Readv::CODE,
            opcode::Writev::CODE,
            opcode::Fsync::CODE,
            opcode::Fallocate::CODE,
            opcode::PollAdd::CODE,
        ];
        if !needed.iter().all(|&code| probe.is_supported(code)) {
            return Err(SetupError::Uring("the kernel lacks operations (before Linux 5.6)".into()));
        }
        // SAFETY: makes a new descriptor, owned by nothing else.
        let event = unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            if fd < 0 {
                return Err(refusal("eventfd", &std::io::Error::last_os_error()));
            }
            OwnedFd::from_raw_fd(fd)
        };
        let answers_once = ring.params().is_feature_skip_cqe_on_success();
        Ok(Ring {
            ring,
            answers_once,
            submission: lwlock::Mutex::new(()),
            completion: Mutex::new(()),
            looked_for: AtomicBool::new(false),
            sleeper: Mutex::new(()),
            event,
            armed: AtomicBool::new(false),
        })
    }

    /// Pushes entries that belong together. The caller holds the submission lock.
    fn push(&self, entries: &[squeue::Entry]) {
        loop {
            // SAFETY: the submission lock makes this the only view of the submission queue.
            let mut queue = unsafe { self.ring.submission_shared() };
            // SAFETY: what the entries point to lives until their completion (see `entry`).
            if unsafe { queue.push_multiple(entries) }.is_ok() {
                return;
            }
            drop(queue);
            self.enter();
        }
    }

    /// Makes the kernel take all pushed entries. The caller holds the submission lock.
    fn enter(&self) {
        loop {
            // SAFETY: as in `push`.
            if unsafe { self.ring.submission_shared() }.is_empty() {
                return;
            }
            match self.ring.submit() {
                Ok(_) => {}
                Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)) => {
                    // The kernel is short of memory, or its completion queue has overflowed; both pass when completions
                    // are reaped, which any other thread does.
                    std::thread::yield_now();
                }
                // The remaining errors say that this code broke the kernel's contract; going on would lose operations.
                Err(e) => panic!("io_uring_enter: {e}"),
            }
        }
    }

    /// Has the ring watch its event.
    fn arm(&self) {
        if !self.armed.swap(true, Ordering::AcqRel) {
            let _guard = self.submission.lock();
            let poll = opcode::PollAdd::new(types::Fd(self.event.as_raw_fd()), libc::POLLIN as u32).multi(true);
            self.push(&[poll.build().user_data(WAKE)]);
            self.enter();
        }
    }

    /// Reads the completion queue. Gives the number of operations that ended.
    fn reap(&self, shared: &Shared) -> usize {
        const CHUNK: usize = 64;
        let mut total = 0;
        loop {
            let mut answers = [(0u64, 0i32, 0u32); CHUNK];
            let (mut count, mut taken) = (0, 0);
            {
                // Another thread is at it: what we wait for is in good hands, for it looks again when a thread came.
                self.looked_for.store(true, Ordering::SeqCst);
                fence(Ordering::SeqCst);
                let Some(_guard) = self.completion.try_lock() else { return total };
                self.looked_for.store(false, Ordering::SeqCst);
                // SAFETY: the completion lock makes this the only view of the completion queue.
                for entry in unsafe { self.ring.completion_shared() }.take(CHUNK) {
                    taken += 1;
                    let (user_data, result) = (entry.user_data(), entry.result());
                    if user_data & FIRST_HALF != 0 && !self.answers_once {
                        // Here and now: the thread that takes the second half, another perhaps, must find it noted.
                        shared.note_write_answer(user_data as u32, i64::from(result));
                        continue;
                    }
                    answers[count] = (user_data, result, entry.flags());
                    count += 1;
                }
            }
            for &(user_data, result, flags) in &answers[..count] {
                self.take(shared, user_data, result, flags);
            }
            total += count;
            // A thread that came while the lock was held may have been told of an entry that was not read here. No other
            // would ever read it: its event is gone.
            fence(Ordering::SeqCst);
            if taken < CHUNK && !self.looked_for.load(Ordering::SeqCst) {
                return total;
            }
        }
    }

    fn take(&self, shared: &Shared, user_data: u64, result: i32, flags: u32) {
        let slot = user_data as u32;
        let answer = i64::from(result);
        if user_data & WAKE != 0 {
            drain_event(self.event.as_raw_fd());
            if !cqueue::more(flags) {
                self.armed.store(false, Ordering::Release);
            }
            if self.sleeper.is_locked() {
                // Taken from under a sleeper that may not have entered the kernel yet: it would find an empty queue and
                // sleep on. There must be an entry for it until it is out (it takes the last one itself, see `park`).
                ring_event(self.event.as_raw_fd());
                self.arm();
            }
        } else if user_data & SECOND_HALF != 0 {
            match shared.flush_answer(slot, answer) {
                (errno, true) => {
                    let step = shared.step(slot, errno, true);
                    if step == Step::Again {
                        // An interrupted flush: the write is repeated with it, which changes nothing.
                        let _guard = self.submission.lock();
                        self.push_op(shared, slot);
                        self.enter();
                    }
                }
                (write_answer, false) => shared.answer(slot, write_answer),
            }
        } else {
            // A first half's too: see `answers_once`.
            shared.answer(slot, answer);
        }
    }

    fn push_op(&self, shared: &Shared, slot: u32) {
        let op = shared.kernel_op(slot);
        if op.kind == OpKind::WriteFlush {
            let flush = opcode::Fsync::new(types::Fd(op.file.as_raw_fd()))
                .flags(types::FsyncFlags::DATASYNC)
                .build()
                .user_data(u64::from(slot) | SECOND_HALF);
            let mut flags = squeue::Flags::IO_LINK;
            if self.answers_once {
                // Only what is otherwise is told.
                shared.note_write_answer(slot, op.len as i64);
                flags |= squeue::Flags::SKIP_SUCCESS;
            }
            self.push(&[entry(&op, u64::from(slot) | FIRST_HALF).flags(flags), flush]);
        } else {
            self.push(&[entry(&op, u64::from(slot))]);
        }
    }
}

/// The kernel's form of an operation. The descriptor, the vectors and the buffers belong to the slot, which keeps them
/// until the completion has been taken.
fn entry(op: &KernelOp, user_data: u64) -> squeue::Entry {
    let fd = types::Fd(op.file.as_raw_fd());
    let count = op.vector_count as u32;
    let entry = match op.kind {
        OpKind::Read => opcode::Readv::new(fd, op.vectors, count).offset(op.offset).build(),
        OpKind::Write | OpKind::WriteFlush => opcode::Writev::new(fd, op.vectors, count).offset(op.offset).build(),
        OpKind::Fsync => opcode::Fsync::new(fd).build(),
        OpKind::Fdatasync => opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build(),
        OpKind::Allocate => {
            opcode::Fallocate::new(fd, op.len).offset(op.offset).mode(libc::FALLOC_FL_KEEP_SIZE).build()
        }
    };
    entry.user_data(user_data)
}

impl Method for Uring {
    fn submit(&self, shared: &Shared, leaders: &[u32]) {
        let ring = self.own();
        let _guard = ring.submission.lock();
        for &slot in leaders {
            shared.admit(slot);
            ring.push_op(shared, slot);
        }
        ring.enter();
    }

    fn poll(&self, shared: &Shared) -> usize {
        self.rings.iter().map(|ring| ring.reap(shared)).sum()
    }

    fn park(&self, shared: &Shared, parker: &Parker) {
        if let [ring] = self.rings.as_slice()
            && let Some(_sleeper) = ring.sleeper.try_lock()
        {
            // The usual case: one thread, one ring. It sleeps in the kernel until a completion is there.
            ring.arm();
            parker.sleep_listening(ring.event.as_raw_fd(), || {
                // SAFETY: enters the kernel to wait only; nothing is submitted, so the queue is not touched.
                let waited = unsafe {
                    ring.ring.submitter().enter::<()>(0, 1, 1 /* IORING_ENTER_GETEVENTS */, None)
                };
                if let Err(e) = waited
                    && !matches!(e.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY))
                {
                    panic!("io_uring_enter: {e}");
                }
            });
        } else {
            let mut watched: Vec<libc::pollfd> = self
                .driver_fds()
                .into_iter()
                .chain([parker.own_event()])
                .map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
                .collect();
            parker.sleep_listening(parker.own_event(), || {
                // SAFETY: a valid array of descriptors, written to only during the call.
                unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, -1) };
            });
            drain_event(parker.own_event());
        }
        self.poll(shared);
    }

    fn driver_fds(&self) -> Vec<RawFd> {
        self.rings.iter().map(|r| r.ring.as_raw_fd()).collect()
    }
}
