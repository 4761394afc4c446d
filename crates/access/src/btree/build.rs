//! A tree from sorted entries, through a write stream and around the log: its files are new, and go if the transaction
//! that makes them does not commit.

use std::sync::Arc;

use aio::{IoBuf, IoContext, Session};
use storage::{BlockNumber, PAGE_SIZE, Relation, WriteStream};

use crate::Result;
use crate::btree::page;
use crate::edit::Edit;
use crate::heap::Store;

/// Pages are filled so far: later entries find room.
const FILL: usize = PAGE_SIZE * 9 / 10;
const HEADER: usize = 32;

/// A page that is being filled.
struct Level {
    block: BlockNumber,
    entries: Vec<(Vec<u8>, u32)>,
    size: usize,
}

/// Builds a tree from entries that come in order.
pub struct Builder {
    relation: Arc<Relation>,
    stream: WriteStream,
    session: Session,
    levels: Vec<Level>,
    next_block: BlockNumber,
}

impl Builder {
    /// The files are empty, and nobody else knows of them.
    pub fn new(store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> Builder {
        Builder {
            relation: relation.clone(),
            stream: WriteStream::new(&store.pool, session, IoContext::BulkWrite),
            session: session.clone(),
            levels: Vec::new(),
            next_block: 1,
        }
    }

    fn new_block(&mut self) -> BlockNumber {
        self.next_block += 1;
        self.next_block - 1
    }

    /// Adds the next entry.
    pub async fn add(&mut self, entry: &[u8]) -> Result<()> {
        self.add_at(0, entry.to_vec(), 0).await
    }

    async fn add_at(&mut self, level: usize, key: Vec<u8>, child: u32) -> Result<()> {
        if self.levels.len() == level {
            let block = self.new_block();
            self.levels.push(Level { block, entries: Vec::new(), size: HEADER });
        }
        let size = key.len() + if level == 0 { 4 } else { 8 };
        let current = &self.levels[level];
        // Room for the high key, which is no longer than an entry, is kept free.
        let longest = current.entries.last().map_or(0, |(key, _)| key.len()).max(key.len()) + 8;
        if !current.entries.is_empty() && current.size + size > FILL.min(PAGE_SIZE - longest) {
            let last = &current.entries.last().expect("it is not empty").0;
            let separator = if level == 0 { page::separator(last, &key).to_vec() } else { key.clone() };
            let right = self.new_block();
            let full =
                std::mem::replace(&mut self.levels[level], Level { block: right, entries: Vec::new(), size: HEADER });
            let left = full.block;
            self.write(full, level, Some((&separator, right))).await?;
            if self.levels.len() == level + 1 {
                Box::pin(self.add_at(level + 1, vec![], left)).await?;
            }
            Box::pin(self.add_at(level + 1, separator, right)).await?;
        }
        let current = &mut self.levels[level];
        current.size += size;
        // The first entry of an inner page is less than everything.
        let key = if level > 0 && current.entries.is_empty() { vec![] } else { key };
        current.entries.push((key, child));
        Ok(())
    }

    async fn write(&mut self, page: Level, level: usize, high_key: Option<(&[u8], u32)>) -> Result<()> {
        let mut buf = self.buffer().await?;
        let entries = page.entries.iter().map(|(key, child)| (&key[..], *child));
        page::fill(&mut Edit::detached(&mut buf), level, high_key, entries);
        self.relation.extend_to(page.block + 1);
        self.stream.put(&self.relation, page.block, buf).await?;
        Ok(())
    }

    async fn buffer(&mut self) -> Result<IoBuf> {
        let mut buf = self.stream.buffer().await?;
        buf.fill(0);
        Ok(buf)
    }

    /// Writes what is left, and makes all of it durable.
    pub async fn finish(mut self) -> Result<()> {
        if self.levels.is_empty() {
            let block = self.new_block();
            self.levels.push(Level { block, entries: Vec::new(), size: HEADER });
        }
        let levels = std::mem::take(&mut self.levels);
        let root = levels.last().expect("there is one").block;
        for (level, page) in levels.into_iter().enumerate() {
            self.write(page, level, None).await?;
        }
        let mut buf = self.buffer().await?;
        let mut meta = Edit::detached(&mut buf);
        page::init(&mut meta, 0);
        page::set_root(&mut meta, root);
        self.relation.extend_to(1);
        self.stream.put(&self.relation, 0, buf).await?;
        self.stream.finish().await?;
        self.relation.materialise()?;
        Relation::sync(&self.session, std::slice::from_ref(&self.relation)).await?;
        Ok(())
    }
}
