//! Settings: their definitions, parsing and units, as PostgreSQL's `guc.c` has them.
//!
//! A [`Settings`] value holds one text for every setting. The server has one (defaults, then `inflight.conf`,
//! `inflight.auto.conf` and the command line); each session has a copy that `SET` changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use wal::CommitDelay;

use crate::error::{EngineError, Result};
use crate::transaction::Durability;

/// What an integer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Kilobytes,
    Megabytes,
    /// Pages of 8 KiB.
    Blocks,
    Milliseconds,
    Seconds,
}

impl Unit {
    /// `pg_settings.unit`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "B",
            Unit::Kilobytes => "kB",
            Unit::Megabytes => "MB",
            Unit::Blocks => "8kB",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
        }
    }

    fn is_time(self) -> bool {
        matches!(self, Unit::Milliseconds | Unit::Seconds)
    }

    /// Bytes, or microseconds.
    fn factor(self) -> f64 {
        match self {
            Unit::Bytes => 1.0,
            Unit::Kilobytes => 1024.0,
            Unit::Megabytes => 1024.0 * 1024.0,
            Unit::Blocks => 8192.0,
            Unit::Milliseconds => 1e3,
            Unit::Seconds => 1e6,
        }
    }
}

const MEMORY_UNITS: &[(&str, f64)] =
    &[("TB", 1099511627776.0), ("GB", 1073741824.0), ("MB", 1048576.0), ("kB", 1024.0), ("B", 1.0)];
const TIME_UNITS: &[(&str, f64)] =
    &[("d", 86400e6), ("h", 3600e6), ("min", 60e6), ("s", 1e6), ("ms", 1e3), ("us", 1.0)];

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Bool,
    Integer {
        min: i64,
        max: i64,
        unit: Option<Unit>,
    },
    /// An integer, or `auto`.
    AutoInteger {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
    },
    Enum(&'static [&'static str]),
    String,
}

/// Who may change a setting, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Internal,
    Restart,
    Reload,
    Superuser,
    User,
}

impl Context {
    /// `pg_settings.context`.
    pub fn name(self) -> &'static str {
        match self {
            Context::Internal => "internal",
            Context::Restart => "postmaster",
            Context::Reload => "sighup",
            Context::Superuser => "superuser",
            Context::User => "user",
        }
    }
}

#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub context: Context,
    pub default: &'static str,
    pub category: &'static str,
    pub description: &'static str,
}

/// Finds a setting; names are case-insensitive.
pub fn find(name: &str) -> Option<&'static Definition> {
    number(name).map(|n| &DEFINITIONS[n])
}

/// A setting's place among the definitions. Sessions ask for some with every statement.
fn number(name: &str) -> Option<usize> {
    static NUMBERS: LazyLock<HashMap<&'static str, usize, foldhash::fast::RandomState>> =
        LazyLock::new(|| DEFINITIONS.iter().enumerate().map(|(n, d)| (d.name, n)).collect());
    NUMBERS.get(name).copied().or_else(|| DEFINITIONS.iter().position(|d| d.name.eq_ignore_ascii_case(name)))
}

pub fn unknown(name: &str) -> EngineError {
    EngineError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}

