//! When a client has been silent for a while, its connection rests: what can be made again is let go of, so that thousands
//! of idle connections take little.

use std::pin::Pin;
use std::time::Duration;

use bytes::BytesMut;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// How long the client must have been silent.
const SILENCE: Duration = Duration::from_secs(5);
/// Of a buffer while its connection works, and while it rests, in bytes.
const WORKING: usize = 8 << 10;
const RESTING: usize = 256;

pub struct Rest {
    /// One timer for all waits: to set it with each message would cost more than many a statement.
    timer: Pin<Box<Sleep>>,
    heard: Instant,
    resting: bool,
}

impl Rest {
    pub fn new() -> Rest {
        Rest { timer: Box::pin(sleep(SILENCE)), heard: Instant::now(), resting: false }
    }

    /// Resolves, once, when the client has been silent for long enough.
    pub async fn due(&mut self) {
        if self.resting {
            return std::future::pending().await;
        }
        loop {
            self.timer.as_mut().await;
            let due = self.heard + SILENCE;
            self.timer.set(sleep_until(due));
            if due <= Instant::now() {
                self.resting = true;
                return;
            }
        }
    }

    /// The client has said something. Had the connection rested?
    pub fn heard(&mut self) -> bool {
        self.heard = Instant::now();
        if self.resting {
            self.timer.set(sleep_until(self.heard + SILENCE));
        }
        std::mem::take(&mut self.resting)
    }
}

/// Gives the memory of a buffer back that nothing is in.
pub fn shrink(buffer: &mut BytesMut) {
    if buffer.is_empty() {
        *buffer = BytesMut::with_capacity(RESTING);
    }
}

/// Gives the memory of a buffer back in which something large has been. (What it has room for now says nothing of that.)
pub fn begin_anew(buffer: &mut BytesMut) {
    if buffer.is_empty() {
        *buffer = BytesMut::with_capacity(WORKING);
    }
}

/// Makes room as in the beginning.
pub fn widen(buffer: &mut BytesMut) {
    buffer.reserve(WORKING.saturating_sub(buffer.len()));
}
