//! The runner: volumes, clusters, cold starts; each experiment says what it asks of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::{Context as _, Error, Result};
use crate::fio;
use crate::peers::client::Timed;
use crate::peers::cluster::{Cluster, Running, Settings};
use crate::peers::{self, Software};
use crate::program::check_interrupt;
use crate::record::{Records, Sample};
use crate::volume::{Mounted, Profile};

/// A server as an experiment wants it: which, how set, under what name in the report.
#[derive(Clone, Debug)]
pub struct Contender {
    pub software: Software,
    /// Behind the software's name: `io_uring`.
    pub label: String,
    pub settings: Settings,
    /// As it comes: not even what every PostgreSQL is given otherwise.
    as_it_comes: bool,
    /// Bytes that it and the page cache of its files may take; `None`: what the machine has.
    memory: Option<u64>,
}

/// The label of servers as they come.
pub const DEFAULTS: &str = "defaults";

impl Contender {
    pub fn new(software: &Software, label: &str, settings: &[(&str, &str)]) -> Contender {
        let settings = settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        Contender { software: software.clone(), label: label.into(), settings, as_it_comes: false, memory: None }
    }

    /// With nothing set: what a user gets that installs it and goes to work.
    pub fn defaults(software: &Software) -> Contender {
        Contender { as_it_comes: true, ..Contender::new(software, DEFAULTS, &[]) }
    }

    /// The same with so much memory.
    pub fn within(self, memory: u64) -> Contender {
        Contender { memory: Some(memory), ..self }
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.software, self.label).trim().to_string()
    }
}

/// What experiments run in.
pub struct Bench {
    pub records: Records,
    pub systems: Vec<Software>,
    pub scale: f64,
    pub repeat: u32,
    /// How long each load lasts, where that is not the experiment's own.
    pub seconds: Option<u32>,
    /// Tables in the database, where an experiment has many.
    pub tables: u32,
    pub port: u16,
    pub local: PathBuf,
    /// sqllogictest's.
    pub corpus: Option<PathBuf>,
    /// Keep a profile of where the time goes.
    pub profile_cpu: bool,
}

/// One volume with a cluster of each system on it.
pub struct Stage<'a> {
    pub bench: &'a mut Bench,
    pub volume: Mounted,
    clusters: BTreeMap<String, Cluster>,
    loaded: Vec<String>,
    experiment: &'static str,
}

/// What is asked of every system.
pub struct Question<'a> {
    pub name: &'a str,
    /// Settings of the session.
    pub before: &'a [String],
    pub statement: &'a str,
    /// Everything that it needs is in memory.
    pub warm: bool,
}

/// What a server itself says it was set to, beyond its defaults.
pub const SERVER_SETTINGS: &str = "SELECT string_agg(name || ' = ' || setting, ', ' ORDER BY name) FROM pg_settings \
                               WHERE source <> 'default' AND source <> 'override' \
                               OR name IN ('io_method', 'data_checksums', 'shared_buffers')";

/// Settings of ours for every PostgreSQL: the published experiments' memory, and nothing in the background.
const POSTGRES_BASE: &[(&str, &str)] = &[("autovacuum", "off"), ("max_wal_size", "4GB")];
/// And for Inflight.
const INFLIGHT_BASE: &[(&str, &str)] = &[("autovacuum", "off")];

impl Bench {
    /// Rows of the published table at this run's scale.
    pub fn rows(&self) -> u64 {
        ((100_000_000.0 * self.scale) as u64).max(10_000)
    }

    pub fn stage(&mut self, profile: Profile) -> Result<Stage<'_>> {
        // PostgreSQL takes 36 bytes a row and as much again for its log, twice; ours a ninth of that.
        let size = volume_bytes(self.rows());
        eprintln!("== volume {profile}: {}", profile.describe());
        let volume = Mounted::new(profile, size, &self.local)?;
        Ok(Stage { bench: self, volume, clusters: BTreeMap::new(), loaded: Vec::new(), experiment: "" })
    }

    pub fn find(&self, version: u32) -> Option<&Software> {
        self.systems.iter().find(|s| matches!(s, Software::Postgres { version: v, .. } if *v == version))
    }

    pub fn inflight(&self) -> Option<&Software> {
        self.systems.iter().find(|s| matches!(s, Software::Inflight { .. }))
    }
}

