//! The sequences that a session draws from: what is open, and what `currval` and `lastval` give.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{EngineError, Result, Sequence, SequenceDef};
use error::sqlstate;
use parking_lot::Mutex;

/// Values that a session has drawn and not used.
struct Cached {
    /// Of the sequence when they were drawn: it has another file when it was changed.
    file: u32,
    used: i64,
    last: i64,
    lsn: storage::Lsn,
}

/// The sequences that a session has open.
#[derive(Default)]
pub struct Sequences {
    open: Mutex<HashMap<u32, Arc<Sequence>>>,
    /// What `currval` and `lastval` give.
    drawn: Mutex<(HashMap<u32, i64>, Option<u32>)>,
    /// What was drawn ahead of need (`CACHE`), by sequence.
    cached: Mutex<HashMap<u32, Cached>>,
    /// How far the log must be durable before the session tells of values it has drawn.
    lsn: Mutex<storage::Lsn>,
}

impl Sequences {
    /// Where the log must be durable for what was drawn since the last call.
    pub fn take_lsn(&self) -> storage::Lsn {
        std::mem::take(&mut *self.lsn.lock())
    }

    /// At the end of a transaction: what is not locked may be dropped by others.
    pub fn close(&self) {
        self.open.lock().clear();
    }

    /// DISCARD ALL.
    pub fn forget(&self) {
        self.open.lock().clear();
        self.cached.lock().clear();
        *self.drawn.lock() = Default::default();
    }

    fn note_lsn(&self, known: storage::Lsn) {
        let mut lsn = self.lsn.lock();
        *lsn = (*lsn).max(known);
    }

    /// The next value of a sequence that is open, and how far the log must be durable for it.
    fn next(&self, sequence: &Sequence) -> Result<(i64, storage::Lsn)> {
        let def = &sequence.def;
        let mut cached = self.cached.lock();
        if let Some(kept) = cached.get_mut(&def.oid).filter(|kept| kept.file == def.file && kept.used != kept.last) {
            kept.used += def.increment;
            return Ok((kept.used, kept.lsn));
        }
        let (used, last) = sequence.next()?;
        let lsn = sequence.lsn();
        if used != last {
            cached.insert(def.oid, Cached { file: def.file, used, last, lsn });
        }
        Ok((used, lsn))
    }

    /// Draws from a sequence that is open.
    pub fn draw(&self, sequence: &Sequence) -> Result<i64> {
        let (value, lsn) = self.next(sequence)?;
        {
            let mut drawn = self.drawn.lock();
            drawn.0.insert(sequence.def.oid, value);
            drawn.1 = Some(sequence.def.oid);
        }
        self.note_lsn(lsn);
        Ok(value)
    }

    /// The value drawn last from a sequence, open or not. `name`: of the sequence.
    pub fn currval(&self, oid: u32, name: &str) -> Result<i64> {
        let drawn = self.drawn.lock();
        drawn.0.get(&oid).copied().ok_or_else(|| {
            EngineError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("currval of sequence \"{name}\" is not yet defined in this session"),
            )
        })
    }

    /// Of the sequence drawn from last, if it is there still.
    pub fn lastval(&self, exists: impl Fn(u32) -> bool) -> Result<(u32, i64)> {
        let drawn = self.drawn.lock();
        let value = drawn.1.filter(|oid| exists(*oid)).and_then(|oid| Some((oid, drawn.0.get(&oid).copied()?)));
        value.ok_or_else(|| {
            EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, "lastval is not yet defined in this session")
        })
    }

    /// Sets a sequence that is open; `called`: the value counts as drawn.
    pub fn setval(&self, sequence: &Sequence, value: i64, called: bool) -> Result<i64> {
        sequence.set(value, called)?;
        self.cached.lock().remove(&sequence.def.oid);
        // For `lastval` the sequence is still the one drawn from last.
        if called {
            self.drawn.lock().0.insert(sequence.def.oid, value);
        }
        self.note_lsn(sequence.lsn());
        Ok(value)
    }

    /// Lets go of a sequence that is to be changed or dropped.
    pub fn shut(&self, oid: u32) {
        self.open.lock().remove(&oid);
    }

    /// A sequence that is open and has not been changed since.
    pub fn opened(&self, def: &Arc<SequenceDef>) -> Option<Arc<Sequence>> {
        self.open.lock().get(&def.oid).filter(|open| open.def == *def).cloned()
    }

    /// Keeps a sequence open, which is locked.
    pub fn keep_open(&self, sequence: &Arc<Sequence>) {
        self.open.lock().insert(sequence.def.oid, sequence.clone());
    }
}
