//! IndexScan and IndexOnlyScan: rows by ranges of an index's keys, in the index's order or its opposite.

use std::sync::Arc;

use aio::Turn;
use async_trait::async_trait;
use engine::{IndexRows, TableScan};
use plan::plan::{INDEX, IndexScan, Plan, ScanDirection};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::facts::IndexFacts;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::ranges::Ranges;
use crate::nodes::scan::{LongRows, ScanColumns, ScanNode, looked_at_again};
use crate::nodes::system_scan;
use crate::output::{Filter, Output};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &IndexScan) -> types::Result<Compiled> {
    if scan.scan.table < catalog::FIRST_NORMAL_OBJECT_ID {
        return system_scan::compile_index(compiler, plan, scan);
    }
    let facts = compiler.facts.index(scan.scan.table, scan.index)?;
    let ranges = Ranges::compile(compiler, &facts, &scan.ranges, &Layout::default())?;
    let plan = to_table_columns(plan, scan, &facts);
    let (columns, layout) = ScanColumns::of_plan(compiler, &plan, &scan.scan, &scan.index_conditions)?;
    let recheck = compiler.filter(&scan.index_conditions, &layout)?;
    let output = compiler.output(&plan, &layout)?;
    let reprs = output.reprs().clone();
    let backward = scan.direction == Some(ScanDirection::Backward);
    let index = facts.position;
    Ok(Compiled::new(IndexScanNode { columns, index, ranges, recheck, output, backward }, reprs))
}

/// The plan with columns of its table where it names the index's: the row is looked at in any case.
pub(super) fn to_table_columns(plan: &Plan, scan: &IndexScan, facts: &IndexFacts) -> Plan {
    let mut plan = plan.clone();
    let key = |at: usize| facts.columns.get(at).copied().flatten().map(|column| column as i16 + 1);
    let mut own = |expr: &mut analyze::query::Expr| to_table(expr, scan, &key);
    plan.targets.iter_mut().for_each(|target| own(&mut target.expr));
    plan.conditions.iter_mut().for_each(&mut own);
    plan
}

/// Makes columns of the index, whose positions `key` knows, columns of its table.
pub(super) fn to_table(expr: &mut analyze::query::Expr, scan: &IndexScan, key: &dyn Fn(usize) -> Option<i16>) {
    if let analyze::query::Expr::Var(var) = expr
        && var.relation == INDEX
    {
        if let Some(attribute) = usize::try_from(var.attribute - 1).ok().and_then(key) {
            (var.relation, var.attribute) = (scan.scan.relation, attribute);
        }
        return;
    }
    expr.mutate(&mut |child| to_table(child, scan, key), &mut |_| {});
}

struct IndexScanNode {
    columns: ScanColumns,
    /// Its position among the table's.
    index: usize,
    ranges: Ranges,
    /// What the ranges say, for rows that they may have too many of.
    recheck: Filter,
    output: Output,
    backward: bool,
}

impl ScanNode for IndexScanNode {
    fn columns(&self) -> &ScanColumns {
        &self.columns
    }

    fn recheck(&self) -> Option<&Filter> {
        Some(&self.recheck)
    }

    fn output(&self) -> &Output {
        &self.output
    }
}

impl ExecNode for IndexScanNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.columns.table)?;
        let turn = Turn::new(run.environment().database.engine());
        if let Some(row) = looked_at_again(&self, &table, run) {
            return Ok(row);
        }
        let scan = Arc::new(self.columns.scan(&table, run.snapshot.clone()));
        let (state, lossy) = (State::Begin, false);
        let long = LongRows::of(&table);
        Ok(Box::new(IndexScanRows { node: self, table, scan, long, run: run.clone(), state, lossy, turn }))
    }
}

#[expect(clippy::large_enum_variant, reason = "there is one for each scan, in its box")]
enum State {
    Begin,
    Rows(IndexRows),
}

struct IndexScanRows {
    node: Arc<IndexScanNode>,
    table: Arc<engine::Table>,
    scan: Arc<TableScan>,
    long: LongRows,
    run: Run,
    state: State,
    lossy: bool,
    turn: Turn,
}

#[async_trait]
impl Rows for IndexScanRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            let batch = match &mut self.state {
                State::Begin => {
                    let keys = &self.table.indexes[node.index].keys.shape;
                    let (ranges, lossy) = node.ranges.evaluate(keys, &self.run).await?;
                    self.lossy = lossy;
                    let session = self.run.session();
                    let rows = self.scan.through_ranges(session, node.index, ranges, node.backward);
                    let rows = rows.with_concurrency(self.run.environment().settings.concurrency);
                    self.state = State::Rows(match self.run.first_rows {
                        Some(first) => rows.at_first(first),
                        None => rows,
                    });
                    continue;
                }
                State::Rows(rows) => match self.long.next(&self.run).await? {
                    Some(batch) => Some(batch),
                    None => match rows.next().await? {
                        Some(rows) => self.long.put(rows, &*node, &self.run).await?,
                        None => return Ok(None),
                    },
                },
            };
            let Some(batch) = batch else {
                self.turn.pass().await;
                continue;
            };
            let given = match self.lossy {
                true => node.give(batch, &self.run).await?,
                false => node.output.apply(node.columns.adapt(batch)?, &self.run).await?,
            };
            if given.is_some() {
                return Ok(given);
            }
            self.turn.pass().await;
        }
    }
}
