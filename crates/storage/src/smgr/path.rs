//! Where relations' files are below the data directory: in their database's directory, or in a tablespace, to which a link leads.

use std::path::Path;

use aio::descriptors::with_room;

use super::id::RelationId;
use crate::error::{Result, StorageError};

/// `pg_default`'s number.
pub const DEFAULT_TABLESPACE: u32 = 1663;

/// Where the locations are linked from.
pub(super) const LINKS: &str = "pg_tblspc";
/// Below a location: the files of this server, in this format.
pub(super) const OWN: &str = "INFLIGHT_1";
/// From a database's directory to the data directory.
pub(super) const TO_ROOT: &str = "../../";

/// The path of a relation's first segment below the data directory: in a tablespace, if it is there.
pub(super) fn path_of(root: &Path, id: RelationId) -> String {
    let name = id.to_string();
    let link = std::fs::read_link(root.join(&name)).ok();
    // It leads up to the data directory, and down from there.
    let target = link.as_deref().and_then(Path::to_str).and_then(|target| target.strip_prefix(TO_ROOT));
    target.map_or(name, str::to_string)
}

pub(super) fn sync_directory(root: &Path, name: &str) -> Result<()> {
    let directory = with_room(|| std::fs::File::open(root.join(name)));
    let directory = directory.map_err(|e| StorageError::file("open", name, &e))?;
    directory.sync_all().map_err(|e| StorageError::file("fsync", name, &e))
}

pub(super) fn segment_name(path: &str, number: u32) -> String {
    if number == 0 { path.to_string() } else { format!("{path}.{number}") }
}

/// Is this path, below the data directory, in a tablespace?
pub(super) fn is_within(path: &str) -> bool {
    path.strip_prefix(LINKS).is_some_and(|rest| rest.starts_with('/'))
}

pub(super) fn link_of(oid: u32) -> String {
    format!("{LINKS}/{oid}")
}
