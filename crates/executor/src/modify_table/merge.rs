//! MERGE: for each row of the child the first action whose conditions hold. A row that somebody else has changed is looked
//! at again, and may meet other conditions then, or have no partner any more.

use std::sync::Arc;

use access::{Outcome, Tid};
use analyze::query::{CommandType, MergeMatch};
use arrow_array::{ArrayRef, StringArray};
use engine::Table;
use plan::plan::{ModifyTable, OUTER, PlanMergeAction};
use txn::Snapshot;
use types::Repr;

use super::change::{Change, Changed};
use super::recheck::{PartOfRow, Place, all_again, leave_queue, new_snapshot, rows_of, wait_for_row};
use super::target::{Returned, Target};
use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::node::Compiled;
use crate::nodes::scan::tid_at;
use crate::output::{Filter, Projection};

pub struct Merge {
    /// The child's column with the rows' identities; NULL: nothing matched.
    row: usize,
    actions: Vec<Action>,
    marks: Vec<plan::plan::PlanRowMark>,
}

struct Action {
    matched: bool,
    conditions: Filter,
    /// Of all columns, or of those that change; junk is among them.
    values: Projection,
    /// Which of these are values.
    live: Vec<usize>,
    what: What,
}

enum What {
    Nothing,
    Insert,
    Change(Change),
}

/// What became of a row.
enum Done {
    Done(u64, Vec<Batch>),
    /// Somebody is or was at it.
    Blocked(Tid, Outcome),
}

impl Merge {
    pub fn compile(
        compiler: &Compiler<'_>,
        modify: &ModifyTable,
        target: &Target,
        child: &Compiled,
    ) -> types::Result<Merge> {
        let layout = Layout::default().with(OUTER, &child.reprs).with(modify.scan.relation, &target.reprs);
        let width = child.reprs.len();
        let compile = |action: &PlanMergeAction| {
            // Whether there is a row of the source, its conditions ask.
            let matched = action.when != MergeMatch::NotMatchedByTarget;
            let conditions = compiler.filter(&action.conditions, &layout)?;
            let values = Projection::compile(compiler, &action.targets, &layout)?;
            let live: Vec<usize> = (0..action.targets.len()).filter(|&at| !action.targets[at].junk).collect();
            let what = match action.command {
                None => What::Nothing,
                Some(CommandType::Insert) => What::Insert,
                Some(CommandType::Update) => {
                    let columns = live.iter().map(|&at| (action.targets[at].number as usize - 1, values.reprs()[at]));
                    // Behind the child's columns and the action's name.
                    What::Change(Change::of(modify, Some(columns.collect()), width + 1))
                }
                Some(_) => What::Change(Change::of(modify, None, width + 1)),
            };
            Ok(Action { matched, conditions, values, live, what })
        };
        let actions = modify.merge.iter().map(compile).collect::<types::Result<_>>()?;
        let row = (modify.row as usize).saturating_sub(1);
        Ok(Merge { row, actions, marks: modify.marks.clone() })
    }

    pub async fn rows(
        &self,
        child: &Compiled,
        target: &Target,
        table: &Arc<Table>,
        batch: Batch,
        run: &Run,
    ) -> Result<(u64, Vec<Batch>)> {
        let (mut count, mut returned) = (0, Vec::new());
        for row in 0..batch.rows {
            let mut next = Some(batch.slice(row, 1));
            while let Some(row) = next.take() {
                let (rows, more) = self.row(child, target, table, row, &mut next, run).await?;
                count += rows;
                returned.extend(more);
            }
        }
        Ok((count, returned))
    }

