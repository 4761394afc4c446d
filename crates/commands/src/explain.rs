//! EXPLAIN: options, and the plan of a statement as [`plan::explain`] shows it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use analyze::{has_into, take_into};
use catalog::Catalog;
use config::{Definition, Source};
use engine::{EngineError, Result};
use error::sqlstate;
use executor::{ExecPlan, HeapBlocks, Instrumentation};
use plan::explain::format::Whole;
use plan::explain::{BufferUsage, Explain, NodeRun, Options, Shown, format, show};
use session::errors::{at, reported};
use session::{
    CachedPlan, Column, Parameter, ParsedStatement, Portal, QueryText, Ready, Reply, Session, Shared, TableStatistics,
    def_elem, identity, prepare,
};
use syntax::nodes::{DefElem, ExplainStmt, IntoClause, Node, ObjectType, SelectStmt};
use syntax::with_stack_for;
use types::{Oid, oid};

use crate::table::create_table_as;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Xml,
    Yaml,
}

struct Wanted {
    shown: Options,
    format: Format,
    summary: bool,
    settings: bool,
    /// A plan for any values of the parameters, of which none are given.
    generic: bool,
}

impl Wanted {
    fn of(explain: &ExplainStmt, text: &str) -> Result<Wanted> {
        let (shown, format) = (Options::default(), Format::Text);
        let mut wanted = Wanted { shown, format, summary: false, settings: false, generic: false };
        let (mut timing, mut summary, mut buffers) = (None, None, None);
        for option in &explain.options {
            let Node::DefElem(option) = option else { continue };
            let here = |error| at(error, text, option.location);
            let switch = || def_elem::boolean(option).map_err(here);
            match def_elem::name(option) {
                "analyze" => wanted.shown.analyze = switch()?,
                "verbose" => wanted.shown.verbose = switch()?,
                "costs" => wanted.shown.costs = switch()?,
                "generic_plan" => wanted.generic = switch()?,
                "timing" => timing = Some(switch()?),
                "summary" => summary = Some(switch()?),
                "buffers" => buffers = Some(switch()?),
                "format" => wanted.format = self::format(option).map_err(here)?,
                "settings" => wanted.settings = switch()?,
                // What they would add is not counted.
                "wal" | "memory" | "serialize" if !switch().unwrap_or(true) => {}
                name @ ("wal" | "memory" | "serialize") => {
                    return Err(EngineError::unsupported(format!("EXPLAIN option {}", name.to_uppercase())));
                }
                name => {
                    return Err(here(EngineError::new(
                        sqlstate::SYNTAX_ERROR,
                        format!("unrecognized EXPLAIN option \"{name}\""),
                    )));
                }
            }
        }
        let analyze = wanted.shown.analyze;
        if timing == Some(true) && !analyze {
            return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, "EXPLAIN option TIMING requires ANALYZE"));
        }
        if wanted.generic && analyze {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together",
            ));
        }
        wanted.shown.timing = timing.unwrap_or(true);
        wanted.shown.buffers = buffers.unwrap_or(analyze);
        wanted.summary = summary.unwrap_or(analyze);
        Ok(wanted)
    }
}

fn format(option: &DefElem) -> Result<Format> {
    let value = def_elem::string(option)?;
    Ok(match value.as_str() {
        "text" => Format::Text,
        "json" => Format::Json,
        "xml" => Format::Xml,
        "yaml" => Format::Yaml,
        _ => {
            let message = format!("unrecognized value for EXPLAIN option \"format\": \"{value}\"");
            return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
    })
}

/// The column of EXPLAIN.
pub fn result_columns(explain: &ExplainStmt) -> Result<Vec<Column>> {
    let format = explain.options.iter().rev().find_map(|option| match option {
        Node::DefElem(option) if def_elem::name(option) == "format" => Some(self::format(option)),
        _ => None,
    });
    let ty: Oid = match format.transpose()? {
        Some(Format::Json) => oid::JSON,
        Some(Format::Xml) => oid::XML,
        _ => oid::TEXT,
    };
    // The text of an xml is a text's.
    let column = Column::text("QUERY PLAN");
    Ok(vec![if ty == oid::XML { column } else { Column::new("QUERY PLAN", ty, -1, Catalog::BUILT_IN) }])
}

pub(crate) async fn run(
    session: &mut Session,
    statement: &ParsedStatement,
    explain: &ExplainStmt,
    parameters: &[Parameter],
) -> Result<Reply> {
    let explaining =
        Explaining { wanted: Wanted::of(explain, &statement.text)?, begun: Instant::now(), statement, explain };
    let query = match &explain.query {
        Some(Node::ExecuteStmt(execute)) => {
            let (prepared, values) = prepare::arguments(session, statement, execute, parameters).await?;
            let Some(inner) = prepared.statement.clone() else {
                return Err(EngineError::unsupported("EXPLAIN of an empty statement"));
            };
            return explain_query(session, &explaining, QueryText::of(&inner), &values, None).await;
        }
        Some(Node::DeclareCursorStmt(declare)) => declare.query.as_ref(),
        Some(Node::CreateTableAsStmt(create)) if create.objtype == ObjectType::OBJECT_TABLE => {
            let (query, into) = create_table_as::parts(create)?;
            return explain_into(session, &explaining, query, (into, create.if_not_exists), parameters).await;
        }
        Some(Node::CreateTableAsStmt(_)) if explaining.wanted.shown.analyze => {
            return Err(EngineError::unsupported("a materialized view"));
        }
        Some(Node::CreateTableAsStmt(create)) => create.query.as_ref(),
        Some(Node::SelectStmt(select)) if has_into(select) => {
            let depth = statement.raw.depth;
            let mut query = with_stack_for(depth, || Node::SelectStmt(Box::new(SelectStmt::clone(select))));
            let reply = match take_into(&mut query) {
                Some(into) => explain_into(session, &explaining, &query, (&into, false), parameters).await,
                None => Err(EngineError::unsupported("this form of SELECT INTO")),
            };
            with_stack_for(depth, || drop(query));
            return reply;
        }
        other => other.as_ref(),
    };
    let Some(query) = query else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "EXPLAIN without a statement"));
    };
    explain_query(session, &explaining, QueryText::within(statement, query), parameters, None).await
}

