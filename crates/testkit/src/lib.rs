//! What tests share: a server that is started, asked and stopped ([`Server`]), a real PostgreSQL that is asked ([`ask`]), and how a
//! test says that it cannot run here ([`skip`]). A development dependency; no crate of the server uses it.

mod postgres;
mod server;

pub use postgres::ask;
pub use server::{Group, Server, code, command, free_port, inflight, pgbench};

/// Says that a test does not run here. That is a failure where INFLIGHT_NO_SKIP is set (CI).
pub fn skip(reason: &str) {
    assert!(std::env::var_os("INFLIGHT_NO_SKIP").is_none(), "skipped, but INFLIGHT_NO_SKIP is set: {reason}");
    eprintln!("skipped: {reason}");
}
