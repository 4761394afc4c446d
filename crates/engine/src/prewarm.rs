//! Bringing relations into memory: the ways of `pg_prewarm`, and autoprewarm, which brings back what was there before a
//! restart. (PostgreSQL's `contrib/pg_prewarm`.)
//!
//! `autoprewarm.blocks` in the data directory has the pages of the pool, written every `pg_prewarm.autoprewarm_interval` and when
//! the server ends, in PostgreSQL's format: `<<pages>>`, then for each `database,tablespace,file,fork,block`. It is advice: what
//! is wrong in it is left out.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aio::{IoContext, Session, Turn};
use storage::{BlockNumber, Concurrency, DEFAULT_TABLESPACE, ReadStream, Relation, RelationId};

use crate::Result;
use crate::data_directory::files::{file_error, replace_file};
use crate::database::Database;
use crate::table::Settled;

const FILE: &str = "autoprewarm.blocks";
/// Pages that a relation that is only read goes through, at most.
const RING: usize = 2048;
/// Relations that are brought into memory behind sessions' backs, at most.
pub(crate) const BEHIND: usize = 4;

/// Between looks at a relation that is being cut.
const WHILE_CUT: Duration = Duration::from_millis(10);

/// How `pg_prewarm` brings pages in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prewarm {
    /// Into the pool, while the session goes on.
    Prefetch,
    /// From the device, and no further.
    Read,
    /// Into the pool.
    Buffer,
}

impl Database {
    /// Brings blocks of a relation in; gives how many.
    pub async fn prewarm(
        &self,
        io: &Session,
        relation: &Arc<Relation>,
        how: Prewarm,
        blocks: Range<BlockNumber>,
    ) -> Result<u64> {
        let count = u64::from(blocks.end - blocks.start);
        if how == Prewarm::Prefetch
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
            && let Ok(permit) = self.inner.prefetching.clone().try_acquire_owned()
            && let Some(backend) = self.activity().enter_worker()
        {
            let (database, relation) = (self.clone(), relation.clone());
            runtime.spawn(async move {
                let _permit = permit;
                if let Err(error) = database.read_blocks(&backend.io, &relation, Box::new(blocks), None).await {
                    tracing::warn!(%error, "prefetching for pg_prewarm failed");
                }
            });
            return Ok(count);
        }
        let ring = (how == Prewarm::Read).then(|| RING.min(self.pool().len() / 8).max(64));
        self.read_blocks(io, relation, Box::new(blocks), ring).await?;
        Ok(count)
    }

    /// Reads blocks; gives how many.
    async fn read_blocks(
        &self,
        io: &Session,
        relation: &Arc<Relation>,
        mut blocks: Box<dyn Iterator<Item = BlockNumber> + Send>,
        ring: Option<usize>,
    ) -> Result<u64> {
        // There is no lock on its table that would keep VACUUM from cutting it.
        let _kept = loop {
            match relation.keep_length() {
                Some(kept) => break kept,
                None => self.engine().sleep(WHILE_CUT).await,
            }
        };
        let end = relation.blocks();
        blocks = Box::new(blocks.filter(move |&block| block < end));
        if let Some(loading) = self.loading(relation.id()) {
            let settled = Settled::of(&loading, relation);
            blocks = Box::new(blocks.filter(move |&block| settled.contains(block)));
        }
        let context = if ring.is_some() { IoContext::BulkRead } else { IoContext::Normal };
        let next = Box::new(move || blocks.next());
        let mut stream = ReadStream::new(self.pool(), io, relation, Concurrency::Auto, context, ring, next);
        let mut turn = Turn::new(self.engine());
        let mut count = 0;
        while stream.next().await?.is_some() {
            count += 1;
            turn.pass().await;
        }
        Ok(count)
    }

