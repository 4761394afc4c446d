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
use crate::expr::output::Output;
use crate::keys::{KeyColumn, RowKeys, sort_keys};
use crate::nodes::append::common_reprs;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

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

impl ExecNode for MergeAppend {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let input = |child: &Compiled| Ok((child.start_first(run)?, child.reprs.clone()));
        let inputs = self.children.iter().map(input).collect::<Result<_>>()?;
        let merged = Merged::new(inputs, &self.reprs, &self.keys)?;
        Ok(Box::new(MergeRows { node: self, run: run.clone(), merged }))
    }
}

struct MergeRows {
    node: Arc<MergeAppend>,
    run: Run,
    merged: Merged,
}

#[async_trait]
impl Rows for MergeRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.merged.next().await? {
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// The rows of sorted inputs, in order.
pub struct Merged {
    reprs: Arc<[Repr]>,
    keys: RowKeys,
    inputs: Vec<Input>,
    begun: bool,
    /// Without rows of the first input no others are wanted.
    needs_first: bool,
}

/// An input: its current batch, the batch's keys, and the next row.
struct Input {
    rows: BoxRows,
    reprs: Arc<[Repr]>,
    current: Option<(Batch, arrow_row::Rows, usize)>,
}

impl Merged {
    /// Inputs come with how their columns lie; `reprs` is how they are given.
    pub fn new(inputs: Vec<(BoxRows, Arc<[Repr]>)>, reprs: &Arc<[Repr]>, keys: &[KeyColumn]) -> Result<Merged> {
        let inputs = inputs.into_iter().map(|(rows, reprs)| Input { rows, reprs, current: None }).collect();
        Ok(Merged {
            reprs: reprs.clone(),
            keys: RowKeys::new(keys.to_vec())?,
            inputs,
            begun: false,
            needs_first: false,
        })
    }

    /// The same for a reader that wants no rows unless the first input has some.
    pub fn if_first_has_rows(self) -> Merged {
        Merged { needs_first: true, ..self }
    }

    async fn load(&mut self, at: usize) -> Result<()> {
        let input = &mut self.inputs[at];
        input.current = match input.rows.next().await? {
            None => None,
            Some(batch) => {
                let batch = convert_batch(batch, &input.reprs, &self.reprs)?;
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
        let rows = Batch::concat(&batches, &self.reprs)?.take(&UInt32Array::from(taken))?;
        Ok((rows, empty))
    }
}

#[async_trait]
impl Rows for Merged {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if !std::mem::replace(&mut self.begun, true) {
            for at in 0..self.inputs.len() {
                self.load(at).await?;
                if self.needs_first && at == 0 && self.inputs[at].current.is_none() {
                    break;
                }
            }
        }
        if self.inputs.iter().all(|input| input.current.is_none()) {
            return Ok(None);
        }
        let (batch, empty) = self.merge()?;
        if let Some(at) = empty {
            self.load(at).await?;
        }
        Ok(Some(batch))
    }
}
