//! Segment files, all of one size, written full of zeros before their first use, so that a commit changes no file metadata,
//! and renamed to be used again when a checkpoint no longer needs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aio::descriptors::with_room;
use aio::lwlock::Mutex;
use aio::{BufferArena, File, IoContext, IoObject, OpenMode, Session, Target};

use crate::{LogError, Lsn};

/// PostgreSQL's default.
pub const SEGMENT_SIZE: u64 = 16 << 20;
/// Written at once when a segment is made.
const ZEROS: u64 = 1 << 20;
/// Open at once, beside those that are being read and written: the current one and those that were made ahead.
const MOST_OPEN: usize = 4;

/// PostgreSQL's name of a segment, on timeline 1.
pub fn segment_name(number: u64, size: u64) -> String {
    let per_file = 0x1_0000_0000 / size;
    format!("{:08X}{:08X}{:08X}", 1, number / per_file, number % per_file)
}

fn parse_name(name: &str, size: u64) -> Option<u64> {
    if name.len() != 24 || !name.starts_with("00000001") {
        return None;
    }
    let high = u64::from_str_radix(&name[8..16], 16).ok()?;
    let low = u64::from_str_radix(&name[16..], 16).ok()?;
    Some(high * (0x1_0000_0000 / size) + low)
}

pub(crate) struct Segments {
    dir: PathBuf,
    /// Of each, in bytes.
    pub(crate) size: u64,
    direct: bool,
    dsync: bool,
    /// A segment's writes go through the system's cache: direct I/O is off, or refused by the file system.
    is_buffered: AtomicBool,
    open: Mutex<BTreeMap<u64, File>>,
    /// Complete, zeroed or recycled segments that wait for a number.
    spare: Mutex<Vec<PathBuf>>,
}

pub(crate) fn failed(action: &'static str, file: &Path, error: &std::io::Error) -> LogError {
    LogError::File { action, file: file.display().to_string(), errno: error.raw_os_error().unwrap_or(libc::EIO) }
}

impl Segments {
    pub(crate) fn new(dir: &Path, size: u64, direct: bool, dsync: bool) -> Segments {
        assert!(size.is_power_of_two() && size >= ZEROS, "a segment's size");
        let is_buffered = AtomicBool::new(!direct);
        Segments {
            dir: dir.to_owned(),
            size,
            direct,
            dsync,
            is_buffered,
            open: Mutex::default(),
            spare: Mutex::default(),
        }
    }

    /// The same directory, for another reader.
    pub(crate) fn again(&self) -> Segments {
        Segments::new(&self.dir, self.size, self.direct, self.dsync)
    }

    /// Once true, true for good. Right for every segment that [`Segments::ensure`] has returned for.
    pub(crate) fn is_buffered(&self) -> bool {
        self.is_buffered.load(Ordering::Acquire)
    }

    fn note_buffering(&self, file: &File) {
        if !file.is_direct() {
            self.is_buffered.store(true, Ordering::Release);
        }
    }

    /// An existing segment, or `None`.
    pub(crate) fn open(&self, number: u64) -> Result<Option<File>, LogError> {
        if let Some(file) = self.open.lock().get(&number) {
            return Ok(Some(file.clone()));
        }
        let name = segment_name(number, self.size);
        let path = self.dir.join(&name);
        let mode = OpenMode { write: true, direct: self.direct, dsync: self.dsync, ..OpenMode::default() };
        match File::open(&path, &format!("pg_wal/{name}"), mode) {
            Ok(file) => {
                self.note_buffering(&file);
                let len = file.len().map_err(|e| failed("stat", &path, &e))?;
                if len < self.size {
                    // Segments get their names when they are whole: it was cut, and holds nothing that can be relied on.
                    return Ok(None);
                }
                let mut open = self.open.lock();
                let file = open.entry(number).or_insert(file).clone();
                while open.len() > MOST_OPEN {
                    // The oldest one, but not this.
                    let other = open.keys().copied().find(|open| *open != number);
                    open.remove(&other.expect("there are several"));
                }
                Ok(Some(file))
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failed("open", &path, &e)),
        }
    }

