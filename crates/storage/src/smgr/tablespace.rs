//! Tablespaces: directories elsewhere, of other volumes mostly, in which relations may be.
//!
//! ```text
//!   pg_tblspc/<tablespace>                            →  the location, as in PostgreSQL
//!   pg_tblspc/<tablespace>/INFLIGHT_1/<database>/<file>   a relation's first segment
//!   base/<database>/<file>                            →  ../../pg_tblspc/<tablespace>/INFLIGHT_1/<database>/<file>
//! ```
//!
//! A link is made after its directory, and the file through the link; a crash in between leaves a link that leads nowhere, which
//! goes with the files that no table has. A directory below the location is made by CREATE TABLESPACE and by the first relation of
//! a database, never by recovery: where a volume is missing, nothing is written into its mount point.

use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use super::files::FileSet;
use super::id::RelationId;
use super::path::{LINKS, OWN, TO_ROOT, link_of, path_of};
use crate::error::{Result, StorageError};

impl FileSet {
    /// Makes a tablespace at a location, which is an empty directory or one with others' files; an empty location is within the
    /// data directory. Fails with [`ErrorKind::AlreadyExists`] where the location is a tablespace already.
    pub fn create_tablespace(&self, oid: u32, location: &str) -> Result<()> {
        let link = link_of(oid);
        let links = self.root().join(LINKS);
        std::fs::create_dir_all(links).map_err(failed("create", LINKS))?;
        if location.is_empty() {
            std::fs::create_dir(self.root().join(&link)).map_err(failed("create", &link))?;
            std::fs::create_dir(self.root().join(&link).join(OWN)).map_err(failed("create", &link))?;
        } else {
            std::fs::create_dir(Path::new(location).join(OWN)).map_err(failed("create", location))?;
            symlink(location, self.root().join(&link)).map_err(failed("create", &link))?;
        }
        self.sync_directory(&link)?;
        self.sync_directory(LINKS)?;
        self.sync_directory(".")
    }

    /// Removes the directories below a location, in which there is nothing: ENOTEMPTY if there is. Those of a volume that is
    /// gone are forgotten.
    pub fn empty_tablespace(&self, oid: u32) -> Result<()> {
        let own = format!("{}/{OWN}", link_of(oid));
        for database in entries(&self.root().join(&own)).unwrap_or_default() {
            let name = format!("{own}/{database}");
            gone(std::fs::remove_dir(self.root().join(&name))).map_err(failed("remove", &name))?;
        }
        gone(std::fs::remove_dir(self.root().join(&own))).map_err(failed("remove", &own))
    }

    /// Removes a tablespace in which there is nothing.
    pub fn remove_tablespace(&self, oid: u32) -> Result<()> {
        self.empty_tablespace(oid)?;
        let link = link_of(oid);
        let path = self.root().join(&link);
        let is_link = path.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink());
        let removed = if is_link { std::fs::remove_file(&path) } else { gone(std::fs::remove_dir(&path)) };
        removed.map_err(failed("remove", &link))?;
        self.sync_directory(LINKS)
    }

    /// The tablespaces that there are links or directories of.
    pub fn tablespaces(&self) -> Result<Vec<u32>> {
        let found = gone_as_none(entries(&self.root().join(LINKS)));
        let found = found.map_err(failed("list", LINKS))?.unwrap_or_default();
        Ok(found.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// Where a tablespace is; `None`: within the data directory.
    pub fn tablespace_location(&self, oid: u32) -> Option<String> {
        let target = std::fs::read_link(self.root().join(link_of(oid))).ok()?;
        target.to_str().map(str::to_string)
    }

    /// The directory of a tablespace's files.
    pub fn tablespace_directory(&self, oid: u32) -> std::path::PathBuf {
        self.root().join(link_of(oid)).join(OWN)
    }

    /// The system's number for the volume that a tablespace is on, 0 standing for the data directory; `None`: it is not there.
    pub fn device_number(&self, oid: u32) -> Option<u64> {
        let directory = if oid == 0 { self.root().to_owned() } else { self.tablespace_directory(oid) };
        Some(directory.metadata().ok()?.dev())
    }

    /// The tablespace that a relation is in; `None`: the default.
    pub fn tablespace_of(&self, id: RelationId) -> Option<u32> {
        path_of(self.root(), id).strip_prefix(LINKS)?.strip_prefix('/')?.split('/').next()?.parse().ok()
    }

    /// Makes the link to a relation's file in a tablespace, and the directory for the file.
    pub(crate) fn link(&self, id: RelationId, tablespace: u32) -> Result<()> {
        let own = format!("{}/{OWN}", link_of(tablespace));
        let directory = format!("{own}/{}", id.database);
        match std::fs::create_dir(self.root().join(&directory)) {
            Ok(()) => self.sync_directory(&own)?,
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(StorageError::file("create", &directory, &e)),
        }
        let name = id.to_string();
        let (_, file) = name.rsplit_once('/').expect("a path");
        self.remove_file(&name)?;
        symlink(format!("{TO_ROOT}{directory}/{file}"), self.root().join(&name)).map_err(failed("create", &name))?;
        // The link first: a file that no link leads to would stay for ever.
        self.sync_directory(&format!("base/{}", id.database))
    }

    /// Removes the files in a tablespace that no relation has: a crash, or a missing volume, has left them behind.
    pub fn remove_unknown(&self, tablespace: u32, known: impl Fn(RelationId) -> bool) -> Result<()> {
        let own = format!("{}/{OWN}", link_of(tablespace));
        for directory in entries(&self.root().join(&own)).unwrap_or_default() {
            let Ok(database) = directory.parse() else { continue };
            for name in entries(&self.root().join(&own).join(&directory)).unwrap_or_default() {
                let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
                let Ok(file) = name[..digits].parse() else { continue };
                if !known(RelationId { database, file }) {
                    self.remove_file(&format!("{own}/{directory}/{name}"))?;
                }
            }
        }
        Ok(())
    }

    /// Removes what a database has in tablespaces.
    pub(crate) fn remove_from_tablespaces(&self, database: u32) -> Result<()> {
        for tablespace in self.tablespaces()? {
            let name = format!("{}/{OWN}/{database}", link_of(tablespace));
            let removed = std::fs::remove_dir_all(self.root().join(&name));
            gone(removed).map_err(failed("remove", &name))?;
        }
        Ok(())
    }
}

/// What could not be done, and with which file.
fn failed(action: &'static str, name: &str) -> impl FnOnce(std::io::Error) -> StorageError {
    move |error| StorageError::file(action, name, &error)
}

fn entries(directory: &Path) -> std::io::Result<Vec<String>> {
    let names = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect()
}

/// What is not there needs no removal.
fn gone(removed: std::io::Result<()>) -> std::io::Result<()> {
    gone_as_none(removed).map(drop)
}

fn gone_as_none<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
