//! Work that is not left half-way: a transaction's end must not depend on whether a client waits for it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Runs a future to its end: if this one is dropped before, in a task of its own. Costs no task where none is dropped before.
pub fn uninterrupted<F>(future: F) -> impl Future<Output = F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    Uninterrupted(Some(Box::pin(future)))
}

struct Uninterrupted<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Future for Uninterrupted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // Taken out, so that one that panics is not run again.
        let mut future = self.0.take().expect("polled after its end");
        let outcome = future.as_mut().poll(cx);
        if outcome.is_pending() {
            self.0 = Some(future);
        }
        outcome
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for Uninterrupted<F> {
    fn drop(&mut self) {
        // Without a runtime the process is about to end: recovery finishes it, one way or the other.
        if let (Some(future), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(future);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_dropped_goes_on() {
        let (start, started) = tokio::sync::oneshot::channel::<()>();
        let (end, ended) = tokio::sync::oneshot::channel();
        let mut work = Box::pin(uninterrupted(async move {
            started.await.unwrap();
            end.send(7).unwrap();
        }));
        assert!(futures::poll!(work.as_mut()).is_pending());
        drop(work);
        start.send(()).unwrap();
        assert_eq!(ended.await.unwrap(), 7);
        assert_eq!(uninterrupted(async { 3 }).await, 3);
    }
}
