//! Who a session acts as, by its settings alone.

use config::Settings;

/// The value of `role` without a SET ROLE.
pub const NO_ROLE: &str = "none";

/// Who the session acts as.
pub fn current_user(settings: &Settings) -> &str {
    match settings.get("role") {
        NO_ROLE | "" => settings.get("session_authorization"),
        role => role,
    }
}
