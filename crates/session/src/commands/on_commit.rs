//! ON COMMIT of temporary tables: what becomes of them when a transaction commits.

use engine::{ObjectAddress, Result};
use syntax::nodes::OnCommitAction;
use types::names::PG_CLASS;

use crate::commands::{deletion, truncate};
use crate::session::Session;

/// A temporary table whose rows, or which itself, does not outlive a transaction.
#[derive(Clone, Copy)]
pub struct OnCommit {
    table: u32,
    drop: bool,
}

/// Remembers what a new table's definition says.
pub fn register(session: &mut Session, table: u32, action: OnCommitAction) {
    let drop = match action {
        OnCommitAction::ONCOMMIT_NOOP | OnCommitAction::ONCOMMIT_PRESERVE_ROWS => return,
        OnCommitAction::ONCOMMIT_DELETE_ROWS => false,
        OnCommitAction::ONCOMMIT_DROP => true,
    };
    session.on_commit.push(OnCommit { table, drop });
}

/// Does what is to be done before a transaction commits (`PreCommit_on_commit_actions`).
pub async fn before_commit(session: &mut Session) -> Result<()> {
    // Cursors that are not held end before, and let go of their tables.
    session.cursors.undo(0);
    // Those that are gone, or were never there, are forgotten.
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    session.on_commit.retain(|known| database.is_some_and(|database| database.has_table(known.table)));
    for OnCommit { table, drop } in session.on_commit.clone() {
        if drop {
            deletion::drop_quietly(session, &[ObjectAddress { class: PG_CLASS, oid: table, column: 0 }]).await?;
        } else if session.table_of(table)?.blocks() > 0 {
            truncate::empty(session, table).await?;
        }
    }
    Ok(())
}
