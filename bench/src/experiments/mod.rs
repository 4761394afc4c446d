//! The published experiments (`../shared/EXPERIMENTS.md`), each as what it asks of the runner.

mod accounts;
mod activity;
mod bitmap;
mod choice;
mod commits;
mod copy;
mod definitions;
mod depth;
mod index;
mod larger;
mod load;
mod memory;
mod pgbench;
mod plans;
mod scan;
mod sqllogictest;
mod statements;
mod sysbench;
mod tpcc;
mod tpcc_hour;
mod tpch;
mod vacuum;
mod workers;

use crate::error::{Error, Result};
use crate::run::Stage;

pub struct Experiment {
    pub id: &'static str,
    pub title: &'static str,
    /// What is varied, and what the publication found.
    pub about: &'static str,
    /// A figure that is compared, and not text.
    pub compares: bool,
    /// Only figures with the same values of these settings are compared.
    pub like_with_like: &'static [&'static str],
    /// Of the figure: `ms`, of which less is better, or a rate.
    pub unit: &'static str,
    run: fn(&mut Stage) -> Result<()>,
}

pub const ALL: &[Experiment] = &[
    Experiment {
        id: "load",
        title: "Load: INSERT INTO test SELECT generate_series",
        about: "The published table, filled by one statement.",
        compares: true,
        like_with_like: &[],
        unit: "ms",
        run: load::run,
    },
    Experiment {
        id: "e1",
        title: "E1: cold SELECT count(*)",
        about: "Cold cache, no parallel workers, by io_method; PostgreSQL at the best of its settings. \
                Published: 15.8 s (17), 15.1 s (18 sync), 10.1 s (worker), 5.7 s (io_uring).",
        compares: true,
        like_with_like: &[],
        unit: "ms",
        run: scan::run,
    },
    Experiment {
        id: "e2",
        title: "E2: the same scan by effective_io_concurrency",
        about: "Published: from 16 to 128 no visible difference.",
        compares: true,
        like_with_like: &[],
        unit: "ms",
        run: depth::run,
    },
    Experiment {
        id: "index",
        title: "Index scans, cold",
        about: "Rows that lie anywhere in a table of 200 bytes a row, through an index; no parallel workers. PostgreSQL with \
                nothing but the index, and with its best plan; effective_io_concurrency = 128.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: index::run,
    },
    Experiment {
        id: "e6",
        title: "E6: cold SELECT count(bid) FROM pgbench_accounts",
        about: "0 and 2 workers; PostgreSQL with io_method sync and io_uring, effective_io_concurrency = 128. Inflight's \
                table takes an eighth of the bytes; those of accounts with text are nearly the same. Published: 368.7 s (sync), \
                288.5 s (io_uring) for 1 TB.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: accounts::scan,
    },
    Experiment {
        id: "e8",
        title: "E8: bitmap scans",
        about: "Rows on 1, 5 and 20 % of the pages, cold; nearly all rows by a lossy bitmap (work_mem = 64kB) in memory, with 0 \
                and 4 workers. Published: 2.6 s serial, 1.0 s with 4 workers.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: bitmap::run,
    },
    Experiment {
        id: "choice",
        title: "Plans that are chosen, beside those that are forced",
        about: "40 queries of one to five tables, four selectivities, cold and in memory. No own plan may take more than twice \
                the time of the best that was forced.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: choice::run,
    },
    Experiment {
        id: "e10",
        title: "E10: pg_prewarm",
        about: "pgbench_accounts, modes read and buffer. Published, asynchronous and direct: read 3626 to 6438 MiB/s, buffer \
                1647 to 5897 MiB/s.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: accounts::prewarm,
    },
    Experiment {
        id: "e4",
        title: "E4: pg_stat_activity while E1 runs",
        about: "Which backends wait for what, sampled.",
        compares: false,
        like_with_like: &[],
        unit: "ms",
        run: activity::run,
    },
    Experiment {
        id: "e5",
        title: "E5: EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)",
        about: "The plan with its I/O.",
        compares: false,
        like_with_like: &[],
        unit: "ms",
        run: plans::run,
    },
    Experiment {
        id: "e7",
        title: "E7: commit_delay",
        about: "pgbench simple-update, 10 clients, all data in memory, PostgreSQL over the published values of \
                commit_delay, Inflight at its default, which finds it. Published: 1576 tps at 0, 2738 at its best, 1000.",
        compares: true,
        like_with_like: &[],
        unit: "tps",
        run: pgbench::commit_delay,
    },
    Experiment {
        id: "e7-auto",
        title: "commit_delay = auto beside fixed values",
        about: "Inflight alone, 1, 10 and 50 clients.",
        compares: true,
        like_with_like: &["clients"],
        unit: "tps",
        run: pgbench::own_delays,
    },
    Experiment {
        id: "e9",
        title: "E9: COPY BINARY by several clients",
        about: "Of an 89 MB file into a table for each client, which is emptied before, in the same transaction or in one of its \
                own; 4 and 8 clients. Published, asynchronous and direct: 3.0 to 4.7 and 9.7 to 18.1 loads a second.",
        compares: true,
        like_with_like: &["load"],
        unit: "tps",
        run: copy::run,
    },
    Experiment {
        id: "e12",
        title: "E12: pgbench, larger than memory",
        about: "32 clients, memory for a tenth of PostgreSQL's data (a control group, page cache included), PostgreSQL with a \
                quarter and with an eighth of it in shared_buffers (with half of it, it is killed). Inflight's data take a fourth of the bytes.",
        compares: true,
        like_with_like: &["load"],
        unit: "tps",
        run: larger::run,
    },
    Experiment {
        id: "e13",
        title: "E13: hot rows",
        about: "64 clients that update one row, alone and in a block with a row of their own, 64 that read it beside 8 that \
                update it, and 1 to 100 clients with a row each. All data in memory.",
        compares: true,
        like_with_like: &["load"],
        unit: "tps",
        run: commits::hot_rows,
    },
    Experiment {
        id: "oltp",
        title: "pgbench in memory",
        about: "10 clients, all data in memory: what the processors allow.",
        compares: true,
        like_with_like: &["load"],
        unit: "tps",
        run: pgbench::in_memory,
    },
    Experiment {
        id: "sysbench",
        title: "sysbench in memory",
        about: "sysbench's OLTP tests, 8 clients, 100,000 rows at scale 0.1, 20 s each, with durable commits and with \
                synchronous_commit = off.",
        compares: true,
        like_with_like: &["test", "synchronous_commit"],
        unit: "tps",
        run: sysbench::run,
    },
    Experiment {
        id: "tpcc",
        title: "TPC-C in memory",
        about: "go-tpc, 8 clients without waits, 2 warehouses at scale 0.1, 60 s, with durable commits and with \
                synchronous_commit = off; the data are checked afterwards.",
        compares: true,
        like_with_like: &["synchronous_commit"],
        unit: "tpmC",
        run: tpcc::run,
    },
    Experiment {
        id: "tpcc-load",
        title: "TPC-C's load",
        about: "go-tpc's prepare by 4 clients, 2 warehouses at scale 0.1: INSERTs of many VALUES rows into tables with keys.",
        compares: true,
        like_with_like: &["synchronous_commit"],
        unit: "ms",
        run: tpcc::load,
    },
    Experiment {
        id: "tpcc-hour",
        title: "TPC-C, minute by minute",
        about: "As TPC-C in memory, durable, with autovacuum and a checkpoint every five minutes, for an hour or `--seconds`.",
        compares: true,
        like_with_like: &[],
        unit: "tpmC",
        run: tpcc_hour::run,
    },
    Experiment {
        id: "statements",
        title: "One statement alone",
        about: "150 everyday statements, each the median of 100 on one connection, simple and prepared, synchronous_commit = off.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: statements::run,
    },
    Experiment {
        id: "application",
        title: "What a shop's application asks, one script alone",
        about: "Some 60 scripts of one to five statements over nine tables in memory; median of 100 on one connection, simple and \
                prepared, synchronous_commit = off.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: statements::application,
    },
    Experiment {
        id: "migrations",
        title: "Definitions, small loads and maintenance, one script alone",
        about: "18 scripts of one to seven statements on small tables; median of 100 on one connection, durable commits.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: statements::migrations,
    },
    Experiment {
        id: "definitions",
        title: "Definitions and the catalog with 10 and with many tables",
        about: "17 scripts, what drivers, ORMs and psql ask (44 queries), pg_dump, memory and starts; `--tables` are many. Medians of \
                10 on one connection, durable commits. The figures are in definitions.md.",
        compares: false,
        like_with_like: &[],
        unit: "ms",
        run: definitions::run,
    },
    Experiment {
        id: "vacuum",
        title: "VACUUM, cold",
        about: "A table of 110 MB and two indexes, a fifth of whose rows were deleted, in a server that has just started; PostgreSQL \
                with effective_io_concurrency = 128, the largest ring there is and wal_compression = lz4.",
        compares: true,
        like_with_like: &[],
        unit: "ms",
        run: vacuum::run,
    },
    Experiment {
        id: "sqllogictest",
        title: "sqllogictest's corpus",
        about: "4,000 statements of each of its folders, most of which come once, through psql, synchronous_commit = off. The \
                answers are compared.",
        compares: true,
        like_with_like: &["folder"],
        unit: "ms",
        run: sqllogictest::run,
    },
    Experiment {
        id: "tpch",
        title: "TPC-H in memory",
        about: "The 22 queries, each the least of three runs; `--scale` is TPC-H's. The answers are compared.",
        compares: true,
        like_with_like: &["query"],
        unit: "ms",
        run: tpch::run,
    },
    Experiment {
        id: "tpch-cold",
        title: "TPC-H, cold",
        about: "The 22 queries, each once in a server that has just started; PostgreSQL with effective_io_concurrency = 128. \
                `--scale` is TPC-H's. The answers are compared.",
        compares: true,
        like_with_like: &["statement"],
        unit: "ms",
        run: tpch::run_cold,
    },
    Experiment {
        id: "e19",
        title: "E19: as they come",
        about: "pgbench simple-update, 10 clients, 300 MB at scale 20: more than PostgreSQL's 128 MB of buffers, less than \
                the machine's memory. Nothing set on either side, and with shared_buffers = 2GB. PostgreSQL's pages are \
                also in the system's page cache, Inflight's are not.",
        compares: true,
        like_with_like: &[],
        unit: "tps",
        run: pgbench::defaults,
    },
    Experiment {
        id: "e11",
        title: "E11: parallel scan by workers",
        about: "Cold count(*) with 0 to 8 workers. Published, asynchronous and direct: 33.1, 17.2, 11.8, 9.0, 9.2 s.",
        compares: true,
        like_with_like: &[],
        unit: "ms",
        run: workers::run,
    },
];

pub fn find(id: &str) -> Result<&'static Experiment> {
    ALL.iter().find(|e| e.id == id).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|e| e.id).collect();
        Error::usage(format!("no experiment \"{id}\"; there are {}", known.join(", ")))
    })
}

impl Experiment {
    pub fn more_is_better(&self) -> bool {
        self.unit != "ms"
    }

    pub fn is_better(&self, figure: f64, than: f64) -> bool {
        if self.more_is_better() { figure > than } else { figure < than }
    }

    pub fn run(&self, stage: &mut Stage) -> Result<()> {
        stage.begin(self.id);
        (self.run)(stage)
    }
}
