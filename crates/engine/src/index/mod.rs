//! Indexes of tables: putting rows in, uniqueness, looking up. What an index is, its access method says ([`access::index`]): nothing
//! here names one.
//!
//! * [`keys`]: what an index has of rows; [`build`]: building an index, [`load`]: all of a table's while it is loaded; [`rows`]: rows found
//!   through one; [`conflicts_ahead`]: reading ahead for ON CONFLICT; [`seen_keys`]: which entries VACUUM need not look at.
//!
//! # Uniqueness
//! A key that no other entry has goes into a unique index while its leaf is latched: another insertion at the same time comes
//! before, and is found, or after, and finds it. Otherwise every row that an entry of this key leads to is looked at as it is
//! now. One that a transaction in progress has changed is waited for; one that is there and has this key is a conflict. A lock on
//! the key keeps two transactions apart that look at once (a row may take its old key again, whose entry is there); it is held
//! only for the looks and the insertion. An insertion that found the key absent in between is found by the look after this one.

pub(crate) mod build;
mod conflicts_ahead;
pub(crate) mod keys;
pub(crate) mod load;
pub(crate) mod rows;
pub(crate) mod seen_keys;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use ::error::sqlstate;
use access::index::key::{key_of, put_tid, tid_of, tuple_of};
use access::index::{Entries, KeyValues, Method, RowEntries};
use access::page::Version;
use access::toast::stored::is_extended;
use access::{Newest, Tid};
use aio::{Session, Turn};
use arrow_array::RecordBatch;
use storage::Concurrency;
use txn::{Holder, LockMode, LockTag, Snapshot, Xid};
use types::compare;
use types::names::ShownColumns;
use types::quote::quote_identifier;

use crate::catalog::{IndexDef, IndexKey, TableDef};
use crate::index::keys::IndexKeys;
use crate::sort::temporary_files::TemporaryFiles;
use crate::table::Table;
use crate::transaction::Transaction;
use crate::{EngineError, Result};

/// Entries of so many keys are looked through at once for those that lead nowhere.
const KEYS_KILLED_TOGETHER: usize = 256;

/// An open index.
pub struct Index {
    pub def: IndexDef,
    pub keys: Arc<IndexKeys>,
    pub entries: access::index::Index,
}

/// Where the values of some columns of a table are in an index's tuples.
pub struct KeyPlaces {
    /// Of each column: its place among those that are read.
    pub places: Vec<usize>,
    /// So many columns of the key are read, and of those behind it.
    read: (usize, usize),
}

/// What writing needs to know of the session.
#[derive(Clone)]
pub struct WriteOptions {
    /// Milliseconds that a lock is waited for; 0 is for ever.
    pub lock_timeout: u64,
    /// Memory for sorting an index's entries, in bytes, and how many may help with it.
    pub maintenance_work_mem: usize,
    pub maintenance_workers: usize,
    /// How deep tables and indexes are read for it.
    pub concurrency: Concurrency,
    /// How values are written in messages.
    pub context: Arc<types::Context>,
    /// What sorting has on disk.
    pub temporary: TemporaryFiles,
}

impl IndexDef {
    /// May the role see the values of the key (`BuildIndexValueDescription`)? Of expressions it has to see whole rows.
    pub(crate) fn may_show_key(&self, table: &TableDef, options: &WriteOptions) -> bool {
        let columns = match options.context.names.shown_columns(table.oid) {
            ShownColumns::All => return true,
            ShownColumns::Some(columns) => columns,
            ShownColumns::None => return false,
        };
        let is_shown = |column: Option<usize>| column.is_some_and(|at| columns.contains(&(at as i16 + 1)));
        self.columns.iter().all(|column| is_shown(column.key.column()))
    }

    /// Its access method. Fails for one that is not here: a definition of another version.
    pub fn method(&self) -> Result<Method> {
        let missing = || {
            EngineError::new(
                sqlstate::INTERNAL_ERROR,
                format!("access method with OID {} does not exist", self.access_method),
            )
        };
        Method::of(self.access_method).ok_or_else(missing)
    }

