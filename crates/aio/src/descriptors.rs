//! File descriptors, of which a process may have only so many. Files that can be opened again are closed when others need
//! theirs, the least recently used first, as PostgreSQL's virtual file descriptors are: what has such files is a [`Keeper`].
//!
//! Files of the engine count ([`File`](crate::File)), sockets and the like do not: the caller of [`set_most_files`] leaves
//! room for them.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The part of the files that is closed together when there are too many: to find them takes a look at all.
const PART: usize = 16;
/// As many when the system has no more descriptors.
const AT_ONCE: usize = 16;
/// From one line in the log to the next.
const SILENCE: Duration = Duration::from_secs(60);

static OPEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static OPENED: AtomicU64 = AtomicU64::new(1);
static KEEPERS: Mutex<Vec<Weak<dyn Keeper>>> = Mutex::new(Vec::new());
static COMPLAINED: Mutex<Option<Instant>> = Mutex::new(None);

/// Keeps files open that may not be in use.
pub trait Keeper: Send + Sync {
    /// Closes up to `count` files that are not in use just now, those first that were not used for longest. Gives how many.
    /// It is called by the caller that opens a file, with whatever locks that holds: it passes over what is locked.
    fn close_idle(&self, count: usize) -> usize;
}

/// From now on the keeper is asked.
pub fn register_keeper(keeper: &Arc<impl Keeper + 'static>) {
    let keeper: Weak<dyn Keeper> = Arc::downgrade(&(keeper.clone() as Arc<dyn Keeper>));
    let mut keepers = KEEPERS.lock();
    keepers.retain(|keeper| keeper.strong_count() > 0);
    keepers.push(keeper);
}

/// So many files are open at once, at most, as far as keepers can see to that.
pub fn set_most_files(most: usize) {
    MOST.store(most.max(1), Ordering::Relaxed);
}

pub fn most_files() -> usize {
    MOST.load(Ordering::Relaxed)
}

/// Files of the engine that are open.
pub fn open_files() -> usize {
    OPEN.load(Ordering::Relaxed)
}

/// How many files were opened so far: the clock by which keepers know what was used lately.
pub fn files_opened() -> u64 {
    OPENED.load(Ordering::Relaxed)
}

/// Closes up to `count` files that are not in use; gives how many.
pub fn close_idle_files(count: usize) -> usize {
    let keepers: Vec<Arc<dyn Keeper>> = KEEPERS.lock().iter().filter_map(Weak::upgrade).collect();
    let mut closed = 0;
    for keeper in keepers {
        if closed < count {
            closed += keeper.close_idle(count - closed);
        }
    }
    closed
}

/// Does an error say that there are no descriptors, for this process or for all?
pub fn is_out_of_files(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Opens something, which may be tried again: where the system has no descriptor for it, idle files make room.
pub fn with_room<T>(mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match open() {
            Err(error) if is_out_of_files(&error) && close_idle_files(AT_ONCE) > 0 => {}
            outcome => {
                if let Err(error) = &outcome {
                    complain_of(error);
                }
                return outcome;
            }
        }
    }
}

/// Says in the log that there were no descriptors, if that is what was wrong: a line a minute.
pub fn complain_of(error: &io::Error) {
    if !is_out_of_files(error) {
        return;
    }
    let mut complained = COMPLAINED.lock();
    if complained.is_none_or(|at| at.elapsed() >= SILENCE) {
        *complained = Some(Instant::now());
        tracing::error!(%error, "out of file descriptors: raise the limit (ulimit -n, LimitNOFILE)");
    }
}

/// A file that is open, as long as it lives.
#[derive(Debug)]
pub(crate) struct Counted;

impl Counted {
    /// One is about to be opened: with too many, others are closed before. Gives its number, too, which no other one has.
    pub(crate) fn begin() -> (Counted, u64) {
        if OPEN.fetch_add(1, Ordering::Relaxed) >= most_files() {
            close_idle_files(most_files() / PART + 1);
        }
        (Counted, OPENED.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(AtomicUsize);

    impl Keeper for Files {
        fn close_idle(&self, count: usize) -> usize {
            let closed = count.min(self.0.load(Ordering::Relaxed));
            self.0.fetch_sub(closed, Ordering::Relaxed);
            closed
        }
    }

    #[test]
    fn idle_files_make_room() {
        let keepers = [Arc::new(Files(10.into())), Arc::new(Files(30.into()))];
        keepers.iter().for_each(register_keeper);
        let left = || keepers.iter().map(|files| files.0.load(Ordering::Relaxed)).sum::<usize>();
        assert_eq!((close_idle_files(15), left()), (15, 25));
        // Each attempt finds more room, until there is none to be had.
        let fails = |errno: i32, times: usize| {
            let mut tried = 0;
            let outcome = with_room(|| {
                tried += 1;
                if tried <= times { Err(io::Error::from_raw_os_error(errno)) } else { Ok(()) }
            });
            (tried, outcome.is_ok(), left())
        };
        assert_eq!(fails(libc::ENOENT, 1), (1, false, 25));
        assert_eq!(fails(libc::EMFILE, 1), (2, true, 25 - AT_ONCE));
        assert_eq!(fails(libc::ENFILE, 5), (2, false, 0));
    }
}
