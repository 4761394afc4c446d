//! The server's share of the processors where the kernel groups tasks by session (`sched_autogroup_enabled`, and no control
//! group says otherwise): each session of processes gets as much as any other, whatever it runs. PostgreSQL's backends are a
//! session each; our threads are one together, and would get what a single client gets: clients then took the processor from
//! sessions in the middle of their answers, and of 61,000 point selects a second 53,000 were left (two cores, 8 clients).

use std::fs;

/// The group's `nice` value: three times the weight of another.
const NICE: &str = "-5";

/// Asks for a larger share, if the server was started as a service: with a terminal, its group has the user's shell too. Only
/// those may who may lower `nice`.
pub fn weigh_more() {
    if !has_terminal()
        && let Err(error) = fs::write("/proc/self/autogroup", NICE)
    {
        tracing::debug!(%error, "the server's task group stays as it is");
    }
}

fn has_terminal() -> bool {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    terminal(&stat).is_none_or(|terminal| terminal != 0)
}

/// `tty_nr` of `/proc/PID/stat`: the fifth field behind the program's name, which may have blanks and parentheses in it.
fn terminal(stat: &str) -> Option<i32> {
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(4)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_is_found_behind_any_name() {
        assert_eq!(terminal("12 (inflight) S 1 12 12 0 -1 4194560 1 2"), Some(0));
        assert_eq!(terminal("12 (a) S 9 (b) R 1 12 12 34817 12 4194560"), Some(34817));
        assert_eq!(terminal(""), None);
    }
}
