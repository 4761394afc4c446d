//! An index scan as the inner side of a nested loop, for many outer rows at once: what the loop gives to it are columns here and no
//! parameters, so that conditions are asked of the partners of all of these rows together.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use access::index::KeyShape;
use analyze::query::RangeTableIndex;
use arrow_array::ArrayRef;
use engine::{KeyRange, LookUp, LookedUp, Table};
use plan::plan::{IndexCondition, Node, Plan};
use types::Repr;

use crate::batch::BATCH_ROWS;
use crate::compile::facts::IndexFacts;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::{Filter, Output};
use crate::nodes::scan::ScanColumns;
use crate::nodes::scan::index_scan::{note_index_scan, to_table_columns};
use crate::nodes::scan::look_up::{Partners, note_begun, note_partners, partners, watched};
use crate::nodes::scan::look_up_key::LookUpKey;
use crate::nodes::scan::ranges::Ranges;
use crate::run::estate::Run;

pub struct IndexLookUp {
    columns: ScanColumns,
    /// Its position among the table's, and whether rows are taken from it alone, as far as they can be.
    index: (usize, bool),
    key: Key,
    /// The index's conditions, for rows of ranges that may have too many; over the same columns as the output.
    recheck: Filter,
    /// Over the table's columns, and the parameters' behind them.
    output: Output,
    /// The node's number, if it is watched.
    number: Option<usize>,
}

/// What rows are looked up by.
enum Key {
    /// A value for each of the index's first columns: it is made without a call for each row and value.
    Equal(LookUpKey),
    Ranges(Ranges),
}

/// The partners of some outer rows, on their way.
pub struct IndexLookUpRows {
    run: Run,
    table: Arc<Table>,
    found: LookUp,
    /// Some may not satisfy the index's conditions.
    lossy: bool,
    /// The outer row that the last one belonged to, whether the conditions held for it or not: those before it have all of theirs.
    pub row: usize,
    /// The outer row behind the last one whose partners are looked up.
    pub end: usize,
}

/// Where the index has the entries of some outer rows.
struct OwnedRanges {
    /// In the order of the rows that they belong to.
    ranges: Vec<(u32, KeyRange)>,
    /// The row behind the last of these.
    end: usize,
    /// There may be too many entries.
    lossy: bool,
}

