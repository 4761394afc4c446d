//! Relation files: `base/<database>/<file>`, cut into segments of 1 GiB (`….1`, `….2`), as PostgreSQL lays them out. A table's
//! long values are in a fork of it, `<file>_toast`, which is a relation as any other but for its number: the table's, with
//! [`TOAST_FORK`]. It is made when the first such value comes, and goes with the table's files. So does `<file>_vm`, the fork with
//! the bits of its [`VisibilityMap`].
//!
//! The first segment of a relation in a tablespace is a symbolic link to the file there, and so is the fork's; further segments
//! are beside that file. So everybody finds a relation by its number alone, recovery too. [`crate::tablespace`] has the rest.
//!
//! [`FileSet`] knows the data directory; a [`Relation`] knows its open segments and its length in blocks. Creating,
//! truncating and removing are rare and synchronous; reading and writing go through the engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use aio::descriptors::{register_keeper, with_room};
use aio::lwlock::{Mutex, RwLock};
use aio::{File, Handle, Io, IoContext, IoError, IoObject, OpInfo, OpKind, OpenMode, Target};

use crate::directory::Directory;
use crate::error::{Result, StorageError};
use crate::flush::{Flushed, Flushing};
use crate::free_space_map::FreeSpaceMap;
use crate::open_files::{OpenFiles, Segment};
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::relation_counters::RelationCounters;
use crate::tablespace::{self, DEFAULT_TABLESPACE};
use crate::visibility_map::VisibilityMap;

/// Blocks in a segment file of 1 GiB.
pub const SEGMENT_BLOCKS: u32 = (1 << 30) / PAGE_SIZE as u32;

/// Blocks that get space on the disk together, at most: 1 MiB.
const MAX_SPACE: u32 = 128;

/// The bits of a file's number that say which fork it is. Other files' numbers are below.
const FORK: u32 = 7 << 29;
const TOAST_FORK: u32 = 1 << 31;
const VM_FORK: u32 = 1 << 30;
const FSM_FORK: u32 = 1 << 29;
/// Long values have a free-space map of their own.
const TOAST_FSM_FORK: u32 = TOAST_FORK | FSM_FORK;
const TOAST_SUFFIX: &str = "_toast";
const VM_SUFFIX: &str = "_vm";
const FSM_SUFFIX: &str = "_fsm";
const TOAST_FSM_SUFFIX: &str = "_toast_fsm";

/// Names a relation's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId {
    pub database: u32,
    pub file: u32,
}

impl RelationId {
    /// The fork with the relation's long values.
    pub fn toast(self) -> RelationId {
        debug_assert!(!self.is_fork());
        RelationId { file: self.file | TOAST_FORK, ..self }
    }

    /// The fork with the bits of its visibility map.
    pub fn vm(self) -> RelationId {
        debug_assert!(!self.is_fork());
        RelationId { file: self.file | VM_FORK, ..self }
    }

    /// The fork with the free-space map of its rows, or of its long values.
    pub fn fsm(self) -> RelationId {
        debug_assert!(!self.is_fork() || self.is_toast());
        RelationId { file: self.file | FSM_FORK, ..self }
    }

    pub fn is_toast(self) -> bool {
        self.file & FORK == TOAST_FORK
    }

    pub fn is_fork(self) -> bool {
        self.file & FORK != 0
    }

    /// The fork's number, as PostgreSQL counts forks: those of long values are behind its own.
    pub fn fork(self) -> u16 {
        match self.file & FORK {
            0 => 0,
            FSM_FORK => 1,
            VM_FORK => 2,
            TOAST_FORK => 4,
            _ => 5,
        }
    }

    /// The relation that a fork is of; others are their own.
    pub fn main(self) -> RelationId {
        RelationId { file: self.file & !FORK, ..self }
    }

    fn suffix(self) -> &'static str {
        match self.file & FORK {
            0 => "",
            FSM_FORK => FSM_SUFFIX,
            VM_FORK => VM_SUFFIX,
            TOAST_FORK => TOAST_SUFFIX,
            _ => TOAST_FSM_SUFFIX,
        }
    }

    /// The relation that a file in a database's directory is of, if it is one's first segment.
    fn of_file(database: u32, name: &str) -> Option<RelationId> {
        let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
        let fork = match &name[digits..] {
            "" => 0,
            FSM_SUFFIX => FSM_FORK,
            VM_SUFFIX => VM_FORK,
            TOAST_SUFFIX => TOAST_FORK,
            TOAST_FSM_SUFFIX => TOAST_FSM_FORK,
            _ => return None,
        };
        Some(RelationId { database, file: name[..digits].parse::<u32>().ok()? | fork })
    }
}

