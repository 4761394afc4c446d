//! sqllogictest's corpus: hundreds of thousands of statements, most of which come once. Each folder's statements, one after the
//! other through psql; all systems must give the same rows, or fail with the same SQLSTATE. What one of them says it does not have
//! (0A000) is counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::memory::{ASYNCHRONOUS, Measured};
use crate::error::{Context, Error, Result};
use crate::peers::cluster::Running;
use crate::program::run as run_program;
use crate::record::Sample;
use crate::run::{SERVER_SETTINGS, Stage, show};

/// Statements of a file that are run.
const STATEMENTS: usize = 4000;
/// Behind each statement in what psql prints, with its SQLSTATE.
const MARK: &str = "-- statement";
/// The answer of a statement that is not supported.
const REFUSED: &str = "refused";

pub fn run(stage: &mut Stage) -> Result<()> {
    let Some(corpus) = stage.bench.corpus.clone() else {
        return Err(Error::missing(
            "this needs sqllogictest's corpus: --corpus FOLDER, the folder `test` of its repository (github.com/gregrahn/sqllogictest)",
        ));
    };
    // One file of each folder at the usual scale of a tenth.
    let files = ((10.0 * stage.bench.scale) as usize).max(1);
    let mut folders = BTreeMap::new();
    collect(&corpus, &corpus, &mut folders)?;
    let first = |(folder, mut all): (String, Vec<PathBuf>)| {
        all.sort();
        all.truncate(files);
        (folder, all)
    };
    let folders = Measured { kind: "folder", each: folders.into_iter().map(first).collect() };
    folders.by_turns(
        stage,
        &ASYNCHRONOUS,
        |_| Ok(()),
        |stage, running, files, sample| measure(stage, running, files, sample),
    )
}

/// The corpus's files by folder.
fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) -> Result<()> {
    let reading = || format!("reading {}", folder.display());
    for entry in std::fs::read_dir(folder).context(reading)? {
        let path = entry.context(reading)?.path();
        if path.is_dir() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "test") {
            let name = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
            found.entry(name).or_default().push(path);
        }
    }
    Ok(())
}

fn measure(stage: &mut Stage, running: &Running, files: &[PathBuf], mut sample: Sample) -> Result<()> {
    let script = std::env::temp_dir().join(format!("inflight-bench-sqllogictest.{}.sql", std::process::id()));
    for file in files {
        let text = std::fs::read_to_string(file).context(|| format!("reading {}", file.display()))?;
        let statements = statements(&text);
        let marked = |statement: &String| format!("{statement};\n\\echo {MARK} :SQLSTATE\n");
        std::fs::write(&script, statements.iter().map(marked).collect::<String>())
            .context(|| format!("writing {}", script.display()))?;
        running.client.run(&["DROP SCHEMA IF EXISTS slt CASCADE", "CREATE SCHEMA slt"])?;
        let mut psql = running.client.psql();
        psql.args(["-v", "ON_ERROR_STOP=0", "-f"]).arg(&script).env("PGOPTIONS", "-c search_path=slt");
        let started = Instant::now();
        let output = run_program(&mut psql)?;
        sample.value += started.elapsed().as_secs_f64() * 1e3;
        compare(stage, &mut sample, file, &statements, &answers(&output))?;
    }
    let _ = std::fs::remove_file(&script);
    sample.server = running.client.run(&[SERVER_SETTINGS])?;
    let refused = sample.answer.lines().filter(|answer| *answer == REFUSED).count();
    let (round, shown) = (sample.round + 1, show(&sample.settings));
    eprintln!("   round {round} {}{shown}: {:.0} ms, {refused} refused", sample.system, sample.value);
    stage.bench.records.add(sample)
}

/// What PostgreSQL is to run of a file.
fn statements(text: &str) -> Vec<String> {
    let statement = |record: &str| {
        let mut lines = record.lines().filter(|line| !line.starts_with('#'));
        let mut head = lines.next()?;
        while let Some((condition, system)) = head.split_once(' ').filter(|(c, _)| matches!(*c, "skipif" | "onlyif")) {
            let named = system.split_whitespace().next() == Some("postgresql");
            if named == (condition == "skipif") {
                return None;
            }
            head = lines.next()?;
        }
        let is_run = head.starts_with("statement") || head.starts_with("query");
        is_run.then(|| lines.take_while(|line| *line != "----").collect::<Vec<_>>().join(" "))
    };
    text.replace("\r\n", "\n").split("\n\n").filter_map(statement).take(STATEMENTS).collect()
}

/// For each statement what tells its answer from others, whatever order its rows have.
fn answers(output: &str) -> Vec<String> {
    let mut answers = Vec::new();
    let mut rows = Vec::new();
    for line in output.lines() {
        rows.push(line);
        if line.starts_with(MARK) {
            rows.sort_unstable();
            let mut hasher = DefaultHasher::new();
            rows.hash(&mut hasher);
            let refused = line.ends_with("0A000");
            answers.push(if refused { REFUSED.into() } else { format!("{:x}", hasher.finish()) });
            rows.clear();
        }
    }
    answers
}

/// Adds a file's answers to the sample's, and compares them with those of a system that came before.
fn compare(stage: &Stage, sample: &mut Sample, file: &Path, statements: &[String], answers: &[String]) -> Result<()> {
    let from = sample.answer.lines().count();
    answers.iter().for_each(|answer| writeln!(sample.answer, "{answer}").expect("a string takes it"));
    let mut others = stage.bench.records.samples.iter().filter(|other| other.experiment == sample.experiment);
    let other = others.find(|other| other.profile == sample.profile && other.settings == sample.settings);
    let Some(other) = other else { return Ok(()) };
    let pairs = sample.answer.lines().zip(other.answer.lines()).skip(from);
    for (statement, (own, others)) in statements.iter().zip(pairs) {
        if own != others && own != REFUSED && others != REFUSED {
            let (name, file) = (&sample.system, file.display());
            return Err(Error::program(format!("{name} and {} differ in {file}: {statement}", other.system)));
        }
    }
    Ok(())
}
