//! Memoize: the child's rows for the values of some expressions, kept for the next time.

use std::sync::Arc;

use analyze::query::Expr;
use async_trait::async_trait;
use expression::ExprState;
use parking_lot::Mutex;
use plan::plan::Plan;
use types::Datum;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::nodes::result::over;
use crate::run::estate::{Cache, Run};
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Ready, Rows};

/// Bytes of rows that are kept; more are looked up again.
const KEPT: usize = 4 << 20;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, child: &Plan, keys: &[Expr]) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let keys = compiler.exprs(keys, &Layout::default())?;
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = child.reprs.clone();
    let slot = compiler.slot();
    Ok(over(Compiled::new(Memoize { child, keys, slot }, reprs), output))
}

struct Memoize {
    child: Compiled,
    keys: Vec<ExprState>,
    /// Where a statement that runs has what is kept.
    slot: usize,
}

impl ExecNode for Memoize {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        // In a recheck the child has other rows, which no other run may get.
        if run.scope.recheck.is_some() {
            return self.child.start_first(run);
        }
        let cache = run.estate.caches[self.slot].clone();
        Ok(Box::new(MemoizeRows { node: self, run: run.clone(), cache, key: Vec::new(), rows: None, seen: None }))
    }
}

struct MemoizeRows {
    node: Arc<Memoize>,
    run: Run,
    cache: Arc<Mutex<Cache>>,
    key: Vec<Datum>,
    rows: Option<BoxRows>,
    /// What is to be kept when all of it has been seen.
    seen: Option<(Vec<Batch>, usize)>,
}

#[async_trait]
impl Rows for MemoizeRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.rows.is_none() {
            for key in &self.node.keys {
                self.key.push(Datum::of(&evaluate_one(key, &self.run).await?, 0));
            }
            let kept = self.cache.lock().entries.get(&self.key).cloned();
            self.rows = Some(match kept {
                Some(batches) => Ready::boxed(batches),
                None => {
                    self.seen = Some(Default::default());
                    self.node.child.start_first(&self.run)?
                }
            });
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let batch = rows.next().await?;
        match (&batch, &mut self.seen) {
            (Some(batch), Some((batches, bytes))) => {
                *bytes += batch.memory();
                batches.push(batch.clone());
                if *bytes > KEPT {
                    self.seen = None;
                }
            }
            (None, seen) => {
                if let Some((batches, bytes)) = seen.take() {
                    let mut cache = self.cache.lock();
                    if cache.bytes + bytes > KEPT {
                        *cache = Cache::default();
                    }
                    cache.bytes += bytes + 64;
                    cache.entries.insert(std::mem::take(&mut self.key), batches);
                }
            }
            _ => {}
        }
        Ok(batch)
    }
}
