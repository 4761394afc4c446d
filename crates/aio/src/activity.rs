//! What is under way and which session does it, as views show it: handles (`pg_aios`, `pg_stat_aios`), sessions
//! (`pg_stat_aio_backends`), worker threads and volumes (`inflight_devices`).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::clock::Nanos;
use crate::device::Device;
use crate::engine::Engine;
use crate::op::OpKind;
use crate::slot::State;
use crate::stats::BackendKind;

/// A handle that is not idle.
#[derive(Clone, Debug)]
pub struct HandleView {
    pub pid: i32,
    pub io_id: u32,
    pub generation: u64,
    pub state: State,
    pub operation: Option<OpKind>,
    pub offset: u64,
    pub len: u64,
    pub target: Option<&'static str>,
    pub target_desc: Option<String>,
    pub data_len: usize,
    pub raw_result: Option<i64>,
    /// `Ok(true)` complete, `Ok(false)` partial.
    pub result: Option<Result<bool, String>>,
    pub buffered: bool,
    pub sync: bool,
    /// When it was defined, sent to the kernel, and answered, by the engine's clock; what has not happened is `None`.
    pub prepared: Option<Nanos>,
    pub submitted: Option<Nanos>,
    pub completed: Option<Nanos>,
}

/// A session and what it has done since it began.
#[derive(Clone, Copy, Debug)]
pub struct SessionView {
    pub pid: i32,
    pub backend: BackendKind,
    /// Operations that it has sent off, how many of them were part of another's, and how many have ended.
    pub issued: u64,
    pub merged: u64,
    pub completed: u64,
    /// Operations of the kernel's under way, now and at most.
    pub in_flight: u32,
    pub max_in_flight: u32,
    /// How many operations of the kernel's were started as the only one, as one of 2, of 3 or 4, of 5 to 8, and so on.
    pub depths: [u64; DEPTHS],
    /// How often a task of it waited, and how long.
    pub waits: u64,
    pub waited: Nanos,
    /// How long devices worked for it, summed over operations of the kernel's.
    pub worked: Nanos,
}

/// A thread of the worker method.
#[derive(Clone, Copy, Debug)]
pub struct WorkerView {
    pub id: usize,
    /// The operation it is making the system call for.
    pub busy: Option<OpKind>,
}

/// Depths are counted by powers of two up to 256, and beyond.
pub const DEPTHS: usize = 10;

/// A session's counters.
#[derive(Debug, Default)]
pub(crate) struct SessionCounters {
    issued: AtomicU64,
    merged: AtomicU64,
    completed: AtomicU64,
    in_flight: AtomicU32,
    max_in_flight: AtomicU32,
    depths: [AtomicU64; DEPTHS],
    waits: AtomicU64,
    waited: AtomicU64,
    worked: AtomicU64,
}

impl SessionCounters {
    /// Another session begins; nothing of the last one is under way.
    pub(crate) fn reset(&self) {
        let counters = [&self.issued, &self.merged, &self.completed, &self.waits, &self.waited, &self.worked];
        counters.into_iter().chain(&self.depths).for_each(|counter| counter.store(0, Ordering::Relaxed));
        self.max_in_flight.store(0, Ordering::Relaxed);
    }

    /// So many operations go to the kernel as one.
    pub(crate) fn started(&self, operations: u64) {
        self.issued.fetch_add(operations, Ordering::Relaxed);
        self.merged.fetch_add(operations - 1, Ordering::Relaxed);
        let depth = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.max_in_flight.fetch_max(depth, Ordering::Relaxed);
        let bucket = depth.next_power_of_two().ilog2() as usize;
        self.depths[bucket.min(DEPTHS - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// The kernel has answered after so long.
    pub(crate) fn ended(&self, worked: Nanos) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.worked.fetch_add(worked, Ordering::Relaxed);
    }

    /// One of the operations that went as one has its result.
    pub(crate) fn completed(&self) {
        self.completed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn waited(&self, time: Nanos) {
        self.waits.fetch_add(1, Ordering::Relaxed);
        self.waited.fetch_add(time, Ordering::Relaxed);
    }

    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    fn view(&self, pid: i32, backend: BackendKind) -> SessionView {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SessionView {
            pid,
            backend,
            issued: load(&self.issued),
            merged: load(&self.merged),
            completed: load(&self.completed),
            in_flight: self.in_flight.load(Ordering::Relaxed),
            max_in_flight: self.max_in_flight.load(Ordering::Relaxed),
            depths: std::array::from_fn(|at| load(&self.depths[at])),
            waits: load(&self.waits),
            waited: load(&self.waited),
            worked: load(&self.worked),
        }
    }
}

impl Engine {
    /// All handles that are not idle.
    pub fn handles(&self) -> Vec<HandleView> {
        let shared = self.shared();
        let busy = shared.slots.iter().filter(|(_, slot)| slot.state() != State::Idle);
        busy.filter_map(|(index, slot)| {
            let body = slot.body.lock();
            let state = slot.state();
            if state == State::Idle {
                return None;
            }
            let defined = state >= State::Defined && body.file.is_some();
            let info = defined.then(|| body.info());
            Some(HandleView {
                pid: shared.sessions[shared.session_of(index as u32)].pid.load(Ordering::Relaxed),
                io_id: index as u32,
                generation: slot.generation(),
                state,
                operation: info.as_ref().map(|i| i.kind),
                offset: body.offset,
                len: body.len,
                target: body.target.as_ref().filter(|_| defined).map(|t| t.name()),
                target_desc: match (&body.target, &info) {
                    (Some(target), Some(info)) => Some(target.describe(info)),
                    _ => None,
                },
                data_len: body.data.len(),
                raw_result: body.raw_result,
                result: body.result.as_ref().map(|r| match r {
                    Ok(bytes) => Ok(*bytes == body.len || !body.kind.is_transfer()),
                    Err(error) => Err(error.to_string()),
                }),
                buffered: body.file.as_ref().is_some_and(|f| !f.is_direct()),
                sync: shared.config.method == crate::IoMethod::Sync,
                prepared: defined.then_some(body.prepared_at),
                submitted: (state >= State::Submitted).then_some(body.submitted_at),
                completed: (state >= State::CompletedIo).then(|| body.submitted_at + body.device_time),
            })
        })
        .collect()
    }

    /// All sessions there are.
    pub fn sessions(&self) -> Vec<SessionView> {
        let open = self.shared().sessions.iter().filter(|cell| cell.open.load(Ordering::Acquire));
        let view = |cell: &crate::engine::SessionCell| {
            let backend = BackendKind::ALL[cell.backend.load(Ordering::Relaxed) as usize];
            cell.counters.view(cell.pid.load(Ordering::Relaxed), backend)
        };
        open.map(view).collect()
    }

    /// The threads of the worker method.
    pub fn workers(&self) -> Vec<WorkerView> {
        self.shared().method.workers()
    }

    /// The volume with the system's number for it ([`crate::File::device_number`]).
    pub fn device(&self, number: u64) -> &Device {
        self.shared().devices.of(number)
    }

    /// All volumes that operations have gone to.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        self.shared().devices.iter()
    }

    /// Handles between `SUBMITTED` and `COMPLETED_IO`: the depth at the device.
    pub fn in_flight(&self) -> usize {
        self.shared().slots.iter().filter(|(_, s)| s.state() == State::Submitted).count()
    }
}
