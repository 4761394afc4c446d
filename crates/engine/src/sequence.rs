//! Sequences: a page each, changed outside of any transaction.
//!
//! As in PostgreSQL the log has a value that is some draws ahead, and these need no record of their own: after a crash the sequence
//! goes on behind it. The values that a client was told are durable once the log is flushed to [`Sequence::lsn`]; a commit of the
//! session that drew them does so.
//!
//! # Invariants
//! * A record makes the page anew. What is on the disk may have draws that no record has, but for later ones; so recovery must not
//!   take it for the newer one.
//! * The first draw after a checkpoint has begun is logged, for recovery may begin there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use access::edit::{self, Edit};
use aio::{IoContext, Session};
use error::sqlstate;
use storage::{Lsn, Page, PageKind, PinnedPage, Relation, RelationId};

use crate::catalog::SequenceDef;
use crate::database::Database;
use crate::{EngineError, Result};

const VERSION: u8 = 1;
const VALUE: usize = 16;
const CALLED: usize = 24;
/// How many draws the log is ahead.
const AHEAD: usize = 25;

/// Draws that the log is ahead, after a record.
const LOGGED_AHEAD: i64 = 32;

/// An open sequence. Its page stays in memory.
pub struct Sequence {
    pub def: Arc<SequenceDef>,
    database: Database,
    relation: Arc<Relation>,
    page: PinnedPage,
    lsn: AtomicU64,
}

impl Sequence {
    /// Makes the page of a new sequence, in empty files. Its next value follows this one, or is it if it was not `called`.
    pub async fn create(db: &Database, session: &Session, id: RelationId, value: i64, called: bool) -> Result<()> {
        let store = db.store();
        store.log.reserve(session, edit::PAGE_RECORD).await?;
        let relation = db.relation(id)?;
        let (block, page) = store.pool.extend(session, &relation, IoContext::Normal).await?;
        log(db, &mut Edit::new(&relation, block, &page, &mut page.latch()), value, called);
        Ok(())
    }

    pub async fn open(db: &Database, session: &Session, database: u32, def: &Arc<SequenceDef>) -> Result<Sequence> {
        let id = RelationId { database, file: def.file };
        let relation = db.relation(id)?;
        let page = db.store().pool.pin(session, &relation, 0, IoContext::Normal).await?;
        if page.read()[12] != PageKind::Sequence as u8 {
            return Err(EngineError::new(
                sqlstate::DATA_CORRUPTED,
                format!("bad magic number in sequence \"{}\"", def.name),
            ));
        }
        Ok(Sequence { def: def.clone(), database: db.clone(), relation, page, lsn: AtomicU64::new(0) })
    }

    /// Draws as many values as a session keeps (`CACHE`), fewer at the limit: the first and the last of them.
    pub fn next(&self) -> Result<(i64, i64)> {
        let mut latched = self.page.latch();
        let SequenceState { value, called, ahead } = SequenceState::read(&latched);
        let first = if called { self.after(value)? } else { value };
        let more = self.can_follow(first).min(self.def.cache - 1);
        let last = self.behind(first, more);
        let log = &self.database.store().log;
        let redo = log.redo_position();
        let is_logged = called && ahead > more && latched.lsn() > redo;
        self.page.mark_dirty();
        let mut draw = |ahead| SequenceState { value: last, called: true, ahead }.write(&mut latched);
        if !is_logged || !log.while_redo(redo, || draw(ahead - 1 - more)) {
            let ahead = self.can_follow(last).min(LOGGED_AHEAD);
            self.log(&mut latched, self.behind(last, ahead), true);
            SequenceState { value: last, called: true, ahead }.write(&mut latched);
        }
        self.lsn.store(latched.lsn(), Ordering::Release);
        Ok((first, last))
    }

    /// The value that follows one that was drawn.
    fn after(&self, value: i64) -> Result<i64> {
        let def = &self.def;
        if self.can_follow(value) > 0 {
            return Ok(value + def.increment);
        }
        let (what, limit, first) =
            if def.increment > 0 { ("maximum", def.max, def.min) } else { ("minimum", def.min, def.max) };
        if def.cycle {
            return Ok(first);
        }
        let message = format!("nextval: reached {what} value of sequence \"{}\" ({limit})", def.name);
        Err(EngineError::new(sqlstate::SEQUENCE_GENERATOR_LIMIT_EXCEEDED, message))
    }

    /// The value so many draws behind one; there are as many.
    fn behind(&self, value: i64, draws: i64) -> i64 {
        (i128::from(value) + i128::from(draws) * i128::from(self.def.increment)) as i64
    }

    /// How many values there are behind one, up to the limit.
    fn can_follow(&self, value: i64) -> i64 {
        let SequenceDef { increment, min, max, .. } = *self.def;
        let (limit, value, increment) =
            (if increment > 0 { max } else { min }, i128::from(value), i128::from(increment));
        i64::try_from(((i128::from(limit) - value) / increment).max(0)).unwrap_or(i64::MAX)
    }

    /// `setval`.
    pub fn set(&self, value: i64, called: bool) -> Result<()> {
        let def = &self.def;
        if !(def.min..=def.max).contains(&value) {
            let (min, max) = (def.min, def.max);
            let message =
                format!("setval: value {value} is out of bounds for sequence \"{}\" ({min}..{max})", def.name);
            return Err(EngineError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, message));
        }
        let mut latched = self.page.latch();
        self.log(&mut latched, value, called);
        self.lsn.store(latched.lsn(), Ordering::Release);
        Ok(())
    }

    fn log(&self, latched: &mut [u8], value: i64, called: bool) {
        log(&self.database, &mut Edit::new(&self.relation, 0, &self.page, latched), value, called);
    }

    pub fn state(&self) -> SequenceState {
        SequenceState::read(&self.page.read())
    }

    /// Where the log has the latest change by this opener.
    pub fn lsn(&self) -> Lsn {
        self.lsn.load(Ordering::Acquire)
    }
}

/// Makes the page anew.
fn log(db: &Database, edit: &mut Edit<'_>, value: i64, called: bool) {
    edit.init(PageKind::Sequence, VERSION);
    edit.put_u64(VALUE, value as u64);
    edit.put(CALLED, &[u8::from(called)]);
    edit::commit(&db.store().log, None, &mut [edit]);
}

/// What `SELECT * FROM sequence` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceState {
    pub value: i64,
    /// The value was drawn.
    pub called: bool,
    /// How many draws the log is ahead: `log_cnt`.
    pub ahead: i64,
}

impl SequenceState {
    fn read(page: &[u8]) -> SequenceState {
        let value = i64::from_le_bytes(page[VALUE..VALUE + 8].try_into().expect("8 bytes"));
        SequenceState { value, called: page[CALLED] != 0, ahead: i64::from(page[AHEAD]) }
    }

    fn write(self, page: &mut [u8]) {
        page[VALUE..VALUE + 8].copy_from_slice(&self.value.to_le_bytes());
        page[CALLED] = u8::from(self.called);
        page[AHEAD] = self.ahead as u8;
    }
}
