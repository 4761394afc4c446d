//! TidScan: rows by their identities: `ctid = value` and `ctid = ANY (array)`.

use std::sync::Arc;

use analyze::query::Expr;
use async_trait::async_trait;
use engine::TableScan;
use expression::ExprState;
use plan::plan::{CTID, Plan, Scan};

use crate::batch::Batch;
use crate::compile::late_detoast::ReadColumns;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::nodes::scan::{ScanColumns, TableNode, tid_at};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &Scan, conditions: &[Expr]) -> types::Result<Compiled> {
    let is_tid = |expr: &Expr| matches!(expr, Expr::Var(var) if var.relation == scan.relation && var.attribute == CTID);
    let mut values = Vec::new();
    for condition in conditions {
        match condition {
            Expr::OpExpr(call) if call.arguments.len() == 2 => {
                let [left, right] = &call.arguments[..] else { continue };
                values.push(compiler.expr(if is_tid(left) { right } else { left }, &Layout::default())?);
            }
            _ => return Err(types::Error::unsupported("this condition on ctid")),
        }
    }
    let (columns, layout) = ScanColumns::of_plan(compiler, plan, scan, conditions, &ReadColumns::default())?;
    let recheck =
        compiler.filter(if compiler.rechecks && conditions.len() == 1 { conditions } else { &[] }, &layout)?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(TidScan { values, node: TableNode::new(columns, recheck, output) }, reprs))
}

struct TidScan {
    /// Any of these.
    values: Vec<ExprState>,
    node: Arc<TableNode>,
}

impl ExecNode for TidScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.node.columns.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        let scan = self.node.columns.scan(&table, run.snapshot.clone());
        Ok(Box::new(TidRows { scanned: self, scan, run: run.clone(), done: false }))
    }
}

struct TidRows {
    scanned: Arc<TidScan>,
    scan: TableScan,
    run: Run,
    done: bool,
}

#[async_trait]
impl Rows for TidRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(None);
        }
        let mut tids = Vec::new();
        for value in &self.scanned.values {
            tids.extend(tid_at(&evaluate_one(value, &self.run).await?, 0));
        }
        // An identity that a client made up may lead to pages that are being loaded.
        tids.retain(|tid| self.scan.is_settled(tid.block));
        tids.sort_unstable();
        tids.dedup();
        let rows = self.scan.fetch(self.run.session(), &tids, self.run.concurrency(self.scan.table())).await?;
        self.scanned.node.give(rows, true, &self.run).await
    }
}
