//! Settings: their definitions, parsing and units, as PostgreSQL's `guc.c` has them.
//!
//! A [`Settings`] value holds one text for every setting. The server has one (defaults, then `inflight.conf`,
//! `inflight.auto.conf` and the command line); each session has a copy that `SET` changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use error::{Error, Result, sqlstate};
use types::datetime::Zone;
use types::encoding::Encoding;

use crate::custom::{self, Custom};
use crate::declared::{self, Facts};
use crate::strings;
use crate::style::{self, Style};

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
    Minutes,
}

impl Unit {
    const ALL: [Unit; 7] =
        [Unit::Bytes, Unit::Kilobytes, Unit::Megabytes, Unit::Blocks, Unit::Milliseconds, Unit::Seconds, Unit::Minutes];

    /// The unit of this name.
    pub(crate) fn of(name: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// `pg_settings.unit`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "B",
            Unit::Kilobytes => "kB",
            Unit::Megabytes => "MB",
            Unit::Blocks => "8kB",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::Minutes => "min",
        }
    }

    fn is_time(self) -> bool {
        matches!(self, Unit::Milliseconds | Unit::Seconds | Unit::Minutes)
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
            Unit::Minutes => 60e6,
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
    /// Pages of 8 KiB; or `auto`, which a server replaces by their number when it starts.
    AutoBlocks {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
        unit: Option<Unit>,
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
    /// When a connection starts, by superusers.
    SuperuserBackend,
    /// When a connection starts.
    Backend,
    Superuser,
    User,
}

impl Context {
    pub(crate) const ALL: [Context; 7] = [
        Context::Internal,
        Context::Restart,
        Context::Reload,
        Context::SuperuserBackend,
        Context::Backend,
        Context::Superuser,
        Context::User,
    ];

    /// `pg_settings.context`.
    pub fn name(self) -> &'static str {
        match self {
            Context::Internal => "internal",
            Context::Restart => "postmaster",
            Context::Reload => "sighup",
            Context::SuperuserBackend => "superuser-backend",
            Context::Backend => "backend",
            Context::Superuser => "superuser",
            Context::User => "user",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub context: Context,
    pub default: &'static str,
    pub category: &'static str,
    pub description: &'static str,
}

/// Every setting, in the order of their names.
pub fn all() -> &'static [Definition] {
    &declared::ALL.0
}

/// Finds a setting; names are case-insensitive.
pub fn find(name: &str) -> Option<&'static Definition> {
    number(name).map(|n| &all()[n])
}

/// Names that settings had once.
const OLD_NAMES: &[(&str, &str)] =
    &[("sort_mem", "work_mem"), ("vacuum_mem", "maintenance_work_mem"), ("ssl_ecdh_curve", "ssl_groups")];

/// A setting's place among the definitions. Sessions ask for some with every statement.
fn number(name: &str) -> Option<usize> {
    static NUMBERS: LazyLock<HashMap<&'static str, usize, foldhash::fast::RandomState>> =
        LazyLock::new(|| all().iter().enumerate().map(|(n, d)| (d.name, n)).collect());
    NUMBERS.get(name).copied().or_else(|| {
        let now = OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(name)).map_or(name, |(_, now)| now);
        all().iter().position(|d| d.name.eq_ignore_ascii_case(now))
    })
}

pub fn unknown(name: &str) -> Error {
    Error::new(sqlstate::UNDEFINED_OBJECT, format!("unrecognized configuration parameter \"{name}\""))
}