impl Definition {
    pub fn vartype(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Integer { .. } => "integer",
            Kind::AutoInteger { .. } | Kind::String => "string",
            Kind::Real { .. } => "real",
            Kind::Enum(_) => "enum",
        }
    }

    fn invalid(&self, value: &str) -> EngineError {
        EngineError::new("22023", format!("invalid value for parameter \"{}\": \"{value}\"", self.name))
    }

    /// Checks a value and gives its canonical text: numbers in the setting's unit.
    pub fn parse(&self, value: &str) -> Result<String> {
        match self.kind {
            Kind::Bool => match parse_bool(value) {
                Some(true) => Ok("on".into()),
                Some(false) => Ok("off".into()),
                None => Err(EngineError::new("22023", format!("parameter \"{}\" requires a Boolean value", self.name))),
            },
            Kind::AutoInteger { .. } if value.trim().eq_ignore_ascii_case("auto") => Ok("auto".into()),
            Kind::AutoInteger { min, max } => self.parse_integer(value, min, max, None),
            Kind::Integer { min, max, unit } => self.parse_integer(value, min, max, unit),
            Kind::Real { min, max } => {
                let number: f64 = value.trim().parse().map_err(|_| self.invalid(value))?;
                if !(min..=max).contains(&number) {
                    return Err(self.out_of_range(&number.to_string(), min, max, None));
                }
                Ok(number.to_string())
            }
            Kind::Enum(values) => {
                let value = value.trim();
                let found = values.iter().find(|v| v.eq_ignore_ascii_case(value));
                let found = found.or_else(|| self.enum_alias(value).and_then(|a| values.iter().find(|v| **v == a)));
                found
                    .map(|v| v.to_string())
                    .ok_or_else(|| self.invalid(value).hint(format!("Available values: {}.", values.join(", "))))
            }
            Kind::String => self.parse_string(value),
        }
    }

    /// Other spellings that PostgreSQL accepts.
    fn enum_alias(&self, value: &str) -> Option<&'static str> {
        if self.name != "synchronous_commit" {
            return None;
        }
        parse_bool(value).map(|on| if on { "on" } else { "off" })
    }

    fn parse_string(&self, value: &str) -> Result<String> {
        match self.name {
            "client_encoding" => match value.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
                "utf8" | "unicode" => Ok("UTF8".into()),
                _ => Err(EngineError::new("0A000", format!("conversion between {value} and UTF8 is not supported"))),
            },
            "DateStyle" => {
                let lower = value.to_ascii_lowercase();
                let words: Vec<_> = lower.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
                let known = ["iso", "mdy", "us", "noneuro", "noneuropean", "default"];
                if words.iter().all(|w| known.contains(w)) {
                    return Ok("ISO, MDY".into());
                }
                let others = ["dmy", "ymd", "german", "sql", "postgres", "euro", "european"];
                if words.iter().all(|w| known.contains(w) || others.contains(w)) {
                    return Err(EngineError::new(
                        "0A000",
                        format!("DateStyle \"{value}\" is not supported, only ISO, MDY"),
                    ));
                }
                Err(self.invalid(value))
            }
            "IntervalStyle" | "TimeZone" => Ok(value.trim().to_string()),
            _ => Ok(value.to_string()),
        }
    }

    fn parse_integer(&self, value: &str, min: i64, max: i64, unit: Option<Unit>) -> Result<String> {
        let text = value.trim();
        let digits = text.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(text.len());
        let (number, suffix) = text.split_at(digits);
        let number: f64 = number.parse().map_err(|_| self.invalid(value))?;
        let scaled = match (suffix.trim(), unit) {
            ("", _) => number,
            (_, None) => return Err(self.invalid(value)),
            (suffix, Some(unit)) => {
                let (units, hint) = if unit.is_time() {
                    (TIME_UNITS, "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
                } else {
                    (MEMORY_UNITS, "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".")
                };
                let factor =
                    units.iter().find(|(name, _)| *name == suffix).ok_or_else(|| self.invalid(value).hint(hint))?.1;
                number * factor / unit.factor()
            }
        };
        let rounded = scaled.round();
        if !rounded.is_finite() || rounded < min as f64 || rounded > max as f64 {
            return Err(self.out_of_range(&format!("{rounded}"), min as f64, max as f64, unit));
        }
        Ok((rounded as i64).to_string())
    }

    fn out_of_range(&self, value: &str, min: f64, max: f64, unit: Option<Unit>) -> EngineError {
        let unit = unit.map(|u| format!(" {}", u.name())).unwrap_or_default();
        EngineError::new(
            "22023",
            format!("{value}{unit} is outside the valid range for parameter \"{}\" ({min} .. {max})", self.name),
        )
    }

    /// What `SHOW` prints: the largest unit that divides the value.
    pub fn show(&self, value: &str) -> String {
        let Kind::Integer { unit: Some(unit), .. } = self.kind else { return value.to_string() };
        let Ok(number) = value.parse::<i64>() else { return value.to_string() };
        if number == 0 && unit.is_time() {
            return "0".into();
        }
        if number <= 0 {
            return number.to_string();
        }
        let base = number as f64 * unit.factor();
        let units = if unit.is_time() { TIME_UNITS } else { MEMORY_UNITS };
        let (name, factor) = units.iter().find(|(_, f)| base % f == 0.0).expect("the smallest unit divides all");
        format!("{}{name}", base / factor)
    }
}

/// PostgreSQL's words for true and false, and their prefixes.
pub fn parse_bool(value: &str) -> Option<bool> {
    let value = value.trim().to_ascii_lowercase();
    let prefix = |word: &str, least: usize| value.len() >= least && word.starts_with(&value);
    if prefix("true", 1) || prefix("yes", 1) || value == "on" || value == "1" {
        Some(true)
    } else if prefix("false", 1) || prefix("no", 1) || prefix("off", 2) || value == "0" {
        Some(false)
    } else {
        None
    }
}

/// Where a value came from, as `pg_settings.source` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Default,
    File,
    CommandLine,
    Client,
    Session,
    Override,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::File => "configuration file",
            Source::CommandLine => "command line",
            Source::Client => "client",
            Source::Session => "session",
            Source::Override => "override",
        }
    }
}

