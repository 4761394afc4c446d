//! What the log says of clients that break the protocol: a client that can reach the port must not be able to fill it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Lines in each such period.
const LINES: u32 = 10;
const PERIOD: Duration = Duration::from_secs(60);

/// Counts the lines.
#[derive(Default)]
pub struct ProtocolViolations {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    began: Option<Instant>,
    lines: u32,
    left_out: u64,
}

impl ProtocolViolations {
    /// One line, if there is room for it; the next period's first tells how many were left out.
    pub fn log(&self, address: Option<SocketAddr>, reason: &str) {
        if let Some(left_out) = self.state.lock().admit(Instant::now()) {
            let client = address.map_or_else(|| "[local]".to_string(), |address| address.to_string());
            tracing::warn!(client, left_out, "a client broke the protocol: {reason}");
        }
    }
}

impl State {
    /// May another line be written? Says how many were not since the last one.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.began.is_none_or(|began| now.duration_since(began) >= PERIOD) {
            self.began = Some(now);
            self.lines = 0;
        }
        if self.lines >= LINES {
            self.left_out += 1;
            return None;
        }
        self.lines += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let (mut state, start) = (State::default(), Instant::now());
        let said = (0..1000).filter(|_| state.admit(start).is_some()).count();
        assert_eq!(said, LINES as usize);
        assert_eq!(state.admit(start + PERIOD), Some(1000 - u64::from(LINES)));
        assert_eq!(state.admit(start + PERIOD), Some(0));
    }
}
