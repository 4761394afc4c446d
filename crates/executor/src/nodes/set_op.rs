//! SetOp: INTERSECT and EXCEPT. Rows are counted by group; ALL gives as many as the counts say.

use std::sync::Arc;

use analyze::query::SetOperator;
use arrow_array::UInt32Array;
use async_trait::async_trait;
use plan::plan::{Plan, SetOp};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::convert_batch;
use crate::error::Result;
use crate::estate::Run;
use crate::keys::{Groups, KeyColumn, group_keys, sorted};
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode, Ready, Rows};
use crate::nodes::append::common_reprs;
use crate::output::Output;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, operation: &SetOp) -> types::Result<Compiled> {
    let sides = [compiler.plan(&operation.left)?, compiler.plan(&operation.right)?];
    let reprs = common_reprs(&sides);
    let output = compiler.output(plan, &Layout::outer(&reprs))?;
    let keys = group_keys(&operation.columns, &reprs);
    let given = output.reprs().clone();
    let (operator, all, in_order) = (operation.operator, operation.all, !operation.hashed);
    Ok(Compiled::new(SetOpNode { sides, reprs, keys, operator, all, in_order, output }, given))
}

struct SetOpNode {
    sides: [Compiled; 2],
    reprs: Arc<[Repr]>,
    keys: Vec<KeyColumn>,
    operator: SetOperator,
    all: bool,
    /// Its rows are sorted, as those of both sides are.
    in_order: bool,
    output: Output,
}

impl ExecNode for SetOpNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(SetOpRows { node: self, run: run.clone(), rows: None, _memory: run.reserve("SetOp") }))
    }
}

struct SetOpRows {
    node: Arc<SetOpNode>,
    run: Run,
    rows: Option<BoxRows>,
    _memory: Reservation,
}

impl SetOpRows {
    async fn compute(&mut self) -> Result<Vec<Batch>> {
        let node = self.node.clone();
        let mut groups = Groups::new(&node.keys)?;
        let mut counts: Vec<[u64; 2]> = Vec::new();
        let (mut firsts, mut of_rows, mut held) = (Vec::new(), Vec::new(), 0);
        for (side, child) in node.sides.iter().enumerate() {
            let mut rows = child.start(&self.run)?;
            while let Some(batch) = rows.next().await? {
                let batch = convert_batch(batch, &child.reprs, &node.reprs)?;
                let before = groups.count;
                groups.of(&batch, &mut of_rows)?;
                counts.resize(groups.count, [0; 2]);
                of_rows.iter().for_each(|&group| counts[group][side] += 1);
                if groups.count > before {
                    let first = batch.take(&groups.beginning(&of_rows, before))?;
                    held += first.memory();
                    firsts.push(first);
                }
                self._memory.resize(held + groups.memory() + counts.len() * 16)?;
            }
        }
        let all = Batch::concat(&firsts, &node.reprs)?;
        let times = |[left, right]: [u64; 2]| match (node.operator, node.all) {
            (SetOperator::Intersect, true) => left.min(right),
            (SetOperator::Intersect, false) => u64::from(left > 0 && right > 0),
            (_, true) => left.saturating_sub(right),
            (_, false) => u64::from(left > 0 && right == 0),
        };
        let order = match node.in_order {
            true => sorted(&all, &node.keys, None)?,
            false => UInt32Array::from_iter_values(0..all.rows as u32),
        };
        let mut given = Vec::new();
        for &group in order.values() {
            given.extend(std::iter::repeat_n(group, times(counts[group as usize]) as usize));
        }
        self._memory.resize(held + given.len() * 4)?;
        given.chunks(BATCH_ROWS).map(|rows| all.take(&UInt32Array::from(rows.to_vec()))).collect()
    }
}

#[async_trait]
impl Rows for SetOpRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.rows.is_none() {
            self.rows = Some(Ready::boxed(self.compute().await?));
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        while let Some(batch) = rows.next().await? {
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