impl Definition {
    /// What else is known of it.
    pub fn facts(&self) -> &'static Facts {
        &declared::ALL.1[number(self.name).expect("a setting of ours")]
    }

    /// May a session change it: a superuser's, while the connection starts?
    pub fn may_change(&self, superuser: bool, starting: bool) -> Result<()> {
        let name = self.name;
        let refuse = |how: &str| {
            Err(Error::new(sqlstate::CANT_CHANGE_RUNTIME_PARAM, format!("parameter \"{name}\" cannot be {how}")))
        };
        match self.context {
            Context::Internal => refuse("changed"),
            Context::Restart => refuse("changed without restarting the server"),
            Context::Reload => refuse("changed now"),
            Context::Backend | Context::SuperuserBackend if !starting => refuse("set after connection start"),
            Context::Superuser | Context::SuperuserBackend if !superuser => Err(Error::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to set parameter \"{name}\""),
            )),
            _ => Ok(()),
        }
    }

    /// May a session look at it?
    pub fn may_examine(&self, superuser: bool) -> Result<()> {
        if superuser || !self.facts().superuser_only {
            return Ok(());
        }
        Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to examine \"{}\"", self.name))
            .detail("Only roles with privileges of the \"pg_read_all_settings\" role may examine this parameter."))
    }

    pub fn vartype(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Integer { .. } | Kind::AutoBlocks { .. } => "integer",
            Kind::AutoInteger { .. } | Kind::String => "string",
            Kind::Real { .. } => "real",
            Kind::Enum(_) => "enum",
        }
    }

    /// What its numbers count.
    pub fn unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Integer { unit, .. } | Kind::Real { unit, .. } => unit,
            Kind::AutoBlocks { .. } => Some(Unit::Blocks),
            _ => None,
        }
    }

    pub(crate) fn invalid(&self, value: &str) -> Error {
        Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"{}\": \"{value}\"", self.name),
        )
    }

    /// Checks a value and gives its canonical text: numbers in the setting's unit.
    pub fn parse(&self, value: &str) -> Result<String> {
        self.parse_beside(value, self.default)
    }

    /// The same, where a value may leave open what is as `now`.
    fn parse_beside(&self, value: &str, now: &str) -> Result<String> {
        let parsed = self.parse_kind(value, now)?;
        let facts = self.facts();
        if facts.among.as_ref().is_some_and(|among| !among.contains(&parsed.as_str())) {
            return Err(strings::does_not_exist(self.name, &parsed).unwrap_or_else(|| self.invalid(value)));
        }
        match &facts.only {
            Some(only) if !only.contains(&parsed.as_str()) => {
                let only: Vec<_> = only.iter().map(|value| format!("\"{value}\"")).collect();
                Err(Error::unsupported(format!("parameter \"{}\" with the value \"{parsed}\"", self.name))
                    .hint(format!("Supported: {}.", only.join(", "))))
            }
            _ => Ok(parsed),
        }
    }

    fn parse_kind(&self, value: &str, now: &str) -> Result<String> {
        match self.kind {
            Kind::Bool => match parse_bool(value) {
                Some(true) => Ok("on".into()),
                Some(false) => Ok("off".into()),
                None => Err(Error::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("parameter \"{}\" requires a Boolean value", self.name),
                )),
            },
            Kind::AutoInteger { .. } | Kind::AutoBlocks { .. } if value.trim().eq_ignore_ascii_case("auto") => {
                Ok("auto".into())
            }
            Kind::Integer { min, max, .. } | Kind::AutoInteger { min, max } | Kind::AutoBlocks { min, max } => {
                self.parse_integer(value, min, max, self.unit())
            }
            Kind::Real { min, max, unit } => {
                let number = self.parse_number(value, unit)?;
                if !(min..=max).contains(&number) {
                    return Err(self.out_of_range(number, min, max, unit));
                }
                Ok(general(number))
            }
            Kind::Enum(values) => {
                let spelled = |spelling: &str| spelling.eq_ignore_ascii_case(value);
                let also = self.facts().also.iter().find(|(spelling, _)| spelled(spelling)).map(|(_, value)| *value);
                let found = also.or_else(|| values.iter().copied().find(|v| spelled(v)));
                found.map(str::to_string).ok_or_else(|| {
                    let values: Vec<_> = values.iter().map(|v| if v.is_empty() { "\"\"" } else { v }).collect();
                    self.invalid(value).hint(format!("Available values: {}.", values.join(", ")))
                })
            }
            Kind::String => self.parse_string(value, now),
        }
    }

    fn parse_string(&self, value: &str, now: &str) -> Result<String> {
        match self.name {
            "client_encoding" => match Encoding::find(value) {
                Some(found) => found.map(|encoding| encoding.name.to_string()),
                None => Err(self.invalid(value)),
            },
            "DateStyle" => style::date_style_text(value, now),
            "TimeZone" => Zone::parse(value).map(|zone| zone.name().to_string()).ok_or_else(|| self.invalid(value)),
            _ => strings::check(self, value),
        }
    }

    fn parse_integer(&self, value: &str, min: i64, max: i64, unit: Option<Unit>) -> Result<String> {
        let rounded = self.parse_number(value, unit)?.round_ties_even();
        if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded) {
            return Err(self.invalid(value).hint("Value exceeds integer range."));
        }
        if rounded < min as f64 || rounded > max as f64 {
            return Err(self.out_of_range(rounded, min as f64, max as f64, unit));
        }
        Ok((rounded as i64).to_string())
    }

    /// A number with or without a unit, in the setting's unit.
    fn parse_number(&self, value: &str, unit: Option<Unit>) -> Result<f64> {
        let (number, suffix) = leading_number(value.trim()).ok_or_else(|| self.invalid(value))?;
        match (suffix.trim(), unit) {
            ("", _) => Ok(number),
            (_, None) => Err(self.invalid(value)),
            (suffix, Some(unit)) => {
                let (units, hint) = if unit.is_time() {
                    (TIME_UNITS, "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
                } else {
                    (MEMORY_UNITS, "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".")
                };
                let known = units.iter().find(|(name, _)| *name == suffix);
                let factor = known.ok_or_else(|| self.invalid(value).hint(hint))?.1;
                let number = number * factor / unit.factor();
                // A fraction is rounded to the next smaller unit.
                let smaller = units.iter().find(|(_, f)| *f < factor).map(|(_, f)| f / unit.factor());
                Ok(smaller.map_or(number, |smaller| (number / smaller).round_ties_even() * smaller))
            }
        }
    }

    fn out_of_range(&self, value: f64, min: f64, max: f64, unit: Option<Unit>) -> Error {
        let unit = unit.map(|u| format!(" {}", u.name())).unwrap_or_default();
        let text = |number: f64| match self.kind {
            Kind::Real { .. } => general(number),
            _ => format!("{number}"),
        };
        let (value, min, max) = (text(value), text(min), text(max));
        let message = format!(
            "{value}{unit} is outside the valid range for parameter \"{}\" ({min}{unit} .. {max}{unit})",
            self.name
        );
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
    }

    /// What `SHOW` prints: the largest unit that divides the value.
    pub fn show(&self, value: &str) -> String {
        if self.facts().octal {
            return value.parse::<u32>().map_or_else(|_| value.into(), |mode| format!("{mode:04o}"));
        }
        let Some(unit) = self.unit() else { return value.to_string() };
        let number = match value.parse::<f64>() {
            Ok(number) if number > 0.0 => number,
            _ => return value.to_string(),
        };
        let base = number * unit.factor();
        let units = if unit.is_time() { TIME_UNITS } else { MEMORY_UNITS };
        let (name, factor) = units.iter().find(|(_, f)| base % f == 0.0).unwrap_or(&units[units.len() - 1]);
        format!("{}{name}", general_or_whole(base / factor))
    }
}

/// The number that a text begins with, as C's `strtol` (hexadecimal and octal too) or else `strtod` reads it, and what
/// follows.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hexadecimal.len());
        let value = i64::from_str_radix(&hexadecimal[..end], 16).ok()?;
        return Some((sign * value as f64, &hexadecimal[end..]));
    }
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if digits.starts_with('0') && end > 1 && !digits[end..].starts_with(['.', 'e', 'E']) {
        let end = digits.find(|c: char| !('0'..='7').contains(&c)).unwrap_or(digits.len());
        let value = i64::from_str_radix(&digits[..end], 8).ok()?;
        return Some((sign * value as f64, &digits[end..]));
    }
    let exponent = |rest: &str| {
        let rest = rest.strip_prefix(['e', 'E'])?;
        let unsigned = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
        (digits > 0).then(|| 1 + rest.len() - unsigned.len() + digits)
    };
    let mut end = end;
    if let Some(fraction) = digits[end..].strip_prefix('.') {
        end += 1 + fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    }
    end += exponent(&digits[end..]).unwrap_or(0);
    digits[..end].parse::<f64>().ok().map(|number| (sign * number, &digits[end..]))
}

