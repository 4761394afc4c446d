//! One handle's place in the slab: its state, its generation and the operation defined on it.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::Waker;

use parking_lot::Mutex;

use crate::buffer::IoBuf;
use crate::clock::Nanos;
use crate::engine::LocalCompletion;
use crate::file::File;
use crate::op::{Completed, IoError, OpInfo, OpKind, Target};
use crate::stats::StatKey;

/// The life of a handle, in order. `pg_aios.state` shows these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    Idle,
    HandedOut,
    Defined,
    Staged,
    Submitted,
    CompletedIo,
    CompletedShared,
    CompletedLocal,
}

impl State {
    pub const ALL: [State; 8] = [
        State::Idle,
        State::HandedOut,
        State::Defined,
        State::Staged,
        State::Submitted,
        State::CompletedIo,
        State::CompletedShared,
        State::CompletedLocal,
    ];

    pub fn name(self) -> &'static str {
        match self {
            State::Idle => "IDLE",
            State::HandedOut => "HANDED_OUT",
            State::Defined => "DEFINED",
            State::Staged => "STAGED",
            State::Submitted => "SUBMITTED",
            State::CompletedIo => "COMPLETED_IO",
            State::CompletedShared => "COMPLETED_SHARED",
            State::CompletedLocal => "COMPLETED_LOCAL",
        }
    }

    /// The transitions there are: one step on, or from `HANDED_OUT` and `COMPLETED_LOCAL` back to `IDLE`.
    pub fn may_become(self, next: State) -> bool {
        match next {
            State::Idle => matches!(self, State::HandedOut | State::CompletedLocal),
            _ => next as u8 == self as u8 + 1,
        }
    }
}

/// Where the owner finds the outcome after its handle went back to the slab.
#[derive(Debug, Default)]
pub(crate) struct ReturnCell {
    pub(crate) outcome: Mutex<Option<Completed>>,
}

/// A kernel I/O vector kept in the slab.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Vector(pub(crate) libc::iovec);

// SAFETY: a vector points into an `IoBuf` that the same slot (or a member of its run) owns until the kernel has answered;
// it is only read by the kernel and by the code in this crate that hands it to the kernel.
unsafe impl Send for Vector {}

pub(crate) struct Body {
    pub(crate) kind: OpKind,
    pub(crate) file: Option<File>,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) bufs: Vec<IoBuf>,
    /// What a flush makes durable ([`File::written`]).
    pub(crate) flushes: u64,
    pub(crate) target: Option<Arc<dyn Target>>,
    pub(crate) data: Vec<u32>,
    pub(crate) stat: StatKey,
    pub(crate) local: Option<LocalCompletion>,
    pub(crate) ret: Option<Arc<ReturnCell>>,
    pub(crate) waiters: Vec<Waker>,
    /// The owner went away before the end: the thread that completes the operation releases the handle.
    pub(crate) abandoned: bool,
    pub(crate) raw_result: Option<i64>,
    pub(crate) result: Option<Result<u64, IoError>>,
    pub(crate) prepared_at: Nanos,
    pub(crate) submitted_at: Nanos,
    pub(crate) device_time: Nanos,

    /// The next member of the run this operation was merged into.
    pub(crate) next_member: Option<u32>,

    // What only the first member of a run uses: the operation the kernel sees.
    pub(crate) run_len: u64,
    pub(crate) run_done: u64,
    pub(crate) vectors: Vec<Vector>,
    /// The first vector that is not finished.
    pub(crate) vector_at: usize,
    /// When a simulated volume lets it end.
    pub(crate) due: Nanos,
    /// The answer to the write of a write-then-flush, until the flush answers too.
    pub(crate) write_answer: i64,
    /// How often the kernel has given it up without doing it.
    pub(crate) given_up: u32,
}

impl Body {
    /// The kernel has not done it, as the thread that had submitted it ended meanwhile, and is to be asked again: io_uring answers
    /// ECANCELED for what its worker threads still had to begin, and EFAULT for the flush behind a write. (An operation's memory
    /// is always there: it owns it. What is answered again and again is an error all the same.)
    pub(crate) fn was_given_up(&mut self, errno: i32) -> bool {
        const MAX_TIMES: u32 = 100;
        let given_up = matches!(errno, libc::ECANCELED | libc::EFAULT) && self.given_up < MAX_TIMES;
        self.given_up += u32::from(given_up);
        given_up
    }

