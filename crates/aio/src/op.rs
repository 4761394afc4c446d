//! What an operation is and how it ends: kinds, errors, outcomes, and the target that is told of completions.

use std::sync::Arc;

use crate::buffer::IoBuf;
use crate::clock::Nanos;
use crate::stats::StatKey;

/// The operations of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    Read,
    Write,
    /// A write, and a flush of its data once the write is complete, as one operation.
    WriteFlush,
    Fsync,
    Fdatasync,
    /// Reserves space for a range of the file; the range reads as zeros.
    Allocate,
}

impl OpKind {
    /// The name in `pg_aios.operation` (PostgreSQL 18 knows `readv` and `writev`; the others are ours).
    pub fn name(self) -> &'static str {
        match self {
            OpKind::Read => "readv",
            OpKind::Write => "writev",
            OpKind::WriteFlush => "writev+fdatasync",
            OpKind::Fsync => "fsync",
            OpKind::Fdatasync => "fdatasync",
            OpKind::Allocate => "fallocate",
        }
    }

    pub fn is_transfer(self) -> bool {
        matches!(self, OpKind::Read | OpKind::Write | OpKind::WriteFlush)
    }

    /// The words of PostgreSQL's error messages: `could not … file`.
    fn verb(self) -> &'static str {
        match self {
            OpKind::Read => "read",
            OpKind::Write | OpKind::WriteFlush => "write",
            OpKind::Fsync => "fsync",
            OpKind::Fdatasync => "fdatasync",
            OpKind::Allocate => "extend",
        }
    }
}

/// An operation that failed for good: not interrupted, not short.
#[derive(Clone, Debug, thiserror::Error)]
#[error("could not {} file \"{file}\" at offset {offset}, length {len}: {}", .kind.verb(), std::io::Error::from_raw_os_error(*.errno))]
pub struct IoError {
    pub kind: OpKind,
    pub file: Arc<str>,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Bytes asked for.
    pub len: u64,
    pub errno: i32,
}

impl IoError {
    /// A full disk or quota, which the user can mend while the server lives on.
    pub fn is_out_of_space(&self) -> bool {
        matches!(self.errno, libc::ENOSPC | libc::EDQUOT)
    }
}

/// What an operation is about, without its buffers.
#[derive(Clone, Debug)]
pub struct OpInfo {
    pub kind: OpKind,
    /// The name the file was opened under, for messages and views.
    pub file: Arc<str>,
    pub offset: u64,
    pub len: u64,
    pub stat: StatKey,
    /// From submission to the kernel's answer; zero until then.
    pub device_time: Nanos,
}

/// How an operation ended. `result` has the bytes transferred: fewer than asked for only at the end of the file.
#[derive(Debug)]
pub struct Completed {
    pub result: Result<u64, IoError>,
    /// Buffers that the target left to the owner.
    pub bufs: Vec<IoBuf>,
    /// From submission to the kernel's answer.
    pub device_time: Nanos,
}

/// Whose I/O it is: it decides what completion means and how the operation is shown.
pub trait Target: Send + Sync {
    /// `pg_aios.target`: `smgr` for relation files as in PostgreSQL.
    fn name(&self) -> &'static str;

    /// The shared completion. Runs once, in whatever thread noticed that the operation ended, with no lock held.
    /// It may take the buffers. It must not wait, not start I/O, and not take a lock that a waiter for I/O can hold.
    /// What it finds wrong with the bytes (a bad checksum, say) it records in the shared object.
    fn complete(&self, op: &OpInfo, result: &Result<u64, IoError>, bufs: &mut Vec<IoBuf>, data: &[u32]);

    /// `pg_aios.target_desc`.
    fn describe(&self, op: &OpInfo) -> String {
        match op.kind {
            OpKind::Fsync | OpKind::Fdatasync => format!("file \"{}\"", op.file),
            _ => format!("bytes {}..{} in file \"{}\"", op.offset, op.offset + op.len, op.file),
        }
    }
}

/// A target without a shared object: the owner gets result and buffers, and no other needs them.
#[derive(Debug, Default)]
pub struct Raw;

impl Target for Raw {
    fn name(&self) -> &'static str {
        "raw"
    }
    fn complete(&self, _: &OpInfo, _: &Result<u64, IoError>, _: &mut Vec<IoBuf>, _: &[u32]) {}
}