    /// A key that no page has room for. `tid`: the row's, where it has its place already.
    pub(crate) fn too_long(&self, table: &TableDef, tid: Option<Tid>, error: access::AccessError) -> EngineError {
        let access::AccessError::KeyTooLong { size, max } = error else { return error.into() };
        let limit = match self.method() {
            Ok(method) => method.size_limit(),
            Err(error) => return error,
        };
        let message = format!("index row size {size} exceeds {} {max} for index \"{}\"", limit.name, self.name);
        let error = EngineError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message)
            .constraint(&table.schema, &table.name, &self.name)
            .hint(limit.hint);
        match tid {
            Some(Tid { block, row }) => error.detail(format!(
                "Index row references tuple ({block},{}) in relation \"{}\".",
                row + 1,
                table.name
            )),
            None => error,
        }
    }
}

impl Index {
    pub(crate) fn is_checked(&self, null: bool) -> bool {
        self.def.unique && (!null || self.def.nulls_not_distinct)
    }

    /// PostgreSQL's message for a key that is there already.
    pub(crate) fn duplicate(
        &self,
        table: &TableDef,
        rows: &RecordBatch,
        row: usize,
        options: &WriteOptions,
    ) -> EngineError {
        let message = format!("duplicate key value violates unique constraint \"{}\"", self.def.name);
        if !self.def.may_show_key(table, options) {
            return EngineError::new(sqlstate::UNIQUE_VIOLATION, message).constraint(
                &table.schema,
                &table.name,
                &self.def.name,
            );
        }
        match self.keys.text(&self.def, table, &rows.slice(row, 1), options) {
            Ok(key) => EngineError::new(sqlstate::UNIQUE_VIOLATION, message)
                .constraint(&table.schema, &table.name, &self.def.name)
                .detail(format!("{key} already exists.")),
            Err(error) => error,
        }
    }

    /// Fails where it was made after a snapshot, which may see rows that it lacks.
    pub fn check_seen(&self, snapshot: &Snapshot) -> Result<()> {
        if self.def.is_usable_by(snapshot) {
            return Ok(());
        }
        let message = format!("could not serialize access: index \"{}\" is younger than the snapshot", self.def.name);
        Err(EngineError::new(sqlstate::T_R_SERIALIZATION_FAILURE, message))
    }

    /// Where the values of these columns of the table are in a tuple, if it has all of them as they are.
    pub fn places_of(&self, table: &TableDef, columns: &[usize]) -> Option<KeyPlaces> {
        let shape = &self.keys.shape;
        let in_key = |column: usize| {
            let ty = table.columns.get(column)?.ty;
            compare::key_is_whole(ty.value.0, ty.value.1).then_some(())?;
            shape.columns.iter().position(|key| key.column == column)
        };
        let included = |column: usize| shape.included.iter().position(|own| own.column == column);
        let found: Vec<_> = columns.iter().map(|&column| (in_key(column), included(column))).collect();
        let from_key = found.iter().filter(|(_, included)| included.is_none()).filter_map(|(key, _)| *key);
        let keys = from_key.max().map_or(0, |last| last + 1);
        if !shape.can_decode(keys) {
            return None;
        }
        let place = |(key, included): &(Option<usize>, Option<usize>)| included.map(|at| keys + at).or(*key);
        let places = found.iter().map(place).collect::<Option<Vec<_>>>()?;
        let end = places.iter().max().map_or(0, |last| last + 1);
        Some(KeyPlaces { places, read: (keys, end.saturating_sub(keys)) })
    }

    /// Where they are in keys alone.
    pub fn places_in_key(&self, table: &TableDef, columns: &[usize]) -> Option<KeyPlaces> {
        self.places_of(table, columns).filter(|found| found.read.1 == 0)
    }

