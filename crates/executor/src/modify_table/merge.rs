//! MERGE: for each row of the child the first action whose conditions hold. A row that another transaction has changed is looked
//! at again, and may meet other conditions then, or have no partner any more.
//!
//! Some rows at a time are looked at together. In their order those that are to be changed are locked and new ones put in, and then
//! each action changes its rows. Whatever is not so simple goes row by row: rows that come twice, keys that are given up and taken
//! in the same rows, numbers of sequences for several actions.

use std::sync::Arc;

use access::{Outcome, Tid};
use analyze::query::{CheckKind, CommandType, Expr, MergeMatch};
use arrow_array::{ArrayRef, StringArray, UInt32Array};
use arrow_select::take::take;
use engine::Table;
use error::sqlstate;
use expression::Selection;
use expression::clauses::contain_volatile_functions;
use plan::plan::{ModifyTable, OUTER, PlanMergeAction};
use txn::Snapshot;
use types::Repr;

use super::change::{Change, Changed, rows_at_once};
use super::recheck::{
    PartOfRow, Place, all_again, leave_queue, new_snapshot, rows_of, try_lock, unlock_changed, wait_for_row,
};
use super::target::{Made, Returned, Target};
use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::{Filter, Projection};
use crate::nodes::scan::tid_at;
use crate::run::estate::Run;
use crate::run::node::Compiled;

pub struct Merge {
    /// The child's column with the rows' identities; NULL: nothing matched.
    row: usize,
    actions: Vec<Action>,
    marks: Vec<plan::plan::PlanRowMark>,
    /// Volatile functions show in what order rows are looked at.
    shows_order: bool,
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

impl What {
    /// What policies ask of the rows as they are.
    fn check(&self) -> Option<CheckKind> {
        match self {
            What::Change(change) if change.assigned.is_some() => Some(CheckKind::MergeUpdate),
            What::Change(_) => Some(CheckKind::MergeDelete),
            What::Nothing | What::Insert => None,
        }
    }
}

/// What became of a row.
enum Done {
    Done(u64, Vec<Batch>),
    /// Another transaction is or was at it.
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
        let is_volatile = |expr: &Expr| contain_volatile_functions(compiler.catalog, expr);
        let gives_volatile = |action: &PlanMergeAction| action.targets.iter().any(|target| is_volatile(&target.expr));
        let asks_volatile = |action: &PlanMergeAction| action.conditions.iter().any(is_volatile);
        let shows_order = modify.merge.iter().filter(|action| gives_volatile(action)).count() > 1
            || modify.merge.iter().any(asks_volatile);
        Ok(Merge { row, actions, marks: modify.marks.clone(), shows_order })
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
        let most = rows_at_once(table)?;
        for from in (0..batch.rows).step_by(most) {
            let some = batch.slice(from, most.min(batch.rows - from));
            let merging = Merging { merge: self, child, target, table, run };
            let decided = if merging.may_decide() { merging.decide(&some).await? } else { None };
            let (rows, more) = match decided {
                Some(decided) => merging.act(&some, decided).await?,
                None => merging.one_by_one(&some).await?,
            };
            count += rows;
            returned.extend(more);
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
        let both = row.clone().beside(now.clone());
        for action in self.actions.iter().filter(|action| action.matched == tid.is_some()) {
            if action.conditions.apply(both.clone(), run).await?.is_none() {
                continue;
            }
            if let Some(kind) = action.what.check() {
                target.check_existing(kind, &now, run).await?;
            }
            let computed = action.values.apply(both, run).await?;
            let values = action.live.iter().map(|&at| computed.columns[at].clone()).collect();
            return match &action.what {
                What::Nothing => Ok(Done::Done(0, Vec::new())),
                What::Insert => action.insert(target, table, row, values, run).await,
                What::Change(change) => change_rows(change, target, table, row, values, snapshot, run).await,
            };
        }
        Ok(Done::Done(0, Vec::new()))
    }
}

/// Some rows of a MERGE.
struct Merging<'a> {
    merge: &'a Merge,
    child: &'a Compiled,
    target: &'a Target,
    table: &'a Arc<Table>,
    run: &'a Run,
}

