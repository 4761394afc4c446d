//! Sequences: a page each, changed outside of any transaction.
//!
//! As in PostgreSQL the log has a value that is some draws ahead, and these need no record of their own: after a crash the sequence
//! goes on behind it. The values that a client was told are durable once the log is flushed to [`Sequence::lsn`]; whoever commits
//! does so.
//!
//! # Invariants
//! * A record makes the page anew. What is on the disk may have draws that no record has, but for later ones; so recovery must not
//!   take it for the newer one.
//! * The first draw after a checkpoint has begun is logged, for recovery may begin there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use access::edit::{self, Edit};
use aio::{IoContext, Session};
use storage::{Lsn, Page, PageKind, PinnedPage, Relation, RelationId};

use crate::catalog::SequenceDef;
use crate::database::Database;
use crate::error::{EngineError, Result};

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
    /// Makes the page of a new sequence, in empty files.
    pub async fn create(db: &Database, session: &Session, id: RelationId, def: &SequenceDef) -> Result<()> {
        let store = db.store();
        store.log.reserve(session, edit::PAGE_RECORD).await?;
        let relation = db.relation(id)?;
        let (block, page) = store.pool.extend(session, &relation, IoContext::Normal).await?;
        let mut latched = page.latch();
        let mut edit = Edit::new(&relation, block, &page, &mut latched);
        edit.init(PageKind::Sequence, VERSION);
        edit.put_u64(VALUE, def.start as u64);
        edit.put(CALLED, &[0]);
        edit::commit(&store.log, None, &mut [&mut edit]);
        Ok(())
    }

    pub async fn open(db: &Database, session: &Session, database: u32, def: &Arc<SequenceDef>) -> Result<Sequence> {
        let id = RelationId { database, file: def.file };
        let relation = db.relation(id)?;
        let page = db.store().pool.pin(session, &relation, 0, IoContext::Normal).await?;
        if page.read()[12] != PageKind::Sequence as u8 {
            return Err(EngineError::new("XX001", format!("bad magic number in sequence \"{}\"", def.name)));
        }
        Ok(Sequence { def: def.clone(), database: db.clone(), relation, page, lsn: AtomicU64::new(0) })
    }

    /// Draws the next `count` values.
    pub fn next(&self, count: usize) -> Result<Vec<i64>> {
        let mut latched = self.page.latch();
        let (mut value, mut called) = read(&latched);
        let ahead = usize::from(latched[AHEAD]).checked_sub(count).filter(|_| called);
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            if called {
                value = self.after(value)?;
            }
            called = true;
            values.push(value);
        }
        let log = &self.database.store().log;
        let redo = log.redo_position();
        let unlogged = ahead.filter(|_| latched.lsn() > redo).is_some_and(|ahead| {
            log.while_redo(redo, || {
                write(&mut latched, value, called, ahead);
                self.page.mark_dirty();
            })
        });
        if !unlogged {
            let ahead = self.can_follow(value).min(LOGGED_AHEAD);
            self.log(&mut latched, value + ahead * self.def.increment, called);
            write(&mut latched, value, called, ahead as usize);
        }
        self.lsn.store(latched.lsn(), Ordering::Release);
        Ok(values)
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
        Err(EngineError::new("2200H", message))
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
            return Err(EngineError::new("22003", message));
        }
        let mut latched = self.page.latch();
        self.log(&mut latched, value, called);
        self.lsn.store(latched.lsn(), Ordering::Release);
        Ok(())
    }

    fn log(&self, latched: &mut [u8], value: i64, called: bool) {
        let mut edit = Edit::new(&self.relation, 0, &self.page, latched);
        edit.init(PageKind::Sequence, VERSION);
        edit.put_u64(VALUE, value as u64);
        edit.put(CALLED, &[u8::from(called)]);
        edit::commit(&self.database.store().log, None, &mut [&mut edit]);
    }

    /// The value and whether it was drawn.
    pub fn state(&self) -> (i64, bool) {
        read(&self.page.read())
    }

    /// How many draws the log is ahead: `log_cnt`.
    pub fn logged_ahead(&self) -> i64 {
        i64::from(self.page.read()[AHEAD])
    }

    /// Where the log has the latest change by this opener.
    pub fn lsn(&self) -> Lsn {
        self.lsn.load(Ordering::Acquire)
    }
}

fn write(page: &mut [u8], value: i64, called: bool, ahead: usize) {
    page[VALUE..VALUE + 8].copy_from_slice(&value.to_le_bytes());
    page[CALLED] = u8::from(called);
    page[AHEAD] = ahead as u8;
}

fn read(page: &[u8]) -> (i64, bool) {
    (i64::from_le_bytes(page[VALUE..VALUE + 8].try_into().expect("8 bytes")), page[CALLED] != 0)
}