impl Stage<'_> {
    pub fn begin(&mut self, experiment: &'static str) {
        self.experiment = experiment;
        eprintln!("-- {experiment} on {}", self.volume.profile);
    }

    /// A measurement still to be filled in.
    pub fn blank(&self, system: &str, settings: &Settings, round: u32) -> Sample {
        Sample {
            experiment: self.experiment.into(),
            profile: self.volume.profile.to_string(),
            system: system.into(),
            settings: settings.clone(),
            round,
            value: 0.0,
            unit: "ms".into(),
            answer: String::new(),
            latency: None,
            bytes: None,
            server: String::new(),
            observed: None,
            text: String::new(),
        }
    }

    /// What fio gets, in every round: a noisy disk is noisy for it too.
    pub fn limit(&mut self, pattern: fio::Pattern, round: u32) -> Result<()> {
        let mut sample = self.blank("fio", &vec![], round);
        // Inflight's own simulation limits no other system.
        let alone = self.volume.inside.is_some();
        if alone || self.bench.records.has(&sample) || !crate::program::exists("fio") {
            return Ok(());
        }
        self.observe();
        let limit = fio::measure(&self.volume.dir, pattern)?;
        sample.value = limit.bandwidth / 1e6;
        sample.unit = "MB/s".into();
        sample.text = format!(
            "{} {} KiB, {} deep: {:.0} MB/s, {:.0} IOPS, {:.0} us",
            pattern.rw,
            pattern.block >> 10,
            pattern.depth,
            limit.bandwidth / 1e6,
            limit.iops,
            limit.mean_latency_us
        );
        sample.observed = self.observe();
        eprintln!("   fio: {}", sample.text);
        self.bench.records.add(sample)
    }

    /// What the volume saw since the last call.
    pub fn observe(&self) -> Option<crate::volume::Observed> {
        self.volume.device().map(|d| d.observe())
    }

    /// Does what is not measured, on an unlimited volume.
    pub fn unlimited<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.volume.device().inspect(|d| d.set_limited(false));
        let done = work(self);
        self.volume.device().inspect(|d| d.set_limited(true));
        done
    }

    fn cluster(&mut self, software: &Software) -> Result<&Cluster> {
        let id = software.id();
        if !self.clusters.contains_key(&id) {
            let made = self.unlimited(|stage| {
                Cluster::create(software, &stage.volume.dir, stage.bench.records.dir(), stage.bench.port)
            });
            self.clusters.insert(id.clone(), made?);
        }
        Ok(&self.clusters[&id])
    }

    /// Starts the contender's server, with nothing of its files in the system's cache.
    pub fn start_cold(&mut self, contender: &Contender) -> Result<Running> {
        self.cluster(&contender.software)?;
        let dropped = drop_caches();
        // The program itself is not what is measured: it is read in again.
        peers::touch(&contender.software);
        match (dropped, &contender.software) {
            // Its reads go past the cache: what is in it does not matter.
            (Err(_), Software::Inflight { .. }) => {}
            (dropped, _) => dropped?,
        }
        self.start(contender)
    }

    /// Starts the contender's server.
    pub fn start(&mut self, contender: &Contender) -> Result<Running> {
        let base: &[(&str, &str)] = match contender.software {
            _ if contender.as_it_comes => &[],
            Software::Postgres { .. } => POSTGRES_BASE,
            Software::Inflight { .. } => INFLIGHT_BASE,
        };
        let mut settings: Settings = base.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        settings.extend(contender.settings.clone());
        let inside = self.volume.inside.clone();
        let cluster = self.cluster(&contender.software)?;
        let running = cluster.start(&settings, inside.as_deref(), contender.memory)?;
        self.observe();
        Ok(running)
    }

    /// Sees to it that the contender's table is there: `test(id int)` of the published size, scaled. Unmeasured, and on
    /// an unlimited volume.
    pub fn load(&mut self, software: &Software) -> Result<()> {
        if self.loaded.contains(&software.id()) {
            return Ok(());
        }
        eprintln!("   loading {software}");
        self.cluster(software)?;
        let rows = self.bench.rows();
        self.unlimited(|stage| stage.load_table(software, rows))?;
        self.loaded.push(software.id());
        Ok(())
    }

    /// The tables of all systems; gives the systems.
    pub fn load_all(&mut self) -> Result<Vec<Software>> {
        let systems = self.bench.systems.clone();
        systems.iter().try_for_each(|software| self.load(software))?;
        Ok(systems)
    }

    fn load_table(&mut self, software: &Software, rows: u64) -> Result<()> {
        let running = self.start_cold(&Contender::new(software, "", &[]))?;
        running.client.run(&[
            "DROP TABLE IF EXISTS test",
            "CREATE TABLE test(id int)",
            &format!("INSERT INTO test SELECT * FROM generate_series(1, {rows})"),
        ])?;
        // So that PostgreSQL's first reader does not write hint bits.
        running.client.run(&["VACUUM test", "CHECKPOINT"])?;
        running.stop()
    }

    /// Forgets the tables, because an experiment has made others.
    pub fn reloaded(&mut self, software: &Software) {
        self.loaded.retain(|l| *l != software.id());
        self.loaded.push(software.id());
    }

    /// One cold measurement of a statement, unless the records have it.
    pub fn cold(&mut self, contender: &Contender, round: u32, before: &[String], statement: &str) -> Result<()> {
        let mut sample = self.blank(&contender.name(), &contender.settings, round);
        if self.bench.records.has(&sample) {
            return Ok(());
        }
        check_interrupt()?;
        let running = self.start_cold(contender)?;
        let profiler = self.bench.profile_cpu.then(|| crate::flame::Profiler::start(running.pid())).transpose()?;
        let Timed { ms, answer } = running.client.timed(before, statement)?;
        sample.observed = self.observe();
        if let Some(profiler) = profiler {
            let settings: String = contender.settings.iter().map(|(_, value)| format!("-{value}")).collect();
            let name = format!("{}-{}-{}{settings}-{round}", self.experiment, self.volume.profile, contender.name());
            // A picture less is no reason to lose the figures.
            let file = self.bench.records.dir().join(format!("{}.svg", name.replace([' ', '/'], "-")));
            if let Err(error) = profiler.finish(&file) {
                eprintln!("   no profile: {error}");
            }
        }
        sample.bytes = running.client.run(&["SELECT pg_table_size('test')"])?.parse().ok();
        sample.server = running.client.run(&[SERVER_SETTINGS])?;
        running.stop()?;
        sample.value = ms;
        sample.answer = answer;
        self.agree(&sample)?;
        let depth = sample.observed.map_or(String::new(), |o| format!(", {:.1} deep", o.mean_depth));
        eprintln!("   round {} {}{}: {ms:.0} ms{depth}", round + 1, sample.system, show(&sample.settings));
        self.bench.records.add(sample)
    }

    /// Asks a system something: cold, or after the same was answered twice. Unless the records have it.
    pub fn ask(&mut self, contender: &Contender, round: u32, question: &Question<'_>) -> Result<()> {
        let settings = [("statement".to_string(), question.name.to_string())].to_vec();
        let mut sample = self.blank(&contender.name(), &settings, round);
        if self.bench.records.has(&sample) {
            return Ok(());
        }
        check_interrupt()?;
        let running = self.start_cold(contender)?;
        if question.warm {
            let mut before: Vec<&str> = question.before.iter().map(String::as_str).collect();
            before.extend([question.statement; 2]);
            // Not on an unlimited volume: what the server learns of it would be wrong.
            running.client.run(&before)?;
        }
        self.observe();
        let Timed { ms, answer } = running.client.timed(question.before, question.statement)?;
        sample.observed = self.observe();
        sample.server = running.client.run(&[SERVER_SETTINGS])?;
        running.stop()?;
        sample.value = ms;
        sample.answer = canonical(&answer);
        self.agree_on(&sample)?;
        let (reads, bytes) = sample.observed.as_ref().map_or((0, 0), |observed| (observed.reads, observed.read_bytes));
        let (rate, bandwidth) = (reads as f64 / ms * 1e3, bytes as f64 / ms / 1e3);
        sample.text = format!("{reads} reads, {rate:.0} a second, {bandwidth:.0} MB/s");
        eprintln!("   round {} {} [{}]: {ms:.1} ms, {}", round + 1, sample.system, question.name, sample.text);
        self.bench.records.add(sample)
    }

    /// All systems must answer the same question alike.
    fn agree_on(&self, sample: &Sample) -> Result<()> {
        let same = |other: &&Sample| {
            other.experiment == sample.experiment
                && other.profile == sample.profile
                && other.settings == sample.settings
        };
        let mut others = self.bench.records.samples.iter().filter(same);
        match others.find(|other| other.answer != sample.answer) {
            Some(other) => Err(Error::program(format!(
                "{} answers {}, where {} answered {}",
                sample.system, sample.answer, other.system, other.answer
            ))),
            None => Ok(()),
        }
    }

    /// All systems must give the same answer: the number of rows that were loaded.
    pub fn agree(&self, sample: &Sample) -> Result<()> {
        if sample.answer != self.bench.rows().to_string() {
            return Err(Error::program(format!(
                "{} answers {} where {} rows were loaded",
                sample.system,
                sample.answer,
                self.bench.rows()
            )));
        }
        let of_same =
            |s: &&Sample| s.experiment == sample.experiment && s.profile == sample.profile && !s.answer.is_empty();
        match self.bench.records.samples.iter().find(of_same) {
            Some(other) if other.answer != sample.answer => Err(Error::program(format!(
                "{} answers {}, where {} answered {}",
                sample.system, sample.answer, other.system, other.answer
            ))),
            _ => Ok(()),
        }
    }
}

