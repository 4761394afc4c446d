//! The published experiments, on Inflight and real PostgreSQL side by side, on the same volume in the same run.
//!
//! `list` says what there is, `doctor` what this machine can measure, `run` measures and writes a report, `report` writes
//! it anew from the raw figures, `volume` holds a simulated volume open for trying things by hand.

mod doctor;
mod error;
mod experiments;
mod fio;
mod flame;
mod peers;
mod program;
mod record;
mod report;
mod run;
mod volume;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::error::{Error, Result};
use crate::peers::Software;
use crate::record::{Plan, Records};
use crate::run::Bench;
use crate::volume::{Mounted, Profile, mount};

#[derive(Parser)]
#[command(name = "bench", about = "Inflight and real PostgreSQL, side by side on the same volume")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the experiments and the volumes.
    List,
    /// Say what this machine can and cannot measure.
    Doctor(Common),
    /// Run experiments (all of them if none is named) and write a report.
    Run {
        experiments: Vec<String>,
        /// The volume: local, gp3, io2, slow-wal or small; may be given several times.
        #[arg(long = "profile", default_value = "local")]
        profiles: Vec<Profile>,
        /// Measurements of each.
        #[arg(long, default_value_t = 3)]
        repeat: u32,
        /// How long each load of pgbench, sysbench or go-tpc lasts, instead of what its experiment has.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        seconds: Option<u32>,
        /// Tables in the database, for `definitions`; its large table has a hundred rows for each.
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..))]
        tables: u32,
        /// Where the results go; an interrupted run of the same plan is gone on with.
        #[arg(long, default_value = "bench-results")]
        out: PathBuf,
        /// Keep a flame graph of each system.
        #[arg(long)]
        profile_cpu: bool,
        /// Only these: inflight, pg17, pg18.
        #[arg(long = "only")]
        only: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Write the report of a run anew.
    Report { dir: PathBuf },
    /// Mount a simulated volume until Ctrl-C; the words `fail` and `heal` make its operations fail with EIO, or no longer.
    Volume {
        #[arg(long = "profile", default_value = "io2")]
        profile: Profile,
        /// Its size in GiB.
        #[arg(long, default_value_t = 4)]
        size: u64,
    },
}

#[derive(Args)]
struct Common {
    /// Of the published size.
    #[arg(long, default_value_t = 0.1)]
    scale: f64,
    /// A folder with PostgreSQL 17's programs.
    #[arg(long)]
    postgres17: Option<PathBuf>,
    /// A folder with PostgreSQL 18's programs.
    #[arg(long)]
    postgres18: Option<PathBuf>,
    /// The Inflight server; by default the one beside this program.
    #[arg(long)]
    inflight: Option<PathBuf>,
    /// Where the profile `local` keeps its data: on a disk, not in memory.
    #[arg(long, default_value = "/var/tmp")]
    local: PathBuf,
    /// sqllogictest's corpus: the folder `test` of its repository.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The port that the servers take, one after the other.
    #[arg(long, default_value_t = 54180)]
    port: u16,
}

impl Common {
    fn found(&self) -> Result<Vec<Software>> {
        let mut systems = Vec::new();
        systems.extend(peers::inflight(self.inflight.as_deref()).ok());
        systems.extend(peers::find(18, self.postgres18.as_deref())?);
        systems.extend(peers::find(17, self.postgres17.as_deref())?);
        Ok(systems)
    }
}