/// One value for every setting.
#[derive(Clone, Debug)]
pub struct Settings {
    /// In the definitions' order; `None` is the default. Shared until one is changed: every BEGIN keeps a copy.
    values: Arc<Vec<Option<(String, Source)>>>,
    version: u64,
    each: OnceLock<EachStatement>,
}

/// What sessions ask for with every statement, read once. Times are in milliseconds, 0 is for ever.
#[derive(Clone, Copy, Debug)]
pub struct EachStatement {
    pub statement_timeout: u64,
    pub lock_timeout: u64,
    pub idle_in_transaction_session_timeout: u64,
    pub enable_short_path: bool,
    pub transaction_read_only: bool,
    pub repeatable_read: bool,
    /// In bytes.
    pub maintenance_work_mem: usize,
    pub max_parallel_maintenance_workers: usize,
    /// `synchronous_commit`, `commit_delay` and `commit_siblings`.
    pub durability: Durability,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { values: Arc::new(vec![None; DEFINITIONS.len()]), version: 0, each: OnceLock::new() }
    }
}

impl Settings {
    /// The value's canonical text.
    pub fn get(&self, name: &str) -> &str {
        let number = number(name).expect("a setting of ours");
        self.values[number].as_ref().map_or(DEFINITIONS[number].default, |(v, _)| v)
    }

    pub fn source(&self, definition: &Definition) -> Source {
        let number = number(definition.name).expect("a setting of ours");
        self.values[number].as_ref().map_or(Source::Default, |(_, s)| *s)
    }

    /// The value of an integer setting, in its unit.
    pub fn integer(&self, name: &str) -> i64 {
        self.get(name).parse().expect("integer settings hold integers")
    }

    /// The value of a setting that is a fraction.
    pub fn real(&self, name: &str) -> f64 {
        self.get(name).parse().expect("such settings hold numbers")
    }

    pub fn bool(&self, name: &str) -> bool {
        self.get(name) == "on"
    }

    /// Bytes of a memory setting.
    pub fn bytes(&self, name: &str) -> usize {
        let Some(Definition { kind: Kind::Integer { unit: Some(unit), .. }, .. }) = find(name) else {
            panic!("{name} counts no memory");
        };
        self.integer(name) as usize * unit.factor() as usize
    }

    /// What every statement asks for.
    pub fn each_statement(&self) -> EachStatement {
        *self.each.get_or_init(|| EachStatement {
            statement_timeout: self.integer("statement_timeout") as u64,
            lock_timeout: self.integer("lock_timeout") as u64,
            idle_in_transaction_session_timeout: self.integer("idle_in_transaction_session_timeout") as u64,
            enable_short_path: self.bool("enable_short_path"),
            transaction_read_only: self.bool("transaction_read_only"),
            repeatable_read: self.get("transaction_isolation") == "repeatable read",
            maintenance_work_mem: self.bytes("maintenance_work_mem"),
            max_parallel_maintenance_workers: self.integer("max_parallel_maintenance_workers") as usize,
            durability: match (self.get("synchronous_commit"), self.get("commit_delay")) {
                ("off", _) => Durability::Asynchronous,
                (_, delay) => Durability::Durable {
                    delay: delay.parse().map_or(CommitDelay::Auto, |us: u64| CommitDelay::Fixed(us * 1000)),
                    siblings: self.integer("commit_siblings") as usize,
                },
            },
        })
    }

    fn value_mut(&mut self, number: usize) -> &mut Option<(String, Source)> {
        static VERSIONS: AtomicU64 = AtomicU64::new(1);
        self.version = VERSIONS.fetch_add(1, Ordering::Relaxed);
        self.each.take();
        &mut Arc::make_mut(&mut self.values)[number]
    }

