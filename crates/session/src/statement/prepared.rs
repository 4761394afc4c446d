//! A session's prepared statements.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use engine::{EngineError, Result};
use error::sqlstate;
use parking_lot::Mutex;
use syntax::nodes::Node;
use types::Oid;

use crate::environment::Environment;
use crate::plan_cache::Column;
use crate::statement::parse::ParsedStatement;

/// Statements that a session may keep; PostgreSQL is bounded by memory alone.
const MAX_PREPARED: usize = 10_000;

/// A statement whose parameters and results are known.
pub struct Prepared {
    /// `None`: the query string was empty.
    pub statement: Option<Arc<ParsedStatement>>,
    /// The types of its parameters.
    pub parameters: Vec<Oid>,
    /// `None`: it returns no rows.
    pub columns: Option<Arc<[Column]>>,
    /// With what its columns were last found out.
    pub(super) environment: Mutex<Option<Arc<Environment>>>,
    /// With what its constants were read.
    pub(super) read_with: Weak<Environment>,
    /// The same text may mean something else at another time: its constants, or what the names of FETCH and EXECUTE stand for.
    pub is_momentary: bool,
    pub prepared_at: std::time::SystemTime,
    /// PREPARE made it.
    pub from_sql: bool,
}

impl Prepared {
    /// How often a plan for any values, and one for particular values, was chosen.
    pub fn plans(&self) -> (u64, u64) {
        let source = self.statement.as_ref().and_then(|statement| statement.source.lock().clone());
        source.map_or((0, 0), |(_, source)| source.plans())
    }

    /// `None`: the query string was empty.
    pub fn node(&self) -> Option<&Node> {
        self.statement.as_deref().map(ParsedStatement::node)
    }
}

/// A session's prepared statements, by name. Copies are the same ones.
#[derive(Clone, Default)]
pub struct PreparedStatements(Arc<Mutex<HashMap<String, Arc<Prepared>, foldhash::fast::RandomState>>>);

impl PreparedStatements {
    pub fn get(&self, name: &str) -> Option<Arc<Prepared>> {
        self.0.lock().get(name).cloned()
    }

    /// May another statement be kept under this name?
    pub fn may_add(&self, name: &str) -> Result<()> {
        let statements = self.0.lock();
        if statements.contains_key(name) {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_PSTATEMENT,
                format!("prepared statement \"{name}\" already exists"),
            ));
        }
        if statements.len() >= MAX_PREPARED {
            return Err(EngineError::new(sqlstate::OUT_OF_MEMORY, "too many prepared statements")
                .hint(format!("A session may have {MAX_PREPARED}; DEALLOCATE some.")));
        }
        Ok(())
    }

    pub fn insert(&self, name: String, prepared: Arc<Prepared>) {
        self.0.lock().insert(name, prepared);
    }

    pub fn remove(&self, name: &str) -> Option<Arc<Prepared>> {
        self.0.lock().remove(name)
    }

    pub fn clear(&self) {
        self.0.lock().clear();
    }

    /// All with their names.
    pub fn all(&self) -> Vec<(String, Arc<Prepared>)> {
        self.0.lock().iter().map(|(name, prepared)| (name.clone(), prepared.clone())).collect()
    }
}
