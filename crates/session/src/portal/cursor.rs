//! Cursors: the rows of a query as DECLARE and FETCH hand them out, and where in them one is (PostgreSQL's `portalmem.c`, and
//! `DoPortalRunFetch` of `pquery.c`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use ::error::sqlstate;
use arrow_array::UInt32Array;
use engine::{EngineError, Result};
use executor::memory::Reservation;
use executor::{Batch, RowStore};

use crate::errors::raised;
use crate::plan_cache::{CachedPlan, Column};
use crate::portal::Portal;
use crate::portal::cursor_facts::CursorFacts;
use crate::session::Session;

/// How a cursor may be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scroll {
    Forward,
    /// Backwards too, as long as there is memory for the rows.
    Possible,
    /// SCROLL was given.
    Wanted,
}

pub struct Cursor {
    scroll: Scroll,
    pub holdable: bool,
    /// [`Session::place`] where it was declared; `None`: the transaction that declared it has committed.
    pub place: Option<u64>,
    source: Portal,
    /// What the source runs; `None`: it has run, and let go of its tables.
    plan: Option<Arc<CachedPlan>>,
    /// All rows of the source have come.
    complete: bool,
    /// Running it has failed.
    failed: bool,
    /// Why, as long as it is not told: rows before were there.
    failure: Option<EngineError>,
    rows: Kept,
    held: Reservation,
    position: Position,
}

/// Rows by their numbers, from 1.
#[derive(Clone, Copy, Debug)]
pub struct Fetched {
    first: u64,
    last: u64,
    /// From the last one to the first.
    back: bool,
}

impl Fetched {
    const NONE: Fetched = Fetched { first: 1, last: 0, back: false };

    /// How many they are.
    pub fn count(self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }
}

/// So many rows are passed at once that nobody wants.
const PASSED: u64 = 8192;

/// Rows of a cursor that are kept.
enum Kept {
    InMemory(InMemory),
    /// On disk where they are many: SCROLL was given, or the transaction has ended.
    Stored(Box<RowStore>),
}

/// The last rows that have come.
#[derive(Default)]
struct InMemory {
    batches: VecDeque<Batch>,
    /// Rows before them, which are not kept any more.
    dropped: u64,
    /// Rows in all, with those.
    total: u64,
}

/// Where a cursor is: on a row, by its number from 1, or before the first one (0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Position {
    row: u64,
    /// Behind the last row, which is `row`.
    after: bool,
}

impl Position {
    /// The first row that would be next on the way back is before this one.
    fn back_from(self) -> u64 {
        self.row + u64::from(self.after)
    }

    fn is_on_row(self) -> bool {
        self.row > 0 && !self.after
    }
}

fn only_forward() -> EngineError {
    EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
        .hint("Declare it with SCROLL option to enable backward scan.")
}

impl Cursor {
    /// One over a query that was begun at a place.
    pub fn new(source: Portal, plan: Arc<CachedPlan>, scroll: Scroll, holdable: bool, place: u64) -> Result<Cursor> {
        let broken = || EngineError::new(sqlstate::INTERNAL_ERROR, "a cursor needs a query that runs");
        let held = source.reserve("rows of a cursor").ok_or_else(broken)?;
        let rows = match scroll {
            Scroll::Wanted => Kept::Stored(Box::new(source.row_store(0).ok_or_else(broken)?)),
            Scroll::Forward | Scroll::Possible => Kept::InMemory(InMemory::default()),
        };
        Ok(Cursor {
            scroll,
            holdable,
            place: Some(place),
            source,
            plan: Some(plan),
            complete: false,
            failed: false,
            failure: None,
            rows,
            held,
            position: Position::default(),
        })
    }

    /// `statement` is the text of DECLARE.
    pub fn facts(&self, statement: String) -> CursorFacts {
        CursorFacts {
            statement,
            is_holdable: self.holdable,
            is_binary: self.source.is_binary,
            is_scrollable: self.scroll != Scroll::Forward,
            created: SystemTime::now(),
        }
    }

    pub fn columns(&self) -> Option<Arc<[Column]>> {
        self.source.columns.clone()
    }

    /// Does it have a table or an index open? Also at its end, and no more once it has failed.
    pub fn opens(&self, relation: u32) -> bool {
        !self.failed && self.plan.as_ref().is_some_and(|plan| plan.planned.opens(relation))
    }