    /// Does what is to be done about a row. Where its target and its source have been parted meanwhile, that is the target's
    /// part, and the source's comes next (`ExecMergeMatched`, then `ExecMergeNotMatched`).
    async fn row(
        &self,
        child: &Compiled,
        target: &Target,
        table: &Arc<Table>,
        row: Batch,
        next: &mut Option<Batch>,
        run: &Run,
    ) -> Result<(u64, Vec<Batch>)> {
        let mut snapshot = run.snapshot.clone();
        let mode = txn::LockMode::AccessExclusive;
        let mut queue: Option<(Tid, Place)> = None;
        let result = loop {
            let (tid, outcome) = match self.act(target, table, &row, &snapshot, run).await {
                Ok(Done::Done(rows, returned)) => break Ok((rows, returned)),
                Ok(Done::Blocked(tid, outcome)) => (tid, outcome),
                Err(error) => break Err(error),
            };
            let (_, place) = queue.get_or_insert((tid, Place::default()));
            let there = wait_for_row(run, table.heap(), tid, mode, outcome, place).await;
            let there = match there {
                Ok(there) => there.then_some(tid),
                Err(error) => break Err(error),
            };
            snapshot = new_snapshot(run).await;
            let mut parts = rows_of(&self.marks, &row, 0);
            parts.push((target.relation, there.map(PartOfRow::Tid)));
            let found = match all_again(child, &parts, &[(target.relation, snapshot.clone())], run).await {
                Ok(found) => found,
                Err(error) => break Err(error),
            };
            let has_target = |row: &Batch| tid_at(&row.columns[self.row], 0).is_some();
            // The row itself stays: but for the target's identity it is the source's, which RETURNING shows even where they
            // have been parted.
            let (of_target, of_source): (Vec<Batch>, Vec<Batch>) = found.into_iter().partition(has_target);
            *next = of_source.into_iter().next();
            if of_target.is_empty() {
                break Ok((0, Vec::new()));
            }
        };
        if let Some((tid, place)) = queue {
            leave_queue(run, table.heap(), tid, mode, place).await;
        }
        result
    }

    /// Does what the first action says that fits a row.
    async fn act(
        &self,
        target: &Target,
        table: &Arc<Table>,
        row: &Batch,
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Done> {
        let tid = tid_at(&row.columns[self.row], 0);
        let now = match tid {
            None => target.nulls(1),
            Some(tid) => {
                let all: Vec<usize> = (0..target.columns.len()).collect();
                let now = target.fetch(table, &[tid], &all, snapshot, run).await?;
                if now.rows == 0 {
                    return Ok(Done::Blocked(tid, Outcome::Gone));
                }
                now
            }
        };
        let both = row.clone().beside(now);
        for action in self.actions.iter().filter(|action| action.matched == tid.is_some()) {
            if action.conditions.apply(both.clone(), run).await?.is_none() {
                continue;
            }
            let computed = action.values.apply(both, run).await?;
            let values = action.live.iter().map(|&at| computed.columns[at].clone()).collect();
            return match &action.what {
                What::Nothing => Ok(Done::Done(0, Vec::new())),
                What::Insert => action.insert(target, table, row, values, run).await,
                What::Change(change) => change_row(change, target, table, row, values, snapshot, run).await,
            };
        }
        Ok(Done::Done(0, Vec::new()))
    }
}

/// A row of the child with what was done to it behind its columns.
fn with_action(row: &Batch, action: &str) -> Batch {
    let mut row = row.clone();
    row.columns.push(Arc::new(StringArray::from(vec![action])));
    row
}

impl Action {
    async fn insert(
        &self,
        target: &Target,
        table: &Arc<Table>,
        row: &Batch,
        values: Vec<ArrayRef>,
        run: &Run,
    ) -> Result<Done> {
        let reprs: Vec<Repr> = self.live.iter().map(|&at| self.values.reprs()[at]).collect();
        let columns = values.iter().enumerate().map(|(at, value)| target.column(at, value, reprs[at]));
        let new = Batch::new(columns.collect::<Result<_>>()?, 1);
        target.check(table, &new, None, run).await?;
        let (stored, options) = (target.stored(&new)?, run.environment().settings.write.clone());
        let tids = {
            let mut transaction = run.transaction().await;
            let tids = table.heap().insert_batch(transaction.writer(), &stored).await?;
            table.index_rows(&mut transaction, &stored, &tids, None, &options).await?;
            tids
        };
        let child = with_action(row, "INSERT");
        let returned = Returned { rows: new.clone(), tids: &tids, old: None, new: Some(new), child, ended: false };
        let returned = target.return_rows(returned, run).await?;
        Ok(Done::Done(1, returned.into_iter().collect()))
    }
}

async fn change_row(
    change: &Change,
    target: &Target,
    table: &Arc<Table>,
    row: &Batch,
    values: Vec<ArrayRef>,
    snapshot: &Snapshot,
    run: &Run,
) -> Result<Done> {
    let mut row = with_action(row, if change.assigned.is_some() { "UPDATE" } else { "DELETE" });
    row.columns.extend(values);
    let mut changed = Changed::default();
    change.change(target, table, &row, snapshot, run, &mut changed).await?;
    if let Some(blocked) = changed.blocked.pop() {
        return Ok(Done::Blocked(blocked.tid, blocked.outcome));
    }
    if changed.rows == 0 {
        let hint = "Ensure that not more than one source row matches any one target row.";
        let error = types::Error::new("21000", "MERGE command cannot affect row a second time");
        return Err(error.hint(hint).into());
    }
    Ok(Done::Done(changed.rows, changed.returned))
}