    /// Reads a tuple as far as its values are wanted.
    pub fn decode(&self, tuple: &[u8], wanted: &KeyPlaces, out: &mut KeyValues) -> Result<()> {
        self.keys.shape.decode(tuple, wanted.read, out).map_err(|reason| {
            EngineError::new(sqlstate::INDEX_CORRUPTED, format!("index \"{}\" is corrupted: {reason}", self.def.name))
        })
    }

    /// The identities of rows that entries of a key lead to. Several entries may lead to one, of what the row included before.
    pub async fn lookup(&self, session: &Session, key: &[u8]) -> Result<Vec<Tid>> {
        Ok(self.entries.lookup(session, key).await?)
    }

    /// Leaves one of each in a lookup's rows; gives those that came more than once, of which entries may be removed.
    pub fn dedup(&self, tids: &mut Vec<Tid>) -> Vec<Tid> {
        if !self.keys.shape.includes() || tids.len() < 2 {
            return Vec::new();
        }
        tids.sort_unstable();
        let mut repeated: Vec<Tid> = tids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        tids.dedup();
        repeated.dedup();
        repeated
    }

    /// Removes the entries of a key that lead to these rows, where no snapshot sees the entry's tuple in them.
    pub async fn kill_items_of(&self, session: &Session, table: &Table, key: &[u8], tids: &[Tid]) -> Result<()> {
        if tids.is_empty() {
            return Ok(());
        }
        let entry = |tid: &Tid| {
            let mut entry = key.to_vec();
            put_tid(&mut entry, *tid);
            entry
        };
        let entries: Vec<Vec<u8>> = match self.keys.shape.includes() {
            false => tids.iter().map(entry).collect(),
            true => {
                let mut entries = self.entries.entries_of(session, key).await?;
                entries.retain(|entry| tids.contains(&tid_of(entry)));
                entries
            }
        };
        self.kill_items(session, table, &entries).await
    }

    /// The same for all that lead from the keys of these entries, which are in order.
    async fn kill_items_of_keys(&self, session: &Session, table: &Table, entries: &[&[u8]]) -> Result<()> {
        let mut turn = Turn::new(table.heap.store.pool.engine());
        let mut all = Vec::with_capacity(entries.len());
        for some in entries.chunk_by(|a, b| self.key_of(a) == self.key_of(b)) {
            turn.pass().await;
            all.extend(self.entries.entries_of(session, self.key_of(some[0])).await?);
        }
        self.kill_items(session, table, &all).await
    }