impl IndexLookUp {
    /// `parameters`: what the loop gives, numbers and representations. `None`: the plan is no such scan.
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        parameters: &[(u32, Repr)],
    ) -> types::Result<Option<IndexLookUp>> {
        let (Node::IndexScan(scan) | Node::IndexOnlyScan(scan)) = &plan.node else { return Ok(None) };
        if scan.scan.table < catalog::FIRST_NORMAL_OBJECT_ID || !plan.init_plans.is_empty() {
            return Ok(None);
        }
        let facts = compiler.facts.index(scan.scan.table, scan.index)?;
        let given =
            |layout: Layout| parameters.iter().fold(layout, |layout, (n, repr)| layout.with_parameter(*n, *repr));
        if facts.computed {
            return Ok(None);
        }
        let Some(key) = Key::compile(compiler, &facts, &scan.ranges, &given(Layout::default()))? else {
            return Ok(None);
        };
        let own = to_table_columns(plan, scan, &facts);
        let rechecked = match key {
            Key::Equal(_) => &[][..],
            Key::Ranges(_) => &scan.index_conditions,
        };
        let stored = compiler.late.of_scan(plan);
        let (columns, layout) = ScanColumns::of_plan(compiler, &own, &scan.scan, rechecked, stored)?;
        let layout = given(layout);
        let recheck = compiler.filter(rechecked, &layout)?;
        let output = compiler.output(&own, &layout)?;
        let index = (facts.position, matches!(plan.node, Node::IndexOnlyScan(_)));
        Ok(Some(IndexLookUp { columns, index, key, recheck, output, number: compiler.number(plan) }))
    }

    /// Is it good where one partner of each row is enough, of those for which a join's conditions hold? Ranges may be long, and
    /// are read to their ends where not any row of them will do.
    pub fn suits_first_only(&self, conditions: &Filter) -> bool {
        match &self.key {
            Key::Equal(_) => true,
            Key::Ranges(ranges) => !ranges.are_lossy() && self.output.filter.is_empty() && conditions.is_empty(),
        }
    }

    /// Is anything asked of the rows but the index's conditions?
    pub fn has_conditions(&self) -> bool {
        !self.output.filter.is_empty()
    }

    pub fn reprs(&self) -> &Arc<[Repr]> {
        self.output.reprs()
    }

    pub fn relation(&self) -> RangeTableIndex {
        self.columns.relation
    }

    /// Begins to look for the partners of these outer rows, or of the first of them, for which `values` has the parameters; for
    /// at most one of each, if one is enough.
    pub fn begin(
        &self,
        run: &Run,
        values: &[ArrayRef],
        rows: Range<usize>,
        first_only: bool,
    ) -> Result<IndexLookUpRows> {
        let begun = Instant::now();
        let run = watched(self.number, run);
        let table = run.estate.table(self.columns.table)?;
        let scan = Arc::new(self.columns.scan(&table, run.snapshot.clone()));
        let row = rows.start;
        let keys = &table.indexes[self.index.0].keys.shape;
        let OwnedRanges { ranges, end, lossy } = self.key.ranges(keys, &run, values, rows)?;
        let first_only = first_only && !lossy && self.output.filter.is_empty();
        let found = scan.look_up(run.session(), self.index, ranges, run.concurrency(&table), first_only)?;
        note_begun(&run, end - row, begun);
        Ok(IndexLookUpRows { run, table, found, lossy, row, end })
    }

    /// The next partners, at most so many; `None`: there are no more.
    pub async fn next(&self, rows: &mut IndexLookUpRows, values: &[ArrayRef], most: usize) -> Result<Option<Partners>> {
        let begun = Instant::now();
        let partners = self.look_up(rows, values, most).await?;
        note_partners(&rows.run, partners.as_ref(), begun);
        Ok(partners)
    }

    async fn look_up(&self, rows: &mut IndexLookUpRows, values: &[ArrayRef], most: usize) -> Result<Option<Partners>> {
        let IndexLookUpRows { run, table, found, lossy, row, .. } = rows;
        let before = found.counters();
        let some = found.next(most).await?;
        let (index, only) = self.index;
        let given = some.as_ref().map_or(0, |some| some.rows.rows());
        note_index_scan(run, &table.indexes[index], only, (before, found.counters()), given);
        let Some(LookedUp { rows, owners }) = some else { return Ok(None) };
        *row = owners.last().map_or(*row, |owner| *owner as usize);
        let rows = self.columns.as_passed_on(rows);
        let batch = self.columns.adapt(table.heap().detoast_batch(run.session(), rows).await?)?;
        let recheck = lossy.then_some(&self.recheck);
        partners(batch, owners, values, recheck, &self.output, run).await.map(Some)
    }
}

impl Key {
    /// `None`: it is not known from the outer rows' columns alone.
    fn compile(
        compiler: &Compiler<'_>,
        facts: &IndexFacts,
        alternatives: &[Vec<IndexCondition>],
        layout: &Layout,
    ) -> types::Result<Option<Key>> {
        if let [conditions] = alternatives
            && let Some(key) = LookUpKey::compile(compiler, facts, conditions, layout)?
        {
            return Ok(Some(Key::Equal(key)));
        }
        let ranges = Ranges::compile(compiler, facts, alternatives, layout)?;
        Ok((!ranges.wait()).then_some(Key::Ranges(ranges)))
    }

    /// The ranges of these rows, or of the first of them, if they have many.
    fn ranges(&self, keys: &KeyShape, run: &Run, values: &[ArrayRef], rows: Range<usize>) -> Result<OwnedRanges> {
        let (start, count) = (rows.start, rows.len());
        let some: Vec<ArrayRef> = values.iter().map(|column| column.slice(start, count)).collect();
        let mut owned = OwnedRanges { ranges: Vec::with_capacity(count), end: rows.end, lossy: false };
        match self {
            Key::Equal(key) => {
                let values = key.values(&some, count, run)?;
                for row in 0..count {
                    let range = key.range(keys, &values, row)?;
                    owned.ranges.extend(range.map(|range| ((start + row) as u32, range)));
                }
            }
            Key::Ranges(ranges) => {
                let values = ranges.values(&some, count, run)?;
                for row in 0..count {
                    let (of_row, lossy) = ranges.of_row(keys, &values, row, &run.execution.context)?;
                    owned.lossy |= lossy;
                    owned.ranges.extend(of_row.into_iter().map(|range| ((start + row) as u32, range)));
                    if owned.ranges.len() >= BATCH_ROWS {
                        owned.end = start + row + 1;
                        break;
                    }
                }
            }
        }
        Ok(owned)
    }
}
