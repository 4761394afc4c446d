//! The relation files of a data directory. Creating, opening and removing them is rare and synchronous.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aio::Session;
use aio::descriptors::{register_keeper, with_room};
use aio::lwlock::Mutex;

use super::directory::Directory;
use super::flush::flush;
use super::id::RelationId;
use super::open_files::OpenFiles;
use super::path::{DEFAULT_TABLESPACE, path_of, segment_name, sync_directory};
use super::relation::{Relation, flushed};
use super::segment::SEGMENT_BLOCKS;
use crate::error::{Result, StorageError};
use crate::page::PAGE_SIZE;

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
        relation.note_found(blocks);
        if !id.is_fork() {
            self.load_visibility(&relation)?;
            // A crash may have come between a cut and the map's next writing.
            relation.visibility().truncate(blocks);
        }
        Ok(self.open.lock().entry(id).or_insert(relation).clone())
    }

    fn load_visibility(&self, relation: &Relation) -> Result<()> {
        let name = relation.id().vm().to_string();
        let bad = with_room(|| relation.visibility().load(&self.root.join(&name), relation.id(), relation.blocks()));
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
    /// may be there again; they are no relation's then, and removed at the next start.
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

    /// Makes everything written so far durable, and which files there are.
    pub async fn sync(&self, session: &Session) -> Result<()> {
        flush(session, &flushed(&self.open_relations(), self.directories().into_iter())).await
    }
}
