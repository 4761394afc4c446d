//! Sorted runs put together (Knuth, The Art of Computer Programming, vol. 3, 5.4.1), by a worker if there is one, beside the
//! session that takes the entries: a tree is built on one processor while the runs are merged on another.
//!
//! # Invariants
//! * A merge keeps at most two chunks for each run on disk, and [`AHEAD`] batches of entries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;
use std::sync::Arc;

use aio::{File, Session, Turn};
use error::sqlstate;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::activity::Backend;
use crate::sort::run::{CHUNK, MemoryReader, MemoryRun, RunReader, begins};
use crate::sort::temporary_files::TemporaryFile;
use crate::{EngineError, Result};

/// Bytes of entries that are given at once: more than a tree's page, less than what the nearest caches hold.
const BATCH: usize = 64 << 10;
/// Batches that a worker is ahead of the session that takes them.
const AHEAD: usize = 4;

/// Some of the entries, in their order, each with its mark.
#[derive(Default)]
pub(crate) struct SortedEntries {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<(usize, bool)>,
}

impl SortedEntries {
    fn push(&mut self, entry: &[u8], mark: bool) {
        self.bytes.extend_from_slice(entry);
        self.ends.push((self.bytes.len(), mark));
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let begins = [0].into_iter().chain(self.ends.iter().map(|(end, _)| *end));
        begins.zip(&self.ends).map(|(begin, (end, mark))| (&self.bytes[begin..*end], *mark))
    }
}

/// A sorter's runs.
pub(crate) struct Runs {
    /// Where those on disk are, and where each is there.
    pub file: Option<(File, TemporaryFile)>,
    pub on_disk: Vec<Range<u64>>,
    pub in_memory: Vec<MemoryRun>,
}

/// Where a merge takes entries from.
enum Source {
    Memory(MemoryReader),
    Disk(Box<RunReader>),
}

impl Source {
    /// The next entry into `out`; its mark, or `None` at the end.
    async fn next(&mut self, session: &Session, out: &mut Vec<u8>) -> Result<Option<bool>> {
        out.clear();
        match self {
            Source::Memory(reader) => Ok(reader.take_entry(out)),
            Source::Disk(reader) => reader.next(session, out).await,
        }
    }
}

/// A source's next entry; in the order of entries.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    /// How it begins: most are told apart by that.
    begins: (u64, u64),
    entry: Vec<u8>,
    mark: bool,
    source: usize,
}

/// All entries of several sorters, in order.
pub(crate) struct Merge {
    session: Session,
    sources: Vec<Source>,
    heads: BinaryHeap<Reverse<Head>>,
    /// The files of the sources, which count as long as they are read.
    _files: Vec<TemporaryFile>,
}

impl Merge {
    /// `limit` bounds the memory for what is read from disk, in bytes.
    pub async fn new(all: Vec<Runs>, session: &Session, limit: usize) -> Result<Merge> {
        let count = all.iter().map(|runs| runs.on_disk.len()).sum::<usize>().max(1);
        let chunk = (limit / (2 * count)).clamp(aio::ALIGNMENT, CHUNK) / aio::ALIGNMENT * aio::ALIGNMENT;
        let (mut sources, mut files) = (Vec::new(), Vec::new());
        for runs in all {
            for range in &runs.on_disk {
                let (file, _) = runs.file.as_ref().expect("runs on disk are in a file");
                sources.push(Source::Disk(Box::new(RunReader::new(file, range.clone(), chunk)?)));
            }
            files.extend(runs.file.map(|(_, size)| size));
            sources.extend(runs.in_memory.into_iter().map(|run| Source::Memory(MemoryReader::new(run))));
        }
        let mut heads = BinaryHeap::new();
        for (number, source) in sources.iter_mut().enumerate() {
            let mut entry = Vec::new();
            if let Some(mark) = source.next(session, &mut entry).await? {
                heads.push(Reverse(Head { begins: begins(&entry), entry, mark, source: number }));
            }
        }
        Ok(Merge { session: session.clone(), sources, heads, _files: files })
    }

    /// The next entries; none at the end.
    pub async fn next(&mut self) -> Result<Option<SortedEntries>> {
        let mut entries = SortedEntries::default();
        while entries.bytes.len() < BATCH
            && let Some(mut head) = self.heads.peek_mut()
        {
            let Reverse(Head { begins: begin, entry, mark, source }) = &mut *head;
            entries.push(entry, *mark);
            match self.sources[*source].next(&self.session, entry).await? {
                Some(next) => (*begin, *mark) = (begins(entry), next),
                None => drop(PeekMut::pop(head)),
            }
        }
        Ok(Some(entries).filter(|entries| entries.len() > 0))
    }

    /// The memory that its runs had.
    pub fn into_spare(self) -> impl Iterator<Item = MemoryRun> {
        self.sources.into_iter().filter_map(|source| match source {
            Source::Memory(reader) => Some(reader.into_spare()),
            Source::Disk(_) => None,
        })
    }
}