/// A number as C's `%g` prints it: six digits.
pub fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let scientific = format!("{number:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("Rust prints an exponent");
    let exponent: i32 = exponent.parse().expect("Rust prints a number");
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

/// Whole numbers have all their digits.
fn general_or_whole(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { general(number) }
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
    /// ALTER ROLE ALL.
    Global,
    /// ALTER DATABASE.
    Database,
    /// ALTER ROLE.
    User,
    /// ALTER ROLE … IN DATABASE.
    DatabaseUser,
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
            Source::Global => "global",
            Source::Database => "database",
            Source::User => "user",
            Source::DatabaseUser => "database user",
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
    /// Those that users made up.
    custom: Arc<custom::Customs>,
    /// What remains when the transaction ends, once something was set for it alone.
    lasting: Option<Box<Settings>>,
    version: u64,
    each: OnceLock<EachStatement>,
    style: OnceLock<Arc<Style>>,
}

/// What sessions ask for with every statement, read once. Times are in milliseconds, 0 is for ever.
#[derive(Clone, Copy, Debug)]
pub struct EachStatement {
    pub statement_timeout: u64,
    pub lock_timeout: u64,
    pub transaction_timeout: u64,
    pub client_connection_check_interval: u64,
    pub idle_in_transaction_session_timeout: u64,
    pub idle_session_timeout: u64,
    pub transaction_read_only: bool,
    pub repeatable_read: bool,
    /// In bytes.
    pub work_mem: usize,
    /// Those who may work on one statement at once, the session included.
    pub participants: usize,
    /// `max_parallel_workers`: of all sessions together.
    pub parallel_workers: usize,
    /// `effective_io_concurrency`; `None`: it is found out.
    pub io_concurrency: Option<u32>,
    /// `maintenance_io_concurrency`; `None`: it is found out.
    pub maintenance_io_concurrency: Option<u32>,
    /// In bytes.
    pub maintenance_work_mem: usize,
    pub max_parallel_maintenance_workers: usize,
    /// In bytes; `None`: there is no limit.
    pub temp_file_limit: Option<u64>,
    /// Does a commit wait until it survives a power loss?
    pub synchronous_commit: bool,
    /// In microseconds; `None`: it is found out.
    pub commit_delay: Option<u64>,
    pub commit_siblings: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            values: Arc::new(vec![None; all().len()]),
            custom: Arc::default(),
            lasting: None,
            version: 0,
            each: OnceLock::new(),
            style: OnceLock::new(),
        }
    }
}

