//! Analysis and planning of long statements. They neither wait nor give way, so they are done on a thread of their own: what
//! ends the session's wait is heard at once, and others are served meanwhile. Work that was given up goes on to its end,
//! which nobody hears of; until then it keeps its place, and there are only so many.

use engine::{EngineError, Result};
use syntax::RawStmt;
use syntax::nodes::Node;
use tokio::sync::Semaphore;

/// Bytes of a query string of which analysis and planning may take long.
const LONG: usize = 1024;

/// Long statements that are worked on at once; others wait for a place, which ends as every wait does.
static PLACES: Semaphore = Semaphore::const_new(4);

pub fn is_long(text: &str) -> bool {
    text.len() > LONG
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
            Err(_) => Err(EngineError::new("57P01", "terminating connection due to administrator command")),
        },
    }
}
