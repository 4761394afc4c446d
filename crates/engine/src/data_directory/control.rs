//! `global/inflight_control`: what a start needs to know, replaced atomically by each checkpoint.
//!
//! One line with the CRC-32C (hexadecimal) of the rest, then JSON. It is written to a temporary file, flushed, and renamed
//! over the old one, so there is always one complete version.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use ::error::sqlstate;
use aio::descriptors::with_room;
use aio::{Engine, Pattern};
use serde::{Deserialize, Serialize};
use storage::FileSet;

use crate::catalog::Catalog;
use crate::catalog::file::Place;
use crate::{EngineError, Result};

/// Raised when a data directory can no longer be read by older or newer code.
pub const FORMAT: u32 = 12;
/// The oldest one that can be read. (The catalog was definitions in this file before.)
const OLDEST: u32 = 12;

/// Blocks that a bulk load has reserved: database, file, first block, end.
pub type ReservedRange = (u32, u32, u32, u32);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Control {
    pub format: u32,
    pub page_size: usize,
    pub system_identifier: u64,
    pub wal_segment_size: u64,
    /// Recovery starts here.
    pub redo: u64,
    /// The log's epoch when that checkpoint was taken. What is of an older one from there on is no record.
    pub redo_epoch: u16,
    /// That checkpoint has a record there: without it the log is not the one that was written.
    #[serde(default)]
    pub has_record: bool,
    /// The latest epoch; the next opening of the log has another.
    pub epoch: u16,
    /// The server stopped cleanly, and the log ends at `redo`.
    pub clean: bool,
    pub next_xid: u64,
    /// Transactions in progress, and their latest undo records.
    pub unfinished: Vec<(u64, u64)>,
    /// Bulk loads of transactions in progress.
    pub reserved: Vec<(u64, ReservedRange)>,
    /// Where the catalogs are.
    pub catalog: Place,
    pub next_oid: u32,
    /// How volumes are best read, by the tablespaces that are on them; 0 is the data directory's.
    #[serde(default)]
    pub read_speeds: BTreeMap<u32, [ReadSpeed; 2]>,
    /// 64 hexadecimal digits that no client knows: the salts of roles that are not there come from it.
    pub mock_secret: String,
}

pub(crate) const NAME: &str = "global/inflight_control";
/// The one before it. The next one is written there, so that a full disk keeps no server from stopping or starting.
const OTHER: &str = "global/inflight_control.other";
/// Bytes that it has room for beyond what was written last.
const GROWTH: usize = 16 << 10;

/// Writes a file, or has it as it was: the text goes into the `other` one, and then the two change places. `room`: the other one keeps
/// some for the next text.
fn replace(path: &Path, other: &Path, text: &str, room: bool) -> std::io::Result<()> {
    let directory = with_room(|| fs::File::open(path.parent().expect("a file is in a directory")))?;
    // Which of the two is which may not be durable, if the server that exchanged them last was killed right then.
    directory.sync_all()?;
    let mut file = with_room(|| fs::OpenOptions::new().write(true).create(true).truncate(false).open(other))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_all()?;
    match aio::exchange_files(other, path) {
        Ok(()) => {}
        // The first one, or a file system that cannot.
        Err(_) => fs::rename(other, path)?,
    }
    directory.sync_all()?;
    if !room {
        return Ok(());
    }
    // The next text may be longer. If there is no room for that now, it is told then.
    let room = fs::OpenOptions::new().write(true).create(true).truncate(false).open(other);
    let _ = room.and_then(|mut file| file.write_all(&vec![0; text.len() + GROWTH]));
    Ok(())
}

fn failed(action: &str, error: &std::io::Error) -> EngineError {
    let code = if error.raw_os_error() == Some(libc::ENOSPC) { sqlstate::DISK_FULL } else { sqlstate::IO_ERROR };
    EngineError::new(code, format!("could not {action} file \"{NAME}\": {error}"))
}

/// How a volume is best read in one pattern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadSpeed {
    pub depth: usize,
    pub rate: f64,
}

const PATTERNS: [Pattern; 2] = [Pattern::Sequential, Pattern::Scattered];

/// What is known of the volumes that tablespaces are on.
pub fn known_read_speeds(engine: &Engine, files: &FileSet, catalog: &Catalog) -> BTreeMap<u32, [ReadSpeed; 2]> {
    let of_device = |number| {
        PATTERNS.map(|pattern| {
            let aio::ReadSpeed { depth, rate } = engine.device(number).read_speed(pattern);
            ReadSpeed { depth, rate }
        })
    };
    let tablespaces = catalog.tablespaces().map(|tablespace| tablespace.oid).chain([0]);
    let known = tablespaces.filter_map(|tablespace| Some((tablespace, of_device(files.device_number(tablespace)?))));
    known.collect()
}

impl Control {
    /// Is there one in a data directory?
    pub fn is_in(root: &Path) -> bool {
        root.join(NAME).exists()
    }

    /// Tells the engine what earlier runs of the server have found out about volumes.
    pub fn tell_read_speeds(&self, engine: &Engine, files: &FileSet) {
        for (&tablespace, speeds) in &self.read_speeds {
            let Some(number) = files.device_number(tablespace) else { continue };
            for (pattern, &ReadSpeed { depth, rate }) in PATTERNS.into_iter().zip(speeds) {
                engine.device(number).set_read_speed(pattern, aio::ReadSpeed { depth, rate });
            }
        }
    }

    /// `None` in a directory that has none yet.
    pub fn read(root: &Path) -> Result<Option<Control>> {
        let text = match fs::read_to_string(root.join(NAME)) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed("read", &e)),
        };
        let corrupt = |reason: String| {
            EngineError::new(sqlstate::DATA_CORRUPTED, format!("file \"{NAME}\" is damaged: {reason}"))
        };
        let (crc, json) = text.split_once('\n').ok_or_else(|| corrupt("it is cut short".into()))?;
        if u32::from_str_radix(crc, 16).ok() != Some(crc32c::crc32c(json.as_bytes())) {
            return Err(corrupt("its checksum is wrong".into()));
        }
        #[derive(Deserialize)]
        struct Version {
            format: u32,
            page_size: usize,
        }
        let version: Version = serde_json::from_str(json).map_err(|e| corrupt(e.to_string()))?;
        if !(OLDEST..=FORMAT).contains(&version.format) || version.page_size != storage::PAGE_SIZE {
            let detail = format!(
                "The data directory was initialized with format {} and pages of {} bytes, which is not compatible with \
                 this server: format {FORMAT} and pages of {} bytes.",
                version.format,
                version.page_size,
                storage::PAGE_SIZE
            );
            return Err(EngineError::new(sqlstate::CONFIG_FILE_ERROR, "database files are incompatible with server")
                .detail(detail)
                .hint(
                    "Dump the databases with the server that wrote them, and restore them into a new data directory.",
                ));
        }
        let control: Control = serde_json::from_str(json).map_err(|e| corrupt(e.to_string()))?;
        Ok(Some(control))
    }

    /// `room`: for the next time, too. A start leaves it to lock files and the like until the first checkpoint after it.
    pub fn write(&self, root: &Path, room: bool) -> Result<()> {
        let json = serde_json::to_string(self).expect("the control data has no maps that JSON cannot express");
        let text = format!("{:08x}\n{json}", crc32c::crc32c(json.as_bytes()));
        replace(&root.join(NAME), &root.join(OTHER), &text, room).map_err(|e| failed("write", &e))
    }
}
