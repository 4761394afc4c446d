//! VACUUM and ANALYZE: PostgreSQL's `vacuum.c`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::error::sqlstate;
use access::activity::Maintenance;
use access::progress::{Command, analyze as report_analyze, cluster as report_cluster, vacuum as report};
use access::vacuum::{CostDelay, Vacuum, VacuumStats};
use aio::BackendKind;
use analyze::relations::{Relation, RelationKind};
use config::{Source, parse_bool};
use engine::{Analyzed, EngineError, Result, Table, TableDef, VacuumOptions, Vacuumed};
use storage::{Lsn, PAGE_SIZE};
use syntax::nodes::{DefElem, Node, VacuumRelation, VacuumStmt};
use txn::LockMode;
use types::Oid;

use engine::{needs_toast_table, toast_table};
use session::errors::{at, reported};
use session::{ParsedStatement, Reply, Session, def_elem, done, uninterrupted};

use crate::copy;
use crate::index::build::require_calls;
use crate::maintenance::statistics;
use crate::object::namespace;
use crate::table::rewrite_table;

/// What is to be done.
#[derive(Default)]
struct Work {
    vacuum: bool,
    analyze: bool,
    verbose: bool,
    skip_locked: bool,
    full: bool,
    options: VacuumOptions,
    /// INDEX_CLEANUP and TRUNCATE; `None`: as the table says.
    indexes: Option<bool>,
    truncate: Option<bool>,
    /// PARALLEL.
    workers: i64,
    /// BUFFER_USAGE_LIMIT in pages; 0: as many as there are.
    ring: Option<usize>,
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

/// How long a cut waits for those who use the table, and how often it looks (`VACUUM_TRUNCATE_LOCK_TIMEOUT`,
/// `VACUUM_TRUNCATE_LOCK_WAIT_INTERVAL`).
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_INTERVAL: Duration = Duration::from_millis(50);

const MAX_WORKERS: i64 = 1024;
/// BUFFER_USAGE_LIMIT, in kB.
const BUFFER_USAGE: std::ops::RangeInclusive<i64> = 128..=16 << 20;

impl Work {
    fn of(statement: &VacuumStmt, text: &str) -> Result<Work> {
        let (vacuum, analyze) = (statement.is_vacuumcmd, !statement.is_vacuumcmd);
        let mut work = Work { vacuum, analyze, ..Work::default() };
        for option in &statement.options {
            let Node::DefElem(option) = option else { continue };
            work.option(option, text)?;
        }
        let wrong = |what: &str| {
            Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("ONLY_DATABASE_STATS cannot be specified with {what}"),
            ))
        };
        work.check_full()?;
        if work.only_database_stats && !statement.rels.is_empty() {
            return wrong("a list of tables");
        }
        if work.only_database_stats && (work.others || work.analyze) {
            return wrong("other VACUUM options");
        }
        Ok(work)
    }

    /// What VACUUM FULL does not go with.
    fn check_full(&self) -> Result<()> {
        let message = match () {
            _ if !self.full => return Ok(()),
            _ if self.workers > 0 => "VACUUM FULL cannot be performed in parallel",
            _ if self.ring.is_some() && !self.analyze => "BUFFER_USAGE_LIMIT cannot be specified for VACUUM FULL",
            // PostgreSQL's words for what cannot be meant.
            _ if self.options.all_pages => "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL",
            _ if !self.options.long_values => "PROCESS_TOAST required with VACUUM FULL",
            _ => return Ok(()),
        };
        Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
    }

    fn option(&mut self, option: &DefElem, text: &str) -> Result<()> {
        let name = def_elem::name(option);
        let on = || def_elem::boolean(option);
        match name {
            "verbose" => self.verbose = on()?,
            "skip_locked" => self.skip_locked = on()?,
            "analyze" if self.vacuum => self.analyze = on()?,
            "full" if self.vacuum => self.full = on()?,
            // Rows that all snapshots see have nothing that could be frozen.
            "freeze" if self.vacuum => {
                on()?;
            }
            "truncate" if self.vacuum => self.truncate = Some(on()?),
            "disable_page_skipping" if self.vacuum => self.options.all_pages = on()?,
            "process_main" if self.vacuum => self.options.rows = on()?,
            "process_toast" if self.vacuum => self.options.long_values = on()?,
            "index_cleanup" if self.vacuum => {
                self.indexes = match def_elem::text(option)?.as_deref() {
                    Some("auto") => None,
                    _ => Some(on()?),
                }
            }
            // One process does it: there may always be fewer than were asked for.
            "parallel" if self.vacuum => {
                self.workers = workers(option).map_err(|error| at(error, text, option.location))?;
            }
            // There are no statistics of whole databases.
            "skip_database_stats" if self.vacuum => {
                on()?;
            }
            "only_database_stats" if self.vacuum => {
                self.only_database_stats = on()?;
                return Ok(());
            }
            "buffer_usage_limit" => self.ring = Some(buffer_usage(option)?),
            _ => {
                let message = format!("unrecognized {} option \"{name}\"", self.command());
                return Err(at(EngineError::new(sqlstate::SYNTAX_ERROR, message), text, option.location));
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

fn workers(option: &DefElem) -> Result<i64> {
    if option.arg.is_none() {
        let message = format!("parallel option requires a value between 0 and {MAX_WORKERS}");
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, message));
    }
    let workers = def_elem::integer(option)?;
    if !(0..=MAX_WORKERS).contains(&workers) {
        let message = format!("parallel workers for vacuum must be between 0 and {MAX_WORKERS}");
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, message));
    }
    Ok(workers)
}

