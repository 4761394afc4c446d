//! Runs PostgreSQL's regression files on PostgreSQL, as psql would, and keeps what it answers.

use std::path::Path;
use std::time::Duration;

use super::client::{Answer, Broken, Client, Target};
use super::recording::{Action, Entry, Kept, Query, Step, is_ordered};
use super::schedule::Schedule;
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
    let mut stages = Stages::new(address, source);
    let schedule = Schedule::read(&std::fs::read_to_string(source.join("parallel_schedule")).unwrap());
    let mut names: Vec<String> = schedule.files().map(str::to_string).collect();
    for file in sorted(&source.join("sql"), "sql") {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names.into_iter().filter(|name| !LEFT_OUT.contains(&name.as_str())) {
        let Ok(text) = std::fs::read_to_string(source.join("sql").join(format!("{name}.sql"))) else { continue };
        let needs = schedule.needs(&name);
        stages.begin(&needs);
        let mut recorder = Recorder::new(address, source);
        recorder.play(&text);
        eprintln!("{name}: {} steps, {} skipped", recorder.steps.len(), recorder.skipped);
        entries.push(Entry::Script { name, needs, skipped: recorder.skipped, steps: recorder.steps });
    }
    entries
}

fn sorted(folder: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// Databases in which files have been played that others need: templates.
struct Stages<'a> {
    source: &'a Path,
    address: &'a str,
    admin: Client,
    /// Which files, in their order; the template's name has the place in this list.
    made: Vec<Vec<String>>,
}

impl<'a> Stages<'a> {
    fn new(address: &'a str, source: &'a Path) -> Stages<'a> {
        let admin = Client::connect(&target(address, "postgres", "postgres")).unwrap();
        let mut stages = Stages { source, address, admin, made: Vec::new() };
        stages.run("SET client_min_messages = error; SET allow_in_place_tablespaces = true");
        stages.leave_nothing("DATABASE", "stage");
        stages.leave_nothing("DATABASE", "regress");
        stages.leave_nothing("TABLESPACE", "regress");
        stages
    }

    fn run(&mut self, sql: &str) -> Vec<Answer> {
        let answers = self.admin.query(sql, &mut || None).unwrap();
        let failed = answers.iter().find_map(|answer| answer.error.as_ref());
        assert!(failed.is_none(), "{sql}: {failed:?}");
        answers
    }

    fn names(&mut self, kind: &str, prefix: &str) -> Vec<String> {
        let (catalog, column) = match kind {
            "DATABASE" => ("pg_database", "datname"),
            "TABLESPACE" => ("pg_tablespace", "spcname"),
            _ => ("pg_roles", "rolname"),
        };
        let query = format!("SELECT quote_ident({column}) FROM {catalog} WHERE {column} LIKE '{prefix}%' ORDER BY 1");
        self.run(&query).remove(0).rows.into_iter().flatten().flatten().collect()
    }

    fn leave_nothing(&mut self, kind: &str, prefix: &str) {
        for name in self.names(kind, prefix) {
            self.run(&format!("DROP {kind} {name}"));
        }
    }

    /// A database `regression` in which these files have been played, and no roles or tablespaces that other files left.
    fn begin(&mut self, needs: &[String]) {
        for length in 1..=needs.len() {
            if !self.made.iter().any(|made| made == &needs[..length]) {
                self.fresh(&needs[..length - 1]);
                let text = std::fs::read_to_string(self.source.join("sql").join(format!("{}.sql", needs[length - 1])));
                Recorder::new(self.address, self.source).play(&text.unwrap());
                self.run(&format!("ALTER DATABASE regression RENAME TO stage{}", self.made.len()));
                self.made.push(needs[..length].to_vec());
            }
        }
        self.fresh(needs);
    }

    fn fresh(&mut self, needs: &[String]) {
        self.leave_nothing("DATABASE", "regress");
        self.leave_nothing("ROLE", "regress");
        // What test_setup makes is not in its database.
        let keep = "regress_tblspace";
        for name in self.names("TABLESPACE", "regress").into_iter().filter(|name| needs.is_empty() || name != keep) {
            self.run(&format!("DROP TABLESPACE {name}"));
        }
        if !needs.is_empty() && self.names("TABLESPACE", keep).is_empty() {
            self.run("CREATE TABLESPACE regress_tblspace LOCATION ''");
        }
        let stage = self.made.iter().position(|made| made == needs).map(|place| format!("stage{place}"));
        let template = stage.as_deref().unwrap_or("template0");
        self.run(&format!("CREATE DATABASE regression TEMPLATE {template}"));
        for setting in DATABASE_SETTINGS {
            self.run(&format!("ALTER DATABASE regression SET {setting}"));
        }
    }
}

/// pg_regress's.
const DATABASE_SETTINGS: &[&str] =
    &["lc_messages TO 'C'", "lc_monetary TO 'C'", "lc_numeric TO 'C'", "lc_time TO 'C'", "bytea_output TO 'hex'"];

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
        let mut data = Vec::new();
        let answers = self.client.query(&text, &mut || {
            data.push(file.clone().unwrap_or_else(|| script.copy_data()));
            data.last().cloned()
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
