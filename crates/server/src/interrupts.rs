//! What ends a session's wait from outside: a cancel request, `pg_terminate_backend`, the server's stop, a client that is
//! gone, `statement_timeout` and `transaction_timeout`.
//!
//! Whatever a session waits for, it waits inside of one of two futures: a statement inside of [`Interrupts::watch`], which
//! all of these end, and everything else inside of [`killed`], which ends the session. Work that never waits gives way by
//! itself from time to time ([`aio::Turn`]), so that these are looked at.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use engine::{Backend, EngineError};
use futures::FutureExt;
use tokio::sync::watch;

use crate::connection::{End, Step};
use crate::stream::Stream;

pub fn terminated(backend: &Backend) -> End {
    let requested = || EngineError::new("57P01", "terminating connection due to administrator command");
    End::Fatal(backend.take_conflict().unwrap_or_else(requested))
}

/// Resolves when the session is to end whatever it is doing: `pg_terminate_backend`, or the server stops.
pub async fn killed(backend: Arc<Backend>, mut stopping: watch::Receiver<bool>) -> End {
    tokio::select! {
        () = backend.terminated() => {}
        _ = stopping.wait_for(|stop| *stop) => {}
    }
    terminated(&backend)
}

/// The ends that a session's statements may come to before they are done.
pub struct Interrupts {
    backend: Arc<Backend>,
    stopping: watch::Receiver<bool>,
    /// When the running statement is late.
    statement: Option<Instant>,
    /// When the running transaction is late.
    transaction: Option<Instant>,
}

impl Interrupts {
    pub fn new(backend: Arc<Backend>, stopping: watch::Receiver<bool>) -> Interrupts {
        Interrupts { backend, stopping, statement: None, transaction: None }
    }

    /// Is the session to end?
    pub fn is_killed(&self) -> bool {
        self.backend.is_terminated() || self.stopping.has_changed().unwrap_or(true)
    }

    /// A statement begins, unless it has begun. Timeouts are in milliseconds, 0 is for ever.
    pub fn statement_begins(&mut self, statement_timeout: u64, transaction_timeout: u64) {
        let after = |timeout| (timeout > 0).then(|| Instant::now() + Duration::from_millis(timeout));
        self.statement = self.statement.or_else(|| after(statement_timeout));
        self.transaction = self.transaction.or_else(|| after(transaction_timeout));
    }

    pub fn statement_ended(&mut self) {
        self.statement = None;
    }

    pub fn transaction_ended(&mut self) {
        self.transaction = None;
    }

    /// When the running statement is late, for whoever waits for the client's next message about it.
    pub fn statement_deadline(&self) -> Option<Instant> {
        self.statement
    }

    /// When the open transaction is late, for whoever waits for the client's next statement.
    pub fn transaction_deadline(&self) -> Option<Instant> {
        self.transaction
    }

    /// Runs a part of a statement until it ends, is cancelled, takes too long, or nobody is there to hear of it. A commit
    /// that has begun takes place, and its client must not be told otherwise: only what ends the session ends the wait for
    /// it, as in PostgreSQL.
    ///
    /// Futures of statements are large: the caller boxes them, so that those around them are small where they are made.
    pub async fn watch<T>(
        &mut self,
        client: &Stream,
        mut run: impl Future<Output = Result<T, EngineError>> + Unpin,
    ) -> Step<Result<T, EngineError>> {
        tokio::select! {
            biased;
            result = &mut run => match result {
                Err(_) if self.backend.is_terminated() => Err(terminated(&self.backend)),
                result => Ok(result),
            },
            interruption = self.interrupted(Some(client)) => {
                if !self.backend.is_committing() {
                    return interruption.map(Err);
                }
                // A command that goes on after a commit ends when that is done.
                let done = poll_fn(|cx| match run.poll_unpin(cx) {
                    Poll::Ready(result) => Poll::Ready(Some(result)),
                    Poll::Pending if !self.backend.is_committing() => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                });
                match done.await {
                    Some(result) => Ok(result),
                    None => interruption.map(Err),
                }
            }
        }
    }

    /// Resolves when the running statement is to end before it is done. Whoever reads from the client or sends to it
    /// notices by that when it is gone, and gives none.
    pub async fn interrupted(&mut self, client: Option<&Stream>) -> Step<EngineError> {
        let backend = &self.backend;
        let gone = async {
            match client {
                Some(client) => client.closed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = backend.cancelled() => {
                if backend.is_terminated() {
                    return Err(terminated(backend));
                }
                let requested = || EngineError::new("57014", "canceling statement due to user request");
                Ok(backend.take_conflict().unwrap_or_else(requested))
            }
            () = gone => Err(End::Closed),
            () = until(self.statement), if self.statement.is_some() => Ok(statement_timeout()),
            () = until(self.transaction), if self.transaction.is_some() => Err(transaction_timeout()),
            _ = self.stopping.wait_for(|stop| *stop) => Err(terminated(backend)),
        }
    }
}

pub fn statement_timeout() -> EngineError {
    EngineError::new("57014", "canceling statement due to statement timeout")
}

pub fn transaction_timeout() -> End {
    End::Fatal(EngineError::new("25P04", "terminating connection due to transaction timeout"))
}

pub async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