    /// Rows that were fetched, for the client.
    pub fn portal_of(&mut self, session: &mut Session, batches: Vec<Batch>, tag: &'static str) -> Portal {
        self.source.of_batches(session, (batches, self.failure.take()), tag)
    }

    /// Why there are no more rows than those that were fetched, for who does not tell it behind them.
    pub fn take_failure(&mut self) -> Option<EngineError> {
        self.failure.take()
    }

    /// On to the next rows, at most so many.
    pub async fn forward(&mut self, session: &mut Session, count: u64) -> Result<Fetched> {
        if count == 0 || self.position.after {
            return Ok(Fetched::NONE);
        }
        let first = self.position.row + 1;
        let wanted = self.position.row.saturating_add(count);
        self.reach(session, wanted).await?;
        let last = wanted.min(self.rows.total());
        self.position = Position { row: last, after: last < wanted };
        Ok(Fetched { first, last, back: false })
    }

    /// The same where nobody asks for the rows.
    pub async fn pass(&mut self, session: &mut Session, mut count: u64) -> Result<Fetched> {
        let first = self.position.row + 1;
        while count > 0 && !self.position.after {
            let some = count.min(PASSED);
            self.forward(session, some).await?;
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            self.forget();
            count -= some;
        }
        Ok(Fetched { first, last: self.position.row, back: false })
    }

    /// Back to the rows before, at most so many, the nearest first.
    pub fn backward(&mut self, count: u64) -> Result<Fetched> {
        self.require_back()?;
        if count == 0 {
            return Ok(Fetched::NONE);
        }
        let from = self.position.back_from();
        let first = from.saturating_sub(count).max(1);
        self.position = Position { row: from.saturating_sub(count), after: false };
        Ok(Fetched { first, last: from.saturating_sub(1), back: true })
    }

    /// To the row of this number from 1; negative: from the end.
    pub async fn absolute(&mut self, session: &mut Session, number: i64) -> Result<Fetched> {
        if number > 0 {
            let before = number.unsigned_abs() - 1;
            let here = self.position.back_from();
            // Going on from where one is needs no way back.
            if before < self.position.row || (before < here && self.position.after) {
                self.require_back()?;
                self.position = Position { row: before, after: false };
            }
            let skipped = before - self.position.row;
            self.pass(session, skipped).await?;
            return self.forward(session, 1).await;
        }
        if number == 0 {
            if self.position != Position::default() {
                self.require_back()?;
                self.position = Position::default();
            }
            return Ok(Fetched::NONE);
        }
        self.pass(session, u64::MAX).await?;
        self.backward(number.unsigned_abs() - 1)?;
        self.backward(1)
    }

    /// To the row that is so many further.
    pub async fn relative(&mut self, session: &mut Session, by: i64) -> Result<Fetched> {
        match by {
            1.. => {
                self.pass(session, by.unsigned_abs() - 1).await?;
                self.forward(session, 1).await
            }
            0 => self.current(),
            _ => {
                self.backward(by.unsigned_abs() - 1)?;
                self.backward(1)
            }
        }
    }

    /// The row that one is on, again.
    pub fn current(&self) -> Result<Fetched> {
        if self.position.is_on_row() {
            self.require_back()?;
        }
        Ok(self.here())
    }

    /// Where one is, if that is a row.
    pub fn here(&self) -> Fetched {
        match self.position {
            Position { row, after: false } if row > 0 => Fetched { first: row, last: row, back: false },
            _ => Fetched::NONE,
        }
    }

    /// The rows that one has just come by.
    pub async fn rows(&mut self, fetched: Fetched) -> Result<Vec<Batch>> {
        let Fetched { first, last, back } = fetched;
        let mut rows = match &mut self.rows {
            Kept::InMemory(rows) => rows.slice(first, last),
            Kept::Stored(rows) => rows.slice(first, last).await.map_err(|error| raised(error, ""))?,
        };
        self.forget();
        if back {
            rows.reverse();
            rows = rows.iter().map(reversed).collect::<Result<_>>()?;
        }
        Ok(rows)
    }

