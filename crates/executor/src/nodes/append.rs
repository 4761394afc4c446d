//! Append: the rows of one child after the other's.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use plan::plan::Plan;
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::{common, convert_batch};
use crate::error::Result;
use crate::expr::output::Output;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, children: &[Plan]) -> types::Result<Compiled> {
    let children = children.iter().map(|child| compiler.plan(child)).collect::<types::Result<Vec<_>>>()?;
    let reprs = common_reprs(&children);
    let output = compiler.output(plan, &Layout::outer(&reprs))?;
    let given = output.reprs().clone();
    Ok(Compiled::new(Append { children, reprs, output }, given))
}

/// The representations that the columns of all children have in common.
pub fn common_reprs(children: &[Compiled]) -> Arc<[Repr]> {
    let width = children.first().map_or(0, |child| child.reprs.len());
    (0..width).map(|column| common(children.iter().map(|child| child.reprs[column]))).collect()
}

struct Append {
    children: Vec<Compiled>,
    reprs: Arc<[Repr]>,
    output: Output,
}

impl ExecNode for Append {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(AppendRows { node: self, run: run.clone(), next: 0, current: None }))
    }
}

struct AppendRows {
    node: Arc<Append>,
    run: Run,
    next: usize,
    current: Option<BoxRows>,
}

#[async_trait]
impl Rows for AppendRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let Append { children, reprs, output } = &*self.node;
        loop {
            let current = match &mut self.current {
                Some(current) => current,
                None => {
                    let Some(child) = children.get(self.next) else { return Ok(None) };
                    self.next += 1;
                    let rows = match &self.run.bound {
                        Some(left) if output.filter.is_empty() => {
                            child.node.clone().start_bounded(&self.run, left.load(Ordering::Relaxed))?
                        }
                        _ => child.start_first(&self.run)?,
                    };
                    self.current.insert(rows)
                }
            };
            match current.next().await? {
                None => self.current = None,
                Some(batch) => {
                    let batch = convert_batch(batch, &children[self.next - 1].reprs, reprs)?;
                    if let Some(batch) = output.apply(batch, &self.run).await? {
                        return Ok(Some(batch));
                    }
                }
            }
        }
    }
}