impl std::fmt::Display for RelationId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "base/{}/{}{}", self.database, self.main().file, self.suffix())
    }
}

/// The relation files of a data directory. Clones are the same.
#[derive(Clone, Debug)]
pub struct FileSet {
    root: PathBuf,
    direct: bool,
    open: Arc<Mutex<BTreeMap<RelationId, Arc<Relation>>>>,
    /// Those of databases that relations were opened in.
    directories: Arc<Mutex<BTreeMap<u32, Arc<Directory>>>>,
    open_files: Arc<OpenFiles>,
}

impl FileSet {
    /// `root` is the data directory; `direct` asks for direct I/O.
    pub fn new(root: &Path, direct: bool) -> FileSet {
        let open_files: Arc<OpenFiles> = Arc::default();
        register_keeper(&open_files);
        FileSet { root: root.to_owned(), direct, open: Arc::default(), directories: Arc::default(), open_files }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the directory of a database.
    pub fn create_database(&self, database: u32) -> Result<()> {
        let name = format!("base/{database}");
        std::fs::create_dir_all(self.root.join(&name)).map_err(|e| StorageError::file("create", &name, &e))?;
        self.sync_directory("base")
    }

    /// Removes a database's directory and everything in it, and what it has in tablespaces.
    pub fn remove_database(&self, database: u32) -> Result<()> {
        self.open.lock().retain(|id, _| id.database != database);
        self.directories.lock().remove(&database);
        self.remove_from_tablespaces(database)?;
        let name = format!("base/{database}");
        match std::fs::remove_dir_all(self.root.join(&name)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StorageError::file("remove", &name, &e)),
            _ => self.sync_directory("base"),
        }
    }

    /// Makes entries in a directory durable at once.
    pub(crate) fn sync_directory(&self, name: &str) -> Result<()> {
        sync_directory(&self.root, name)
    }

    /// The directory of a database's files.
    fn directory(&self, database: u32) -> Result<Arc<Directory>> {
        use std::collections::btree_map::Entry;
        Ok(match self.directories.lock().entry(database) {
            Entry::Occupied(open) => open.get().clone(),
            Entry::Vacant(place) => {
                let directory = Directory::open(&self.root, &format!("base/{database}"))?;
                place.insert(Arc::new(directory)).clone()
            }
        })
    }

    /// Those of databases that relations were opened in.
    pub(crate) fn directories(&self) -> Vec<Arc<Directory>> {
        self.directories.lock().values().cloned().collect()
    }

    /// Could a flush not be done? Of a relation in a tablespace it says nothing: the rest of the server can go on without it.
    pub fn is_broken(&self) -> bool {
        let is_broken = |relation: &Arc<Relation>| relation.is_broken() && !relation.is_elsewhere();
        self.directories().iter().any(|directory| directory.is_broken()) || self.open_relations().iter().any(is_broken)
    }

    fn unopened(&self, id: RelationId) -> Result<Arc<Relation>> {
        let relation = Relation::new(id, self.root.clone(), self.direct, self.directory(id.database)?);
        let relation = Arc::new(relation);
        self.open_files.add(&relation);
        Ok(relation)
    }

    /// Creates an empty relation in the database's directory; a fork beside its relation. An existing file (left by a crash) is
    /// emptied. It is durable after [`Relation::sync`]; in a tablespace at once.
    pub fn create(&self, id: RelationId) -> Result<Arc<Relation>> {
        let beside = id.is_fork().then(|| self.tablespace_of(id.main())).flatten();
        self.create_in(id, beside.unwrap_or(DEFAULT_TABLESPACE))
    }

    /// The same in a tablespace.
    pub fn create_in(&self, id: RelationId, tablespace: u32) -> Result<Arc<Relation>> {
        if tablespace != DEFAULT_TABLESPACE {
            self.link(id, tablespace)?;
        }
        let relation = self.unopened(id)?;
        let name = relation.name().to_string();
        relation.segment(0, true)?.set_len(0).map_err(|e| StorageError::file("truncate", &name, &e))?;
        if !id.is_fork() {
            self.remove_file(&id.vm().to_string())?;
            self.remove_file(&id.fsm().to_string())?;
        }
        self.open.lock().insert(id, relation.clone());
        Ok(relation)
    }

