//! VACUUM and ANALYZE: PostgreSQL's `vacuum.c`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use access::activity::Maintenance;
use access::vacuum::{CostDelay, VacuumStats};
use aio::BackendKind;
use analyze::relations::{Relation, RelationKind};
use engine::{Analyzed, EngineError, Result, Table, TableDef};
use syntax::nodes::{DefElem, Node, VacuumRelation, VacuumStmt};
use txn::LockMode;

use crate::commands::{copy, def_elem};
use crate::errors::{at, reported};
use crate::namespace;
use crate::ownership;
use crate::parse::ParsedStatement;
use crate::session::{Reply, Session, done};
use crate::statistics;

/// What is to be done.
#[derive(Default)]
struct Work {
    vacuum: bool,
    analyze: bool,
    verbose: bool,
    skip_locked: bool,
    /// Nothing is to be done with any table.
    only_database_stats: bool,
    /// Another option is there.
    others: bool,
}

/// A table with what is to be done with it.
struct Wanted {
    schema: String,
    name: String,
    /// The statement names it.
    named: bool,
    /// Positions of the columns to analyze; all where there are none.
    columns: Vec<usize>,
}

const MAX_WORKERS: i64 = 1024;

impl Work {
    fn of(statement: &VacuumStmt, text: &str) -> Result<Work> {
        let (vacuum, analyze) = (statement.is_vacuumcmd, !statement.is_vacuumcmd);
        let mut work = Work { vacuum, analyze, ..Work::default() };
        for option in &statement.options {
            let Node::DefElem(option) = option else { continue };
            work.option(option, text)?;
        }
        let wrong =
            |what: &str| Err(EngineError::new("0A000", format!("ONLY_DATABASE_STATS cannot be specified with {what}")));
        if work.only_database_stats && !statement.rels.is_empty() {
            return wrong("a list of tables");
        }
        if work.only_database_stats && (work.others || work.analyze) {
            return wrong("other VACUUM options");
        }
        Ok(work)
    }

    fn option(&mut self, option: &DefElem, text: &str) -> Result<()> {
        let name = def_elem::name(option);
        let unsupported = || EngineError::unsupported(format!("{} option {}", self.command(), name.to_uppercase()));
        let on = || def_elem::boolean(option);
        match name {
            "verbose" => self.verbose = on()?,
            "skip_locked" => self.skip_locked = on()?,
            "analyze" if self.vacuum => self.analyze = on()?,
            "full" | "freeze" if self.vacuum => {
                if on()? {
                    return Err(unsupported());
                }
            }
            // All pages are looked at in any case, and none is given back.
            "disable_page_skipping" | "truncate" | "process_toast" if self.vacuum => {
                on()?;
            }
            "index_cleanup" if self.vacuum => {
                if def_elem::text(option)?.as_deref() != Some("auto") && !on()? {
                    return Err(unsupported());
                }
            }
            "process_main" if self.vacuum => {
                if !on()? {
                    return Err(unsupported());
                }
            }
            // One process does it: there may always be fewer than were asked for.
            "parallel" if self.vacuum => check_workers(option).map_err(|error| at(error, text, option.location))?,
            // There are no statistics of whole databases.
            "skip_database_stats" if self.vacuum => {
                on()?;
            }
            "only_database_stats" if self.vacuum => {
                self.only_database_stats = on()?;
                return Ok(());
            }
            "buffer_usage_limit" => return Err(unsupported()),
            _ => {
                let message = format!("unrecognized {} option \"{name}\"", self.command());
                return Err(at(EngineError::new("42601", message), text, option.location));
            }
        }
        self.others |= name != "verbose";
        Ok(())
    }

    fn command(&self) -> &'static str {
        if self.vacuum { "VACUUM" } else { "ANALYZE" }
    }

    fn verb(&self) -> &'static str {
        if self.vacuum { "vacuum" } else { "analyze" }
    }
}