impl Settings {
    /// The value's canonical text.
    pub fn get(&self, name: &str) -> &str {
        let number = number(name).expect("a setting of ours");
        self.values[number].as_ref().map_or(all()[number].default, |(v, _)| v)
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
        let unit = find(name).and_then(Definition::unit).expect("a setting that counts memory");
        self.integer(name) as usize * unit.factor() as usize
    }

    /// What every statement asks for.
    pub fn each_statement(&self) -> EachStatement {
        *self.each.get_or_init(|| EachStatement {
            statement_timeout: self.integer("statement_timeout") as u64,
            lock_timeout: self.integer("lock_timeout") as u64,
            transaction_timeout: self.integer("transaction_timeout") as u64,
            client_connection_check_interval: self.integer("client_connection_check_interval") as u64,
            idle_in_transaction_session_timeout: self.integer("idle_in_transaction_session_timeout") as u64,
            idle_session_timeout: self.integer("idle_session_timeout") as u64,
            transaction_read_only: self.bool("transaction_read_only"),
            repeatable_read: self.get("transaction_isolation") == "repeatable read",
            work_mem: self.bytes("work_mem"),
            participants: {
                let workers = self.integer("max_parallel_workers_per_gather").min(self.integer("max_parallel_workers"));
                workers.clamp(0, 32) as usize + 1
            },
            parallel_workers: self.integer("max_parallel_workers") as usize,
            io_concurrency: self.get("effective_io_concurrency").parse().ok(),
            maintenance_io_concurrency: self.get("maintenance_io_concurrency").parse().ok(),
            maintenance_work_mem: self.bytes("maintenance_work_mem"),
            max_parallel_maintenance_workers: {
                let most = self.integer("max_parallel_maintenance_workers").min(self.integer("max_parallel_workers"));
                most as usize
            },
            temp_file_limit: u64::try_from(self.integer("temp_file_limit")).ok().map(|kilobytes| kilobytes << 10),
            synchronous_commit: self.get("synchronous_commit") != "off",
            commit_delay: self.get("commit_delay").parse().ok(),
            commit_siblings: self.integer("commit_siblings") as usize,
        })
    }

    /// How values are read and written, and where names are looked up.
    pub fn style(&self) -> &Arc<Style> {
        self.style.get_or_init(|| Arc::new(Style::of(self)))
    }

