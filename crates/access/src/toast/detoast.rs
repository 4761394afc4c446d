//! Fetching values from out of line. Chunks come in the order of the values, through read-ahead where there are several pages.

use aio::Session;
use storage::{Concurrency, Page, PinnedPage};
use types::memory::claim;

use crate::heap::pages::Pages;
use crate::heap::{Heap, owned};
use crate::page::{HeapPage, Tid};
use crate::toast::chunk::{CHUNK_HEADER, CHUNKS, chunk_header};
use crate::toast::stored::{self, Pointer, Run};
use crate::{AccessError, Result};

/// Levels that a pointer may have: each multiplies the length by some hundreds.
const MAX_LEVELS: u8 = 3;

/// Chunks to be read: whose, of which level, and where.
struct Chunks {
    value: usize,
    id: u64,
    level: u8,
    run: Run,
    /// The number of the first one.
    number: u32,
}

/// The runs of a value's level, with the numbers that their chunks have.
fn chunks_of(value: usize, id: u64, level: u8, runs: impl Iterator<Item = Run>) -> impl Iterator<Item = Chunks> {
    let mut number = 0;
    runs.map(move |run| {
        let chunks = Chunks { value, id, level, run, number };
        number += u32::from(run.rows);
        chunks
    })
}

/// Methods of a fork's heap.
impl Heap {
    /// Reads values from out of line and gives their bytes, with the place among `pointers` that they are of, in that order and
    /// piece by piece.
    pub(crate) async fn fetch_values(
        &self,
        session: &Session,
        pointers: &[Pointer<'_>],
        mut give: impl FnMut(usize, &[u8]) + Send,
    ) -> Result<()> {
        let mut all = Vec::new();
        for (value, pointer) in pointers.iter().enumerate() {
            let runs = self.runs(session, pointer).await?;
            all.extend(chunks_of(value, pointer.id, 0, runs.into_iter()));
        }
        self.read_chunks(session, &all, &mut give).await
    }

    /// The runs of a value's chunks.
    async fn runs(&self, session: &Session, pointer: &Pointer<'_>) -> Result<Vec<Run>> {
        let mut runs: Vec<Run> = pointer.runs().collect();
        for level in (1..=pointer.levels.min(MAX_LEVELS)).rev() {
            runs = self.runs_below(session, pointer.id, level, &runs).await?;
        }
        Ok(runs)
    }

    /// All runs that a value has, of all levels; those that are missing lead to no others.
    pub(crate) async fn all_runs(&self, session: &Session, pointer: &Pointer<'_>) -> Result<Vec<Run>> {
        let mut runs: Vec<Run> = pointer.runs().collect();
        let mut all = runs.clone();
        for level in (1..=pointer.levels.min(MAX_LEVELS)).rev() {
            runs = match self.runs_below(session, pointer.id, level, &runs).await {
                Err(AccessError::MissingChunk { .. }) => break,
                runs => runs?,
            };
            all.extend_from_slice(&runs);
        }
        Ok(all)
    }

    async fn runs_below(&self, session: &Session, id: u64, level: u8, runs: &[Run]) -> Result<Vec<Run>> {
        let chunks: Vec<Chunks> = chunks_of(0, id, level, runs.iter().copied()).collect();
        let mut list = Vec::new();
        self.read_chunks(session, &chunks, &mut |_, bytes: &[u8]| list.extend_from_slice(bytes)).await?;
        Ok(stored::runs(&list).collect())
    }

    async fn read_chunks(
        &self,
        session: &Session,
        all: &[Chunks],
        give: &mut (impl FnMut(usize, &[u8]) + Send),
    ) -> Result<()> {
        let mut pages =
            Pages::new(self, session, Concurrency::Auto, all.iter().map(|chunks| chunks.run.block).collect());
        let mut turn = aio::Turn::new(self.store.pool.engine());
        for (at, chunks) in all.iter().enumerate() {
            turn.pass().await;
            let page = pages.page(at).await?.ok_or_else(|| self.missing(chunks, 0))?;
            self.read_run(session, &page, chunks, give).await?;
        }
        Ok(())
    }

    /// Reads the chunks of a run, whose home page is pinned.
    async fn read_run(
        &self,
        session: &Session,
        page: &PinnedPage,
        chunks: &Chunks,
        give: &mut (impl FnMut(usize, &[u8]) + Send),
    ) -> Result<()> {
        let mut done = 0;
        {
            let latched = page.read();
            if latched.is_new() {
                return Err(self.missing(chunks, 0));
            }
            let parsed = self.parse(&latched, chunks.run.block)?;
            if parsed.stands_alone() {
                for tid in chunks.run.tids() {
                    give(chunks.value, self.chunk(&parsed, tid, chunks, done)?);
                    done += 1;
                }
            }
        }
        // Deleted chunks may have made a page move rows.
        for tid in chunks.run.tids().skip(done as usize) {
            let found = self.with_newest(session, tid, |_, values| owned(values)).await?;
            let value = found.and_then(|mut values| values.pop().flatten());
            let value = value.ok_or_else(|| self.missing(chunks, done))?;
            give(chunks.value, self.checked(&value, chunks, done)?);
            done += 1;
        }
        Ok(())
    }

    /// A chunk's part of a value; `done`: its place in its run.
    fn chunk<'a>(&self, page: &HeapPage<'a>, tid: Tid, chunks: &Chunks, done: u32) -> Result<&'a [u8]> {
        let row = usize::from(tid.row);
        if row >= page.rows || page.is_free(row) {
            return Err(self.missing(chunks, done));
        }
        let value = page.value(&CHUNKS, 0, row).map_err(|reason| self.bad(tid.block, reason))?;
        self.checked(value.unwrap_or_default(), chunks, done)
    }

    /// A chunk without its header, if it is the right one.
    fn checked<'a>(&self, chunk: &'a [u8], chunks: &Chunks, done: u32) -> Result<&'a [u8]> {
        let wanted = chunk_header(chunks.id, chunks.level, chunks.number + done);
        match chunk.split_at_checked(CHUNK_HEADER) {
            Some((header, rest)) if header == wanted => Ok(rest),
            _ => Err(self.missing(chunks, done)),
        }
    }

    fn missing(&self, chunks: &Chunks, done: u32) -> AccessError {
        AccessError::MissingChunk { chunk: chunks.number + done, value: chunks.id, relation: self.relation.id() }
    }
}

