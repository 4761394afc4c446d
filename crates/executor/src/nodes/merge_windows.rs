//! A merge join whose inner side is too large for a hash table while somebody counts on the order of the rows
//! (`nodeMergejoin.c`). Both sides come sorted by their keys: the inner rows that may be partners of a batch of the outer side
//! are a window, and a table for that batch. Where they are too many, the batch is joined in parts, each of which has all of
//! its partners in its window.

use std::collections::VecDeque;
use std::sync::Arc;

use aio::Turn;
use arrow_ord::sort::SortOptions;
use arrow_row::{OwnedRow, RowConverter, SortField};
use async_trait::async_trait;

use crate::batch::Batch;
use crate::error::Result;
use crate::estate::Run;
use crate::keys::key_type;
use crate::node::{BoxRows, Ready, Rows};
use crate::nodes::hash_join::{HashJoin, Inner, Side, Table};

/// A window has no more bytes than this, unless so many rows have the same key.
const WINDOW_BYTES: usize = 16 << 20;

pub struct WindowRows {
    node: Arc<HashJoin>,
    run: Run,
    outer: BoxRows,
    /// Rows of the outer side that were read and are not joined.
    rest: Option<Batch>,
    /// `None` at its end.
    inner: Option<BoxRows>,
    converter: RowConverter,
    /// Batches of the inner side, and their last keys.
    window: VecDeque<(Batch, OwnedRow)>,
    /// Its bytes; more than `most` are too many.
    bytes: usize,
    most: usize,
    /// Of the window; `None`: that has changed.
    table: Option<Arc<Table>>,
    current: Option<BoxRows>,
    turn: Turn,
}

impl WindowRows {
    /// `order`: how the keys are sorted.
    pub fn new(
        node: Arc<HashJoin>,
        run: Run,
        outer: BoxRows,
        inner: BoxRows,
        order: &[SortOptions],
    ) -> Result<WindowRows> {
        let fields = node.key_reprs().zip(order);
        let fields = fields.map(|(repr, options)| SortField::new_with_options(key_type(repr), *options));
        let converter = RowConverter::new(fields.collect())?;
        let turn = Turn::new(run.environment().database.engine());
        let most = run.estate.part_of_memory(8, WINDOW_BYTES);
        let (inner, window) = (Some(inner), VecDeque::new());
        let (rest, table, current) = (None, None, None);
        Ok(WindowRows { node, run, outer, rest, inner, converter, window, bytes: 0, most, table, current, turn })
    }

    /// The first and the last key of a batch.
    async fn ends(&mut self, side: Side, batch: &Batch) -> Result<(OwnedRow, OwnedRow)> {
        let mut last = batch.slice(0, 1);
        if batch.rows > 1 {
            last = Batch::concat(&[last, batch.slice(batch.rows - 1, 1)], self.node.reprs_of(side))?;
        }
        let keys = self.converter.convert_columns(&self.node.keys(side, &last, &self.run).await?)?;
        Ok((keys.row(0).owned(), keys.row(last.rows - 1).owned()))
    }

    /// Moves the window to the partners of an outer batch's first rows; gives how many rows have all of theirs in it.
    async fn slide(&mut self, outer: &Batch) -> Result<usize> {
        let (first, last) = self.ends(Side::Outer, outer).await?;
        while self.window.front().is_some_and(|(_, end)| *end < first) {
            let gone = self.window.pop_front();
            self.bytes -= gone.map_or(0, |(batch, _)| batch.memory());
            self.table = None;
        }
        while self.window.back().is_none_or(|(_, end)| *end <= last) {
            self.turn.pass().await;
            if let Some((_, end)) = self.window.back().filter(|(_, end)| self.bytes > self.most && first < *end) {
                let keys = self.converter.convert_columns(&self.node.keys(Side::Outer, outer, &self.run).await?)?;
                return Ok(keys.iter().take_while(|key| *key < end.row()).count());
            }
            let Some(inner) = &mut self.inner else { break };
            let Some(batch) = inner.next().await? else {
                self.inner = None;
                break;
            };
            let (_, end) = self.ends(Side::Inner, &batch).await?;
            if end >= first {
                self.bytes += batch.memory();
                self.window.push_back((batch, end));
                self.table = None;
            }
        }
        Ok(outer.rows)
    }
}

#[async_trait]
impl Rows for WindowRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(current) = &mut self.current {
                if let Some(batch) = current.next().await? {
                    return Ok(Some(batch));
                }
                self.current = None;
            }
            let outer = match self.rest.take() {
                Some(rest) => rest,
                None => match self.outer.next().await? {
                    Some(outer) => outer,
                    None => return Ok(None),
                },
            };
            let joined = self.slide(&outer).await?;
            self.rest = (joined < outer.rows).then(|| outer.slice(joined, outer.rows - joined));
            let outer = outer.slice(0, joined);
            let table = match &self.table {
                Some(table) => table.clone(),
                None => {
                    let batches: Vec<Batch> = self.window.iter().map(|(batch, _)| batch.clone()).collect();
                    self.table.insert(Arc::new(self.node.table_of(&batches, &self.run).await?)).clone()
                }
            };
            let inner = Arc::new(Inner::of_table(table));
            self.current = Some(self.node.clone().rows(&self.run, Ready::boxed(vec![outer]), inner));
        }
    }
}
