//! Sorting index entries that may be more than memory holds: runs are sorted in memory, written to temporary files when
//! memory is full, and merged (Knuth, The Art of Computer Programming, vol. 3, 5.4).
//!
//! # Invariants
//! * A sorter keeps at most its limit of entries in memory, a merge at most one chunk for each run.
//! * Temporary files have no name once they are open: whatever ends the sort, they are gone.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

use aio::{BufferArena, File, Io, IoBuf, IoContext, IoObject, OpenMode, Session, Target};
use storage::StorageError;

use crate::database::temporary_directory;
use crate::error::{EngineError, Result};

/// Written and read at once.
const CHUNK: usize = 256 << 10;
/// Before each entry of a run: its length, and whether it is marked.
const HEADER: usize = 3;
/// Bytes of memory that a sorter begins with.
const FIRST: usize = 64 << 10;
/// What an entry takes in memory besides its bytes.
const PLACE: usize = std::mem::size_of::<Place>();

/// Bytes of an entry that are in its place.
const SHORT: usize = 16;

/// An entry in memory, or how it begins and where it is. Most are told apart by that, without a look at the others' bytes
/// (PostgreSQL's abbreviated keys).
#[derive(Clone, Copy)]
struct Place {
    /// The first bytes, big-endian, zeros behind what is shorter.
    begins: (u64, u64),
    /// Where all of it is, if it is not short.
    at: u32,
    len: u16,
    mark: bool,
}

impl Place {
    fn new(entry: &[u8], at: usize, mark: bool) -> Place {
        let mut begin = [0; SHORT];
        let len = entry.len().min(SHORT);
        begin[..len].copy_from_slice(&entry[..len]);
        let begins = u128::from_be_bytes(begin);
        Place { begins: ((begins >> 64) as u64, begins as u64), at: at as u32, len: entry.len() as u16, mark }
    }

    /// The entry; a short one is put into `short`.
    fn entry<'b>(&self, bytes: &'b [u8], short: &'b mut [u8; SHORT]) -> &'b [u8] {
        let len = usize::from(self.len);
        if len > SHORT {
            return &bytes[self.at as usize..self.at as usize + len];
        }
        *short = (u128::from(self.begins.0) << 64 | u128::from(self.begins.1)).to_be_bytes();
        &short[..len]
    }

    fn compare(&self, other: &Place, bytes: &[u8]) -> Ordering {
        self.begins.cmp(&other.begins).then_with(|| {
            let (len, other_len) = (usize::from(self.len), usize::from(other.len));
            if len.min(other_len) <= SHORT {
                // One is how the other begins.
                return len.cmp(&other_len);
            }
            let rest = |place: &Place, len: usize| &bytes[place.at as usize + SHORT..place.at as usize + len];
            rest(self, len).cmp(rest(other, other_len))
        })
    }
}

fn io_kind() -> (IoObject, IoContext) {
    (IoObject::TempRelation, IoContext::Normal)
}

fn no_memory(error: std::io::Error) -> EngineError {
    EngineError::new("53200", format!("no memory to sort: {error}"))
}

/// Takes entries in any order.
pub(crate) struct Sorter {
    session: Session,
    /// `base/pgsql_tmp`.
    dir: std::path::PathBuf,
    limit: usize,
    /// Of the entries that are not short.
    bytes: Vec<u8>,
    places: Vec<Place>,
    file: Option<File>,
    /// Of the file, in bytes; chunks begin at multiples of [`CHUNK`].
    end: u64,
    runs: Vec<std::ops::Range<u64>>,
}

impl Sorter {
    /// `limit` is in bytes. Files go to a directory below `root`.
    pub fn new(root: &Path, session: &Session, limit: usize) -> Sorter {
        Sorter {
            session: session.clone(),
            dir: temporary_directory(root),
            // Places are numbers of 4 bytes.
            limit: limit.min(u32::MAX as usize),
            bytes: Vec::new(),
            places: Vec::new(),
            file: None,
            end: 0,
            runs: Vec::new(),
        }
    }

    /// Adds an entry; the mark comes back with it.
    pub async fn add(&mut self, entry: &[u8], mark: bool) -> Result<()> {
        let long = if entry.len() > SHORT { entry } else { &[] };
        if !self.make_room(long.len()) && !self.places.is_empty() {
            self.spill().await?;
            self.make_room(long.len());
        }
        self.places.push(Place::new(entry, self.bytes.len(), mark));
        self.bytes.extend_from_slice(long);
        Ok(())
    }

