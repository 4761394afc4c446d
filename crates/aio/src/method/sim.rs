//! The simulated method: every operation takes a seeded, virtual time, so completions come in an order that depends on
//! nothing but the seed; transfers are cut short and calls interrupted at a seeded rate. Virtual time passes only when
//! a task waits ([`crate::block_on`]). The operations themselves are real system calls, made at the moment they end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Method, execute, flush};
use crate::clock::Nanos;
use crate::engine::{Shared, Step};
use crate::executor::Parker;
use crate::op::OpKind;
use crate::random::Random;
use crate::sim_disk::SimDisk;

/// What the simulated device does.
#[derive(Clone, Debug)]
pub struct SimConfig {
    pub seed: u64,
    /// Shortest and longest virtual time of an operation.
    pub latency: (Nanos, Nanos),
    /// Transfers cut short, in a thousand.
    pub short_permille: u32,
    /// Answers of EINTR or EAGAIN instead of work, in a thousand.
    pub interrupt_permille: u32,
    /// Remembers what a crash may take away.
    pub disk: Option<Arc<SimDisk>>,
}

impl Default for SimConfig {
    fn default() -> SimConfig {
        SimConfig { seed: 1, latency: (50_000, 2_000_000), short_permille: 50, interrupt_permille: 20, disk: None }
    }
}

struct Schedule {
    random: Random,
    due: BinaryHeap<Reverse<(Nanos, u64, u32)>>,
    sequence: u64,
}

pub(crate) struct Sim {
    config: SimConfig,
    schedule: Mutex<Schedule>,
}

impl Sim {
    pub(crate) fn new(config: SimConfig) -> Sim {
        assert!(config.latency.0 <= config.latency.1, "a range of latencies");
        let schedule = Schedule { random: Random::new(config.seed), due: BinaryHeap::new(), sequence: 0 };
        Sim { config, schedule: Mutex::new(schedule) }
    }
}

impl Method for Sim {
    fn submit(&self, shared: &Shared, leaders: &[u32]) {
        let mut schedule = self.schedule.lock();
        let (low, high) = self.config.latency;
        for &slot in leaders {
            let latency = low + schedule.random.below(high - low + 1);
            let end = (shared.clock.now() + latency).max(shared.admit(slot));
            schedule.sequence += 1;
            let sequence = schedule.sequence;
            schedule.due.push(Reverse((end, sequence, slot)));
        }
    }

    fn park(&self, shared: &Shared, parker: &Parker) {
        // With nothing to come, another thread is completing what this one waits for.
        if !self.advance(shared) && !parker.is_notified() {
            std::thread::park();
        }
    }

    fn advance(&self, shared: &Shared) -> bool {
        let mut schedule = self.schedule.lock();
        let next = schedule.due.peek().map(|first| first.0.0);
        if let Some(due) = shared.timers.next()
            && next.is_none_or(|next| due <= next)
        {
            drop(schedule);
            shared.clock.advance_to(due);
            shared.timers.fire(shared.clock.now());
            return true;
        }
        let Some(Reverse((at, _, slot))) = schedule.due.pop() else { return false };
        shared.clock.advance_to(at);
        let interrupted = schedule.random.below(1000) < u64::from(self.config.interrupt_permille);
        let short = schedule.random.below(1000) < u64::from(self.config.short_permille);
        let errno = if schedule.random.below(2) == 0 { libc::EINTR } else { libc::EAGAIN };
        drop(schedule);
        let (answer, flush_failed) = match interrupted {
            true => (-i64::from(errno), false),
            false => self.perform(shared, slot, short),
        };
        if shared.step(slot, answer, flush_failed) == Step::Again {
            self.submit(shared, &[slot]);
        }
        true
    }

    fn lose_power(&self, shared: &Shared) {
        let mut schedule = self.schedule.lock();
        let due = std::mem::take(&mut schedule.due);
        for Reverse((_, _, slot)) in due.into_sorted_vec() {
            let op = shared.kernel_op(slot);
            let reached = schedule.random.below(2) == 0;
            if reached && matches!(op.kind, OpKind::Write | OpKind::WriteFlush) {
                if let Some(disk) = &self.config.disk {
                    disk.before_write(&op.file, op.offset, op.len, false);
                }
                execute(&op);
            }
        }
    }
}

impl Sim {
    /// Makes the system calls of an operation, as far as the disk lets it; gives the answer, and whether it is the flush's.
    fn perform(&self, shared: &Shared, slot: u32, short: bool) -> (i64, bool) {
        let mut op = shared.kernel_op(slot);
        if short && op.kind.is_transfer() && op.vector_count > 1 {
            op.vector_count /= 2;
            op.len = op.bytes();
        }
        let fault = |answer| shared.with_faults(answer, || shared.info(slot));
        let disk = self.config.disk.as_ref();
        let flushes = match op.kind {
            OpKind::Fsync | OpKind::Fdatasync => {
                let answer = fault(execute(&op));
                if let Some(disk) = disk {
                    disk.after_flush(&op.file, answer == 0);
                }
                return (answer, false);
            }
            OpKind::Write | OpKind::WriteFlush => {
                if let Some(disk) = disk {
                    disk.before_write(&op.file, op.offset, op.len, op.file.is_dsync());
                }
                op.kind == OpKind::WriteFlush
            }
            OpKind::Read | OpKind::Allocate => false,
        };
        let answer = execute(&op);
        if !flushes {
            return (fault(answer), false);
        }
        let whole = shared.kernel_op(slot).len;
        if answer < whole as i64 {
            return (answer, false);
        }
        // A fault of a write-then-flush is its flush's.
        let flushed = match flush(op.file.as_raw_fd()) {
            0 => fault(answer),
            failed => failed,
        };
        if let Some(disk) = disk {
            disk.after_flush(&op.file, flushed == answer);
        }
        (flushed, flushed < 0)
    }
}
