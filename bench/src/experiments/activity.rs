//! E4: which session waits for what while the scan runs, and what is in flight (E3).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::thread::JoinHandle;

use super::scan::{COUNT, SERIAL};
use crate::error::{Context, Result};
use crate::peers::Software;
use crate::peers::client::Client;
use crate::program;
use crate::run::{Contender, Stage};

/// Each answer begins with a row `look`.
const ACTIVITY: &str = "SELECT 'look' UNION ALL SELECT backend_type || ' | ' || coalesce(state, '') || ' | ' || \
                        coalesce(wait_event_type || '/' || wait_event, 'running') FROM pg_stat_activity \
                        WHERE backend_type IN ('client backend', 'io worker', 'parallel worker') \
                        AND coalesce(state, '') <> 'idle' AND coalesce(query, '') NOT LIKE '%look%'";
const IN_FLIGHT: &str = "SELECT 'look' UNION ALL SELECT pid::text || ' | ' || io_id::text || ' | ' || state || ' | ' || \
                         operation || ' | ' || off::text || ' | ' || length::text || ' | ' || target_desc FROM pg_aios";
/// Rows of `pg_aios` that are shown.
const SHOWN: usize = 4;

/// psql asking the same again and again, every ten milliseconds.
struct Watch {
    child: Child,
    stdin: Option<ChildStdin>,
    reader: JoinHandle<Vec<String>>,
}

impl Watch {
    fn start(client: &Client, query: &str) -> Result<Watch> {
        let mut child =
            program::spawn(client.psql().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let mut stdin = child.stdin.take().expect("piped");
        writeln!(stdin, "{query} \\watch 0.01").context(|| "writing to psql".into())?;
        let stdin = Some(stdin);
        let stdout = child.stdout.take().expect("piped");
        let reader = std::thread::spawn(move || BufReader::new(stdout).lines().map_while(|l| l.ok()).collect());
        Ok(Watch { child, stdin, reader })
    }

    /// The answers, each a list of rows.
    fn stop(mut self) -> Vec<Vec<String>> {
        // An interrupt ends \watch, the end of its input psql; killed, it would lose what it has not written yet.
        program::signal(self.child.id(), libc::SIGINT);
        drop(self.stdin.take());
        if program::wait(&mut self.child, Some(std::time::Duration::from_secs(10))).is_err() {
            return Vec::new();
        }
        let mut answers: Vec<Vec<String>> = Vec::new();
        for line in self.reader.join().unwrap_or_default() {
            if line == "look" {
                answers.push(Vec::new());
            } else if let Some(rows) = answers.last_mut()
                && !line.is_empty()
            {
                rows.push(line);
            }
        }
        answers
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let mut contenders = Vec::new();
    for software in stage.bench.systems.clone() {
        match &software {
            Software::Postgres { version, .. } if *version < 18 => contenders.push(Contender::new(&software, "", &[])),
            _ => {
                for method in ["io_uring", "worker"] {
                    if method == "io_uring" && !software.has_uring() {
                        continue;
                    }
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
        let activity = Watch::start(&client, ACTIVITY)?;
        let in_flight = has_aios(&contender.software).then(|| Watch::start(&client, IN_FLIGHT)).transpose()?;
        // The watchers are under way.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let scanned = client.run(&[SERIAL, COUNT]);
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        let looks: Vec<_> = activity.stop().into_iter().filter(|rows| !rows.is_empty()).collect();
        looks.iter().flatten().for_each(|row| *seen.entry(row.clone()).or_default() += 1);
        let fullest =
            in_flight.map(Watch::stop).unwrap_or_default().into_iter().max_by_key(Vec::len).unwrap_or_default();
        scanned?;
        let mut lines = vec![format!("{} looks found a session at work:", looks.len())];
        lines.extend(seen.iter().map(|(what, count)| format!("{count:>5} x {what}")));
        if !fullest.is_empty() {
            lines.push("in flight (pg_aios), at one of them:".into());
            lines.extend(fullest.iter().take(SHOWN).map(|f| format!("      {f}")));
        }
        sample.text = lines.join("\n");
        running.stop()?;
        stage.bench.records.add(sample)?;
    }
    Ok(())
}

/// `pg_aios` came with version 18.
fn has_aios(software: &Software) -> bool {
    !matches!(software, Software::Postgres { version, .. } if *version < 18)
}