    fn changed(&mut self) {
        static VERSIONS: AtomicU64 = AtomicU64::new(1);
        self.version = VERSIONS.fetch_add(1, Ordering::Relaxed);
        self.each.take();
        self.style.take();
    }

    fn value_mut(&mut self, number: usize) -> &mut Option<(String, Source)> {
        self.changed();
        &mut Arc::make_mut(&mut self.values)[number]
    }

    fn custom_mut(&mut self) -> &mut custom::Customs {
        self.changed();
        Arc::make_mut(&mut self.custom)
    }

    /// The parameters that users made up.
    pub fn customs(&self) -> impl Iterator<Item = &Custom> {
        self.custom.values()
    }

    /// A parameter that a user made up.
    pub fn custom(&self, name: &str) -> Option<&Custom> {
        self.custom.get(name).or_else(|| self.custom.get(&name.to_ascii_lowercase()))
    }

    /// Settings of the same version are the same.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Sets a value without asking who may; for start-up and for values that were checked.
    pub fn set(&mut self, name: &str, value: &str, source: Source) -> Result<()> {
        if let Some(lasting) = &mut self.lasting {
            lasting.set(name, value, source)?;
        }
        let Some(number) = number(name) else {
            return custom::set(self.custom_mut(), name, value, source);
        };
        let now = self.get(name);
        let value = all()[number].parse_beside(value, now)?;
        if !matches!(source, Source::Default | Source::File | Source::CommandLine | Source::Override)
            && let Some(for_all) = all()[number].facts().for_all
            && (value == for_all) != (now == for_all)
        {
            return Err(Error::unsupported(format!("parameter \"{name}\" with the value \"{value}\" for one session"))
                .hint("It is set for the whole server, in the configuration."));
        }
        *self.value_mut(number) = Some((value, source));
        Ok(())
    }

    /// Sets a value that a client's start-up packet has.
    pub fn set_at_start(&mut self, name: &str, value: &str, superuser: bool) -> Result<()> {
        if let Some(definition) = find(name) {
            definition.may_change(superuser, true)?;
        }
        self.set(name, value, Source::Client)
    }

    /// Back to what `other` has.
    pub fn reset(&mut self, name: &str, other: &Settings) {
        if let Some(lasting) = &mut self.lasting {
            lasting.reset(name, other);
        }
        match number(name) {
            Some(number) => self.value_mut(number).clone_from(&other.values[number]),
            None => {
                let before = other.custom(name).map(|c| (c.value.clone(), c.source));
                if let Some(custom) = self.custom_mut().get_mut(&name.to_ascii_lowercase()) {
                    (custom.value, custom.source) = before.unwrap_or((String::new(), Source::Default));
                }
            }
        }
    }

    /// RESET ALL: back to what `initial` has, but for what that leaves alone.
    pub fn reset_all(&mut self, initial: &Settings) {
        for definition in all().iter().filter(|d| !d.facts().no_reset_all) {
            self.reset(definition.name, initial);
        }
        self.for_each_custom(|settings, name| settings.reset(name, initial));
    }

    /// Puts back what was before: names that were made up since remain, with nothing in them.
    pub fn roll_back(&mut self, before: Settings) {
        let after = std::mem::replace(self, before);
        if after.custom.keys().any(|name| !self.custom.contains_key(name)) {
            for (key, custom) in after.custom.iter() {
                let empty = || Custom { value: String::new(), source: Source::Default, ..custom.clone() };
                self.custom_mut().entry(key.clone()).or_insert_with(empty);
            }
        }
    }

    /// Changes them for the transaction alone: what is set otherwise, before or after, is there again when it ends.
    pub fn locally<T>(&mut self, change: impl FnOnce(&mut Settings) -> T) -> T {
        let lasting = self.lasting.take().unwrap_or_else(|| Box::new(self.clone()));
        let changed = change(self);
        self.lasting = Some(lasting);
        changed
    }

    /// Puts back what was changed for the transaction alone.
    pub fn end_local(&mut self) {
        if let Some(lasting) = self.lasting.take() {
            self.roll_back(*lasting);
        }
    }

    fn for_each_custom(&mut self, mut change: impl FnMut(&mut Settings, &str)) {
        let names: Vec<String> = self.custom.keys().cloned().collect();
        names.iter().for_each(|name| change(self, name));
    }