/// An EXPLAIN that is at work.
struct Explaining<'a> {
    wanted: Wanted,
    begun: Instant,
    statement: &'a ParsedStatement,
    explain: &'a ExplainStmt,
}

impl Explaining<'_> {
    fn reply(&self, lines: Vec<String>) -> Result<Reply> {
        let rows: Vec<_> = lines.into_iter().map(|line| vec![Some(line)]).collect();
        Ok(Reply::Rows(Box::new(Portal::of_texts(result_columns(self.explain)?, &rows, "EXPLAIN")?)))
    }
}

/// A table that ANALYZE makes of what it runs.
struct NewTable<'a> {
    place: (String, String),
    into: &'a IntoClause,
}

/// EXPLAIN of CREATE TABLE AS and SELECT INTO. As in PostgreSQL, a table that is there ends it also where none would be made.
async fn explain_into(
    session: &mut Session,
    explaining: &Explaining<'_>,
    query: &Node,
    (into, if_not_exists): (&IntoClause, bool),
    parameters: &[Parameter],
) -> Result<Reply> {
    let query = QueryText::within(explaining.statement, query);
    let place = create_table_as::claim(session, query, into, if_not_exists, parameters).await?;
    let Some(place) = place else { return explaining.reply(no_plan(explaining.wanted.format)) };
    let new = explaining.wanted.shown.analyze.then_some(NewTable { place, into });
    explain_query(session, explaining, query, parameters, new).await
}

/// What is shown of a CREATE TABLE AS that does nothing (`ExplainDummyGroup`).
fn no_plan(format: Format) -> Vec<String> {
    let document = match format {
        Format::Text => return vec![],
        Format::Json => "[\n  \"CREATE TABLE AS\"\n]",
        Format::Xml => "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <CREATE-TABLE-AS />\n</explain>",
        Format::Yaml => "- \"CREATE TABLE AS\"",
    };
    vec![document.to_string()]
}

/// Runs a plan, whose rows go nowhere or into a new table; gives what its nodes did, and how long it took.
async fn watch(
    session: &mut Session,
    ready: Ready<'_>,
    text: &Arc<str>,
    new: Option<NewTable<'_>>,
) -> Result<(Watched, Duration)> {
    let (environment, stack) = (ready.source.environment.clone(), ready.plan.executable.stack());
    let plan = ready.plan.clone();
    let prepared = {
        let facts = TableStatistics { db: session.db(), environment: &environment };
        with_stack_for(stack, || ExecPlan::prepare_watched(&plan.planned, environment.catalog(), &facts))
    };
    let executable = Arc::new(prepared.map_err(|error| reported(error, text))?);
    let begun = Instant::now();
    let into = match new {
        Some(NewTable { place, into }) => {
            let source = &ready.source.analyzed;
            let table = create_table_as::make(session, place, into, source).await?;
            Some((session.table_of(table)?, into.skip_data))
        }
        None => None,
    };
    let planned = with_stack_for(stack, || plan.planned.clone());
    let plan = Arc::new(CachedPlan { planned, executable, outputs: plan.outputs.clone() });
    let ready = Ready { plan, ..ready };
    if let Some((_, true)) = into {
        return Ok((Watched(Vec::new()), begun.elapsed()));
    }
    let mut portal = session.start(&ready, text)?;
    match into {
        None => drop(portal.drain(session).await?),
        Some((table, _)) => portal.drain_into(session, &table, ready.plan.executable.reprs()).await?,
    }
    Ok((Watched(portal.instrumentation()), begun.elapsed()))
}

