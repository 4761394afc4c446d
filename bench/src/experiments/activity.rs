//! E4: who waits for what while the scan runs, and what is in flight (E3).

use std::collections::BTreeMap;
use std::process::Stdio;

use super::scan::{COUNT, SERIAL};
use crate::error::{Context, Result};
use crate::peers::Software;
use crate::program;
use crate::run::{Contender, Stage};

const SAMPLE: &str = "SELECT backend_type, coalesce(state, ''), coalesce(wait_event_type || '/' || wait_event, 'running') \
                      FROM pg_stat_activity WHERE backend_type IN ('client backend', 'io worker', 'parallel worker') \
                      AND pid <> pg_backend_pid()";

pub fn run(stage: &mut Stage) -> Result<()> {
    let mut contenders = Vec::new();
    for software in stage.bench.systems.clone() {
        match &software {
            Software::Postgres { version, .. } if *version < 18 => contenders.push(Contender::new(&software, "", &[])),
            _ => {
                for method in ["io_uring", "worker"] {
                    contenders.push(Contender::new(&software, method, &[("io_method", method)]));
                }
            }
        }
    }
    for contender in contenders {
        stage.load(&contender.software)?;
        let mut sample = stage.blank(&contender.name(), &contender.settings, 0);
        if stage.bench.records.has(&sample) {
            continue;
        }
        let running = stage.start_cold(&contender)?;
        let client = running.client;
        let mut scan = program::spawn(client.psql().args(["-c", SERIAL, "-c", COUNT]).stdout(Stdio::null()))?;
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        let mut flights = Vec::new();
        let mut samples = 0;
        while scan.try_wait().context(|| "waiting for psql".into())?.is_none() {
            if program::check_interrupt().is_err() {
                let _ = scan.kill();
                let _ = scan.wait();
                program::check_interrupt()?;
            }
            let rows = client.run(&[SAMPLE])?;
            samples += 1;
            rows.lines().for_each(|row| *seen.entry(row.replace('|', " | ")).or_default() += 1);
            if stage_has_aios(&contender.software) && flights.is_empty() {
                let rows = client
                    .run(&["SELECT pid, io_id, state, operation, off, length, target_desc FROM pg_aios LIMIT 4"])?;
                flights.extend(rows.lines().map(|l| l.replace('|', " | ")));
            }
        }
        let mut lines = vec![format!("{samples} looks while the scan ran:")];
        lines.extend(seen.iter().map(|(what, count)| format!("{count:>5} x {what}")));
        if !flights.is_empty() {
            lines.push("in flight (pg_aios), at one of them:".into());
            lines.extend(flights.iter().map(|f| format!("      {f}")));
        }
        sample.text = lines.join("\n");
        running.stop()?;
        stage.bench.records.add(sample)?;
    }
    Ok(())
}

/// `pg_aios` came with version 18.
fn stage_has_aios(software: &Software) -> bool {
    !matches!(software, Software::Postgres { version, .. } if *version < 18)
}
