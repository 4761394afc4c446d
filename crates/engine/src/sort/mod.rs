//! Sorting index entries that may be more than memory holds: runs are sorted in memory, and written to temporary files when
//! memory is full (Knuth, The Art of Computer Programming, vol. 3, 5.4). [`crate::sort::merge`] puts them together.
//!
//! # Invariants
//! * A sorter keeps at most its limit of entries in memory.
//! * Temporary files have no name once they are open: whatever ends the sort, they are gone.

pub(crate) mod merge;
pub(crate) mod run;
pub(crate) mod temporary_files;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aio::{File, OpenMode, Session};
use storage::StorageError;

use crate::sort::merge::{Merge, Runs};
use crate::sort::run::{MemoryRun, RunWriter};
use crate::sort::temporary_files::{TemporaryFile, TemporaryFiles};
use crate::{EngineError, Result};

/// Bytes of a run in memory. Many small ones are sorted sooner than a large one, whose entries are far from each other, and take no
/// memory but their own: growing to 300 MB took a third of CREATE INDEX's time.
const RUN: usize = 16 << 20;

/// For what is not kept in memory, below the data directory `root`.
pub(crate) fn temporary_directory(root: &Path) -> PathBuf {
    root.join("base").join("pgsql_tmp")
}

/// Takes entries in any order.
pub(crate) struct Sorter {
    session: Session,
    /// `base/pgsql_tmp`.
    dir: PathBuf,
    /// Bytes of each run in memory, and how many there may be.
    run_limit: usize,
    run_count: usize,
    filling: MemoryRun,
    /// Sorted.
    full: Vec<MemoryRun>,
    /// The memory of those that were written.
    spare: Vec<MemoryRun>,
    file: Option<(File, TemporaryFile)>,
    temporary: TemporaryFiles,
    on_disk: Vec<std::ops::Range<u64>>,
    /// Where the next run on disk may begin.
    end: u64,
}

impl Sorter {
    /// `limit` is in bytes. Files go to a directory below `root`.
    pub fn new(root: &Path, session: &Session, limit: usize, temporary: &TemporaryFiles) -> Sorter {
        let run_count = limit.div_ceil(RUN).max(1);
        Sorter {
            session: session.clone(),
            dir: temporary_directory(root),
            run_limit: limit / run_count,
            run_count,
            filling: MemoryRun::default(),
            full: Vec::new(),
            spare: Vec::new(),
            file: None,
            temporary: temporary.clone(),
            on_disk: Vec::new(),
            end: 0,
        }
    }

    /// Adds an entry; the mark comes back with it.
    pub async fn add(&mut self, entry: &[u8], mark: bool) -> Result<()> {
        if !self.filling.add(entry, mark, self.run_limit) {
            self.begin_run().await?;
            let added = self.filling.add(entry, mark, self.run_limit);
            assert!(added, "a run has one entry at least");
        }
        Ok(())
    }

    /// Sorts the run that is full, and begins the next one.
    async fn begin_run(&mut self) -> Result<()> {
        self.filling.sort();
        self.full.push(std::mem::take(&mut self.filling));
        if self.full.len() == self.run_count {
            self.spill().await?;
        }
        self.filling = match self.spare.pop() {
            Some(spare) => spare,
            None => MemoryRun::like(self.full.last().expect("what was not written is there")),
        };
        Ok(())
    }

    /// Writes what is in memory as a run.
    async fn spill(&mut self) -> Result<()> {
        if self.file.is_none() {
            self.file = Some((self.make_file()?, self.temporary.file()));
        }
        let (file, size) = self.file.as_mut().expect("it was just made");
        size.grow(self.full.iter().map(MemoryRun::bytes_on_disk).sum())?;
        let file = file.clone();
        let mut writer = RunWriter::new(&self.session, &file, self.end)?;
        let runs = Runs { file: None, on_disk: Vec::new(), in_memory: std::mem::take(&mut self.full) };
        let mut merge = Merge::new(vec![runs], &self.session, 0).await?;
        while let Some(entries) = merge.next().await? {
            for (entry, mark) in entries.iter() {
                writer.put_entry(entry, mark).await?;
            }
            aio::yield_once().await;
        }
        let (end, next) = writer.finish().await?;
        self.on_disk.push(self.end..end);
        self.end = next;
        self.spare.extend(merge.into_spare());
        Ok(())
    }

    fn make_file(&self) -> Result<File> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let failed = |action: &'static str, e: std::io::Error| -> EngineError {
            StorageError::file(action, "base/pgsql_tmp", &e).into()
        };
        std::fs::create_dir_all(&self.dir).map_err(|e| failed("create", e))?;
        let name = format!("pgsql_tmp{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = self.dir.join(&name);
        let mode = OpenMode { write: true, create: true, exclusive: true, direct: true, ..OpenMode::default() };
        let file = File::open(&path, &format!("base/pgsql_tmp/{name}"), mode).map_err(|e| failed("create", e))?;
        std::fs::remove_file(&path).map_err(|e| failed("remove", e))?;
        Ok(file)
    }

    /// What there is, to be merged with others'.
    pub fn finish(mut self) -> Runs {
        self.filling.sort();
        self.full.push(self.filling);
        Runs { file: self.file, on_disk: self.on_disk, in_memory: self.full }
    }
}
