//! Which values of a row are compressed and which go out of line, as `heaptoast.c` has it, and writing their chunks.
//!
//! A chunk is a row of one column in the table's fork: the value's identity (8), the chunk's number (4, the level in its
//! upper bits), and a part of the bytes. Four fill a page.

use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;

use txn::Snapshot;

use crate::bulk::BulkLoad;
use crate::change::RowChange;
use crate::heap::{Heap, Writer};
use crate::page::{CONTENT, MAX_ROW, arrays_end};
use crate::pages::Pages;
use crate::shape::{ColumnShape, Storage, TableShape};
use crate::toast::stored::{
    MAX_RUNS, MAX_VALUE, Pointer, Run, Stored, body, compressed, escaped, is_extended, put_runs,
};
use crate::{AccessError, Result};
use storage::Concurrency;

/// Bytes of a value in a chunk.
const CHUNK: usize = 1985;
/// Bytes of a chunk before those.
pub(crate) const CHUNK_HEADER: usize = 12;
/// Chunks that are made at once.
const TOGETHER: usize = 256;
/// The longest pointer, in bytes: shorter values stay.
const LONGEST_POINTER: usize = 72;
/// Bits of a chunk's number that are its place in its level.
const LEVEL_SHIFT: u32 = 29;

/// What the rows of a fork look like.
pub(crate) static CHUNKS: LazyLock<Arc<TableShape>> =
    LazyLock::new(|| Arc::new(TableShape::of(vec![ColumnShape::first(DataType::Binary, false, None, Storage::Plain)])));

/// The first bytes of a chunk.
pub(crate) fn chunk_header(id: u64, level: u8, number: u32) -> [u8; CHUNK_HEADER] {
    let mut header = [0; CHUNK_HEADER];
    header[..8].copy_from_slice(&id.to_le_bytes());
    header[8..].copy_from_slice(&(u32::from(level) << LEVEL_SHIFT | number).to_le_bytes());
    header
}

/// A value that will lie otherwise than it is.
enum Fate {
    InLine(Vec<u8>),
    /// Compressed, or as it is.
    OutOfLine(Option<Vec<u8>>),
}

/// A value's column and what it becomes.
pub(crate) type Values = Vec<(usize, Option<Vec<u8>>)>;

/// A value that may be made shorter.
struct Candidate<'a> {
    column: usize,
    value: &'a [u8],
    storage: Storage,
    fate: Option<Fate>,
    /// Compressing it was tried.
    tried: bool,
}

impl Candidate<'_> {
    /// Bytes in the row.
    fn len(&self) -> usize {
        match &self.fate {
            None => self.value.len(),
            Some(Fate::InLine(bytes)) => bytes.len(),
            Some(Fate::OutOfLine(_)) => LONGEST_POINTER,
        }
    }

    /// Tries to compress it.
    fn compress(&mut self) {
        self.tried = true;
        if let Some(bytes) = compressed(self.value) {
            self.fate = Some(Fate::InLine(bytes));
        }
    }

    fn move_out(&mut self) {
        // Whatever was in line is compressed, but for an escaped value.
        let before = self.fate.take().and_then(|fate| match fate {
            Fate::InLine(bytes) => matches!(Stored::of(&bytes), Ok(Stored::Compressed { .. })).then_some(bytes),
            Fate::OutOfLine(bytes) => bytes,
        });
        self.fate = Some(Fate::OutOfLine(before));
    }

    fn is_out(&self) -> bool {
        matches!(self.fate, Some(Fate::OutOfLine(_)))
    }
}