/// Pages of a ring, of a size with or without a unit.
fn buffer_usage(option: &DefElem) -> Result<usize> {
    let wrong = |code, message: &str| EngineError::new(code, message.to_string());
    let message = "BUFFER_USAGE_LIMIT option must be 0 or between 128 kB and 16777216 kB";
    // As the setting of the same meaning is written.
    let setting = config::find("vacuum_buffer_usage_limit").expect("a setting of PostgreSQL's");
    let parsed = setting.parse(&def_elem::string(option)?).ok().and_then(|kilobytes| kilobytes.parse().ok());
    match parsed.ok_or_else(|| wrong(sqlstate::INVALID_PARAMETER_VALUE, message))? {
        0 => Ok(0),
        kilobytes if BUFFER_USAGE.contains(&kilobytes) => Ok(kilobytes as usize * 1024 / PAGE_SIZE),
        _ => Err(wrong(sqlstate::INVALID_PARAMETER_VALUE, message)),
    }
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
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        tables.extend(wanted(session, &work, statement, relation)?);
    }
    if vacuum.rels.is_empty() && !work.only_database_stats {
        let all = namespace::tables(session).into_iter();
        tables.extend(all.map(|(schema, name)| Wanted { schema, name, named: false, columns: Vec::new() }));
    }
    for (at, wanted) in tables.iter().enumerate() {
        // Each in a transaction of its own: its locks go, and it does not hold up the horizon. VACUUM's own would be held up by
        // what REPEATABLE READ has seen when the statement began.
        if (at > 0 || work.vacuum) && !session.in_block() {
            session.commit_between().await?;
        }
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
    if !is_permitted(session, work, found.oid, &found.name)? {
        return Ok(None);
    }
    if found.kind != RelationKind::Table {
        let message =
            format!("skipping \"{}\" --- cannot {} non-tables or special system tables", found.name, work.verb());
        session.notice("WARNING", EngineError::new(sqlstate::WARNING, message));
        return Ok(None);
    }
    let columns = columns(&found, &relation.va_cols)?;
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    // In a system catalog there is nothing to tidy and nothing to be found out.
    let table = database.and_then(|database| database.table_by_oid(found.oid));
    Ok(table.map(|table| {
        let (schema, name) = (table.schema.clone(), table.name.clone());
        Wanted { schema, name, named: true, columns }
    }))
}

