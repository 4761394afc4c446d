//! How the descriptors are divided that the process may have: sockets of sessions and of clients that are not in yet, the
//! event loops of sessions' threads, and files. Files beyond their part are closed, the least recently used first
//! (`aio::descriptors`), so that a connection can be accepted and the log and the control file be written whatever is open.

use engine::Settings;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::threads;

/// Of the server itself: the log, the control file, directories, the rings, the runtime's event loops, files for COPY and what
/// statements write down.
const OWN: usize = 64;
/// Files that there are always to be places for, and clients that are not in yet.
const LEAST_FILES: usize = 48;
const LEAST_GUESTS: usize = 16;
/// Of a small limit, the part for guests, and the part for threads.
const PART: usize = 8;

/// Who may have how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// Sessions' threads.
    pub threads: usize,
    /// Clients that are not in yet.
    pub guests: usize,
    pub files: usize,
}

impl Division {
    /// Of `limit` descriptors. There are to be so many sessions, threads and guests, and no more files than those.
    fn of(limit: usize, sessions: usize, threads: usize, guests: usize, most_files: usize) -> Division {
        let threads = threads.min(limit / PART / threads::FILES);
        let guests = guests.min((limit / PART).max(LEAST_GUESTS));
        let others = OWN + sessions + guests + threads * threads::FILES;
        Division {
            threads,
            guests,
            files: limit.saturating_sub(others).clamp(LEAST_FILES, most_files.max(LEAST_FILES)),
        }
    }

    fn needs(&self, sessions: usize) -> usize {
        OWN + sessions + self.guests + self.threads * threads::FILES + self.files
    }
}

/// Raises the limit as far as the system lets this process, for many systems begin with 1,024, and divides it.
pub fn divide(settings: &Settings, guests: usize) -> Division {
    let limit = raise_limit();
    let [sessions, most_files] =
        ["max_connections", "max_files_per_process"].map(|name| settings.integer(name) as usize);
    let division = Division::of(limit, sessions, threads::wanted(), guests, most_files);
    if division.needs(sessions) > limit {
        tracing::warn!(
            "max_connections = {sessions}, but this process may have only {limit} files and connections open: raise the limit \
             (ulimit -n, LimitNOFILE)"
        );
    }
    threads::set_most(division.threads);
    aio::descriptors::set_most_files(division.files);
    division
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
        let large = Division::of(1 << 20, 100, 64, 256, 1000);
        assert_eq!(large, Division { threads: 64, guests: 256, files: 1000 });
        let small = Division::of(1024, 100, 64, 256, 1000);
        assert_eq!((small.threads, small.guests), (42, 128));
        assert_eq!(small.needs(100), 1024);
        // Too few for the settings: some files all the same.
        let scarce = Division::of(256, 400, 64, 800, 1000);
        assert_eq!((scarce.guests, scarce.files), (32, LEAST_FILES));
        assert!(scarce.needs(400) > 256);
        assert_eq!(Division::of(1 << 20, 100, 64, 256, 10).files, LEAST_FILES);
    }
}
