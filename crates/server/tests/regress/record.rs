//! Runs PostgreSQL's regression files on PostgreSQL, as psql would, and keeps what it answers.

use std::path::Path;
use std::time::Duration;

use super::client::{Answer, Broken, Client, Target};
use super::recording::{Action, Entry, Kept, Query, Step, is_ordered};
use super::script::{Item, Script};
use super::variables::{Variables, is_true};

/// Files that are about psql itself or a platform's own, so that nothing of them could be compared.
const LEFT_OUT: &[&str] =
    &["psql", "psql_crosstab", "psql_pipeline", "collate.windows.win1252", "collate.linux.utf8", "numa"];

/// Start-up parameters of all sessions. pg_regress's, but for DateStyle and IntervalStyle: nearly every answer with a date
/// would say the same about them.
pub const OPTIONS: &[(&str, &str)] =
    &[("TimeZone", "America/Los_Angeles"), ("DateStyle", "ISO, MDY"), ("client_encoding", "UTF8")];

/// Makes everything that `read` gives back. `address` is PostgreSQL's, which is used alone: roles, databases and settings
/// change. `source` is PostgreSQL's `src/test/regress`, at the same path for the server.
pub fn record(address: &str, source: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    for file in sorted(&source.join("data"), "data") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        entries.push(Entry::Data { path: name, text: std::fs::read_to_string(&file).unwrap() });
    }
    let mut scripts = sorted(&source.join("sql"), "sql");
    scripts.sort_by_key(|s| !s.ends_with("test_setup.sql"));
    let mut setup: Option<String> = None;
    for path in scripts {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        let text = if name == "test_setup" { without_name(&text) } else { text };
        fresh(address);
        let mut recorder = Recorder::new(address, source);
        if let Some(setup) = &setup {
            recorder.play(setup);
            recorder = Recorder::new(address, source);
        }
        recorder.play(&text);
        eprintln!("{name}: {} steps, {} skipped", recorder.steps.len(), recorder.skipped);
        entries.push(Entry::Script { name, skipped: recorder.skipped, steps: recorder.steps });
        setup.get_or_insert(text);
    }
    entries
}

fn sorted(folder: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// The tables of test_setup with `text` columns for `name`: some thousand queries read them that have nothing to do with
/// `name`, and say nothing as long as it is missing.
fn without_name(setup: &str) -> String {
    let column = |line: &str| {
        if line.starts_with("\tstring") { line.replace("name", "text") } else { line.to_string() }
    };
    setup.lines().map(|line| column(line) + "\n").collect()
}

/// A database `regression` with nothing in it, and no roles or tablespaces that a file has left.
fn fresh(address: &str) {
    let mut admin = Client::connect(&target(address, "postgres", "postgres")).unwrap();
    let drop = "SELECT 'DROP ' || kind || ' ' || quote_ident(name) FROM (
        SELECT 'DATABASE' AS kind, datname AS name FROM pg_database WHERE datname LIKE 'regress%'
        UNION ALL SELECT 'TABLESPACE', spcname FROM pg_tablespace WHERE spcname LIKE 'regress%'
        UNION ALL SELECT 'ROLE', rolname FROM pg_roles WHERE rolname LIKE 'regress%') AS left_over";
    let mut run = |sql: &str| admin.query(sql, &mut || None).unwrap();
    run("SET client_min_messages = error");
    for row in run(drop).remove(0).rows {
        let command = row[0].as_deref().unwrap();
        let failed = run(command).into_iter().find_map(|answer| answer.error);
        assert!(failed.is_none(), "{command}: {failed:?}");
    }
    run("CREATE DATABASE regression TEMPLATE template0");
    for setting in ["lc_messages TO 'C'", "lc_monetary TO 'C'", "lc_numeric TO 'C'", "lc_time TO 'C'"] {
        run(&format!("ALTER DATABASE regression SET {setting}"));
    }
}

pub fn target(address: &str, user: &str, database: &str) -> Target {
    Target {
        address: address.into(),
        user: user.into(),
        database: database.into(),
        options: OPTIONS.to_vec(),
        limit: Duration::from_secs(120),
    }
}

struct Recorder {
    target: Target,
    client: Client,
    variables: Variables,
    steps: Vec<Step>,
    skipped: usize,
    /// For each `\if` we are in: is this branch run, and has one been?
    branches: Vec<(bool, bool)>,
}

impl Recorder {
    fn new(address: &str, source: &Path) -> Recorder {
        let target = target(address, "postgres", "regression");
        let client = Client::connect(&target).unwrap();
        let variables = variables(source);
        Recorder { target, client, variables, steps: Vec::new(), skipped: 0, branches: Vec::new() }
    }

    fn is_active(&self) -> bool {
        self.branches.iter().all(|(runs, _)| *runs)
    }

    fn play(&mut self, text: &str) {
        let mut script = Script::new(text);
        while let Some(item) = script.next(self.client.escapes) {
            match item {
                Item::Statement { line, text } if self.is_active() => {
                    self.query(&mut script, line, text, None, None);
                }
                Item::Statement { .. } => {}
                Item::Command { line, name, rest, query } => {
                    if self.branch(&name, &rest) || !self.is_active() {
                        continue;
                    }
                    if name == "q" || name == "quit" {
                        return;
                    }
                    self.command(&mut script, line, &name, rest, query);
                }
            }
        }
    }

