//! E12: pgbench with data some ten times larger than memory, which a control group limits, page cache included.

use super::memory::in_turns;
use super::pgbench::{Load, Script, initialise, measure, warm};
use crate::error::Result;
use crate::fio;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// Of pgbench's scale, as a run at scale 1 has it: 16 GB in PostgreSQL.
const SCALE: f64 = 1000.0;
/// Bytes of memory for each unit of pgbench's scale: a tenth of PostgreSQL's data.
const MEMORY: u64 = (160 << 20) / 100;
const WARM_SECONDS: u32 = 20;
const SECONDS: u32 = 40;
const CLIENTS: u32 = 32;

const SCRIPTS: [&str; 3] = ["select-only", "simple-update", "tpcb-like"];

/// PostgreSQL with a quarter and with an eighth of the memory in its own buffers; Inflight divides it by itself.
fn contenders(software: &Software, memory: u64) -> Vec<Contender> {
    let all = match software {
        Software::Inflight { .. } => vec![Contender::new(software, "", &[])],
        Software::Postgres { .. } => {
            let with = |part: u64| {
                let buffers = format!("{}kB", memory / part / 1024);
                Contender::new(software, &format!("1/{part}"), &[("shared_buffers", &buffers)])
            };
            vec![with(4), with(8)]
        }
    };
    all.into_iter().map(|contender| contender.within(memory)).collect()
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let scale = ((SCALE * stage.bench.scale) as u64).max(20);
    let memory = scale * MEMORY;
    for round in 0..stage.bench.repeat {
        stage.limit(fio::SCATTERED, round)?;
        for software in in_turns(stage, round) {
            let mut loaded = false;
            for contender in contenders(&software, memory) {
                let sample = |script: &str| {
                    stage.blank(&contender.name(), &vec![("load".to_string(), script.to_string())], round)
                };
                let all = SCRIPTS.map(|script| (script, sample(script)));
                if all.iter().all(|(_, sample)| stage.bench.records.has(sample)) {
                    continue;
                }
                if !loaded {
                    load(stage, &software, scale)?;
                    loaded = true;
                }
                let running = stage.start_cold(&contender)?;
                for (script, sample) in all {
                    let load =
                        Load { script: Script::Builtin(script), mode: "prepared", clients: CLIENTS, seconds: SECONDS };
                    warm(stage, &load, WARM_SECONDS)?;
                    measure(stage, &running, sample, &load, &vec![])?;
                }
                running.stop()?;
            }
        }
    }
    Ok(())
}

/// Makes the tables, in no more than the machine's memory.
fn load(stage: &mut Stage, software: &Software, scale: u64) -> Result<()> {
    eprintln!("   pgbench -i -s {scale}: {software}");
    let running = stage.start_cold(&Contender::new(software, "", &[]))?;
    stage.unlimited(|stage| {
        initialise(stage, scale)?;
        running.client.run(&["CHECKPOINT"])?;
        let bytes =
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'pgbench%' AND relkind = 'r'";
        eprintln!("   {} bytes", running.client.run(&[bytes])?);
        running.stop()
    })
}