/// May the session do this to a relation? A warning tells that it may not (`vacuum_is_permitted_for_relation`).
fn is_permitted(session: &mut Session, work: &Work, relation: Oid, name: &str) -> Result<bool> {
    let permitted = session.shared.may_maintain(relation)?;
    if !permitted {
        let message = format!("permission denied to {} \"{name}\", skipping it", work.verb());
        session.notice("WARNING", EngineError::new(sqlstate::WARNING, message));
    }
    Ok(permitted)
}

/// The positions of a list of columns.
fn columns(relation: &Relation, names: &[Node]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Node::String(name) = name else { continue };
        let table = &relation.name;
        let found = relation.columns.iter().position(|column| !column.dropped && *column.name == **name);
        let missing = || {
            EngineError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" of relation \"{table}\" does not exist"),
            )
        };
        let at = found.ok_or_else(missing)?;
        if columns.contains(&at) {
            let message = format!("column \"{name}\" of relation \"{table}\" appears more than once");
            return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
        }
        columns.push(at);
    }
    Ok(columns)
}

async fn table(session: &mut Session, work: &Work, wanted: &Wanted) -> Result<()> {
    let Wanted { schema, name, .. } = wanted;
    if let Some(table) = session.shared.find_table(schema, name)?
        && !is_permitted(session, work, table.def.oid, name)?
    {
        return Ok(());
    }
    let Some(mut table) = lock(session, work, wanted, work.full).await? else {
        // It may be dropped since all were listed, or another session has it locked.
        return Ok(());
    };
    let shown = format!("{schema}.{name}");
    if work.vacuum {
        // Without PROCESS_MAIN it is about the long values alone, and without PROCESS_TOAST about nothing.
        let (options, database) = (work.options, &session.shared.database.1);
        let shown = match options.rows {
            true => format!("{database}.{shown}"),
            false => format!("{database}.pg_toast.pg_toast_{}", table.def.oid),
        };
        if options.rows || options.long_values {
            tell(session, work, || format!("vacuuming \"{shown}\""));
        }
        // Long values lie beside their table and cannot be written anew alone: they are tidied.
        if work.full && work.options.rows {
            full(session, work, &table).await?;
        } else if options.rows || options.long_values {
            vacuum(session, work, &table, &shown).await?;
        }
        if work.analyze {
            session.commit_between().await?;
            let Some(again) = lock(session, work, wanted, false).await? else { return Ok(()) };
            table = again;
        }
    }
    if work.analyze {
        tell(session, work, || format!("analyzing \"{shown}\""));
        let activity = table.heap().activity();
        let (began, started) = (activity.entry(), Instant::now());
        let rows = analyze(session, &table, &wanted.columns).await?;
        let what = if is_autovacuum(session) { Maintenance::Autoanalyze } else { Maintenance::Analyze };
        // What the transaction itself has done counts when it ends.
        let own = session.transaction().changes_of(activity);
        let live = (rows as u64).saturating_add(own.deleted).saturating_sub(own.inserted);
        activity.analyzed(what, &began, live, wanted.columns.is_empty(), started.elapsed());
    }
    Ok(())
}