/// What is to be done about some rows.
struct Decided {
    tids: Vec<Option<Tid>>,
    /// The action of each row, if there is one.
    actions: Vec<Option<usize>>,
    /// The values of each action, of its rows in their order.
    values: Vec<Vec<ArrayRef>>,
}

impl Merging<'_> {
    /// May several rows be looked at before something is done about one?
    fn may_decide(&self) -> bool {
        let gives_keys = |action: &Action| match &action.what {
            What::Change(change) => change.assigns_key(self.table),
            _ => false,
        };
        !self.merge.shows_order && !self.merge.actions.iter().any(gives_keys)
    }

    /// Finds the action of each row. `None`: rows come twice, or are not there any more, or some are deleted whose keys others may
    /// take, or a policy refuses one.
    async fn decide(&self, rows: &Batch) -> Result<Option<Decided>> {
        let Merging { merge, target, table, run, .. } = *self;
        let tids: Vec<Option<Tid>> = (0..rows.rows).map(|row| tid_at(&rows.columns[merge.row], row)).collect();
        let mut order: Vec<u32> = (0..rows.rows as u32).filter(|&row| tids[row as usize].is_some()).collect();
        order.sort_unstable_by_key(|&row| tids[row as usize]);
        let sorted: Vec<Tid> = order.iter().filter_map(|&row| tids[row as usize]).collect();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Ok(None);
        }
        let all: Vec<usize> = (0..target.columns.len()).collect();
        let there = target.fetch(table, &sorted, &all, &run.snapshot, run).await?;
        if there.rows < sorted.len() {
            return Ok(None);
        }
        // Where there is no row of the target, there are NULLs.
        let mut place = vec![None; rows.rows];
        (0u32..).zip(&order).for_each(|(at, &row)| place[row as usize] = Some(at));
        let there = there.take(&UInt32Array::from(place))?;
        let both = rows.clone().beside(there.clone());
        let mut actions = vec![None; rows.rows];
        let mut fitting: Vec<Vec<u32>> = Vec::with_capacity(merge.actions.len());
        for (number, action) in merge.actions.iter().enumerate() {
            let is_open = |row: &u32| {
                let row = *row as usize;
                actions[row].is_none() && action.matched == tids[row].is_some()
            };
            let open: Vec<u32> = (0..rows.rows as u32).filter(is_open).collect();
            let some = both.take(&UInt32Array::from(open.clone()))?;
            fitting.push(match action.conditions.select(&some, run).await? {
                Selection::All => open,
                Selection::None => Vec::new(),
                Selection::Some(holds) => {
                    let held = open.into_iter().zip(&holds).filter(|(_, holds)| *holds == Some(true));
                    held.map(|(row, _)| row).collect()
                }
            });
            fitting[number].iter().for_each(|&row| actions[row as usize] = Some(number));
            if let Some(kind) = action.what.check()
                && target.options.of(kind).next().is_some()
            {
                let existing = there.take(&UInt32Array::from(fitting[number].clone()))?;
                // Which error comes first is found row by row.
                if target.options.refused(kind, &existing, run).await?.is_some() {
                    return Ok(None);
                }
            }
        }
        let is_done =
            |what: fn(&What) -> bool| actions.iter().flatten().any(|&at: &usize| what(&merge.actions[at].what));
        let deletes = is_done(|what| matches!(what, What::Change(change) if change.assigned.is_none()));
        if deletes && is_done(|what| matches!(what, What::Insert)) {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(merge.actions.len());
        for (action, fitting) in merge.actions.iter().zip(fitting) {
            if fitting.is_empty() {
                values.push(Vec::new());
                continue;
            }
            let computed = action.values.apply(both.take(&UInt32Array::from(fitting))?, run).await?;
            values.push(action.live.iter().map(|&at| computed.columns[at].clone()).collect());
        }
        Ok(Some(Decided { tids, actions, values }))
    }

    /// Locks rows that are to be changed and puts new ones in, in their order, and then changes what is locked. A row that others
    /// are at is waited for and looked at again before the next one.
    async fn act(&self, rows: &Batch, decided: Decided) -> Result<(u64, Vec<Batch>)> {
        let Merging { merge, target, table, run, .. } = *self;
        let mut done = Merged::default();
        let mut of_action: Vec<Acting> = merge.actions.iter().map(|_| Acting::default()).collect();
        let mut places = vec![0; merge.actions.len()];
        let mut locks = Vec::new();
        let mut inserting = None;
        for (row, number) in decided.actions.iter().enumerate() {
            let Some(number) = *number else { continue };
            if inserting.is_some_and(|inserting| inserting != number) {
                self.insert(rows, &decided, inserting.take(), &mut of_action, &mut done).await?;
            }
            let place = places[number];
            places[number] += 1;
            match (&merge.actions[number].what, decided.tids[row]) {
                (What::Change(change), Some(tid)) => {
                    let mode = change.mode(table);
                    let was_locked = run.transaction().await.holds(table.heap().row_tag(tid));
                    if try_lock(table, tid, mode, &run.snapshot, run).await? != Outcome::Done {
                        let (count, more) = self.one_by_one(&rows.slice(row, 1)).await?;
                        done.rows += count;
                        done.returned.extend(more.into_iter().map(|batch| (vec![row as u32; batch.rows], batch)));
                        continue;
                    }
                    locks.extend((!was_locked).then_some((tid, mode)));
                }
                (What::Insert, _) => inserting = Some(number),
                _ => continue,
            }
            of_action[number].rows.push(row as u32);
            of_action[number].places.push(place);
        }
        self.insert(rows, &decided, inserting, &mut of_action, &mut done).await?;
        for (number, mut acting) in of_action.into_iter().enumerate().filter(|(_, acting)| !acting.rows.is_empty()) {
            let What::Change(change) = &merge.actions[number].what else { continue };
            let (some, values) = acting.of(rows, &decided.values[number])?;
            let changed = change_rows(change, target, table, &some, values, &run.snapshot, run).await?;
            // Rows are changed in the order of their places.
            acting.rows.sort_unstable_by_key(|&row| decided.tids[row as usize]);
            done.add(changed, acting.rows)?;
        }
        unlock_changed(table, locks.into_iter(), run).await;
        Ok((done.rows, in_order(done.returned, target)?.into_iter().collect()))
    }

    /// Puts the rows of an INSERT action in that have come one after the other.
    async fn insert(
        &self,
        rows: &Batch,
        decided: &Decided,
        action: Option<usize>,
        of_action: &mut [Acting],
        done: &mut Merged,
    ) -> Result<()> {
        let Some(number) = action else { return Ok(()) };
        let acting = std::mem::take(&mut of_action[number]);
        let (some, values) = acting.of(rows, &decided.values[number])?;
        let inserted = self.merge.actions[number].insert(self.target, self.table, &some, values, self.run).await?;
        done.add(inserted, acting.rows)
    }

    async fn one_by_one(&self, rows: &Batch) -> Result<(u64, Vec<Batch>)> {
        let (mut count, mut returned) = (0, Vec::new());
        for row in 0..rows.rows {
            let mut next = Some(rows.slice(row, 1));
            while let Some(row) = next.take() {
                let (rows, more) =
                    self.merge.row(self.child, self.target, self.table, row, &mut next, self.run).await?;
                count += rows;
                returned.extend(more);
            }
        }
        Ok((count, returned))
    }
}