fn check_workers(option: &DefElem) -> Result<()> {
    if option.arg.is_none() {
        let message = format!("parallel option requires a value between 0 and {MAX_WORKERS}");
        return Err(EngineError::new("42601", message));
    }
    if !(0..=MAX_WORKERS).contains(&def_elem::integer(option)?) {
        let message = format!("parallel workers for vacuum must be between 0 and {MAX_WORKERS}");
        return Err(EngineError::new("42601", message));
    }
    Ok(())
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, vacuum: &VacuumStmt) -> Result<Reply> {
    let work = Work::of(vacuum, &statement.text)?;
    if work.vacuum {
        session.refuse_in_block("VACUUM")?;
    }
    let mut tables = Vec::new();
    for relation in &vacuum.rels {
        let Node::VacuumRelation(relation) = relation else { continue };
        if !relation.va_cols.is_empty() && !work.analyze {
            let message = "ANALYZE option must be specified when a column list is provided";
            return Err(EngineError::new("0A000", message));
        }
        tables.extend(wanted(session, &work, statement, relation)?);
    }
    if vacuum.rels.is_empty() && !work.only_database_stats {
        let all = namespace::tables(session).into_iter();
        tables.extend(all.map(|(schema, name)| Wanted { schema, name, named: false, columns: Vec::new() }));
    }
    for wanted in &tables {
        table(session, &work, wanted).await?;
    }
    Ok(done(work.command()))
}

/// What a statement names, if it is a table of a user.
fn wanted(
    session: &mut Session,
    work: &Work,
    statement: &ParsedStatement,
    relation: &VacuumRelation,
) -> Result<Option<Wanted>> {
    let Some(name) = &relation.relation else { return Ok(None) };
    let found = copy::find(session, statement, name)?;
    if found.kind != RelationKind::Table {
        let message =
            format!("skipping \"{}\" --- cannot {} non-tables or special system tables", found.name, work.verb());
        session.notice("WARNING", EngineError::new("01000", message));
        return Ok(None);
    }
    let columns = columns(&found, &relation.va_cols)?;
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    // In a system catalog there is nothing to tidy and nothing to be found out.
    let table = database.and_then(|database| database.tables.get(&found.oid));
    Ok(table.map(|table| {
        let (schema, name) = (table.schema.clone(), table.name.clone());
        Wanted { schema, name, named: true, columns }
    }))
}

/// The positions of a list of columns.
fn columns(relation: &Relation, names: &[Node]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Node::String(name) = name else { continue };
        let table = &relation.name;
        let found = relation.columns.iter().position(|column| !column.dropped && *column.name == **name);
        let missing = || EngineError::new("42703", format!("column \"{name}\" of relation \"{table}\" does not exist"));
        let at = found.ok_or_else(missing)?;
        if columns.contains(&at) {
            let message = format!("column \"{name}\" of relation \"{table}\" appears more than once");
            return Err(EngineError::new("42701", message));
        }
        columns.push(at);
    }
    Ok(columns)
}

async fn table(session: &mut Session, work: &Work, wanted: &Wanted) -> Result<()> {
    let Wanted { schema, name, .. } = wanted;
    if let Some(table) = session.shared.find_table(schema, name)?
        && !ownership::owns(&session.shared, &table.def.owner)?
    {
        let message = format!("permission denied to {} \"{name}\", skipping it", work.verb());
        session.notice("WARNING", EngineError::new("01000", message));
        return Ok(());
    }
    let Some(table) = lock(session, work, wanted).await? else {
        // It may be dropped since all were listed, or somebody else has it.
        return Ok(());
    };
    let shown = format!("{schema}.{name}");
    if work.vacuum {
        let shown = format!("{}.{shown}", session.shared.database.1);
        tell(session, work, || format!("vacuuming \"{shown}\""));
        let activity = table.heap().activity();
        let (began, started) = (activity.changes(), Instant::now());
        let concurrency = session.maintenance_concurrency(table.def.tablespace);
        let stats = table.vacuum(session.io(), concurrency, cost_delay(session)).await?;
        let what = if is_autovacuum(session) { Maintenance::Autovacuum } else { Maintenance::Vacuum };
        activity.ran(what, began, started.elapsed());
        tell(session, work, || {
            let (pages, rows, entries) = (stats.pages, stats.rows, stats.entries_removed);
            format!("finished vacuuming \"{shown}\": {pages} pages, {rows} rows, {entries} index entries removed")
        });
        tracing::debug!(table = name, ?stats, "vacuum");
        if !work.analyze {
            note_size(session, &table, &stats);
        }
    }
    if work.analyze {
        tell(session, work, || format!("analyzing \"{shown}\""));
        let activity = table.heap().activity();
        let (began, started) = (activity.changes(), Instant::now());
        analyze(session, &table, &wanted.columns).await?;
        let what = if is_autovacuum(session) { Maintenance::Autoanalyze } else { Maintenance::Analyze };
        activity.ran(what, began, started.elapsed());
    }
    Ok(())
}