    /// The first whole segment from `number` on, if there is any.
    pub(crate) fn next_whole(&self, number: u64) -> Result<Option<u64>, LogError> {
        let failed = |e| failed("list", &self.dir, &e);
        let mut found: Vec<u64> = Vec::new();
        for entry in with_room(|| std::fs::read_dir(&self.dir)).map_err(failed)? {
            found.extend(entry.map_err(failed)?.file_name().to_str().and_then(|name| parse_name(name, self.size)));
        }
        found.retain(|found| *found >= number);
        found.sort_unstable();
        for number in found {
            if self.open(number)?.is_some() {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Makes segment `number` if it is not there. All its blocks are allocated and written when this returns.
    pub(crate) async fn ensure(&self, number: u64, session: &Session) -> Result<(), LogError> {
        if self.open(number)?.is_some() {
            return Ok(());
        }
        let path = self.dir.join(segment_name(number, self.size));
        let recycled = self.spare.lock().pop();
        if let Some(spare) = recycled {
            std::fs::rename(&spare, &path).map_err(|e| failed("rename", &spare, &e))?;
            return self.sync_dir();
        }
        let temporary = self.dir.join("new.tmp");
        // An earlier attempt's file is not used again: after a failed flush it is unknown what the kernel thinks of it, and
        // zeros of an attempt that was given up may still be on their way to it.
        match std::fs::remove_file(&temporary) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed("remove", &temporary, &e)),
            _ => {}
        }
        let mode = OpenMode { write: true, create: true, direct: self.direct, ..OpenMode::default() };
        let file = File::open(&temporary, "pg_wal/new.tmp", mode).map_err(|e| failed("create", &temporary, &e))?;
        self.note_buffering(&file);
        let target: Arc<dyn Target> = Arc::new(aio::Raw);
        let arena = BufferArena::new(1, ZEROS as usize)
            .map_err(|e| LogError::Failed(format!("no memory for a log segment: {e}")))?;
        for offset in (0..self.size).step_by(ZEROS as usize) {
            let mut buf = arena.take().expect("one write at a time");
            buf.fill(0);
            let io = session.get().await.write(&file, offset, [buf], &target, (IoObject::Wal, IoContext::Init));
            io.await.result?;
        }
        let io = session.get().await.fsync(&file, &target, (IoObject::Wal, IoContext::Init));
        io.await.result?;
        std::fs::rename(&temporary, &path).map_err(|e| failed("rename", &temporary, &e))?;
        self.sync_dir()
    }

    fn sync_dir(&self) -> Result<(), LogError> {
        let sync = with_room(|| std::fs::File::open(&self.dir)).and_then(|d| d.sync_all());
        sync.map_err(|e| failed("fsync", &self.dir, &e))
    }

    /// Sets the segments before the one with `lsn` aside, up to `keep` of them, and removes the rest.
    pub(crate) fn recycle_before(&self, lsn: Lsn, keep: usize) -> Result<(), LogError> {
        let first = lsn / self.size;
        self.open.lock().retain(|&number, _| number >= first);
        let entries = with_room(|| std::fs::read_dir(&self.dir)).map_err(|e| failed("list", &self.dir, &e))?;
        for entry in entries {
            let entry = entry.map_err(|e| failed("list", &self.dir, &e))?;
            let Some(number) = entry.file_name().to_str().and_then(|n| parse_name(n, self.size)) else { continue };
            if number >= first {
                continue;
            }
            let mut spare = self.spare.lock();
            if spare.len() < keep {
                let path = self.dir.join(format!("{number:016X}.spare"));
                std::fs::rename(entry.path(), &path).map_err(|e| failed("rename", &path, &e))?;
                spare.push(path);
            } else {
                std::fs::remove_file(entry.path()).map_err(|e| failed("remove", &entry.path(), &e))?;
            }
        }
        self.sync_dir()
    }

    /// Takes stock of spares that an earlier run left, and removes unfinished files.
    pub(crate) fn find_spares(&self) -> Result<(), LogError> {
        let entries = with_room(|| std::fs::read_dir(&self.dir)).map_err(|e| failed("list", &self.dir, &e))?;
        for entry in entries {
            let path = entry.map_err(|e| failed("list", &self.dir, &e))?.path();
            match path.extension().and_then(|e| e.to_str()) {
                Some("spare") => self.spare.lock().push(path),
                Some("tmp") => std::fs::remove_file(&path).map_err(|e| failed("remove", &path, &e))?,
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_postgresqls_and_parse_back() {
        assert_eq!(segment_name(1, SEGMENT_SIZE), "000000010000000000000001");
        assert_eq!(segment_name(256, SEGMENT_SIZE), "000000010000000100000000");
        for number in [1, 255, 256, 70_000] {
            assert_eq!(parse_name(&segment_name(number, SEGMENT_SIZE), SEGMENT_SIZE), Some(number));
        }
        assert_eq!(parse_name("new.tmp", SEGMENT_SIZE), None);
    }
}
