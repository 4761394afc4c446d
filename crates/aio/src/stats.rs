//! I/O statistics, counted where the I/O ends: by kind of backend, object, context and operation, as
//! `pg_stat_io` shows them. Counters are relaxed atomics; a reader sees each counter exact, not a consistent set.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Nanos;
use crate::op::OpKind;

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }
        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)+];
            /// PostgreSQL's name for it.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}

named_enum! {
    /// `pg_stat_activity.backend_type`.
    BackendKind {
        Client => "client backend",
        ParallelWorker => "parallel worker",
        IoWorker => "io worker",
        Checkpointer => "checkpointer",
        LogWriter => "walwriter",
        BackgroundWriter => "background writer",
        WalWriter => "walwriter",
        Autovacuum => "autovacuum worker",
        Startup => "startup",
    }
}

named_enum! {
    /// `pg_stat_io.object`.
    IoObject {
        Relation => "relation",
        TempRelation => "temp relation",
        Wal => "wal",
    }
}

named_enum! {
    /// `pg_stat_io.context`.
    IoContext {
        Normal => "normal",
        Vacuum => "vacuum",
        BulkRead => "bulkread",
        BulkWrite => "bulkwrite",
        Init => "init",
    }
}

named_enum! {
    /// The counted events. Hits, evictions and reuses are no I/O; the buffer pool counts them here too, so that
    /// `pg_stat_io` has one source.
    StatOp {
        Read => "read",
        Write => "write",
        Writeback => "writeback",
        Extend => "extend",
        Fsync => "fsync",
        Hit => "hit",
        Evict => "evict",
        Reuse => "reuse",
    }
}

/// Which row of `pg_stat_io` an operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatKey {
    pub backend: BackendKind,
    pub object: IoObject,
    pub context: IoContext,
}

impl StatKey {
    pub const fn new(backend: BackendKind, object: IoObject, context: IoContext) -> StatKey {
        StatKey { backend, object, context }
    }

    fn row(self) -> usize {
        (self.backend as usize * IoObject::ALL.len() + self.object as usize) * IoContext::ALL.len()
            + self.context as usize
    }
}

#[derive(Debug, Default)]
struct Counter {
    count: AtomicU64,
    bytes: AtomicU64,
    nanos: AtomicU64,
}

/// One operation's totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpStats {
    pub count: u64,
    pub bytes: u64,
    /// Time the device took, summed over operations (not time waited).
    pub nanos: Nanos,
}

/// One row of `pg_stat_io`.
#[derive(Clone, Debug)]
pub struct StatRow {
    pub key: StatKey,
    ops: [OpStats; StatOp::ALL.len()],
}

impl StatRow {
    pub fn op(&self, op: StatOp) -> OpStats {
        self.ops[op as usize]
    }
}

/// Threads count into different stripes: a line that every core writes to for every hit would cost more than the hit.
const STRIPES: usize = 8;

/// All counters of an engine.
#[derive(Debug)]
pub struct IoStats {
    stripes: [Box<[Counter]>; STRIPES],
}

impl Default for IoStats {
    fn default() -> IoStats {
        let rows = BackendKind::ALL.len() * IoObject::ALL.len() * IoContext::ALL.len();
        IoStats {
            stripes: std::array::from_fn(|_| (0..rows * StatOp::ALL.len()).map(|_| Counter::default()).collect()),
        }
    }
}

impl IoStats {
    pub fn count(&self, key: StatKey, op: StatOp, count: u64, bytes: u64, nanos: Nanos) {
        let counter = &self.stripes[crate::thread_number() % STRIPES][key.row() * StatOp::ALL.len() + op as usize];
        counter.count.fetch_add(count, Ordering::Relaxed);
        if bytes != 0 {
            counter.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        if nanos != 0 {
            counter.nanos.fetch_add(nanos, Ordering::Relaxed);
        }
    }

    pub(crate) fn count_completion(&self, key: StatKey, kind: OpKind, bytes: u64, nanos: Nanos) {
        match kind {
            OpKind::Read => self.count(key, StatOp::Read, 1, bytes, nanos),
            OpKind::Write => self.count(key, StatOp::Write, 1, bytes, nanos),
            OpKind::WriteFlush => {
                self.count(key, StatOp::Write, 1, bytes, nanos);
                self.count(key, StatOp::Fsync, 1, 0, 0);
            }
            OpKind::Fsync | OpKind::Fdatasync => self.count(key, StatOp::Fsync, 1, 0, nanos),
            OpKind::Allocate => self.count(key, StatOp::Extend, 1, bytes, nanos),
        }
    }

    /// Every row, used or not, in a fixed order.
    pub fn rows(&self) -> Vec<StatRow> {
        let mut rows = Vec::new();
        for &backend in BackendKind::ALL {
            for &object in IoObject::ALL {
                for &context in IoContext::ALL {
                    let key = StatKey { backend, object, context };
                    let base = key.row() * StatOp::ALL.len();
                    let ops = std::array::from_fn(|op| {
                        self.stripes.iter().fold(OpStats::default(), |sum, stripe| {
                            let counter = &stripe[base + op];
                            OpStats {
                                count: sum.count + counter.count.load(Ordering::Relaxed),
                                bytes: sum.bytes + counter.bytes.load(Ordering::Relaxed),
                                nanos: sum.nanos + counter.nanos.load(Ordering::Relaxed),
                            }
                        })
                    });
                    rows.push(StatRow { key, ops });
                }
            }
        }
        rows
    }
}
