//! What a statement is understood with: a version of the catalogs, the settings that change meanings, the time.
//!
//! It is the same for many statements, so it is made anew only when a catalog or a setting has changed. Plans remember the
//! one that they were made with: they are good as long as it is there.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use analyze::relations::CatalogRelations;
use analyze::rewrite::stored::StoredTrees;
use catalog::{Catalog, Objects, PG_CATALOG, PUBLIC};
use engine::style::{DateOrder, DateStyle, IntervalStyle};
use engine::{Database, Settings};
use parking_lot::Mutex;
use plan::path::PlannerSettings;
use plan::plancat::{ColumnStatistics, RelationSize, Statistics};
use types::datetime::{self, Zone};
use types::session::Session;
use types::{Context, Oid};

use crate::names::CatalogNames;
use crate::objects::objects;

/// By table and column; `None`: ANALYZE has kept nothing of it.
type KnownStatistics = HashMap<(Oid, i16), Option<Arc<ColumnStatistics>>>;

/// A version of all that is known when a statement is analyzed and planned.
pub struct Environment {
    pub database: (Oid, String),
    pub engine: Arc<engine::Catalog>,
    pub objects: Arc<Objects>,
    pub search_path: Arc<[Oid]>,
    pub planner: PlannerSettings,
    /// Without the times.
    context: Context,
    /// Of the settings.
    version: u64,
    trees: StoredTrees,
    /// How what the catalogs keep as SQL is read.
    pub(crate) stored: Context,
    /// What was asked of tables' columns.
    statistics: Mutex<KnownStatistics>,
}

impl Environment {
    /// `engine` is the catalog as the session sees it.
    pub fn new(database: (Oid, String), engine: Arc<engine::Catalog>, settings: &Settings) -> Environment {
        let objects = objects_of(&engine, database.0);
        let search_path = search_path(settings);
        let stored = stored_context(&objects, &database);
        let names =
            CatalogNames { objects: objects.clone(), search_path: search_path.clone(), database: database.clone() };
        Environment {
            objects,
            search_path,
            planner: planner_settings(settings),
            context: Context { names: Arc::new(names), ..context(settings) },
            version: settings.version(),
            statistics: Mutex::default(),
            trees: StoredTrees::new(stored.clone()),
            stored,
            database,
            engine,
        }
    }

    /// Would it be made alike now?
    pub fn is_current(&self, engine: &Arc<engine::Catalog>, settings: &Settings) -> bool {
        Arc::ptr_eq(&self.engine, engine) && self.version == settings.version()
    }

    pub fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.search_path, objects: Some(&self.objects) }
    }

    /// The relations, with what their definitions say as trees.
    pub fn relations(&self) -> CatalogRelations<'_> {
        CatalogRelations { catalog: self.catalog(), trees: &self.trees }
    }

    /// What functions may ask, in a statement of a session that came at a time, in a transaction that began at one:
    /// microseconds since 1970.
    pub fn context(&self, session: Arc<dyn Session>, transaction_start: i64, statement_start: i64) -> Context {
        Context { session, transaction_start, statement_start, ..self.context.clone() }
    }
}

/// With what the catalogs keep as SQL is read.
pub(crate) fn stored_context(objects: &Arc<Objects>, database: &(Oid, String)) -> Context {
    let names = CatalogNames {
        objects: objects.clone(),
        search_path: Arc::new([PG_CATALOG, PUBLIC]),
        database: database.clone(),
    };
    Context { names: Arc::new(names), ..Context::default() }
}

/// Of engine's catalog, a database, and what was made of them.
type Version = (Weak<engine::Catalog>, Oid, Weak<Objects>);

/// Versions of users' objects that somebody still uses, so that all sessions of a database share one.
static VERSIONS: Mutex<Vec<Version>> = Mutex::new(Vec::new());

pub(crate) fn objects_of(engine: &Arc<engine::Catalog>, database: Oid) -> Arc<Objects> {
    let mut versions = VERSIONS.lock();
    versions.retain(|(engine, _, objects)| engine.strong_count() > 0 && objects.strong_count() > 0);
    let same = |(of, oid, _): &&Version| *oid == database && std::ptr::eq(of.as_ptr(), Arc::as_ptr(engine));
    if let Some(objects) = versions.iter().find(same).and_then(|(_, _, objects)| objects.upgrade()) {
        return objects;
    }
    let made = Arc::new(match engine.database_by_oid(database) {
        Some(def) => objects(engine, def),
        None => Objects::default(),
    });
    versions.push((Arc::downgrade(engine), database, Arc::downgrade(&made)));
    made
}

