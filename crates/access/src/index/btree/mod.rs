//! B-trees: a B-link tree (Lehman and Yao, TODS 1981) of keys that compare as bytes.
//!
//! An entry is a tuple ([`key`](crate::index::key): the key, and the included columns) with the row's identity behind it, so no two
//! entries are the same, and putting one in that is there already changes nothing. A row has one entry. Entries say nothing about
//! transactions: a row keeps its identity and is updated in place, so the reader who finds an entry looks at the row and asks whether
//! the version it sees has this tuple. Entries of tuples that rows have no more are therefore harmless; a reader that meets them
//! removes them, and so does vacuum.
//!
//! * [`page`]: one page, to the byte, [`layout`]: how much of its entries is there once; [`tree`]: descending, the entries of a key;
//!   [`insert`]: inserting, splitting, [`merge`]: many entries at once, [`leaves_ahead`]: reading their leaves before; [`scan`]:
//!   reading along the leaves; [`build`]: a tree from sorted entries; [`remove`]: taking entries out.

mod build;
mod insert;
mod layout;
mod leaves_ahead;
mod merge;
mod page;
mod remove;
mod scan;
mod tree;

use std::sync::Arc;

use aio::{Session, Turn};
use storage::{Concurrency, Relation};

use crate::Result;
use crate::heap::Store;
use crate::index::btree::build::TreeBuilder;
use crate::index::btree::insert::Wanted;
use crate::index::btree::leaves_ahead::LeavesAhead;
use crate::index::btree::scan::LeafCursor;
use crate::index::key::{KeyShape, RowEntries, key_of, put_tid, tuple_of};
use crate::index::method::{Capabilities, IndexAccessMethod, Parameter, ParameterValues, SizeLimit};
use crate::index::scan_keys::KeyRange;
use crate::page::Tid;

pub(crate) use tree::BTree;

/// What a page costs on the way down, in operators (`DEFAULT_PAGE_CPU_MULTIPLIER`).
const PAGE_OPERATORS: f64 = 50.0;