/// VACUUM of a table.
async fn vacuum(session: &mut Session, work: &Work, table: &Arc<Table>, shown: &str) -> Result<()> {
    let activity = table.heap().activity();
    let (began, started) = (activity.entry(), Instant::now());
    let reporting = session.shared.backend.start_progress(Command::Vacuum, table.def.oid);
    let mut by = Vacuum {
        session: session.io().clone(),
        concurrency: session.maintenance_concurrency(table.def.tablespace),
        cost: cost_delay(session),
        ring: ring(session, work),
        memory: session.write_options().maintenance_work_mem,
        horizon: None,
        progress: reporting.progress.clone(),
    };
    let option = |name: &str| table.def.option(name).and_then(parse_bool);
    let indexes = work.indexes.or_else(|| option("vacuum_index_cleanup")).unwrap_or(true);
    let settings_say = || session.shared.settings.read().bool("vacuum_truncate");
    let truncates = work.truncate.or_else(|| option("vacuum_truncate")).unwrap_or_else(settings_say);
    let done = table.vacuum(&mut by, VacuumOptions { indexes, ..work.options }).await?;
    let whole = table.blocks();
    let mut cut = 0;
    if work.options.rows {
        activity.note_cut(0);
    }
    if truncates && indexes && work.options.rows && work.options.long_values {
        cut = truncate(session, work, table, &mut by).await?;
    }
    by.progress.set(report::PHASE, report::FINAL_CLEANUP);
    let what = if is_autovacuum(session) { Maintenance::Autovacuum } else { Maintenance::Vacuum };
    // The table's own rows are what the counts are about.
    if let Some(stats) = &done.rows {
        let rows = note_size(session, table, stats, whole);
        activity.vacuumed(what, &began, (rows as u64, stats.kept), started.elapsed());
    }
    // Autovacuum has them done for themselves in PostgreSQL.
    if work.options.long_values && !is_autovacuum(session) && needs_toast_table(&table.def) {
        let activity = session.db().toast_activity(table.database, toast_table(table.def.oid));
        let VacuumStats { rows, kept, .. } = done.long_values.unwrap_or_default();
        activity.vacuumed(what, &activity.entry(), (rows - kept, kept), started.elapsed());
    }
    let told = || told(shown, (whole, cut), &done, started.elapsed());
    tell(session, work, told);
    log_autovacuum(session, table, started.elapsed(), told);
    Ok(())
}

/// Gives the blocks without rows at the end back, where they are enough to be worth it and no other session needs the table for a
/// while. Gives how many of the table's own.
async fn truncate(session: &mut Session, work: &Work, table: &Table, by: &mut Vacuum) -> Result<u32> {
    let db = session.shared.db.clone();
    if !table.is_worth_truncating(by, Lsn::MAX).await? {
        return Ok(0);
    }
    // Recovery must not come by these blocks any more. An autovacuum worker leaves them to the first one after a checkpoint.
    if is_autovacuum(session) {
        if !table.is_worth_truncating(by, db.redo_position()).await? {
            table.heap().activity().note_cut(db.store().log.insert_position());
            return Ok(0);
        }
    } else if db.redo_position() < db.store().log.insert_position() {
        let by = db.clone();
        if let Err(error) = uninterrupted(async move { by.checkpoint().await }).await {
            // A volume fails, maybe another one: what VACUUM has done is done.
            tracing::warn!(table = table.def.name, %error, "blocks at the end are not given back: no checkpoint");
            return Ok(0);
        }
    }
    let tag = session.shared.table_tag(&table.def);
    let started = Instant::now();
    while !session.transaction().try_lock(tag, LockMode::AccessExclusive)? {
        if started.elapsed() >= LOCK_TIMEOUT {
            let name = &table.def.name;
            tell(session, work, || format!("\"{name}\": stopping truncate due to conflicting lock request"));
            return Ok(0);
        }
        db.engine().sleep(LOCK_INTERVAL).await;
    }
    let cut = db.truncate_end(table, by, db.redo_position(), || db.store().locks.is_waited_for(tag)).await;
    session.transaction().unlock(tag, LockMode::AccessExclusive);
    let cut = cut?;
    let after = table.blocks();
    tell(session, work, || format!("table \"{}\": truncated {} to {after} pages", table.def.name, after + cut));
    Ok(cut)
}

