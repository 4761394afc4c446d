//! Subqueries in expressions (`nodeSubplan.c`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use analyze::query::SubLinkKind;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, UInt32Array};
use arrow_schema::DataType;
use arrow_select::take::take;
use error::sqlstate;
use foldhash::fast::RandomState;
use futures::future::join_all;
use smallvec::SmallVec;
use types::array::{ArrayBuilder, ArrayView, construct};
use types::{Argument, ColumnBuilder, Datum, Error, Repr, Result};

use super::hashed::{Compared, HashedRows, key_of, keys};
use super::memo::{Memo, ROOM};
use super::{Batch, Gathered, Lasting, LookedUp, Rows, Runner, SubPlanNode};
use crate::evaluate::junction::constant;
use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::Node;
use crate::state::to_column;

/// So many rows' results are found at once by subqueries that look rows up.
const AT_ONCE: usize = 16;
/// The same where they look up for all of these rows together.
const TOGETHER: usize = 256;

impl SubPlanNode {
    /// Its result for each row; `children` are the node's.
    pub async fn evaluate(
        &self,
        children: &[Node],
        repr: Repr,
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Argument> {
        let (parameters, from_row) = children.split_at(self.plan.arguments.len());
        let mut arguments = Vec::with_capacity(parameters.len());
        for child in parameters {
            arguments.push(child.evaluate_async(frame, runner).await?);
        }
        if let Some(reprs) = &self.hashed {
            return self.look_up(reprs, from_row, frame, runner).await;
        }
        let lasting = runner.lasting(&self.plan);
        let (is_volatile, memo) = (lasting == Lasting::Never, frame.execution.memo(lasting));
        let kept = match !is_volatile && !from_row.is_empty() && arguments.is_empty() {
            true => self.kept_rows(memo, frame, runner).await?,
            false => None,
        };
        let constant = !is_volatile && from_row.is_empty() && arguments.iter().all(Argument::is_constant);
        let rows = if constant { 1 } else { frame.rows };
        let mut out = ColumnBuilder::new(repr, rows);
        // What the test takes from the row is not in the key of what is kept.
        if is_volatile || !from_row.is_empty() {
            for row in 0..rows {
                let source = match &kept {
                    Some(batches) => Source::Kept(batches.iter()),
                    None => self.source(&values_of(&arguments, row), frame, runner).await?,
                };
                out.push(&self.run(source, from_row, repr, (frame, row), runner).await?);
            }
        } else {
            let at_once = match runner.looks_up_together(&self.plan) {
                true => TOGETHER,
                false if runner.looks_up(&self.plan) => AT_ONCE,
                false => 1,
            };
            for first in (0..rows).step_by(at_once) {
                let some = first..rows.min(first + at_once);
                self.results(&arguments, some, repr, memo, frame, runner).await?.iter().for_each(|r| out.push(r));
            }
        }
        Ok(if constant { Argument::constant(out.finish()) } else { Argument::column(out.finish()) })
    }

    /// The results for some rows, from which it takes parameters alone. What is not known is found at once.
    async fn results(
        &self,
        arguments: &[Argument],
        rows: Range<usize>,
        repr: Repr,
        memo: &Memo,
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Vec<Datum>> {
        let values: Vec<Vec<ArrayRef>> = rows.clone().map(|row| values_of(arguments, row)).collect();
        let key = |values: &Vec<ArrayRef>| (self.plan.plan, values.iter().map(|value| Datum::of(value, 0)).collect());
        let keys: Vec<(usize, Box<[Datum]>)> = values.iter().map(key).collect();
        let mut firsts: HashMap<&(usize, Box<[Datum]>), usize, RandomState> = HashMap::default();
        let first_with_key: Vec<usize> =
            keys.iter().enumerate().map(|(at, key)| *firsts.entry(key).or_insert(at)).collect();
        let mut results: Vec<Option<Datum>> = keys.iter().map(|key| memo.result(key)).collect();
        let mut missing: Vec<usize> =
            (0..keys.len()).filter(|&at| results[at].is_none() && first_with_key[at] == at).collect();
        if missing.len() > 1 && runner.looks_up_together(&self.plan) {
            let of = missing.iter().map(|at| (rows.start + at) as u32).collect();
            if let Some(found) = self.together(arguments, of, repr, frame, runner).await? {
                for (at, result) in std::mem::take(&mut missing).into_iter().zip(found) {
                    memo.keep(keys[at].clone(), result.clone());
                    results[at] = Some(result);
                }
            }
        }
        let find = |&at: &usize| {
            let (values, row) = (&values[at], rows.start + at);
            async move { self.run(self.source(values, frame, runner).await?, &[], repr, (frame, row), runner).await }
        };
        let at_once = if runner.looks_up(&self.plan) { AT_ONCE } else { 1 };
        for some in missing.chunks(at_once) {
            // In the order of the rows, as their errors are to be.
            for (at, found) in some.iter().zip(join_all(some.iter().map(find)).await) {
                let found = found?;
                memo.keep(keys[*at].clone(), found.clone());
                results[*at] = Some(found);
            }
        }
        let result = |at: usize| results[first_with_key[at]].clone().unwrap_or(Datum::Null);
        Ok((0..keys.len()).map(result).collect())
    }

    /// The results for these rows, looked up together; `None`: they have to be found row by row, for one of them fails.
    async fn together(
        &self,
        arguments: &[Argument],
        of: Vec<u32>,
        repr: Repr,
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Option<Vec<Datum>>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let places = of.iter().map(|&row| argument.index(row as usize) as u32);
            let places = UInt32Array::from_iter_values(places);
            values.push(take(argument.array(), &places, None).expect("rows that there are"));
        }
        let Some(found) = runner.look_up(&self.plan, frame.execution, values, of.len()).await? else { return Ok(None) };
        let exists = self.plan.kind == SubLinkKind::Exists;
        let none = if exists { Datum::Bool(false) } else { Datum::Null };
        let mut results: Vec<Option<Datum>> = vec![None; of.len()];
        for LookedUp { batch, owners } in found {
            debug_assert_eq!(batch.rows, owners.len(), "each row was found for one");
            let column = if exists { None } else { Some(in_repr(&batch.columns[0], repr)?) };
            for (row, owner) in owners.into_iter().enumerate() {
                let result = &mut results[owner as usize];
                match &column {
                    None => *result = Some(Datum::Bool(true)),
                    Some(_) if result.is_some() => return Ok(None),
                    Some(column) => *result = Some(Datum::of(column, row)),
                }
            }
        }
        Ok(Some(results.into_iter().map(|result| result.unwrap_or_else(|| none.clone())).collect()))
    }

    /// The rows for these values of the parameters.
    async fn source<'a>(
        &'a self,
        values: &[ArrayRef],
        frame: &Frame<'_>,
        runner: &'a dyn Runner,
    ) -> Result<Source<'a>> {
        let parameters = self.plan.parameters.iter().copied().zip(values.iter().cloned());
        Ok(Source::Running(runner.run(&self.plan, frame.execution.with(parameters)).await?))
    }

    /// All rows of a subquery that takes nothing from a row, unless they are too many to keep.
    async fn kept_rows(&self, memo: &Memo, frame: &Frame<'_>, runner: &dyn Runner) -> Result<Option<Arc<[Batch]>>> {
        match memo.rows(self.plan.plan) {
            Some(known) => return Ok(known),
            // Once through is no reason to keep them.
            None if frame.rows == 1 => return Ok(None),
            None => {}
        }
        let mut source = self.source(&[], frame, runner).await?;
        let (mut batches, mut bytes) = (Vec::new(), 0);
        while let Some(batch) = source.next().await? {
            bytes += batch.columns.iter().map(|column| column.get_array_memory_size()).sum::<usize>();
            batches.push(batch);
            if bytes > ROOM {
                memo.keep_rows(self.plan.plan, None);
                return Ok(None);
            }
        }
        let batches: Arc<[Batch]> = batches.into();
        memo.keep_rows(self.plan.plan, Some(batches.clone()));
        Ok(Some(batches))
    }

    /// The result for one row.
    async fn run(
        &self,
        mut rows: Source<'_>,
        from_row: &[Node],
        repr: Repr,
        (frame, row): (&Frame<'_>, usize),
        runner: &dyn Runner,
    ) -> Result<Datum> {
        if let Some(array) = &self.array {
            return gather(array, rows).await;
        }
        let mut tested: Option<Vec<Argument>> = None;
        // Of ANY, ALL: a NULL was seen. Of a single row: what it is.
        let (mut unknown, mut single) = (false, None);
        while let Some(batch) = rows.next().await? {
            if batch.rows == 0 {
                continue;
            }
            match self.plan.kind {
                SubLinkKind::Exists => return Ok(Datum::Bool(true)),
                SubLinkKind::Any | SubLinkKind::All => {
                    let any = self.plan.kind == SubLinkKind::Any;
                    if tested.is_none() {
                        tested = Some(self.of_row(from_row, frame, row, runner).await?);
                    }
                    let result = self.test(&batch, tested.as_deref().unwrap_or_default(), frame, runner).await?;
                    let (trues, nulls) = (Mask::trues(&result, batch.rows), Mask::nulls(&result, batch.rows));
                    let decides = if any { !trues.is_empty() } else { !trues.or(&nulls).is_full() };
                    if decides {
                        return Ok(Datum::Bool(any));
                    }
                    unknown |= !nulls.is_empty();
                }
                SubLinkKind::Scalar | SubLinkKind::RowCompare => {
                    if single.is_some() || batch.rows > 1 {
                        let message = "more than one row returned by a subquery used as an expression";
                        return Err(Error::new(sqlstate::CARDINALITY_VIOLATION, message));
                    }
                    single = Some(batch);
                }
                SubLinkKind::Array | SubLinkKind::MultiExpr | SubLinkKind::Cte => {
                    unreachable!("they have no single result")
                }
            }
        }
        Ok(match (&self.plan.kind, single) {
            (SubLinkKind::Exists, _) => Datum::Bool(false),
            (SubLinkKind::Any, _) if !unknown => Datum::Bool(false),
            (SubLinkKind::All, _) if !unknown => Datum::Bool(true),
            (SubLinkKind::Scalar, Some(batch)) => {
                let value = &batch.columns[0];
                Datum::of(&in_repr(value, repr)?, 0)
            }
            (SubLinkKind::RowCompare, Some(batch)) => {
                let tested = self.of_row(from_row, frame, row, runner).await?;
                let result = self.test(&batch, &tested, frame, runner).await?;
                Datum::of(result.array(), 0)
            }
            _ => Datum::Null,
        })
    }

    /// What the test takes from a row.
    async fn of_row(
        &self,
        from_row: &[Node],
        frame: &Frame<'_>,
        row: usize,
        runner: &dyn Runner,
    ) -> Result<Vec<Argument>> {
        let mut one = Mask::none(frame.rows);
        one.insert(row);
        let frame = frame.narrow(&one);
        let mut values = Vec::with_capacity(from_row.len());
        for node in from_row {
            let value = node.evaluate_async(&frame, runner).await?;
            values.push(Argument::constant(value.array().slice(0, 1)));
        }
        Ok(values)
    }

    /// The test for rows of the subquery.
    async fn test(
        &self,
        batch: &Batch,
        from_row: &[Argument],
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Argument> {
        let test =
            self.test.as_ref().ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a subquery without a test"))?;
        let mut locals: SmallVec<[Argument; 2]> = SmallVec::new();
        for (column, repr) in batch.columns.iter().zip(&self.columns) {
            locals.push(Argument::column(match repr {
                Some(repr) => in_repr(column, *repr)?,
                None => column.clone(),
            }));
        }
        locals.extend(from_row.iter().cloned());
        let frame = Frame::of_locals(locals, batch.rows, frame.execution);
        test.evaluate_async(&frame, runner).await
    }

    /// ANY by the hash table of the subquery's rows.
    async fn look_up(
        &self,
        compared: &[Compared],
        from_row: &[Node],
        frame: &Frame<'_>,
        runner: &dyn Runner,
    ) -> Result<Argument> {
        let memo = frame.execution.memo(runner.lasting(&self.plan));
        let rows = match memo.hashed(self.plan.plan) {
            Some(rows) => rows,
            None => {
                let mut hashed = HashedRows::default();
                let mut source = self.source(&[], frame, runner).await?;
                while let Some(batch) = source.next().await? {
                    runner.grow(hashed.add(compared, &batch.columns, batch.rows)?).await?;
                }
                let hashed = Arc::new(hashed);
                memo.keep_hashed(self.plan.plan, hashed.clone());
                hashed
            }
        };
        if rows.is_empty() {
            return Ok(constant(false));
        }
        let mut columns = Vec::with_capacity(from_row.len());
        for node in from_row {
            columns.push(to_column(&node.evaluate_async(frame, runner).await?, frame.rows)?);
        }
        let keys = keys(compared, &columns)?;
        let results: BooleanArray = (0..frame.rows).map(|row| rows.contains(&key_of(&keys, row))).collect();
        Ok(Argument::column(Arc::new(results)))
    }
}

/// What a subquery is given for a row.
fn values_of(arguments: &[Argument], row: usize) -> Vec<ArrayRef> {
    arguments.iter().map(|argument| argument.array().slice(argument.index(row), 1)).collect()
}

/// The rows of a subquery: as it runs, or as they were kept.
enum Source<'a> {
    Running(Box<dyn Rows + 'a>),
    Kept(std::slice::Iter<'a, Batch>),
}

impl Source<'_> {
    async fn next(&mut self) -> Result<Option<Batch>> {
        match self {
            Source::Running(rows) => rows.next().await,
            Source::Kept(batches) => Ok(batches.next().cloned()),
        }
    }
}

/// The array of all rows.
async fn gather(array: &Gathered, mut rows: Source<'_>) -> Result<Datum> {
    let mut builder = ArrayBuilder::new(array.element, array.repr);
    let mut members = Vec::new();
    while let Some(batch) = rows.next().await? {
        let Some(column) = batch.columns.first() else { continue };
        match array.arrays {
            true => members.push(column.clone()),
            false => builder.extend_column(&in_repr(column, array.repr)?, 0..batch.rows)?,
        }
    }
    let bytes = match array.arrays {
        false => builder.finish_list()?,
        true => {
            let each = members.iter().flat_map(|column| column.as_binary::<i32>().iter());
            construct::merge(array.element, array.repr, each.map(|bytes| bytes.map(ArrayView::new)))?
        }
    };
    Ok(Datum::bytes(bytes))
}

/// A value of the subquery in the representation that the expression has.
pub(crate) fn in_repr(value: &ArrayRef, repr: Repr) -> Result<ArrayRef> {
    match (value.data_type(), repr) {
        (DataType::Decimal128(..), Repr::Numeric) => Ok(Arc::new(types::decimal::to_numeric(value.as_primitive()))),
        (ty, repr) if *ty == repr.arrow() => Ok(value.clone()),
        (ty, repr) => Err(Error::new(sqlstate::INTERNAL_ERROR, format!("a subquery gives {ty} for {repr:?}"))),
    }
}
