//! A relation's files: its open segments and its length in blocks. Reading and writing go through the engine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use aio::lwlock::RwLock;
use aio::{File, Handle, Io, IoContext, IoError, IoObject, OpenMode, Session, Target};

use super::counters::RelationCounters;
use super::directory::Directory;
use super::flush::{Flushed, Flushing, flush};
use super::id::RelationId;
use super::path::{is_within, path_of, segment_name, sync_directory};
use super::segment::{SEGMENT_BLOCKS, Segment};
use crate::error::{Result, StorageError};
use crate::free_space_map::FreeSpaceMap;
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::visibility_map::VisibilityMap;

/// Blocks that get space on the disk together, at most: 1 MiB.
const MAX_SPACE: u32 = 128;

/// A relation's files.
#[derive(Debug)]
pub struct Relation {
    id: RelationId,
    root: PathBuf,
    /// Of its first segment, below the data directory.
    path: String,
    direct: bool,
    /// Of its database: where it is, or the link to it.
    directory: Arc<Directory>,
    blocks: AtomicU32,
    /// Those that its files had when it was opened.
    found: AtomicU32,
    /// Blocks that have space on the disk.
    allocated: AtomicU32,
    /// Those that were opened.
    pub(super) segments: RwLock<Vec<Option<Segment>>>,
    /// The system's number for the volume that they are on; 0: none was opened yet.
    device_number: AtomicU64,
    visibility: VisibilityMap,
    free_space: FreeSpaceMap,
    file_errors: FileErrors,
    flushing: Flushing,
    /// Those who read it without a lock on its table, or -1 while it is being cut.
    length_users: AtomicI32,
    /// Where is counted what is done with it, once the engine has said so.
    counters: OnceLock<Arc<RelationCounters>>,
}

/// Until this is dropped a relation's length is as [`Relation::keep_length`] or [`Relation::change_length`] says.
#[derive(Debug)]
pub struct KeptLength<'a> {
    users: &'a AtomicI32,
    change: i32,
}

impl Drop for KeptLength<'_> {
    fn drop(&mut self) {
        self.users.fetch_add(self.change, Ordering::AcqRel);
    }
}

/// What went wrong with a relation's files, as the system's error number; 0: nothing.
#[derive(Debug, Default)]
struct FileErrors {
    /// Of the last write.
    write: AtomicI32,
    /// Of a flush: what is on the disk cannot be told until recovery has written it anew.
    flush: AtomicI32,
}

impl Relation {
    pub(super) fn new(id: RelationId, root: PathBuf, direct: bool, directory: Arc<Directory>) -> Relation {
        Relation {
            id,
            path: path_of(&root, id),
            root,
            direct,
            directory,
            blocks: AtomicU32::new(0),
            found: AtomicU32::new(0),
            allocated: AtomicU32::new(0),
            segments: RwLock::default(),
            device_number: AtomicU64::new(0),
            visibility: VisibilityMap::default(),
            free_space: FreeSpaceMap::default(),
            file_errors: FileErrors::default(),
            flushing: Flushing::default(),
            length_users: AtomicI32::new(0),
            counters: OnceLock::new(),
        }
    }

    /// Says where is counted what is done with it. The first time counts; gives where that is.
    pub fn count_in(&self, counters: Arc<RelationCounters>) -> Arc<RelationCounters> {
        self.counters.get_or_init(|| counters).clone()
    }

    pub fn counters(&self) -> Option<&RelationCounters> {
        self.counters.get().map(|counters| &**counters)
    }

    pub fn id(&self) -> RelationId {
        self.id
    }

    /// The path of its first segment below the data directory.
    pub fn name(&self) -> &str {
        &self.path
    }

    /// Which of its blocks all snapshots see alike.
    pub fn visibility(&self) -> &VisibilityMap {
        &self.visibility
    }

    /// Which of its blocks have room.
    pub fn free_space(&self) -> &FreeSpaceMap {
        &self.free_space
    }

    /// Blocks that belong to the relation: readers look at no others.
    pub fn blocks(&self) -> BlockNumber {
        self.blocks.load(Ordering::Acquire)
    }

    /// Blocks that its files had when it was opened; none of one that was made since.
    pub(crate) fn found_blocks(&self) -> BlockNumber {
        self.found.load(Ordering::Acquire)
    }

    /// Its files were opened, and have so many blocks.
    pub(super) fn note_found(&self, blocks: BlockNumber) {
        for count in [&self.blocks, &self.found, &self.allocated] {
            count.store(blocks, Ordering::Release);
        }
    }

    /// Adds `count` blocks at the end and gives the first. They read as zeros until they are written; the files grow
    /// with the writes.
    pub fn reserve(&self, count: u32) -> BlockNumber {
        self.blocks.fetch_add(count, Ordering::AcqRel)
    }

