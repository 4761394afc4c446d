//! The data directory as a place in the file system: whose it is, who may look into it, and what is in it from the beginning.
//!
//! # Invariants
//! * One server has it: the one that holds the system's lock on the directory itself. `inflight.pid` says which one that is. This
//!   file is locked too, for file systems on which a directory cannot be.
//! * A server that finds that `inflight.pid` is gone, or another one, stops: it may not be alone.
//! * No other user can read what is in it, as PostgreSQL has it: 0700, or 0750 where the group may make backups.
//! * What says who may come in is written when the directory is made, and never again: rules that were lost do not come back
//!   as others.

pub(crate) mod control;
pub(crate) mod files;
pub(crate) mod new;

use std::fs::{self, DirBuilder, File, Metadata, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ::error::sqlstate;
use auth::hba;

use crate::data_directory::control::Control;
use crate::data_directory::files::{file_error, replace_file, system_user};
use crate::{EngineError, Result};

/// Its mode when it is made.
const PRIVATE: u32 = 0o700;
/// What the group may do besides, at most.
const GROUP: u32 = 0o050;
/// What opens it to other users: the group may write, or others do anything.
const OPEN: u32 = 0o027;

pub(crate) const LOCK_FILE: &str = "inflight.pid";
pub(crate) const SETTINGS: &str = "inflight.conf";
pub(crate) const RULES: &str = "pg_hba.conf";
pub(crate) const MAPS: &str = "pg_ident.conf";
fn refused(message: String) -> EngineError {
    EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
}

/// A data directory that this process has.
#[derive(Debug)]
pub struct DataDirectory {
    /// Locked, as long as it is open; `None` where directories cannot be.
    _directory: Option<File>,
    file: File,
    path: PathBuf,
    /// The directory's own permissions.
    pub mode: u32,
    /// There is no database in it yet.
    pub is_new: bool,
}

impl DataDirectory {
    /// Makes the directory if it is not there, looks whether it may be used, and takes it. Fails if another server has it, or if there
    /// is something else than a database in it.
    pub fn take(root: &Path) -> Result<DataDirectory> {
        let is_new = !Control::is_in(root);
        if is_new {
            new::check(root)?;
        }
        let mode = make_private(root, is_new)?;
        let path = root.join(LOCK_FILE);
        let directory = File::open(root).map_err(|e| file_error("open directory", root, &e))?;
        let directory = match directory.try_lock() {
            Ok(()) => Some(directory),
            Err(TryLockError::WouldBlock) => return Err(taken(root, &path)),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "the data directory cannot be locked: the lock on {LOCK_FILE} has to do");
                None
            }
        };
        let failed = |e: io::Error| file_error("open lock file", &path, &e);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(taken(root, &path)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let text = format!("{}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        Ok(DataDirectory { _directory: directory, file, path, mode, is_new })
    }

    /// Is it still this process's? The reason if not.
    pub fn check(&self) -> std::result::Result<(), String> {
        let same = |a: &Metadata, b: &Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        match fs::metadata(&self.path) {
            Ok(there) if self.file.metadata().is_ok_and(|own| same(&own, &there)) => Ok(()),
            Ok(_) => Err(format!("lock file \"{}\" is another server's", self.path.display())),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Err(format!("lock file \"{}\" is gone", self.path.display()))
            }
            // It says nothing about the file.
            Err(error) => {
                tracing::warn!(%error, "could not look at lock file \"{}\"; continuing anyway", self.path.display());
                Ok(())
            }
        }
    }

    /// Makes the directories of a new database, and the files that there are none of; in another one all must be there.
    pub fn furnish(&self, root: &Path) -> Result<()> {
        if self.is_new && has_data(root) {
            let message = format!("\"{}\" has data but no file \"{}\"", root.display(), control::NAME);
            return Err(EngineError::new(sqlstate::UNDEFINED_FILE, message));
        }
        for name in ["global", "base", "pg_wal"] {
            let path = root.join(name);
            if self.is_new {
                fs::create_dir_all(&path).map_err(|e| file_error("create directory", &path, &e))?;
            } else if !path.is_dir() {
                return Err(EngineError::new(
                    sqlstate::UNDEFINED_FILE,
                    format!("required directory \"{name}\" does not exist"),
                ));
            }
        }
        let settings = "# Inflight's settings, in postgresql.conf's syntax. SHOW ALL lists them.\n".to_string();
        let maps = hba::first_file(&system_user());
        for (name, text) in [(SETTINGS, settings), (RULES, hba::FIRST_FILE.to_string()), (MAPS, maps)] {
            let path = root.join(name);
            if self.is_new && !path.exists() {
                replace_file(&path, &text).map_err(|e| file_error("create", &path, &e))?;
            }
        }
        let settings = root.join(SETTINGS);
        match fs::metadata(&settings) {
            Ok(_) => Ok(()),
            Err(error) => Err(file_error("access the server configuration file", &settings, &error).hint(
                "It is written when the data directory is made, and never again: bring it back, or make an empty one for the \
                 defaults.",
            )),
        }
    }
}

