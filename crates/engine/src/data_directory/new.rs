//! Where a database is made: in a directory that is empty, as by PostgreSQL's initdb. What is in another one is of others, and a
//! wrong `--data-dir` is no reason to write between their files.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use error::sqlstate;

use crate::data_directory::control::Control;
use crate::data_directory::files::file_error;
use crate::data_directory::{LOCK_FILE, MAPS, RULES, SETTINGS};
use crate::{EngineError, Result};

/// What may be there before: configuration, which may be written first, and what is there where it was broken off to make the
/// database.
const OWN: &[&str] = &[
    SETTINGS,
    "inflight.auto.conf",
    LOCK_FILE,
    RULES,
    MAPS,
    "server.crt",
    "server.key",
    "root.crt",
    "global",
    "base",
    "pg_wal",
    "pg_tblspc",
];

/// Fails if there is no database in the directory, and something else.
pub fn check(root: &Path) -> Result<()> {
    let failed = |e: std::io::Error| file_error("open directory", root, &e);
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    };
    let names = entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
    // Files that are replaced are written beside their place first.
    let is_own = |name: &str| OWN.contains(&name.strip_suffix(".tmp").unwrap_or(name));
    let mut foreign = names.iter().filter(|name| !name.to_str().is_some_and(is_own)).peekable();
    if foreign.peek().is_none() || Control::is_in(root) {
        return Ok(());
    }
    let shown = root.display();
    let error = EngineError::new(sqlstate::DUPLICATE_FILE, format!("directory \"{shown}\" exists but is not empty"));
    if foreign.any(|name| name == "lost+found") {
        return Err(error.detail("It contains a lost+found directory, perhaps due to it being a mount point.").hint(
            "Using a mount point directly as the data directory is not recommended. Create a subdirectory under it.",
        ));
    }
    Err(error.hint(format!(
        "If you want to create a new database system, either remove or empty the directory \"{shown}\" or give a --data-dir \
         other than \"{shown}\"."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_files_may_be_there() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        assert!(check(root.path()).is_ok() && check(&path("new")).is_ok());
        // Certificates may come before the database, that of the authority too.
        for name in ["server.crt", "server.key", "root.crt"] {
            fs::write(path(name), "").unwrap();
            assert!(check(root.path()).is_ok(), "{name}");
        }
        for name in OWN {
            fs::write(path(name), "").unwrap();
        }
        assert!(check(root.path()).is_ok());
        fs::write(path("notes.txt"), "").unwrap();
        let error = check(root.path()).unwrap_err();
        assert!(error.message.ends_with("exists but is not empty") && error.hint.is_some(), "{error}");
        assert!(check(&path("notes.txt")).is_err());
        fs::create_dir(path("lost+found")).unwrap();
        assert!(check(root.path()).unwrap_err().detail.is_some_and(|detail| detail.contains("mount point")));
        for name in ["notes.txt", "global", "lost+found"] {
            fs::remove_file(path(name)).or_else(|_| fs::remove_dir(path(name))).unwrap();
        }
        // That there is no database in a directory of PostgreSQL's is known, too.
        fs::write(path("PG_VERSION"), "18\n").unwrap();
        assert!(check(root.path()).is_err());
        fs::create_dir(path("global")).unwrap();
        fs::write(path("global/inflight_control"), "").unwrap();
        assert!(check(root.path()).is_ok());
    }
}
