//! The catalogs' file, `global/inflight_catalog.N`: the rows of all catalogs as the last checkpoint found them, without what the
//! log has. A checkpoint appends the changes since the last one; where changes have come to be more than rows, a new file with the
//! rows alone takes its place. The control file says which file it is, and how much of it counts.
//!
//! # Format
//! Batches: the length and the CRC-32C of what follows (four bytes each, little-endian), then changes as the log has them
//! ([`catalog::RowChange::encode`]).
//!
//! # Invariants
//! * What counts is never written again: a checkpoint that a crash cuts off leaves it as it was.
//! * A file goes when the control file names another.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ::error::sqlstate;
use aio::descriptors::with_room;
use catalog::RowChange;
use serde::{Deserialize, Serialize};

use super::{Catalog, DatabaseChange, load};
use crate::{EngineError, Result};

/// What the control file says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub number: u32,
    /// Bytes that count.
    pub length: u64,
}

/// Bytes of changes from which on they may be more than the rows.
const LEAST: u64 = 1 << 20;
/// Bytes that the file has room for beyond what counts, so that a full disk does not keep the server from stopping.
const GROWTH: u64 = 16 << 10;
/// Bytes of rows in a batch, more or less.
const BATCH: usize = 1 << 20;

/// The file that is being written: the checkpointer's.
#[derive(Debug)]
pub(crate) struct CatalogFile {
    directory: PathBuf,
    place: Place,
    /// Its length when it had rows alone.
    whole: u64,
    /// Changes that a checkpoint has taken and not written yet.
    taken: Vec<Vec<u8>>,
}

impl CatalogFile {
    /// The file of a data directory, and what is in it.
    pub fn open(root: &Path, place: Place) -> Result<(CatalogFile, Catalog)> {
        let directory = root.join("global");
        let catalog = read(&path(&directory, place.number), place)?;
        Ok((CatalogFile { directory, place, whole: place.length, taken: Vec::new() }, catalog))
    }

    /// Makes the first one.
    pub fn create(root: &Path, catalog: &Catalog) -> Result<CatalogFile> {
        let place = Place { number: 0, length: 0 };
        let mut file = CatalogFile { directory: root.join("global"), place, whole: 0, taken: Vec::new() };
        file.rewrite(catalog)?;
        Ok(file)
    }

    pub fn place(&self) -> Place {
        self.place
    }

    /// Takes changes that are to be written.
    pub fn take(&mut self, changes: Vec<Vec<u8>>) {
        self.taken.extend(changes);
    }

    /// Writes the changes taken, which have made the catalog `catalog` of what the file has. What fails is tried again by the next
    /// checkpoint.
    pub fn write(&mut self, catalog: &Catalog) -> Result<()> {
        let bytes: u64 = self.taken.iter().map(|change| change.len() as u64).sum();
        if bytes == 0 {
            return Ok(());
        }
        if self.place.length + bytes > 2 * self.whole + LEAST {
            match self.rewrite(catalog) {
                Err(error) if error.code == sqlstate::DISK_FULL => {}
                written => return written,
            }
        }
        self.append()
    }

    fn append(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        self.taken.iter().for_each(|changes| batch(changes, &mut bytes));
        let path = path(&self.directory, self.place.number);
        let written = || {
            let mut file = with_room(|| OpenOptions::new().write(true).open(&path))?;
            file.seek(SeekFrom::Start(self.place.length))?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            Ok::<File, std::io::Error>(file)
        };
        let file = written().map_err(|error| failed("write", &path, &error))?;
        self.place.length += bytes.len() as u64;
        self.taken.clear();
        make_room(file, self.place.length);
        Ok(())
    }

    fn rewrite(&mut self, catalog: &Catalog) -> Result<()> {
        let number = self.place.number.wrapping_add(1);
        let path = path(&self.directory, number);
        let written = || {
            let mut file = with_room(|| OpenOptions::new().write(true).create(true).truncate(true).open(&path))?;
            let length = write_rows(catalog, &mut file)?;
            file.sync_all()?;
            with_room(|| File::open(&self.directory))?.sync_all()?;
            Ok::<(File, u64), std::io::Error>((file, length))
        };
        let (file, length) = written().map_err(|error| failed("write", &path, &error))?;
        self.place = Place { number, length };
        self.whole = length;
        self.taken.clear();
        make_room(file, length);
        Ok(())
    }