/// Is there a database's data in it? Directories of databases are there when making it was broken off before.
fn has_data(root: &Path) -> bool {
    let occupied = |directory: PathBuf| fs::read_dir(directory).is_ok_and(|mut files| files.next().is_some());
    let databases = fs::read_dir(root.join("base")).into_iter().flatten().flatten().map(|entry| entry.path());
    databases.into_iter().any(occupied) || occupied(root.join("pg_wal"))
}

fn taken(root: &Path, lock_file: &Path) -> EngineError {
    let owner = fs::read_to_string(lock_file).ok();
    let (message, owner) = match owner.as_deref().and_then(|text| text.lines().next()) {
        Some(owner) => (format!("lock file \"{}\" already exists", lock_file.display()), format!(" (PID {owner})")),
        None => (format!("data directory \"{}\" is in use by another server", root.display()), String::new()),
    };
    let hint = format!("Is another inflight{owner} running in data directory \"{}\"?", root.display());
    EngineError::new(sqlstate::LOCK_FILE_EXISTS, message).hint(hint)
}

/// Sees to it that the directory is there and that no other user can read it (`checkDataDir`); gives its permissions.
fn make_private(root: &Path, is_new: bool) -> Result<u32> {
    let metadata = match fs::metadata(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = root.parent().filter(|parent| !parent.as_os_str().is_empty());
            let made =
                parent.map_or(Ok(()), fs::create_dir_all).and_then(|()| DirBuilder::new().mode(PRIVATE).create(root));
            match made {
                // Another server was quicker.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(|e| file_error("create directory", root, &e))?,
            }
            fs::metadata(root)
        }
        metadata => metadata,
    };
    let metadata = metadata.map_err(|e| file_error("read permissions of directory", root, &e))?;
    let shown = root.display();
    if !metadata.is_dir() {
        return Err(refused(format!("specified data directory \"{shown}\" is not a directory")));
    }
    let own = fs::metadata("/proc/self").map(|process| process.uid());
    if own.is_ok_and(|own| own != metadata.uid()) {
        return Err(refused(format!("data directory \"{shown}\" has wrong ownership"))
            .hint("The server must be started by the user that owns the data directory."));
    }
    let mode = metadata.mode() & 0o777;
    if mode & OPEN == 0 {
        return Ok(mode);
    }
    if is_new {
        // As initdb does with an empty one: what others have in it was refused.
        fs::set_permissions(root, Permissions::from_mode(PRIVATE))
            .map_err(|e| file_error("change permissions of directory", root, &e))?;
        return Ok(PRIVATE);
    }
    Err(refused(format!("data directory \"{shown}\" has invalid permissions"))
        .detail("Permissions should be u=rwx (0700) or u=rwx,g=rx (0750).")
        .hint(format!("chmod 0700 \"{shown}\"")))
}