    /// Removes those of these entries that lead to no row with their tuple, for any snapshot.
    pub(crate) async fn kill_items(&self, session: &Session, table: &Table, entries: &[Vec<u8>]) -> Result<()> {
        let has_tuple = |values: &[_], tuple: &[u8]| self.keys.has_tuple(values, tuple);
        match self.entries.kill_items(session, &table.heap, &has_tuple, entries).await {
            // The log has no room, or is broken: a statement that changes something is told. One that only reads needs no log.
            Ok(_) | Err(access::AccessError::Log(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// A row that has this key now, other than `own`, among those that its entries lead to (`tids`); transactions in progress
    /// are waited for.
    pub(crate) async fn conflict(
        &self,
        table: &Table,
        transaction: &mut Transaction,
        key: &[u8],
        own: Option<Tid>,
        mut tids: Vec<Tid>,
    ) -> Result<Found> {
        let session = transaction.backend.io.clone();
        let (mut current, mut suspects) = (Vec::new(), Vec::new());
        let repeated = self.dedup(&mut tids);
        // Before the first return: each call may end early with a row in conflict, and would find its old entries each time.
        self.kill_items_of(&session, table, key, &repeated).await?;
        tids.retain(|&tid| Some(tid) != own);
        // Transactions before this one have ended before the rows are looked at.
        let horizon = if tids.is_empty() { 0 } else { table.heap.store.transactions.horizon() };
        for tid in tids {
            match self.had_key_before(table, &session, tid, key, horizon).await? {
                Some(true) => return Ok(Found::Row(tid)),
                Some(false) => {
                    suspects.push(tid);
                    continue;
                }
                None => {}
            }
            loop {
                let subaborts = table.heap.store.transactions.subaborts();
                let Some(newest) = table.heap.newest_with(&session, tid, &self.keys.key_variable).await? else { break };
                let xid = newest.version.xid;
                let mine = transaction.xid() == Some(xid);
                let dependency = Some(&transaction.backend.proc.dependency);
                let busy = !mine && table.heap.store.transactions.is_active(xid, dependency);
                // A row that has this key neither after a commit nor after a rollback is not in the way.
                let version = newest.version;
                let waits = match busy {
                    true => self.may_get_key(table, &session, tid, newest.clone(), key).await,
                    false => Ok(false),
                };
                // It may have taken its change back between the two looks.
                let now = table.heap.newest(&session, tid).await?;
                if !mine && now.is_none_or(|now| now.version != version) {
                    continue;
                }
                if waits.is_err() && !table.heap.store.transactions.is_active(xid, None) {
                    // What the row was before is kept only for as long as a snapshot may need it.
                    continue;
                }
                if waits? {
                    return Ok(Found::Busy(Holder { xid, subaborts }));
                }
                if !busy && !newest.version.deleted {
                    let value = |column: usize| newest.values[column].as_deref();
                    if self.keys.is_key_of_row(key, &mut current, value)? {
                        return Ok(Found::Row(tid));
                    }
                }
                break;
            }
            suspects.push(tid);
        }
        self.kill_items_of(&session, table, key, &suspects).await?;
        Ok(Found::Nothing)
    }

    /// Does a row that no transaction has changed since `horizon` have this key? `None`: it takes more than a look to tell.
    async fn had_key_before(
        &self,
        table: &Table,
        session: &Session,
        tid: Tid,
        key: &[u8],
        horizon: Xid,
    ) -> Result<Option<bool>> {
        if self.keys.computed.is_some() {
            // Not under the page's latch.
            return Ok(None);
        }
        let mut scratch = Vec::new();
        let look = |version: Version, values: &[Option<&[u8]>]| {
            let is_stored_otherwise = |&column: &usize| values[column].is_some_and(is_extended);
            if version.xid >= horizon || self.keys.key_variable.iter().any(is_stored_otherwise) {
                return Ok(None);
            }
            if version.deleted {
                return Ok(Some(false));
            }
            self.keys.is_key_of_row(key, &mut scratch, |column| values[column]).map(Some)
        };
        table.heap.with_newest(session, tid, look).await?.unwrap_or(Ok(Some(false)))
    }

    /// May a row have this key when the transaction ends that has changed it last?
    async fn may_get_key(
        &self,
        table: &Table,
        session: &Session,
        tid: Tid,
        newest: Newest,
        key: &[u8],
    ) -> Result<bool> {
        let mut current = Vec::new();
        let has_key = |values: &[Option<Vec<u8>>]| {
            // What cannot be computed for another's row is the other's error.
            self.keys.is_key_of_row(key, &mut current, |column| values[column].as_deref()).unwrap_or(true)
        };
        Ok(table.heap.may_become(session, tid, newest, &self.keys.key_variable, has_key).await?)
    }

    /// The key of an entry that was made here.
    pub(crate) fn key_of<'e>(&self, entry: &'e [u8]) -> &'e [u8] {
        key_of(tuple_of(entry), self.keys.shape.includes())
    }

    fn key_tag(&self, table: &Table, key: &[u8]) -> LockTag {
        let mut hasher = DefaultHasher::new();
        (self.def.file, key).hash(&mut hasher);
        LockTag::Name { database: table.database, hash: hasher.finish() }
    }

    /// Puts an entry in whose key others may have. `Some`: another row has it, and the entry leads nowhere soon.
    pub(crate) async fn insert_checked(
        &self,
        table: &Table,
        transaction: &mut Transaction,
        entry: &[u8],
        timeout: u64,
    ) -> Result<Option<Tid>> {
        let tag = self.key_tag(table, self.key_of(entry));
        loop {
            transaction.lock(tag, LockMode::Exclusive, timeout).await?;
            let outcome = self.insert_locked(table, transaction, entry).await;
            transaction.unlock(tag, LockMode::Exclusive);
            match outcome? {
                Found::Nothing => return Ok(None),
                Found::Row(other) => return Ok(Some(other)),
                Found::Busy(holder) => transaction.wait_for(holder, timeout).await?,
            }
        }
    }

    /// The same, if nothing stands in the way. The caller holds the lock on the key.
    async fn insert_locked(&self, table: &Table, transaction: &mut Transaction, entry: &[u8]) -> Result<Found> {
        let session = transaction.backend.io.clone();
        let (key, own) = (self.key_of(entry), tid_of(entry));
        let known = self.lookup(&session, key).await?;
        let found = self.conflict(table, transaction, key, Some(own), known).await?;
        if !matches!(found, Found::Nothing) {
            return Ok(found);
        }
        // What stood there may be gone.
        if self.entries.insert_absent(&session, &[entry], Concurrency::Auto).await? == 1 {
            return Ok(found);
        }
        self.entries.insert(&session, &[entry], Concurrency::Auto).await?;
        // An insertion that found the key absent meanwhile came without the lock.
        let now = self.lookup(&session, key).await?;
        self.conflict(table, transaction, key, Some(own), now).await
    }
}

impl IndexKeys {
    /// The columns of the key with their values in the only row of a batch (`BuildIndexValueDescription`).
    pub(crate) fn text(
        &self,
        def: &IndexDef,
        table: &TableDef,
        row: &RecordBatch,
        options: &WriteOptions,
    ) -> Result<String> {
        let keyed = self.of_batch(|column| row.column(column), 1)?;
        let names = self.computed.as_ref().map_or(&[][..], |computed| computed.functions.names());
        let mut expressions = names.iter().zip(&keyed.computed);
        let mut columns = Vec::with_capacity(def.columns.len());
        let mut values = Vec::with_capacity(def.columns.len());
        for column in &def.columns {
            match &column.key {
                IndexKey::Column(at) => {
                    let column = &table.columns[*at];
                    columns.push(quote_identifier(&column.name).into_owned());
                    values.push(column.text(&options.context, row.column(*at), 0)?);
                }
                IndexKey::Expression(expression) => {
                    let Some((name, value)) = expressions.next() else { continue };
                    columns.push(name.clone());
                    values.extend(expression.ty.text(&options.context, value, 0)?);
                }
            }
        }
        Ok(format!("Key ({})=({})", columns.join(", "), values.join(", ")))
    }
}

/// Rows that are in the heap and are to be in the indexes.
struct NewRows<'a> {
    rows: &'a RecordBatch,
    /// Their identities, which are all different.
    tids: &'a [Tid],
    /// The columns in which they are new; `None`: all.
    changed: Option<&'a [usize]>,
    options: &'a WriteOptions,
}

impl NewRows<'_> {
    /// Are they new in one of these columns?
    fn changes(&self, mut columns: impl Iterator<Item = usize>) -> bool {
        self.changed.is_none_or(|changed| columns.any(|column| changed.contains(&column)))
    }
}