/// Methods of a table's heap.
impl Heap {
    /// Makes values of a row, given by all its values as they are stored, what they are.
    pub async fn detoast(
        &self,
        session: &Session,
        values: &mut [Option<Vec<u8>>],
        columns: impl Iterator<Item = usize>,
    ) -> Result<()> {
        for column in columns.filter(|&column| self.shape.is_variable(column)) {
            if let Some(value) = &mut values[column]
                && stored::is_extended(value)
            {
                *value = self.detoast_value(session, value).await?;
            }
        }
        Ok(())
    }

    async fn detoast_value(&self, session: &Session, value: &[u8]) -> Result<Vec<u8>> {
        let bad = |reason| self.bad(0, reason);
        if let Some(value) = stored::in_line(value).map_err(bad)? {
            return Ok(value.into_owned());
        }
        let pointer = Pointer::of(value).map_err(bad)?;
        let fork = self.toast_of(&pointer)?;
        let _room = claim(pointer.size).map_err(|_| AccessError::NoRoom { size: pointer.size })?;
        let (mut bytes, mut out) = (Vec::new(), Vec::new());
        fork.fetch_values(session, &[pointer], |_, part| bytes.extend_from_slice(part)).await?;
        finish(&pointer, bytes, &mut out).map_err(|reason| fork.bad(0, reason))?;
        Ok(out)
    }

    /// The fork that a pointer leads to.
    pub(crate) fn toast_of(&self, pointer: &Pointer<'_>) -> Result<Heap> {
        let relation = self.relation.id().toast();
        self.toast()?.ok_or(AccessError::MissingChunk { chunk: 0, value: pointer.id, relation })
    }
}

/// Appends the value whose bytes out of line are these.
pub(crate) fn finish(
    pointer: &Pointer<'_>,
    bytes: Vec<u8>,
    out: &mut Vec<u8>,
) -> std::result::Result<(), &'static str> {
    if bytes.len() != pointer.stored {
        return Err("a long value's chunks are not as long as it");
    }
    match pointer.compressed {
        true => stored::decompress(&bytes, pointer.size, out),
        false if out.is_empty() => {
            *out = bytes;
            Ok(())
        }
        false => {
            out.extend_from_slice(&bytes);
            Ok(())
        }
    }
}