async fn explain_query(
    session: &mut Session,
    explaining: &Explaining<'_>,
    query: QueryText<'_>,
    parameters: &[Parameter],
    new: Option<NewTable<'_>>,
) -> Result<Reply> {
    let wanted = &explaining.wanted;
    let ready = session.ready(query, parameters).await?;
    let (source, plan) = (ready.source.clone(), ready.plan.clone());
    let missing = source.analyzed.parameters.len() > ready.parameters.len();
    if missing && !wanted.generic {
        return Err(EngineError::new(sqlstate::UNDEFINED_PARAMETER, "there is no parameter $1"));
    }
    let planning = explaining.begun.elapsed();
    // What is within each other is printed so.
    let stack = plan.executable.stack();
    let watched = match wanted.shown.analyze {
        true => Some(watch(session, ready, query.text, new).await?),
        false => None,
    };
    let environment = source.environment.clone();
    let context = session.context(&environment, query.text);
    let relations = environment.relations();
    let explain_plan = || {
        show(Explain {
            statement: &plan.planned,
            catalog: environment.catalog(),
            relations: &relations,
            context: &context,
            options: wanted.shown,
            instrumentation: watched.as_ref().map(|(watched, _)| watched as &dyn plan::explain::Instrumentation),
        })
    };
    let shown = with_stack_for(stack, explain_plan);
    let shown = shown.map_err(|error| reported(error, query.text))?;
    let identifier = source.identifier.filter(|_| wanted.shown.verbose);
    let identifier = identifier.map(|identifier| ("Query Identifier".to_string(), identifier.to_string()));
    let took = watched.as_ref().map(|(_, took)| *took);
    let whole = Whole {
        settings: wanted.settings.then(|| changed_settings(&session.shared)),
        more: identifier.into_iter().chain(summary(wanted, planning, took)).collect(),
    };
    explaining.reply(with_stack_for(stack, || lines(wanted.format, shown, &whole)))
}

fn lines(format: Format, shown: Shown, whole: &Whole) -> Vec<String> {
    match format {
        Format::Text => format::text(&shown, whole),
        Format::Json => vec![format::json(&shown, whole)],
        Format::Xml => vec![format::xml(&shown, whole)],
        Format::Yaml => vec![format::yaml(&shown, whole)],
    }
}

/// The settings that plans depend on, as far as they are not as by default (`get_explain_guc_options`).
fn changed_settings(shared: &Shared) -> Vec<(String, String)> {
    let settings = shared.settings.read();
    let superuser = identity::is_superuser(shared, &settings);
    let is_changed = |definition: &&Definition| {
        definition.facts().explained
            && !matches!(settings.source(definition), Source::Default | Source::Override)
            && settings.get(definition.name) != definition.default
            && definition.may_examine(superuser).is_ok()
    };
    let shown = |definition: &Definition| (definition.name.into(), definition.show(settings.get(definition.name)));
    config::all().iter().filter(is_changed).map(shown).collect()
}

/// What is said of the whole statement, with milliseconds.
fn summary(wanted: &Wanted, planning: Duration, execution: Option<Duration>) -> Vec<(String, String)> {
    if !wanted.summary {
        return vec![];
    }
    let unit = if wanted.format == Format::Text { " ms" } else { "" };
    let time = |took: Duration| format!("{:.3}{unit}", took.as_secs_f64() * 1e3);
    let execution = execution.map(|took| ("Execution Time".to_string(), time(took)));
    [("Planning Time".to_string(), time(planning))].into_iter().chain(execution).collect()
}

/// What the nodes of a plan that ran did.
struct Watched(Vec<(Instrumentation, Vec<HeapBlocks>)>);

impl plan::explain::Instrumentation for Watched {
    fn node(&self, number: usize) -> Option<NodeRun> {
        let run = self.0.get(number).map(|(run, _)| run).filter(|run| run.loops > 0)?;
        let millis = |took: Duration| took.as_secs_f64() * 1e3;
        Some(NodeRun {
            startup: millis(run.startup),
            total: millis(run.total),
            rows: run.rows as f64,
            loops: run.loops as f64,
            workers: run.workers as f64,
            removed_by_filter: run.removed_by_filter as f64,
            removed_by_join_filter: run.removed_by_join_filter as f64,
            removed_by_recheck: run.removed_by_recheck as f64,
            heap_blocks: run.blocks.map(|count| count as f64),
            heap_fetches: run.heap_fetches as f64,
            index_searches: run.index_searches as f64,
            usage: usage(run.usage),
        })
    }

    fn worker_blocks(&self, number: usize) -> Vec<[f64; 2]> {
        let blocks = self.0.get(number).map(|(_, blocks)| blocks.as_slice()).unwrap_or_default();
        blocks.iter().map(|blocks| blocks.map(|count| count as f64)).collect()
    }
}

fn usage(usage: aio::BufferUsage) -> BufferUsage {
    let millis = |nanos: u64| nanos as f64 / 1e6;
    BufferUsage {
        hit: usage.hits,
        read: usage.reads,
        written: usage.written,
        operations: usage.operations,
        waited: millis(usage.waited),
        device: millis(usage.device),
        depth_sum: usage.depth_sum,
    }
}