/// VACUUM FULL: the table is written anew, without dead rows and free space.
async fn full(session: &mut Session, work: &Work, table: &Arc<Table>) -> Result<()> {
    session.check_not_in_use(table.def.oid, &table.def.name, "VACUUM")?;
    let (started, before) = (Instant::now(), table.blocks());
    let reporting = session.shared.backend.start_progress(Command::Cluster, table.def.oid);
    reporting.progress.set(report_cluster::COMMAND, report_cluster::VACUUM_FULL);
    reporting.progress.set(report_cluster::TOTAL_HEAP_BLKS, before.into());
    reporting.progress.set(report_cluster::PHASE, report_cluster::SEQ_SCAN_HEAP);
    // An older snapshot would see none of the rows.
    let moved_by = session.transaction().writer().transaction.xid;
    rewrite_table::as_it_is(session, table, TableDef { moved_by, ..TableDef::clone(&table.def) }).await?;
    let written = session.table_of(table.def.oid)?;
    tell(session, work, || {
        let (schema, name, after) = (&table.def.schema, &table.def.name, written.blocks());
        let elapsed = started.elapsed().as_secs_f64();
        format!("\"{schema}.{name}\": {before} pages became {after}\nelapsed: {elapsed:.2} s")
    });
    Ok(())
}

/// Pages that VACUUM's scans keep: BUFFER_USAGE_LIMIT, or `vacuum_buffer_usage_limit` where it was set.
fn ring(session: &Session, work: &Work) -> Option<usize> {
    let pages = work.ring.or_else(|| {
        let settings = session.shared.settings.read();
        let setting = config::find("vacuum_buffer_usage_limit").expect("a setting of PostgreSQL's");
        let own = settings.source(setting) != Source::Default;
        own.then(|| settings.bytes("vacuum_buffer_usage_limit") / PAGE_SIZE)
    })?;
    // 0 stands for no ring: all of the pool.
    Some(if pages == 0 { usize::MAX } else { pages })
}

/// What VERBOSE tells in the end, as PostgreSQL words it.
fn told(shown: &str, (blocks, cut): (u32, u32), done: &Vacuumed, elapsed: Duration) -> String {
    let stats = done.rows.unwrap_or_default();
    let (all, remain) = (u64::from(blocks), blocks.saturating_sub(cut));
    let share = |part: u64| if all == 0 { 100.0 } else { part as f64 / all as f64 * 100.0 };
    let mut text = format!("finished vacuuming \"{shown}\": index scans: {}\n", done.index_scans);
    let scanned = stats.pages;
    text += &format!(
        "pages: {cut} removed, {remain} remain, {scanned} scanned ({:.2}% of total), 0 eagerly scanned\n",
        share(scanned)
    );
    let (removed, rows, kept) = (stats.removed, stats.rows, stats.kept);
    text += &format!("tuples: {removed} removed, {rows} remain, {kept} are dead but not yet removable\n");
    let at_rest = share(stats.skipped);
    text += &format!("visibility map: {} pages passed by ({at_rest:.2}% of total)\n", stats.skipped);
    for (name, pages, removed) in &done.indexes {
        text += &format!("index \"{name}\": pages: {pages} in total, {removed} entries removed\n");
    }
    text + &format!("system usage: elapsed: {:.2} s", elapsed.as_secs_f64())
}

/// What an autovacuum worker does goes to the log where it took as long as `log_autovacuum_min_duration` says.
fn log_autovacuum(session: &Session, table: &Table, elapsed: Duration, told: impl Fn() -> String) {
    if !is_autovacuum(session) {
        return;
    }
    let own = table.def.option("log_autovacuum_min_duration").and_then(|value| value.parse::<i64>().ok());
    let least = own.unwrap_or_else(|| session.shared.settings.read().integer("log_autovacuum_min_duration"));
    if least >= 0 && elapsed.as_millis() as i64 >= least {
        tracing::info!("automatic vacuum: {}", told());
    }
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
        session.notice("INFO", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message()));
    }
}

