//! Tasks that wait for something to change: PostgreSQL's condition variables.

use std::task::{Poll, Waker};

use aio::lwlock::Mutex;

/// Tasks that wait for something to change.
#[derive(Debug, Default)]
pub(crate) struct ConditionVariable {
    waiters: Mutex<Vec<Waker>>,
}

impl ConditionVariable {
    pub(crate) fn notify(&self) {
        let waiters = std::mem::take(&mut *self.waiters.lock());
        waiters.into_iter().for_each(Waker::wake);
    }

    /// Waits until `ready`, which is asked again after each notification.
    pub(crate) async fn wait_until<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        std::future::poll_fn(|cx| {
            if let Some(value) = ready() {
                return Poll::Ready(value);
            }
            self.waiters.lock().push(cx.waker().clone());
            ready().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}