    /// Takes memory for another entry, with so many bytes outside its place, a quarter more at a time and within the limit: a vector that doubles would have
    /// both its old and its new memory meanwhile, and then more than it needs. `false` where there is no more to be had.
    fn make_room(&mut self, entry: usize) -> bool {
        let (short_of_bytes, short_of_places) =
            (self.bytes.capacity() - self.bytes.len() < entry, self.places.capacity() == self.places.len());
        if !short_of_bytes && !short_of_places {
            return true;
        }
        let used = self.bytes.capacity() + self.places.capacity() * PLACE;
        let left = self.limit.saturating_sub(used);
        let bytes = if short_of_bytes { (self.bytes.capacity() / 4).max(FIRST).min(left / 2) } else { 0 };
        if short_of_bytes && bytes < entry {
            return false;
        }
        let places = (self.places.capacity() / 4).max(FIRST / PLACE).min((left - bytes) / 2 / PLACE);
        if short_of_places && places == 0 {
            return false;
        }
        if short_of_bytes {
            self.bytes.reserve_exact(self.bytes.capacity() - self.bytes.len() + bytes);
        }
        if short_of_places {
            self.places.reserve_exact(places);
        }
        true
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.places.sort_unstable_by(|a, b| a.compare(b, bytes));
    }

    /// Writes what is in memory as a run.
    async fn spill(&mut self) -> Result<()> {
        self.sort();
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(self.make_file()?).clone(),
        };
        // One is filled while the other is written.
        let arena = BufferArena::new(2, CHUNK).map_err(no_memory)?;
        let session = self.session.clone();
        let mut writer = RunWriter { session, file, arena, buf: None, used: 0, writing: None, offset: self.end };
        let mut short = [0; SHORT];
        for place in &self.places {
            writer.put_entry(place.entry(&self.bytes, &mut short), place.mark).await?;
        }
        let (end, next) = writer.finish().await?;
        self.runs.push(self.end..end);
        self.end = next;
        self.bytes.clear();
        self.places.clear();
        Ok(())
    }

    fn make_file(&self) -> Result<File> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let failed = |action: &'static str, e: std::io::Error| -> EngineError {
            StorageError::file(action, "base/pgsql_tmp", &e).into()
        };
        std::fs::create_dir_all(&self.dir).map_err(|e| failed("create", e))?;
        let name = format!("pgsql_tmp{}.{}", std::process::id(), NUMBER.fetch_add(1, Atomic::Relaxed));
        let path = self.dir.join(&name);
        let mode = OpenMode { write: true, create: true, exclusive: true, direct: true, ..OpenMode::default() };
        let file = File::open(&path, &format!("base/pgsql_tmp/{name}"), mode).map_err(|e| failed("create", e))?;
        std::fs::remove_file(&path).map_err(|e| failed("remove", e))?;
        Ok(file)
    }

    /// What there is, to be merged with others'.
    pub fn finish(mut self) -> Runs {
        self.sort();
        Runs { file: self.file, on_disk: self.runs, bytes: self.bytes, places: self.places }
    }
}

/// Puts bytes into a run on disk.
struct RunWriter {
    session: Session,
    file: File,
    arena: BufferArena,
    buf: Option<IoBuf>,
    used: usize,
    writing: Option<Io>,
    offset: u64,
}

impl RunWriter {
    async fn put_entry(&mut self, entry: &[u8], mark: bool) -> Result<()> {
        let [low, high] = (entry.len() as u16).to_le_bytes();
        let header = [low, high, u8::from(mark)];
        // Most go into the buffer that is there.
        let end = self.used + HEADER + entry.len();
        if let Some(buf) = self.buf.as_mut().filter(|_| end < CHUNK) {
            buf[self.used..self.used + HEADER].copy_from_slice(&header);
            buf[self.used + HEADER..end].copy_from_slice(entry);
            self.used = end;
            return Ok(());
        }
        self.put(&header).await?;
        self.put(entry).await
    }

