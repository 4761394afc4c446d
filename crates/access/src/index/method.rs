//! What an index access method is: PostgreSQL's `IndexAmRoutine`.
//!
//! A method says what it can do ([`Capabilities`]), and does it as [`IndexAccessMethod`] has it. All others know [`Method`], which is one
//! of them, and [`Index`], an open index of whatever method: the engine, the planner and the commands name none. A method is its
//! folder, and a line in each enumeration here.
//!
//! # What holds for all of them
//! * The method makes the entries of a row ([`IndexAccessMethod::extract`]): how many there are is up to it. An entry is bytes with the
//!   row's identity at their end ([`crate::index::key`]), and what is given in an order is in that of these bytes.
//! * An entry says nothing about transactions. It may lead to a row that has other values by now, or to none; the reader looks at the
//!   row, and has what leads nowhere removed ([`crate::index::kill`]). Each row that a snapshot may see has its entries.
//! * Putting an entry in that is there changes nothing, and so does removing one that is not there.
//! * Many entries come together, and pages of those behind are read while the first ones are looked at: nothing waits for one page where
//!   the next is known. What is done for each row or entry goes through no table of functions: there is a `match` for each call here,
//!   and a scan asks its method once a page ([`crate::index::scan`]).

use std::sync::Arc;

use aio::Session;
use storage::{BlockNumber, Concurrency, Relation, RelationCounters};

use crate::Result;
use crate::heap::Store;
use crate::index::btree::BTree;
use crate::index::key::{KeyShape, RowEntries};
use crate::index::scan::{Cursor, EntryBatch};
use crate::index::scan_keys::KeyRange;
use crate::page::Tid;

/// What a method can do, by PostgreSQL's names without `am`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Entries come in the order of their keys, which columns may have descending and with NULLs first.
    pub can_order: bool,
    /// In the order of an operator's results.
    pub can_order_by_op: bool,
    /// A scan may go backward.
    pub can_backward: bool,
    pub can_unique: bool,
    pub can_multi_col: bool,
    /// A scan needs no condition on the first column.
    pub optional_key: bool,
    /// `column = ANY (array)` is one scan.
    pub search_array: bool,
    /// IS NULL and IS NOT NULL are looked up.
    pub search_nulls: bool,
    pub clusterable: bool,
    pub can_include: bool,
    /// Entries have the values of all columns.
    pub can_return: bool,
    /// It gives rows one by one (`amgettuple`), and for bitmaps (`amgetbitmap`).
    pub get_tuple: bool,
    pub get_bitmap: bool,
}

/// A storage parameter of a method's indexes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    pub name: &'static str,
    pub takes: ParameterValues,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterValues {
    Bool,
    /// From the first to the second.
    Integer(i64, i64),
}

/// How messages speak of the limit of an entry's size.
#[derive(Clone, Copy, Debug)]
pub struct SizeLimit {
    pub name: &'static str,
    pub hint: &'static str,
}

/// An index access method, implemented by its open index.
pub(crate) trait IndexAccessMethod: Send + Sync + Sized {
    /// Its row of `pg_am`.
    const OID: u32;
    const CAPABILITIES: Capabilities;
    const PARAMETERS: &'static [Parameter];
    const SIZE_LIMIT: SizeLimit;

    type Cursor: Cursor;
    type Builder: Build;

    /// Of an index whose keys have this shape.
    fn open(store: &Arc<Store>, relation: Arc<Relation>, shape: &KeyShape) -> Self;

    /// Makes a new index. The files are empty, and no other session knows of them.
    fn builder(store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> Self::Builder;

    /// Adds the entries of a row, given by the values of the table's columns as pages have them.
    fn extract<'a>(
        shape: &KeyShape,
        value: impl Fn(usize) -> Option<&'a [u8]>,
        tid: Tid,
        out: &mut RowEntries,
    ) -> Result<()>;

    /// How many operators it costs to find the first of an index's entries (the method's part of `amcostestimate`).
    fn descent_operators(entries: f64, height: u32) -> f64;

