//! The write stream: pages on their way to the disk, combined with their neighbours, many in flight, errors gathered at
//! the end. Checkpoints, cleaning and bulk loads write through it; the caller brings pages in block order.

use std::collections::VecDeque;
use std::sync::Arc;

use aio::lwlock::Mutex;
use aio::{Io, IoBuf, IoContext, IoError, IoObject, OpInfo, Session, Target};

use super::BufferPool;
use super::write_pin::WritePin;
use crate::error::{Result, StorageError};
use crate::page::{BlockNumber, Lsn, PAGE_SIZE, Page, seal};
use crate::smgr::{Relation, SEGMENT_BLOCKS, describe};

/// Operations in flight. A volume's write side saturates far below this; it bounds the memory.
const MAX_IN_FLIGHT: usize = 32;
/// A bulk write's operations are so many times as large as others, and as many times fewer. It goes behind a file's end, where
/// ext4 and xfs do one write after the other: with 128 KiB each, one file got 179 of the 1,000 MB/s of a volume whose writes
/// take 0.5 ms, with 1 MiB 773.
const BULK: usize = 8;
/// Pages in one operation, at most: 1 MiB.
const MAX_RUN: usize = 128;

/// The buffers of a run not yet started.
struct Run {
    relation: Arc<Relation>,
    first: BlockNumber,
    bufs: Vec<IoBuf>,
    pages: Vec<WritePin>,
    lsn: Lsn,
}

/// A write of pages. Those of the pool stay pinned until it has ended, also where the stream is given up before: no session may write
/// them while it is under way.
struct PageWrite {
    relation: Arc<Relation>,
    pages: Mutex<Vec<WritePin>>,
}

impl Target for PageWrite {
    fn name(&self) -> &'static str {
        "smgr"
    }
    fn complete(&self, _: &OpInfo, result: &std::result::Result<u64, IoError>, bufs: &mut Vec<IoBuf>, _: &[u32]) {
        // Back to the arena at once: another stream may be waiting for buffers.
        bufs.clear();
        self.relation.note_write(result.as_ref().err());
        let pages = std::mem::take(&mut *self.pages.lock());
        if result.is_ok() {
            pages.into_iter().for_each(WritePin::done);
        }
    }
    fn describe(&self, op: &OpInfo) -> String {
        describe(op)
    }
}

pub struct WriteStream {
    pool: Arc<BufferPool>,
    session: Session,
    context: IoContext,
    run: Option<Run>,
    run_limit: usize,
    /// Operations in flight, at most.
    most_in_flight: usize,
    /// With the number of the volume and the bytes.
    in_flight: VecDeque<(Io, u64, usize)>,
    /// No session waits for it: it leaves the volume to others.
    gentle: bool,
    failed: Option<StorageError>,
}

impl WriteStream {
    pub fn new(pool: &Arc<BufferPool>, session: &Session, context: IoContext) -> WriteStream {
        let combined = WriteStream::combined(pool);
        let run_limit = WriteStream::run_limit(pool, context);
        WriteStream {
            pool: pool.clone(),
            session: session.clone(),
            context,
            run: None,
            run_limit,
            most_in_flight: (MAX_IN_FLIGHT * combined / run_limit).clamp(1, MAX_IN_FLIGHT),
            in_flight: VecDeque::new(),
            gentle: false,
            failed: None,
        }
    }

    /// Pages in one operation, at most.
    pub(crate) fn run_limit(pool: &BufferPool, context: IoContext) -> usize {
        let combined = WriteStream::combined(pool);
        let scaled =
            if context == IoContext::BulkWrite { (combined * BULK).min(combined.max(MAX_RUN)) } else { combined };
        // Sixteen streams at least find buffers, however much each keeps.
        scaled.min(pool.write_arena(context).count() / 16).max(1)
    }

    /// `io_combine_limit`, in pages.
    fn combined(pool: &BufferPool) -> usize {
        (pool.engine().config().combine_limit as usize / PAGE_SIZE).max(1)
    }

    /// The same, but others' writes do not queue behind many of its own, unless a session waits for pages ([`aio::WriteDepth`]).
    pub fn gently(mut self) -> WriteStream {
        self.gentle = true;
        self
    }

    /// A buffer for the next page. Waits for one of this stream's own writes when all are out.
    pub async fn buffer(&mut self) -> Result<IoBuf> {
        loop {
            if let Some(buf) = self.pool.write_arena(self.context).take() {
                return Ok(buf);
            }
            self.start_run().await?;
            if self.in_flight.is_empty() {
                // Other streams have them all, in writes under way but for a few that each may keep (`WriteStream::pause`).
                aio::yield_once().await;
            } else {
                self.collect_one().await;
            }
        }
    }

    /// Writes a page that is in no buffer pool, when the log is durable up to the page's LSN.
    pub async fn put(&mut self, relation: &Arc<Relation>, block: BlockNumber, buf: IoBuf) -> Result<()> {
        let lsn = buf.lsn();
        self.put_behind(relation, block, buf, lsn).await
    }

