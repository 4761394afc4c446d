//! Calls whose rows have to be sorted or made distinct before they get them. Rows that come sorted need no more than a look at
//! the row before; others are gathered, where DISTINCT keeps of equal ones one, and sorted when all of a group are there. What
//! the memory does not hold goes to disk.
//!
//! Groups have no keys of their own here but their numbers, from the first group that ever was.

use std::sync::Arc;

use aio::Turn;
use arrow_array::UInt64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_ord::sort::SortOptions;
use types::aggregate::{GroupStates, Members, Rows as GivenRows};
use types::{Argument, Repr};

use super::call::{AggCall, Input};
use crate::batch::Batch;
use crate::error::Result;
use crate::keys::{FirstOfEqual, Groups, KeyColumn, sorted};
use crate::memory::Reservation;
use crate::memory::tuplestore::TupleStore;
use crate::nodes::sort::{IN_MEMORY, external};
use crate::run::estate::Run;
use crate::run::rows::{BoxRows, Ready};

/// What is done with a call's rows before it gets them.
pub enum Prepared {
    AsTheyCome,
    /// They come sorted, and are to be distinct.
    Distinct(FirstOfEqual),
    Gathered(Box<Gathered>),
}

impl Prepared {
    /// `one_group`: all rows are in the same one.
    pub fn new(call: &AggCall, one_group: bool, run: &Run) -> Result<Prepared> {
        Ok(match call.gathers() {
            true => Prepared::Gathered(Box::new(Gathered::new(call, one_group, run)?)),
            false if call.distinct => Prepared::Distinct(FirstOfEqual::new(distinct_keys(call, one_group))?),
            false => Prepared::AsTheyCome,
        })
    }
}

/// The groups that there are.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// So many were given and forgotten.
    pub forgotten: usize,
    pub groups: usize,
}

impl Numbers {
    /// A call's arguments, and behind them the numbers of the rows' groups, without rows that FILTER leaves out.
    pub fn rows(self, input: &Input, groups: &[usize]) -> Result<Batch> {
        let mut columns: Vec<_> = input.arguments.iter().map(|argument| argument.array().clone()).collect();
        let numbers = groups.iter().map(|&group| (self.forgotten + group) as u64);
        columns.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        let batch = Batch::new(columns, groups.len());
        match &input.filter {
            Some(filter) => batch.filter(filter),
            None => Ok(batch),
        }
    }

    /// How many of these rows, which come group by group, are not of the last group.
    pub fn before_last(self, rows: &Batch) -> usize {
        let last = (self.forgotten + self.groups - 1) as u64;
        numbers_of(rows).partition_point(|&number| number < last)
    }

    /// Gives such rows to the call's states.
    pub fn give(self, call: &AggCall, rows: &Batch, states: &mut dyn GroupStates) -> Result<()> {
        let members: Vec<usize> = numbers_of(rows).iter().map(|&number| number as usize - self.forgotten).collect();
        let arguments: Vec<Argument> =
            rows.columns[..call.shown()].iter().map(|column| Argument::column(column.clone())).collect();
        let (members, groups) = (Members::Of(&members), self.groups);
        Ok(states.update(&GivenRows { arguments: &arguments, rows: 0..rows.rows, members, filter: None, groups })?)
    }
}

fn numbers_of(rows: &Batch) -> &[u64] {
    rows.columns[rows.columns.len() - 1].as_primitive::<UInt64Type>().values()
}

fn by_group(call: &AggCall) -> KeyColumn {
    let options = SortOptions { descending: false, nulls_first: false };
    KeyColumn { column: call.reprs().len(), repr: Repr::Xid8, options }
}

/// Rows are the same if they are in the same group and have the same arguments.
fn distinct_keys(call: &AggCall, one_group: bool) -> Vec<KeyColumn> {
    let shown = call.sorted_by.iter().filter(|key| key.column < call.shown()).copied();
    let group = (!one_group).then(|| by_group(call));
    group.into_iter().chain(shown).collect()
}

/// The rows of a call that is not given them as they come.
pub struct Gathered {
    /// How they lie.
    reprs: Arc<[Repr]>,
    one_group: bool,
    /// DISTINCT: what there was, while that is of use.
    seen: Option<Seen>,
    /// None is there twice.
    distinct: bool,
    kept: Option<TupleStore>,
    rows: usize,
    bytes: usize,
}

