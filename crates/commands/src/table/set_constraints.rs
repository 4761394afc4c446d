//! SET CONSTRAINTS (`AfterTriggerSetState` in PostgreSQL's `trigger.c`). No constraint here can be deferred: all are checked
//! by the statement that might violate them.

use ::error::sqlstate;
use engine::{EngineError, Result};
use session::errors::reported;
use session::{Reply, Session, done};
use syntax::nodes::{ConstraintsSetStmt, Node, RangeVar};

pub fn set(session: &mut Session, statement: &ConstraintsSetStmt) -> Result<Reply> {
    if !session.in_block() {
        let message = "SET CONSTRAINTS can only be used in transaction blocks";
        session.notice("WARNING", EngineError::new(sqlstate::NO_ACTIVE_SQL_TRANSACTION, message));
    }
    for name in &statement.constraints {
        let Node::RangeVar(name) = name else { continue };
        let constraint = name.relname.as_deref().unwrap_or_default();
        if !exists(session, name, constraint)? {
            return Err(EngineError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("constraint \"{constraint}\" does not exist"),
            ));
        }
        if statement.deferred {
            return Err(EngineError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("constraint \"{constraint}\" is not deferrable"),
            ));
        }
    }
    Ok(done("SET CONSTRAINTS"))
}

/// Has a table of the schema, or of the search path, a constraint of this name?
fn exists(session: &mut Session, name: &RangeVar, constraint: &str) -> Result<bool> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let schemas = match name.schemaname.as_deref() {
        Some(schema) => vec![catalog.namespace_oid(schema).map_err(|error| reported(error, ""))?],
        None => environment.search_path.to_vec(),
    };
    let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return Ok(false) };
    let is_there = |table: u32| catalog.relation(table).is_some_and(|row| schemas.contains(&row.relnamespace));
    let has = |table: u32| catalog.constraints_of_relation(table).any(|row| row.conname == constraint);
    Ok(database.table_oids().any(|table| has(table) && is_there(table)))
}
