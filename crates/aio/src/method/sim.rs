//! The simulated method: every operation takes a seeded, virtual time, so completions come in an order that depends on
//! nothing but the seed; transfers are cut short and calls interrupted at a seeded rate. Virtual time passes only when
//! somebody waits ([`crate::block_on`]). The operations themselves are real system calls, made at the moment they end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use parking_lot::Mutex;

use super::{Method, execute, flush};
use crate::clock::Nanos;
use crate::engine::{Shared, Step};
use crate::executor::Parker;
use crate::op::OpKind;
use std::os::fd::AsRawFd;

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
}

impl Default for SimConfig {
    fn default() -> SimConfig {
        SimConfig { seed: 1, latency: (50_000, 2_000_000), short_permille: 50, interrupt_permille: 20 }
    }
}

struct Schedule {
    random: u64,
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
        let schedule = Schedule { random: config.seed, due: BinaryHeap::new(), sequence: 0 };
        Sim { config, schedule: Mutex::new(schedule) }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Method for Sim {
    fn submit(&self, shared: &Shared, leaders: &[u32]) {
        let mut schedule = self.schedule.lock();
        let (low, high) = self.config.latency;
        for &slot in leaders {
            let latency = low + next_random(&mut schedule.random) % (high - low + 1);
            let end = (shared.clock.now() + latency).max(shared.admit(slot));
            schedule.sequence += 1;
            let sequence = schedule.sequence;
            schedule.due.push(Reverse((end, sequence, slot)));
        }
    }

    fn park(&self, shared: &Shared, parker: &Parker) {
        let mut schedule = self.schedule.lock();
        let next = schedule.due.peek().map(|first| first.0.0);
        if let Some(due) = shared.timers.next()
            && next.is_none_or(|next| due <= next)
        {
            drop(schedule);
            shared.clock.advance_to(due);
            shared.timers.fire(shared.clock.now());
            return;
        }
        let Some(Reverse((at, _, slot))) = schedule.due.pop() else {
            drop(schedule);
            // Another thread is completing what this one waits for.
            if !parker.is_notified() {
                std::thread::park();
            }
            return;
        };
        shared.clock.advance_to(at);
        let interrupted = next_random(&mut schedule.random) % 1000 < u64::from(self.config.interrupt_permille);
        let short = next_random(&mut schedule.random) % 1000 < u64::from(self.config.short_permille);
        let errno = if next_random(&mut schedule.random).is_multiple_of(2) { libc::EINTR } else { libc::EAGAIN };
        drop(schedule);
        let mut op = shared.kernel_op(slot);
        let mut flush_failed = false;
        let answer = if interrupted {
            -i64::from(errno)
        } else {
            if short && op.kind.is_transfer() && op.vector_count > 1 {
                op.vector_count /= 2;
            }
            let mut answer = execute(&op);
            if op.kind == OpKind::WriteFlush && answer == op.len as i64 {
                let flushed = flush(op.file.as_raw_fd());
                if flushed < 0 {
                    (answer, flush_failed) = (flushed, true);
                }
            }
            answer
        };
        if shared.step(slot, answer, flush_failed) == Step::Again {
            self.submit(shared, &[slot]);
        }
    }
}
