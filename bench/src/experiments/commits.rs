//! E13: durable commits of clients that want the same row, or each its own.

use super::memory::tuned;
use super::pgbench::{Load, SECONDS, Script, measure};
use crate::error::Result;
use crate::run::{Contender, Stage};

const TABLE: [&str; 4] = [
    "DROP TABLE IF EXISTS counters",
    "CREATE TABLE counters (id int PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 50)",
    "INSERT INTO counters SELECT i, 0 FROM generate_series(0, 999) AS i",
    "CHECKPOINT",
];

const HOT: &str = "UPDATE counters SET n = n + 1 WHERE id = 0;\n";
/// What others wait for is held from the first statement to the end.
const HOT_FIRST: &str = "BEGIN;
UPDATE counters SET n = n + 1 WHERE id = 0;
UPDATE counters SET n = n + 1 WHERE id = :client_id + 100;
END;
";
const OWN: &str = "UPDATE counters SET n = n + 1 WHERE id = :client_id + 100;\n";
/// One of eight clients updates, the others read.
const READ: &str = "\\set writes :client_id % 8
\\if :writes = 0
UPDATE counters SET n = n + 1 WHERE id = 0;
\\else
SELECT n FROM counters WHERE id = 0;
\\endif
";

const LOADS: [(&str, &str, u32); 8] = [
    ("hot row", HOT, 64),
    ("hot row, 8 clients", HOT, 8),
    ("hot row and own row", HOT_FIRST, 64),
    ("hot row read", READ, 64),
    ("own rows", OWN, 1),
    ("own rows", OWN, 10),
    ("own rows", OWN, 64),
    ("own rows", OWN, 100),
];

pub fn hot_rows(stage: &mut Stage) -> Result<()> {
    for number in 0..stage.bench.repeat {
        let contenders = stage.bench.systems.clone();
        for contender in contenders.iter().flat_map(|s| [tuned(s, &[]), Contender::defaults(s)]) {
            let running = stage.start_cold(&contender)?;
            running.client.run(&TABLE)?;
            for (name, text, clients) in LOADS {
                let shown = [("load", name.to_string()), ("clients", clients.to_string())];
                let shown = shown.map(|(name, value)| (name.to_string(), value)).to_vec();
                let sample = stage.blank(&contender.name(), &shown, number);
                let load = Load { script: Script::Own(text), mode: "prepared", clients, seconds: SECONDS };
                measure(stage, &running, sample, &load, &vec![])?;
            }
            running.stop()?;
        }
    }
    Ok(())
}
