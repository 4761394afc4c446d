//! Servers with all data in their memory: what their processors allow, with no checkpoint in between.

use std::process::Command;

use crate::error::Result;
use crate::peers::Software;
use crate::peers::cluster::Running;
use crate::program::check_interrupt;
use crate::record::Sample;
use crate::run::{Contender, Stage};

/// All data in memory, on both sides, and no checkpoint in between.
const MEMORY: [(&str, &str); 3] = [("shared_buffers", "2GB"), ("max_wal_size", "8GB"), ("checkpoint_timeout", "3600")];

/// The best that is known for transactions in memory, with these settings besides.
pub fn tuned(software: &Software, besides: &[(&str, &str)]) -> Contender {
    let mut settings = [&MEMORY[..], besides].concat();
    match software {
        Software::Postgres { version, .. } if *version >= 18 => {
            settings.push(("io_method", software.best_method()));
            Contender::new(software, software.best_method(), &settings)
        }
        _ => Contender::new(software, "", &settings),
    }
}

/// Commits that do not wait for the disk: what they would wait for is the device's doing.
pub const ASYNCHRONOUS: [(&str, &str); 1] = [("synchronous_commit", "off")];
/// Durable commits, and those.
pub const COMMITS: [[(&str, &str); 1]; 2] = [[("synchronous_commit", "on")], ASYNCHRONOUS];

/// A client program that is told its server by its arguments alone.
pub fn client(name: &str) -> Command {
    let mut command = Command::new(name);
    for variable in ["PGOPTIONS", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE"] {
        command.env_remove(variable);
    }
    command
}

/// The systems, in another order in every other round: none is always behind the same one.
pub fn in_turns(stage: &Stage, round: u32) -> Vec<Software> {
    let mut systems = stage.bench.systems.clone();
    if round % 2 == 1 {
        systems.reverse();
    }
    systems
}

/// Things to be measured, each with what tells its figures from the others'.
pub struct Measured<T> {
    /// What they are: a test, a query.
    pub kind: &'static str,
    pub each: Vec<(String, T)>,
}

impl<T> Measured<T> {
    /// Measures them in each system by turns, in a server with these settings that `load` has prepared, unless there are figures
    /// from before. The settings are in the figures.
    pub fn by_turns(
        &self,
        stage: &mut Stage,
        settings: &[(&str, &str)],
        load: impl Fn(&Running) -> Result<()>,
        measure: impl Fn(&mut Stage, &Running, &T, Sample) -> Result<()>,
    ) -> Result<()> {
        for round in 0..stage.bench.repeat {
            for software in in_turns(stage, round) {
                let contender = tuned(&software, settings);
                let name = contender.name();
                let sample = |shown: &String| {
                    let set = settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
                    let shown = std::iter::once((self.kind.to_string(), shown.clone()));
                    stage.blank(&name, &shown.chain(set).collect(), round)
                };
                let all = self.each.iter().map(|(shown, each)| (each, sample(shown)));
                let missing: Vec<_> = all.filter(|(_, sample)| !stage.bench.records.has(sample)).collect();
                if missing.is_empty() {
                    continue;
                }
                let running = stage.start_cold(&contender)?;
                stage.unlimited(|_| load(&running))?;
                for (each, sample) in missing {
                    check_interrupt()?;
                    measure(stage, &running, each, sample)?;
                }
                running.stop()?;
            }
        }
        Ok(())
    }
}