/// Locks a table, if it is still there and, with SKIP_LOCKED, no other session has it locked.
async fn lock(session: &mut Session, work: &Work, wanted: &Wanted, exclusively: bool) -> Result<Option<Arc<Table>>> {
    let Wanted { schema, name, named, .. } = wanted;
    let mode = if exclusively { LockMode::AccessExclusive } else { LockMode::ShareUpdateExclusive };
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
        session.notice("WARNING", EngineError::new(sqlstate::LOCK_NOT_AVAILABLE, message));
    }
    Ok(None)
}

/// What a VACUUM has found out about a table's size goes to its definition. Pages that were passed by have as many rows as pages
/// had when that was last known (`vac_estimate_reltuples`). Gives how many rows there are.
fn note_size(session: &mut Session, table: &Table, stats: &VacuumStats, whole: u32) -> f64 {
    let known = table.def.analyzed.clone().unwrap_or_default();
    let (pages, all_visible) = (table.blocks(), table.heap().relation.visibility().count());
    let scanned = (stats.rows - stats.kept) as f64;
    let unscanned = f64::from(whole) - stats.pages as f64;
    let density =
        if known.pages > 0 { known.rows / f64::from(known.pages) } else { scanned / stats.pages.max(1) as f64 };
    let rows = if unscanned > 0.0 { (density * unscanned + scanned + 0.5).floor() } else { scanned };
    note(session, table, Analyzed { pages, rows, all_visible, ..known });
    rows
}

/// What was found out about a table goes to its definition, with how large its indexes are.
fn note(session: &mut Session, table: &Table, analyzed: Analyzed) {
    let mut def = TableDef { analyzed: Some(analyzed), ..TableDef::clone(&table.def) };
    for def in &mut def.indexes {
        let index = table.indexes.iter().find(|index| index.def.oid == def.oid);
        def.pages = index.map_or(def.pages, |index| index.entries.blocks());
    }
    if *table.def != def {
        session.put_table(&table.def, def);
    }
}

/// Finds out how the values of some columns are spread; of all where none is named. Gives how many rows there are.
async fn analyze(session: &mut Session, table: &Arc<Table>, wanted: &[usize]) -> Result<f64> {
    let reporting = session.shared.backend.start_progress(Command::Analyze, table.def.oid);
    reporting.progress.set(report_analyze::PHASE, report_analyze::ACQUIRING_SAMPLE_ROWS);
    let snapshot = session.transaction().snapshot();
    let concurrency = session.maintenance_concurrency(table.def.tablespace);
    let db = session.shared.db.clone();
    let default_target = session.shared.settings.read().integer("default_statistics_target") as u16;
    let target = statistics::greatest_target(&table.def, default_target);
    let sample = table.analyze(session.io(), snapshot, concurrency, db.work_memory(), target).await?;
    reporting.progress.set(report_analyze::PHASE, report_analyze::COMPUTING_STATISTICS);
    let context = session.environment().stored.clone();
    let columns = statistics::columns(&table.def, &sample, default_target, &context);
    let mut columns = columns.map_err(|error| reported(error, ""))?;
    if !wanted.is_empty() {
        let before = table.def.analyzed.as_ref().map(|analyzed| analyzed.columns.as_slice()).unwrap_or_default();
        let others = columns.iter_mut().enumerate().filter(|(at, _)| !wanted.contains(at));
        others.for_each(|(at, column)| *column = before.get(at).cloned().flatten());
    }
    // As PostgreSQL, a list of columns leaves indexes as they were found before.
    let indexes = match (wanted.is_empty(), &table.def.analyzed) {
        (false, Some(before)) => before.indexes.clone(),
        _ => {
            table.def.indexes.iter().try_for_each(|index| require_calls(session, table, index))?;
            statistics::indexes(table, &sample, default_target, &context)?
        }
    };
    let all_visible = table.heap().relation.visibility().count();
    note(session, table, Analyzed { pages: sample.pages, rows: sample.rows, all_visible, columns, indexes });
    Ok(sample.rows)
}