fn is_autovacuum(session: &Session) -> bool {
    session.shared.backend.kind == BackendKind::Autovacuum
}

/// How often the session is to rest. What a page costs is counted as if it had to be read.
fn cost_delay(session: &Session) -> CostDelay {
    let settings = session.shared.settings.read();
    let millis = settings.real("vacuum_cost_delay");
    let integer = |name| settings.integer(name) as u32;
    CostDelay {
        delay: (millis > 0.0).then(|| Duration::from_secs_f64(millis / 1e3)),
        limit: integer("vacuum_cost_limit"),
        page: integer("vacuum_cost_page_miss"),
        dirty: integer("vacuum_cost_page_dirty"),
        balance: 0,
    }
}

/// What VERBOSE says.
fn tell(session: &Session, work: &Work, message: impl FnOnce() -> String) {
    if work.verbose {
        session.notice("INFO", EngineError::new("00000", message()));
    }
}

/// Locks a table, if it is still there and, with SKIP_LOCKED, nobody else has it.
async fn lock(session: &mut Session, work: &Work, wanted: &Wanted) -> Result<Option<Arc<Table>>> {
    let Wanted { schema, name, named, .. } = wanted;
    let mode = LockMode::ShareUpdateExclusive;
    if !work.skip_locked {
        return session.lock_table(schema, name, mode).await;
    }
    let Some(table) = session.shared.find_table(schema, name)? else { return Ok(None) };
    let tag = session.shared.table_tag(&table.def);
    if session.transaction().try_lock(tag, mode)? {
        return session.lock_table(schema, name, mode).await;
    }
    if *named {
        let message = format!("skipping {} of \"{name}\" --- lock not available", work.verb());
        session.notice("WARNING", EngineError::new("55P03", message));
    }
    Ok(None)
}

/// What a VACUUM has found out about a table's size goes to its definition.
fn note_size(session: &mut Session, table: &Table, stats: &VacuumStats) {
    let known = table.def.analyzed.clone().unwrap_or_default();
    let (pages, all_visible) = (table.blocks(), table.heap().relation.visibility().count());
    let analyzed = Some(Analyzed { pages, rows: stats.rows as f64, all_visible, ..known });
    if table.def.analyzed != analyzed {
        session.put_table(table.database, TableDef { analyzed, ..TableDef::clone(&table.def) });
    }
}

/// Finds out how the values of some columns are spread; of all where none is named.
async fn analyze(session: &mut Session, table: &Arc<Table>, wanted: &[usize]) -> Result<()> {
    let snapshot = session.transaction().snapshot();
    let sample = table.analyze(session.io(), snapshot, session.maintenance_concurrency(table.def.tablespace)).await?;
    let context = types::Context::default();
    let mut columns = statistics::columns(&table.def, &sample, &context).map_err(|error| reported(error, ""))?;
    if !wanted.is_empty() {
        let before = table.def.analyzed.as_ref().map(|analyzed| analyzed.columns.as_slice()).unwrap_or_default();
        let others = columns.iter_mut().enumerate().filter(|(at, _)| !wanted.contains(at));
        others.for_each(|(at, column)| *column = before.get(at).cloned().flatten());
    }
    // As PostgreSQL, a list of columns leaves indexes as they were found before.
    let indexes = match (wanted.is_empty(), &table.def.analyzed) {
        (false, Some(before)) => before.indexes.clone(),
        _ => statistics::indexes(table, &sample, &context)?,
    };
    let all_visible = table.heap().relation.visibility().count();
    let analyzed = Some(Analyzed { pages: sample.pages, rows: sample.rows, all_visible, columns, indexes });
    if table.def.analyzed != analyzed {
        session.put_table(table.database, TableDef { analyzed, ..TableDef::clone(&table.def) });
    }
    Ok(())
}
