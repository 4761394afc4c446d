//! What a statement is understood with: a version of the catalogs, the settings that change meanings, the time.
//!
//! It is the same for many statements, so it is made anew only when a catalog or a setting has changed. Plans remember the
//! one that they were made with: they are good as long as it is there.

pub mod catalog_statistics;
pub mod facts;
pub mod search_path;
pub mod spread;
pub mod table_statistics;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use analyze::relations::CatalogRelations;
use analyze::rewrite::stored::StoredTrees;
use catalog::acl::{BOOTSTRAP_SUPERUSER, Roles, Viewer};
use catalog::{Catalog, Objects, PG_CATALOG, PUBLIC};
use config::{Settings, Source};
use engine::{AnalyzedColumn, DatabaseDef};
use parking_lot::Mutex;
use plan::path::PlannerSettings;
use plan::plancat::ColumnStatistics;
use txn::Snapshot;
use types::session::Session;
use types::{Context, Oid, Reader};

use crate::definition::catalog_names::CatalogNames;

/// By table and column; `None`: ANALYZE has kept nothing of it.
type KnownStatistics = HashMap<(Oid, i16), Option<Arc<ColumnStatistics>>>;

/// The setting `plan_cache_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanCacheMode {
    Auto,
    ForceGeneric,
    ForceCustom,
}

/// A version of all that is known when a statement is analyzed and planned.
pub struct Environment {
    pub database: (Oid, String),
    pub engine: Arc<engine::Catalog>,
    pub objects: Arc<Objects>,
    pub search_path: Arc<[Oid]>,
    pub planner: PlannerSettings,
    /// `random_page_cost` was set.
    pub(super) random_page_cost_is_set: bool,
    pub plan_cache_mode: PlanCacheMode,
    /// Queries have identifiers (`compute_query_id`). `auto` and `regress` leave it to modules, of which there are none.
    pub identifies_queries: bool,
    /// Users' views may not be read (`restrict_nonsystem_relation_kind`).
    pub restricts_views: bool,
    /// Policies count; otherwise what they would change is refused (the setting of this name).
    pub row_security: bool,
    /// Without the session and its times: values in messages are written with it.
    pub(crate) context: Arc<Context>,
    /// The settings that change what statements mean, and how they are planned.
    meanings: Vec<String>,
    /// Of settings with these meanings.
    version: AtomicU64,
    trees: StoredTrees,
    /// With what SQL outside of statements is read ([`analyze::rewrite::recorded`]).
    pub stored: Context,
    /// What was asked of tables' columns.
    pub(super) statistics: Mutex<KnownStatistics>,
    /// Indexes that are younger than the snapshot that the transaction keeps: plans do not have them.
    pub(super) younger: HashSet<Oid>,
    /// [`engine::IndexDef::made_after`] of the youngest one that they may have.
    youngest: u64,
    /// The role that the session acts as.
    viewer: Arc<Viewer>,
}

impl Environment {
    /// `engine` is the catalog as the session sees it, `committed` as others do; `role` the session's, `temporary` the name of its own schema; `kept` what the
    /// transaction keeps seeing.
    pub fn new(
        database: (Oid, String),
        (engine, committed): (Arc<engine::Catalog>, Arc<engine::Catalog>),
        settings: &Settings,
        (role, temporary): (Oid, &str),
        kept: Option<&Snapshot>,
    ) -> Environment {
        let objects = engine.database_by_oid(database.0).map(|found| found.objects().clone()).unwrap_or_default();
        let viewer = Arc::new(Viewer { role, database: database.0, ..Viewer::default() });
        // Its own schemas are those that the setting names, and that it may use.
        let own = Catalog { objects: Some(&objects), ..Catalog::BUILT_IN }.namespaces_named(temporary).next();
        let own = own.map(|row| row.oid);
        let all = Catalog { search_path: own.as_slice(), objects: Some(&objects), viewer: Some(&viewer) };
        let path = search_path::searched(settings, engine.database_by_oid(database.0), (role, temporary));
        let search_path: Arc<[Oid]> = path.iter().filter_map(|schema| all.namespace_oid(schema).ok()).collect();
        let stored = stored_context(&objects, &database);
        let (younger, youngest) = match engine.database_by_oid(database.0) {
            Some(found) => younger_indexes(found, kept),
            None => Default::default(),
        };
        let others = committed.database_by_oid(database.0).filter(|_| !Arc::ptr_eq(&engine, &committed));
        let names = CatalogNames {
            objects: objects.clone(),
            committed: others.map(|found| found.objects().clone()),
            search_path: search_path.clone(),
            database: database.clone(),
            viewer: viewer.clone(),
        };
        Environment {
            objects,
            search_path,
            planner: planner_settings(settings),
            random_page_cost_is_set: random_page_cost_is_set(settings),
            plan_cache_mode: match settings.get("plan_cache_mode") {
                "force_generic_plan" => PlanCacheMode::ForceGeneric,
                "force_custom_plan" => PlanCacheMode::ForceCustom,
                _ => PlanCacheMode::Auto,
            },
            identifies_queries: settings.get("compute_query_id") == "on",
            restricts_views: config::names(settings.get("restrict_nonsystem_relation_kind"))
                .is_some_and(|kinds| kinds.iter().any(|kind| kind == "view")),
            row_security: settings.bool("row_security"),
            context: Arc::new(Context { names: Arc::new(names), ..context(settings) }),
            meanings: meanings(settings),
            version: AtomicU64::new(settings.version()),
            statistics: Mutex::default(),
            younger,
            youngest,
            viewer,
            trees: StoredTrees::new(stored.clone()),
            stored,
            database,
            engine,
        }
    }