    /// `\if` and its kin; gives whether it was one.
    fn branch(&mut self, name: &str, rest: &str) -> bool {
        let truth = self.variables.arguments(rest).first().is_some_and(|a| is_true(a));
        match (name, self.branches.last_mut()) {
            ("if", _) => self.branches.push((truth, truth)),
            ("elif", Some((runs, done))) => (*runs, *done) = (truth && !*done, truth || *done),
            ("else", Some((runs, done))) => (*runs, *done) = (!*done, true),
            ("endif", _) => drop(self.branches.pop()),
            _ => return false,
        }
        true
    }

    fn command(&mut self, script: &mut Script, line: usize, name: &str, rest: String, query: String) {
        match name {
            "set" => {
                self.variables.set_from(&rest);
                self.steps.push(Step { line, action: Action::Set(rest) });
            }
            // The folders are known, see `variables`.
            "getenv" => {}
            "c" | "connect" => self.connect(line, &rest),
            "g" | "gx" | "gset" if !query.is_empty() => {
                script.forget();
                let prefix = (name == "gset").then(|| self.variables.arguments(&rest).concat());
                self.query(script, line, query, prefix, None);
            }
            "gexec" if !query.is_empty() => {
                script.forget();
                let answers = self.query(script, line, query, None, None);
                let statements = answers.into_iter().flat_map(|a| a.rows).flatten().flatten();
                for statement in statements.collect::<Vec<_>>() {
                    self.query(script, line, statement, None, None);
                }
            }
            "copy" => self.copy(script, line, &rest),
            // Asks for something in the extended protocol, or shows it otherwise.
            "gdesc" | "crosstabview" | "watch" | "bind" | "bind_named" | "parse" | "close_prepared" | "r" | "reset" => {
                self.skipped += 1;
                script.forget();
            }
            _ => self.skipped += 1,
        }
    }

    /// `\copy` is COPY with the client's files.
    fn copy(&mut self, script: &mut Script, line: usize, rest: &str) {
        let rest = self.variables.expand(rest, false);
        let lower = rest.to_ascii_lowercase();
        let (from, to) = (lower.rfind(" from "), lower.rfind(" to "));
        let file = |at: usize| rest[at..].split_whitespace().nth(1).unwrap_or_default().to_string();
        match (from, to) {
            (Some(at), None) if ["stdin", "pstdin"].contains(&file(at).to_ascii_lowercase().as_str()) => {
                self.query(script, line, format!("COPY {rest}"), None, None);
            }
            (Some(at), None) if file(at).starts_with('\'') => {
                let file = file(at);
                let data = std::fs::read_to_string(file.trim_matches('\'')).ok();
                self.query(script, line, format!("COPY {}", rest.replace(&file, "STDIN")), None, data);
            }
            (None, Some(at)) if file(at).eq_ignore_ascii_case("stdout") => {
                self.query(script, line, format!("COPY {rest}"), None, None);
            }
            _ => self.skipped += 1,
        }
    }

    /// Only the user can be another one.
    fn connect(&mut self, line: usize, rest: &str) {
        let user = self.variables.arguments(rest).get(1).filter(|u| *u != "-").cloned();
        let user = user.unwrap_or_else(|| self.target.user.clone());
        let target = Target { user: user.clone(), ..self.target.clone() };
        match Client::connect(&target) {
            Ok(client) => (self.client, self.target) = (client, target),
            Err(Broken::Lost(_) | Broken::Hang) => self.client = Client::connect(&self.target).unwrap(),
        }
        self.steps.push(Step { line, action: Action::Connect(user) });
    }

    fn query(
        &mut self,
        script: &mut Script,
        line: usize,
        sql: String,
        gset: Option<String>,
        file: Option<String>,
    ) -> Vec<Answer> {
        let text = self.variables.expand(&sql, self.client.escapes);
        let mut data = None;
        let answers = self.client.query(&text, &mut || {
            data = Some(file.clone().unwrap_or_else(|| script.copy_data()));
            data.clone()
        });
        let answers = match answers {
            Ok(answers) => answers,
            Err(broken) => {
                eprintln!("line {line}: {broken:?}: {text}");
                self.client = Client::connect(&self.target).unwrap();
                return Vec::new();
            }
        };
        if let Some(prefix) = &gset {
            set_row(&mut self.variables, prefix, answers.last());
        }
        let ordered = is_ordered(&sql);
        let kept = answers.iter().map(|a| Kept::of(a.clone(), ordered)).collect();
        self.steps.push(Step {
            line,
            action: Action::Query(Query { sql, data, gset, answers: kept, block: self.client.block }),
        });
        answers
    }
}

/// `\gset`: columns of a single row become variables; NULL unsets.
pub fn set_row(variables: &mut Variables, prefix: &str, answer: Option<&Answer>) {
    let Some(Answer { columns: Some(columns), rows, .. }) = answer else { return };
    for ((name, _), value) in columns.iter().zip(rows.first().into_iter().flatten()) {
        variables.set(&format!("{prefix}{name}"), value.clone().unwrap_or_default());
    }
}

/// What pg_regress tells the scripts; `\getenv` gives the same names.
pub fn variables(folder: &Path) -> Variables {
    let mut variables = Variables::default();
    let folder = folder.to_string_lossy().into_owned();
    for (name, value) in [("abs_srcdir", &*folder), ("abs_builddir", &folder), ("libdir", &folder), ("dlsuffix", ".so")]
    {
        variables.set(name, value);
    }
    variables.set("DBNAME", "regression");
    variables
}
