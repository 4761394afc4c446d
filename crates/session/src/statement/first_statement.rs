//! What the first statement after a start would wait for: the catalogs' built-in rows, time zones, keywords and the like are
//! read when they are first asked for, and the system brings in the program's pages as they are run. A statement of the server's
//! own is the first instead, behind the start. (A first scan of 44 MB took 4 ms to plan and 52 to run, and takes 0.5 and 47.)
//!
//! Nobody depends on it: where it fails, the first statement of a client does it all.

use aio::BackendKind;
use engine::{Database, EngineError, Result};
use error::sqlstate;

use crate::session::{Reply, Session, Utility};

/// A join, groups and an order; operators and functions of several types; texts of a number and of a time.
const STATEMENT: &str = "SELECT n.nspname, count(*), max(c.relname), sum(c.reltuples)::numeric(20,2)::text, now()::text \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'v') AND c.relname LIKE 'pg_%' AND c.relpages >= 0 \
    GROUP BY n.nspname ORDER BY count(*) DESC, n.nspname LIMIT 10";

/// Plans and runs a statement, so that no client's is the first. Gives how many rows it found.
pub async fn run(db: &Database, utility: &'static dyn Utility) -> Result<usize> {
    let catalog = db.catalog();
    let database = catalog.databases().next().map(|database| (database.oid, database.name().to_string()));
    let database = database.ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_DATABASE, "there is no database"))?;
    // It is in no database that anybody sees: the one that it reads may be dropped or copied beside it.
    let backend = db.activity().enter(BackendKind::Startup, None, None, None, None)?;
    let mut session = Session::of_server(db, backend, database, db.settings(), utility)?;
    let outcome = run_to_end(&mut session).await;
    session.end_implicit(outcome.is_ok()).await?;
    outcome
}

async fn run_to_end(session: &mut Session) -> Result<usize> {
    let mut found = 0;
    for statement in session.statements(STATEMENT)? {
        if let Reply::Rows(mut rows) = session.run(&statement).await? {
            while let Some(batch) = rows.next(session).await? {
                found += batch.rows;
            }
        }
    }
    Ok(found)
}
