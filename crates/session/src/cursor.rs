//! Cursors: the rows of a query as DECLARE and FETCH hand them out, and where in them one is (PostgreSQL's `portalmem.c`, and
//! `DoPortalRunFetch` of `pquery.c`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::UInt32Array;
use engine::{EngineError, Result};
use executor::Batch;
use executor::memory::Reservation;

use crate::errors::raised;
use crate::plan_cache::{CachedPlan, Column};
use crate::portal::Portal;
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

/// What `pg_cursors` tells of a cursor.
#[derive(Clone, Debug)]
pub struct CursorFacts {
    /// The text of DECLARE.
    pub statement: String,
    pub is_holdable: bool,
    pub is_binary: bool,
    pub is_scrollable: bool,
    pub created: SystemTime,
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
    rows: Kept,
    held: Reservation,
    position: Position,
}

/// Rows of a cursor that are kept.
#[derive(Default)]
struct Kept {
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
    EngineError::new("55000", "cursor can only scan forward")
        .hint("Declare it with SCROLL option to enable backward scan.")
}

impl Cursor {
    /// One over a query that was begun at a place.
    pub fn new(source: Portal, plan: Arc<CachedPlan>, scroll: Scroll, holdable: bool, place: u64) -> Result<Cursor> {
        let broken = || EngineError::new("XX000", "a cursor needs a query that runs");
        let held = source.reserve("rows of a cursor").ok_or_else(broken)?;
        Ok(Cursor {
            scroll,
            holdable,
            place: Some(place),
            source,
            plan: Some(plan),
            complete: false,
            failed: false,
            rows: Kept::default(),
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
    pub fn portal_of(&self, session: &mut Session, batches: Vec<Batch>, tag: String) -> Portal {
        self.source.of_batches(session, batches, tag)
    }

    /// The next rows, at most so many.
    pub async fn forward(&mut self, session: &mut Session, count: u64) -> Result<Vec<Batch>> {
        if count == 0 || self.position.after {
            return Ok(Vec::new());
        }
        let first = self.position.row + 1;
        let wanted = self.position.row.saturating_add(count);
        self.reach(session, wanted).await?;
        let last = wanted.min(self.rows.total);
        let rows = self.rows.slice(first, last);
        self.position = Position { row: last, after: last < wanted };
        self.forget();
        Ok(rows)
    }

    /// The rows before, at most so many, the nearest first.
    pub fn backward(&mut self, count: u64) -> Result<Vec<Batch>> {
        self.require_back()?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let from = self.position.back_from();
        let first = from.saturating_sub(count).max(1);
        let mut rows = self.rows.slice(first, from.saturating_sub(1));
        rows.reverse();
        let rows = rows.iter().map(reversed).collect::<Result<_>>()?;
        self.position = Position { row: from.saturating_sub(count), after: false };
        Ok(rows)
    }

    /// The row of this number from 1; negative: from the end.
    pub async fn absolute(&mut self, session: &mut Session, number: i64) -> Result<Vec<Batch>> {
        if number > 0 {
            let before = number.unsigned_abs() - 1;
            let here = self.position.back_from();
            // Going on from where one is needs no way back.
            if before < self.position.row || (before < here && self.position.after) {
                self.require_back()?;
                self.position = Position { row: before, after: false };
            }
            let skipped = before - self.position.row;
            self.forward(session, skipped).await?;
            return self.forward(session, 1).await;
        }
        if number == 0 {
            if self.position != Position::default() {
                self.require_back()?;
                self.position = Position::default();
            }
            return Ok(Vec::new());
        }
        self.forward(session, u64::MAX).await?;
        self.backward(number.unsigned_abs() - 1)?;
        self.backward(1)
    }

    /// The row that is so many further.
    pub async fn relative(&mut self, session: &mut Session, by: i64) -> Result<Vec<Batch>> {
        match by {
            1.. => {
                self.forward(session, by.unsigned_abs() - 1).await?;
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
    pub fn current(&self) -> Result<Vec<Batch>> {
        if !self.position.is_on_row() {
            return Ok(Vec::new());
        }
        self.require_back()?;
        Ok(self.rows.slice(self.position.row, self.position.row))
    }

    pub fn is_on_row(&self) -> bool {
        self.position.is_on_row()
    }

    /// Reads all rows: the cursor outlives its transaction. It starts with the first row only if it may be scrolled, as
    /// otherwise none before can be asked for.
    pub async fn hold(&mut self, session: &mut Session) -> Result<()> {
        self.reach(session, u64::MAX).await?;
        // What has run lets go of its tables and its snapshot.
        self.source = self.source.of_batches(session, Vec::new(), String::new());
        self.plan = None;
        self.place = None;
        Ok(())
    }

    fn require_back(&self) -> Result<()> {
        match self.scroll {
            Scroll::Forward => Err(only_forward()),
            Scroll::Possible if self.rows.dropped > 0 => {
                Err(EngineError::unsupported("a way back in a cursor of so many rows").hint("Declare it with SCROLL."))
            }
            _ => Ok(()),
        }
    }

    /// Reads on until there are so many rows, or no more.
    async fn reach(&mut self, session: &mut Session, wanted: u64) -> Result<()> {
        while !self.complete && self.rows.total < wanted {
            if self.failed {
                return Err(EngineError::new("55000", "cursor cannot be run any more"));
            }
            self.failed = true;
            match self.source.next(session).await? {
                None => self.complete = true,
                Some(batch) => {
                    self.make_room(batch.memory())?;
                    self.rows.push(batch);
                }
            }
            self.failed = false;
        }
        Ok(())
    }

    /// Holds so much more. Where nobody has asked for a way back, rows that were passed make room.
    fn make_room(&mut self, bytes: usize) -> Result<()> {
        let Err(error) = self.held.grow(bytes) else { return Ok(()) };
        if self.scroll == Scroll::Possible {
            self.rows.drop_before(self.position.row + 1);
            if self.held.resize(self.rows.memory() + bytes).is_ok() {
                return Ok(());
            }
        }
        Err(raised(error, ""))
    }

    /// Rows that nobody can ask for any more go.
    fn forget(&mut self) {
        if self.scroll == Scroll::Forward || self.rows.dropped > 0 {
            self.rows.drop_before(self.position.row + 1);
            // It becomes less, which does not fail.
            self.held.resize(self.rows.memory()).unwrap_or_default();
        }
    }
}

impl Kept {
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
