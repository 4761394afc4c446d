//! Reading the log back: from a checkpoint's redo position to the first place where no valid record is.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use aio::{BufferArena, Io, IoContext, IoObject, Session, Target};

use crate::record::{Claim, HEADER_LEN, Record, claim, claimed_epoch, decode, not_older};
use crate::segment::Segments;
use crate::{BLOCK, LogError, Lsn};

/// Read in one operation.
const CHUNK: u64 = 1 << 20;
/// Reads under way ahead of what is looked at: enough for a volume that takes a millisecond for each.
const AHEAD: usize = 8;
/// How often the log was opened, at most, between a bad record and the next one that is looked for: bytes that are no
/// record rarely claim so.
const LATER_EPOCHS: u16 = 16;

pub struct LogReader {
    segments: Segments,
    arena: BufferArena,
    /// `bytes[0]` is at `base`; what was consumed is cut off from time to time.
    bytes: Vec<u8>,
    base: Lsn,
    /// What follows, on its way: one behind the other, each with its length.
    ahead: VecDeque<(Io, u64)>,
    position: Lsn,
    /// Of the last record or filler, or of what the log was before the start.
    epoch: u16,
    /// The end is where a record was lost, or it was never made durable: which of them is found out.
    checks_end: bool,
    /// What is read is replayed, not only looked at.
    replayed: bool,
    ended: bool,
}

impl LogReader {
    /// A reader from `start` on, where a record of `epoch` or later follows, if any does: what is older was left there by
    /// writes that outlived a lost one. `checks_end`: damage is told from the log's end, for which all segments are read.
    /// A log that was closed where it starts needs no such check.
    pub fn new(
        dir: &Path,
        segment_size: u64,
        direct: bool,
        start: Lsn,
        epoch: u16,
        checks_end: bool,
    ) -> Result<LogReader, LogError> {
        let reader = LogReader::over(Segments::new(dir, segment_size, direct, false), start, epoch, true)?;
        Ok(LogReader { checks_end, ..reader })
    }

    fn over(segments: Segments, start: Lsn, epoch: u16, replayed: bool) -> Result<LogReader, LogError> {
        let arena = BufferArena::new(AHEAD, CHUNK as usize)
            .map_err(|e| LogError::Failed(format!("no memory to read the log: {e}")))?;
        Ok(LogReader {
            segments,
            arena,
            bytes: Vec::new(),
            base: start / BLOCK * BLOCK,
            ahead: VecDeque::new(),
            position: start,
            epoch,
            checks_end: false,
            replayed,
            ended: false,
        })
    }

    /// Where the next record is, or the log's end once `next` gave `None`.
    pub fn position(&self) -> Lsn {
        self.position
    }

    /// The bytes of the block that the position is in, up to the position: what a log that goes on from here must keep. Fails where
    /// the log's files end before.
    pub fn tail(&self) -> Result<&[u8], LogError> {
        let block = self.position / BLOCK * BLOCK;
        let tail = self.bytes.get((block - self.base) as usize..(self.position - self.base) as usize);
        // A log without a byte begins where its first segment will.
        let is_new = self.position.is_multiple_of(BLOCK);
        tail.or(is_new.then_some(&[] as &[u8])).ok_or(LogError::NoCheckpoint { at: self.position })
    }

    /// The next record; `None` at the end of the log.
    ///
    /// # Errors
    /// [`LogError::Damaged`] when there is no valid record where one must be: records behind that place say that it had
    /// been durable.
    pub async fn next(&mut self, session: &Session) -> Result<Option<Record>, LogError> {
        while !self.ended {
            // The tail must be there even if nothing is read beyond it.
            self.want(session, HEADER_LEN as u64).await?;
            match claim(self.rest(), self.position) {
                Some(Claim::Filler { len, epoch }) if not_older(epoch, self.epoch) => {
                    self.epoch = epoch;
                    self.position += len;
                    continue;
                }
                Some(Claim::Record(len)) => {
                    self.want(session, len as u64).await?;
                    if let Some(record) = decode(self.rest(), len, self.position)
                        && not_older(record.epoch, self.epoch)
                    {
                        self.epoch = record.epoch;
                        self.position = record.end;
                        return Ok(Some(record));
                    }
                }
                _ => {}
            }
            self.ended = true;
            if self.checks_end {
                self.check_end(session).await?;
            }
        }
        Ok(None)
    }

