//! MergeAppend: the rows of children that are sorted, in order.

use std::sync::Arc;

use arrow_array::UInt32Array;
use async_trait::async_trait;
use plan::plan::{Plan, SortKey};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::convert_batch;
use crate::error::Result;
use crate::estate::Run;
use crate::keys::{KeyColumn, RowKeys, sort_keys};
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::append::common_reprs;
use crate::output::Output;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, children: &[Plan], keys: &[SortKey]) -> types::Result<Compiled> {
    let children = children.iter().map(|child| compiler.plan(child)).collect::<types::Result<Vec<_>>>()?;
    let reprs = common_reprs(&children);
    let keys = sort_keys(keys, &reprs);
    let output = compiler.output(plan, &Layout::outer(&reprs))?;
    let given = output.reprs().clone();
    Ok(Compiled::new(MergeAppend { children, reprs, keys, output }, given))
}

struct MergeAppend {
    children: Vec<Compiled>,
    reprs: Arc<[Repr]>,
    keys: Vec<KeyColumn>,
    output: Output,
}

/// A child: its current batch, the batch's keys, and the next row.
struct Input {
    rows: BoxRows,
    current: Option<(Batch, arrow_row::Rows, usize)>,
}

impl ExecNode for MergeAppend {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let keys = RowKeys::new(self.keys.clone())?;
        let input = |child: &Compiled| Ok(Input { rows: child.start_first(run)?, current: None });
        let inputs = self.children.iter().map(input).collect::<Result<_>>()?;
        Ok(Box::new(MergeRows { node: self, run: run.clone(), keys, inputs, begun: false }))
    }
}

struct MergeRows {
    node: Arc<MergeAppend>,
    run: Run,
    keys: RowKeys,
    inputs: Vec<Input>,
    begun: bool,
}

impl MergeRows {
    async fn load(&mut self, at: usize) -> Result<()> {
        let from = &self.node.children[at].reprs;
        self.inputs[at].current = match self.inputs[at].rows.next().await? {
            None => None,
            Some(batch) => {
                let batch = convert_batch(batch, from, &self.node.reprs)?;
                let keys = self.keys.of(&batch)?;
                Some((batch, keys, 0))
            }
        };
        Ok(())
    }

    /// Rows of all inputs in order, until one has to be read again.
    fn merge(&mut self) -> Result<(Batch, Option<usize>)> {
        let first = |input: &Input| input.current.is_some();
        // Rows by their places in all current batches together.
        let mut starts = Vec::new();
        let mut batches = Vec::new();
        let mut total = 0;
        for input in &self.inputs {
            starts.push(total);
            if let Some((batch, ..)) = &input.current {
                total += batch.rows;
                batches.push(batch.clone());
            }
        }
        let (mut taken, mut empty) = (Vec::new(), None);
        while taken.len() < BATCH_ROWS && empty.is_none() {
            let candidates = (0..self.inputs.len()).filter(|&at| first(&self.inputs[at]));
            let key = |at: usize| {
                let (_, keys, row) = self.inputs[at].current.as_ref().expect("it has rows");
                keys.row(*row)
            };
            let Some(least) = candidates.min_by(|&a, &b| key(a).cmp(&key(b))) else { break };
            let (batch, _, row) = self.inputs[least].current.as_mut().expect("it has rows");
            taken.push((starts[least] + *row) as u32);
            *row += 1;
            if *row == batch.rows {
                empty = Some(least);
            }
        }
        let rows = Batch::concat(&batches, &self.node.reprs)?.take(&UInt32Array::from(taken))?;
        Ok((rows, empty))
    }
}

#[async_trait]
impl Rows for MergeRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if !std::mem::replace(&mut self.begun, true) {
            for at in 0..self.inputs.len() {
                self.load(at).await?;
            }
        }
        while self.inputs.iter().any(|input| input.current.is_some()) {
            let (batch, empty) = self.merge()?;
            if let Some(at) = empty {
                self.load(at).await?;
            }
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