    /// Opens a relation; its length is what the segment files say.
    pub fn open(&self, id: RelationId) -> Result<Arc<Relation>> {
        if let Some(relation) = self.open.lock().get(&id) {
            return Ok(relation.clone());
        }
        let relation = self.unopened(id)?;
        let mut blocks = 0;
        for number in 0.. {
            let segment = match relation.segment(number, false) {
                Ok(segment) => segment,
                Err(StorageError::File { errno: libc::ENOENT, .. }) if number > 0 => break,
                Err(e) => return Err(e),
            };
            let len = segment.len().map_err(|e| StorageError::file("stat", relation.name(), &e))?;
            blocks += (len / PAGE_SIZE as u64) as u32;
            if len < u64::from(SEGMENT_BLOCKS) * PAGE_SIZE as u64 {
                break;
            }
        }
        relation.blocks.store(blocks, Ordering::Release);
        relation.found.store(blocks, Ordering::Release);
        relation.allocated.store(blocks, Ordering::Release);
        if !id.is_fork() {
            self.load_visibility(&relation)?;
            // A crash may have come between a cut and the map's next writing.
            relation.visibility.truncate(blocks);
        }
        Ok(self.open.lock().entry(id).or_insert(relation).clone())
    }

    fn load_visibility(&self, relation: &Relation) -> Result<()> {
        let name = relation.id.vm().to_string();
        let bad = with_room(|| relation.visibility.load(&self.root.join(&name), relation.id, relation.blocks()));
        for page in bad.map_err(|e| StorageError::file("read", &name, &e))? {
            tracing::warn!("invalid page in block {page} of visibility map \"{name}\"; VACUUM makes it anew");
        }
        Ok(())
    }

