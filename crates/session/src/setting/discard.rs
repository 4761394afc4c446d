//! DISCARD: makes a session as good as new, for whoever gets it next from a pool.

use engine::Result;
use syntax::nodes::{DiscardMode, DiscardStmt};

use crate::session::{Reply, Session, done};
use crate::setting::variable;

pub async fn run(session: &mut Session, statement: &DiscardStmt) -> Result<Reply> {
    let what = match statement.target {
        DiscardMode::DISCARD_ALL => {
            session.refuse_in_block("DISCARD ALL")?;
            variable::assign(session, "session_authorization", None, false)?;
            variable::reset_all(session);
            session.prepared.clear();
            session.cursors.clear();
            session.db().release_kept_locks(&session.shared.backend);
            session.shared.sequences.forget();
            session.rest();
            drop_temporary(session).await?;
            "ALL"
        }
        DiscardMode::DISCARD_PLANS => {
            session.rest();
            "PLANS"
        }
        DiscardMode::DISCARD_SEQUENCES => {
            session.shared.sequences.forget();
            "SEQUENCES"
        }
        DiscardMode::DISCARD_TEMP => {
            drop_temporary(session).await?;
            "TEMP"
        }
    };
    Ok(done(&format!("DISCARD {what}")))
}

async fn drop_temporary(session: &mut Session) -> Result<()> {
    let own = session.shared.backend.temporary_schema();
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let schema = database.and_then(|database| Some((database, database.namespace(&own)?)));
    if let Some((database, schema)) = schema {
        for table in database.catalog().relations_in(schema.oid).filter(|row| row.relkind == b'r') {
            session.check_not_in_use(table.oid, &table.relname, "DROP TABLE")?;
        }
    }
    let timeout = session.shared.settings.read().each_statement().lock_timeout;
    session.transaction().drop_temporary(timeout).await?;
    session.show_changes();
    Ok(())
}
