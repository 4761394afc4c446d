//! Analysis and planning of long statements. They neither wait nor give way, so they are done on a thread of their own: what
//! ends the session's wait is heard at once, and others are served meanwhile. Work that was given up goes on to its end,
//! which nobody hears of; until then it keeps its place, and there are only so many.

use analyze::query::Query;
use engine::{EngineError, Result};
use error::sqlstate;
use syntax::RawStmt;
use syntax::nodes::Node;
use tokio::sync::Semaphore;

/// Bytes of a statement whose analysis and planning may take milliseconds, so that others and a cancellation should not wait
/// for them. (Going to another thread and back takes a tenth of one.)
const LONG: usize = 4096;
/// Levels of its tree, which is as deep as its joins are many.
const DEEP: usize = 32;
/// Tables and joins whose planning may take as long.
const MANY: usize = 24;

/// Long statements that are worked on at once; others wait for a place, which ends as every wait does.
static PLACES: Semaphore = Semaphore::const_new(4);

/// May the analysis of a statement, whose tree has so many levels, take long?
pub fn is_long(statement: &str, depth: usize) -> bool {
    statement.len() > LONG || depth > DEEP
}

/// May planning a query take long, though its text is not?
pub fn has_many_relations(query: &Query) -> bool {
    query.range_table.len() > MANY
}

/// A part of a statement that goes to another thread.
pub fn owned(node: &Node, depth: usize) -> RawStmt {
    let stmt = syntax::with_stack_for(depth, || node.clone());
    RawStmt { stmt, stmt_location: 0, stmt_len: 0, depth }
}

/// Does a part of the work on a thread of its own. Fails only where the server stops.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    // The session's thread is one of those for long work.
    aio::announce_long_work().await;
    // Where nobody waits (a server in a library's hands), nobody waits for others.
    if tokio::runtime::Handle::try_current().is_err() {
        return Ok(work());
    }
    let place = PLACES.acquire().await.expect("nobody closes it");
    let done = tokio::task::spawn_blocking(move || {
        let _place = place;
        work()
    });
    match done.await {
        Ok(done) => Ok(done),
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => {
                Err(EngineError::new(sqlstate::ADMIN_SHUTDOWN, "terminating connection due to administrator command"))
            }
        },
    }
}
