//! What the tests of the engine share.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs what the synchronous I/O method does without waiting: it only gives way now and then. That is how a database is
/// opened, whose engine is not there before.
pub fn without_waits<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1 << 20 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the synchronous method waits")
}
