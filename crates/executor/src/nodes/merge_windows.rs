//! A merge join whose inner side is too large for a hash table while somebody counts on the order of the rows
//! (`nodeMergejoin.c`). Both sides come sorted by their keys: the inner rows that may be partners of a batch of the outer side
//! are a window, and a table for that batch.

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

pub struct WindowRows {
    node: Arc<HashJoin>,
    run: Run,
    outer: BoxRows,
    /// `None` at its end.
    inner: Option<BoxRows>,
    converter: RowConverter,
    /// Batches of the inner side, and their last keys.
    window: VecDeque<(Batch, OwnedRow)>,
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
        let (inner, window, table, current) = (Some(inner), VecDeque::new(), None, None);
        Ok(WindowRows { node, run, outer, inner, converter, window, table, current, turn })
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

    /// Moves the window to the partners of an outer batch.
    async fn slide(&mut self, outer: &Batch) -> Result<()> {
        let (first, last) = self.ends(Side::Outer, outer).await?;
        while self.window.front().is_some_and(|(_, end)| *end < first) {
            self.window.pop_front();
            self.table = None;
        }
        while self.window.back().is_none_or(|(_, end)| *end <= last) {
            self.turn.pass().await;
            let Some(inner) = &mut self.inner else { break };
            let Some(batch) = inner.next().await? else {
                self.inner = None;
                break;
            };
            let (_, end) = self.ends(Side::Inner, &batch).await?;
            if end >= first {
                self.window.push_back((batch, end));
                self.table = None;
            }
        }
        Ok(())
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
            let Some(outer) = self.outer.next().await? else { return Ok(None) };
            self.slide(&outer).await?;
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
