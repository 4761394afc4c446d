//! A tree from sorted entries, through a write stream and around the log: its files are new, and go if the transaction
//! that makes them does not commit.

use std::sync::Arc;

use aio::{IoBuf, IoContext, Session};
use storage::{BlockNumber, PAGE_SIZE, Relation, WriteStream};

use crate::Result;
use crate::btree::layout::{Contents, Items};
use crate::btree::page;
use crate::edit::Edit;
use crate::heap::Store;

/// Pages are filled so far: later entries find room.
const FILL: usize = PAGE_SIZE * 9 / 10;

/// A page that is being filled.
struct Level {
    block: BlockNumber,
    items: Items,
    contents: Contents,
    /// The length of the longest entry.
    longest: usize,
}

impl Level {
    fn new(level: usize, block: BlockNumber) -> Level {
        Level { block, items: Items::default(), contents: Contents::new(level), longest: 0 }
    }

    /// Has it enough without this entry?
    fn is_full_for(&self, entry: &[u8]) -> bool {
        if self.items.is_empty() {
            return false;
        }
        let mut with = self.contents;
        with.add(self.items.entry(0), entry);
        // Room for the high key, which is no longer than an entry, is kept free.
        with.size(0) > FILL.min(PAGE_SIZE - self.longest.max(entry.len()))
    }

    fn push(&mut self, entry: &[u8], child: u32) {
        self.items.push(entry, child);
        self.contents.add(self.items.entry(0), entry);
        self.longest = self.longest.max(entry.len());
    }
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
        self.add_at(0, entry, 0).await
    }

    async fn add_at(&mut self, level: usize, entry: &[u8], child: u32) -> Result<()> {
        if self.levels.len() == level {
            let block = self.new_block();
            self.levels.push(Level::new(level, block));
        }
        if self.levels[level].is_full_for(entry) {
            self.end_page(level, entry).await?;
        }
        let current = &mut self.levels[level];
        // The first entry of an inner page is less than everything.
        let entry = if level > 0 && current.items.is_empty() { &[] } else { entry };
        current.push(entry, child);
        Ok(())
    }

    /// Writes a level's page, and begins the one that has this entry first.
    async fn end_page(&mut self, level: usize, next: &[u8]) -> Result<()> {
        let right = self.new_block();
        let full = std::mem::replace(&mut self.levels[level], Level::new(level, right));
        let last = full.items.entry(full.items.len() - 1);
        let separator = if level == 0 { page::separator(last, next) } else { next };
        self.write(&full, level, Some((separator, right))).await?;
        if self.levels.len() == level + 1 {
            Box::pin(self.add_at(level + 1, &[], full.block)).await?;
        }
        Box::pin(self.add_at(level + 1, separator, right)).await
    }

    async fn write(&mut self, page: &Level, level: usize, high_key: Option<(&[u8], u32)>) -> Result<()> {
        let mut buf = self.buffer().await?;
        page::fill(&mut Edit::detached(&mut buf), level, high_key, page.items.iter(0..page.items.len()));
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
            self.levels.push(Level::new(0, block));
        }
        let levels = std::mem::take(&mut self.levels);
        let root = levels.last().expect("there is one").block;
        for (level, page) in levels.into_iter().enumerate() {
            self.write(&page, level, None).await?;
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