    fn relation(&self) -> &Arc<Relation>;

    /// The ranges are in order and have no entry in common; `backward`: the last one first, and its last entry.
    fn cursor(self: &Arc<Self>, session: &Session, ranges: Vec<KeyRange>, backward: bool) -> Self::Cursor;

    /// Says of each entry with exactly this key where it leads, while its page is latched.
    async fn lookup(&self, session: &Session, key: &[u8], found: impl FnMut(Tid)) -> Result<()>;

    /// The same of several keys, which are in order.
    async fn lookup_sorted(
        &self,
        session: &Session,
        keys: &[&[u8]],
        concurrency: Concurrency,
        found: impl FnMut(Tid),
    ) -> Result<()>;

    /// The entries of a key.
    async fn entries_of(&self, session: &Session, key: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Puts entries in, which are in order.
    async fn insert(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()>;

    /// The same up to the first whose key another entry has, or may have where that cannot be told in a moment; gives how many are
    /// before it. An entry and the look for its key are one: of two sessions with one key the second finds the first's.
    async fn insert_absent(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<usize>;

    /// Those of these entries, which are in order, that are not there, or may have others with their key beside them.
    async fn absent_or_shared<'e>(
        &self,
        session: &Session,
        entries: &[&'e [u8]],
        concurrency: Concurrency,
    ) -> Result<Vec<&'e [u8]>>;

    /// Brings the pages into memory that these entries, which are in order, belong to.
    async fn prefetch(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()>;

    /// Removes those of these entries, which are in order, of which `is_dead` says so under the latch of their page; gives how many
    /// these were. What `is_dead` latches comes after that page.
    async fn remove_where<E: Sync>(
        &self,
        session: &Session,
        entries: &[E],
        entry_of: impl Fn(&E) -> &[u8],
        is_dead: impl Fn(&E) -> Result<bool>,
    ) -> Result<u64>;
}

/// A new index of a method that is being built.
pub(crate) trait Build {
    /// Adds the next entry, in order.
    async fn add(&mut self, entry: &[u8]) -> Result<()>;

    /// Writes what is left, and makes all of it as durable as the log.
    async fn finish(self) -> Result<()>;
}

/// The access methods that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    BTree,
}

#[derive(Clone)]
enum AnyIndex {
    BTree(Arc<BTree>),
}

enum AnyCursor {
    BTree(<BTree as IndexAccessMethod>::Cursor),
}

enum AnyBuilder {
    BTree(<BTree as IndexAccessMethod>::Builder),
}

/// Asks the type of a method.
macro_rules! of_method {
    ($method:expr, $own:ident => $call:expr) => {
        match $method {
            Method::BTree => {
                type $own = BTree;
                $call
            }
        }
    };
}

/// Asks what is of one of the methods.
macro_rules! dispatch {
    ($any:ident, $one:expr, $own:ident => $call:expr) => {
        match $one {
            $any::BTree($own) => $call,
        }
    };
}

impl Method {
    pub const ALL: &'static [Method] = &[Method::BTree];
    /// What CREATE INDEX makes where nothing else is said, and what keys are kept in.
    pub const DEFAULT: Method = Method::BTree;

    /// By its row of `pg_am`; `None`: it is not here.
    pub fn of(oid: u32) -> Option<Method> {
        Method::ALL.iter().copied().find(|method| method.oid() == oid)
    }

    pub const fn oid(self) -> u32 {
        of_method!(self, M => M::OID)
    }

    pub const fn capabilities(self) -> &'static Capabilities {
        of_method!(self, M => &M::CAPABILITIES)
    }

    /// The storage parameters of its indexes.
    pub const fn parameters(self) -> &'static [Parameter] {
        of_method!(self, M => M::PARAMETERS)
    }

    pub const fn size_limit(self) -> SizeLimit {
        of_method!(self, M => M::SIZE_LIMIT)
    }

    /// How many operators it costs to find the first of an index's entries; `height`: levels below its root, if it has one.
    pub fn descent_operators(self, entries: f64, height: u32) -> f64 {
        of_method!(self, M => M::descent_operators(entries, height))
    }

    /// Adds the entries of a row, given by the values of the table's columns as pages have them.
    #[inline]
    pub fn extract<'a>(
        self,
        shape: &KeyShape,
        value: impl Fn(usize) -> Option<&'a [u8]>,
        tid: Tid,
        out: &mut RowEntries,
    ) -> Result<()> {
        of_method!(self, M => M::extract(shape, value, tid, out))
    }
}