    /// Writes down which pages are in memory; gives how many.
    pub fn dump_buffers(&self) -> Result<u64> {
        let mut tags: Vec<(RelationId, BlockNumber)> =
            self.pool().buffers().filter_map(|buffer| buffer.tag).filter(|(id, _)| id.database != 0).collect();
        tags.sort_unstable();
        let mut text = format!("<<{}>>\n", tags.len());
        for of_one in tags.chunk_by(|a, b| a.0 == b.0) {
            let id = of_one[0].0;
            let tablespace = self.inner.files.tablespace_of(id).unwrap_or(DEFAULT_TABLESPACE);
            let RelationId { database, file } = id.main();
            for (_, block) in of_one {
                writeln!(text, "{database},{tablespace},{file},{},{block}", id.fork()).expect("a text has room");
            }
        }
        let path = self.root().join(FILE);
        replace_file(&path, &text).map_err(|error| file_error("write", &path, &error))?;
        Ok(tags.len() as u64)
    }

    /// Is what is in memory to be brought back after a restart?
    pub fn has_autoprewarm(&self) -> bool {
        let settings = self.inner.settings.read();
        let libraries = settings.get("shared_preload_libraries");
        libraries.split(',').any(|name| name.trim() == "pg_prewarm") && settings.bool("pg_prewarm.autoprewarm")
    }

    /// Autoprewarm: brings back what was in memory, then writes down what is, from time to time, until the database is closed.
    pub async fn run_autoprewarm(&self) {
        let Some(backend) = self.activity().enter_worker() else {
            tracing::warn!("there is no place for autoprewarm: max_worker_processes is too low");
            return;
        };
        match self.load_buffers(&backend.io).await {
            Ok(0) => {}
            Ok(count) => tracing::info!("autoprewarm successfully prewarmed {count} pages"),
            Err(error) => tracing::warn!(%error, "autoprewarm failed"),
        }
        let clock = self.engine().clock();
        let mut last = clock.now();
        loop {
            self.engine().sleep(Duration::from_secs(1)).await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            let interval = self.inner.settings.read().integer("pg_prewarm.autoprewarm_interval") as u64;
            if interval == 0 || clock.now() - last < Duration::from_secs(interval).as_nanos() as u64 {
                continue;
            }
            last = clock.now();
            let database = self.clone();
            if let Ok(Err(error)) = tokio::task::spawn_blocking(move || database.dump_buffers()).await {
                tracing::warn!(%error, "the pages in memory could not be written down");
            }
        }
    }

    /// Reads what was written down, as far as it finds room.
    async fn load_buffers(&self, io: &Session) -> Result<u64> {
        let path = self.root().join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
            text => text.map_err(|error| file_error("read", &path, &error))?,
        };
        let mut tags: Vec<(RelationId, BlockNumber)> = text.lines().skip(1).filter_map(parse).collect();
        tags.sort_unstable();
        tags.dedup();
        let mut read = 0;
        for of_one in tags.chunk_by(|a, b| a.0 == b.0) {
            // One whose volume is missing is passed over.
            let Ok(Some(relation)) = self.relation_if_exists(of_one[0].0) else { continue };
            let room = self.pool().room();
            if room == 0 {
                break;
            }
            let end = relation.blocks();
            let blocks: Vec<BlockNumber> =
                of_one.iter().map(|(_, block)| *block).filter(|block| *block < end).collect();
            read += self.read_blocks(io, &relation, Box::new(blocks.into_iter().take(room)), None).await?;
        }
        Ok(read)
    }
}

/// A line of the file.
fn parse(line: &str) -> Option<(RelationId, BlockNumber)> {
    let mut numbers = line.split(',').map(|number| number.parse::<u32>().ok());
    let (database, _, file, fork, block) =
        (numbers.next()??, numbers.next()??, numbers.next()??, numbers.next()??, numbers.next()??);
    let id = RelationId { database, file }.main();
    let found = [id, id.toast()].into_iter().find(|id| u32::from(id.fork()) == fork)?;
    Some((found, block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_make_no_sense_are_none() {
        let id = RelationId { database: 5, file: 16384 };
        assert_eq!(parse("5,1663,16384,0,7"), Some((id, 7)));
        assert_eq!(parse("5,1663,16384,4,7"), Some((id.toast(), 7)));
        for line in ["", "<<3>>", "5,1663,16384,1,7", "5,1663,16384,0", "5,1663,-1,0,7", "5,1663,16384,0,99999999999"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
