//! The write-ahead log: records, the log buffer, its way to the disk, and reading it back after a crash. It does not know
//! what a record means; resource managers above do.
//!
//! # Invariants
//! * A record's bytes never change once inserted, and records are found by their position alone: the LSN is the number of
//!   bytes before it. The checksum covers the LSN, so a record left over in a recycled segment is not taken for a new one.
//! * [`Log::flush_to`] returns when everything before the given LSN is durable, in whatever order the writes ended.
//! * Bytes of one block are never in two writes under way.
//! * A failed write or flush of the log is final: every later flush fails with the same reason, and no client is told that
//!   anything is durable. Recovery starts from what the disk has.

mod flush;
mod log;
mod pace;
mod probe;
mod reader;
mod record;
mod segment;

pub use flush::{CommitDelay, FlushView};
pub use log::{Begun, Log, LogConfig, LogCounters};
pub use probe::{Probe, SyncMethod, probe_sync_method};
pub use reader::LogReader;
pub use record::{HEADER_LEN, MAX_RECORD, Record, RecordHeader};
pub use segment::{SEGMENT_SIZE, segment_name};

use error::sqlstate;

/// A position in the log, in bytes from its beginning.
pub type Lsn = u64;

/// The unit of log writes: what direct I/O wants on every device.
const BLOCK: u64 = 4096;

/// Where the first record of a new log is: the first segment's number is 1, as in PostgreSQL.
pub const fn first_lsn(segment_size: u64) -> Lsn {
    segment_size
}

/// PostgreSQL's notation, `0/1A2B3C`.
pub fn format_lsn(lsn: Lsn) -> String {
    format!("{:X}/{:X}", lsn >> 32, lsn & 0xffff_ffff)
}

/// The opposite of [`format_lsn`].
pub fn parse_lsn(text: &str) -> Option<Lsn> {
    let (high, low) = text.split_once('/')?;
    let part = |digits: &str| {
        let hex = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u64::from_str_radix(digits, 16).expect("hexadecimal digits"))
    };
    Some(part(high)? << 32 | part(low)?)
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Io(#[from] aio::IoError),
    #[error("could not {action} log file \"{file}\": {}", std::io::Error::from_raw_os_error(*.errno))]
    File { action: &'static str, file: String, errno: i32 },
    /// The log failed before and stays failed.
    #[error("the log has failed: {0}")]
    Failed(String),
    #[error(
        "the log is damaged: there is no valid record at {}, but it had been durable up to {}",
        format_lsn(*.at), format_lsn(*.durable)
    )]
    Damaged { at: Lsn, durable: Lsn },
    /// There is nothing to go on from.
    #[error("could not locate a valid checkpoint record at {}", format_lsn(*.at))]
    NoCheckpoint { at: Lsn },
    #[error("a log record of {0} bytes is longer than the limit of {MAX_RECORD}")]
    TooLong(usize),
}

impl LogError {
    pub fn is_out_of_space(&self) -> bool {
        match self {
            LogError::Io(e) => e.is_out_of_space(),
            LogError::File { errno, .. } => matches!(*errno, libc::ENOSPC | libc::EDQUOT),
            _ => false,
        }
    }
    /// PostgreSQL's error code.
    pub fn sqlstate(&self) -> &'static str {
        if self.is_out_of_space() { sqlstate::DISK_FULL } else { sqlstate::IO_ERROR }
    }
}

impl From<LogError> for error::Error {
    fn from(e: LogError) -> error::Error {
        error::Error::new(e.sqlstate(), e.to_string())
    }
}