/// The entries of several sorters in order, merged as they are asked for or by a worker beside.
pub(crate) enum Merged {
    Here(Box<Merge>),
    Beside {
        entries: mpsc::Receiver<Result<SortedEntries>>,
        /// Ended when this is dropped.
        worker: JoinSet<()>,
    },
}

impl Merged {
    /// `limit` bounds the memory for what is read from disk, in bytes.
    pub async fn new(all: Vec<Runs>, session: &Session, limit: usize, worker: Option<Arc<Backend>>) -> Result<Merged> {
        let session = worker.as_ref().map_or(session, |worker| &worker.io);
        let mut merge = Merge::new(all, session, limit).await?;
        let Some(worker) = worker else { return Ok(Merged::Here(Box::new(merge))) };
        let (send, entries) = mpsc::channel(AHEAD);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut turn = Turn::new(worker.io.engine());
            while let Some(next) = merge.next().await.transpose() {
                let failed = next.is_err();
                if send.send(next).await.is_err() || failed {
                    return;
                }
                turn.pass().await;
            }
        });
        Ok(Merged::Beside { entries, worker: tasks })
    }

    /// The next entries; none at the end.
    pub async fn next(&mut self) -> Result<Option<SortedEntries>> {
        match self {
            Merged::Here(merge) => merge.next().await,
            Merged::Beside { entries, worker } => match entries.recv().await {
                Some(next) => next.map(Some),
                // Has it come to the end, or met its own?
                None => match worker.join_next().await {
                    Some(Err(error)) => Err(EngineError::new(sqlstate::INTERNAL_ERROR, error.to_string())),
                    _ => Ok(None),
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use aio::{BackendKind, Config, Engine, IoMethod, Random, block_on};

    use super::*;
    use crate::sort::Sorter;
    use crate::sort::temporary_files::TemporaryFiles;

    #[test]
    fn entries_come_back_in_order_however_little_memory_there_is() {
        let engine = Engine::new(Config { method: IoMethod::Sync, ..Config::default() }).unwrap();
        let session = engine.session(1, BackendKind::Client).unwrap();
        let root = tempfile::tempdir().unwrap();
        for (limit, sorters, count) in [(1 << 20, 1, 500), (4096, 1, 3000), (200_000, 3, 40_000), (1 << 20, 2, 0)] {
            let random = Random::new(limit as u64);
            let mut expected: Vec<(Vec<u8>, bool)> = (0..count)
                .map(|_| {
                    let len = if random.percent(2) {
                        2000
                    } else {
                        random.below(if random.percent(50) { 4 } else { 40 }) as usize
                    };
                    let entry: Vec<u8> = (0..len).map(|_| random.below(4) as u8).collect();
                    let mark = entry.len() % 2 == 1;
                    (entry, mark)
                })
                .collect();
            block_on(&engine, async {
                let mut all: Vec<Sorter> = (0..sorters)
                    .map(|_| Sorter::new(root.path(), &session, limit, &TemporaryFiles::default()))
                    .collect();
                for (index, (entry, mark)) in expected.iter().enumerate() {
                    all[index % sorters].add(entry, *mark).await.unwrap();
                }
                let runs: Vec<Runs> = all.into_iter().map(Sorter::finish).collect();
                let spilled: usize = runs.iter().map(|r| r.on_disk.len()).sum();
                assert_eq!(spilled > 0, limit < 1 << 20, "{limit}");
                let mut merged = Merged::new(runs, &session, limit, None).await.unwrap();
                let mut sorted = Vec::new();
                while let Some(next) = merged.next().await.unwrap() {
                    sorted.extend(next.iter().map(|(entry, mark)| (entry.to_vec(), mark)));
                }
                expected.sort();
                assert!(sorted == expected, "{limit} bytes, {sorters} sorters");
            });
        }
        // Long entries come into memory that short ones have had.
        block_on(&engine, async {
            let mut sorter = Sorter::new(root.path(), &session, 64 << 10, &TemporaryFiles::default());
            for number in 0..20_000u32 {
                let long = number > 10_000;
                sorter.add(&number.to_be_bytes().repeat(if long { 10 } else { 1 }), long).await.unwrap();
            }
            let runs = sorter.finish();
            assert!(runs.on_disk.len() < 40, "{} runs", runs.on_disk.len());
            let (mut merged, mut count) = (Merged::new(vec![runs], &session, 1 << 20, None).await.unwrap(), 0);
            while let Some(next) = merged.next().await.unwrap() {
                count += next.len();
            }
            assert_eq!(count, 20_000);
        });
        let left = std::fs::read_dir(root.path().join("base/pgsql_tmp")).unwrap().count();
        assert_eq!(left, 0, "temporary files have no names");
    }
}
