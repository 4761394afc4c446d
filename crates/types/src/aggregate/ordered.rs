//! What ordered-set and hypothetical-set aggregates gather: the rows of each group.

use std::cmp::Ordering;
use std::ops::Range;

use arrow_array::ArrayRef;

use super::states::BytesColumn;
use super::{AggregateCall, GroupStates, Members, Rows, SortOrder};
use crate::array::{ArrayBuilder, ArrayView};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

/// Appends a group's result. The last argument is the row of the direct arguments that is the group's.
pub type Finish = fn(&SortedRows<'_>, direct: &[Argument], row: usize, out: &mut ColumnBuilder) -> Result<()>;

/// The rows of groups, a list of values for each column.
pub struct OrderedSet {
    columns: Vec<(Oid, Repr)>,
    order: Vec<SortOrder>,
    groups: Vec<Vec<ArrayBuilder>>,
    /// Rows with NULL count.
    nulls: bool,
    finish: Finish,
    memory: usize,
}

/// The rows of a group.
pub struct SortedRows<'a> {
    columns: Vec<ArrayView<'a>>,
    order: &'a [SortOrder],
}

impl OrderedSet {
    pub fn boxed(call: &AggregateCall<'_>, nulls: bool, finish: Finish) -> Result<Box<dyn GroupStates>> {
        let columns: Vec<_> = call.arguments.iter().copied().zip(call.reprs.iter().copied()).collect();
        let mut order = call.order.to_vec();
        order.resize(columns.len(), SortOrder::default());
        Ok(Box::new(OrderedSet { columns, order, groups: Vec::new(), nulls, finish, memory: 0 }))
    }

    fn grow(&mut self, groups: usize) {
        if groups > self.groups.len() {
            let new: Vec<_> = self.columns.iter().map(|&(ty, repr)| ArrayBuilder::new(ty, repr)).collect();
            self.groups.resize(groups, new);
        }
    }
}

/// Bytes that a group's rows take.
fn memory(group: &[ArrayBuilder]) -> usize {
    group.iter().map(ArrayBuilder::memory).sum()
}

fn lists(group: &[ArrayBuilder]) -> Result<Vec<Vec<u8>>> {
    group.iter().map(ArrayBuilder::finish_list).collect()
}

impl GroupStates for OrderedSet {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.grow(rows.groups);
        rows.each(|row, group| {
            let value = |argument: usize| {
                let argument = &rows.arguments[argument];
                Scalar::of(argument.array(), argument.index(row))
            };
            if !self.nulls && (0..rows.arguments.len()).any(|argument| value(argument).is_none()) {
                return Ok(());
            }
            let group = &mut self.groups[group];
            let before = memory(group);
            for (argument, list) in group.iter_mut().enumerate() {
                list.push(value(argument))?;
            }
            self.memory = self.memory + memory(group) - before;
            Ok(())
        })
    }

    fn results(&mut self, groups: Range<usize>, direct: &[Argument], out: &mut ColumnBuilder) -> Result<()> {
        let direct: Vec<Argument> = direct.iter().map(crate::decimal::argument_to_numeric).collect();
        for (row, group) in self.groups[groups].iter().enumerate() {
            let lists = lists(group)?;
            let columns = lists.iter().map(|list| ArrayView::new(list)).collect();
            (self.finish)(&SortedRows { columns, order: &self.order }, &direct, row, out)?;
        }
        Ok(())
    }

    fn state_reprs(&self) -> Vec<Repr> {
        vec![Repr::Array; self.columns.len()]
    }

    fn state(&self, groups: Range<usize>) -> Result<Vec<ArrayRef>> {
        let new = || ColumnBuilder::new(Repr::Array, groups.len());
        let mut parts: Vec<_> = self.columns.iter().map(|_| new()).collect();
        for group in &self.groups[groups.clone()] {
            for (part, list) in parts.iter_mut().zip(lists(group)?) {
                part.put_bytes(Some(&list));
            }
        }
        Ok(parts.into_iter().map(ColumnBuilder::finish).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], members: Members<'_>, groups: usize) -> Result<()> {
        self.grow(groups);
        for (number, state) in states.iter().enumerate() {
            let lists = BytesColumn::of(state);
            for row in 0..state.len() {
                let Some(bytes) = lists.get(row) else { continue };
                let group = &mut self.groups[members.group(row)];
                let (list, before) = (ArrayView::new(bytes), memory(group));
                group[number].extend(&list, 0..list.len())?;
                self.memory = self.memory + memory(group) - before;
            }
        }
        Ok(())
    }

    fn discard(&mut self, groups: usize) {
        let forgotten: usize = self.groups.drain(..groups).map(|group| memory(&group)).sum();
        self.memory -= forgotten;
    }

    fn groups(&self) -> usize {
        self.groups.len()
    }

    fn memory(&self) -> usize {
        let group = size_of::<Vec<ArrayBuilder>>() + self.columns.len() * size_of::<ArrayBuilder>();
        self.groups.capacity() * group + self.memory
    }
}

impl<'a> SortedRows<'a> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, ArrayView::len)
    }

    /// How values of the first column lie, and their type.
    pub fn repr(&self) -> Repr {
        self.columns[0].repr()
    }

    pub fn ty(&self) -> Oid {
        self.columns[0].element()
    }

    /// A value of the first column, by where it was given.
    pub fn value(&self, row: usize) -> Option<Scalar<'a>> {
        self.columns[0].get(row)
    }

    /// The rows in their order.
    pub fn sorted(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_by(|&a, &b| self.compare(a, b));
        rows
    }

    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        self.compare_with(a, |column| self.columns[column].get(b))
    }

    /// The order of a row and one that is not among them.
    pub fn compare_with<'b>(&self, row: usize, other: impl Fn(usize) -> Option<Scalar<'b>>) -> Ordering {
        let column = |(number, column): (usize, &ArrayView<'_>)| {
            self.order[number].compare(column.repr(), column.get(row), other(number))
        };
        self.columns.iter().enumerate().map(column).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}
