//! A limit on a server's memory, the page cache of its files included: a control group of version 1 or 2.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::error::{Error, Result};

/// A control group; dropping it removes it, when its processes have ended.
pub struct Cgroup(PathBuf);

impl Cgroup {
    /// One that allows so many bytes.
    pub fn with_memory(bytes: u64) -> Result<Cgroup> {
        let name = format!("inflight-bench.{}", std::process::id());
        let mut failed = String::new();
        // Version 1 has a tree for memory alone.
        for (tree, file) in [("memory", "memory.limit_in_bytes"), ("", "memory.max")] {
            let path = Path::new("/sys/fs/cgroup").join(tree).join(&name);
            let made = match std::fs::create_dir(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(Cgroup(path)),
            };
            match made.and_then(|group| std::fs::write(group.0.join(file), bytes.to_string()).map(|()| group)) {
                Ok(group) => return Ok(group),
                Err(error) => failed = error.to_string(),
            }
        }
        Err(Error::missing(format!("no control group can be made to limit memory (it needs root): {failed}")))
    }

    /// The same command in this group.
    pub fn inside(&self, command: &Command) -> Command {
        let mut inside = Command::new("sh");
        inside.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.0.join("cgroup.procs"));
        inside.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        inside
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // It is busy for a moment after its last process.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
