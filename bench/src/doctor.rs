//! What this machine can and cannot measure.

use std::path::Path;

use crate::peers::{self, Software};
use crate::program::exists;
use crate::volume::mount;

/// One finding.
pub struct Finding {
    pub good: bool,
    pub text: String,
}

pub fn examine(systems: &[Software], local: &Path, rows: u64) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find =
        |good: bool, yes: String, no: String| findings.push(Finding { good, text: if good { yes } else { no } });
    let root = crate::program::user_id() == 0;
    find(
        root,
        "root: caches can be dropped, volumes simulated".into(),
        "not root: no cold measurements and no simulated volumes. Inflight alone can still be tried with its own \
         simulation: inflight serve --simulate-volume latency=1ms,iops=20000,bandwidth=1GB"
            .into(),
    );
    let usable = mount::check_usable();
    find(
        usable.is_ok(),
        "FUSE, loop devices and ext4: profiles gp3, io2, slow-wal and small".into(),
        format!(
            "profiles gp3, io2, slow-wal and small are out: {}",
            usable.err().map_or(String::new(), |e| e.to_string())
        ),
    );
    for (program, package, without) in [
        ("psql", "postgresql-client", "nothing can be measured"),
        ("fio", "fio", "reports will not show the limit"),
        ("perf", "linux-perf", "no --profile-cpu"),
        ("debootstrap", "debootstrap", "PostgreSQL cannot be installed by itself"),
        ("npm", "npm", "no fallback for installing PostgreSQL"),
    ] {
        find(
            exists(program),
            format!("{program} is there"),
            format!("no {program}: {without} (apt-get install {package})"),
        );
    }
    for version in [17, 18] {
        let there = systems.iter().find(|s| matches!(s, Software::Postgres { version: v, .. } if *v == version));
        find(
            there.is_some(),
            there.map(peers::describe).unwrap_or_default(),
            format!("no PostgreSQL {version}: `run` installs it, or name one with --postgres{version}"),
        );
    }
    let ours = systems.iter().find(|s| matches!(s, Software::Inflight { .. }));
    find(
        ours.is_some(),
        ours.map(peers::describe).unwrap_or_default(),
        "no Inflight server: cargo build --release".into(),
    );
    let needed = crate::run::volume_bytes(rows);
    let places = [
        (local.display().to_string(), "profile local", free_bytes(local)),
        ("memory".into(), "simulated volumes", free_memory()),
    ];
    for (place, what, free) in places {
        find(
            free >= needed,
            format!("{place}: {} GB free for {what}", free >> 30),
            format!("{place}: {} GB free, {what} at this scale needs {}", free >> 30, needed.div_ceil(1 << 30)),
        );
    }
    let left = mount::leftovers(local);
    find(
        left.is_empty(),
        "nothing is left over from killed runs".into(),
        format!("left over from killed runs, tidied up by the next: {left:?}"),
    );
    findings
}

/// Bytes of memory that can be had without swapping; 0 if the system does not say.
pub fn free_memory() -> u64 {
    let said = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = said.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    line.and_then(|l| l.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Free bytes of the file system that holds `path`.
pub fn free_bytes(path: &Path) -> u64 {
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()) else { return 0 };
    // SAFETY: a NUL-terminated name, and a structure of the size that the call fills.
    #[allow(unsafe_code)]
    unsafe {
        let mut stat: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(name.as_ptr(), &mut stat) != 0 {
            return 0;
        }
        stat.f_bavail * stat.f_frsize
    }
}
