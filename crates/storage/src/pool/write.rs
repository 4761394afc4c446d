//! Writing dirty pages, for the cleaner and for checkpoints.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aio::{IoContext, Session};

use super::frames::{Frame, ReadState, Tag};
use super::pinned_page::PinnedPage;
use super::write_pin::WritePin;
use super::write_stream::WriteStream;
use super::{BufferPool, WALKED};
use crate::error::Result;
use crate::smgr::{FileSet, Relation};

/// A page that was dirty when it was listed.
#[derive(Clone, Copy, Debug)]
pub struct DirtyPage {
    pub(super) frame: u32,
    pub(super) tag: Tag,
}

/// How urgent it is that pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePriority {
    /// No session waits: others' writes come first.
    Background,
    /// A session waits for it.
    Foreground,
}

/// What became of pages that were to be written.
#[derive(Default)]
pub struct Written {
    pub pages: usize,
    /// Those that another session is writing.
    pub elsewhere: Vec<DirtyPage>,
}

impl BufferPool {
    /// Fails while pages of a relation cannot be written: more changes would fill the pool with pages that cannot leave it. Where
    /// the last write failed one is tried now.
    pub async fn check_writable(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        relation: &Relation,
    ) -> Result<()> {
        let Err(error) = relation.check_writable() else { return Ok(()) };
        if relation.is_broken() {
            return Err(error);
        }
        let is_dirty = |frame: &Frame| {
            let meta = frame.meta.lock();
            meta.tag.filter(|tag| tag.0 == relation.id() && meta.dirty)
        };
        let found = self.frames.iter().find_map(|(frame, f)| Some(DirtyPage { frame, tag: is_dirty(f)? }));
        match found {
            Some(page) => self.write_dirty(session, files, vec![page], WritePriority::Foreground).await.map(drop),
            None => {
                relation.note_write(None);
                Ok(())
            }
        }
    }

    /// Everything whose latest changes are not on the disk when this is called, for a checkpoint, in the order of the files:
    /// dirty pages, and those that are being written.
    pub async fn dirty_pages(&self) -> Vec<DirtyPage> {
        let mut pages = Vec::new();
        for (frame, f) in self.frames.iter() {
            if frame % WALKED == WALKED - 1 {
                aio::yield_once().await;
            }
            let meta = f.meta.lock();
            if let Some(tag) = meta.tag.filter(|_| meta.dirty || meta.writes > 0) {
                pages.push(DirtyPage { frame, tag });
            }
        }
        pages.sort_unstable_by_key(|p| p.tag);
        pages
    }

    /// Writes the given pages where they are still dirty and no other session is writing them. Pages changed meanwhile stay dirty.
    pub async fn write_dirty(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        mut pages: Vec<DirtyPage>,
        priority: WritePriority,
    ) -> Result<Written> {
        pages.sort_unstable_by_key(|p| p.tag);
        let stream = WriteStream::new(self, session, IoContext::Normal);
        let mut stream = if priority == WritePriority::Background { stream.gently() } else { stream };
        let mut written = Written::default();
        let put = self.put_dirty(&mut stream, files, pages, &mut written).await;
        // Whatever went wrong, what is under way is waited for.
        let finished = stream.finish().await;
        put.and(finished)?;
        self.counters.written.fetch_add(written.pages as u64, Ordering::Relaxed);
        Ok(written)
    }

    async fn put_dirty(
        self: &Arc<Self>,
        stream: &mut WriteStream,
        files: &FileSet,
        pages: Vec<DirtyPage>,
        written: &mut Written,
    ) -> Result<()> {
        let mut current: Option<Arc<Relation>> = None;
        for DirtyPage { frame, tag } in pages {
            // Pinned first: while it is, the relation's files stay. Those of dropped ones are out of the pool.
            let Some(page) = self.pin_for_write(frame, tag) else { continue };
            let relation = match &current {
                Some(relation) if relation.id() == tag.0 => relation.clone(),
                _ => files.open(tag.0)?,
            };
            current = Some(relation.clone());
            let mut buf = stream.buffer().await?;
            // One of the writes is this one. Beside another it has to wait: it could come to the disk before that.
            let (elsewhere, write) = {
                let latched = page.read();
                let mut meta = self.frames[frame].meta.lock();
                let (elsewhere, write) = (meta.writes > 1, meta.dirty && meta.writes == 1);
                if write {
                    meta.dirty = false;
                    buf.copy_from_slice(&latched);
                }
                (elsewhere, write)
            };
            if !write {
                written.elsewhere.extend(elsewhere.then_some(DirtyPage { frame, tag }));
                page.done();
                continue;
            }
            stream.put_page(&relation, tag.1, buf, page).await?;
            written.pages += 1;
        }
        Ok(())
    }

    /// For a checkpoint, after [`BufferPool::write_dirty`]: waits for what others were writing, and writes it if they
    /// could not.
    pub async fn write_elsewhere(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        mut pages: Vec<DirtyPage>,
    ) -> Result<()> {
        while !pages.is_empty() {
            for page in &pages {
                self.written.wait_until(|| (self.frames[page.frame].meta.lock().writes == 0).then_some(())).await;
            }
            pages = self.write_dirty(session, files, pages, WritePriority::Foreground).await?.elsewhere;
        }
        Ok(())
    }

    /// Pins a frame for writing it to the disk, if it still holds `tag`.
    fn pin_for_write(self: &Arc<Self>, frame: u32, tag: Tag) -> Option<WritePin> {
        let mut meta = self.frames[frame].meta.lock();
        (meta.tag == Some(tag) && matches!(meta.read, ReadState::Idle)).then(|| {
            meta.pins += 1;
            meta.writes += 1;
            WritePin { page: PinnedPage { pool: self.handle(), frame }, done: false }
        })
    }
}
