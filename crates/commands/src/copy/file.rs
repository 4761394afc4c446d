//! COPY from and to files of the server (PostgreSQL's `BeginCopyFrom` and `BeginCopyTo` with a file's name): the bytes that
//! a client would send or get.

use std::fs::Permissions;
use std::io::{self, Error, ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;

use ::error::sqlstate;
use catalog::acl::role::{PG_READ_SERVER_FILES, PG_WRITE_SERVER_FILES};
use engine::{EngineError, Result};
use session::{Reply, Session};
use syntax::nodes::CopyStmt;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::copy::from::CopyFromState;
use crate::copy::to::CopyToState;

/// Bytes that are read at once: what a processor's own cache holds while it is cut into rows.
const PIECE: usize = 256 << 10;

/// Fails where the session's role may not use the server's files, or the statement asks for a program.
pub fn check(session: &Session, copy: &CopyStmt) -> Result<()> {
    if copy.is_program {
        return Err(EngineError::unsupported("COPY to or from a program").hint("Use psql's \\copy."));
    }
    let (verb, role, oid) = match copy.is_from {
        true => ("from", "pg_read_server_files", PG_READ_SERVER_FILES),
        false => ("to", "pg_write_server_files", PG_WRITE_SERVER_FILES),
    };
    if session.shared.with_roles(|roles, own| roles.has_privileges_of(own, oid))? {
        return Ok(());
    }
    let detail = format!("Only roles with privileges of the \"{role}\" role may COPY {verb} a file.");
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to COPY {verb} a file"))
        .detail(detail)
        .hint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone."))
}

/// Reads the rows of a file.
pub async fn read(session: &mut Session, name: &str, mut rows: CopyFromState) -> Result<Reply> {
    let hint = "COPY FROM instructs the PostgreSQL server process to read a file. You may want a client-side facility \
                such as psql's \\copy.";
    let path = session.shared.db.root().join(name);
    let opened = File::open(path).await;
    let file = opened.map_err(|error| cannot_open(name, "reading", &error, hint))?;
    if let Ok(metadata) = file.metadata().await {
        if metadata.is_dir() {
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is a directory")));
        }
        rows.expect(metadata.len());
    }
    let mut reading = read_piece(file.into_std().await, vec![0; PIECE]);
    let mut spare = vec![0; PIECE];
    loop {
        let read = reading.await.map_err(|error| EngineError::new(sqlstate::INTERNAL_ERROR, error.to_string()))?;
        let (file, piece, length) =
            read.map_err(|error| failed(format!("could not read from COPY file: {error}"), &error))?;
        if length == 0 {
            break;
        }
        // The next one is read meanwhile.
        reading = read_piece(file, spare);
        rows.feed(session, &piece[..length]).await?;
        spare = piece;
    }
    let tag = rows.finish(session).await?;
    Ok(Reply::Done { tag })
}

/// A file, its bytes that were read last, and how many these are.
type Piece = (std::fs::File, Vec<u8>, usize);

/// Reads as many bytes as the file has for it, on a thread that may wait.
fn read_piece(mut file: std::fs::File, mut piece: Vec<u8>) -> JoinHandle<io::Result<Piece>> {
    spawn_blocking(move || {
        loop {
            match file.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => return read.map(|length| (file, piece, length)),
            }
        }
    })
}

/// Writes rows into a file.
pub async fn write(session: &mut Session, name: &str, mut rows: CopyToState) -> Result<Reply> {
    let hint = "COPY TO instructs the PostgreSQL server process to write a file. You may want a client-side facility \
                such as psql's \\copy.";
    if !name.starts_with('/') {
        return Err(EngineError::new(sqlstate::INVALID_NAME, "relative path not allowed for COPY to file"));
    }
    let mut file = create(name).await.map_err(|error| cannot_open(name, "writing", &error, hint))?;
    let write_failed = |error: Error| failed(format!("could not write to COPY file: {error}"), &error);
    while let Some(chunk) = rows.next(session).await? {
        session.flush_before_reply().await?;
        file.write_all(&chunk.bytes).await.map_err(write_failed)?;
    }
    file.flush().await.map_err(write_failed)?;
    Ok(Reply::Done { tag: rows.tag() })
}

/// Makes a file that all users of the machine may read, as PostgreSQL does, though the server's own files are private. One that
/// is there keeps its permissions.
async fn create(name: &str) -> io::Result<File> {
    let mut options = File::options();
    match options.write(true).create_new(true).open(name).await {
        Ok(file) => {
            file.set_permissions(Permissions::from_mode(0o644)).await?;
            Ok(file)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => File::create(name).await,
        Err(error) => Err(error),
    }
}

fn cannot_open(name: &str, what: &str, error: &Error, hint: &str) -> EngineError {
    if error.kind() == ErrorKind::IsADirectory {
        return EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is a directory"));
    }
    let failed = failed(format!("could not open file \"{name}\" for {what}: {}", reason(error)), error);
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::PermissionDenied => failed.hint(hint),
        _ => failed,
    }
}

/// What the system says, as `strerror` has it.
fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "No such file or directory".into(),
        ErrorKind::PermissionDenied => "Permission denied".into(),
        _ => error.to_string(),
    }
}

/// With the SQLSTATE of a file's error (`errcode_for_file_access`).
fn failed(message: String, error: &Error) -> EngineError {
    let code = match error.kind() {
        ErrorKind::NotFound => sqlstate::UNDEFINED_FILE,
        ErrorKind::PermissionDenied => sqlstate::INSUFFICIENT_PRIVILEGE,
        ErrorKind::StorageFull => sqlstate::DISK_FULL,
        _ if aio::descriptors::is_out_of_files(error) => sqlstate::INSUFFICIENT_RESOURCES,
        _ => sqlstate::IO_ERROR,
    };
    EngineError::new(code, message)
}