/// What becomes of values of a row whose other bytes are `base`, so that it is no longer than `target` if that is possible.
fn choose<'a>(
    shape: &TableShape,
    values: impl Iterator<Item = (usize, &'a [u8])>,
    base: usize,
    target: usize,
) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for (column, value) in values {
        let storage = shape.columns[column].storage;
        let fate = is_extended(value).then(|| Fate::InLine(escaped(value)));
        all.push(Candidate { column, value, storage, fate, tried: false });
    }
    // Again and again the longest of those that qualify, until the row is short enough.
    let mut shorten = |target: usize, qualifies: fn(&Candidate<'_>) -> bool, make: &dyn Fn(&mut Candidate<'_>)| {
        while base + all.iter().map(Candidate::len).sum::<usize>() > target {
            let longest = all.iter_mut().filter(|c| c.len() > LONGEST_POINTER && qualifies(c));
            let Some(longest) = longest.max_by_key(|candidate| candidate.len()) else { return };
            make(longest);
        }
    };
    shorten(target, |c| c.storage == Storage::Extended && !c.tried, &|longest| {
        longest.compress();
        if longest.len() > target {
            longest.move_out();
        }
    });
    let movable = |c: &Candidate<'_>| matches!(c.storage, Storage::Extended | Storage::External) && !c.is_out();
    shorten(target, movable, &|longest| longest.move_out());
    shorten(target, |c| c.storage == Storage::Main && !c.tried, &|longest| longest.compress());
    // 0: the rest of the row leaves no room.
    let most = if target == 0 { 0 } else { MAX_ROW };
    shorten(most, |c| c.storage == Storage::Main && !c.is_out(), &|longest| longest.move_out());
    all.retain(|candidate| candidate.fate.is_some());
    all
}

/// Where chunks go.
pub(crate) enum Sink<'a> {
    Rows(&'a Heap, &'a mut Writer),
    Bulk(&'a mut BulkLoad),
}

impl Sink<'_> {
    /// Puts chunks side by side where there is room.
    async fn put(&mut self, chunks: &[Vec<u8>], runs: &mut Vec<Run>) -> Result<()> {
        match self {
            Sink::Rows(heap, writer) => {
                let rows: Vec<Vec<Option<&[u8]>>> = chunks.iter().map(|chunk| vec![Some(&chunk[..])]).collect();
                heap.insert_rows(writer, &rows).await?.into_iter().for_each(|tid| Run::push(runs, tid));
            }
            Sink::Bulk(load) => {
                for chunk in chunks {
                    Run::push(runs, load.add_chunk(chunk).await?);
                }
            }
        }
        Ok(())
    }

    /// Writes a value's bytes; gives what leads to them. `size`: the value's, if `bytes` are compressed.
    async fn save(&mut self, id: u64, bytes: &[u8], size: Option<usize>) -> Result<Vec<u8>> {
        let mut level = 0u8;
        let mut runs = self.chunks(id, level, bytes).await?;
        while runs.len() > MAX_RUNS {
            level += 1;
            let mut list = Vec::with_capacity(runs.len() * 8);
            put_runs(&runs, &mut list);
            runs = self.chunks(id, level, &list).await?;
        }
        Ok(Pointer::encode(size.is_some(), size.unwrap_or(bytes.len()), bytes.len(), id, level, &runs))
    }

    async fn chunks(&mut self, id: u64, level: u8, bytes: &[u8]) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        let mut parts = bytes.chunks(CHUNK).zip(0..).peekable();
        while parts.peek().is_some() {
            let some = parts.by_ref().take(TOGETHER);
            let chunks: Vec<Vec<u8>> =
                some.map(|(part, number)| [&chunk_header(id, level, number)[..], part].concat()).collect();
            self.put(&chunks, &mut runs).await?;
        }
        Ok(runs)
    }
}

/// Bytes of a row before its values of variable length.
fn base_of(shape: &TableShape) -> usize {
    arrays_end(shape, shape.current(), 1) - CONTENT
}

/// Bytes of values of variable length that a row may have before there is anything to do about it.
pub(crate) fn room_for_values(shape: &TableShape) -> usize {
    shape.target.saturating_sub(base_of(shape))
}

/// Is there anything to do about a row with these values of variable length, for which there is so much room?
pub(crate) fn is_wanted<'a>(room: usize, values: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut size, mut longest, mut marked) = (0, 0, false);
    for value in values {
        size += value.len();
        longest = longest.max(value.len());
        marked |= is_extended(value);
    }
    size > room && longest > LONGEST_POINTER || marked
}