fn main() -> std::process::ExitCode {
    program::watch_for_interrupts();
    match carry_out(Cli::parse().command) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn carry_out(command: Command) -> Result<()> {
    match command {
        Command::List => {
            for experiment in experiments::ALL {
                println!("{:<5} {}\n      {}", experiment.id, experiment.title, experiment.about);
            }
            println!("\nvolumes:");
            Profile::ALL.iter().for_each(|p| println!("  {:<9} {}", p.name(), p.describe()));
            Ok(())
        }
        Command::Doctor(common) => {
            let rows = (100_000_000.0 * common.scale) as u64;
            for finding in doctor::examine(&common.found()?, &common.local, rows) {
                println!("{} {}", if finding.good { "ok     " } else { "MISSING" }, finding.text);
            }
            Ok(())
        }
        Command::Report { dir } => report::write(&dir),
        Command::Volume { profile, size } => hold_volume(profile, size),
        Command::Run { experiments, profiles, repeat, seconds, tables, out, profile_cpu, only, common } => {
            measure(experiments, profiles, repeat, seconds, tables, out, profile_cpu, only, common)
        }
    }
}

fn hold_volume(profile: Profile, size: u64) -> Result<()> {
    if profile == Profile::Local {
        return Err(Error::usage("the profile local is the machine's own disk"));
    }
    mount::check_usable()?;
    mount::tidy_up(std::path::Path::new("/var/tmp"))?;
    let volume = Mounted::new(profile, size << 30, std::path::Path::new("/tmp"))?;
    println!("{} ({}) until Ctrl-C; type fail or heal", volume.dir.display(), profile.describe());
    let (sender, words) = std::sync::mpsc::channel();
    // Ends with the program: nothing wakes a read of the terminal.
    std::thread::spawn(move || {
        let lines = std::io::stdin().lines().map_while(|l| l.ok());
        lines.take_while(|line| sender.send(line.trim().to_string()).is_ok()).for_each(drop);
    });
    while program::check_interrupt().is_ok() {
        match (words.recv_timeout(std::time::Duration::from_millis(50)).as_deref(), volume.device()) {
            (Ok("fail"), Some(device)) => device.set_failing(true),
            (Ok("heal"), Some(device)) => device.set_failing(false),
            (Ok(other), _) if !other.is_empty() => eprintln!("fail or heal, not \"{other}\""),
            // Without a terminal there are no words to wait for.
            (Err(std::sync::mpsc::RecvTimeoutError::Disconnected), _) => {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            _ => {}
        }
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // The options of one command.
fn measure(
    experiments: Vec<String>,
    profiles: Vec<Profile>,
    repeat: u32,
    seconds: Option<u32>,
    tables: u32,
    out: PathBuf,
    profile_cpu: bool,
    only: Vec<String>,
    common: Common,
) -> Result<()> {
    if !(common.scale > 0.0 && common.scale <= 10.0) || repeat == 0 {
        return Err(Error::usage("the scale is above 0 and at most 10, and there is at least one round"));
    }
    let chosen: Vec<_> = if experiments.is_empty() {
        experiments::ALL.iter().collect()
    } else {
        experiments.iter().map(|id| experiments::find(id)).collect::<Result<_>>()?
    };
    for program in ["psql"] {
        if !program::exists(program) {
            return Err(Error::missing(format!(
                "{program} is the client of every experiment (apt-get install postgresql-client)"
            )));
        }
    }
    let mut only = only;
    let mut volumes = "FUSE files under loop devices with ext4".to_string();
    if let (true, Err(why)) = (profiles.iter().any(|p| *p != Profile::Local), mount::check_usable()) {
        volumes = format!("simulated inside Inflight, which is measured alone: {why}");
        eprintln!("{volumes}");
        only = vec!["inflight".into()];
    } else {
        mount::tidy_up(&common.local)?;
    }
    let systems = wanted_systems(&only, &common)?;
    let mut machine = run::describe_machine(&systems);
    machine.push(("Simulated volumes".into(), volumes));
    let plan = Plan {
        experiments: chosen.iter().map(|e| e.id.to_string()).collect(),
        profiles: profiles.iter().map(|p| p.to_string()).collect(),
        scale: common.scale,
        repeat,
        seconds,
        machine,
    };
    let records = Records::open(&out, plan)?;
    let Common { scale, port, local, corpus, .. } = common;
    let mut bench = Bench { records, systems, scale, repeat, seconds, tables, port, local, corpus, profile_cpu };
    check_space(&bench, &profiles)?;
    for profile in profiles {
        let mut stage = bench.stage(profile)?;
        for experiment in &chosen {
            experiment.run(&mut stage)?;
        }
    }
    bench.records.finish()?;
    report::write(bench.records.dir())
}

fn wanted_systems(only: &[String], common: &Common) -> Result<Vec<Software>> {
    for name in only {
        if !["inflight", "pg17", "pg18"].contains(&name.as_str()) {
            return Err(Error::usage(format!("no system \"{name}\": inflight, pg17 or pg18")));
        }
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
    let mut systems = Vec::new();
    if wanted("inflight") {
        systems.push(peers::inflight(common.inflight.as_deref())?);
    }
    for (version, given) in [(18, &common.postgres18), (17, &common.postgres17)] {
        if wanted(&format!("pg{version}")) {
            systems.push(match peers::find(version, given.as_deref())? {
                Some(found) => found,
                None => peers::install(version)?,
            });
        }
    }
    Ok(systems)
}

fn check_space(bench: &Bench, profiles: &[Profile]) -> Result<()> {
    let needed = run::volume_bytes(bench.rows());
    let simulated = profiles.iter().any(|p| *p != Profile::Local);
    let own = profiles.contains(&Profile::Local) || mount::check_usable().is_err();
    let places = [
        (own, bench.local.display().to_string(), doctor::free_bytes(&bench.local)),
        (simulated, "memory".into(), doctor::free_memory()),
    ];
    for (used, place, free) in places {
        if used && free < needed {
            return Err(Error::missing(format!(
                "{place} has {} MB free, this scale needs {}: try a smaller --scale",
                free >> 20,
                needed >> 20
            )));
        }
    }
    Ok(())
}