/// What a look for a key found.
pub enum Found {
    Nothing,
    Row(Tid),
    Busy(Holder),
}

impl Table {
    /// Is one of these columns part of a key that other tables may refer to?
    pub fn has_key_among(&self, columns: &[usize]) -> bool {
        let unique = self.def.indexes.iter().filter(|i| i.unique && !i.is_computed());
        unique.flat_map(IndexDef::keys).any(|c| columns.contains(&c))
    }

    /// Do entries of an index depend on one of these columns?
    pub fn is_indexed_by(&self, columns: &[usize]) -> bool {
        self.indexes.iter().any(|index| index.def.inputs().any(|input| columns.contains(&input)))
    }

    /// Puts rows, which are in the heap, into the table's indexes; `changed`: only into those whose entries depend on one of
    /// these columns.
    pub async fn index_rows(
        &self,
        transaction: &mut Transaction,
        rows: &RecordBatch,
        tids: &[Tid],
        changed: Option<&[usize]>,
        options: &WriteOptions,
    ) -> Result<()> {
        let new = NewRows { rows, tids, changed, options };
        for index in &self.indexes {
            if new.changes(index.def.inputs()) {
                self.put_into(index, transaction, &new).await?;
            }
        }
        Ok(())
    }

    /// Puts rows into one index.
    async fn put_into(&self, index: &Index, transaction: &mut Transaction, new: &NewRows<'_>) -> Result<()> {
        let mut of_row = RowEntries::default();
        let (mut checked, mut others) = (Entries::default(), Entries::default());
        let keyed = index.keys.of_batch(|column| new.rows.column(column), new.tids.len())?;
        // Rows that keep their keys have them alone.
        let may_meet_others = new.changes(index.def.key_and_predicate());
        for place in 0..keyed.len() {
            let tid = new.tids[keyed.row(place)];
            let extracted = keyed.extract(place, tid, |column| new.rows.column(column), &mut of_row);
            extracted.map_err(|error| index.def.too_long(&self.def, Some(tid), error))?;
            let is_checked = |null| may_meet_others && index.is_checked(null);
            if keyed.len() == 1
                && let Some((entry, null)) = of_row.only()
            {
                return self.put_new(index, transaction, new, &[entry], is_checked(null)).await;
            }
            for (entry, null) in of_row.iter() {
                let is_checked = is_checked(null);
                let entries = if is_checked { &mut checked } else { &mut others };
                entries.push(entry);
                if entries.are_enough() {
                    self.put_new(index, transaction, new, &entries.sorted(), is_checked).await?;
                    entries.clear();
                }
            }
        }
        self.put_new(index, transaction, new, &checked.sorted(), true).await?;
        self.put_new(index, transaction, new, &others.sorted(), false).await
    }

