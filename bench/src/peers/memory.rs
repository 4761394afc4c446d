//! What a server takes of the machine's memory, all its processes together.

use std::fs::read_to_string;

use crate::error::{Error, Result};

/// Bytes of the process and its descendants; a page that several have is counted once.
pub fn of(leader: u32) -> Result<u64> {
    let parents = parents();
    let mut family = vec![leader];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    // One that has ended meanwhile takes nothing.
    let kilobytes: u64 = family.into_iter().filter_map(share).sum();
    if kilobytes == 0 {
        return Err(Error::program("the system does not say how much memory a process has"));
    }
    Ok(kilobytes << 10)
}

/// All processes, each with its parent.
fn parents() -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Behind the name, which may have anything in it, and the state.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        Some((pid, parent))
    })
    .collect()
}

/// A process's kilobytes, with its part of those that it shares.
fn share(pid: u32) -> Option<u64> {
    let text = read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("Pss:"))?.split_whitespace().next()?.parse().ok()
}
