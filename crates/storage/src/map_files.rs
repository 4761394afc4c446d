//! The files of free-space and visibility maps: read through the pool or written for checkpoints, around it.

use std::sync::Arc;

use aio::{IoContext, Session};

use crate::error::Result;
use crate::free_space_map::FreeSpaceMap;
use crate::page::{BlockNumber, Lsn, PageMut};
use crate::pool::{BufferPool, WriteStream};
use crate::smgr::{FileSet, Relation, RelationId};

impl FreeSpaceMap {
    /// Reads the file, if no session has; one that comes while another does goes on without it.
    pub async fn load(
        &self,
        relation: &Relation,
        files: &FileSet,
        pool: &Arc<BufferPool>,
        session: &Session,
    ) -> Result<()> {
        let Some(loading) = self.begin_load() else { return Ok(()) };
        let there = || relation.found_blocks().min(relation.blocks());
        if let Some(file) = files.open_if_exists(relation.id().fsm())? {
            for number in 0..file.blocks() {
                match pool.pin(session, &file, number, IoContext::Normal).await {
                    Ok(page) => loading.page(number, &page.read(), there),
                    Err(error) => {
                        tracing::warn!(%error, "a page of a free-space map cannot be read; VACUUM makes it anew");
                    }
                }
            }
        }
        loading.end();
        Ok(())
    }
}

/// Writes what was changed since the last time, for a checkpoint, which flushes the files afterwards.
pub async fn write_free_space_maps(pool: &Arc<BufferPool>, session: &Session, files: &FileSet) {
    for relation in files.open_relations() {
        let map = relation.free_space();
        let changed = map.take_changed();
        if changed.is_empty() {
            continue;
        }
        let fill = |number: u32, page: &mut [u8]| map.copy_page(number, page);
        let note_changed = |number: u32| map.note_changed(number);
        if let Err(error) = write_map(pool, session, files, relation.id().fsm(), &changed, fill, note_changed).await {
            // Nothing depends on it: a checkpoint goes on, and the next one tries again.
            tracing::warn!(%error, "a free-space map could not be written");
        }
    }
}

/// Writes the bits that were changed since the last time, for a checkpoint, which flushes the files afterwards. `logged` gives
/// the end of the log.
pub async fn write_visibility_maps(
    pool: &Arc<BufferPool>,
    session: &Session,
    files: &FileSet,
    logged: impl Fn() -> Lsn,
) -> Result<()> {
    for relation in files.open_relations() {
        let changed = relation.visibility().take_changed();
        if changed.is_empty() {
            continue;
        }
        let fill = |number: u32, page: &mut [u8]| {
            relation.visibility().copy_page(number, page);
            // The changes that made the blocks be at rest must be on the disk before it says so.
            page.set_lsn(logged());
        };
        let note_changed = |number: u32| relation.visibility().note_changed(number);
        match write_map(pool, session, files, relation.id().vm(), &changed, fill, note_changed).await {
            // A full disk keeps no checkpoint from its end for that: what is left says that the map is lost, and needs no room.
            Err(error) if error.is_out_of_space() => {
                let Some(map) = files.open_if_exists(relation.id().vm())? else { return Err(error) };
                map.cut_to_mark()?;
                relation.visibility().note_all_changed();
            }
            outcome => outcome?,
        }
    }
    Ok(())
}

/// Pages of a map that count as changed again when this is dropped: they were not written, or it is not known.
struct Unwritten<'a, F: Fn(BlockNumber)> {
    pages: &'a [BlockNumber],
    note_changed: F,
}

impl<F: Fn(BlockNumber)> Drop for Unwritten<'_, F> {
    fn drop(&mut self) {
        self.pages.iter().for_each(|number| (self.note_changed)(*number));
    }
}

/// Writes pages of a map that lies in a fork beside its relation, which is made where it is not there; `fill` gives a page's
/// bytes. `note_changed` hears of each page if that fails or is given up half-way.
async fn write_map(
    pool: &Arc<BufferPool>,
    session: &Session,
    files: &FileSet,
    fork: RelationId,
    pages: &[BlockNumber],
    fill: impl Fn(BlockNumber, &mut [u8]),
    note_changed: impl Fn(BlockNumber),
) -> Result<()> {
    let unwritten = Unwritten { pages, note_changed };
    let file = match files.open_if_exists(fork)? {
        Some(file) => file,
        None => files.create(fork)?,
    };
    let mut stream = WriteStream::new(pool, session, IoContext::Normal);
    for &number in pages {
        let mut page = stream.buffer().await?;
        fill(number, &mut page);
        file.extend_to(number + 1);
        stream.put(&file, number, page).await?;
    }
    stream.finish().await?;
    std::mem::forget(unwritten);
    Ok(())
}
