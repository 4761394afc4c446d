//! How the descriptors are divided that the process may have: sockets of sessions and of clients that are not in yet, the
//! event loops of sessions' threads, and files. Files beyond their part are closed, the least recently used first
//! (`aio::descriptors`), so that a connection can be accepted and the log and the control file be written whatever is open.

use ::error::sqlstate;
use config::Settings;
use engine::{EngineError, Result};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::threads;

/// Of the server itself: the log, the control file, directories, the rings, the runtime's event loops, files for COPY and what
/// statements write down.
const OWN: usize = 64;
/// Files that there are always to be places for, and clients that are not in yet.
const LEAST_FILES: usize = 24;
const LEAST_PENDING: usize = 8;
/// Of a small limit, the part for pending connections, and the part for threads.
const PART: usize = 8;

/// What may have how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// `max_connections`, or fewer: a client beyond them is told so, for which there are descriptors.
    pub sessions: usize,
    /// Sessions' threads.
    pub threads: usize,
    /// Clients that are not in yet.
    pub pending: usize,
    pub files: usize,
}

impl Division {
    /// Of `limit` descriptors, where there are to be so many of each at most.
    fn of(limit: usize, most: &Division) -> Division {
        let threads = most.threads.min(limit / PART / threads::FILES);
        let pending = most.pending.min((limit / PART).max(LEAST_PENDING));
        let rest = limit.saturating_sub(OWN + pending + threads * threads::FILES);
        let sessions = most.sessions.min(rest.saturating_sub(LEAST_FILES));
        let files = (rest - sessions).clamp(LEAST_FILES, most.files.max(LEAST_FILES));
        Division { sessions, threads, pending, files }
    }
}

/// Raises the limit as far as the system lets this process, for many systems begin with 1,024, and divides it. Fails where that
/// leaves nothing for clients.
pub fn divide(settings: &Settings, pending: usize) -> Result<Division> {
    let limit = raise_limit();
    let [sessions, files] = ["max_connections", "max_files_per_process"].map(|name| settings.integer(name) as usize);
    let division = Division::of(limit, &Division { sessions, threads: threads::wanted(), pending, files });
    let reserved =
        ["superuser_reserved_connections", "reserved_connections"].map(|name| settings.integer(name) as usize);
    let least = reserved[0] + reserved[1] + 1;
    if division.sessions < least.min(sessions) {
        return Err(EngineError::new(
            sqlstate::INSUFFICIENT_RESOURCES,
            "insufficient file descriptors available to start server process",
        )
        .detail(format!(
            "System allows {limit}, server needs at least {}.",
            OWN + LEAST_FILES + LEAST_PENDING + least + limit / PART
        ))
        .hint("Raise the limit (ulimit -n, LimitNOFILE)."));
    }
    if division.sessions < sessions {
        tracing::warn!(
            "max_connections = {sessions}, but only {} may connect: this process may have only {limit} files and connections \
             open; raise the limit (ulimit -n, LimitNOFILE)",
            division.sessions
        );
    }
    threads::set_most(division.threads);
    aio::descriptors::set_most_files(division.files);
    Ok(division)
}

fn raise_limit() -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return usize::MAX / 2 };
    let is_raised = || match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!("could not raise the limit on open files from {soft} to {hard}: {error}");
            false
        }
    };
    // More than there will ever be: sums of it must not wrap.
    let limit = if soft < hard && is_raised() { hard } else { soft };
    usize::try_from(limit).unwrap_or(usize::MAX).min(usize::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_part() {
        let most = Division { sessions: 100, threads: 64, pending: 256, files: 1000 };
        let all =
            |division: &Division| OWN + division.sessions + division.pending + division.threads * 3 + division.files;
        assert_eq!(Division::of(1 << 20, &most), most);
        let small = Division::of(1024, &most);
        assert_eq!((small.sessions, small.threads, small.pending, all(&small)), (100, 42, 128, 1024));
        // Too few for the settings: fewer sessions.
        let scarce = Division::of(256, &most);
        assert_eq!((scarce.sessions, scarce.pending, scarce.files, all(&scarce)), (100, 32, 30, 256));
        let scarcer = Division::of(128, &most);
        assert_eq!((scarcer.sessions, scarcer.pending, scarcer.files, all(&scarcer)), (9, 16, LEAST_FILES, 128));
        assert_eq!(Division::of(64, &most).sessions, 0);
        assert_eq!(Division::of(1 << 20, &Division { files: 10, ..most }).files, LEAST_FILES);
    }
}
