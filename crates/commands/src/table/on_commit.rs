//! ON COMMIT of temporary tables: what becomes of them when a transaction commits.

use engine::{ObjectAddress, Result};
use session::{OnCommit, Session};
use syntax::nodes::OnCommitAction;
use types::names::PG_CLASS;

use crate::object::deletion;
use crate::table::truncate;

/// Remembers what a new table's definition says.
pub fn register(session: &mut Session, table: u32, action: OnCommitAction) {
    let drop = match action {
        OnCommitAction::ONCOMMIT_NOOP | OnCommitAction::ONCOMMIT_PRESERVE_ROWS => return,
        OnCommitAction::ONCOMMIT_DELETE_ROWS => false,
        OnCommitAction::ONCOMMIT_DROP => true,
    };
    session.register_on_commit(OnCommit { table, drop });
}

/// Does what is to be done before a transaction commits (`PreCommit_on_commit_actions`).
pub async fn before_commit(session: &mut Session) -> Result<()> {
    for OnCommit { table, drop } in session.on_commit_actions() {
        if drop {
            deletion::drop_quietly(session, &[ObjectAddress { class: PG_CLASS, oid: table, column: 0 }]).await?;
        } else if session.table_of(table)?.blocks() > 0 {
            truncate::empty(session, table).await?;
        }
    }
    Ok(())
}
