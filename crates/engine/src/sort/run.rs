//! Runs: sorted index entries, in memory or in a temporary file, written and read from their beginning to their end.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use ::error::sqlstate;
use aio::{BufferArena, File, Io, IoBuf, IoContext, IoObject, Session, Target};
use storage::StorageError;

use crate::{EngineError, Result};

/// Written and read at once.
pub(crate) const CHUNK: usize = 256 << 10;
/// Before each entry of a run on disk: its length, and whether it is marked.
const HEADER: usize = 3;
/// Bytes of memory that a run begins with.
const FIRST: usize = 64 << 10;
/// Entries in memory that are fetched at once.
const NEAR: usize = 64;
/// What an entry takes in memory besides its bytes.
const PLACE: usize = std::mem::size_of::<Place>();

/// Bytes of an entry that are in its place.
const SHORT: usize = 16;

/// An entry in memory, or how it begins and where it is. Most are told apart by that, without a look at the others' bytes
/// (PostgreSQL's abbreviated keys).
#[derive(Clone, Copy)]
struct Place {
    begins: (u64, u64),
    /// Where all of it is, if it is not short.
    at: u32,
    len: u16,
    mark: bool,
}

/// The first bytes, big-endian, zeros behind what is shorter: of two entries for which it differs, the order is this one's.
pub fn begins(entry: &[u8]) -> (u64, u64) {
    let mut begin = [0; SHORT];
    let len = entry.len().min(SHORT);
    begin[..len].copy_from_slice(&entry[..len]);
    let begins = u128::from_be_bytes(begin);
    ((begins >> 64) as u64, begins as u64)
}