    async fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            if self.buf.is_none() {
                self.buf = Some(self.arena.take().expect("one of two is not being written"));
            }
            let buf = self.buf.as_mut().expect("it was just taken");
            let count = bytes.len().min(CHUNK - self.used);
            buf[self.used..self.used + count].copy_from_slice(&bytes[..count]);
            self.used += count;
            bytes = &bytes[count..];
            if self.used == CHUNK {
                self.write().await?;
            }
        }
        Ok(())
    }

    /// Starts writing the buffer, when the one before is written.
    async fn write(&mut self) -> Result<()> {
        let Some(buf) = self.buf.take() else { return Ok(()) };
        if let Some(io) = self.writing.take() {
            io.await.result.map_err(StorageError::from)?;
        }
        let target: Arc<dyn Target> = Arc::new(aio::Raw);
        self.writing = Some(self.session.get().await.write(&self.file, self.offset, [buf], &target, io_kind()));
        self.session.submit();
        self.offset += CHUNK as u64;
        self.used = 0;
        Ok(())
    }

    /// Where the run ends, and where the next one may begin.
    async fn finish(mut self) -> Result<(u64, u64)> {
        let end = self.offset + self.used as u64;
        self.write().await?;
        if let Some(io) = self.writing.take() {
            io.await.result.map_err(StorageError::from)?;
        }
        Ok((end, self.offset))
    }
}

/// A sorter's entries: runs on disk, and one in memory.
pub(crate) struct Runs {
    file: Option<File>,
    on_disk: Vec<std::ops::Range<u64>>,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where a merge takes entries from.
enum Source {
    Memory { runs: Runs, next: usize },
    Disk(Box<RunReader>),
}

struct RunReader {
    file: File,
    arena: BufferArena,
    /// What is still to be read.
    rest: std::ops::Range<u64>,
    chunk: Option<IoBuf>,
    /// Read from the chunk, and its length.
    at: usize,
    len: usize,
    /// The next chunk, on its way.
    ahead: Option<(Io, usize)>,
}

impl RunReader {
    fn new(file: &File, range: std::ops::Range<u64>, chunk: usize) -> Result<RunReader> {
        let arena = BufferArena::new(2, chunk).map_err(no_memory)?;
        Ok(RunReader { file: file.clone(), arena, rest: range, chunk: None, at: 0, len: 0, ahead: None })
    }

    /// Starts reading the next chunk, if there is one and a handle is free or `must` be waited for.
    async fn read_ahead(&mut self, session: &Session, must: bool) {
        if self.ahead.is_some() || self.rest.is_empty() {
            return;
        }
        let handle = match session.try_get() {
            Some(handle) => handle,
            None if must => session.get().await,
            None => return,
        };
        let buf = self.arena.take().expect("one of two is not in use");
        let len = (buf.len() as u64).min(self.rest.end - self.rest.start);
        let target: Arc<dyn Target> = Arc::new(aio::Raw);
        let io = handle.read(&self.file, self.rest.start, [buf], &target, io_kind());
        session.submit();
        self.rest.start += len;
        self.ahead = Some((io, len as usize));
    }

    /// The next entry into `out`, if all of it is in the chunk that was read; its mark.
    fn take_entry(&mut self, out: &mut Vec<u8>) -> Option<bool> {
        let rest = &self.chunk.as_ref()?[self.at..self.len];
        let (header, rest) = rest.split_at_checked(HEADER)?;
        let len = usize::from(u16::from_le_bytes([header[0], header[1]]));
        out.extend_from_slice(rest.get(..len)?);
        self.at += HEADER + len;
        Some(header[2] != 0)
    }