/// The schemas in which names are looked for: `pg_catalog` first where it is not named.
fn search_path(settings: &Settings) -> Arc<[Oid]> {
    let named = settings.style().path.iter().filter_map(|schema| match *schema {
        "pg_catalog" => Some(PG_CATALOG),
        "public" => Some(PUBLIC),
        other => Catalog::BUILT_IN.namespace_oid(other).ok(),
    });
    let named: Vec<Oid> = named.collect();
    let first = (!named.contains(&PG_CATALOG)).then_some(PG_CATALOG);
    first.into_iter().chain(named).collect()
}

fn planner_settings(settings: &Settings) -> PlannerSettings {
    PlannerSettings { work_mem: settings.bytes("work_mem") as f64 / 1024.0, ..PlannerSettings::default() }
}

fn context(settings: &Settings) -> Context {
    let style = settings.style();
    Context {
        // It was checked when it was set.
        zone: Zone::parse(settings.get("TimeZone")).unwrap_or_else(Zone::utc),
        date_style: match style.date {
            DateStyle::Iso => datetime::DateStyle::Iso,
            DateStyle::Sql => datetime::DateStyle::Sql,
            DateStyle::Postgres => datetime::DateStyle::Postgres,
            DateStyle::German => datetime::DateStyle::German,
        },
        date_order: match style.order {
            DateOrder::Mdy => datetime::DateOrder::Mdy,
            DateOrder::Dmy => datetime::DateOrder::Dmy,
            DateOrder::Ymd => datetime::DateOrder::Ymd,
        },
        interval_style: match style.interval {
            IntervalStyle::Postgres => datetime::IntervalStyle::Postgres,
            IntervalStyle::PostgresVerbose => datetime::IntervalStyle::PostgresVerbose,
            IntervalStyle::SqlStandard => datetime::IntervalStyle::SqlStandard,
            IntervalStyle::Iso8601 => datetime::IntervalStyle::Iso8601,
        },
        extra_float_digits: style.extra_float_digits,
        bytea_escape: style.escapes,
        ..Context::default()
    }
}

/// Pages of a table that ANALYZE has not looked at, at least.
const FEWEST_PAGES: f64 = 10.0;

/// How large tables and indexes are, and what ANALYZE has found.
pub struct TableStatistics<'a> {
    pub db: &'a Database,
    pub environment: &'a Environment,
}

impl TableStatistics<'_> {
    fn table(&self, relation: Oid) -> Option<Arc<engine::Table>> {
        let database = self.environment.engine.database_by_oid(self.environment.database.0)?;
        let def = match database.tables.get(&relation) {
            Some(def) => def,
            None => database.tables.values().find(|def| def.indexes.iter().any(|index| index.oid == relation))?,
        };
        self.db.table(self.environment.database.0, def).ok()
    }
}

impl TableStatistics<'_> {
    /// What ANALYZE has kept of a column, its values read.
    fn read_column(&self, relation: Oid, attribute: i16) -> Option<ColumnStatistics> {
        let def = self.environment.table_def(relation).ok()?;
        let at = usize::try_from(attribute).ok()?.checked_sub(1)?;
        let kept = def.analyzed.as_ref()?.columns.get(at)?.as_ref()?;
        let ty = def.columns.get(at)?.ty;
        let base_type = types::base_type::base_type(ty.oid())?;
        let value = |text: &String| (base_type.input)(&self.environment.context, text, -1).ok();
        let common = kept.common.iter().map(|(text, part)| Some((value(text)?, *part)));
        Some(ColumnStatistics {
            null_fraction: kept.null_fraction,
            average_width: kept.width,
            distinct: kept.distinct,
            most_common: common.collect::<Option<_>>()?,
            histogram: kept.histogram.iter().map(value).collect::<Option<_>>()?,
            correlation: kept.correlation,
        })
    }
}

impl Statistics for TableStatistics<'_> {
    fn relation(&self, relation: Oid) -> Option<RelationSize> {
        let table = self.table(relation)?;
        let blocks = f64::from(table.blocks());
        // A table that was never looked at will grow: PostgreSQL takes it for one of ten pages.
        let grown = if table.def.analyzed.is_none() { blocks.max(FEWEST_PAGES) } else { blocks };
        let rows = (blocks > 0.0).then(|| table.estimated_rows() / blocks * grown);
        let index = table.indexes.iter().find(|index| index.def.oid == relation);
        let pages = index.map_or(grown, |index| f64::from(index.tree.blocks()));
        Some(RelationSize { pages, rows, all_visible: 1.0, height: None })
    }

    fn column(&self, relation: Oid, attribute: i16) -> Option<Arc<ColumnStatistics>> {
        let key = (relation, attribute);
        if let Some(known) = self.environment.statistics.lock().get(&key) {
            return known.clone();
        }
        let found = self.read_column(relation, attribute).map(Arc::new);
        self.environment.statistics.lock().insert(key, found.clone());
        found
    }
}