    pub(crate) fn info(&self) -> OpInfo {
        let file = self.file.as_ref().expect("a defined operation has a file");
        OpInfo {
            kind: self.kind,
            file: file.name().clone(),
            offset: self.offset,
            len: self.len,
            stat: self.stat,
            device_time: self.device_time,
        }
    }

    pub(crate) fn error(&self, kind: OpKind, errno: i32) -> IoError {
        let file = self.file.as_ref().expect("a defined operation has a file");
        IoError { kind, file: file.name().clone(), offset: self.offset, len: self.len, errno }
    }

    /// Moves the vectors on by `bytes` that the kernel has transferred.
    pub(crate) fn advance(&mut self, mut bytes: u64) {
        self.run_done += bytes;
        while bytes > 0 {
            let vector = &mut self.vectors[self.vector_at].0;
            if (vector.iov_len as u64) <= bytes {
                bytes -= vector.iov_len as u64;
                self.vector_at += 1;
            } else {
                // SAFETY: `bytes` is less than the vector's length, so the result stays inside its buffer.
                vector.iov_base = unsafe { vector.iov_base.cast::<u8>().add(bytes as usize) }.cast();
                vector.iov_len -= bytes as usize;
                bytes = 0;
            }
        }
    }
}

pub(crate) struct Slot {
    state: AtomicU8,
    generation: AtomicU64,
    pub(crate) body: Mutex<Body>,
}

impl Slot {
    pub(crate) fn new(stat: StatKey, vectors: usize) -> Slot {
        Slot {
            state: AtomicU8::new(State::Idle as u8),
            generation: AtomicU64::new(1),
            body: Mutex::new(Body {
                kind: OpKind::Read,
                file: None,
                offset: 0,
                len: 0,
                flushes: 0,
                bufs: Vec::with_capacity(vectors),
                target: None,
                data: Vec::with_capacity(vectors),
                stat,
                local: None,
                ret: None,
                waiters: Vec::with_capacity(2),
                abandoned: false,
                raw_result: None,
                result: None,
                prepared_at: 0,
                submitted_at: 0,
                device_time: 0,
                next_member: None,
                run_len: 0,
                run_done: 0,
                vectors: Vec::with_capacity(vectors),
                vector_at: 0,
                due: 0,
                write_answer: 0,
                given_up: 0,
            }),
        }
    }

    pub(crate) fn state(&self) -> State {
        State::ALL[self.state.load(Ordering::Acquire) as usize]
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Every change of state goes through here. The caller holds the body's lock, or is the only one that knows the
    /// handle (`IDLE`, `HANDED_OUT`).
    pub(crate) fn become_state(&self, next: State) {
        debug_assert!(self.state().may_become(next), "{:?} cannot become {next:?}", self.state());
        self.state.store(next as u8, Ordering::Release);
    }

    /// Clears the body and makes the handle `IDLE` under a new generation.
    pub(crate) fn recycle(&self, body: &mut Body) {
        body.file = None;
        body.bufs.clear();
        body.target = None;
        body.data.clear();
        body.local = None;
        body.ret = None;
        body.waiters.clear();
        body.abandoned = false;
        body.raw_result = None;
        body.result = None;
        body.device_time = 0;
        body.next_member = None;
        body.vectors.clear();
        body.vector_at = 0;
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.become_state(State::Idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any walk along permitted transitions visits the states in order and ends a round only in IDLE.
        #[test]
        fn walks_keep_the_order(choices in prop::collection::vec(any::<bool>(), 1..200)) {
            let mut state = State::Idle;
            for prefer_idle in choices {
                let next: Vec<_> = State::ALL.into_iter().filter(|s| state.may_become(*s)).collect();
                prop_assert!(!next.is_empty() && next.len() <= 2, "{state:?} leads to {next:?}");
                let to = if prefer_idle { next[0] } else { *next.last().unwrap() };
                prop_assert!(to == State::Idle || to > state);
                // Nothing that the kernel may still be working on is ever handed to another owner.
                prop_assert!(!(state >= State::Defined && state < State::CompletedLocal && to == State::Idle));
                state = to;
            }
        }
    }
}
