//! E9: several clients load the same binary file, each into a table of its own, again and again.

use super::memory::in_turns;
use super::pgbench::{Load, Script, measure};
use crate::error::Result;
use crate::fio;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// Rows of 82 bytes in the file: 89 MB.
const ROWS: u32 = 1_085_000;
const CLIENTS: [u32; 2] = [4, 8];
const SECONDS: u32 = 30;

/// In memory, so that reading it is no I/O; servers in a root of their own have the machine's `/dev`.
const FILE: &str = "/dev/shm/inflight-bench.copy";

const SCRIPTS: [(&str, &str); 2] = [
    (
        "table of before",
        "TRUNCATE t:client_id;\nCOPY t:client_id FROM '/dev/shm/inflight-bench.copy' (FORMAT binary);\n",
    ),
    (
        "table of the same transaction",
        "BEGIN;\nTRUNCATE t:client_id;\nCOPY t:client_id FROM '/dev/shm/inflight-bench.copy' (FORMAT binary);\nCOMMIT;\n",
    ),
];

/// PostgreSQL as it is mostly run, and with the log that lets it go around it.
fn contenders(software: &Software) -> Vec<Contender> {
    match software {
        Software::Inflight { .. } => vec![Contender::new(software, "", &[])],
        Software::Postgres { .. } => {
            // With more log the volume is full before the first checkpoint: the files of before a TRUNCATE go with one.
            let all = [("shared_buffers", "2GB"), ("max_wal_size", "2GB")];
            let minimal = [&all[..], &[("wal_level", "minimal"), ("max_wal_senders", "0")]].concat();
            vec![Contender::new(software, "", &all), Contender::new(software, "wal_level = minimal", &minimal)]
        }
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let removed = File;
    for round in 0..stage.bench.repeat {
        stage.limit(fio::LOAD, round)?;
        for contender in in_turns(stage, round).iter().flat_map(contenders) {
            let sample = |load: &str, clients: u32| {
                let shown = [("load", load.to_string()), ("clients", clients.to_string())];
                let shown = shown.map(|(name, value)| (name.to_string(), value)).to_vec();
                stage.blank(&contender.name(), &shown, round)
            };
            let each = |(name, text)| CLIENTS.map(|clients| (text, clients, sample(name, clients)));
            let all: Vec<_> = SCRIPTS.into_iter().flat_map(each).collect();
            if all.iter().all(|(.., sample)| stage.bench.records.has(sample)) {
                continue;
            }
            let running = stage.start_cold(&contender)?;
            stage.unlimited(|_| {
                for client in 0..CLIENTS[1] {
                    running.client.run(&[
                        &format!("DROP TABLE IF EXISTS t{client}"),
                        &format!("CREATE TABLE t{client} (id bigint NOT NULL, v text)"),
                    ])?;
                }
                let rows =
                    format!("SELECT i::bigint, md5(i::text) || md5((-i)::text) FROM generate_series(1, {ROWS}) i");
                // The system that is asked first writes it: the format is the same.
                if !std::path::Path::new(FILE).exists() {
                    running.client.run(&[&format!("COPY ({rows}) TO '{FILE}' (FORMAT binary)")])?;
                }
                Ok(())
            })?;
            for (text, clients, sample) in all {
                let load = Load { script: Script::Own(text), mode: "simple", clients, seconds: SECONDS };
                measure(stage, &running, sample, &load, &vec![])?;
            }
            running.stop()?;
        }
    }
    drop(removed);
    Ok(())
}

/// Removes the file in the end.
struct File;

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(FILE);
    }
}