    /// Takes over from `fresh` what a running server may change and nothing nearer than a configuration file has set.
    pub fn reload(&mut self, fresh: &Settings) {
        if let Some(lasting) = &mut self.lasting {
            lasting.reload(fresh);
        }
        for (number, definition) in all().iter().enumerate() {
            let fixed = matches!(definition.context, Context::Internal | Context::Restart);
            let nearer = !matches!(self.source(definition), Source::Default | Source::File);
            if !fixed && !nearer && self.values[number] != fresh.values[number] {
                self.value_mut(number).clone_from(&fresh.values[number]);
            }
        }
    }

    /// Reads `name = value` lines in postgresql.conf's syntax. `file` and the line are named in errors.
    pub fn read_file(&mut self, text: &str, file: &str) -> Result<()> {
        for (line, entry) in entries(text) {
            let place = |e: Error| Error::new(e.code, format!("{file}, line {line}: {}", e.message));
            let (name, value) = entry.map_err(place)?;
            let internal = find(&name).is_some_and(|d| d.context == Context::Internal);
            if internal {
                return Err(place(Error::new(
                    sqlstate::CANT_CHANGE_RUNTIME_PARAM,
                    format!("parameter \"{name}\" cannot be changed"),
                )));
            }
            self.set(&name, &value, Source::File).map_err(place)?;
        }
        Ok(())
    }
}

/// The entries of a configuration file: the number of a line, and its name and value, or what is wrong with it.
pub fn entries(text: &str) -> impl Iterator<Item = (usize, Result<(String, String)>)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, parse_line(line).transpose()?)))
}

/// One line of a configuration file: `name = 'value'  # comment`.
fn parse_line(line: &str) -> Result<Option<(String, String)>> {
    let syntax = || Error::new(sqlstate::CONFIG_FILE_ERROR, "syntax error");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, value: &str) -> std::result::Result<String, String> {
        find(name).unwrap().parse(value).map_err(|e| e.message)
    }

    #[test]
    fn what_is_set_locally_ends_and_what_is_set_besides_stays() {
        let name = "application_name";
        let mut settings = Settings::default();
        let set = |settings: &mut Settings, value: &str| settings.set(name, value, Source::Session).unwrap();
        set(&mut settings, "before");
        settings.locally(|settings| set(settings, "a"));
        settings.end_local();
        assert_eq!(settings.get(name), "before");
        // Set before the local one, and after it.
        set(&mut settings, "session");
        settings.locally(|settings| set(settings, "local"));
        assert_eq!(settings.get(name), "local");
        settings.locally(|settings| settings.reset(name, &Settings::default()));
        assert_eq!(settings.get(name), "");
        settings.set("work_mem", "5MB", Source::Session).unwrap();
        let savepoint = settings.clone();
        settings.locally(|settings| set(settings, "more local"));
        settings.roll_back(savepoint);
        assert_eq!(settings.get(name), "");
        settings.end_local();
        assert_eq!((settings.get(name), settings.get("work_mem")), ("session", "5120"));
        settings.locally(|settings| set(settings, "local"));
        set(&mut settings, "last");
        settings.end_local();
        assert_eq!(settings.get(name), "last");
    }

    // The expected messages came from PostgreSQL 18.
    #[test]
    fn units_ranges_and_messages_are_postgresqls() {
        assert_eq!(parse("work_mem", "10MB").unwrap(), "10240");
        assert_eq!(parse("shared_buffers", "128MB").unwrap(), "16384");
        assert_eq!(parse("shared_buffers", "Auto").unwrap(), "auto");
        assert!(parse("shared_buffers", "64kB").is_err());
        assert_eq!(parse("statement_timeout", "1.5s").unwrap(), "1500");
        assert_eq!(
            parse("work_mem", "1kB").unwrap_err(),
            "1 kB is outside the valid range for parameter \"work_mem\" (64 kB .. 2147483647 kB)"
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
        assert_eq!(show("shared_buffers", "auto"), "auto");
        assert_eq!(show("work_mem", "4096"), "4MB");
        assert_eq!(show("work_mem", "4097"), "4097kB");
        assert_eq!(show("checkpoint_timeout", "300"), "5min");
        assert_eq!(show("statement_timeout", "0"), "0");
    }

    #[test]
    fn every_default_is_valid() {
        for definition in all() {
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
