//! Which values of a row are compressed and which go out of line, as `heaptoast.c` has it, and writing their chunks.

use std::pin::Pin;

use crate::heap::{Heap, Writer};
use crate::page::{CONTENT, MAX_ROW, arrays_end};
use crate::shape::{Storage, TableShape};
use crate::toast::chunk::{CHUNK, CHUNKS, chunk_header};
use crate::toast::stored::{
    MAX_RUNS, MAX_VALUE, Pointer, Run, Stored, body, compressed, escaped, is_extended, put_runs,
};
use crate::{AccessError, Result};

/// Chunks that are made at once.
const TOGETHER: usize = 256;
/// The longest pointer, in bytes: shorter values stay.
const LONGEST_POINTER: usize = 72;
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
pub(crate) trait Sink: Send {
    /// Puts chunks side by side where there is room, and notes where.
    fn put<'a>(
        &'a mut self,
        chunks: &'a [Vec<u8>],
        runs: &'a mut Vec<Run>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
}

/// Chunks that are rows of a heap, put there one statement after the other.
struct Rows<'a> {
    heap: &'a Heap,
    writer: &'a mut Writer,
}

impl Sink for Rows<'_> {
    fn put<'a>(
        &'a mut self,
        chunks: &'a [Vec<u8>],
        runs: &'a mut Vec<Run>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        Box::pin(async move {
            let rows: Vec<Vec<Option<&[u8]>>> = chunks.iter().map(|chunk| vec![Some(&chunk[..])]).collect();
            self.heap.insert_rows(self.writer, &rows).await?.into_iter().for_each(|tid| Run::push(runs, tid));
            Ok(())
        })
    }
}

/// Writes a value's bytes; gives what leads to them. `size`: the value's, if `bytes` are compressed.
async fn save(sink: &mut dyn Sink, id: u64, bytes: &[u8], size: Option<usize>) -> Result<Vec<u8>> {
    let mut level = 0u8;
    let mut runs = put_chunks(sink, id, level, bytes).await?;
    while runs.len() > MAX_RUNS {
        level += 1;
        let mut list = Vec::with_capacity(runs.len() * 8);
        put_runs(&runs, &mut list);
        runs = put_chunks(sink, id, level, &list).await?;
    }
    Ok(Pointer::encode(size.is_some(), size.unwrap_or(bytes.len()), bytes.len(), id, level, &runs))
}

async fn put_chunks(sink: &mut dyn Sink, id: u64, level: u8, bytes: &[u8]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let mut parts = bytes.chunks(CHUNK).zip(0..).peekable();
    while parts.peek().is_some() {
        let some = parts.by_ref().take(TOGETHER);
        let chunks: Vec<Vec<u8>> =
            some.map(|(part, number)| [&chunk_header(id, level, number)[..], part].concat()).collect();
        sink.put(&chunks, &mut runs).await?;
    }
    Ok(runs)
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
    sink: &mut dyn Sink,
) -> Result<Values> {
    let mut out = Vec::new();
    for Candidate { column, value, fate, .. } in choose(shape, values, base_of(shape), target) {
        let bytes = match fate {
            None => continue,
            Some(Fate::InLine(bytes)) => bytes,
            Some(Fate::OutOfLine(_)) if value.len() > MAX_VALUE => {
                return Err(AccessError::ValueTooLong { size: value.len(), max: MAX_VALUE });
            }
            Some(Fate::OutOfLine(None)) => save(sink, next_id(), value, None).await?,
            Some(Fate::OutOfLine(Some(bytes))) => save(sink, next_id(), body(&bytes), Some(value.len())).await?,
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
        // Held while the file is made: it is made once, by this session alone.
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
        toast(&self.shape, values, target, || self.next_value_id(xid), &mut Rows { heap: &fork, writer }).await
    }
}
