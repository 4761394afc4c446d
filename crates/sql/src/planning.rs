//! Planning of large statements. It neither waits nor gives way, so it is done on a thread of its own: what ends the
//! session's wait is heard at once, and others are served meanwhile. Planning that was given up goes on to its end, which
//! nobody hears of; until then it keeps its place, and there are only so many.

use std::future::Future;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Visit, visit_expressions, visit_relations};
use engine::{EngineError, Result};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::style::current;

/// Expressions of a statement that may take long to plan: a thousand of the cheapest take some 0.2 seconds.
const LARGE: usize = 200;

/// A table counts as so many: each step of planning looks at all columns of all joined tables, and 60 of 1,000 columns took
/// minutes.
const TABLE: usize = 10;

/// Large statements that are planned at once; others wait for a place, which ends as every wait does.
static PLACES: Semaphore = Semaphore::const_new(4);

pub fn is_large(statement: &impl Visit) -> bool {
    let mut count = 0;
    let mut add = |more| {
        count += more;
        if count > LARGE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    visit_relations(statement, |_| add(TABLE)).is_break() || visit_expressions(statement, |_| add(1)).is_break()
}

/// Does a part of planning: here, or apart where the statement is `large`. Fails only where the server stops.
pub async fn plan<T: Send + 'static>(large: bool, part: impl Future<Output = T> + Send + 'static) -> Result<T> {
    if !large {
        return Ok(part.await);
    }
    // The thread is one of those for long work.
    aio::announce_long_work().await;
    let place = PLACES.acquire().await.expect("nobody closes it");
    let (manner, runtime) = (current(), Handle::current());
    let planned = tokio::task::spawn_blocking(move || {
        let _place = place;
        runtime.block_on(manner.of(part))
    });
    match planned.await {
        Ok(planned) => Ok(planned),
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(EngineError::new("57P01", "terminating connection due to administrator command")),
        },
    }
}