/// Makes a row short enough: gives the values that lie otherwise than they are.
pub(crate) async fn toast<'a>(
    shape: &TableShape,
    values: impl Iterator<Item = (usize, &'a [u8])>,
    target: usize,
    mut next_id: impl FnMut() -> u64,
    sink: &mut Sink<'_>,
) -> Result<Values> {
    let mut out = Vec::new();
    for Candidate { column, value, fate, .. } in choose(shape, values, base_of(shape), target) {
        let bytes = match fate {
            None => continue,
            Some(Fate::InLine(bytes)) => bytes,
            Some(Fate::OutOfLine(_)) if value.len() > MAX_VALUE => {
                return Err(AccessError::ValueTooLong { size: value.len(), max: MAX_VALUE });
            }
            Some(Fate::OutOfLine(None)) => sink.save(next_id(), value, None).await?,
            Some(Fate::OutOfLine(Some(bytes))) => sink.save(next_id(), body(&bytes), Some(value.len())).await?,
        };
        out.push((column, Some(bytes)));
    }
    Ok(out)
}

impl Heap {
    /// The heap of the chunks of this table's long values, if there are any.
    pub fn toast(&self) -> Result<Option<Heap>> {
        self.toast_fork(false)
    }

    /// The same, made if there is none.
    pub(crate) fn toast_or_create(&self) -> Result<Heap> {
        Ok(self.toast_fork(true)?.expect("it was made"))
    }

    fn toast_fork(&self, create: bool) -> Result<Option<Heap>> {
        debug_assert!(!self.is_toast(), "chunks are short");
        // Held while the file is made: it is made once, and by nobody else.
        let mut fork = self.fork.heap.lock();
        match &*fork {
            Some(Some(heap)) => return Ok(Some(heap.clone())),
            Some(None) if !create => return Ok(None),
            _ => {}
        }
        let (files, id) = (&self.store.files, self.relation.id().toast());
        let relation = match files.open_if_exists(id)? {
            None if create => Some(files.create(id)?),
            found => found,
        };
        let found = relation.map(|relation| Heap::new(&self.store, relation, CHUNKS.clone()));
        *fork = Some(found.clone());
        Ok(found)
    }

    pub(crate) fn is_toast(&self) -> bool {
        self.relation.id().is_toast()
    }

    /// An identity for a value out of line that a transaction makes.
    pub(crate) fn next_value_id(&self, xid: txn::Xid) -> u64 {
        use std::sync::atomic::Ordering;
        xid << 32 | u64::from(self.fork.last_value.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes a new row, or a part of one, short enough; gives the values that lie otherwise than they are.
    pub(crate) async fn toast_values<'a>(
        &self,
        writer: &mut Writer,
        values: impl Iterator<Item = (usize, &'a [u8])>,
        target: usize,
    ) -> Result<Values> {
        let fork = self.toast_or_create()?;
        let xid = writer.transaction.xid;
        toast(&self.shape, values, target, || self.next_value_id(xid), &mut Sink::Rows(&fork, writer)).await
    }

    /// Deletes the chunks of values that no row has any more when the transaction commits. What is missing is gone already.
    pub(crate) async fn delete_values(&self, writer: &mut Writer, pointers: &[Vec<u8>]) -> Result<()> {
        let Some(fork) = self.toast()? else { return Ok(()) };
        let session = writer.session.clone();
        let mut runs = Vec::new();
        for pointer in pointers {
            if let Ok(pointer) = Pointer::of(pointer) {
                runs.extend(fork.all_runs(&session, &pointer).await?);
            }
        }
        runs.sort_unstable_by_key(|run| (run.block, run.row));
        let by_block: Vec<&[Run]> = runs.chunk_by(|a, b| a.block == b.block).collect();
        let mut pages =
            Pages::new(&fork, &session, Concurrency::Auto, by_block.iter().map(|runs| runs[0].block).collect());
        let snapshot = Snapshot::empty();
        for (at, runs) in by_block.iter().enumerate() {
            // Pinned for as long as it is changed.
            let Some(_page) = pages.page(at).await? else { continue };
            let tids = runs.iter().flat_map(|run| run.tids());
            let rows: Vec<(u16, RowChange<'_>)> = tids.map(|tid| (tid.row, RowChange::Delete)).collect();
            fork.change_rows(writer, &snapshot, runs[0].block, &rows, &mut vec![None; rows.len()]).await?;
        }
        Ok(())
    }
}
