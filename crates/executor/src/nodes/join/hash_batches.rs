//! A hash join whose inner side is too large for the memory: the rows of both sides go to files by their keys' hashes, and are
//! joined file by file (GRACE: Kitsuregawa et al., 1983; PostgreSQL's batches, `nodeHash.c`). A file that is still too large is
//! divided again by other bits of the hash.

use std::sync::{Arc, Weak};

use aio::Turn;
use arrow_array::{ArrayRef, UInt32Array};
use async_trait::async_trait;
use parking_lot::Mutex;
use types::Repr;

use crate::batch::Batch;
use crate::error::Result;
use crate::keys::null_rows;
use crate::memory::temp_file::{TempFile, TempFileWriter};
use crate::nodes::join::hash_join::{HashJoin, Inner, InnerRows, hashes};
use crate::nodes::join::join_keys::Side;
use crate::run::estate::Run;
use crate::run::rows::{BoxRows, Ready, Rows};

/// Into how many files rows go, as a number of bits.
const BITS: u32 = 4;
const FILES: usize = 1 << BITS;
/// The first bit of the hash that is used: the table looks at the last ones, and at the first seven.
const FIRST_BIT: u32 = 32;
/// How often files are divided, at most: their rows have one key then, or hardly more.
pub const MOST_DEPTH: u32 = 6;

/// The files of one side; `None`: no row went there.
type Files = Vec<Option<TempFile>>;

/// The inner side, divided.
pub struct Batches {
    files: Files,
    /// Those that are being joined: several may read parts of the outer side.
    joined: Vec<Mutex<Weak<Inner>>>,
    /// By which bits of the hash they were divided: how often rows were before.
    divided_by: u32,
    /// How often their rows were divided.
    depth: u32,
}

impl Batches {
    /// Divides rows. `depth`: how often they were divided before.
    pub async fn write(node: &HashJoin, mut rows: BoxRows, depth: u32, run: &Run) -> Result<Batches> {
        let mut writers = Writers::new(&node.join.inner.reprs, depth, node.join.gives_inner_alone());
        let mut turn = Turn::new(run.environment().database.engine());
        while let Some(mut batch) = rows.next().await? {
            turn.pass().await;
            let mut keys = node.keys.of(Side::Inner, &batch, run).await?;
            if node.join.asks_keys_only() {
                let first = node.first_of_keys(&keys, batch.rows)?;
                keys = Batch::new(keys, batch.rows).take(&first)?.columns;
                batch = batch.take(&first)?;
            }
            writers.append(&batch, &keys, run, |_| true)?;
        }
        // Rows with one key stay together however often they are divided.
        let is_one_key = writers.alike && writers.nulls == 0;
        let (divided_by, depth) = (depth, if is_one_key { MOST_DEPTH } else { depth + 1 });
        let joined = (0..FILES).map(|_| Mutex::default()).collect();
        Ok(Batches { files: writers.finish()?, joined, divided_by, depth })
    }

    /// The inner side of a batch, for all who join it at the time.
    fn inner(self: &Arc<Self>, at: usize) -> Arc<Inner> {
        let mut joined = self.joined[at].lock();
        joined.upgrade().unwrap_or_else(|| {
            let inner = Arc::new(Inner::new(InnerRows::Of(self.clone(), at), self.depth));
            *joined = Arc::downgrade(&inner);
            inner
        })
    }

    pub fn read(&self, at: usize) -> Result<BoxRows> {
        match &self.files[at] {
            Some(file) => file.read(),
            None => Ok(Ready::boxed(Vec::new())),
        }
    }
}

/// The files of one side that are being written.
struct Writers {
    reprs: Arc<[Repr]>,
    depth: u32,
    files: Vec<Option<TempFileWriter>>,
    /// Rows without a partner are given: those whose key is NULL go to the files in turn.
    alone: bool,
    /// Rows whose key is NULL.
    nulls: usize,
    /// The hash of the first row that has a key, and whether all have that.
    hash: Option<u64>,
    alike: bool,
}

impl Writers {
    fn new(reprs: &Arc<[Repr]>, depth: u32, alone: bool) -> Writers {
        let files = (0..FILES).map(|_| None).collect();
        Writers { reprs: reprs.clone(), depth, files, alone, nulls: 0, hash: None, alike: true }
    }

    /// Rows go to the files that are `wanted`.
    fn append(&mut self, batch: &Batch, keys: &[ArrayRef], run: &Run, wanted: impl Fn(usize) -> bool) -> Result<()> {
        let nulls = null_rows(keys);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); FILES];
        for (row, hash) in hashes(keys, batch.rows)?.into_iter().enumerate() {
            let file = if !nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                self.alike &= *self.hash.get_or_insert(hash) == hash;
                (hash >> (FIRST_BIT + self.depth * BITS)) as usize
            } else if self.alone {
                self.nulls += 1;
                self.nulls
            } else {
                continue;
            };
            rows[file % FILES].push(row as u32);
        }
        for (at, rows) in rows.into_iter().enumerate().filter(|(at, rows)| !rows.is_empty() && wanted(*at)) {
            let file = match &mut self.files[at] {
                Some(file) => file,
                none => none.insert(TempFileWriter::new(&self.reprs, run)?),
            };
            file.append(batch.take(&UInt32Array::from(rows))?)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Files> {
        self.files.into_iter().map(|file| file.map(TempFileWriter::finish).transpose()).collect()
    }
}

/// The rows of a join, batch by batch.
pub struct BatchRows {
    node: Arc<HashJoin>,
    run: Run,
    inner: Arc<Batches>,
    /// `None`: it is divided.
    outer: Option<BoxRows>,
    files: Files,
    next: usize,
    current: Option<BoxRows>,
}

impl BatchRows {
    pub fn new(node: Arc<HashJoin>, run: Run, inner: Arc<Batches>, outer: BoxRows) -> BatchRows {
        BatchRows { node, run, inner, outer: Some(outer), files: Vec::new(), next: 0, current: None }
    }

    /// Divides the outer side, without the rows that cannot have a partner and are not given alone.
    async fn divide(&mut self, mut outer: BoxRows) -> Result<()> {
        let alone = self.node.join.gives_without_inner();
        let mut writers = Writers::new(&self.node.join.outer.reprs, self.inner.divided_by, alone);
        let mut turn = Turn::new(self.run.environment().database.engine());
        while let Some(batch) = outer.next().await? {
            turn.pass().await;
            let keys = self.node.keys.of(Side::Outer, &batch, &self.run).await?;
            writers.append(&batch, &keys, &self.run, |at| alone || self.inner.files[at].is_some())?;
        }
        self.files = writers.finish()?;
        Ok(())
    }
}

#[async_trait]
impl Rows for BatchRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if let Some(outer) = self.outer.take() {
            self.divide(outer).await?;
        }
        loop {
            if let Some(current) = &mut self.current {
                if let Some(batch) = current.next().await? {
                    return Ok(Some(batch));
                }
                self.current = None;
            }
            let at = self.next;
            if at == FILES {
                return Ok(None);
            }
            self.next += 1;
            let outer = match self.files[at].take() {
                Some(file) => file.read()?,
                None if self.node.join.gives_inner_alone() => Ready::boxed(Vec::new()),
                None => continue,
            };
            self.current = Some(self.node.clone().rows(&self.run, outer, self.inner.inner(at)));
        }
    }
}
