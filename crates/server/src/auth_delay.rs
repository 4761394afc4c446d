//! Wrong passwords are answered late, the later the more of them come from one address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// After the first wrong password; twice as long after each one more, up to the longest.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(4);
/// An address without failures for so long is forgotten.
const MEMORY: Duration = Duration::from_secs(60);
/// Addresses that are remembered.
const ADDRESSES: usize = 1024;

#[derive(Default)]
pub struct AuthDelays {
    /// Failures, and the last one; `None` is this machine's sockets.
    failures: Mutex<HashMap<Option<IpAddr>, (u32, Instant)>>,
}

/// A client with an IPv6 address has a network of them.
fn neighbourhood(address: Option<IpAddr>) -> Option<IpAddr> {
    match address {
        Some(IpAddr::V6(v6)) => Some(Ipv6Addr::from(u128::from(v6) & (u128::MAX << 64)).into()),
        other => other,
    }
}

impl AuthDelays {
    /// How long the answer to this failure is held back.
    pub fn failed(&self, address: Option<IpAddr>) -> Duration {
        let (address, now) = (neighbourhood(address), Instant::now());
        let mut failures = self.failures.lock();
        if failures.len() >= ADDRESSES && !failures.contains_key(&address) {
            failures.retain(|_, (_, last)| now.duration_since(*last) < MEMORY);
            let oldest = failures.iter().min_by_key(|(_, (_, last))| *last).map(|(address, _)| *address);
            if let Some(oldest) = oldest.filter(|_| failures.len() >= ADDRESSES) {
                failures.remove(&oldest);
            }
        }
        let (count, last) = failures.entry(address).or_insert((0, now));
        if now.duration_since(*last) >= MEMORY {
            *count = 0;
        }
        *count += 1;
        *last = now;
        (FIRST * 2u32.pow((*count - 1).min(8))).min(LONGEST)
    }

    pub fn succeeded(&self, address: Option<IpAddr>) {
        self.failures.lock().remove(&neighbourhood(address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_memory_does_not() {
        let delays = AuthDelays::default();
        let address = |n: u32| Some(IpAddr::V4(n.into()));
        let millis: Vec<u128> = (0..6).map(|_| delays.failed(address(7)).as_millis()).collect();
        assert_eq!(millis, [500, 1000, 2000, 4000, 4000, 4000]);
        delays.succeeded(address(7));
        assert_eq!(delays.failed(address(7)), FIRST);
        assert_eq!(delays.failed(None), FIRST);
        for n in 0..5000 {
            delays.failed(address(n));
        }
        assert_eq!(delays.failures.lock().len(), ADDRESSES);
        let near: [IpAddr; 2] = ["2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap()];
        delays.failed(Some(near[0]));
        assert_eq!(delays.failed(Some(near[1])), 2 * FIRST);
    }
}