    /// Looks at all that follows for a record that was inserted when the log was already durable beyond its end; also behind
    /// segments that are missing.
    async fn check_end(&mut self, session: &Session) -> Result<(), LogError> {
        let end = self.position;
        let size = self.segments.size;
        let mut from = end;
        loop {
            let end_of_run = self.check_run(session, from, end).await?;
            let Some(next) = self.segments.next_whole(end_of_run / size + 1)? else { return Ok(()) };
            from = next * size;
        }
    }

    /// The same for what is there from `from` to where a segment is missing, which this gives.
    async fn check_run(&self, session: &Session, from: Lsn, end: Lsn) -> Result<Lsn, LogError> {
        let mut reader = LogReader::over(self.segments.again(), from, self.epoch, false)?;
        let plausible = |bytes: &[u8]| {
            matches!(claim(bytes, 0), Some(Claim::Record(_)))
                && claimed_epoch(bytes).wrapping_sub(self.epoch) < LATER_EPOCHS
        };
        loop {
            reader.want(session, HEADER_LEN as u64).await?;
            // Most of it is zeros, or old: that is passed over at once.
            let rest = reader.rest();
            let candidates = rest.len().saturating_sub(HEADER_LEN - 1).div_ceil(8);
            let next = (0..candidates).find(|at| plausible(&rest[at * 8..])).unwrap_or(candidates);
            reader.position += next as u64 * 8;
            if next == candidates {
                if candidates == 0 {
                    return Ok(reader.position);
                }
                continue;
            }
            let Some(Claim::Record(len)) = claim(reader.rest(), reader.position) else {
                unreachable!("it is plausible")
            };
            reader.want(session, len as u64).await?;
            if let Some(record) = decode(reader.rest(), len, reader.position)
                && record.durable > end
            {
                return Err(LogError::Damaged { at: end, durable: record.durable });
            }
            reader.position += 8;
        }
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
            self.read_ahead(session).await?;
            let Some((io, len)) = self.ahead.pop_front() else { return Ok(()) };
            let done = io.await;
            let got = done.result?;
            self.bytes.extend_from_slice(&done.bufs[0][..got as usize]);
            if got < len {
                // A file ends here: what was to follow does not.
                for (io, _) in self.ahead.drain(..) {
                    let _ = io.await;
                }
                if got == 0 {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Starts reads, until enough are under way or the files end.
    async fn read_ahead(&mut self, session: &Session) -> Result<(), LogError> {
        let target: Arc<dyn Target> = Arc::new(aio::Raw);
        let kind = (IoObject::Wal, IoContext::Normal);
        let size = self.segments.size;
        while self.ahead.len() < AHEAD {
            let at = self.base + self.bytes.len() as u64 + self.ahead.iter().map(|(_, len)| len).sum::<u64>();
            let Some(file) = self.segments.open(at / size)? else { break };
            if self.replayed && (at.is_multiple_of(size) || self.bytes.is_empty() && self.ahead.is_empty()) {
                // What is replayed from here may reach the disk before what it was replayed from, if that is not there yet.
                session.get().await.fdatasync(&file, &target, kind).await.result?;
            }
            let len = CHUNK.min(size - at % size);
            let mut buf = self.arena.take().expect("there is one for each read");
            buf.set_len(len as usize);
            self.ahead.push_back((session.get().await.read(&file, at % size, [buf], &target, kind), len));
        }
        session.submit();
        Ok(())
    }
}
