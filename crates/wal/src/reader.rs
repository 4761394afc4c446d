//! Reading the log back: from a checkpoint's redo position to the first place where no valid record is.

use std::path::Path;
use std::sync::Arc;

use aio::{BufferArena, IoContext, IoObject, Session, Target};

use crate::record::{HEADER_LEN, Record, claimed_len, decode, padded};
use crate::segment::{SEGMENT_SIZE, Segments};
use crate::{LogError, Lsn};

const BLOCK: u64 = 4096;
/// Read in one operation, and how far ahead of the record being replayed.
const CHUNK: u64 = 1 << 20;

pub struct LogReader {
    segments: Segments,
    arena: BufferArena,
    /// `bytes[0]` is at `base`; what was consumed is cut off from time to time.
    bytes: Vec<u8>,
    base: Lsn,
    position: Lsn,
    ended: bool,
}

impl LogReader {
    pub fn new(dir: &Path, direct: bool, start: Lsn) -> Result<LogReader, LogError> {
        let arena = BufferArena::new(1, CHUNK as usize)
            .map_err(|e| LogError::Failed(format!("no memory to read the log: {e}")))?;
        Ok(LogReader {
            segments: Segments::new(dir, direct),
            arena,
            bytes: Vec::new(),
            base: start / BLOCK * BLOCK,
            position: start,
            ended: false,
        })
    }

    /// Where the next record is, or the log's end once `next` gave `None`.
    pub fn position(&self) -> Lsn {
        self.position
    }

    /// The bytes of the block that the position is in, up to the position: what a log that goes on from here must keep.
    pub fn tail(&self) -> &[u8] {
        let block = self.position / BLOCK * BLOCK;
        &self.bytes[(block - self.base) as usize..(self.position - self.base) as usize]
    }

    /// The next record; `None` at the end of the log.
    pub async fn next(&mut self, session: &Session) -> Result<Option<Record>, LogError> {
        if self.ended {
            return Ok(None);
        }
        self.want(session, HEADER_LEN as u64).await?;
        if let Some(len) = claimed_len(self.rest()) {
            self.want(session, len as u64).await?;
            if let Some(record) = decode(self.rest(), len, self.position) {
                self.position += padded(len) as u64;
                return Ok(Some(record));
            }
        }
        // The tail must be there even if nothing was read beyond it.
        self.ended = true;
        Ok(None)
    }

    fn rest(&self) -> &[u8] {
        let from = (self.position - self.base) as usize;
        self.bytes.get(from..).unwrap_or(&[])
    }

    /// Reads on until `count` bytes are there from the position, or the files end.
    async fn want(&mut self, session: &Session, count: u64) -> Result<(), LogError> {
        while (self.rest().len() as u64) < count {
            let consumed =
                (self.position.min(self.base + self.bytes.len() as u64) / BLOCK * BLOCK - self.base) as usize;
            if consumed >= CHUNK as usize {
                self.bytes.drain(..consumed);
                self.base += consumed as u64;
            }
            let at = self.base + self.bytes.len() as u64;
            let Some(file) = self.segments.open(at / SEGMENT_SIZE)? else { return Ok(()) };
            let len = CHUNK.min(SEGMENT_SIZE - at % SEGMENT_SIZE);
            let mut buf = self.arena.take().expect("one read at a time");
            buf.set_len(len as usize);
            let target: Arc<dyn Target> = Arc::new(aio::Raw);
            let handle = session.get().await;
            let io = handle.read(&file, at % SEGMENT_SIZE, [buf], &target, (IoObject::Wal, IoContext::Normal));
            let done = io.await;
            let got = done.result?;
            if got == 0 {
                return Ok(());
            }
            self.bytes.extend_from_slice(&done.bufs[0][..got as usize]);
        }
        Ok(())
    }
}