    /// Opens a relation that may not be there.
    pub fn open_if_exists(&self, id: RelationId) -> Result<Option<Arc<Relation>>> {
        match self.open(id) {
            Err(StorageError::File { errno: libc::ENOENT, .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// A relation that is open.
    pub fn opened(&self, id: RelationId) -> Option<Arc<Relation>> {
        self.open.lock().get(&id).cloned()
    }

    /// Opens a relation that may be gone by now: recovery finds changes of relations that were dropped later.
    pub fn open_or_create(&self, id: RelationId) -> Result<Arc<Relation>> {
        if let Some(relation) = self.open_if_exists(id)? {
            return Ok(relation);
        }
        if !self.root.join(format!("base/{}", id.database)).is_dir() {
            self.create_database(id.database)?;
        }
        self.create(id)
    }

    /// The relations that have files in a database's directory.
    pub fn list(&self, database: u32) -> Result<Vec<RelationId>> {
        let name = format!("base/{database}");
        let failed = |e| StorageError::file("list", &name, &e);
        let mut found = Vec::new();
        for entry in with_room(|| std::fs::read_dir(self.root.join(&name))).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            found.extend(entry.file_name().to_str().and_then(|name| RelationId::of_file(database, name)));
        }
        Ok(found)
    }

    /// The databases that have directories.
    pub fn databases(&self) -> Result<Vec<u32>> {
        let failed = |e| StorageError::file("list", "base", &e);
        let mut found = Vec::new();
        for entry in with_room(|| std::fs::read_dir(self.root.join("base"))).map_err(failed)? {
            found.extend(entry.map_err(failed)?.file_name().to_str().and_then(|n| n.parse::<u32>().ok()));
        }
        Ok(found)
    }

    /// Every relation opened so far: those that can have unflushed writes. In an order that a simulation repeats.
    pub fn open_relations(&self) -> Vec<Arc<Relation>> {
        self.open.lock().values().cloned().collect()
    }

    /// Relations whose last write failed.
    pub fn unwritable(&self) -> Vec<RelationId> {
        let open = self.open.lock();
        open.iter().filter(|(_, relation)| relation.check_writable().is_err()).map(|(id, _)| *id).collect()
    }

    /// Removes a relation's files, those of its forks too. Missing ones are no error: a crash may have come between. After one they
    /// may be there again; they are nobody's then, and removed at the next start.
    pub fn remove(&self, id: RelationId) -> Result<()> {
        let (main, toast) = (id.main(), id.main().toast());
        self.directory(id.database)?.note_entry();
        for id in [toast.fsm(), toast, main.fsm(), main.vm(), id] {
            self.open.lock().remove(&id);
            let (linked, path) = (id.to_string(), path_of(&self.root, id));
            let is_there = |number: &u32| self.root.join(segment_name(&path, *number)).symlink_metadata().is_ok();
            let segments = (0..).take_while(is_there).count() as u32;
            // The last one first: those that a crash leaves are found again.
            for number in (0..segments).rev() {
                self.remove_file(&segment_name(&path, number))?;
            }
            if linked == path {
                continue;
            }
            // The link last. Where the volume is missing it stays, for the next start to find the files by.
            let directory = path.rsplit_once('/').expect("a path").0;
            if self.root.join(directory).is_dir() {
                self.sync_directory(directory)?;
                self.remove_file(&linked)?;
            }
        }
        Ok(())
    }

    /// `false`: there is none.
    pub(crate) fn remove_file(&self, name: &str) -> Result<bool> {
        match std::fs::remove_file(self.root.join(name)) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(StorageError::file("remove", name, &e)),
        }
    }
}

/// The path of a relation's first segment below the data directory: in a tablespace, if it is there.
pub(crate) fn path_of(root: &Path, id: RelationId) -> String {
    let name = id.to_string();
    let link = std::fs::read_link(root.join(&name)).ok();
    // It leads up to the data directory, and down from there.
    let target = link.as_deref().and_then(Path::to_str).and_then(|target| target.strip_prefix(tablespace::TO_ROOT));
    target.map_or(name, str::to_string)
}

fn sync_directory(root: &Path, name: &str) -> Result<()> {
    let directory = with_room(|| std::fs::File::open(root.join(name)));
    let directory = directory.map_err(|e| StorageError::file("open", name, &e))?;
    directory.sync_all().map_err(|e| StorageError::file("fsync", name, &e))
}

fn segment_name(path: &str, number: u32) -> String {
    if number == 0 { path.to_string() } else { format!("{path}.{number}") }
}

/// A relation's files.
#[derive(Debug)]
pub struct Relation {
    id: RelationId,
    root: PathBuf,
    /// Of its first segment, below the data directory.
    path: String,
    direct: bool,
    /// Of its database: where it is, or the link to it.
    pub(crate) directory: Arc<Directory>,
    blocks: AtomicU32,
    /// Those that its files had when it was opened.
    found: AtomicU32,
    /// Blocks that have space on the disk.
    allocated: AtomicU32,
    /// Those that were opened.
    pub(crate) segments: RwLock<Vec<Option<Segment>>>,
    /// The system's number for the volume that they are on; 0: none was opened yet.
    device_number: AtomicU64,
    visibility: VisibilityMap,
    free_space: FreeSpaceMap,
    file_errors: FileErrors,
    flushing: Flushing,
    /// Those who read it without a lock on its table, or -1 while it is being cut.
    length_users: AtomicI32,
    /// Where is counted what is done with it, once somebody has said so.
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
    fn new(id: RelationId, root: PathBuf, direct: bool, directory: Arc<Directory>) -> Relation {
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

    /// Which of its blocks everybody sees alike.
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

    /// Keeps the relation from being cut until this is dropped, for somebody who reads it without a lock on its table; `None`: it is
    /// being cut just now.
    pub fn keep_length(&self) -> Option<KeptLength<'_>> {
        let more = |users: i32| (users >= 0).then_some(users + 1);
        self.length_users.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(KeptLength { users: &self.length_users, change: -1 })
    }

    /// Keeps others from reading it without a lock, for a cut; `None`: somebody does.
    pub fn change_length(&self) -> Option<KeptLength<'_>> {
        self.length_users.compare_exchange(0, -1, Ordering::AcqRel, Ordering::Acquire).ok()?;
        Some(KeptLength { users: &self.length_users, change: 1 })
    }

    /// Makes every segment at least as long as the relation's blocks in it, so that unwritten ones read as zeros.
    pub fn materialise(&self) -> Result<()> {
        // Others may be writing behind its end.
        self.lengthen(File::extend_to)
    }

    /// The same where nobody else writes, in recovery: also on a disk without room for another block.
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
        tablespace::is_within(&self.path)
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

    fn segment(&self, number: u32, create: bool) -> Result<File> {
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

/// Blocks of a segment file's operation, counted from the start of the relation, and the relation's name.
pub(crate) fn blocks_of(op: &OpInfo) -> (BlockNumber, u32, &str) {
    let (name, segment) = match op.file.rsplit_once('.') {
        Some((name, segment)) => (name, segment.parse().unwrap_or(0)),
        None => (&*op.file, 0),
    };
    let first = segment * SEGMENT_BLOCKS + (op.offset / PAGE_SIZE as u64) as u32;
    (first, (op.len / PAGE_SIZE as u64) as u32, name)
}

/// `pg_aios.target_desc` as PostgreSQL words it.
pub(crate) fn describe(op: &OpInfo) -> String {
    if matches!(op.kind, OpKind::Fsync | OpKind::Fdatasync) {
        return format!("file \"{}\"", op.file);
    }
    match blocks_of(op) {
        (first, 1, name) => format!("block {first} in file \"{name}\""),
        (first, count, name) => format!("blocks {first}..{} in file \"{name}\"", first + count.max(1) - 1),
    }
}
