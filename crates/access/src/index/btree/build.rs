//! A tree from sorted entries, through a write stream and around the log: its files are new, and go if the transaction
//! that makes them does not commit. A tree of one leaf goes into the log, so that no session waits for a flush but the commit's.

use std::ops::Range;
use std::sync::Arc;

use aio::{IoBuf, IoContext, Session};
use storage::{BlockNumber, PAGE_SIZE, Relation, WriteStream};

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::Store;
use crate::index::btree::layout::{Filling, Items};
use crate::index::btree::page;
use crate::index::btree::tree::META;
use crate::index::method::Build;

/// A page that is being filled.
struct Level {
    block: BlockNumber,
    page: Filling,
}

/// Builds a tree from entries that come in order.
pub(crate) struct TreeBuilder {
    store: Arc<Store>,
    relation: Arc<Relation>,
    stream: WriteStream,
    session: Session,
    levels: Vec<Level>,
    next_block: BlockNumber,
}

impl TreeBuilder {
    /// The files are empty, and no other session knows of them.
    pub fn new(store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> TreeBuilder {
        TreeBuilder {
            store: store.clone(),
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

    async fn add_at(&mut self, level: usize, entry: &[u8], child: u32) -> Result<()> {
        if self.levels.len() == level {
            let block = self.new_block();
            self.levels.push(Level { block, page: Filling::new(level, 0) });
        }
        // The first entry of an inner page is less than everything.
        let first = if level > 0 { &[] } else { entry };
        let page = &mut self.levels[level].page;
        if page.items.is_empty() {
            page.push(first, child);
        } else if !page.try_push(entry, child) {
            self.end_page(level, entry).await?;
            let page = &mut self.levels[level].page;
            page.push(if page.items.is_empty() { first } else { entry }, child);
        }
        Ok(())
    }

    /// Writes a level's page, and begins the one that has this entry first.
    async fn end_page(&mut self, level: usize, next: &[u8]) -> Result<()> {
        let right = self.new_block();
        let begun = Level { block: right, page: self.levels[level].page.next() };
        let full = std::mem::replace(&mut self.levels[level], begun);
        let items = &full.page.items;
        let mut separator = if level == 0 { page::separator(items.last(), next) } else { next };
        // A separator may be longer than all in an inner page: then its last ones go to the next page.
        let mut kept = items.len();
        while level > 0 && kept > 1 && items.contents(level, 0..kept).size(separator.len()) > PAGE_SIZE {
            kept -= 1;
            separator = items.entry(kept);
        }
        for (number, (entry, child)) in items.iter(kept..items.len()).enumerate() {
            // The first entry of an inner page is less than everything.
            self.levels[level].page.push(if number == 0 { &[] } else { entry }, child);
        }
        self.write(&full, level, 0..kept, Some((separator, right))).await?;
        if self.levels.len() == level + 1 {
            Box::pin(self.add_at(level + 1, &[], full.block)).await?;
        }
        Box::pin(self.add_at(level + 1, separator, right)).await
    }

    async fn write(
        &mut self,
        full: &Level,
        level: usize,
        items: Range<usize>,
        high_key: Option<(&[u8], u32)>,
    ) -> Result<()> {
        let mut buf = self.buffer().await?;
        let Level { block, page } = full;
        page::fill(&mut Edit::detached(&mut buf), level, high_key, page.items.iter(items));
        self.relation.extend_to(block + 1);
        self.stream.put(&self.relation, *block, buf).await?;
        Ok(())
    }

    /// The tree is one leaf: changes of pages as any other.
    async fn finish_leaf(&self, items: &Items) -> Result<()> {
        let TreeBuilder { store, relation, session, .. } = self;
        store.log.reserve(session, 2 * PAGE_RECORD).await?;
        let (meta_block, meta) = store.pool.extend(session, relation, IoContext::Normal).await?;
        let (root_block, root) = store.pool.extend(session, relation, IoContext::Normal).await?;
        assert_eq!((meta_block, root_block), (META, 1), "the files are empty");
        let (mut meta_latched, mut root_latched) = (meta.latch(), root.latch());
        let mut meta_edit = Edit::new(relation, META, &meta, &mut meta_latched);
        let mut root_edit = Edit::new(relation, root_block, &root, &mut root_latched);
        page::init(&mut meta_edit, 0);
        page::set_root(&mut meta_edit, root_block);
        page::fill(&mut root_edit, 0, None, items.iter(0..items.len()));
        commit(&store.log, None, &mut [&mut meta_edit, &mut root_edit]);
        Ok(())
    }

    async fn buffer(&mut self) -> Result<IoBuf> {
        let mut buf = self.stream.buffer().await?;
        buf.fill(0);
        Ok(buf)
    }
}

impl Build for TreeBuilder {
    async fn add(&mut self, entry: &[u8]) -> Result<()> {
        self.add_at(0, entry, 0).await
    }

    async fn finish(mut self) -> Result<()> {
        let levels = std::mem::take(&mut self.levels);
        if levels.len() < 2 {
            let none = Items::default();
            return self.finish_leaf(levels.first().map_or(&none, |leaf| &leaf.page.items)).await;
        }
        let root = levels.last().expect("there is one").block;
        for (level, page) in levels.into_iter().enumerate() {
            self.write(&page, level, 0..page.page.items.len(), None).await?;
        }
        let mut buf = self.buffer().await?;
        let mut meta = Edit::detached(&mut buf);
        page::init(&mut meta, 0);
        page::set_root(&mut meta, root);
        self.relation.extend_to(1);
        self.stream.put(&self.relation, 0, buf).await?;
        self.stream.finish().await?;
        self.relation.materialise()?;
        Ok(Relation::sync(&self.session, std::slice::from_ref(&self.relation)).await?)
    }
}
