//! Who a session acts as: the settings `role` and `session_authorization`, and which roles the names in them mean.

use std::collections::HashMap;

use config::Settings;
use parking_lot::Mutex;
use types::{Oid, oid};

/// The value of `role` without a SET ROLE.
pub const NO_ROLE: &str = "none";

/// Which roles the names in the settings mean: those that had them when the session became them. A session stays the role that it
/// is when that gets another name; when it is dropped, a role that gets its name later is not the session's.
#[derive(Debug, Default)]
pub struct Identities(Mutex<HashMap<String, Oid>>);

impl Identities {
    /// The session was allowed to become a role.
    pub fn put(&self, name: &str, role: Oid) {
        self.0.lock().insert(name.into(), role);
    }

    /// Whom the session acts as by its settings. 0: no role.
    pub fn current(&self, settings: &Settings) -> Oid {
        match settings.get("role") {
            NO_ROLE | "" => self.session(settings),
            role => self.of(role),
        }
    }

    /// Whom it acts as without SET ROLE.
    pub fn session(&self, settings: &Settings) -> Oid {
        self.of(settings.get("session_authorization"))
    }

    /// A role that the session is, was or could be again.
    pub fn of(&self, name: &str) -> Oid {
        self.0.lock().get(name).copied().unwrap_or(oid::INVALID)
    }
}
