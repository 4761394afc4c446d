//! How a log write is best made durable on this volume: tried at start.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use aio::{BufferArena, IoContext, IoObject, OpenMode, Session, Target};

use crate::segment::failed;
use crate::{BLOCK, LogError};

/// Writes of each kind: enough for a median, 40 ms at most on a volume of a millisecond.
const TRIES: usize = 9;

/// `wal_sync_method`, by PostgreSQL's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMethod {
    /// The files are open with `O_DSYNC`: one operation, which a device with forced unit access does as one.
    OpenDatasync,
    /// A write, and a flush linked to it.
    Fdatasync,
}

impl SyncMethod {
    pub fn name(self) -> &'static str {
        match self {
            SyncMethod::OpenDatasync => "open_datasync",
            SyncMethod::Fdatasync => "fdatasync",
        }
    }
}

impl FromStr for SyncMethod {
    type Err = ();

    fn from_str(text: &str) -> Result<SyncMethod, ()> {
        [SyncMethod::OpenDatasync, SyncMethod::Fdatasync].into_iter().find(|m| m.name() == text).ok_or(())
    }
}

/// What the probe found: the method to use, and the median time of a durable write of one block with each.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub best: SyncMethod,
    pub open_datasync: Duration,
    pub fdatasync: Duration,
}

/// Tries both methods in `dir`.
pub async fn probe_sync_method(dir: &Path, direct: bool, session: &Session) -> Result<Probe, LogError> {
    let path = dir.join("probe.tmp");
    let outcome = measure(&path, direct, session).await;
    match std::fs::remove_file(&path) {
        Ok(()) => outcome,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => outcome,
        Err(e) => outcome.and(Err(failed("remove", &path, &e))),
    }
}

async fn measure(path: &Path, direct: bool, session: &Session) -> Result<Probe, LogError> {
    let arena = BufferArena::new(TRIES, BLOCK as usize)
        .map_err(|e| LogError::Failed(format!("no memory to probe the log: {e}")))?;
    let target: Arc<dyn Target> = Arc::new(aio::Raw);
    let kind = (IoObject::Wal, IoContext::Init);
    let open = |dsync, create| {
        let mode = OpenMode { write: true, create, direct, dsync, ..OpenMode::default() };
        aio::File::open(path, "pg_wal/probe.tmp", mode).map_err(|e| failed("create", path, &e))
    };
    // The blocks are there before, as in a segment.
    let file = open(false, true)?;
    let zeros = (0..TRIES).map(|_| {
        let mut buf = arena.take().expect("as many as there are tries");
        buf.fill(0);
        buf
    });
    session.get().await.write(&file, 0, zeros.collect::<Vec<_>>(), &target, kind).await.result?;
    session.get().await.fsync(&file, &target, kind).await.result?;
    let mut medians = [Duration::ZERO; 2];
    for (median, method) in medians.iter_mut().zip([SyncMethod::OpenDatasync, SyncMethod::Fdatasync]) {
        let file = open(method == SyncMethod::OpenDatasync, false)?;
        let mut times = [0; TRIES];
        for (index, time) in times.iter_mut().enumerate() {
            let mut buf = arena.take().expect("one at a time");
            buf.fill(1);
            let (handle, offset) = (session.get().await, index as u64 * BLOCK);
            let done = match method {
                SyncMethod::OpenDatasync => handle.write(&file, offset, [buf], &target, kind).await,
                SyncMethod::Fdatasync => handle.write_flush(&file, offset, [buf], &target, kind).await,
            };
            done.result?;
            *time = done.device_time;
        }
        times.sort_unstable();
        *median = Duration::from_nanos(times[TRIES / 2]);
    }
    let [open_datasync, fdatasync] = medians;
    // One operation counts less than two on a volume that counts them: it wins a draw.
    let best = if open_datasync <= fdatasync * 11 / 10 { SyncMethod::OpenDatasync } else { SyncMethod::Fdatasync };
    Ok(Probe { best, open_datasync, fdatasync })
}