impl IndexAccessMethod for BTree {
    const OID: u32 = 403;
    const CAPABILITIES: Capabilities = Capabilities {
        can_order: true,
        can_order_by_op: false,
        can_backward: true,
        can_unique: true,
        can_multi_col: true,
        optional_key: true,
        search_array: true,
        search_nulls: true,
        clusterable: true,
        can_include: true,
        can_return: true,
        get_tuple: true,
        get_bitmap: true,
    };
    // They are checked and kept; leaves are filled and deduplicated as it helps.
    const PARAMETERS: &'static [Parameter] = &[
        Parameter { name: "fillfactor", takes: ParameterValues::Integer(10, 100) },
        Parameter { name: "deduplicate_items", takes: ParameterValues::Bool },
    ];
    const SIZE_LIMIT: SizeLimit = SizeLimit {
        name: "btree version 4 maximum",
        hint: "Values larger than 1/3 of a buffer page cannot be indexed.\nConsider a function index of an MD5 hash of the value, \
               or use full text indexing.",
    };

    type Cursor = LeafCursor;
    type Builder = TreeBuilder;

    fn open(store: &Arc<Store>, relation: Arc<Relation>, shape: &KeyShape) -> BTree {
        BTree::new(store, relation, shape.includes())
    }

    fn builder(store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> TreeBuilder {
        TreeBuilder::new(store, relation, session)
    }

    #[inline]
    fn extract<'a>(
        shape: &KeyShape,
        value: impl Fn(usize) -> Option<&'a [u8]>,
        tid: Tid,
        out: &mut RowEntries,
    ) -> Result<()> {
        out.push(|bytes| {
            let null = shape.append(bytes, value)?;
            put_tid(bytes, tid);
            Ok(null)
        })
    }

    /// `btcostestimate`: comparisons on the way down, and the pages there.
    fn descent_operators(entries: f64, height: u32) -> f64 {
        let comparisons = if entries > 1.0 { entries.log2().ceil() } else { 0.0 };
        comparisons + f64::from(height + 1) * PAGE_OPERATORS
    }

    fn relation(&self) -> &Arc<Relation> {
        &self.relation
    }

    fn cursor(self: &Arc<Self>, session: &Session, ranges: Vec<KeyRange>, backward: bool) -> LeafCursor {
        LeafCursor::new(self, session, ranges, backward)
    }

    async fn lookup(&self, session: &Session, key: &[u8], mut found: impl FnMut(Tid)) -> Result<()> {
        self.visit(session, key, |node, index| found(node.tid(index))).await
    }

    async fn lookup_sorted(
        &self,
        session: &Session,
        keys: &[&[u8]],
        concurrency: Concurrency,
        mut found: impl FnMut(Tid),
    ) -> Result<()> {
        let mut turn = Turn::new(self.store.pool.engine());
        let mut ahead = LeavesAhead::new(self, session, concurrency);
        for (at, key) in keys.iter().enumerate() {
            ahead.wait(self, session, &keys[at..]).await?;
            self.visit(session, key, |node, index| found(node.tid(index))).await?;
            ahead.pass(1);
            turn.pass().await;
        }
        Ok(())
    }

    async fn entries_of(&self, session: &Session, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut entries = Vec::new();
        self.visit(session, key, |node, index| {
            let mut entry = Vec::new();
            node.append_entry(index, &mut entry);
            entries.push(entry);
        })
        .await?;
        Ok(entries)
    }

    async fn insert(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()> {
        let done = self.insert_wanted(session, entries, Wanted::Any, concurrency).await?;
        assert_eq!(done, entries.len(), "any entry is wanted");
        Ok(())
    }

    async fn insert_absent(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<usize> {
        self.insert_wanted(session, entries, Wanted::Absent { includes: self.includes }, concurrency).await
    }

    async fn absent_or_shared<'e>(
        &self,
        session: &Session,
        mut entries: &[&'e [u8]],
        concurrency: Concurrency,
    ) -> Result<Vec<&'e [u8]>> {
        let mut turn = Turn::new(self.store.pool.engine());
        let mut ahead = LeavesAhead::new(self, session, concurrency);
        let mut absent = Vec::new();
        while let Some(first) = entries.first() {
            turn.pass().await;
            ahead.wait(self, session, entries).await?;
            let (block, pinned) = self.descend(session, first, 0, &mut None).await?;
            let latched = pinned.read();
            let node = self.parse(&latched, block)?;
            let here = entries.iter().take_while(|entry| !node.is_beyond(entry)).count().max(1);
            // At a leaf's ends it is not known what is beside it.
            let is_alone = |entry: &&&[u8]| {
                let (at, key) = (node.lower_bound(entry), key_of(tuple_of(entry), self.includes));
                let has_other_key = |at: usize| at < node.len() && !self.has_key(&node, at, key);
                at > 0 && node.is_at(at, entry) && has_other_key(at - 1) && has_other_key(at + 1)
            };
            absent.extend(entries[..here].iter().filter(|entry| !is_alone(entry)));
            entries = &entries[here..];
            ahead.pass(here);
        }
        Ok(absent)
    }

    async fn prefetch(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()> {
        let mut turn = Turn::new(self.store.pool.engine());
        let mut ahead = LeavesAhead::new(self, session, concurrency);
        for at in 0..entries.len() {
            ahead.wait(self, session, &entries[at..]).await?;
            ahead.pass(1);
            turn.pass().await;
        }
        Ok(())
    }

    async fn remove_where<E: Sync>(
        &self,
        session: &Session,
        entries: &[E],
        entry_of: impl Fn(&E) -> &[u8],
        is_dead: impl Fn(&E) -> Result<bool>,
    ) -> Result<u64> {
        self.remove_leaf_by_leaf(session, entries, entry_of, is_dead).await
    }
}
