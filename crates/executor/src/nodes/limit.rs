//! Limit: OFFSET, LIMIT and FETCH FIRST … WITH TIES.

use std::sync::Arc;

use analyze::query::Expr;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use async_trait::async_trait;
use error::sqlstate;
use expression::ExprState;
use plan::plan::{GroupKey, Plan};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::evaluate::evaluate_one;
use crate::expr::output::Output;
use crate::keys::{KeyColumn, RowKeys, group_keys};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    child: &Plan,
    bounds: [Option<&Expr>; 2],
    ties: Option<&[GroupKey]>,
) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let compile = |expr: Option<&Expr>| expr.map(|e| compiler.expr(e, &Layout::default())).transpose();
    let [offset, count] = bounds;
    let (offset, count) = (compile(offset)?, compile(count)?);
    let ties = ties.map(|keys| group_keys(keys, &child.reprs));
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(Limit { child, offset, count, ties, output }, reprs))
}

struct Limit {
    child: Compiled,
    offset: Option<ExprState>,
    count: Option<ExprState>,
    ties: Option<Vec<KeyColumn>>,
    output: Output,
}

impl ExecNode for Limit {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(LimitRows { node: self, run: run.clone(), child: None, skip: 0, left: 0, last: None }))
    }
}

struct LimitRows {
    node: Arc<Limit>,
    run: Run,
    child: Option<BoxRows>,
    /// Rows that are still to be left out, and to be given.
    skip: usize,
    left: usize,
    /// The last row that counts: those that tie with it are given, too.
    last: Option<Batch>,
}

impl Limit {
    async fn bound(state: &Option<ExprState>, what: &str, code: &'static str, run: &Run) -> Result<Option<usize>> {
        let Some(state) = state else { return Ok(None) };
        let value = evaluate_one(state, run).await?;
        if value.is_null(0) {
            return Ok(None);
        }
        let value = value.as_primitive::<Int64Type>().value(0);
        let negative = || Error::new(code, format!("{what} must not be negative"));
        usize::try_from(value).map(Some).map_err(|_| negative())
    }
}

impl LimitRows {
    async fn begin(&mut self) -> Result<()> {
        let Limit { child, offset, count, ties, .. } = &*self.node;
        self.skip = Limit::bound(offset, "OFFSET", sqlstate::INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE, &self.run)
            .await?
            .unwrap_or(0);
        let count = Limit::bound(count, "LIMIT", sqlstate::INVALID_ROW_COUNT_IN_LIMIT_CLAUSE, &self.run).await?;
        self.left = count.unwrap_or(usize::MAX);
        self.child = Some(match count {
            Some(count) if ties.is_none() => {
                child.node.clone().start_bounded(&self.run, count.saturating_add(self.skip))?
            }
            // One more tells that there are no other ties.
            Some(count) => {
                let rows = count.saturating_add(self.skip).saturating_add(1);
                child.node.clone().start(&self.run.with_first_rows(rows))?
            }
            None => child.start_first(&self.run)?,
        });
        Ok(())
    }

    /// How many of the first rows of a batch tie with the last row that counted.
    fn tied(&self, batch: &Batch, last: &Batch) -> Result<usize> {
        let keys = RowKeys::new(self.node.ties.clone().unwrap_or_default())?;
        let last = keys.of(last)?;
        Ok(keys.of(batch)?.iter().take_while(|row| *row == last.row(0)).count())
    }
}

#[async_trait]
impl Rows for LimitRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.child.is_none() {
            self.begin().await?;
        }
        loop {
            if self.left == 0 && self.last.is_none() {
                return Ok(None);
            }
            let child = self.child.as_mut().expect("it runs");
            let Some(batch) = child.next().await? else { return Ok(None) };
            let skipped = self.skip.min(batch.rows);
            self.skip -= skipped;
            let batch = batch.slice(skipped, batch.rows - skipped);
            if batch.rows == 0 {
                continue;
            }
            let mut given = batch.rows.min(self.left);
            self.left -= given;
            if self.node.ties.is_some() && self.left == 0 {
                if given > 0 {
                    self.last = Some(batch.slice(given - 1, 1));
                }
                let rest = batch.slice(given, batch.rows - given);
                let tied = match &self.last {
                    Some(last) if rest.rows > 0 => self.tied(&rest, last)?,
                    _ => 0,
                };
                if tied < rest.rows {
                    self.last = None;
                }
                given += tied;
            }
            if let Some(batch) = self.node.output.apply(batch.slice(0, given), &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
