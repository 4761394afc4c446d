//! A thread for each session, as PostgreSQL has a process for each. Client and session take turns: a thread that waits for
//! one socket is woken where its client sleeps, by a switch of threads. Where a few threads waited for all sockets, each
//! answer interrupted another processor to wake its client there; on two virtual processors that was a quarter of the
//! server's time.
//!
//! The thread polls its session and the session's socket, no more: tasks that the session starts, and its timers, are the
//! pool's.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};

use crate::stream::Stream;

/// Bytes of a thread's stack: parsing and planning recurse with the statement's nesting.
pub const STACK: usize = 16 << 20;
/// Descriptors of a session beside its socket's: the thread's event loop.
pub const FILES: u64 = 3;

/// Starts a session over a client's stream. What is given resolves when nothing of the session is left; `abandoned` ends
/// it where it waits.
pub fn spawn<S, F>(
    pool: Handle,
    stream: Stream,
    mut abandoned: watch::Receiver<bool>,
    session: S,
) -> io::Result<impl Future<Output = ()> + Send + use<S, F>>
where
    S: FnOnce(Stream) -> F + Send + 'static,
    F: Future<Output = ()>,
{
    let stream = stream.into_std()?;
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let (ended, end) = oneshot::channel::<()>();
    let work = move || {
        // Dropped last, also when the session panics.
        let _ended = ended;
        runtime.block_on(async move {
            // Registered with this thread's event loop.
            let stream = match Stream::from_std(stream) {
                Ok(stream) => stream,
                Err(error) => return tracing::error!(%error, "could not watch a connection"),
            };
            let _pool = pool.enter();
            tokio::select! {
                biased;
                () = session(stream) => {}
                _ = abandoned.wait_for(|abandoned| *abandoned) => {}
            }
        });
    };
    std::thread::Builder::new().name("inflight-session".into()).stack_size(STACK).spawn(work)?;
    Ok(async move {
        let _ = end.await;
    })
}
