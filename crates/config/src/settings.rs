//! One value for every setting: [`Settings`].
//!
//! The server has one (defaults, then `inflight.conf`, `inflight.auto.conf` and the command line); each session has a copy that
//! `SET` changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use error::{Error, Result, sqlstate};

use crate::custom::{self, Custom};
use crate::definition::{Context, Definition, all, find, number};
use crate::file::entries;
use crate::source::Source;
use crate::style::Style;

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
    /// Processes that may work on one statement at once, the session included.
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

    /// Sets a value without asking whether the role may; for start-up and for values that were checked.
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

    /// Sets a value that a client's start-up packet has; `may_set`: also what superusers set.
    pub fn set_at_start(&mut self, name: &str, value: &str, may_set: bool) -> Result<()> {
        if let Some(definition) = find(name) {
            definition.may_change(may_set, true)?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
