//! A scan of a catalog as the inner side of a nested loop, for many outer rows at once ([`crate::nodes::scan::look_up`]).

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use analyze::query::RangeTableIndex;
use arrow_array::ArrayRef;
use plan::plan::Plan;
use types::Repr;

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::Result;
use crate::nodes::scan::look_up::{Partners, note_begun, note_partners, partners, watched};
use crate::nodes::scan::system_scan::{Keys, SystemPlan};
use crate::run::estate::Run;

pub struct SystemLookUp {
    scan: SystemPlan,
    /// The node's number, if it is watched.
    number: Option<usize>,
}

/// The partners of some outer rows, on their way.
pub struct SystemLookUpRows {
    run: Run,
    /// Of the outer rows from `first` on.
    keys: Keys,
    first: usize,
    /// The first outer row for whose partners the catalog was not asked.
    pub row: usize,
    /// The outer row behind the last one whose partners are looked up.
    pub end: usize,
}

impl SystemLookUp {
    /// `None`: the plan is no such scan, or its keys are not known from the outer rows' columns alone.
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        parameters: &[(u32, Repr)],
    ) -> types::Result<Option<SystemLookUp>> {
        if !plan.init_plans.is_empty() {
            return Ok(None);
        }
        let scan = SystemPlan::compile(compiler, plan, parameters)?.filter(|scan| !scan.read.waits());
        Ok(scan.map(|scan| SystemLookUp { scan, number: compiler.number(plan) }))
    }

    pub fn reprs(&self) -> &Arc<[Repr]> {
        self.scan.output.reprs()
    }

    pub fn relation(&self) -> RangeTableIndex {
        self.scan.relation
    }

    pub async fn begin(&self, run: &Run, values: &[ArrayRef], rows: Range<usize>) -> Result<SystemLookUpRows> {
        let begun = Instant::now();
        let run = watched(self.number, run);
        let Range { start: first, end } = rows;
        let some = values.iter().map(|column| column.slice(first, end - first)).collect();
        let keys = self.scan.read.keys(&Batch::new(some, end - first), &run).await?;
        note_begun(&run, end - first, begun);
        Ok(SystemLookUpRows { run, keys, first, row: first, end })
    }

    /// The next partners; `None`: there are no more.
    pub async fn next(
        &self,
        rows: &mut SystemLookUpRows,
        values: &[ArrayRef],
        most: usize,
    ) -> Result<Option<Partners>> {
        let SystemLookUpRows { run, keys, first, row, end } = rows;
        if row == end {
            return Ok(None);
        }
        let begun = Instant::now();
        let (batch, mut owners, done) = self.scan.read.find(keys, *row - *first..*end - *first, most, run)?;
        owners.iter_mut().for_each(|owner| *owner += *first as u32);
        *row = *first + done;
        let partners = partners(batch, owners, values, None, &self.scan.output, run).await?;
        note_partners(run, Some(&partners), begun);
        Ok(Some(partners))
    }
}