    /// Are these settings, as far as they change what statements mean, those that it was made with? `role`: the session's, by them.
    pub fn has_settings(&self, settings: &Settings, role: impl FnOnce() -> Oid) -> bool {
        if self.version.load(Ordering::Relaxed) == settings.version() {
            return true;
        }
        // Something else was set, or a role's name is another role's now.
        let same = MEANINGFUL.iter().zip(&self.meanings).all(|(name, value)| settings.get(name) == value);
        let same = same && self.role() == role();
        if same {
            self.version.store(settings.version(), Ordering::Relaxed);
        }
        same
    }

    /// Do plans have the indexes that a transaction may use, and no others? `kept`: what it keeps seeing.
    pub fn suits(&self, kept: Option<&Snapshot>) -> bool {
        match kept {
            Some(kept) => self.youngest == 0 || kept.began_after(self.youngest),
            None => self.younger.is_empty(),
        }
    }

    pub fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.search_path, objects: Some(&self.objects), viewer: Some(&self.viewer) }
    }

    /// Roles and rights; the session acts as [`Environment::role`].
    pub fn roles(&self) -> Roles<'_> {
        self.viewer.roles(self.catalog())
    }

    /// The role that the session acts as; 0: one that is gone.
    pub fn role(&self) -> Oid {
        self.viewer.role
    }

    /// The relations, with what their definitions say as trees.
    pub fn relations(&self) -> CatalogRelations<'_> {
        CatalogRelations { catalog: self.catalog(), trees: &self.trees }
    }

    /// Is it a user's view?
    pub fn has_view(&self, relation: Oid) -> bool {
        self.engine.database_by_oid(self.database.0).is_some_and(|database| database.has_view(relation))
    }

    /// What is known of a column of a type, its values read.
    pub(crate) fn read_statistics(&self, kept: &AnalyzedColumn, ty: Oid) -> Option<ColumnStatistics> {
        let reader = Reader::of(ty);
        let value = |text: &String| reader.input(&self.stored, text, -1).ok();
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

    /// What functions may ask, in a statement of a session that came at a time, in a transaction that began at one:
    /// microseconds since 1970.
    pub fn context(&self, session: Arc<dyn Session>, transaction_start: i64, statement_start: i64) -> Context {
        Context { session, transaction_start, statement_start, ..Context::clone(&self.context) }
    }
}

/// The indexes that are younger than what a transaction keeps seeing, and [`engine::IndexDef::made_after`] of the youngest
/// of the others, or more.
fn younger_indexes(database: &DatabaseDef, kept: Option<&Snapshot>) -> (HashSet<Oid>, u64) {
    let youngest = database.youngest_index();
    let Some(kept) = kept.filter(|kept| youngest > 0 && !kept.began_after(youngest)) else {
        return (HashSet::new(), youngest);
    };
    let indexes = database.late_indexes();
    let (usable, younger): (Vec<_>, Vec<_>) = indexes.partition(|(_, made_after)| kept.began_after(*made_after));
    let usable = usable.iter().map(|(_, made_after)| *made_after).max();
    (younger.iter().map(|(index, _)| *index).collect(), usable.unwrap_or(0))
}