/// The rows of an action.
#[derive(Default)]
struct Acting {
    rows: Vec<u32>,
    /// Where their values are among the action's.
    places: Vec<u32>,
}

impl Acting {
    /// The rows, and their values.
    fn of(&self, rows: &Batch, values: &[ArrayRef]) -> Result<(Batch, Vec<ArrayRef>)> {
        let places = UInt32Array::from(self.places.clone());
        let values = values.iter().map(|values| take(values, &places, None));
        let values = values.collect::<std::result::Result<_, _>>()?;
        Ok((rows.take(&UInt32Array::from(self.rows.clone()))?, values))
    }
}

/// What came of some rows.
#[derive(Default)]
struct Merged {
    rows: u64,
    /// RETURNING's, with the rows that they come from.
    returned: Vec<(Vec<u32>, Batch)>,
}

impl Merged {
    /// What was done about these rows, in the order of what is returned.
    fn add(&mut self, done: Done, rows: Vec<u32>) -> Result<()> {
        let Done::Done(count, returned) = done else {
            return Err(Error::new(sqlstate::INTERNAL_ERROR, "a row that is locked is not to be had"));
        };
        self.rows += count;
        self.returned.extend(returned.into_iter().map(|batch| (rows.clone(), batch)));
        Ok(())
    }
}