    /// Reads all rows: the cursor outlives its transaction. It starts with the first row only if it may be scrolled, as
    /// otherwise none before can be asked for.
    pub async fn hold(&mut self, session: &mut Session) -> Result<()> {
        if let Kept::InMemory(rows) = &mut self.rows
            && let Some(mut stored) = self.source.row_store(rows.dropped)
        {
            for batch in std::mem::take(&mut rows.batches) {
                self.source.keep(&mut stored, batch).await?;
            }
            self.rows = Kept::Stored(Box::new(stored));
            self.held.free();
        }
        self.reach(session, u64::MAX).await?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        // What has run lets go of its tables and its snapshot.
        self.source = self.source.of_batches(session, (Vec::new(), None), "");
        self.plan = None;
        self.place = None;
        Ok(())
    }

    fn require_back(&self) -> Result<()> {
        match self.scroll {
            Scroll::Forward => Err(only_forward()),
            Scroll::Possible if self.rows.dropped() > 0 => {
                Err(EngineError::unsupported("a way back in a cursor of so many rows").hint("Declare it with SCROLL."))
            }
            _ => Ok(()),
        }
    }

    /// Reads on until there are so many rows, or no more.
    async fn reach(&mut self, session: &mut Session, wanted: u64) -> Result<()> {
        while !self.complete && self.rows.total() < wanted {
            if self.failed {
                return Err(EngineError::new(
                    sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "cursor cannot be run any more",
                ));
            }
            self.failed = true;
            match self.source.next(session).await {
                Ok(None) => self.complete = true,
                Ok(Some(batch)) => self.keep(batch).await?,
                // It is told behind the rows that have come.
                Err(error) if self.rows.total() > self.position.row => {
                    self.failure = Some(error);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            self.failed = false;
        }
        Ok(())
    }

    /// Where nobody has asked for a way back, rows that were passed make room.
    async fn keep(&mut self, batch: Batch) -> Result<()> {
        let rows = match &mut self.rows {
            Kept::Stored(rows) => return self.source.keep(rows, batch).await,
            Kept::InMemory(rows) => rows,
        };
        if let Err(error) = self.held.grow(batch.memory()) {
            if self.scroll == Scroll::Possible {
                rows.drop_before(self.position.row + 1);
            }
            if self.held.resize(rows.memory() + batch.memory()).is_err() {
                return Err(raised(error, ""));
            }
        }
        rows.push(batch);
        Ok(())
    }

    /// Rows that nobody can ask for any more go.
    fn forget(&mut self) {
        if let Kept::InMemory(rows) = &mut self.rows
            && (self.scroll == Scroll::Forward || rows.dropped > 0)
        {
            rows.drop_before(self.position.row + 1);
            // It becomes less, which does not fail.
            self.held.resize(rows.memory()).unwrap_or_default();
        }
    }
}

impl Kept {
    /// How many rows are not kept any more.
    fn dropped(&self) -> u64 {
        match self {
            Kept::InMemory(rows) => rows.dropped,
            Kept::Stored(rows) => rows.behind(),
        }
    }

    /// The number of the last row that has come.
    fn total(&self) -> u64 {
        match self {
            Kept::InMemory(rows) => rows.total,
            Kept::Stored(rows) => rows.total(),
        }
    }
}

impl InMemory {
    fn push(&mut self, batch: Batch) {
        self.total += batch.rows as u64;
        self.batches.push_back(batch);
    }

    /// Lets go of batches that are wholly before a row.
    fn drop_before(&mut self, row: u64) {
        while let Some(first) = self.batches.front() {
            let last = self.dropped + first.rows as u64;
            if last >= row {
                return;
            }
            self.dropped = last;
            self.batches.pop_front();
        }
    }

    fn memory(&self) -> usize {
        self.batches.iter().map(Batch::memory).sum()
    }

    /// The rows of these numbers, the first and the last one included, as far as they are there.
    fn slice(&self, first: u64, last: u64) -> Vec<Batch> {
        let mut rows = Vec::new();
        let mut before = self.dropped;
        for batch in &self.batches {
            let end = before + batch.rows as u64;
            let (from, to) = (first.max(before + 1), last.min(end));
            if from <= to {
                rows.push(batch.slice((from - before - 1) as usize, (to - from + 1) as usize));
            }
            before = end;
        }
        rows
    }
}

fn reversed(batch: &Batch) -> Result<Batch> {
    let rows: UInt32Array = (0..batch.rows as u32).rev().collect();
    batch.take(&rows).map_err(|error| raised(error, ""))
}