    /// Puts entries of rows, in their order, into an index.
    async fn put_new(
        &self,
        index: &Index,
        transaction: &mut Transaction,
        new: &NewRows<'_>,
        entries: &[&[u8]],
        is_checked: bool,
    ) -> Result<()> {
        let places: OnceLock<HashMap<Tid, usize>> = OnceLock::new();
        let place = |tid: Tid| places.get_or_init(|| new.tids.iter().copied().zip(0..).collect())[&tid];
        match self.put_entries(index, transaction, entries, is_checked, place, new.options).await? {
            Some(tid) => {
                let row = place(tid);
                Err(index.duplicate(&self.def, new.rows, row, new.options).at_row(row))
            }
            None => Ok(()),
        }
    }

    /// Puts entries, in their order, into an index; `is_checked`: if no other row has their key. A transaction that waits for the
    /// one that has a key has put in none of the entries behind it: two that come with the same rows in the same order would
    /// otherwise wait for each other. Gives the first row whose key another has, in `place`'s order: errors come in rows' order.
    pub(crate) async fn put_entries<P: Ord>(
        &self,
        index: &Index,
        transaction: &mut Transaction,
        entries: &[&[u8]],
        is_checked: bool,
        place: impl Fn(Tid) -> P,
        options: &WriteOptions,
    ) -> Result<Option<Tid>> {
        let session = transaction.backend.io.clone();
        if !is_checked {
            index.entries.insert(&session, entries, options.concurrency).await?;
            return Ok(None);
        }
        let mut rest = entries;
        // The keys of so many of the first ones were looked through for rows that are gone, and of so many they are next: of ever
        // more, while they are near each other.
        let (mut looked_through, mut together) = (0usize, 1);
        let mut turn = Turn::new(self.heap.store.pool.engine());
        loop {
            turn.pass().await;
            let done = index.entries.insert_absent(&session, rest, options.concurrency).await?;
            rest = &rest[done..];
            let Some((entry, behind)) = rest.split_first() else { return Ok(None) };
            looked_through = looked_through.saturating_sub(done);
            if looked_through == 0 && rest.len() > 1 {
                together = if done < KEYS_KILLED_TOGETHER { (4 * together).min(KEYS_KILLED_TOGETHER) } else { 1 };
                looked_through = together.min(rest.len());
                index.kill_items_of_keys(&session, self, &rest[..looked_through]).await?;
                continue;
            }
            let taken = Box::pin(index.insert_checked(self, transaction, entry, options.lock_timeout)).await?;
            if taken.is_some() {
                let from = entries.len() - rest.len();
                return self.first_taken(index, transaction, entries, from, place).await.map(Some);
            }
            looked_through = looked_through.saturating_sub(1);
            rest = behind;
        }
    }