/// RETURNING's rows in the order of those that they come from.
fn in_order(returned: Vec<(Vec<u32>, Batch)>, target: &Target) -> Result<Option<Batch>> {
    let Some(returning) = &target.returning else { return Ok(None) };
    let (rows, batches): (Vec<_>, Vec<_>) = returned.into_iter().unzip();
    let rows = rows.concat();
    if rows.is_empty() {
        return Ok(None);
    }
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.sort_by_key(|&at| rows[at as usize]);
    Batch::concat(&batches, returning.reprs())?.take(&UInt32Array::from(order)).map(Some)
}

/// Rows of the child with what was done to them behind their columns.
fn with_action(rows: &Batch, action: &str) -> Batch {
    let mut rows = rows.clone();
    rows.columns.push(Arc::new(StringArray::from(vec![action; rows.rows])));
    rows
}

impl Action {
    async fn insert(
        &self,
        target: &Target,
        table: &Arc<Table>,
        rows: &Batch,
        values: Vec<ArrayRef>,
        run: &Run,
    ) -> Result<Done> {
        let reprs: Vec<Repr> = self.live.iter().map(|&at| self.values.reprs()[at]).collect();
        let columns = values.iter().enumerate().map(|(at, value)| target.column(at, value, reprs[at]));
        let new = Batch::new(columns.collect::<Result<_>>()?, rows.rows);
        let refusal = target.check(table, &new, Made::Inserted, run).await?;
        let new = refusal.as_ref().map_or(new.clone(), |refusal| new.slice(0, refusal.row + 1));
        let (stored, options) = (target.stored(&new)?, run.environment().settings.write.clone());
        let tids = {
            let mut transaction = run.transaction().await;
            let tids = table.heap().insert_batch(transaction.writer(), &stored).await?;
            table.index_rows(&mut transaction, &stored, &tids, None, &options).await?;
            tids
        };
        if let Some(refusal) = refusal {
            return Err(refusal.error.into());
        }
        let child = with_action(rows, "INSERT");
        let returned = Returned { rows: new.clone(), tids: &tids, old: None, new: Some(new), child, ended: false };
        let returned = target.return_rows(returned, run).await?;
        Ok(Done::Done(rows.rows as u64, returned.into_iter().collect()))
    }
}

async fn change_rows(
    change: &Change,
    target: &Target,
    table: &Arc<Table>,
    rows: &Batch,
    values: Vec<ArrayRef>,
    snapshot: &Snapshot,
    run: &Run,
) -> Result<Done> {
    let mut some = with_action(rows, if change.assigned.is_some() { "UPDATE" } else { "DELETE" });
    some.columns.extend(values);
    let mut changed = Changed::default();
    change.change(target, table, &some, snapshot, run, &mut changed).await?;
    if let Some(blocked) = changed.blocked.pop() {
        return Ok(Done::Blocked(blocked.tid, blocked.outcome));
    }
    if changed.rows < rows.rows as u64 {
        let hint = "Ensure that not more than one source row matches any one target row.";
        let error = types::Error::new(sqlstate::CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time");
        return Err(error.hint(hint).into());
    }
    Ok(Done::Done(changed.rows, changed.returned))
}