impl Place {
    fn new(entry: &[u8], at: usize, mark: bool) -> Place {
        Place { begins: begins(entry), at: at as u32, len: entry.len() as u16, mark }
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
    EngineError::new(sqlstate::OUT_OF_MEMORY, format!("no memory to sort: {error}"))
}

/// Entries in memory, in any order until they are sorted.
#[derive(Default)]
pub(crate) struct MemoryRun {
    /// Of the entries that are not short.
    bytes: Vec<u8>,
    places: Vec<Place>,
}

impl MemoryRun {
    /// One that has room for as many.
    pub fn like(other: &MemoryRun) -> MemoryRun {
        MemoryRun { bytes: Vec::with_capacity(other.bytes.len()), places: Vec::with_capacity(other.places.len()) }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What a file has of it.
    pub fn bytes_on_disk(&self) -> u64 {
        self.places.iter().map(|place| HEADER as u64 + u64::from(place.len)).sum()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Adds an entry, which comes back with the mark. `false`: it would have more than `limit` bytes.
    pub fn add(&mut self, entry: &[u8], mark: bool, limit: usize) -> bool {
        let long = if entry.len() > SHORT { entry } else { &[] };
        let has_room = self.make_room(long.len(), limit) || self.refit(limit) && self.make_room(long.len(), limit);
        if has_room || self.is_empty() {
            self.places.push(Place::new(entry, self.bytes.len(), mark));
            self.bytes.extend_from_slice(long);
            return true;
        }
        false
    }

    /// Takes memory for another entry, with so many bytes outside its place, a quarter more at a time and within the limit: a vector
    /// that doubles would have both its old and its new memory meanwhile, and then more than it needs. `false` where there is no more
    /// to be had.
    fn make_room(&mut self, entry: usize, limit: usize) -> bool {
        let (short_of_bytes, short_of_places) =
            (self.bytes.capacity() - self.bytes.len() < entry, self.places.capacity() == self.places.len());
        if !short_of_bytes && !short_of_places {
            return true;
        }
        let used = self.bytes.capacity() + self.places.capacity() * PLACE;
        let left = limit.saturating_sub(used);
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

    /// Its memory may be that of a run with entries of another length: where most of it is of no use it is given back.
    fn refit(&mut self, limit: usize) -> bool {
        let is_misfit = self.bytes.len() + self.places.len() * PLACE < limit / 2;
        if is_misfit {
            self.bytes.shrink_to_fit();
            self.places.shrink_to_fit();
        }
        is_misfit
    }

    pub fn sort(&mut self) {
        let bytes = &self.bytes;
        self.places.sort_unstable_by(|a, b| a.compare(b, bytes));
    }
}

/// Reads a run that is in memory, and sorted.
pub(crate) struct MemoryReader {
    run: MemoryRun,
    /// The first one that was not fetched.
    next: usize,
    /// The next ones, side by side, and where each ends. They are anywhere in memory, and one look after the other would wait for
    /// each.
    near: Vec<u8>,
    ends: Vec<usize>,
    /// How many of these were read, and where the last one ended.
    read: usize,
    at: usize,
}

impl MemoryReader {
    pub fn new(run: MemoryRun) -> MemoryReader {
        MemoryReader { run, next: 0, near: Vec::new(), ends: Vec::new(), read: 0, at: 0 }
    }

    /// The next entry into `out`; its mark, or `None` at the end.
    pub fn take_entry(&mut self, out: &mut Vec<u8>) -> Option<bool> {
        if self.read == self.ends.len() && !self.fetch() {
            return None;
        }
        let end = self.ends[self.read];
        out.extend_from_slice(&self.near[self.at..end]);
        self.read += 1;
        self.at = end;
        Some(self.run.places[self.next - self.ends.len() + self.read - 1].mark)
    }

    /// `false`: there is no more.
    fn fetch(&mut self) -> bool {
        self.near.clear();
        self.ends.clear();
        let MemoryRun { bytes, places } = &self.run;
        let places = &places[self.next..places.len().min(self.next + NEAR)];
        for place in places {
            self.near.extend_from_slice(place.entry(bytes, &mut [0; SHORT]));
            self.ends.push(self.near.len());
        }
        self.next += places.len();
        (self.read, self.at) = (0, 0);
        !places.is_empty()
    }

    /// Its memory, without entries.
    pub fn into_spare(mut self) -> MemoryRun {
        self.run.clear();
        self.run
    }
}

/// Writes a run to disk.
pub(crate) struct RunWriter {
    session: Session,
    file: File,
    arena: BufferArena,
    buf: Option<IoBuf>,
    used: usize,
    writing: Option<Io>,
    offset: u64,
}

impl RunWriter {
    /// The run begins at `offset`, a multiple of [`CHUNK`].
    pub fn new(session: &Session, file: &File, offset: u64) -> Result<RunWriter> {
        // One is filled while the other is written.
        let arena = BufferArena::new(2, CHUNK).map_err(no_memory)?;
        let (session, file) = (session.clone(), file.clone());
        Ok(RunWriter { session, file, arena, buf: None, used: 0, writing: None, offset })
    }

    pub async fn put_entry(&mut self, entry: &[u8], mark: bool) -> Result<()> {
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
    pub async fn finish(mut self) -> Result<(u64, u64)> {
        let end = self.offset + self.used as u64;
        self.write().await?;
        if let Some(io) = self.writing.take() {
            io.await.result.map_err(StorageError::from)?;
        }
        Ok((end, self.offset))
    }
}

/// Reads a run from disk.
pub(crate) struct RunReader {
    file: File,
    arena: BufferArena,
    /// What is still to be read.
    rest: Range<u64>,
    chunk: Option<IoBuf>,
    /// Read from the chunk, and its length.
    at: usize,
    len: usize,
    /// The next chunk, on its way.
    ahead: Option<(Io, usize)>,
}

impl RunReader {
    /// `chunk` bytes at a time, and as many ahead.
    pub fn new(file: &File, range: Range<u64>, chunk: usize) -> Result<RunReader> {
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
                        return Err(EngineError::new(
                            sqlstate::DATA_CORRUPTED,
                            "a run of a sort ends in the middle of an entry",
                        ));
                    }
                    return Ok(false);
                };
                let mut read = io.await;
                let count = read.result.map_err(StorageError::from)?;
                if (count as usize) < len {
                    return Err(EngineError::new(
                        sqlstate::IO_ERROR,
                        "a temporary file is shorter than what was written to it",
                    ));
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

    /// The next entry into `out`; its mark, or `None` at the end.
    pub async fn next(&mut self, session: &Session, out: &mut Vec<u8>) -> Result<Option<bool>> {
        if let Some(mark) = self.take_entry(out) {
            return Ok(Some(mark));
        }
        let mut header = [0; HEADER];
        if !self.take(session, &mut header).await? {
            return Ok(None);
        }
        out.resize(usize::from(u16::from_le_bytes([header[0], header[1]])), 0);
        self.take(session, out).await?;
        Ok(Some(header[2] != 0))
    }
}