/// An open index.
#[derive(Clone)]
pub struct Index(AnyIndex);

impl Index {
    /// Of a method, with keys of this shape.
    pub fn open(method: Method, store: &Arc<Store>, relation: Arc<Relation>, shape: &KeyShape) -> Index {
        Index(match method {
            Method::BTree => AnyIndex::BTree(Arc::new(BTree::open(store, relation, shape))),
        })
    }

    pub fn capabilities(&self) -> &'static Capabilities {
        dispatch!(AnyIndex, &self.0, index => capabilities_of(&**index))
    }

    pub fn blocks(&self) -> BlockNumber {
        dispatch!(AnyIndex, &self.0, index => index.relation().blocks())
    }

    /// Where is counted what is done with it.
    pub fn counters(&self) -> Option<&RelationCounters> {
        dispatch!(AnyIndex, &self.0, index => index.relation().counters())
    }

    pub(super) fn cursor(&self, session: &Session, ranges: Vec<KeyRange>, backward: bool) -> MethodCursor {
        assert!(!backward || self.capabilities().can_backward, "the planner asks what the method can do");
        MethodCursor(match &self.0 {
            AnyIndex::BTree(index) => AnyCursor::BTree(index.cursor(session, ranges, backward)),
        })
    }

    /// The rows that entries with exactly this key lead to.
    pub async fn lookup(&self, session: &Session, key: &[u8]) -> Result<Vec<Tid>> {
        let mut tids = Vec::new();
        self.lookup_with(session, key, |tid| tids.push(tid)).await?;
        Ok(tids)
    }

    /// The same for a caller that wants to hear of each while its page is latched.
    pub async fn lookup_with(&self, session: &Session, key: &[u8], found: impl FnMut(Tid)) -> Result<()> {
        dispatch!(AnyIndex, &self.0, index => index.lookup(session, key, found).await)
    }

    /// The rows of several keys, which are in order, with their pages read ahead.
    pub async fn lookup_sorted(
        &self,
        session: &Session,
        keys: &[&[u8]],
        concurrency: Concurrency,
        found: impl FnMut(Tid),
    ) -> Result<()> {
        debug_assert!(keys.is_sorted());
        dispatch!(AnyIndex, &self.0, index => index.lookup_sorted(session, keys, concurrency, found).await)
    }

    /// The entries of a key.
    pub async fn entries_of(&self, session: &Session, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        dispatch!(AnyIndex, &self.0, index => index.entries_of(session, key).await)
    }

    /// Puts entries in, which are in order; nothing happens where one is there. Pages are read ahead from the first one on that is not
    /// in memory.
    pub async fn insert(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()> {
        debug_assert!(entries.is_sorted());
        dispatch!(AnyIndex, &self.0, index => index.insert(session, entries, concurrency).await)
    }

    /// The same up to the first whose key another entry has (or may have, where that cannot be told in a moment); gives how many are
    /// before it.
    pub async fn insert_absent(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<usize> {
        debug_assert!(entries.is_sorted());
        assert!(self.capabilities().can_unique, "CREATE INDEX asks what the method can do");
        dispatch!(AnyIndex, &self.0, index => index.insert_absent(session, entries, concurrency).await)
    }

    /// Those of these entries, which are in order, that are not there, or may have others with their key beside them.
    pub async fn absent_or_shared<'e>(
        &self,
        session: &Session,
        entries: &[&'e [u8]],
        concurrency: Concurrency,
    ) -> Result<Vec<&'e [u8]>> {
        debug_assert!(entries.is_sorted());
        dispatch!(AnyIndex, &self.0, index => index.absent_or_shared(session, entries, concurrency).await)
    }

    /// Brings the pages into memory that these entries, which are in order, belong to.
    pub async fn prefetch(&self, session: &Session, entries: &[&[u8]], concurrency: Concurrency) -> Result<()> {
        debug_assert!(entries.is_sorted());
        dispatch!(AnyIndex, &self.0, index => index.prefetch(session, entries, concurrency).await)
    }

    /// Removes those of these entries, which are in order, of which `is_dead` says so under the latch of their page.
    pub(super) async fn remove_where<E: Sync>(
        &self,
        session: &Session,
        entries: &[E],
        entry_of: impl Fn(&E) -> &[u8],
        is_dead: impl Fn(&E) -> Result<bool>,
    ) -> Result<u64> {
        dispatch!(AnyIndex, &self.0, index => index.remove_where(session, entries, entry_of, is_dead).await)
    }
}

