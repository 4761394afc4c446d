//! An index scan as the inner side of a nested loop, for many outer rows at once: what the loop gives to it are columns here and no
//! parameters, so that conditions are asked of the partners of all of these rows together.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use access::btree::key::after_prefix;
use analyze::query::RangeTableIndex;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use engine::{KeyRange, LookUp, LookedUp, Table};
use plan::plan::{Node, Plan};
use types::{Argument, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::nodes::index_scan::{note_effort, to_table_columns};
use crate::nodes::look_up_key::LookUpKey;
use crate::nodes::scan::ScanColumns;
use crate::output::Output;

pub struct IndexLookUp {
    columns: ScanColumns,
    /// Its position among the table's, and whether rows are taken from it alone, as far as they can be.
    index: (usize, bool),
    key: LookUpKey,
    /// Over the table's columns, and the parameters' behind them.
    output: Output,
    /// The node's number, if it is watched.
    number: Option<usize>,
}

/// The partners of some outer rows: their columns, and which outer row each belongs to.
pub struct Partners {
    pub batch: Batch,
    pub outer: Vec<u32>,
}

/// The partners of some outer rows, on their way.
pub struct LookUpRows {
    run: Run,
    table: Arc<Table>,
    found: LookUp,
    /// The outer row that the last one belonged to, whether the conditions held for it or not: those before it have all of theirs.
    pub row: usize,
}

impl IndexLookUp {
    /// `parameters`: what the loop gives, numbers and representations. `None`: the plan is no such scan.
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        parameters: &[(u32, Repr)],
    ) -> types::Result<Option<IndexLookUp>> {
        let (Node::IndexScan(scan) | Node::IndexOnlyScan(scan)) = &plan.node else { return Ok(None) };
        let [conditions] = scan.ranges.as_slice() else { return Ok(None) };
        if scan.scan.table < catalog::FIRST_NORMAL_OBJECT_ID || !plan.init_plans.is_empty() {
            return Ok(None);
        }
        let facts = compiler.facts.index(scan.scan.table, scan.index)?;
        let given =
            |layout: Layout| parameters.iter().fold(layout, |layout, (n, repr)| layout.with_parameter(*n, *repr));
        let key = match facts.computed {
            true => None,
            false => LookUpKey::compile(compiler, &facts, conditions, &given(Layout::default()))?,
        };
        let Some(key) = key else { return Ok(None) };
        let own = to_table_columns(plan, scan, &facts);
        let (columns, layout) = ScanColumns::of_plan(compiler, &own, &scan.scan, &[], compiler.late.of_scan(plan))?;
        let output = compiler.output(&own, &given(layout))?;
        let index = (facts.position, matches!(plan.node, Node::IndexOnlyScan(_)));
        Ok(Some(IndexLookUp { columns, index, key, output, number: compiler.number(plan) }))
    }

    pub fn relation(&self) -> RangeTableIndex {
        self.columns.relation
    }

    /// Begins to look for the partners of these outer rows, for which `values` has the parameters; for at most one of each, if
    /// one is enough.
    pub fn begin(&self, run: &Run, values: &[ArrayRef], rows: Range<usize>, first_only: bool) -> Result<LookUpRows> {
        let begun = Instant::now();
        let run = match self.number {
            Some(number) => run.watched(&run.estate.instrumentation[number]),
            None => run.clone(),
        };
        let loops = rows.len() as u64;
        let table = run.estate.table(self.columns.table)?;
        let scan = Arc::new(self.columns.scan(&table, run.snapshot.clone()));
        let row = rows.start;
        let ranges = self.ranges(&table, &run, values, rows)?;
        let first_only = first_only && self.output.filter.is_empty();
        let found = scan.look_up(run.session(), self.index, ranges, run.concurrency(&table), first_only)?;
        if let Some(watched) = &run.watched {
            watched.note(|counters| {
                counters.loops += loops;
                counters.total += begun.elapsed();
            });
        }
        Ok(LookUpRows { run, table, found, row })
    }

    /// The next partners, at most so many; `None`: there are no more.
    pub async fn next(&self, rows: &mut LookUpRows, values: &[ArrayRef], most: usize) -> Result<Option<Partners>> {
        let begun = Instant::now();
        let partners = self.look_up(rows, values, most).await?;
        if let Some(watched) = &rows.run.watched {
            watched.note(|counters| {
                counters.rows += partners.as_ref().map_or(0, |partners| partners.batch.rows as u64);
                counters.total += begun.elapsed();
            });
        }
        Ok(partners)
    }

    async fn look_up(&self, rows: &mut LookUpRows, values: &[ArrayRef], most: usize) -> Result<Option<Partners>> {
        let LookUpRows { run, table, found, row } = rows;
        let before = found.effort();
        let some = found.next(most).await?;
        let (index, only) = self.index;
        let given = some.as_ref().map_or(0, |some| some.rows.rows());
        note_effort(run, &table.indexes[index], only, (before, found.effort()), given);
        let Some(LookedUp { rows, owners }) = some else { return Ok(None) };
        *row = owners.last().map_or(*row, |owner| *owner as usize);
        let rows = self.columns.as_passed_on(rows);
        let batch = self.columns.adapt(table.heap().detoast_batch(run.session(), rows).await?)?;
        let (batch, outer) = match self.qualifying(batch, owners, values, run).await? {
            Some((batch, outer)) => (self.output.projection.apply(batch, run).await?, outer),
            None => (Batch::empty(self.output.reprs()), Vec::new()),
        };
        Ok(Some(Partners { batch, outer }))
    }

    /// The rows for which the conditions hold, with what the loop gives behind their columns, and whose partners they are.
    async fn qualifying(
        &self,
        mut batch: Batch,
        owners: Vec<u32>,
        values: &[ArrayRef],
        run: &Run,
    ) -> Result<Option<(Batch, Vec<u32>)>> {
        if batch.rows == 0 {
            return Ok(None);
        }
        let owners = UInt32Array::from(owners);
        for column in values {
            batch.columns.push(take(column, &owners, None)?);
        }
        batch.columns.push(Arc::new(owners));
        let Some(mut batch) = self.output.filter.apply(batch, run).await? else { return Ok(None) };
        let owners = batch.columns.pop().expect("it was put there");
        Ok(Some((batch, owners.as_primitive::<UInt32Type>().values().to_vec())))
    }

    /// Where the index has the entries of each outer row's key.
    fn ranges(
        &self,
        table: &Table,
        run: &Run,
        values: &[ArrayRef],
        rows: Range<usize>,
    ) -> Result<Vec<(u32, KeyRange)>> {
        let keys = &table.indexes[self.index.0].keys.shape;
        let some: Vec<ArrayRef> = values.iter().map(|column| column.slice(rows.start, rows.len())).collect();
        let of_column =
            |value: &crate::nodes::look_up_key::KeyValue| value.state.evaluate(&some, rows.len(), &run.execution);
        let columns = self.key.values.iter().map(of_column).collect::<types::Result<Vec<Argument>>>()?;
        let mut ranges = Vec::with_capacity(rows.len());
        'rows: for row in 0..rows.len() {
            let mut from = Vec::with_capacity(16);
            for (at, (value, column)) in self.key.values.iter().zip(&columns).enumerate() {
                if !value.encode(keys, at, column, row, &mut from)? {
                    continue 'rows;
                }
            }
            let to = after_prefix(&from);
            ranges.push(((rows.start + row) as u32, KeyRange::new(from, to)));
        }
        Ok(ranges)
    }
}
