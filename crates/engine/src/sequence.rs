//! Sequences: a page each, changed and logged for every draw, outside of any transaction.
//!
//! The values that a client was told are durable once the log is flushed to [`Sequence::lsn`]; whoever commits does so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use access::edit::{self, Edit};
use aio::{IoContext, Session};
use storage::{Lsn, PageKind, PinnedPage, Relation, RelationId};

use crate::catalog::SequenceDef;
use crate::database::Database;
use crate::error::{EngineError, Result};

const VERSION: u8 = 1;
const VALUE: usize = 16;
const CALLED: usize = 24;

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
        let def = &self.def;
        let mut latched = self.page.latch();
        let mut edit = Edit::new(&self.relation, 0, &self.page, &mut latched);
        let (mut value, mut called) = read(&edit);
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            if called {
                let next = value.checked_add(def.increment).filter(|next| (def.min..=def.max).contains(next));
                value = match next {
                    Some(next) => next,
                    None if def.cycle => {
                        if def.increment > 0 {
                            def.min
                        } else {
                            def.max
                        }
                    }
                    None => {
                        let (what, limit) = if def.increment > 0 { ("maximum", def.max) } else { ("minimum", def.min) };
                        let message = format!("nextval: reached {what} value of sequence \"{}\" ({limit})", def.name);
                        return Err(EngineError::new("2200H", message));
                    }
                };
            }
            called = true;
            values.push(value);
        }
        self.write(&mut edit, value, called);
        Ok(values)
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
        let mut edit = Edit::new(&self.relation, 0, &self.page, &mut latched);
        self.write(&mut edit, value, called);
        Ok(())
    }

    fn write(&self, edit: &mut Edit<'_>, value: i64, called: bool) {
        edit.put_u64(VALUE, value as u64);
        edit.put(CALLED, &[u8::from(called)]);
        let lsn = edit::commit(&self.database.store().log, None, &mut [edit]);
        self.lsn.store(lsn, Ordering::Release);
    }

    /// The value and whether it was drawn: what `SELECT * FROM sequence` shows.
    pub fn state(&self) -> (i64, bool) {
        read(&self.page.read())
    }

    /// Where the log has the latest change by this opener.
    pub fn lsn(&self) -> Lsn {
        self.lsn.load(Ordering::Acquire)
    }
}

fn read(page: &[u8]) -> (i64, bool) {
    (i64::from_le_bytes(page[VALUE..VALUE + 8].try_into().expect("8 bytes")), page[CALLED] != 0)
}