/// The size of a volume for tables of `rows` rows, each PostgreSQL with its log.
pub fn volume_bytes(rows: u64) -> u64 {
    (4 << 30) + rows * 36 * 5
}

pub fn show(settings: &Settings) -> String {
    if settings.is_empty() {
        return String::new();
    }
    let text: Vec<String> = settings.iter().map(|(n, v)| format!("{n}={v}")).collect();
    format!(" [{}]", text.join(", "))
}

/// Empties the system's page cache; without the right to, says so once.
pub fn drop_caches() -> Result<()> {
    // SAFETY: a system call without arguments.
    #[allow(unsafe_code)]
    unsafe {
        libc::sync();
    }
    let file = "/proc/sys/vm/drop_caches";
    std::fs::write(file, "3").context(|| format!("writing {file} (cold measurements need root)"))
}

/// The machine and the software, for the report.
pub fn describe_machine(systems: &[Software]) -> Vec<(String, String)> {
    let command = |name: &str, args: &[&str]| {
        let output = crate::program::run(std::process::Command::new(name).args(args)).unwrap_or_default();
        output.trim().to_string()
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|l| l.strip_prefix("model name")).map_or("", |l| l.trim_start_matches([' ', '\t', ':']));
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = memory.lines().next().unwrap_or_default().trim_start_matches("MemTotal:").trim().to_string();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut rows = vec![
        ("Processor".into(), format!("{model}, {cores} cores")),
        ("Memory".into(), memory),
        ("Kernel".into(), command("uname", &["-sr"])),
        ("psql".into(), command("psql", &["--version"])),
        ("fio".into(), command("fio", &["--version"])),
    ];
    for software in systems {
        rows.push((software.to_string(), peers::describe(software)));
    }
    let base: Vec<String> = POSTGRES_BASE.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    rows.push((
        "PostgreSQL, always".into(),
        format!(
            "initdb --data-checksums, shared_buffers = 128MB (its default; the system's page cache comes on top), {}; \
             VACUUM after the load; in rows called \"{DEFAULTS}\" nothing is set",
            base.join(", ")
        ),
    ));
    rows.push((
        "Inflight, always".into(),
        "its defaults (shared_buffers = auto, direct I/O: the system's page cache takes no part), autovacuum = off"
            .into(),
    ));
    rows
}

/// An answer's lines, with as many digits of quotients as all systems give.
pub fn canonical(answer: &str) -> String {
    let field = |field: &str| match field.split_once('.') {
        Some((whole, fraction)) if fraction.len() > 10 && fraction.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{whole}.{}", &fraction[..10])
        }
        _ => field.to_string(),
    };
    answer.lines().map(|line| line.split('|').map(field).collect::<Vec<_>>().join("|")).collect::<Vec<_>>().join("\n")
}