    /// Settings of the same version are the same.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Sets a value without asking who may; for start-up and for values that were checked.
    pub fn set(&mut self, name: &str, value: &str, source: Source) -> Result<()> {
        let number = number(name).ok_or_else(|| unknown(name))?;
        let value = DEFINITIONS[number].parse(value)?;
        *self.value_mut(number) = Some((value, source));
        Ok(())
    }

    /// Back to what `other` has.
    pub fn reset(&mut self, name: &str, other: &Settings) {
        let number = number(name).expect("a setting of ours");
        self.value_mut(number).clone_from(&other.values[number]);
    }

    /// Takes over from `fresh` what a running server may change and nothing nearer than a configuration file has set.
    pub fn reload(&mut self, fresh: &Settings) {
        for (number, definition) in DEFINITIONS.iter().enumerate() {
            let fixed = matches!(definition.context, Context::Internal | Context::Restart);
            let nearer = !matches!(self.source(definition), Source::Default | Source::File);
            if !fixed && !nearer && self.values[number] != fresh.values[number] {
                self.value_mut(number).clone_from(&fresh.values[number]);
            }
        }
    }

    /// Reads `name = value` lines in postgresql.conf's syntax. `file` and the line are named in errors.
    pub fn read_file(&mut self, text: &str, file: &str) -> Result<()> {
        for (number, line) in text.lines().enumerate() {
            let place =
                |e: EngineError| EngineError::new(e.code, format!("{file}, line {}: {}", number + 1, e.message));
            if let Some((name, value)) = parse_line(line).map_err(place)? {
                let internal = find(&name).is_some_and(|d| d.context == Context::Internal);
                if internal {
                    return Err(place(EngineError::new("55P02", format!("parameter \"{name}\" cannot be changed"))));
                }
                self.set(&name, &value, Source::File).map_err(place)?;
            }
        }
        Ok(())
    }
}

/// One line of a configuration file: `name = 'value'  # comment`.
fn parse_line(line: &str) -> Result<Option<(String, String)>> {
    let syntax = || EngineError::new("F0000", "syntax error");
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    if name.is_empty() || rest.is_empty() {
        return Err(syntax());
    }
    let Some(quoted) = rest.strip_prefix('\'') else {
        let value = rest.split('#').next().unwrap_or("").trim();
        return if value.is_empty() || value.contains(char::is_whitespace) {
            Err(syntax())
        } else {
            Ok(Some((name.into(), value.into())))
        };
    };
    let mut value = String::new();
    let mut chars = quoted.chars().peekable();
    loop {
        match chars.next() {
            None => return Err(syntax()),
            Some('\'') if chars.peek() == Some(&'\'') => {
                chars.next();
                value.push('\'');
            }
            Some('\'') => break,
            Some('\\') => value.push(chars.next().ok_or_else(syntax)?),
            Some(c) => value.push(c),
        }
    }
    let rest: String = chars.collect();
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') { Ok(Some((name.into(), value))) } else { Err(syntax()) }
}

