//! Unique: of sorted rows that are equal in some columns the first.

use std::sync::Arc;

use async_trait::async_trait;
use plan::plan::{GroupKey, Plan};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::Output;
use crate::keys::{FirstOfEqual, KeyColumn, group_keys};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, child: &Plan, columns: &[GroupKey]) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let keys = group_keys(columns, &child.reprs);
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(Unique { child, keys, output }, reprs))
}

struct Unique {
    child: Compiled,
    keys: Vec<KeyColumn>,
    output: Output,
}

impl ExecNode for Unique {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = self.child.start_first(run)?;
        let first = FirstOfEqual::new(self.keys.clone())?;
        Ok(Box::new(UniqueRows { node: self, run: run.clone(), child, first }))
    }
}

struct UniqueRows {
    node: Arc<Unique>,
    run: Run,
    child: BoxRows,
    first: FirstOfEqual,
}

#[async_trait]
impl Rows for UniqueRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.child.next().await? {
            let batch = self.first.of(batch)?;
            if batch.rows == 0 {
                continue;
            }
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
