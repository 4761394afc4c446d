//! The names of PostgreSQL 18's functions (`pg_proc`): whatever else DataFusion has is no function here.

use std::collections::HashSet;
use std::sync::LazyLock;

use engine::EngineError;

static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("postgresql_functions.txt").lines().collect());

/// What PostgreSQL's grammar calls like functions.
const SYNTAX: &[&str] = &[
    "array",
    "coalesce",
    "current_catalog",
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "greatest",
    "grouping",
    "least",
    "localtime",
    "localtimestamp",
    "nullif",
    "row",
    "trim",
    "user",
];

pub fn is_postgresqls(name: &str) -> bool {
    NAMES.contains(name) || SYNTAX.contains(&name)
}

/// Fails for what is no function of PostgreSQL's. Ours for its operators begin with `pg_`.
pub fn check(name: &str) -> engine::Result<()> {
    if is_postgresqls(name) || name.starts_with("pg_") { Ok(()) } else { Err(missing(name)) }
}

/// A function that is not there: not in PostgreSQL either (42883), or not yet here (0A000).
pub fn missing(name: &str) -> EngineError {
    if is_postgresqls(name) {
        return EngineError::unsupported(format!("function {name}"));
    }
    EngineError::new("42883", format!("function {name}() does not exist"))
        .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
}
