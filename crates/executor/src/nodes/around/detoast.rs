//! Fetching the long values of columns that were passed on as they are stored, of the rows that a node gives
//! ([`late_detoast`](crate::compile::late_detoast)). No node of a plan: EXPLAIN does not show it, and counts what it reads with the node.

use std::sync::Arc;

use access::{Detoaster, Heap};
use arrow_schema::DataType;
use async_trait::async_trait;
use types::Oid;

use crate::batch::Batch;
use crate::compile::late_detoast::StoredColumn;
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

/// Rows that are looked through for pointers at once, at most: a sort's may come all in one batch.
const PART: usize = 1024;

/// `node` with the values of `columns`.
pub fn over(node: Compiled, columns: &[StoredColumn]) -> Compiled {
    let mut tables: Vec<Oid> = columns.iter().map(|column| column.table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables.into_iter().fold(node, |child, table| {
        let mut reprs = child.reprs.to_vec();
        let mut pointed = Vec::new();
        for column in columns.iter().filter(|column| column.table == table) {
            reprs[column.target] = column.repr;
            pointed.push((column.target, column.repr.arrow()));
        }
        Compiled::new(Detoast { child, table, pointed: pointed.into() }, reprs)
    })
}

struct Detoast {
    child: Compiled,
    table: Oid,
    /// The columns with pointers, and what their values make.
    pointed: Arc<[(usize, DataType)]>,
}

impl Detoast {
    /// `left`: so many rows the child gives at most, and computes nothing for others.
    fn rows(&self, child: BoxRows, run: &Run, left: usize) -> Result<BoxRows> {
        let heap = run.estate.table(self.table)?.heap().clone();
        let (pointed, detoaster, run) = (self.pointed.clone(), Detoaster::default(), run.clone());
        Ok(Box::new(DetoastRows { child, heap, pointed, rest: None, detoaster, run, left }))
    }
}

impl ExecNode for Detoast {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        self.rows(self.child.node.clone().start(run)?, run, usize::MAX)
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        self.rows(self.child.node.clone().start_bounded(run, bound)?, run, bound)
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let Some(parts) = self.child.node.clone().start_parts(run)? else { return Ok(None) };
        parts.into_iter().map(|part| self.rows(part, run, usize::MAX)).collect::<Result<_>>().map(Some)
    }
}

struct DetoastRows {
    child: BoxRows,
    heap: Heap,
    pointed: Arc<[(usize, DataType)]>,
    /// What is left of the child's last batch.
    rest: Option<Batch>,
    detoaster: Detoaster,
    run: Run,
    /// Rows that are still to be taken from the child; 0: it has no more.
    left: usize,
}

impl DetoastRows {
    /// The child's next rows, few enough to be cut often.
    async fn part(&mut self) -> Result<Option<Batch>> {
        let rows = match self.rest.take() {
            Some(rest) => rest,
            None if self.left == 0 => return Ok(None),
            None => match self.child.next().await? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        if rows.rows > PART {
            self.rest = Some(rows.slice(PART, rows.rows - PART));
        }
        let part = rows.slice(0, rows.rows.min(PART));
        self.left = self.left.saturating_sub(part.rows);
        Ok(Some(part))
    }
}

#[async_trait]
impl Rows for DetoastRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if self.left == 0 || self.detoaster.is_enough() {
                let rows = self.detoaster.next(&self.heap, self.run.session()).await?;
                if rows.is_some() || (self.left == 0 && self.rest.is_none()) {
                    return Ok(rows.map(Batch::from));
                }
            }
            match self.part().await? {
                None => self.left = 0,
                Some(batch) => {
                    self.detoaster.look();
                    let stored = self.heap.without_pointers(batch.columns, batch.rows, &self.pointed)?;
                    if let Some(rows) = self.detoaster.put(stored) {
                        return Ok(Some(Batch::from(rows)));
                    }
                }
            }
        }
    }
}
