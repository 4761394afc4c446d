//! The groups of a grouping set and the states of the aggregates in each.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, new_null_array};
use types::aggregate::{GroupStates, Members, Rows};
use types::{Argument, ColumnBuilder, Repr};

use super::AggNode;
use super::call::Input;
use super::gather::{Numbers, Prepared};
use crate::batch::Batch;
use crate::error::Result;
use crate::expr::evaluate::evaluate;
use crate::keys::{Groups, KeyColumn};
use crate::run::estate::Run;

pub struct GroupSet {
    /// The set's keys, among the node's.
    keys: Vec<usize>,
    groups: Groups,
    /// The columns of the groups' first rows.
    firsts: Vec<Batch>,
    states: Vec<Box<dyn GroupStates>>,
    prepared: Vec<Prepared>,
    /// How many groups were there before these.
    forgotten: usize,
    /// The group of each row of the current batch.
    of_rows: Vec<usize>,
    held: usize,
}

impl GroupSet {
    pub fn new(node: &AggNode, keys: &[usize], run: &Run) -> Result<GroupSet> {
        let columns: Vec<KeyColumn> = keys.iter().map(|&key| node.keys[key]).collect();
        let states = node.calls.iter().map(|call| call.states(run)).collect::<Result<Vec<_>>>()?;
        Ok(GroupSet {
            keys: keys.to_vec(),
            groups: Groups::new(&columns)?,
            firsts: Vec::new(),
            prepared: node.calls.iter().map(|call| Prepared::new(call, keys.is_empty(), run)).collect::<Result<_>>()?,
            forgotten: 0,
            states,
            of_rows: Vec::new(),
            held: 0,
        })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups.count
    }

    /// What it takes in the end: states are there beside their results. Rows that are gathered count for themselves.
    pub fn memory(&self) -> usize {
        let states: usize = self.states.iter().map(|states| states.memory()).sum();
        self.held + 2 * states + self.groups.memory()
    }

    pub async fn update(&mut self, node: &AggNode, batch: &Batch, inputs: &[Input], run: &Run) -> Result<()> {
        let before = self.groups.count;
        self.groups.of(batch, &mut self.of_rows)?;
        if self.groups.count > before {
            let columns = node.columns.iter().map(|&column| batch.columns[column].clone()).collect();
            let first = Batch::new(columns, batch.rows).take(&self.groups.beginning(&self.of_rows, before))?;
            self.held += first.memory();
            self.firsts.push(first);
        }
        let members = if self.keys.is_empty() { Members::OneGroup } else { Members::Of(&self.of_rows) };
        let numbers = Numbers { forgotten: self.forgotten, groups: self.groups.count };
        // All groups but the last are whole.
        let whole = node.sorted && numbers.groups > before.max(1);
        for (at, (states, input)) in self.states.iter_mut().zip(inputs).enumerate() {
            let call = &node.calls[at];
            match &mut self.prepared[at] {
                Prepared::AsTheyCome => {
                    let (arguments, filter) = (&input.arguments[..call.shown()], input.filter.as_ref());
                    states.update(&Rows { arguments, rows: 0..batch.rows, members, filter, groups: numbers.groups })?;
                }
                Prepared::Distinct(first) => {
                    let rows = first.of(numbers.rows(input, &self.of_rows)?)?;
                    numbers.give(call, &rows, &mut **states)?;
                }
                Prepared::Gathered(gathered) => {
                    let mut rows = numbers.rows(input, &self.of_rows)?;
                    if whole {
                        let last = numbers.before_last(&rows);
                        gathered.take(rows.slice(0, last), run).await?;
                        gathered.finish(call, &mut **states, numbers, run).await?;
                        rows = rows.slice(last, rows.rows - last);
                    }
                    gathered.take(rows, run).await?;
                }
            }
        }
        Ok(())
    }

    /// Takes the groups that another task has made of other rows.
    pub fn absorb(&mut self, node: &AggNode, mut other: GroupSet) -> Result<()> {
        let count = other.groups();
        if count == 0 {
            return Ok(());
        }
        let firsts = other.first_rows(node)?;
        self.find_groups(node, &firsts)?;
        let members = if self.keys.is_empty() { Members::OneGroup } else { Members::Of(&self.of_rows) };
        for (own, theirs) in self.states.iter_mut().zip(&other.states) {
            own.merge(&theirs.state(0..count)?, members, self.groups.count)?;
        }
        Ok(())
    }

    /// The groups as rows: their columns, then their states.
    pub fn partials(&mut self, node: &AggNode) -> Result<Batch> {
        let mut batch = self.first_rows(node)?;
        for states in &self.states {
            batch.columns.extend(states.state(0..self.groups.count)?);
        }
        Ok(batch)
    }

    /// How the columns of [`GroupSet::partials`] lie.
    pub fn partial_reprs(&self, node: &AggNode) -> Vec<Repr> {
        let firsts = node.columns.iter().map(|&column| node.child.reprs[column]);
        firsts.chain(self.states.iter().flat_map(|states| states.state_reprs())).collect()
    }

