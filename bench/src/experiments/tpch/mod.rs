//! TPC-H: the 22 queries in their standard text (`queries.sql`), each the least of three runs with all data in memory, or cold. All
//! systems must give the same answers.

use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::path::Path;

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use super::bitmap::best;
use super::choice::use_volume;
use super::memory::Measured;
use crate::error::{Context, Error, Result};
use crate::peers::Software;
use crate::peers::cluster::Running;
use crate::program::{check_interrupt, run as run_program};
use crate::record::Sample;
use crate::run::{Question, Stage, canonical, show};

const TABLES: [&str; 8] = ["region", "nation", "part", "supplier", "partsupp", "customer", "orders", "lineitem"];
const RUNS: usize = 3;

pub fn run(stage: &mut Stage) -> Result<()> {
    let scale = stage.bench.scale;
    let numbers = (1..).map(|number: usize| format!("Q{number}"));
    let queries = Measured { kind: "query", each: numbers.zip(queries(scale)).collect() };
    queries.by_turns(
        stage,
        &[],
        |running| load(running, scale),
        |stage, running, query, sample| measure(stage, running, query, sample),
    )
}

/// Each query once, in a server that has just started and whose files are not in memory.
pub fn run_cold(stage: &mut Stage) -> Result<()> {
    let (systems, scale) = (stage.bench.systems.clone(), stage.bench.scale);
    for software in &systems {
        let contender = best(software);
        eprintln!("   loading {software}");
        let running = stage.start_cold(&contender)?;
        stage.unlimited(|_| load(&running, scale))?;
        running.stop()?;
        stage.reloaded(software);
        if matches!(software, Software::Inflight { .. }) {
            let anywhere = "SELECT count(l_comment) FROM lineitem WHERE l_partkey < 1000";
            use_volume(stage, software, "SELECT sum(length(l_comment)) FROM lineitem", anywhere)?;
        }
    }
    for round in 0..stage.bench.repeat {
        for (number, query) in queries(scale).iter().enumerate() {
            for contender in systems.iter().map(best) {
                let name = format!("Q{}", number + 1);
                stage.ask(&contender, round, &Question { name: &name, before: &[], statement: query, warm: false })?;
            }
        }
    }
    Ok(())
}

/// The queries by number, for data of this scale.
fn queries(scale: f64) -> Vec<String> {
    let text = include_str!("queries.sql").replace(":scale", &scale.to_string());
    text.split(";\n").map(str::trim).filter(|query| !query.is_empty()).map(String::from).collect()
}

/// Makes the tables, unless they are there from an earlier round.
fn load(running: &Running, scale: f64) -> Result<()> {
    if running.client.run(&["SELECT count(*) FROM pg_indexes WHERE tablename = 'lineitem'"])? == "3" {
        return Ok(());
    }
    let drop = format!("DROP TABLE IF EXISTS {}", TABLES.join(", "));
    running.client.run(&[&drop, include_str!("tables.sql")])?;
    let folder = std::env::temp_dir().join(format!("inflight-bench-tpch.{}", std::process::id()));
    std::fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
    let loaded = TABLES.iter().try_for_each(|table| {
        let file = folder.join(table);
        write_table(table, scale, &file).context(|| format!("writing {}", file.display()))?;
        let copy = format!("\\copy {table} from '{}' with (delimiter '|')", file.display());
        run_program(running.client.psql().args(["-c", &copy]))?;
        let _ = std::fs::remove_file(&file);
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&folder);
    loaded?;
    // VACUUM wants to be alone.
    let keys: Vec<&str> = include_str!("keys.sql").split(";\n").map(str::trim).filter(|s| !s.is_empty()).collect();
    running.client.run(&keys)?;
    Ok(())
}

fn write_table(table: &str, scale: f64, file: &Path) -> std::io::Result<()> {
    match table {
        "region" => write_rows(file, RegionGenerator::new(scale, 1, 1).iter()),
        "nation" => write_rows(file, NationGenerator::new(scale, 1, 1).iter()),
        "part" => write_rows(file, PartGenerator::new(scale, 1, 1).iter()),
        "supplier" => write_rows(file, SupplierGenerator::new(scale, 1, 1).iter()),
        "partsupp" => write_rows(file, PartSuppGenerator::new(scale, 1, 1).iter()),
        "customer" => write_rows(file, CustomerGenerator::new(scale, 1, 1).iter()),
        "orders" => write_rows(file, OrderGenerator::new(scale, 1, 1).iter()),
        _ => write_rows(file, LineItemGenerator::new(scale, 1, 1).iter()),
    }
}

/// dbgen's lines, without the delimiter that it puts behind the last column.
fn write_rows(file: &Path, rows: impl Iterator<Item: Display>) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    for row in rows {
        let line = row.to_string();
        writeln!(out, "{}", line.strip_suffix('|').unwrap_or(&line))?;
    }
    out.flush()
}

fn measure(stage: &mut Stage, running: &Running, query: &str, mut sample: Sample) -> Result<()> {
    sample.value = f64::INFINITY;
    for _ in 0..RUNS {
        check_interrupt()?;
        let timed = running.client.timed(&[], query)?;
        sample.value = sample.value.min(timed.ms);
        sample.answer = canonical(&timed.answer);
    }
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    eprintln!("   round {} {}{}: {:.0} ms", sample.round + 1, sample.system, show(&sample.settings), sample.value);
    let mut others = stage.bench.records.samples.iter().filter(|other| other.experiment == sample.experiment);
    let other = others.find(|other| other.profile == sample.profile && other.settings == sample.settings);
    if let Some(other) = other.filter(|other| other.answer != sample.answer) {
        return Err(Error::program(format!(
            "{} answers\n{}\nwhere {} answered\n{}",
            sample.system, sample.answer, other.system, other.answer
        )));
    }
    stage.bench.records.add(sample)
}