impl Gathered {
    fn new(call: &AggCall, one_group: bool, run: &Run) -> Result<Gathered> {
        let reprs = call.reprs().iter().copied().chain([Repr::Xid8]).collect();
        let seen = match call.distinct {
            true => Some(Seen::new(distinct_keys(call, one_group), run)?),
            false => None,
        };
        Ok(Gathered { reprs, one_group, distinct: seen.is_some(), seen, kept: None, rows: 0, bytes: 0 })
    }

    pub async fn take(&mut self, mut batch: Batch, run: &Run) -> Result<()> {
        if let Some(seen) = &mut self.seen {
            batch = seen.new_rows(batch)?;
            if seen.is_full(run).await {
                self.distinct = false;
                // Where most rows are new ones, asking costs more than it spares.
                self.seen = match seen.values.count > seen.rows / 2 {
                    true => None,
                    false => Some(Seen::new(std::mem::take(&mut seen.keys), run)?),
                };
            }
        }
        if batch.rows > 0 {
            (self.rows, self.bytes) = (self.rows + batch.rows, self.bytes + batch.memory());
            let kept = self.kept.get_or_insert_with(|| TupleStore::new(&self.reprs, run, "Agg"));
            kept.push(batch, run).await?;
        }
        Ok(())
    }

    /// More rows come only of other groups, if at all: what was seen is of no use.
    pub fn forget_seen(&mut self) {
        self.seen = None;
    }

    /// Gives the rows to the call, group by group and in their order: their groups are whole.
    pub async fn finish(
        &mut self,
        call: &AggCall,
        states: &mut dyn GroupStates,
        numbers: Numbers,
        run: &Run,
    ) -> Result<()> {
        let mut memory = run.reserve("Agg");
        let Some(mut rows) = self.in_order(call, &mut memory, run).await? else {
            return numbers.give(call, &Batch::empty(&self.reprs), states);
        };
        let mut first = match call.distinct && !self.distinct {
            true => Some(FirstOfEqual::new(distinct_keys(call, self.one_group))?),
            false => None,
        };
        let mut turn = Turn::new(run.environment().database.engine());
        let mut results = run.reserve_value("Agg");
        while let Some(batch) = rows.next().await? {
            let batch = match &mut first {
                Some(first) => first.of(batch)?,
                None => batch,
            };
            numbers.give(call, &batch, states)?;
            results.resize(2 * states.memory())?;
            turn.pass().await;
        }
        *self = Gathered::new(call, self.one_group, run)?;
        Ok(())
    }

    /// What there is, sorted if need be. `None`: nothing.
    async fn in_order(&mut self, call: &AggCall, memory: &mut Reservation, run: &Run) -> Result<Option<BoxRows>> {
        let Some(kept) = self.kept.take() else { return Ok(None) };
        let mut rows = kept.into_rows();
        if call.any_order && self.distinct {
            return Ok(Some(rows));
        }
        let group = (!self.one_group).then(|| by_group(call));
        let keys: Vec<KeyColumn> = group.into_iter().chain(call.sorted_by.iter().copied()).collect();
        // The rows and their copy in order.
        if self.bytes > run.estate.part_of_memory(4, IN_MEMORY) || memory.secure(2 * self.bytes, run).await.is_err() {
            memory.free();
            return Ok(Some(external(&self.reprs, &keys, rows, (self.rows, self.bytes), run).await?));
        }
        let mut batches = Vec::new();
        while let Some(batch) = rows.next().await? {
            batches.push(batch);
        }
        let all = Batch::concat(&batches, &self.reprs)?;
        Ok(Some(Ready::boxed(vec![all.take(&sorted(&all, &keys, None)?)?])))
    }
}

/// The arguments that there were.
struct Seen {
    keys: Vec<KeyColumn>,
    values: Groups,
    memory: Reservation,
    of_rows: Vec<usize>,
    /// How many rows were shown to it.
    rows: usize,
}

impl Seen {
    fn new(keys: Vec<KeyColumn>, run: &Run) -> Result<Seen> {
        let values = Groups::new(&keys)?;
        Ok(Seen { keys, values, memory: run.reserve("Agg"), of_rows: Vec::new(), rows: 0 })
    }

    /// The rows of a batch that are not among those before.
    fn new_rows(&mut self, batch: Batch) -> Result<Batch> {
        let before = self.values.count;
        self.values.of(&batch, &mut self.of_rows)?;
        self.rows += batch.rows;
        if self.values.count - before == batch.rows {
            return Ok(batch);
        }
        batch.take(&self.values.beginning(&self.of_rows, before))
    }

    async fn is_full(&mut self, run: &Run) -> bool {
        let bytes = self.values.memory();
        bytes > run.estate.memory_limit() / 8 || self.memory.secure(bytes, run).await.is_err()
    }
}
