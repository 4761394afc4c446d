//! RecursiveUnion: the rows of the first side, and then those that the second one makes of the last round's, round by round.

use std::sync::Arc;

use async_trait::async_trait;
use plan::plan::{Plan, RecursiveUnion};
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::{convert_batch, general};
use crate::error::Result;
use crate::expr::output::Output;
use crate::keys::{Groups, KeyColumn, group_keys};
use crate::memory::Reservation;
use crate::run::estate::{Run, WorkTable};
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, union: &RecursiveUnion) -> types::Result<Compiled> {
    let left = compiler.plan(&union.left)?;
    // What the rounds give is not known before they read what they give.
    let reprs: Arc<[Repr]> = left.reprs.iter().map(|&repr| general(repr)).collect();
    compiler.work_tables.borrow_mut().push((union.work_table, reprs.clone()));
    let right = compiler.plan(&union.right);
    compiler.work_tables.borrow_mut().pop();
    let right = right?;
    let keys = (!union.distinct.is_empty()).then(|| group_keys(&union.distinct, &reprs));
    let output = compiler.output(plan, &Layout::outer(&reprs))?;
    let given = output.reprs().clone();
    let work_table = union.work_table;
    Ok(Compiled::new(RecursiveUnionNode { left, right, reprs, work_table, keys, output }, given))
}

struct RecursiveUnionNode {
    left: Compiled,
    right: Compiled,
    reprs: Arc<[Repr]>,
    work_table: u32,
    keys: Option<Vec<KeyColumn>>,
    output: Output,
}

impl ExecNode for RecursiveUnionNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let known = self.keys.as_deref().map(Groups::new).transpose()?;
        let rows = self.left.start_first(run)?;
        let memory = run.reserve_value("RecursiveUnion");
        let run = run.clone();
        Ok(Box::new(RecursiveRows { node: self, run, known, rows, first: true, round: Vec::new(), held: 0, memory }))
    }
}

struct RecursiveRows {
    node: Arc<RecursiveUnionNode>,
    run: Run,
    /// The rows that were given, for UNION.
    known: Option<Groups>,
    /// Those of the current round.
    rows: BoxRows,
    /// It is the first side's.
    first: bool,
    /// What the current round has given so far, and its bytes.
    round: Vec<Batch>,
    held: usize,
    memory: Reservation,
}

impl RecursiveRows {
    /// Without the rows that were there before.
    fn new_rows(&mut self, batch: Batch) -> Result<Batch> {
        let Some(known) = &mut self.known else { return Ok(batch) };
        let (before, mut groups) = (known.count, Vec::new());
        known.of(&batch, &mut groups)?;
        batch.take(&known.beginning(&groups, before))
    }
}

#[async_trait]
impl Rows for RecursiveRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            let Some(batch) = self.rows.next().await? else {
                if self.round.is_empty() {
                    return Ok(None);
                }
                let last = std::mem::take(&mut self.round);
                self.held = 0;
                let table = Arc::new(WorkTable(parking_lot::Mutex::new(last)));
                let run = self.run.with_scope(|scope| {
                    scope.work_tables.retain(|(number, _)| *number != node.work_table);
                    scope.work_tables.push((node.work_table, table));
                });
                self.rows = node.right.start_first(&run)?;
                self.first = false;
                continue;
            };
            let from = if self.first { &node.left.reprs } else { &node.right.reprs };
            let batch = self.new_rows(convert_batch(batch, from, &node.reprs)?)?;
            if batch.rows == 0 {
                continue;
            }
            self.held += batch.memory();
            let known = self.known.as_ref().map_or(0, Groups::memory);
            // The last round's rows are there as long as this one reads them.
            self.memory.resize(2 * self.held + known)?;
            self.round.push(batch.clone());
            if let Some(batch) = node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