fn capabilities_of<M: IndexAccessMethod>(_: &M) -> &'static Capabilities {
    &M::CAPABILITIES
}

/// Where a scan is, whatever the index's method.
pub(super) struct MethodCursor(AnyCursor);

impl Cursor for MethodCursor {
    async fn load(&mut self, batch: &mut EntryBatch) -> Result<bool> {
        dispatch!(AnyCursor, &mut self.0, cursor => cursor.load(batch).await)
    }

    fn may_load_more(&self) -> bool {
        dispatch!(AnyCursor, &self.0, cursor => cursor.may_load_more())
    }

    fn is_within_range(&self) -> bool {
        dispatch!(AnyCursor, &self.0, cursor => cursor.is_within_range())
    }

    fn leave_range(&mut self) {
        dispatch!(AnyCursor, &mut self.0, cursor => cursor.leave_range());
    }

    fn want_first(&mut self, entries: usize) {
        dispatch!(AnyCursor, &mut self.0, cursor => cursor.want_first(entries));
    }

    fn read_ahead(&mut self, concurrency: Concurrency) {
        dispatch!(AnyCursor, &mut self.0, cursor => cursor.read_ahead(concurrency));
    }

    fn read_ahead_if_cold(&mut self, concurrency: Concurrency) {
        dispatch!(AnyCursor, &mut self.0, cursor => cursor.read_ahead_if_cold(concurrency));
    }

    fn searches(&self) -> u64 {
        dispatch!(AnyCursor, &self.0, cursor => cursor.searches())
    }
}

/// A new index that is being built, from its entries in order.
pub struct Builder(AnyBuilder);

impl Builder {
    /// The files are empty, and no other session knows of them.
    pub fn new(method: Method, store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> Builder {
        Builder(match method {
            Method::BTree => AnyBuilder::BTree(BTree::builder(store, relation, session)),
        })
    }

    /// Adds the next entry.
    pub async fn add(&mut self, entry: &[u8]) -> Result<()> {
        dispatch!(AnyBuilder, &mut self.0, builder => builder.add(entry).await)
    }

    /// Writes what is left, and makes all of it as durable as the log.
    pub async fn finish(self) -> Result<()> {
        dispatch!(AnyBuilder, self.0, builder => builder.finish().await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_is_found_by_its_oid_and_can_do_what_it_says() {
        for &method in Method::ALL {
            assert_eq!(Method::of(method.oid()), Some(method));
            let can = method.capabilities();
            assert!(can.get_tuple || can.get_bitmap, "{method:?} gives rows");
            assert!(!can.can_backward || can.can_order, "{method:?}: backward is against an order");
            assert!(!can.clusterable || can.can_order, "{method:?}: rows are clustered in an order");
        }
        assert!(Method::DEFAULT.capabilities().can_unique, "keys are kept in it");
    }
}
