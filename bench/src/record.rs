//! Every raw figure, one JSON object a line, written as soon as it is known: what a run measured survives its interruption,
//! and the next one with the same plan goes on behind it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Context, Error, Result};
use crate::peers::cluster::Settings;
use crate::volume::Observed;

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub experiment: String,
    pub profile: String,
    /// The system: `Inflight`, `PostgreSQL 18 io_uring`, `fio`.
    pub system: String,
    /// What was set beyond its defaults.
    pub settings: Settings,
    pub round: u32,
    /// In `unit`.
    pub value: f64,
    pub unit: String,
    /// What the query answered; all systems must agree.
    pub answer: String,
    /// Milliseconds of transactions: the 50th, 95th and 99th percentile.
    #[serde(default)]
    pub latency: Option<[f64; 3]>,
    /// Bytes of the table.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// What the server said it was set to.
    #[serde(default)]
    pub server: String,
    /// What the volume saw meanwhile, where it is one of ours.
    pub observed: Option<Observed>,
    /// Text to show as it is: a plan, a table.
    #[serde(default)]
    pub text: String,
}

impl Sample {
    /// What tells measurements apart.
    fn key(&self) -> (&str, &str, &str, &Settings, u32) {
        (&self.experiment, &self.profile, &self.system, &self.settings, self.round)
    }
}

/// What was run, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub experiments: Vec<String>,
    pub profiles: Vec<String>,
    pub scale: f64,
    pub repeat: u32,
    /// How long each load lasts, where that is not the experiment's own.
    #[serde(default)]
    pub seconds: Option<u32>,
    /// The machine, the software, the flags it was built with.
    pub machine: Vec<(String, String)>,
}

pub struct Records {
    dir: PathBuf,
    pub samples: Vec<Sample>,
    raw: File,
}

impl Records {
    /// Opens the run's folder `dir`, going on with an unfinished run of the same plan.
    pub fn open(dir: &Path, plan: Plan) -> Result<Records> {
        std::fs::create_dir_all(dir).context(|| format!("making {}", dir.display()))?;
        let plan_file = dir.join("plan.json");
        let before = std::fs::read_to_string(&plan_file).ok().and_then(|t| serde_json::from_str::<Plan>(&t).ok());
        // The same plan on the same machine with the same programs: other figures do not belong together.
        let goes_on = before.is_some_and(|before| before == plan) && !dir.join("finished").exists();
        let raw_file = dir.join("raw.jsonl");
        if goes_on {
            drop_cut_line(&raw_file)?;
        } else if raw_file.exists() {
            let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            let kept = dir.join(format!("raw.{}.jsonl", seconds.as_secs()));
            eprintln!("another run's figures are kept in {}", kept.display());
            std::fs::rename(&raw_file, &kept).context(|| format!("keeping {}", kept.display()))?;
        }
        let _ = std::fs::remove_file(dir.join("finished"));
        let samples = read_samples(&raw_file)?;
        if !samples.is_empty() {
            eprintln!("going on with an interrupted run: {} measurements are there", samples.len());
        }
        let text = serde_json::to_string_pretty(&plan).expect("plain data");
        std::fs::write(&plan_file, text).context(|| format!("writing {}", plan_file.display()))?;
        let raw = File::options().create(true).append(true).open(&raw_file);
        let raw = raw.context(|| format!("opening {}", raw_file.display()))?;
        Ok(Records { dir: dir.into(), samples, raw })
    }

    /// Reads a run for a report.
    pub fn read(dir: &Path) -> Result<(Plan, Vec<Sample>)> {
        let file = dir.join("plan.json");
        let text = std::fs::read_to_string(&file).context(|| format!("reading {}", file.display()))?;
        let plan = serde_json::from_str(&text);
        let plan = plan.map_err(|e| Error::program(format!("{} is damaged: {e}", file.display())))?;
        Ok((plan, read_samples(&dir.join("raw.jsonl"))?))
    }

    pub fn has(&self, sample: &Sample) -> bool {
        self.samples.iter().any(|s| s.key() == sample.key())
    }

    pub fn add(&mut self, sample: Sample) -> Result<()> {
        let mut line = serde_json::to_string(&sample).expect("plain data");
        line.push('\n');
        self.raw.write_all(line.as_bytes()).and_then(|()| self.raw.sync_data()).context(|| "writing results".into())?;
        self.samples.push(sample);
        Ok(())
    }

    pub fn finish(&self) -> Result<()> {
        std::fs::write(self.dir.join("finished"), "").context(|| "finishing the run".into())
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

/// A killed run may have written half a line; what is appended must begin on a new one.
fn drop_cut_line(file: &Path) -> Result<()> {
    let Ok(text) = std::fs::read(file) else { return Ok(()) };
    let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let raw = File::options().write(true).open(file).context(|| format!("opening {}", file.display()))?;
    raw.set_len(whole as u64).context(|| format!("shortening {}", file.display()))
}

fn read_samples(file: &Path) -> Result<Vec<Sample>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).context(|| format!("reading {}", file.display())),
    };
    let mut samples = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(sample) => samples.push(sample),
            // The last line of a killed run may be cut.
            Err(_) if index + 1 == text.lines().count() => {}
            Err(e) => return Err(Error::program(format!("{}, line {}: {e}", file.display(), index + 1))),
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(scale: f64) -> Plan {
        Plan {
            experiments: vec!["e1".into()],
            profiles: vec!["local".into()],
            scale,
            repeat: 1,
            seconds: None,
            machine: vec![],
        }
    }

    fn sample(round: u32) -> Sample {
        Sample {
            experiment: "e1".into(),
            profile: "local".into(),
            system: "Inflight".into(),
            settings: vec![],
            round,
            value: 1.5,
            unit: "ms".into(),
            answer: "10".into(),
            latency: None,
            bytes: None,
            server: String::new(),
            observed: None,
            text: String::new(),
        }
    }

    #[test]
    fn an_interrupted_run_goes_on_and_another_plan_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let mut records = Records::open(dir.path(), plan(0.1)).unwrap();
        records.add(sample(0)).unwrap();
        drop(records);
        // A cut last line is no error.
        let raw = dir.path().join("raw.jsonl");
        let text = std::fs::read_to_string(&raw).unwrap();
        std::fs::write(&raw, format!("{text}{}", &text[..20])).unwrap();
        let mut records = Records::open(dir.path(), plan(0.1)).unwrap();
        assert!(records.has(&sample(0)) && !records.has(&sample(1)));
        records.add(sample(1)).unwrap();
        drop(records);
        let records = Records::open(dir.path(), plan(0.1)).unwrap();
        assert!(records.has(&sample(0)) && records.has(&sample(1)));
        records.finish().unwrap();
        assert!(Records::open(dir.path(), plan(0.1)).unwrap().samples.is_empty(), "a finished run is repeated");
        assert!(Records::open(dir.path(), plan(0.2)).unwrap().samples.is_empty());
        // Nothing that was measured is thrown away.
        let kept = std::fs::read_dir(dir.path()).unwrap().flatten().filter(|e| {
            let name = e.file_name().into_string().unwrap();
            name.starts_with("raw.") && name != "raw.jsonl"
        });
        assert!(kept.count() >= 1);
    }
}