/// What others may not do with new files where the data directory has this mode: `umask`.
pub fn file_mask(mode: u32) -> u32 {
    // One that is open to others is made private, or refused.
    if mode & (GROUP | OPEN) == GROUP { 0o027 } else { 0o077 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_directory_is_its_owners() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("a").join("b");
        drop(DataDirectory::take(&root).unwrap());
        assert_eq!(mode_of(&root), 0o700);
        // One that was empty, or had settings in it.
        let root = parent.path().join("c");
        fs::create_dir(&root).unwrap();
        set_mode(&root, 0o755);
        fs::write(root.join("inflight.conf"), "").unwrap();
        drop(DataDirectory::take(&root).unwrap());
        assert_eq!(mode_of(&root), 0o700);
        // The group may read, if its owner wants that.
        set_mode(&root, 0o750);
        assert_eq!((file_mask(0o40755), file_mask(0o40770)), (0o077, 0o077));
        let mode = DataDirectory::take(&root).unwrap().mode;
        assert_eq!((mode, file_mask(mode), file_mask(0o700), mode_of(&root)), (0o750, 0o027, 0o077, 0o750));
        // Not everything that is no database is a directory to take.
        set_mode(&root, 0o755);
        fs::write(root.join("letter.txt"), "").unwrap();
        let error = DataDirectory::take(&root).unwrap_err();
        assert!(error.code == "58P02" && error.message.ends_with("exists but is not empty"), "{error}");
        assert_eq!(mode_of(&root), 0o755);
        fs::create_dir_all(root.join("global")).unwrap();
        fs::write(root.join(control::NAME), "").unwrap();
        for mode in [0o755, 0o770, 0o701, 0o704, 0o702, 0o720] {
            set_mode(&root, mode);
            let error = DataDirectory::take(&root).unwrap_err();
            assert_eq!(error.code, "55000");
            assert!(error.message.ends_with("has invalid permissions"), "{error}");
            assert_eq!(mode_of(&root), mode);
        }
    }

    #[test]
    fn nobody_else_gets_it() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("data");
        let mine = DataDirectory::take(&root).unwrap();
        assert_eq!(mine.check(), Ok(()));
        let error = DataDirectory::take(&root).unwrap_err();
        assert!(error.code == "F0001" && error.message.ends_with("already exists"), "{error}");
        assert!(error.hint.unwrap().contains(&format!("(PID {})", std::process::id())));
        fs::remove_file(root.join(LOCK_FILE)).unwrap();
        let error = DataDirectory::take(&root).unwrap_err();
        assert!(error.code == "F0001" && error.message.ends_with("is in use by another server"), "{error}");
        assert!(mine.check().unwrap_err().ends_with("is gone"));
        fs::write(root.join(LOCK_FILE), "1\n").unwrap();
        assert!(mine.check().unwrap_err().ends_with("is another server's"));
        assert!(DataDirectory::take(&root).is_err());
        drop(mine);
        assert_eq!(DataDirectory::take(&root).unwrap().check(), Ok(()));
    }

    #[test]
    fn what_is_lost_does_not_come_back() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("data");
        let mine = DataDirectory::take(&root).unwrap();
        mine.furnish(&root).unwrap();
        let names = [SETTINGS, RULES, MAPS];
        assert!(names.iter().all(|name| root.join(name).exists()));
        drop(mine);
        fs::write(root.join(control::NAME), "").unwrap();
        names.iter().for_each(|name| fs::remove_file(root.join(name)).unwrap());
        let mine = DataDirectory::take(&root).unwrap();
        let error = mine.furnish(&root).unwrap_err();
        assert!(error.message.contains("could not access the server configuration file"), "{error}");
        fs::write(root.join(SETTINGS), "").unwrap();
        mine.furnish(&root).unwrap();
        assert!(!root.join(RULES).exists() && !root.join(MAPS).exists());
        fs::remove_dir(root.join("pg_wal")).unwrap();
        assert!(mine.furnish(&root).unwrap_err().message.contains("\"pg_wal\" does not exist"));
    }
}