    /// Takes groups as rows.
    pub fn absorb_partials(&mut self, node: &AggNode, partials: &Batch) -> Result<()> {
        let (firsts, mut states) = partials.columns.split_at(node.columns.len());
        self.find_groups(node, &Batch::new(firsts.to_vec(), partials.rows))?;
        for own in &mut self.states {
            let columns;
            (columns, states) = states.split_at(own.state_reprs().len());
            own.merge(columns, Members::Of(&self.of_rows), self.groups.count)?;
        }
        Ok(())
    }

    /// Which of its groups those of another set are, by their first rows; those that it has not become new ones.
    fn find_groups(&mut self, node: &AggNode, firsts: &Batch) -> Result<()> {
        let before = self.groups.count;
        self.groups.of_other(firsts, &self.keys_of_groups(node), &mut self.of_rows)?;
        if self.groups.count > before {
            let first = firsts.take(&self.groups.beginning(&self.of_rows, before))?;
            self.held += first.memory();
            self.firsts.push(first);
        }
        Ok(())
    }

    /// The keys among the columns of groups.
    pub fn keys_of_groups(&self, node: &AggNode) -> Vec<KeyColumn> {
        let keys = self.keys.iter().map(|&key| {
            let key = node.keys[key];
            let column = node.columns.iter().position(|&own| own == key.column).expect("keys are kept");
            KeyColumn { column, ..key }
        });
        keys.collect()
    }

    /// All rows have come. Without keys there is a group even if there were none.
    pub async fn finish(&mut self, node: &AggNode, run: &Run) -> Result<()> {
        if self.keys.is_empty() && self.groups.count == 0 {
            self.groups.count = 1;
            let column = |&column: &usize| new_null_array(&node.child.reprs[column].arrow(), 1);
            self.firsts = vec![Batch::new(node.columns.iter().map(column).collect(), 1)];
            for (call, states) in node.calls.iter().zip(&mut self.states) {
                let arguments = call.no_arguments();
                let members = Members::OneGroup;
                states.update(&Rows { arguments: &arguments, rows: 0..0, members, filter: None, groups: 1 })?;
            }
        }
        let numbers = Numbers { forgotten: self.forgotten, groups: self.groups.count };
        // Sorting needs the memory.
        for prepared in &mut self.prepared {
            if let Prepared::Gathered(gathered) = prepared {
                gathered.forget_seen();
            }
        }
        for (at, prepared) in self.prepared.iter_mut().enumerate() {
            if let Prepared::Gathered(gathered) = prepared {
                gathered.finish(&node.calls[at], &mut *self.states[at], numbers, run).await?;
            }
        }
        Ok(())
    }

    /// The columns of some groups, what aggregates made of each, and which keys it is grouped by.
    pub async fn rows(&mut self, node: &AggNode, groups: Range<usize>, run: &Run) -> Result<Batch> {
        let count = groups.len();
        let mut batch = self.first_rows(node)?.slice(groups.start, count);
        for (key, column) in node.keys.iter().enumerate() {
            let of_another = self.keys.iter().any(|&own| node.keys[own].column == column.column);
            if !self.keys.contains(&key) && !of_another {
                let place = node.columns.iter().position(|&own| own == column.column).expect("keys are kept");
                let empty = new_null_array(batch.columns[place].data_type(), count);
                batch.columns[place] = empty;
            }
        }
        let mut results: Vec<ArrayRef> = Vec::with_capacity(node.calls.len() + node.grouping.len());
        for (call, states) in node.calls.iter().zip(&mut self.states) {
            let mut direct = Vec::with_capacity(call.direct.len());
            for state in &call.direct {
                direct.push(Argument::column(evaluate(state, &batch, run).await?));
            }
            let mut out = ColumnBuilder::new(call.result, count);
            states.results(groups.clone(), &direct, &mut out)?;
            results.push(out.finish());
        }
        for call in &node.grouping {
            let bits = call
                .iter()
                .fold(0, |bits, key| bits << 1 | i32::from(key.is_some_and(|key| !self.keys.contains(&key))));
            results.push(Arc::new(Int32Array::from_value(bits, count)));
        }
        batch.columns.extend(results);
        Ok(batch)
    }

    fn first_rows(&mut self, node: &AggNode) -> Result<Batch> {
        if self.firsts.len() > 1 {
            let reprs: Vec<_> = node.columns.iter().map(|&column| node.child.reprs[column]).collect();
            let all = Batch::concat(&self.firsts, &reprs)?;
            self.held = all.memory();
            self.firsts = vec![all];
        }
        Ok(self.firsts[0].clone())
    }

    /// Forgets the first groups, but for one all of them: the last one may get more rows.
    pub fn forget(&mut self, node: &AggNode, groups: usize) -> Result<()> {
        let last = self.first_rows(node)?.slice(groups, 1);
        let keys = self.keys_of_groups(node);
        self.groups.begin_with(&last, &keys)?;
        self.states.iter_mut().for_each(|states| states.discard(groups));
        self.forgotten += groups;
        self.held = last.memory();
        self.firsts = vec![last];
        Ok(())
    }
}