/// With what SQL outside of statements is read.
pub(crate) fn stored_context(objects: &Arc<Objects>, database: &(Oid, String)) -> Context {
    let names = CatalogNames {
        // What is stored was checked when it was made.
        viewer: Arc::new(Viewer { role: BOOTSTRAP_SUPERUSER, database: database.0, ..Viewer::default() }),
        objects: objects.clone(),
        committed: None,
        search_path: Arc::new([PG_CATALOG, PUBLIC]),
        database: database.clone(),
    };
    Context { names: Arc::new(names), ..Context::default() }
}

/// The settings that an environment is made of.
const MEANINGFUL: &[&str] = &[
    "bytea_output",
    "compute_query_id",
    "cpu_index_tuple_cost",
    "cpu_operator_cost",
    "cpu_tuple_cost",
    "cursor_tuple_fraction",
    "DateStyle",
    "effective_cache_size",
    "enable_distinct_reordering",
    "enable_group_by_reordering",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_incremental_sort",
    "enable_indexonlyscan",
    "enable_bitmapscan",
    "enable_indexscan",
    "enable_material",
    "enable_memoize",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_presorted_aggregate",
    "enable_seqscan",
    "enable_sort",
    "enable_tidscan",
    "extra_float_digits",
    "from_collapse_limit",
    "geqo",
    "geqo_threshold",
    "hash_mem_multiplier",
    "IntervalStyle",
    "join_collapse_limit",
    "plan_cache_mode",
    "random_page_cost",
    "restrict_nonsystem_relation_kind",
    // What "$user" means.
    "role",
    "row_security",
    "search_path",
    "seq_page_cost",
    "session_authorization",
    "TimeZone",
    "work_mem",
];

fn meanings(settings: &Settings) -> Vec<String> {
    let is_set = random_page_cost_is_set(settings).to_string();
    MEANINGFUL.iter().map(|name| settings.get(name).to_string()).chain([is_set]).collect()
}

fn random_page_cost_is_set(settings: &Settings) -> bool {
    let definition = config::find("random_page_cost").expect("a setting of ours");
    settings.source(definition) != Source::Default
}

fn planner_settings(settings: &Settings) -> PlannerSettings {
    PlannerSettings {
        seq_page_cost: settings.real("seq_page_cost"),
        random_page_cost: settings.real("random_page_cost"),
        cpu_tuple_cost: settings.real("cpu_tuple_cost"),
        cpu_index_tuple_cost: settings.real("cpu_index_tuple_cost"),
        cpu_operator_cost: settings.real("cpu_operator_cost"),
        hash_mem_multiplier: settings.real("hash_mem_multiplier"),
        cursor_tuple_fraction: settings.real("cursor_tuple_fraction"),
        effective_cache_size: settings.bytes("effective_cache_size") as f64 / 8192.0,
        work_mem: settings.bytes("work_mem") as f64 / 1024.0,
        enable_seqscan: settings.bool("enable_seqscan"),
        enable_indexscan: settings.bool("enable_indexscan"),
        enable_indexonlyscan: settings.bool("enable_indexonlyscan"),
        enable_bitmapscan: settings.bool("enable_bitmapscan"),
        enable_tidscan: settings.bool("enable_tidscan"),
        enable_sort: settings.bool("enable_sort"),
        enable_incremental_sort: settings.bool("enable_incremental_sort"),
        enable_hashagg: settings.bool("enable_hashagg"),
        enable_nestloop: settings.bool("enable_nestloop"),
        enable_material: settings.bool("enable_material"),
        enable_mergejoin: settings.bool("enable_mergejoin"),
        enable_hashjoin: settings.bool("enable_hashjoin"),
        enable_memoize: settings.bool("enable_memoize"),
        enable_presorted_aggregate: settings.bool("enable_presorted_aggregate"),
        enable_group_by_reordering: settings.bool("enable_group_by_reordering"),
        enable_distinct_reordering: settings.bool("enable_distinct_reordering"),
        geqo: settings.bool("geqo"),
        from_collapse_limit: settings.integer("from_collapse_limit") as usize,
        join_collapse_limit: settings.integer("join_collapse_limit") as usize,
        geqo_threshold: settings.integer("geqo_threshold") as usize,
    }
}

fn context(settings: &Settings) -> Context {
    let style = settings.style();
    Context {
        zone: style.zone.clone(),
        date_style: style.date,
        date_order: style.order,
        interval_style: style.interval,
        extra_float_digits: style.extra_float_digits,
        bytea_escape: style.escapes,
        ..Context::default()
    }
}
