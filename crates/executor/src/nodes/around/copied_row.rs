//! Scans of what is no table (subqueries, functions, VALUES, CTEs) whose rows are looked at again: the row that was carried
//! along comes in the place of all that they would give, for it has no identity to be found by (PostgreSQL's `ROW_MARK_COPY`).

use std::sync::Arc;

use analyze::query::RangeTableIndex;
use arrow_array::ArrayRef;
use async_trait::async_trait;
use error::sqlstate;
use plan::plan::Plan;
use types::record::column::field;
use types::{Argument, Error, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::{fit, general};
use crate::error::Result;
use crate::expr::output::Output;
use crate::run::estate::{RecheckedRow, Run};
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Ready, Rows};

/// The node as it is, but for the scan of an entry whose rows are carried along.
pub fn around(compiler: &Compiler<'_>, plan: &Plan, scan: Compiled) -> types::Result<Compiled> {
    let Some(relation) = plan.scanned().filter(|relation| compiler.copied.contains(relation)) else {
        return Ok(scan);
    };
    let entry = compiler.planned.range_table.get(relation.index());
    let entry = entry.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a scan of no entry"))?;
    // As records have them.
    let columns: Arc<[Repr]> =
        entry.columns.iter().map(|column| Ok(general(compiler.repr(column.ty.oid)?))).collect::<types::Result<_>>()?;
    let output = compiler.output(plan, &Layout::default().with(relation, &columns))?;
    let reprs = scan.reprs.clone();
    Ok(Compiled::new(CopiedRow { scan, relation, columns, output }, reprs))
}

struct CopiedRow {
    scan: Compiled,
    relation: RangeTableIndex,
    columns: Arc<[Repr]>,
    /// The scan's conditions and targets. Those that need nothing but the row hold, but a neighbour may have changed.
    output: Output,
}

impl CopiedRow {
    /// What comes in a recheck; `None`: it is scanned as always.
    fn looked_at_again(self: &Arc<Self>, run: &Run) -> Option<BoxRows> {
        Some(match run.looked_at_again(self.relation)? {
            Some(RecheckedRow::Copy(row)) => {
                Box::new(OneRow { node: self.clone(), run: run.clone(), row: Some(row.clone()) })
            }
            Some(RecheckedRow::Of(..)) | None => Ready::boxed(Vec::new()),
        })
    }
}

impl ExecNode for CopiedRow {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        match self.looked_at_again(run) {
            Some(row) => Ok(row),
            None => self.scan.node.clone().start(run),
        }
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        match self.looked_at_again(run) {
            Some(row) => Ok(row),
            None => self.scan.node.clone().start_bounded(run, bound),
        }
    }
}

struct OneRow {
    node: Arc<CopiedRow>,
    run: Run,
    row: Option<ArrayRef>,
}

#[async_trait]
impl Rows for OneRow {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let Some(row) = self.row.take() else { return Ok(None) };
        let CopiedRow { scan, columns, output, .. } = &*self.node;
        let row = Argument::column(row);
        let columns = columns.iter().enumerate().map(|(at, &repr)| field(1, &row, at, repr)).collect();
        let Some(given) = output.apply(Batch::new(columns, 1), &self.run).await? else { return Ok(None) };
        let targets = given.columns.iter().zip(output.reprs().iter().zip(scan.reprs.iter()));
        let targets = targets.map(|(target, (&from, &to))| fit(target, from, to)).collect::<Result<_>>()?;
        Ok(Some(Batch::new(targets, given.rows)))
    }
}
