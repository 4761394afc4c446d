//! In debug builds: columns that go into an aggregate's states and come from them lie as was said.

use std::ops::Range;

use arrow_array::{Array, ArrayRef};

use super::{GroupStates, Members, Rows};
use crate::{Argument, ColumnBuilder, Repr, Result};

/// States that look at what they get and give.
pub(super) struct Checked {
    states: Box<dyn GroupStates>,
    arguments: Vec<Repr>,
}

impl Checked {
    pub(super) fn boxed(states: Box<dyn GroupStates>, arguments: &[Repr]) -> Box<dyn GroupStates> {
        Box::new(Checked { states, arguments: arguments.to_vec() })
    }

    fn check(&self, rows: &Rows<'_>) {
        // `count(*)` has none, though it may be told of one.
        for (argument, repr) in rows.arguments.iter().zip(&self.arguments) {
            let found = argument.array().data_type();
            assert_eq!(*found, repr.arrow(), "an argument lies otherwise than was said");
            assert!(argument.is_constant() || argument.array().len() >= rows.rows.end, "an argument has too few rows");
        }
        if let Members::Of(groups) = rows.members {
            let known =
                groups.get(rows.rows.clone()).is_some_and(|groups| groups.iter().all(|group| *group < rows.groups));
            assert!(known, "a row belongs to no group");
        }
    }
}

impl GroupStates for Checked {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.check(rows);
        self.states.update(rows)
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<bool> {
        self.check(rows);
        self.states.retract(rows)
    }

    fn retracts(&self) -> bool {
        self.states.retracts()
    }

    fn results(&mut self, groups: Range<usize>, direct: &[Argument], out: &mut ColumnBuilder) -> Result<()> {
        assert!(groups.end <= self.states.groups(), "results of groups that are not there");
        self.states.results(groups, direct, out)
    }

    fn state_reprs(&self) -> Vec<Repr> {
        self.states.state_reprs()
    }

    fn state(&self, groups: Range<usize>) -> Result<Vec<ArrayRef>> {
        let states = self.states.state(groups.clone())?;
        let reprs = self.states.state_reprs();
        let same = states.iter().zip(&reprs).all(|(state, repr)| *state.data_type() == repr.arrow());
        let rows = states.iter().all(|state| state.len() == groups.len());
        assert!(same && rows && states.len() == reprs.len(), "states lie otherwise than was said");
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], members: Members<'_>, groups: usize) -> Result<()> {
        self.states.merge(states, members, groups)
    }

    fn discard(&mut self, groups: usize) {
        let before = self.states.groups();
        assert!(groups <= before, "more groups are forgotten than there are");
        self.states.discard(groups);
        assert_eq!(self.states.groups(), before - groups, "groups that are forgotten");
    }

    fn groups(&self) -> usize {
        self.states.groups()
    }

    fn memory(&self) -> usize {
        self.states.memory()
    }
}
