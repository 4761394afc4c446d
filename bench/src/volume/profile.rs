//! What a volume promises: latency, operations and bytes a second.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The machine's own disk, as it is.
    Local,
    /// A general-purpose cloud volume: 1 ms, 3,000 IOPS, 125 MB/s.
    Gp3,
    /// A provisioned one: 0.5 ms, 20,000 IOPS, 1 GB/s.
    Io2,
    /// 1,000 writes a second, as in experiment E7: 1 ms, reads at 20,000 IOPS, 1 GB/s.
    SlowWal,
    /// 1,000 operations a second, as in experiment E19: 1 ms, 125 MB/s.
    Small,
}

/// `None` means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Added to every operation; one in a hundred takes `tail` instead.
    pub latency: Duration,
    pub tail: Duration,
    pub read_iops: f64,
    pub write_iops: f64,
    /// Bytes a second, reads and writes together.
    pub bandwidth: f64,
}

impl Limits {
    /// As Inflight's own simulation takes them. It knows one cap for all operations and no tail.
    pub fn inside(&self) -> String {
        format!(
            "latency={}us,iops={},bandwidth={}MB",
            self.latency.as_micros(),
            self.read_iops.min(self.write_iops),
            self.bandwidth / 1e6
        )
    }
}

impl Profile {
    pub const ALL: [Profile; 5] = [Profile::Local, Profile::Gp3, Profile::Io2, Profile::SlowWal, Profile::Small];

    /// `None` for the machine's own disk.
    pub fn limits(self) -> Option<Limits> {
        let limits = |micros, read_iops, write_iops, bandwidth| {
            Some(Limits {
                latency: Duration::from_micros(micros),
                tail: Duration::from_micros(micros * 5),
                read_iops,
                write_iops,
                bandwidth,
            })
        };
        match self {
            Profile::Local => None,
            Profile::Gp3 => limits(1000, 3000.0, 3000.0, 125e6),
            Profile::Io2 => limits(500, 20_000.0, 20_000.0, 1e9),
            Profile::SlowWal => limits(1000, 20_000.0, 1000.0, 1e9),
            Profile::Small => limits(1000, 1000.0, 1000.0, 125e6),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Profile::Local => "local",
            Profile::Gp3 => "gp3",
            Profile::Io2 => "io2",
            Profile::SlowWal => "slow-wal",
            Profile::Small => "small",
        }
    }

    /// For a report's table.
    pub fn describe(self) -> String {
        match self.limits() {
            None => "the machine's own disk".into(),
            Some(l) => format!(
                "{} ms, {} read and {} write IOPS, {} MB/s",
                l.latency.as_secs_f64() * 1e3,
                l.read_iops,
                l.write_iops,
                l.bandwidth / 1e6
            ),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(name: &str) -> Result<Profile> {
        let known = Profile::ALL.iter().find(|p| p.name() == name);
        known.copied().ok_or_else(|| Error::usage(format!("no profile \"{name}\": local, gp3, io2, slow-wal or small")))
    }
}
