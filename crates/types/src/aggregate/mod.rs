//! Aggregate functions (`pg_aggregate`).
//!
//! An [`Aggregate`] is declared as a function is: by its name and argument types in `pg_proc`. For a call of it
//! ([`AggregateCall`]) there is an object, [`GroupStates`], that has a state for each group and is given rows of many groups
//! at a time. The same object serves a window's frames: it may be able to take rows back, and gives results as often as it is
//! asked.
//!
//! The executor does the rest: DISTINCT and ORDER BY inside the call (rows come in the order in which they are to be
//! taken; ordered-set and hypothetical-set aggregates sort themselves), NULL for a group that the plan has made and no row is
//! in (an object gives the result of no rows for it).
//!
//! * [`states`]: what most aggregates are made of: one struct for a group's state.
//! * The other modules: the aggregates by what they gather.
//!
//! # Invariants
//! * Arguments lie as [`AggregateCall::reprs`] says: a `numeric` column as decimals or as bytes. Results are in the
//!   representation of the result's type without type modifier.
//! * States leave as columns ([`GroupStates::state`]) and come back from them, in another process of the same version too.
//! * No allocation for each row but for what is gathered.

mod array;
mod bits;
mod checked;
mod count;
mod extreme;
pub mod fold;
mod hypothetical;
mod json;
mod jsonb;
mod ordered;
mod percentile;
mod regression;
pub mod states;
mod string;
mod sum;
mod variance;

pub(crate) use percentile::six_digits;

use std::cmp::Ordering;
use std::ops::Range;

use arrow_array::{Array, ArrayRef, BooleanArray};

use crate::column::Argument;
use crate::compare;
use crate::context::Context;
use crate::datum::ColumnBuilder;
use crate::decimal;
use crate::error::Result;
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

/// Every aggregate that is declared in this room.
pub const BUILT_IN_AGGREGATES: &[&[Aggregate]] = &[
    count::AGGREGATES,
    sum::AGGREGATES,
    extreme::AGGREGATES,
    bits::AGGREGATES,
    variance::AGGREGATES,
    regression::AGGREGATES,
    string::AGGREGATES,
    array::AGGREGATES,
    percentile::AGGREGATES,
    hypothetical::AGGREGATES,
    json::AGGREGATES,
    jsonb::AGGREGATES,
];

/// An aggregate that is here.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    /// As in `pg_proc`. Those of an ordered-set aggregate are its direct arguments and then what it sorts.
    pub name: &'static str,
    pub arguments: &'static [Oid],
    pub result: Oid,
    /// It takes decimals as they are ([`Repr::Decimal`]); others get the bytes.
    pub decimals: bool,
    pub start: Start,
}

/// Makes the object for a call, without groups.
pub type Start = fn(&AggregateCall<'_>) -> Result<Box<dyn GroupStates>>;

/// A call of an aggregate in a query.
#[derive(Clone, Copy)]
pub struct AggregateCall<'a> {
    pub context: &'a Context,
    /// The types of what is aggregated (for an ordered-set aggregate: sorted), without direct arguments.
    pub arguments: &'a [Oid],
    /// How their columns lie.
    pub reprs: &'a [Repr],
    pub result: Oid,
    /// How an ordered-set aggregate sorts each of them.
    pub order: &'a [SortOrder],
}

/// How values are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortOrder {
    pub descending: bool,
    pub nulls_first: bool,
}

