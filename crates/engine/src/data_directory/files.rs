//! Files of the data directory that are written whole, and whose they are.

use std::fs;
use std::io::Write;
use std::path::Path;

use ::error::sqlstate;
use aio::descriptors::with_room;

use crate::EngineError;

/// Replaces a file, so that there is always one complete version of it, also after a power loss.
pub fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_added_extension("tmp");
    let mut file = with_room(|| fs::File::create(&temporary))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    with_room(|| fs::File::open(path.parent().expect("a file is in a directory")))?.sync_all()
}

pub(crate) fn file_error(action: &str, path: &Path, error: &std::io::Error) -> EngineError {
    let code = match error.raw_os_error() {
        Some(libc::ENOSPC) => sqlstate::DISK_FULL,
        Some(libc::EMFILE | libc::ENFILE) => sqlstate::INSUFFICIENT_RESOURCES,
        Some(libc::EACCES | libc::EPERM) => sqlstate::INSUFFICIENT_PRIVILEGE,
        _ => sqlstate::IO_ERROR,
    };
    EngineError::new(code, format!("could not {action} \"{}\": {error}", path.display()))
}

/// The operating system's user, who gets a role of the same name. It is the owner of this process: so does libpq see it.
pub fn system_user() -> String {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let own = fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m).to_string());
    let line = passwd.lines().find(|l| l.split(':').nth(2) == own.as_deref().ok());
    let known = line.and_then(|l| l.split(':').next()).map(str::to_string);
    let named = || std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok();
    known.or_else(named).filter(|user| !user.is_empty()).unwrap_or_else(|| "postgres".into())
}