    /// Fills `out`; `false` at the run's end.
    async fn take(&mut self, session: &Session, out: &mut [u8]) -> Result<bool> {
        let mut done = 0;
        while done < out.len() {
            if self.at == self.len {
                self.chunk = None;
                self.read_ahead(session, true).await;
                let Some((io, len)) = self.ahead.take() else {
                    if done > 0 {
                        return Err(EngineError::new("XX001", "a run of a sort ends in the middle of an entry"));
                    }
                    return Ok(false);
                };
                let mut read = io.await;
                let count = read.result.map_err(StorageError::from)?;
                if (count as usize) < len {
                    return Err(EngineError::new("58030", "a temporary file is shorter than what was written to it"));
                }
                self.chunk = read.bufs.pop();
                (self.at, self.len) = (0, len);
                self.read_ahead(session, false).await;
            }
            let chunk = self.chunk.as_ref().expect("it was just read");
            let count = (out.len() - done).min(self.len - self.at);
            out[done..done + count].copy_from_slice(&chunk[self.at..self.at + count]);
            (self.at, done) = (self.at + count, done + count);
        }
        Ok(true)
    }
}

impl Source {
    /// The next entry into `out`; its mark, or `None` at the end.
    async fn next(&mut self, session: &Session, out: &mut Vec<u8>) -> Result<Option<bool>> {
        out.clear();
        match self {
            Source::Memory { runs, next } => {
                let Some(place) = runs.places.get(*next) else { return Ok(None) };
                *next += 1;
                out.extend_from_slice(place.entry(&runs.bytes, &mut [0; SHORT]));
                Ok(Some(place.mark))
            }
            Source::Disk(reader) => {
                if let Some(mark) = reader.take_entry(out) {
                    return Ok(Some(mark));
                }
                let mut header = [0; HEADER];
                if !reader.take(session, &mut header).await? {
                    return Ok(None);
                }
                out.resize(usize::from(u16::from_le_bytes([header[0], header[1]])), 0);
                reader.take(session, out).await?;
                Ok(Some(header[2] != 0))
            }
        }
    }
}

/// A source's next entry.
struct Head {
    entry: Vec<u8>,
    mark: bool,
    source: usize,
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Head) -> Ordering {
        self.entry.cmp(&other.entry)
    }
}

/// All entries of several sorters, in order.
pub(crate) struct Merge {
    session: Session,
    sources: Vec<Source>,
    heads: BinaryHeap<Reverse<Head>>,
    /// The first head was given; its source's next one is still to be fetched.
    given: bool,
}

impl Merge {
    /// `limit` bounds the memory for what is read from disk, in bytes.
    pub async fn new(all: Vec<Runs>, session: &Session, limit: usize) -> Result<Merge> {
        let count = all.iter().map(|runs| runs.on_disk.len()).sum::<usize>().max(1);
        let chunk = (limit / (2 * count)).clamp(aio::ALIGNMENT, CHUNK) / aio::ALIGNMENT * aio::ALIGNMENT;
        let mut sources = Vec::new();
        for runs in all {
            for range in &runs.on_disk {
                let file = runs.file.as_ref().expect("runs on disk are in a file");
                sources.push(Source::Disk(Box::new(RunReader::new(file, range.clone(), chunk)?)));
            }
            sources.push(Source::Memory { runs, next: 0 });
        }
        let mut heads = BinaryHeap::new();
        for (number, source) in sources.iter_mut().enumerate() {
            let mut entry = Vec::new();
            if let Some(mark) = source.next(session, &mut entry).await? {
                heads.push(Reverse(Head { entry, mark, source: number }));
            }
        }
        Ok(Merge { session: session.clone(), sources, heads, given: false })
    }

    /// The next entry and its mark.
    pub async fn next(&mut self) -> Result<Option<(&[u8], bool)>> {
        if std::mem::replace(&mut self.given, true)
            && let Some(mut head) = self.heads.peek_mut()
        {
            let Reverse(Head { entry, mark, source }) = &mut *head;
            match self.sources[*source].next(&self.session, entry).await? {
                Some(next) => *mark = next,
                None => drop(PeekMut::pop(head)),
            }
        }
        Ok(self.heads.peek().map(|Reverse(head)| (&head.entry[..], head.mark)))
    }
}

#[cfg(test)]
mod tests {
    use aio::{BackendKind, Config, Engine, IoMethod, Random, block_on};

    use super::*;

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
                let mut all: Vec<Sorter> = (0..sorters).map(|_| Sorter::new(root.path(), &session, limit)).collect();
                for (index, (entry, mark)) in expected.iter().enumerate() {
                    all[index % sorters].add(entry, *mark).await.unwrap();
                }
                let runs: Vec<Runs> = all.into_iter().map(Sorter::finish).collect();
                let spilled: usize = runs.iter().map(|r| r.on_disk.len()).sum();
                assert_eq!(spilled > 0, limit < 1 << 20, "{limit}");
                let mut merge = Merge::new(runs, &session, limit).await.unwrap();
                let mut sorted = Vec::new();
                while let Some((entry, mark)) = merge.next().await.unwrap() {
                    sorted.push((entry.to_vec(), mark));
                }
                expected.sort();
                assert!(sorted == expected, "{limit} bytes, {sorters} sorters");
            });
        }
        let left = std::fs::read_dir(root.path().join("base/pgsql_tmp")).unwrap().count();
        assert_eq!(left, 0, "temporary files have no names");
    }
}
