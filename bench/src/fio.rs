//! The limit: what fio gets from a volume, with the access pattern of the experiment.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::program::run;

/// An access pattern.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    pub rw: &'static str,
    pub block: u32,
    pub depth: u32,
    pub seconds: u32,
    /// Each write is durable when it is complete.
    pub durable: bool,
}

/// Large reads, one behind the other: a sequential scan.
pub const SCAN: Pattern = Pattern { rw: "read", block: 128 << 10, depth: 32, seconds: 4, durable: false };
/// Single pages anywhere: rows that an index leads to.
pub const SCATTERED: Pattern = Pattern { rw: "randread", block: 8 << 10, depth: 64, seconds: 4, durable: false };
/// Large writes: a load.
pub const LOAD: Pattern = Pattern { rw: "write", block: 128 << 10, depth: 32, seconds: 4, durable: false };
/// Small durable writes, one after the other: commits.
pub const FLUSH: Pattern = Pattern { rw: "write", block: 4 << 10, depth: 1, seconds: 4, durable: true };

#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Bytes a second.
    pub bandwidth: f64,
    pub iops: f64,
    pub mean_latency_us: f64,
}

/// Runs fio on a file in `dir`, past the page cache.
pub fn measure(dir: &Path, pattern: Pattern) -> Result<Limit> {
    let file = dir.join("fio.dat");
    let output = run(Command::new("fio")
        .args(["--name=limit", "--direct=1", "--ioengine=io_uring", "--time_based", "--output-format=json"])
        .args(["--norandommap", "--size=512M", "--overwrite=1"])
        .args(pattern.durable.then_some("--sync=dsync"))
        .arg(format!("--filename={}", file.display()))
        .arg(format!("--rw={}", pattern.rw))
        .arg(format!("--bs={}", pattern.block))
        .arg(format!("--iodepth={}", pattern.depth))
        .arg(format!("--runtime={}", pattern.seconds)));
    let _ = std::fs::remove_file(&file);
    let json: Value = serde_json::from_str(&output?).map_err(|e| Error::program(format!("fio's answer: {e}")))?;
    let side = if pattern.rw.contains("write") { "write" } else { "read" };
    let figure = |path: &str| json.pointer(&format!("/jobs/0/{side}/{path}")).and_then(Value::as_f64);
    match (figure("bw_bytes"), figure("iops"), figure("lat_ns/mean")) {
        (Some(bandwidth), Some(iops), Some(latency)) => Ok(Limit { bandwidth, iops, mean_latency_us: latency / 1e3 }),
        _ => Err(Error::program("fio's answer lacks its figures")),
    }
}