    /// The control file names this one: others go.
    pub fn remove_others(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let current = path(&self.directory, self.place.number);
        let is_other = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(NAME) && *path != current
        };
        for path in entries.flatten().map(|entry| entry.path()).filter(is_other) {
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an old file of the catalogs could not be removed");
            }
        }
    }
}

const NAME: &str = "inflight_catalog.";

fn path(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("{NAME}{number}"))
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> EngineError {
    let code = if error.raw_os_error() == Some(libc::ENOSPC) { sqlstate::DISK_FULL } else { sqlstate::IO_ERROR };
    EngineError::new(code, format!("could not {action} file \"{}\": {error}", path.display()))
}

/// If there is no room for it now, others may have what there is; the next write says so.
fn make_room(mut file: File, length: u64) {
    let has = file.metadata().map_or(0, |known| known.len()).max(length);
    if has >= length + GROWTH / 2 || file.seek(SeekFrom::Start(has)).is_err() {
        return;
    }
    if let Err(error) = file.write_all(&vec![0; GROWTH as usize]) {
        tracing::debug!(%error, "no room ahead for the catalogs");
        let _ = file.set_len(has);
    }
}

fn batch(changes: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(changes.len()).expect("a transaction's changes are fewer");
    out.extend(length.to_le_bytes());
    out.extend(crc32c::crc32c(changes).to_le_bytes());
    out.extend(changes);
}

/// Writes the rows of a whole catalog; gives their length.
fn write_rows(catalog: &Catalog, file: &mut File) -> std::io::Result<u64> {
    let (mut length, mut changes, mut failed) = (0, Vec::with_capacity(BATCH), Ok(()));
    let mut write = |changes: &mut Vec<u8>| {
        let mut bytes = Vec::with_capacity(changes.len() + 8);
        batch(changes, &mut bytes);
        changes.clear();
        length += bytes.len() as u64;
        file.write_all(&bytes)
    };
    let mut add = |database: u32, change: RowChange| {
        if failed.is_ok() {
            change.encode(database, &mut changes);
            if changes.len() >= BATCH {
                failed = write(&mut changes);
            }
        }
    };
    catalog.shared.each_change(|change| add(0, change));
    for database in catalog.databases() {
        database.objects().each_change(|change| {
            if !change.key().is_shared() {
                add(database.oid, change);
            }
        });
    }
    failed?;
    write(&mut changes)?;
    Ok(length)
}

fn read(path: &Path, place: Place) -> Result<Catalog> {
    let mut bytes = Vec::new();
    let read = with_room(|| File::open(path)).and_then(|file| file.take(place.length).read_to_end(&mut bytes));
    read.map_err(|error| failed("read", path, &error))?;
    let damaged = |what: &str| {
        EngineError::new(sqlstate::DATA_CORRUPTED, format!("file \"{}\" is damaged: {what}", path.display()))
    };
    if (bytes.len() as u64) < place.length {
        return Err(damaged("it is cut short"));
    }
    let mut batches = Vec::new();
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (batch, behind) = Batch::split(rest).ok_or_else(|| damaged("it is cut short"))?;
        batches.push(batch);
        rest = behind;
    }
    load::catalog(&batches).map_err(damaged)
}

/// A batch, as it lies in the file.
pub(super) struct Batch<'a> {
    checksum: u32,
    changes: &'a [u8],
}

impl<'a> Batch<'a> {
    /// The first one, and what comes behind it; `None`: the bytes end within it.
    fn split(bytes: &'a [u8]) -> Option<(Batch<'a>, &'a [u8])> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (changes, behind) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((Batch { checksum: u32::from_le_bytes(*checksum), changes }, behind))
    }

    /// Its changes; what is wrong with it otherwise.
    pub fn changes(&self) -> std::result::Result<Vec<DatabaseChange>, &'static str> {
        if crc32c::crc32c(self.changes) != self.checksum {
            return Err("its checksum is wrong");
        }
        decode(self.changes).ok_or("it has no such rows")
    }
}

/// Changes as the log and the file have them; `None`: the bytes are none.
pub(crate) fn decode(mut bytes: &[u8]) -> Option<Vec<DatabaseChange>> {
    let mut changes = Vec::new();
    while !bytes.is_empty() {
        changes.push(RowChange::decode(&mut bytes)?);
    }
    Some(changes)
}

pub(crate) fn encode<'a>(changes: impl IntoIterator<Item = (u32, &'a RowChange)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    changes.into_iter().for_each(|(database, change)| change.encode(database, &mut bytes));
    bytes
}
