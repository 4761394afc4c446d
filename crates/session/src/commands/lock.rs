//! LOCK TABLE: PostgreSQL's `lockcmds.c`.

use engine::{EngineError, Result};
use syntax::nodes::{LockStmt, Node};
use txn::LockMode;

use crate::namespace;
use crate::session::{Reply, Session, done};

/// PostgreSQL's numbers of lock modes.
const MODES: [LockMode; 8] = [
    LockMode::AccessShare,
    LockMode::RowShare,
    LockMode::RowExclusive,
    LockMode::ShareUpdateExclusive,
    LockMode::Share,
    LockMode::ShareRowExclusive,
    LockMode::Exclusive,
    LockMode::AccessExclusive,
];

pub async fn run(session: &mut Session, statement: &LockStmt) -> Result<Reply> {
    session.require_block("LOCK TABLE")?;
    let number = usize::try_from(statement.mode - 1).ok();
    let mode = *number.and_then(|number| MODES.get(number)).unwrap_or(&LockMode::AccessExclusive);
    for relation in &statement.relations {
        let Node::RangeVar(relation) = relation else { continue };
        let (schema, name) = namespace::find(session, relation)?;
        let missing = || EngineError::new("42P01", format!("relation \"{name}\" does not exist"));
        if statement.nowait {
            let table = session.shared.find_table(&schema, &name)?.ok_or_else(missing)?;
            let tag = session.shared.table_tag(&table.def);
            if !session.transaction().try_lock(tag, mode)? {
                return Err(EngineError::new("55P03", format!("could not obtain lock on relation \"{name}\"")));
            }
        } else {
            session.lock_table(&schema, &name, mode).await?.ok_or_else(missing)?;
        }
    }
    Ok(done("LOCK TABLE"))
}
