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

use config::EachStatement;
use engine::{Backend, EngineError};
use error::sqlstate;
use futures::FutureExt;
use tokio::sync::watch;

use crate::codec;
use crate::connection::{End, Step, Wire};

/// Bytes of what a client sent last that are looked at for whether they ask for more.
const AHEAD: usize = 64;

pub fn terminated(backend: &Backend) -> End {
    let requested =
        || EngineError::new(sqlstate::ADMIN_SHUTDOWN, "terminating connection due to administrator command");
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
    /// How often the client is looked for (`client_connection_check_interval`), if it is.
    check: Option<Duration>,
    /// Since when there has been something to do that has not ended.
    begun: Instant,
    /// When a client that has closed its side counts as gone, whatever it asked for before.
    lost: Option<Instant>,
}

impl Interrupts {
    pub fn new(backend: Arc<Backend>, stopping: watch::Receiver<bool>) -> Interrupts {
        let (statement, transaction, check, lost) = (None, None, None, None);
        Interrupts { backend, stopping, statement, transaction, check, begun: Instant::now(), lost }
    }

    /// Is the session to end?
    pub fn is_killed(&self) -> bool {
        self.backend.is_terminated() || self.stopping.has_changed().unwrap_or(true)
    }

    /// A statement begins, unless it has begun.
    pub fn statement_begins(&mut self, settings: &EachStatement) {
        // Timeouts are in milliseconds, 0 is for ever.
        let given = |timeout| (timeout > 0).then(|| Duration::from_millis(timeout));
        let after = |timeout| given(timeout).map(|timeout| Instant::now() + timeout);
        self.statement = self.statement.or_else(|| after(settings.statement_timeout));
        self.transaction = self.transaction.or_else(|| after(settings.transaction_timeout));
        self.check = given(settings.client_connection_check_interval);
        if self.check.is_some() {
            self.begun = Instant::now();
        }
    }

    pub fn statement_ended(&mut self) {
        self.statement = None;
    }

    pub fn transaction_ended(&mut self) {
        self.transaction = None;
    }

    /// When the running statement is late, for what waits for the client's next message about it.
    pub fn statement_deadline(&self) -> Option<Instant> {
        self.statement
    }

    /// When the open transaction is late, for what waits for the client's next statement.
    pub fn transaction_deadline(&self) -> Option<Instant> {
        self.transaction
    }

    /// Runs a part of a statement until it ends, is cancelled, takes too long, or no client is there to hear of it. A commit
    /// that has begun takes place, and its client must not be told otherwise: only what ends the session ends the wait for
    /// it, as in PostgreSQL.
    ///
    /// Futures of statements are large: the caller boxes them, so that those around them are small where they are made.
    pub async fn watch<T>(
        &mut self,
        client: &mut Wire,
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

    /// Resolves when the running statement is to end before it is done. What reads from the client or sends to it
    /// notices by that when it is gone, and gives none.
    pub async fn interrupted(&mut self, client: Option<&mut Wire>) -> Step<EngineError> {
        let Interrupts { backend, stopping, statement, transaction, check, begun, lost } = self;
        let checked = check.map(|interval| (*begun, interval));
        let gone = async {
            match client {
                Some(client) => gone(client, checked, lost).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = backend.cancelled() => {
                if backend.is_terminated() {
                    return Err(terminated(backend));
                }
                let requested = || EngineError::new(sqlstate::QUERY_CANCELED, "canceling statement due to user request");
                Ok(backend.take_conflict().unwrap_or_else(requested))
            }
            () = gone => Err(End::Closed),
            () = until(*statement), if statement.is_some() => Ok(statement_timeout()),
            () = until(*transaction), if transaction.is_some() => Err(transaction_timeout()),
            _ = stopping.wait_for(|stop| *stop) => Err(terminated(backend)),
        }
    }
}

pub fn statement_timeout() -> EngineError {
    EngineError::new(sqlstate::QUERY_CANCELED, "canceling statement due to statement timeout")
}

/// Resolves when the client is gone: it has closed its side, and nothing is left to do that it asked for before, or it does
/// not listen either. With a moment and an interval, in which PostgreSQL would look from then on, one that has closed its
/// side is gone in any case when that is next due, which `lost` remembers.
async fn gone(client: &mut Wire, checked: Option<(Instant, Duration)>, lost: &mut Option<Instant>) {
    client.get_ref().ended().await;
    let mut bytes = client.read_buffer()[..client.read_buffer().len().min(AHEAD)].to_vec();
    let room = AHEAD - bytes.len();
    bytes.extend(client.get_mut().peek(room).await);
    if !codec::asks_for_more(&bytes, bytes.len() < AHEAD) {
        return;
    }
    if let (None, Some((begun, interval))) = (&lost, checked) {
        let elapsed = begun.elapsed().as_nanos() / interval.as_nanos() + 1;
        *lost = Some(begun + interval.saturating_mul(u32::try_from(elapsed).unwrap_or(u32::MAX)));
    }
    tokio::select! {
        () = client.get_ref().gone() => {}
        () = until(*lost), if lost.is_some() => {}
    }
}

pub fn transaction_timeout() -> End {
    End::Fatal(EngineError::new(sqlstate::TRANSACTION_TIMEOUT, "terminating connection due to transaction timeout"))
}

pub async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