    /// The first row, in the order that `place` says, whose key another row has, if that one of an entry has. Those before it are in,
    /// those behind it are not.
    async fn first_taken<P: Ord>(
        &self,
        index: &Index,
        transaction: &mut Transaction,
        entries: &[&[u8]],
        at: usize,
        place: impl Fn(Tid) -> P,
    ) -> Result<Tid> {
        let session = transaction.backend.io.clone();
        let key_at = index.key_of(entries[at]);
        let from = entries[..at].iter().rposition(|entry| index.key_of(entry) != key_at).map_or(0, |before| before + 1);
        let mut turn = Turn::new(self.heap.store.pool.engine());
        let mut first: Option<Tid> = None;
        for same in entries[from..].chunk_by(|a, b| index.key_of(a) == index.key_of(b)) {
            let key = index.key_of(same[0]);
            let mut tids: Vec<Tid> = same.iter().map(|entry| tid_of(entry)).collect();
            let known = index.lookup(&session, key).await?.into_iter().filter(|tid| !tids.contains(tid)).collect();
            let is_taken = matches!(index.conflict(self, transaction, key, None, known).await?, Found::Row(_));
            // Of several that have one key the second is wrong.
            tids.sort_by_key(|&tid| place(tid));
            let wrong = tids.get(usize::from(!is_taken)).copied();
            first = first.into_iter().chain(wrong).min_by_key(|&tid| place(tid));
            turn.pass().await;
        }
        // What was in the way may be gone by now.
        Ok(first.unwrap_or_else(|| tid_of(entries[at])))
    }

    /// A row that stands in the way of a new one, the only row of a batch, in one of these unique indexes (by position),
    /// waiting for transactions in progress: what ON CONFLICT asks for.
    pub async fn find_conflict(
        &self,
        transaction: &mut Transaction,
        new: &RecordBatch,
        indexes: &[usize],
        timeout: u64,
    ) -> Result<Option<Tid>> {
        loop {
            match self.look_for_conflict(transaction, new, indexes).await? {
                Found::Nothing => return Ok(None),
                Found::Row(tid) => return Ok(Some(tid)),
                Found::Busy(holder) => transaction.wait_for(holder, timeout).await?,
            }
        }
    }

    /// The same without waiting.
    pub async fn look_for_conflict(
        &self,
        transaction: &mut Transaction,
        new: &RecordBatch,
        indexes: &[usize],
    ) -> Result<Found> {
        let session = transaction.backend.io.clone();
        let mut key = Vec::new();
        for &index in indexes {
            let index = &self.indexes[index];
            let keyed = index.keys.of_batch(|column| new.column(column), 1)?;
            if keyed.is_empty() {
                continue;
            }
            let encoded = keyed.encode(&index.keys.key, 0, |column| new.column(column), &mut key);
            if !index.is_checked(encoded.map_err(|error| index.def.too_long(&self.def, None, error))?) {
                continue;
            }
            let tids = index.lookup(&session, &key).await?;
            match index.conflict(self, transaction, &key, None, tids).await? {
                Found::Nothing => {}
                found => return Ok(found),
            }
        }
        Ok(Found::Nothing)
    }
}
