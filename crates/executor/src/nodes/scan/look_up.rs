//! The inner side of a nested loop for many outer rows at once: what the loop gives to it are columns here and no parameters, so
//! that it is started once for all of these rows, and conditions are asked of the partners of all of them together.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use analyze::query::RangeTableIndex;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use plan::plan::Plan;
use types::Repr;

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::Result;
use crate::expr::output::{Filter, Output};
use crate::nodes::scan::index_look_up::{IndexLookUp, IndexLookUpRows};
use crate::nodes::scan::system_look_up::{SystemLookUp, SystemLookUpRows};
use crate::run::estate::Run;

/// What looks partners up.
pub enum LookUp {
    Index(IndexLookUp),
    System(SystemLookUp),
}

/// The partners of some outer rows: their columns, and which outer row each belongs to.
pub struct Partners {
    pub batch: Batch,
    pub outer: Vec<u32>,
    /// So many rows were looked at for these.
    pub looked_at: usize,
}

/// The partners of some outer rows, on their way.
pub enum LookUpRows {
    Index(Box<IndexLookUpRows>),
    System(SystemLookUpRows),
}

impl LookUp {
    /// `parameters`: what the loop gives, numbers and representations. `None`: the plan is no scan that looks up.
    pub fn compile(compiler: &Compiler<'_>, plan: &Plan, parameters: &[(u32, Repr)]) -> types::Result<Option<LookUp>> {
        if let Some(system) = SystemLookUp::compile(compiler, plan, parameters)? {
            return Ok(Some(LookUp::System(system)));
        }
        Ok(IndexLookUp::compile(compiler, plan, parameters)?.map(LookUp::Index))
    }

    /// Is it good where one partner of each row is enough, of those for which a join's conditions hold?
    pub fn suits_first_only(&self, conditions: &Filter) -> bool {
        match self {
            LookUp::Index(scan) => scan.suits_first_only(conditions),
            LookUp::System(_) => true,
        }
    }

    /// Is it good where it is asked whether a row has a partner at all?
    pub fn suits_exists(&self) -> bool {
        match self {
            // With conditions it would read all partners of each row.
            LookUp::Index(scan) => !scan.has_conditions() && scan.suits_first_only(&Filter::default()),
            LookUp::System(_) => true,
        }
    }

    /// How its columns lie.
    pub fn reprs(&self) -> &Arc<[Repr]> {
        match self {
            LookUp::Index(scan) => scan.reprs(),
            LookUp::System(scan) => scan.reprs(),
        }
    }

    pub fn relation(&self) -> RangeTableIndex {
        match self {
            LookUp::Index(scan) => scan.relation(),
            LookUp::System(scan) => scan.relation(),
        }
    }

    /// Begins to look for the partners of these outer rows, or of the first of them, for which `values` has the parameters; for
    /// at most one of each, if one is enough.
    pub async fn begin(
        &self,
        run: &Run,
        values: &[ArrayRef],
        rows: Range<usize>,
        first_only: bool,
    ) -> Result<LookUpRows> {
        Ok(match self {
            LookUp::Index(scan) => LookUpRows::Index(Box::new(scan.begin(run, values, rows, first_only)?)),
            LookUp::System(scan) => LookUpRows::System(scan.begin(run, values, rows).await?),
        })
    }

    /// The next partners, about so many at most; `None`: there are no more.
    pub async fn next(&self, rows: &mut LookUpRows, values: &[ArrayRef], most: usize) -> Result<Option<Partners>> {
        match (self, rows) {
            (LookUp::Index(scan), LookUpRows::Index(rows)) => scan.next(rows, values, most).await,
            (LookUp::System(scan), LookUpRows::System(rows)) => scan.next(rows, values, most).await,
            _ => unreachable!("they are those of another look-up"),
        }
    }
}

impl LookUpRows {
    /// The outer row that the last one belonged to, whether the conditions held for it or not: those before it have all of theirs.
    pub fn row(&self) -> usize {
        match self {
            LookUpRows::Index(rows) => rows.row,
            LookUpRows::System(rows) => rows.row,
        }
    }

    /// The outer row behind the last one whose partners are looked up.
    pub fn end(&self) -> usize {
        match self {
            LookUpRows::Index(rows) => rows.end,
            LookUpRows::System(rows) => rows.end,
        }
    }
}

/// Of rows that were found for some outer rows, with the loop's parameters behind their columns, the targets of those for which
/// the conditions hold, and whose partners they are.
pub(super) async fn partners(
    mut batch: Batch,
    owners: Vec<u32>,
    values: &[ArrayRef],
    recheck: Option<&Filter>,
    output: &Output,
    run: &Run,
) -> Result<Partners> {
    let looked_at = batch.rows;
    let none = || Partners { batch: Batch::empty(output.reprs()), outer: Vec::new(), looked_at };
    if batch.rows == 0 {
        return Ok(none());
    }
    let owners = UInt32Array::from(owners);
    for column in values {
        batch.columns.push(take(column, &owners, None)?);
    }
    batch.columns.push(Arc::new(owners));
    if let Some(recheck) = recheck {
        let Some(right) = recheck.apply(batch, run).await? else { return Ok(none()) };
        batch = right;
    }
    let Some(mut batch) = output.filter.apply(batch, run).await? else { return Ok(none()) };
    let owners = batch.columns.pop().expect("it was put there");
    let outer = owners.as_primitive::<UInt32Type>().values().to_vec();
    Ok(Partners { batch: output.projection.apply(batch, run).await?, outer, looked_at })
}

/// The run of a scan that has a number, if it is watched.
pub(super) fn watched(number: Option<usize>, run: &Run) -> Run {
    match number {
        Some(number) => run.watched(&run.estate.instrumentation[number]),
        None => run.clone(),
    }
}

/// Partners of so many outer rows were begun to be looked for: as many starts of the scan.
pub(super) fn note_begun(run: &Run, rows: usize, begun: Instant) {
    if let Some(watched) = &run.watched {
        watched.note(|counters| {
            counters.loops += rows as u64;
            counters.total += begun.elapsed();
        });
    }
}

pub(super) fn note_partners(run: &Run, partners: Option<&Partners>, begun: Instant) {
    if let Some(watched) = &run.watched {
        watched.note(|counters| {
            counters.rows += partners.map_or(0, |partners| partners.batch.rows as u64);
            counters.total += begun.elapsed();
        });
    }
}