impl SortOrder {
    pub fn compare(self, repr: Repr, a: Option<Scalar<'_>>, b: Option<Scalar<'_>>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.descending => compare::scalars(repr, b, a),
            (Some(a), Some(b)) => compare::scalars(repr, a, b),
            (a, b) if self.nulls_first => a.is_some().cmp(&b.is_some()),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

/// Rows for an aggregate.
#[derive(Clone)]
pub struct Rows<'a> {
    /// A column for each argument; `count(*)` has none.
    pub arguments: &'a [Argument],
    /// Which rows of the columns.
    pub rows: Range<usize>,
    pub members: Members<'a>,
    /// FILTER: only where this is true.
    pub filter: Option<&'a BooleanArray>,
    /// How many groups there are now: those of these rows and of earlier ones.
    pub groups: usize,
}

/// Which group rows belong to.
#[derive(Clone, Copy)]
pub enum Members<'a> {
    /// The first.
    OneGroup,
    /// For each row of the columns.
    Of(&'a [usize]),
}

/// The states of an aggregate's groups.
pub trait GroupStates: Send + Sync {
    /// Takes rows, in their order.
    fn update(&mut self, rows: &Rows<'_>) -> Result<()>;

    /// Takes back rows that were the first ones given to their groups and not yet taken back. `false`: that cannot be done,
    /// and the states are of no use any more; begin anew, with [`GroupStates::discard`].
    fn retract(&mut self, rows: &Rows<'_>) -> Result<bool> {
        let _ = rows;
        Ok(false)
    }

    /// Whether [`GroupStates::retract`] may be able to.
    fn retracts(&self) -> bool {
        false
    }

    /// Appends the results of some groups. `direct` are the direct arguments, a row for each of these groups.
    fn results(&mut self, groups: Range<usize>, direct: &[Argument], out: &mut ColumnBuilder) -> Result<()>;

    /// The columns of a state.
    fn state_reprs(&self) -> Vec<Repr>;

    /// The states of some groups, a row for each.
    fn state(&self, groups: Range<usize>) -> Result<Vec<ArrayRef>>;

    /// Takes states of this or another object for the same call: row `i` into the group that `members` says.
    fn merge(&mut self, states: &[ArrayRef], members: Members<'_>, groups: usize) -> Result<()>;

    /// Forgets the first groups; those behind move up.
    fn discard(&mut self, groups: usize);

    fn groups(&self) -> usize;

    /// Bytes held, about.
    fn memory(&self) -> usize;
}

impl Aggregate {
    /// The object for a call, without groups.
    pub fn start(&self, call: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
        let is_decimal = |repr: &Repr| matches!(repr, Repr::Decimal { .. });
        let checked = |states, reprs: &[Repr]| match cfg!(debug_assertions) {
            true => checked::Checked::boxed(states, reprs),
            false => states,
        };
        if self.decimals || !call.reprs.iter().any(is_decimal) {
            return Ok(checked((self.start)(call)?, call.reprs));
        }
        let as_bytes = |&repr: &Repr| if is_decimal(&repr) { Repr::Numeric } else { repr };
        let reprs: Vec<Repr> = call.reprs.iter().map(as_bytes).collect();
        let states = (self.start)(&AggregateCall { reprs: &reprs, ..*call })?;
        Ok(checked(Box::new(WithoutDecimals(states)), call.reprs))
    }
}

/// An aggregate that does not know decimals.
struct WithoutDecimals(Box<dyn GroupStates>);

impl WithoutDecimals {
    fn convert(arguments: &[Argument]) -> Vec<Argument> {
        arguments.iter().map(decimal::argument_to_numeric).collect()
    }
}

impl GroupStates for WithoutDecimals {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.0.update(&Rows { arguments: &Self::convert(rows.arguments), ..rows.clone() })
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<bool> {
        self.0.retract(&Rows { arguments: &Self::convert(rows.arguments), ..rows.clone() })
    }

    fn retracts(&self) -> bool {
        self.0.retracts()
    }

    fn results(&mut self, groups: Range<usize>, direct: &[Argument], out: &mut ColumnBuilder) -> Result<()> {
        self.0.results(groups, direct, out)
    }

    fn state_reprs(&self) -> Vec<Repr> {
        self.0.state_reprs()
    }

    fn state(&self, groups: Range<usize>) -> Result<Vec<ArrayRef>> {
        self.0.state(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], members: Members<'_>, groups: usize) -> Result<()> {
        self.0.merge(states, members, groups)
    }

    fn discard(&mut self, groups: usize) {
        self.0.discard(groups);
    }

    fn groups(&self) -> usize {
        self.0.groups()
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }
}

impl Rows<'_> {
    /// Calls `take` with each row that the filter lets through and its group.
    #[inline]
    pub fn each(&self, mut take: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        for row in self.rows.clone() {
            if self.passes(row) {
                take(row, self.members.group(row))?;
            }
        }
        Ok(())
    }

    #[inline]
    pub fn passes(&self, row: usize) -> bool {
        self.filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
    }
}

impl Members<'_> {
    #[inline]
    pub fn group(&self, row: usize) -> usize {
        match self {
            Members::OneGroup => 0,
            Members::Of(groups) => groups[row],
        }
    }
}