    /// Adds this block at the end, if it is the next one and there is space on the disk for it: see
    /// [`Relation::space_wanted`].
    pub(crate) fn reserve_allocated(&self, block: BlockNumber) -> bool {
        block < self.allocated.load(Ordering::Acquire)
            && self.blocks.compare_exchange(block, block + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The blocks to find space for, if the next one has none: one after the other at first, a quarter of the relation
    /// later, 1 MiB at most.
    pub(crate) fn space_wanted(&self) -> Option<std::ops::Range<BlockNumber>> {
        let first = self.blocks();
        let count = (first / 4).clamp(1, MAX_SPACE).min(SEGMENT_BLOCKS - first % SEGMENT_BLOCKS);
        (first >= self.allocated.load(Ordering::Acquire)).then(|| first..first + count)
    }

    /// Blocks have got space on the disk.
    pub(crate) fn has_space(&self, blocks: &std::ops::Range<BlockNumber>) {
        self.allocated.fetch_max(blocks.end, Ordering::AcqRel);
    }

    /// Sees to it that the relation has at least `blocks` blocks.
    pub fn extend_to(&self, blocks: BlockNumber) {
        self.blocks.fetch_max(blocks, Ordering::AcqRel);
    }

    /// Undoes a reservation of which nothing was written, if no later one came.
    pub fn give_back(&self, blocks: std::ops::Range<BlockNumber>) -> bool {
        self.blocks.compare_exchange(blocks.end, blocks.start, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Cuts the relation, with what its maps say of the rest: see [`crate::BufferPool::truncate`]. Where a file cannot be cut the
    /// relation is shorter all the same, until the next start finds the rest again.
    pub(crate) fn truncate(&self, blocks: BlockNumber) -> Result<()> {
        let segments = self.blocks.swap(blocks, Ordering::AcqRel).div_ceil(SEGMENT_BLOCKS);
        self.allocated.store(blocks, Ordering::Release);
        self.visibility.truncate(blocks);
        self.free_space.truncate(blocks);
        let keep = blocks / SEGMENT_BLOCKS;
        // The last one first: a relation ends where a segment does that is not full.
        for number in (keep..segments).rev() {
            let segment = match self.segment(number, false) {
                Ok(segment) => segment,
                Err(StorageError::File { errno: libc::ENOENT, .. }) => continue,
                Err(e) => return Err(e),
            };
            let len = if number == keep { u64::from(blocks % SEGMENT_BLOCKS) * PAGE_SIZE as u64 } else { 0 };
            let failed = |e| StorageError::file("truncate", &segment_name(&self.path, number), &e);
            if segment.len().map_err(failed)? > len {
                segment.set_len(len).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Keeps the relation from being cut until this is dropped, for a reader without a lock on its table; `None`: it is
    /// being cut just now.
    pub fn keep_length(&self) -> Option<KeptLength<'_>> {
        let more = |users: i32| (users >= 0).then_some(users + 1);
        self.length_users.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(KeptLength { users: &self.length_users, change: -1 })
    }

    /// Keeps others from reading it without a lock, for a cut; `None`: a session does.
    pub fn change_length(&self) -> Option<KeptLength<'_>> {
        self.length_users.compare_exchange(0, -1, Ordering::AcqRel, Ordering::Acquire).ok()?;
        Some(KeptLength { users: &self.length_users, change: 1 })
    }

    /// Makes every segment at least as long as the relation's blocks in it, so that unwritten ones read as zeros.
    pub fn materialise(&self) -> Result<()> {
        // Others may be writing behind its end.
        self.lengthen(File::extend_to)
    }

    /// The same where no other session writes, in recovery: also on a disk without room for another block.
    pub fn materialise_alone(&self) -> Result<()> {
        match self.materialise() {
            Err(StorageError::File { errno: libc::ENOSPC | libc::EDQUOT, .. }) => {}
            outcome => return outcome,
        }
        self.lengthen(|segment, wanted| if segment.len()? < wanted { segment.set_len(wanted) } else { Ok(()) })
    }

    /// Shows each segment to `extend`, with the length that the relation's blocks in it want.
    fn lengthen(&self, extend: impl Fn(&File, u64) -> std::io::Result<()>) -> Result<()> {
        let blocks = self.blocks();
        for number in 0..blocks.div_ceil(SEGMENT_BLOCKS) {
            let segment = self.segment(number, true)?;
            let wanted = u64::from((blocks - number * SEGMENT_BLOCKS).min(SEGMENT_BLOCKS)) * PAGE_SIZE as u64;
            let failed = |e| StorageError::file("extend", &segment_name(&self.path, number), &e);
            extend(&segment, wanted).map_err(failed)?;
        }
        Ok(())
    }

    /// Cuts a map to a length that no map has, which takes no room: see [`VisibilityMap`].
    pub(crate) fn cut_to_mark(&self) -> Result<()> {
        self.truncate(0)?;
        self.segment(0, true)?.set_len(1).map_err(|e| StorageError::file("truncate", &self.path, &e))
    }

    /// Fails where the last write of its pages failed: [`crate::BufferPool::check_writable`] tries again.
    pub fn check_writable(&self) -> Result<()> {
        let failed = |action, errno| Err(StorageError::File { action, file: self.path.as_str().into(), errno });
        match (self.file_errors.flush.load(Ordering::Acquire), self.file_errors.write.load(Ordering::Acquire)) {
            (0, 0) => Ok(()),
            (0, errno) => failed("write", errno),
            (errno, _) => failed("fsync", errno),
        }
    }

    /// A write of its pages has ended.
    pub(crate) fn note_write(&self, failed: Option<&IoError>) {
        let errno = failed.map_or(0, |error| error.errno);
        if self.file_errors.write.swap(errno, Ordering::AcqRel) == 0
            && let Some(error) = failed
        {
            tracing::error!(%error, "pages of a relation cannot be written: it takes no changes until one can");
        }
    }

    /// Has a flush failed? Nothing can be read or written then but what is in memory, until the server was started anew.
    pub fn is_broken(&self) -> bool {
        self.file_errors.flush.load(Ordering::Acquire) != 0
    }

    /// Is it in a tablespace, so that the rest of the server can go on without it?
    pub fn is_elsewhere(&self) -> bool {
        is_within(&self.path)
    }

    /// The segment file with `block`, and the byte offset in it.
    pub(crate) fn locate(&self, block: BlockNumber, create: bool) -> Result<(File, u64)> {
        self.check_flushed()?;
        let offset = u64::from(block % SEGMENT_BLOCKS) * PAGE_SIZE as u64;
        Ok((self.segment(block / SEGMENT_BLOCKS, create)?, offset))
    }

    /// The system's number for the volume that its files are on.
    pub fn device_number(&self) -> u64 {
        self.device_number.load(Ordering::Relaxed)
    }

    pub(super) fn segment(&self, number: u32, create: bool) -> Result<File> {
        let opened = |segments: &[Option<Segment>]| segments.get(number as usize)?.as_ref()?.file();
        if let Some(file) = opened(&self.segments.read()) {
            return Ok(file);
        }
        let mut segments = self.segments.write();
        if let Some(file) = opened(&segments) {
            return Ok(file);
        }
        if segments.len() <= number as usize {
            segments.resize_with(number as usize + 1, || None);
        }
        let segment = &mut segments[number as usize];
        let file = match segment {
            None => self.open_segment(number, create)?,
            Some(closed) => {
                let name = segment_name(&self.path, number);
                let mode = OpenMode { write: true, direct: self.direct, ..OpenMode::default() };
                let file = File::open_again(&self.root.join(&name), &name, mode, closed.writes().clone());
                file.map_err(|e| StorageError::file("open", &name, &e))?
            }
        };
        *segment = Some(Segment::new(file.clone()));
        Ok(file)
    }

    /// Opens a segment file for the first time.
    fn open_segment(&self, number: u32, create: bool) -> Result<File> {
        let name = segment_name(&self.path, number);
        let mode = OpenMode { write: true, create, direct: self.direct, ..OpenMode::default() };
        let file =
            File::open(&self.root.join(&name), &name, mode).map_err(|e| StorageError::file("open", &name, &e))?;
        if create && self.is_elsewhere() {
            sync_directory(&self.root, name.rsplit_once('/').expect("a path").0)?;
        } else if create {
            self.directory.note_entry();
        }
        self.device_number.store(file.device_number(), Ordering::Relaxed);
        Ok(file)
    }
}

impl Relation {
    /// Makes everything written to these relations so far, by any session, durable, and that they are there.
    pub async fn sync(session: &Session, relations: &[Arc<Relation>]) -> Result<()> {
        let directories: BTreeMap<u32, _> = relations.iter().map(|r| (r.id().database, r.directory.clone())).collect();
        flush(session, &flushed(relations, directories.into_values())).await
    }
}

impl Flushed for Relation {
    fn flushing(&self) -> &Flushing {
        &self.flushing
    }

    /// Those that are closed are opened again.
    fn unflushed(&self) -> Result<Vec<File>> {
        let is_unflushed = |segment: &Option<Segment>| segment.as_ref().is_some_and(|s| s.writes().are_unflushed());
        let segments: Vec<bool> = self.segments.read().iter().map(is_unflushed).collect();
        let unflushed = (0..).zip(segments).filter(|(_, is_unflushed)| *is_unflushed);
        unflushed.map(|(number, _)| self.segment(number, false)).collect()
    }

    fn begin_flush(&self, handle: Handle, file: &File, target: &Arc<dyn Target>) -> Io {
        handle.fdatasync(file, target, (IoObject::Relation, IoContext::Normal))
    }

    fn note_flush(&self, error: &IoError) {
        self.file_errors.flush.store(error.errno, Ordering::Release);
    }

    fn check_flushed(&self) -> Result<()> {
        if self.is_broken() { self.check_writable() } else { Ok(()) }
    }
}

/// What is flushed with these relations.
pub(super) fn flushed(
    relations: &[Arc<Relation>],
    directories: impl Iterator<Item = Arc<Directory>>,
) -> Vec<Arc<dyn Flushed>> {
    let relations = relations.iter().map(|relation| relation.clone() as Arc<dyn Flushed>);
    relations.chain(directories.map(|directory| directory as Arc<dyn Flushed>)).collect()
}