/// Every setting, by name.
pub static DEFINITIONS: &[Definition] = &[
    Definition {
        name: "application_name",
        kind: Kind::String,
        context: Context::User,
        default: "",
        category: "Reporting and Logging / What to Log",
        description: "Sets the application name to be reported in statistics and logs.",
    },
    Definition {
        name: "block_size",
        kind: Kind::Integer { min: 8192, max: 8192, unit: None },
        context: Context::Internal,
        default: "8192",
        category: "Preset Options",
        description: "Shows the size of a disk block.",
    },
    Definition {
        name: "bytea_output",
        kind: Kind::Enum(&["escape", "hex"]),
        context: Context::User,
        default: "hex",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the output format for bytea.",
    },
    Definition {
        name: "checkpoint_completion_target",
        kind: Kind::Real { min: 0.0, max: 1.0 },
        context: Context::Reload,
        default: "0.9",
        category: "Write-Ahead Log / Checkpoints",
        description: "Time spent flushing dirty buffers during checkpoint, as fraction of checkpoint interval.",
    },
    Definition {
        name: "checkpoint_timeout",
        kind: Kind::Integer { min: 30, max: 86400, unit: Some(Unit::Seconds) },
        context: Context::Reload,
        default: "300",
        category: "Write-Ahead Log / Checkpoints",
        description: "Sets the maximum time between automatic WAL checkpoints.",
    },
    Definition {
        name: "client_encoding",
        kind: Kind::String,
        context: Context::User,
        default: "UTF8",
        category: "Client Connection Defaults / Locale and Formatting",
        description: "Sets the client's character set encoding.",
    },
    Definition {
        name: "client_min_messages",
        kind: Kind::Enum(&["debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"]),
        context: Context::User,
        default: "notice",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the message levels that are sent to the client.",
    },
    Definition {
        name: "commit_delay",
        kind: Kind::AutoInteger { min: 0, max: 100_000 },
        context: Context::Superuser,
        default: "auto",
        category: "Write-Ahead Log / Settings",
        description: "Sets the delay in microseconds between transaction commit and flushing WAL to disk.",
    },
    Definition {
        name: "commit_siblings",
        kind: Kind::Integer { min: 0, max: 1000, unit: None },
        context: Context::User,
        default: "5",
        category: "Write-Ahead Log / Settings",
        description: "Sets the minimum number of concurrent open transactions required before performing \"commit_delay\".",
    },
    Definition {
        name: "data_checksums",
        kind: Kind::Bool,
        context: Context::Internal,
        default: "on",
        category: "Preset Options",
        description: "Shows whether data checksums are turned on for this cluster.",
    },
    Definition {
        name: "data_directory",
        kind: Kind::String,
        context: Context::Restart,
        default: "",
        category: "File Locations",
        description: "Sets the server's data directory.",
    },
    Definition {
        name: "DateStyle",
        kind: Kind::String,
        context: Context::User,
        default: "ISO, MDY",
        category: "Client Connection Defaults / Locale and Formatting",
        description: "Sets the display format for date and time values.",
    },
    Definition {
        name: "deadlock_timeout",
        kind: Kind::Integer { min: 1, max: i32::MAX as i64, unit: Some(Unit::Milliseconds) },
        context: Context::Superuser,
        default: "1000",
        category: "Lock Management",
        description: "Sets the time after which a wait for a lock is logged (log_lock_waits); deadlocks are found at once.",
    },
    Definition {
        name: "default_transaction_isolation",
        kind: Kind::Enum(&["repeatable read", "read committed", "read uncommitted"]),
        context: Context::User,
        default: "read committed",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the transaction isolation level of each new transaction.",
    },
    Definition {
        name: "default_transaction_read_only",
        kind: Kind::Bool,
        context: Context::User,
        default: "off",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the default read-only status of new transactions.",
    },
    Definition {
        name: "effective_io_concurrency",
        kind: Kind::AutoInteger { min: 0, max: 1000 },
        context: Context::User,
        default: "auto",
        category: "Resource Usage / I/O",
        description: "Number of simultaneous requests that can be handled efficiently by the disk subsystem.",
    },
    Definition {
        name: "enable_short_path",
        kind: Kind::Bool,
        context: Context::User,
        default: "on",
        category: "Query Tuning / Planner Method Configuration",
        description: "Runs statements on single rows by key without the planner.",
    },
    Definition {
        name: "extra_float_digits",
        kind: Kind::Integer { min: -15, max: 3, unit: None },
        context: Context::User,
        default: "1",
        category: "Client Connection Defaults / Locale and Formatting",
        description: "Sets the number of digits displayed for floating-point values.",
    },
    Definition {
        name: "full_page_writes",
        kind: Kind::Bool,
        context: Context::Restart,
        default: "on",
        category: "Write-Ahead Log / Settings",
        description: "Writes full pages to WAL when first modified after a checkpoint.",
    },
    Definition {
        name: "idle_in_transaction_session_timeout",
        kind: Kind::Integer { min: 0, max: i32::MAX as i64, unit: Some(Unit::Milliseconds) },
        context: Context::User,
        default: "0",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the maximum allowed idle time between queries, when in a transaction.",
    },
    Definition {
        name: "integer_datetimes",
        kind: Kind::Bool,
        context: Context::Internal,
        default: "on",
        category: "Preset Options",
        description: "Shows whether datetimes are integer based.",
    },
    Definition {
        name: "IntervalStyle",
        kind: Kind::Enum(&["postgres", "postgres_verbose", "sql_standard", "iso_8601"]),
        context: Context::User,
        default: "postgres",
        category: "Client Connection Defaults / Locale and Formatting",
        description: "Sets the display format for interval values.",
    },
    Definition {
        name: "io_combine_limit",
        kind: Kind::Integer { min: 1, max: 128, unit: Some(Unit::Blocks) },
        context: Context::Restart,
        default: "16",
        category: "Resource Usage / I/O",
        description: "Limit on the size of data reads and writes.",
    },
    Definition {
        name: "io_direct",
        kind: Kind::Bool,
        context: Context::Restart,
        default: "on",
        category: "Resource Usage / I/O",
        description: "Uses direct I/O for data and log files.",
    },
    Definition {
        name: "io_max_concurrency",
        kind: Kind::Integer { min: 1, max: 1024, unit: None },
        context: Context::Restart,
        default: "64",
        category: "Resource Usage / I/O",
        description: "Max number of IOs that one process can execute simultaneously.",
    },
    Definition {
        name: "io_max_workers",
        kind: Kind::Integer { min: 1, max: 64, unit: None },
        context: Context::Restart,
        default: "32",
        category: "Resource Usage / I/O",
        description: "Maximum number of I/O workers, for io_method=worker.",
    },
    Definition {
        name: "io_method",
        kind: Kind::Enum(&["sync", "worker", "io_uring", "posix_aio"]),
        context: Context::Restart,
        default: "io_uring",
        category: "Resource Usage / I/O",
        description: "Selects the method for executing asynchronous I/O.",
    },
    Definition {
        name: "io_min_workers",
        kind: Kind::Integer { min: 1, max: 64, unit: None },
        context: Context::Restart,
        default: "2",
        category: "Resource Usage / I/O",
        description: "Minimum number of I/O workers, for io_method=worker.",
    },
    Definition {
        name: "is_superuser",
        kind: Kind::Bool,
        context: Context::Internal,
        default: "on",
        category: "Preset Options",
        description: "Shows whether the current user is a superuser.",
    },
    Definition {
        name: "listen_addresses",
        kind: Kind::String,
        context: Context::Restart,
        default: "127.0.0.1",
        category: "Connections and Authentication / Connection Settings",
        description: "Sets the host name or IP address(es) to listen to.",
    },
    Definition {
        name: "lock_timeout",
        kind: Kind::Integer { min: 0, max: i32::MAX as i64, unit: Some(Unit::Milliseconds) },
        context: Context::User,
        default: "0",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the maximum allowed duration of any wait for a lock.",
    },
    Definition {
        name: "log_lock_waits",
        kind: Kind::Bool,
        context: Context::Superuser,
        default: "off",
        category: "Reporting and Logging / What to Log",
        description: "Logs long lock waits.",
    },
    Definition {
        name: "maintenance_work_mem",
        kind: Kind::Integer { min: 64, max: 2147483647, unit: Some(Unit::Kilobytes) },
        context: Context::User,
        default: "65536",
        category: "Resource Usage / Memory",
        description: "Sets the maximum memory to be used for maintenance operations.",
    },
    Definition {
        name: "max_connections",
        kind: Kind::Integer { min: 1, max: 262143, unit: None },
        context: Context::Restart,
        default: "100",
        category: "Connections and Authentication / Connection Settings",
        description: "Sets the maximum number of concurrent connections.",
    },
    Definition {
        name: "max_identifier_length",
        kind: Kind::Integer { min: 63, max: 63, unit: None },
        context: Context::Internal,
        default: "63",
        category: "Preset Options",
        description: "Shows the maximum identifier length.",
    },
    Definition {
        name: "max_parallel_maintenance_workers",
        kind: Kind::Integer { min: 0, max: 1024, unit: None },
        context: Context::User,
        default: "2",
        category: "Resource Usage / Worker Processes",
        description: "Sets the maximum number of parallel processes per maintenance operation.",
    },
    Definition {
        name: "max_parallel_workers",
        kind: Kind::Integer { min: 0, max: 1024, unit: None },
        context: Context::User,
        default: "8",
        category: "Resource Usage / Worker Processes",
        description: "Sets the maximum number of parallel workers that can be active at one time.",
    },
    Definition {
        name: "max_parallel_workers_per_gather",
        kind: Kind::Integer { min: 0, max: 1024, unit: None },
        context: Context::User,
        default: "2",
        category: "Resource Usage / Worker Processes",
        description: "Sets the maximum number of parallel processes per executor node.",
    },
    Definition {
        name: "max_wal_size",
        kind: Kind::Integer { min: 2, max: 2147483647, unit: Some(Unit::Megabytes) },
        context: Context::Reload,
        default: "1024",
        category: "Write-Ahead Log / Checkpoints",
        description: "Sets the WAL size that triggers a checkpoint.",
    },
    Definition {
        name: "min_wal_size",
        kind: Kind::Integer { min: 2, max: 2147483647, unit: Some(Unit::Megabytes) },
        context: Context::Reload,
        default: "80",
        category: "Write-Ahead Log / Checkpoints",
        description: "Sets the minimum size to shrink the WAL to.",
    },
    Definition {
        name: "port",
        kind: Kind::Integer { min: 1, max: 65535, unit: None },
        context: Context::Restart,
        default: "5432",
        category: "Connections and Authentication / Connection Settings",
        description: "Sets the TCP port the server listens on.",
    },
    Definition {
        name: "search_path",
        kind: Kind::String,
        context: Context::User,
        default: "\"$user\", public",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the schema search order for names that are not schema-qualified.",
    },
    Definition {
        name: "segment_size",
        kind: Kind::Integer { min: 131072, max: 131072, unit: Some(Unit::Blocks) },
        context: Context::Internal,
        default: "131072",
        category: "Preset Options",
        description: "Shows the number of pages per disk file.",
    },
    Definition {
        name: "server_encoding",
        kind: Kind::String,
        context: Context::Internal,
        default: "UTF8",
        category: "Preset Options",
        description: "Shows the server (database) character set encoding.",
    },
    Definition {
        name: "server_version",
        kind: Kind::String,
        context: Context::Internal,
        default: "18.0 (Inflight 0.1.0)",
        category: "Preset Options",
        description: "Shows the server version.",
    },
    Definition {
        name: "server_version_num",
        kind: Kind::Integer { min: 180000, max: 180000, unit: None },
        context: Context::Internal,
        default: "180000",
        category: "Preset Options",
        description: "Shows the server version as an integer.",
    },
    Definition {
        name: "session_authorization",
        kind: Kind::String,
        context: Context::Internal,
        default: "",
        category: "Preset Options",
        description: "Shows the session user name.",
    },
    Definition {
        name: "shared_buffers",
        kind: Kind::Integer { min: 16, max: 1073741823, unit: Some(Unit::Blocks) },
        context: Context::Restart,
        default: "16384",
        category: "Resource Usage / Memory",
        description: "Sets the number of shared memory buffers used by the server.",
    },
    Definition {
        name: "simulate_volume",
        kind: Kind::String,
        context: Context::Restart,
        default: "",
        category: "Developer Options",
        description: "Delays I/O as a volume with this latency, IOPS and bandwidth would. Not for production.",
    },
    Definition {
        name: "standard_conforming_strings",
        kind: Kind::Bool,
        context: Context::User,
        default: "on",
        category: "Version and Platform Compatibility / Previous PostgreSQL Versions",
        description: "Causes '...' strings to treat backslashes literally.",
    },
    Definition {
        name: "statement_timeout",
        kind: Kind::Integer { min: 0, max: 2147483647, unit: Some(Unit::Milliseconds) },
        context: Context::User,
        default: "0",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the maximum allowed duration of any statement.",
    },
    Definition {
        name: "synchronous_commit",
        kind: Kind::Enum(&["local", "on", "off"]),
        context: Context::User,
        default: "on",
        category: "Write-Ahead Log / Settings",
        description: "Sets the current transaction's synchronization level.",
    },
    Definition {
        name: "TimeZone",
        kind: Kind::String,
        context: Context::User,
        default: "UTC",
        category: "Client Connection Defaults / Locale and Formatting",
        description: "Sets the time zone for displaying and interpreting time stamps.",
    },
    Definition {
        name: "track_io_timing",
        kind: Kind::Bool,
        context: Context::User,
        default: "on",
        category: "Statistics / Cumulative Query and Index Statistics",
        description: "Collects timing statistics for database I/O activity.",
    },
    Definition {
        name: "transaction_isolation",
        kind: Kind::Enum(&["repeatable read", "read committed", "read uncommitted"]),
        context: Context::User,
        default: "read committed",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the current transaction's isolation level.",
    },
    Definition {
        name: "transaction_read_only",
        kind: Kind::Bool,
        context: Context::User,
        default: "off",
        category: "Client Connection Defaults / Statement Behavior",
        description: "Sets the current transaction's read-only status.",
    },
    Definition {
        name: "wal_block_size",
        kind: Kind::Integer { min: 4096, max: 4096, unit: None },
        context: Context::Internal,
        default: "4096",
        category: "Preset Options",
        description: "Shows the block size in the write ahead log.",
    },
    Definition {
        name: "wal_buffers",
        kind: Kind::Integer { min: 256, max: 262143, unit: Some(Unit::Blocks) },
        context: Context::Restart,
        default: "2048",
        category: "Write-Ahead Log / Settings",
        description: "Sets the number of disk-page buffers in shared memory for WAL.",
    },
    Definition {
        name: "wal_segment_size",
        kind: Kind::Integer { min: 1048576, max: 1073741824, unit: Some(Unit::Bytes) },
        context: Context::Internal,
        default: "16777216",
        category: "Preset Options",
        description: "Shows the size of write ahead log segments.",
    },
    Definition {
        name: "wal_sync_method",
        kind: Kind::Enum(&["auto", "open_datasync", "fdatasync"]),
        context: Context::Restart,
        default: "auto",
        category: "Write-Ahead Log / Settings",
        description: "Selects the method used for forcing WAL updates to disk.",
    },
    Definition {
        name: "wal_writer_delay",
        kind: Kind::Integer { min: 1, max: 10000, unit: Some(Unit::Milliseconds) },
        context: Context::Reload,
        default: "200",
        category: "Write-Ahead Log / Settings",
        description: "Time between WAL flushes performed in the WAL writer.",
    },
    Definition {
        name: "work_mem",
        kind: Kind::Integer { min: 64, max: 2147483647, unit: Some(Unit::Kilobytes) },
        context: Context::User,
        default: "4096",
        category: "Resource Usage / Memory",
        description: "Sets the maximum memory to be used for query workspaces.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, value: &str) -> std::result::Result<String, String> {
        find(name).unwrap().parse(value).map_err(|e| e.message)
    }

    // The expected messages came from PostgreSQL 15.
    #[test]
    fn units_ranges_and_messages_are_postgresqls() {
        assert_eq!(parse("work_mem", "10MB").unwrap(), "10240");
        assert_eq!(parse("shared_buffers", "128MB").unwrap(), "16384");
        assert_eq!(parse("statement_timeout", "1.5s").unwrap(), "1500");
        assert_eq!(
            parse("work_mem", "1kB").unwrap_err(),
            "1 kB is outside the valid range for parameter \"work_mem\" (64 .. 2147483647)"
        );
        assert_eq!(parse("work_mem", "abc").unwrap_err(), "invalid value for parameter \"work_mem\": \"abc\"");
        assert!(find("work_mem").unwrap().parse("10mb").unwrap_err().hint.unwrap().starts_with("Valid units"));
        assert_eq!(parse("effective_io_concurrency", "auto").unwrap(), "auto");
        assert!(parse("effective_io_concurrency", "1001").is_err());
        assert_eq!(parse("io_method", "WORKER").unwrap(), "worker");
        assert_eq!(parse("standard_conforming_strings", "tru").unwrap(), "on");
    }

    #[test]
    fn show_uses_the_largest_unit() {
        let show = |name: &str, value: &str| find(name).unwrap().show(value);
        assert_eq!(show("shared_buffers", "16384"), "128MB");
        assert_eq!(show("work_mem", "4096"), "4MB");
        assert_eq!(show("work_mem", "4097"), "4097kB");
        assert_eq!(show("checkpoint_timeout", "300"), "5min");
        assert_eq!(show("statement_timeout", "0"), "0");
    }

    #[test]
    fn every_default_is_valid() {
        for definition in DEFINITIONS {
            assert_eq!(definition.parse(definition.default).unwrap(), definition.default, "{}", definition.name);
        }
    }

    #[test]
    fn files_are_read_like_postgresql_conf() {
        let mut settings = Settings::default();
        let text = "# comment\n\nwork_mem = 8MB # more\nsearch_path 'a, ''b'''\nport=5433\n";
        settings.read_file(text, "inflight.conf").unwrap();
        assert_eq!((settings.get("work_mem"), settings.get("search_path")), ("8192", "a, 'b'"));
        let error = settings.read_file("port = 1\nnosuch = 1\n", "inflight.conf").unwrap_err();
        assert!(error.message.contains("inflight.conf, line 2") && error.message.contains("nosuch"));
        assert!(settings.read_file("work_mem 'x", "f").is_err());
    }
}
