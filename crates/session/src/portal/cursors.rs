//! A session's cursors, by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use engine::{EngineError, Result};
use error::sqlstate;
use parking_lot::Mutex;

use crate::portal::cursor::Cursor;
use crate::portal::cursor_facts::CursorFacts;
use crate::statement::parse::ParsedStatement;

/// Cursors that a session may have; PostgreSQL is bounded by memory alone.
const MAX_CURSORS: usize = 10_000;

/// A session's cursors, by name.
#[derive(Default)]
pub struct Cursors {
    pub(super) cursors: HashMap<String, Cursor, foldhash::fast::RandomState>,
    pub(super) facts: Arc<Mutex<BTreeMap<String, CursorFacts>>>,
}

impl Cursors {
    /// What is told of them, for who sees them only.
    pub fn facts(&self) -> Arc<Mutex<BTreeMap<String, CursorFacts>>> {
        self.facts.clone()
    }

    pub fn is_empty(&self) -> bool {
        self.cursors.is_empty()
    }

    /// What was declared from this place on is undone, or has ended with its transaction.
    pub fn undo(&mut self, since: u64) {
        let stays = |cursor: &Cursor| cursor.place.is_none_or(|place| place < since);
        if !self.cursors.values().all(stays) {
            self.cursors.retain(|_, cursor| stays(cursor));
            self.facts.lock().retain(|name, _| self.cursors.contains_key(name));
        }
    }

    pub fn clear(&mut self) {
        self.cursors.clear();
        self.facts.lock().clear();
    }

    /// Is there such a cursor that its transaction still runs?
    pub fn runs(&self, name: &str) -> bool {
        self.cursors.get(name).is_some_and(|cursor| cursor.place.is_some())
    }

    /// Does one of them have a table or an index open?
    pub fn open(&self, relation: u32) -> bool {
        self.cursors.values().any(|cursor| cursor.opens(relation))
    }

    /// May another one be declared under this name?
    pub(super) fn may_add(&self, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(EngineError::new(sqlstate::UNDEFINED_CURSOR, "invalid cursor name: must not be empty"));
        }
        if self.cursors.contains_key(name) {
            return Err(EngineError::new(sqlstate::DUPLICATE_CURSOR, format!("cursor \"{name}\" already exists")));
        }
        if self.cursors.len() >= MAX_CURSORS {
            return Err(EngineError::new(sqlstate::OUT_OF_MEMORY, "too many cursors")
                .hint(format!("A session may have {MAX_CURSORS}; CLOSE some.")));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, name: &str, cursor: Cursor, statement: &ParsedStatement) {
        self.facts.lock().insert(name.into(), cursor.facts(statement.own_text().to_string()));
        self.cursors.insert(name.into(), cursor);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Cursor> {
        self.facts.lock().remove(name);
        self.cursors.remove(name)
    }
}