    /// The same when the log is durable up to `lsn`.
    pub async fn put_behind(
        &mut self,
        relation: &Arc<Relation>,
        block: BlockNumber,
        mut buf: IoBuf,
        lsn: Lsn,
    ) -> Result<()> {
        seal(&mut buf, relation.id(), block);
        self.put_sealed(relation, block, buf, None, lsn).await
    }

    /// Writes a block that counts as never written.
    pub async fn put_zeros(&mut self, relation: &Arc<Relation>, block: BlockNumber, buf: IoBuf) -> Result<()> {
        debug_assert!(buf.iter().all(|&b| b == 0));
        self.put_sealed(relation, block, buf, None, 0).await
    }

    /// The caller may wait for something else now, perhaps for long: what has become a write of usual size is started.
    pub async fn pause(&mut self) -> Result<()> {
        if self.run.as_ref().is_some_and(|run| run.bufs.len() >= self.run_limit / BULK) {
            self.start_run().await?;
        }
        Ok(())
    }

    pub(crate) async fn put_page(
        &mut self,
        relation: &Arc<Relation>,
        block: BlockNumber,
        mut buf: IoBuf,
        page: WritePin,
    ) -> Result<()> {
        seal(&mut buf, relation.id(), block);
        let lsn = buf.lsn();
        self.put_sealed(relation, block, buf, Some(page), lsn).await
    }

    async fn put_sealed(
        &mut self,
        relation: &Arc<Relation>,
        block: BlockNumber,
        buf: IoBuf,
        page: Option<WritePin>,
        lsn: Lsn,
    ) -> Result<()> {
        let joins = self.run.as_ref().is_some_and(|run| {
            run.relation.id() == relation.id()
                && run.first + run.bufs.len() as u32 == block
                && !block.is_multiple_of(SEGMENT_BLOCKS)
                && run.bufs.len() < self.run_limit
        });
        if !joins {
            self.start_run().await?;
        }
        let run = self.run.get_or_insert_with(|| Run {
            relation: relation.clone(),
            first: block,
            bufs: Vec::with_capacity(self.run_limit),
            pages: Vec::new(),
            lsn: 0,
        });
        run.bufs.push(buf);
        run.pages.extend(page);
        run.lsn = run.lsn.max(lsn);
        if run.bufs.len() >= self.run_limit {
            self.start_run().await?;
        }
        Ok(())
    }

    async fn start_run(&mut self) -> Result<()> {
        let Some(run) = self.run.take() else { return Ok(()) };
        if run.lsn > 0
            && let Some(gate) = self.pool.gate().cloned()
            && let Err(reason) = gate.flush_to(run.lsn).await
        {
            return Err(StorageError::Log(reason.into()));
        }
        let (file, offset) = run.relation.locate(run.first, true)?;
        let volume = file.device_number();
        while self.in_flight.len() >= self.most_in_flight(volume) {
            self.collect_one().await;
        }
        let bytes = run.bufs.len() * PAGE_SIZE;
        let handle = self.session.get().await;
        let write = PageWrite { relation: run.relation, pages: Mutex::new(run.pages) };
        let target: Arc<dyn Target> = Arc::new(write);
        let io = handle.write(&file, offset, run.bufs, &target, (IoObject::Relation, self.context));
        self.session.submit();
        self.in_flight.push_back((io, volume, bytes));
        Ok(())
    }

    fn most_in_flight(&self, volume: u64) -> usize {
        let leaves_room = self.gentle && !self.pool.is_waited_for();
        if leaves_room {
            self.pool.engine().device(volume).write_depth.limit().min(self.most_in_flight)
        } else {
            self.most_in_flight
        }
    }

    async fn collect_one(&mut self) {
        // It stays with the others until it has ended: if this is given up, it is adopted with them.
        let Some((io, ..)) = self.in_flight.front_mut() else { return };
        let ended = io.await;
        let (_, volume, bytes) = self.in_flight.pop_front().expect("it is there");
        match ended.result {
            Ok(_) if self.gentle => self.pool.engine().device(volume).write_depth.note(bytes, ended.device_time),
            Ok(_) => {}
            Err(error) => {
                self.failed.get_or_insert(error.into());
            }
        }
    }

    /// Waits until everything is written. Not durable yet: see [`Relation::sync`].
    pub async fn finish(mut self) -> Result<()> {
        let started = self.start_run().await;
        while !self.in_flight.is_empty() {
            self.collect_one().await;
        }
        started?;
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl Drop for WriteStream {
    fn drop(&mut self) {
        if self.context == IoContext::BulkWrite {
            // The session that rolls the load back waits for them.
            self.in_flight.drain(..).for_each(|(io, ..)| self.pool.adopt(io));
        }
    }
}
