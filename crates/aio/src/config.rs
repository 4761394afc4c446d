//! What an engine is set up with, and why a set-up can fail.

use std::str::FromStr;

use crate::method::SimConfig;
use crate::volume::VolumeSpec;

/// `io_method`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoMethod {
    /// The kernel's ring: the default on Linux where it can be set up.
    IoUring,
    /// A pool of threads that make blocking calls. Works everywhere.
    Worker,
    /// The submitting thread makes the call itself: the reference.
    Sync,
    /// The C library's POSIX asynchronous I/O.
    PosixAio,
    /// Seeded order, virtual time, injected faults: for tests.
    Sim,
}

impl IoMethod {
    pub fn name(self) -> &'static str {
        match self {
            IoMethod::IoUring => "io_uring",
            IoMethod::Worker => "worker",
            IoMethod::Sync => "sync",
            IoMethod::PosixAio => "posix_aio",
            IoMethod::Sim => "sim",
        }
    }
}

impl FromStr for IoMethod {
    type Err = String;
    fn from_str(text: &str) -> Result<IoMethod, String> {
        [IoMethod::IoUring, IoMethod::Worker, IoMethod::Sync, IoMethod::PosixAio]
            .into_iter()
            .find(|m| m.name() == text)
            .ok_or_else(|| format!("\"{text}\" is not an I/O method"))
    }
}

/// The limits of an engine. What operations need is allocated with the first of a session, not with each.
#[derive(Clone, Debug)]
pub struct Config {
    pub method: IoMethod,
    /// Sessions that may exist at once.
    pub max_sessions: usize,
    /// `io_max_concurrency`: handles of a session.
    pub max_concurrency: usize,
    /// `io_combine_limit`: bytes in one operation after merging.
    pub combine_limit: u64,
    pub min_workers: usize,
    pub max_workers: usize,
    /// Rings of the io_uring method: one per thread that submits keeps them from contending.
    pub rings: usize,
    pub volume: Option<VolumeSpec>,
    pub sim: SimConfig,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            method: IoMethod::IoUring,
            max_sessions: 16,
            max_concurrency: 64,
            combine_limit: 128 * 1024,
            min_workers: 2,
            max_workers: 32,
            rings: 1,
            volume: None,
            sim: SimConfig::default(),
        }
    }
}

/// Why an engine (or a session) could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("io_uring cannot be used: {0}")]
    Uring(String),
    #[error("this platform has no {0}")]
    Unsupported(&'static str),
    #[error("could not start a thread for I/O: {0}")]
    Thread(std::io::Error),
    #[error("all {0} I/O sessions are in use")]
    TooManySessions(usize),
}
