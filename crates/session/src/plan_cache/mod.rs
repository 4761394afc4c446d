//! Statements that are analyzed once and planned once: PostgreSQL's `plancache.c`.

pub mod constants;
pub mod views;

use std::sync::{Arc, OnceLock};

use analyze::query::{CommandType, Const, Expr, Location, Query, TargetEntry, TypeRef, query_identifier};
use analyze::rewrite::{Rewritten, relation_permissions};
use analyze::{Analyzed, Parameters, Statement, analyze_node, rewrite};
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use engine::Database;
use error::sqlstate;
use executor::ExecPlan;
use expression::{Execution, estimate};
use parking_lot::Mutex;
use plan::generic::{self, Known, ParameterRanges, Values};
use plan::plan::PlannedStmt;
use plan::{Planner, planner};
use syntax::nodes::Node;
use types::{Context, Datum, Error, Oid, Result};

use crate::client::output::Output;
use crate::environment::table_statistics::TableStatistics;
use crate::environment::{Environment, PlanCacheMode};
use crate::identity::permissions::Permissions;
use crate::plan_cache::views::views_of;
use crate::statement::parameter::Parameter;

/// A column of a result, as RowDescription tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// Of its type; a domain's is that of what it is over.
    pub oid: Oid,
    pub typmod: i32,
    /// Bytes of a value (`typlen`); -1 where they vary.
    pub len: i16,
    /// The table and the column that it is.
    pub origin: Option<(Oid, i16)>,
}

impl Column {
    pub fn new(name: impl Into<String>, oid: Oid, typmod: i32, catalog: Catalog<'_>) -> Column {
        // What is still unknown, a client reads as text.
        let oid = if oid == types::oid::UNKNOWN { types::oid::TEXT } else { oid };
        let (oid, typmod) = catalog.base_type_and_typmod(oid, typmod);
        let len = catalog.pg_type(oid).map_or(-1, |row| row.typlen);
        Column { name: name.into(), oid, typmod, len, origin: None }
    }

    pub fn text(name: &str) -> Column {
        Column::new(name, types::oid::TEXT, -1, Catalog::BUILT_IN)
    }
}

/// A statement that is understood (`CachedPlanSource`).
pub struct CachedPlanSource {
    pub analyzed: Analyzed,
    /// `None`: it gives no rows.
    pub columns: Option<Arc<[Column]>>,
    /// Where queries have one (`compute_query_id`).
    pub identifier: Option<i64>,
    /// The views that the query reads: they are locked with its tables.
    pub(crate) views: Box<[Oid]>,
    permissions: Permissions,
    pub environment: Arc<Environment>,
    generic: Mutex<Option<Arc<Generic>>>,
    /// What is computed of it before the generic plan runs for constants that became parameters.
    computed: OnceLock<Vec<Expr>>,
    customs: Mutex<Customs>,
    latest: Mutex<Option<Custom>>,
}

/// The plan that was made last for constants of a query string: they often come again.
struct Custom {
    values: Box<[Parameter]>,
    sizes: Sizes,
    plan: Arc<CachedPlan>,
}

/// Pages of the relations of users that a plan is for, when it was made. (Catalogs do not change without their environment.)
struct Sizes(Box<[f64]>);

/// The plan that is good for any values.
struct Generic {
    plan: Arc<CachedPlan>,
    /// Where it may be worse than one for particular values; `None`: anywhere.
    ranges: Option<ParameterRanges>,
    sizes: Sizes,
}

/// The plans that were made for particular values, and are gone.
#[derive(Clone, Copy, Default)]
struct Customs {
    number: u32,
    /// How often one for any values was taken instead.
    generics: u64,
    /// With that of planning.
    cost: f64,
    /// How many of the last ones had the nodes of the generic plan.
    alike: u32,
}

/// So many plans are made for their values before one for any values is thought of.
const FIRST_CUSTOMS: u32 = 5;

/// A table that has grown or shrunk by more than this part and so many pages may be better read in another way.
const GROWTH: f64 = 0.1;
const GROWTH_PAGES: f64 = 10.0;

/// A plan, and what runs it.
pub struct CachedPlan {
    pub planned: PlannedStmt,
    pub executable: Arc<ExecPlan>,
    /// How its columns are written.
    pub outputs: Arc<[Output]>,
}

impl CachedPlanSource {
    /// What a statement means. `declared` are the parameters' types that the client knows, 0 where it does not. A utility
    /// command is 0A000.
    pub fn new(
        environment: &Arc<Environment>,
        context: &Context,
        node: &Node,
        depth: usize,
        declared: &[Oid],
    ) -> Result<CachedPlanSource> {
        let catalog = environment.catalog();
        let parameters = Parameters::variable(declared);
        let relations = environment.relations();
        let mut statement = Statement::new(catalog, &relations, context, &environment.database.1, parameters);
        statement.row_security = environment.row_security;
        let analyzed = analyze_node(&statement, node, depth)?;
        CachedPlanSource::rewritten(environment, &statement, analyzed)
    }

    /// The same for a query that was not written as SQL.
    pub fn of_tree(environment: &Arc<Environment>, context: &Context, query: Analyzed) -> Result<CachedPlanSource> {
        let relations = environment.relations();
        let parameters = Parameters::fixed(&query.parameters);
        let mut statement =
            Statement::new(environment.catalog(), &relations, context, &environment.database.1, parameters);
        statement.row_security = environment.row_security;
        CachedPlanSource::rewritten(environment, &statement, query)
    }

    fn rewritten(
        environment: &Arc<Environment>,
        statement: &Statement<'_>,
        analyzed: Analyzed,
    ) -> Result<CachedPlanSource> {
        let mut views = views_of(environment, &analyzed.query, analyzed.depth)?;
        if environment.restricts_views
            && let Some(&view) = views.first()
        {
            let name = environment.catalog().relation(view).map_or_else(String::new, |row| row.relname.to_string());
            return Err(Error::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("access to non-system view \"{name}\" is restricted"),
            ));
        }
        let mut needed = relation_permissions(environment.catalog(), statement.relations, &analyzed)?;
        let identify = || query_identifier(&analyzed.query, analyzed.depth);
        let identifier = environment.identifies_queries.then(identify);
        let Rewritten { analyzed, policies } = rewrite(statement, analyzed)?;
        views.extend(policies.iter().map(|row| row.relation).filter(|relation| environment.has_view(*relation)));
        needed.extend(policies);
        let columns = columns(&analyzed.query, environment.catalog())?;
        Ok(CachedPlanSource {
            analyzed,
            columns,
            identifier,
            views: views.into(),
            permissions: Permissions::new(needed),
            environment: environment.clone(),
            generic: Mutex::default(),
            computed: OnceLock::new(),
            customs: Mutex::default(),
            latest: Mutex::default(),
        })
    }

    /// The same statement, understood otherwise before, has had plans: they count for which kind of plan is chosen.
    pub(crate) fn go_on_counting(&mut self, before: &CachedPlanSource) {
        if self.analyzed.parameters == before.analyzed.parameters {
            // A generic plan that there is not yet has no nodes that others could have.
            *self.customs.get_mut() = Customs { alike: 0, ..*before.customs.lock() };
        }
    }

    /// Would it be understood alike in this environment?
    pub fn is_valid(&self, environment: &Arc<Environment>) -> bool {
        Arc::ptr_eq(&self.environment, environment)
    }

    /// Fails with 42501 where the session's role may not run it. It is asked once.
    pub fn check_permissions(&self) -> Result<()> {
        self.permissions.check(&self.environment)
    }

    /// May the session's role run this plan of it, though it may not read all that the statement names?
    pub fn allows(&self, plan: &CachedPlan) -> bool {
        self.permissions.allow(&self.environment, &plan.planned)
    }

    /// The plan to run with these values: one for them alone, or one for any (`GetCachedPlan`). `written`: they are constants
    /// of a query string.
    pub fn plan_for(
        &self,
        db: &Database,
        context: &Arc<Context>,
        values: &[Parameter],
        written: bool,
    ) -> Result<Arc<CachedPlan>> {
        if written {
            self.forget_outgrown(db);
        }
        if !self.wants_custom(context, values, written) {
            let known = self.generic.lock().is_some();
            let generic = self.generic_plan(db, context)?;
            // Where it was not known before what it costs, it may turn out to be too much.
            if known || !self.wants_custom(context, values, written) {
                self.customs.lock().generics += 1;
                // It is not wanted again soon.
                *self.latest.lock() = None;
                return Ok(generic);
            }
        }
        if written && let Some(plan) = self.latest_for(db, values) {
            self.note_custom(&plan);
            return Ok(plan);
        }
        let plan = self.executable(db, self.plan(db, context, Some(values))?)?;
        self.note_custom(&plan);
        if written {
            let sizes = Sizes::now(db, &self.environment, &plan.planned);
            *self.latest.lock() = Some(Custom { values: values.into(), sizes, plan: plan.clone() });
        }
        Ok(plan)
    }

    /// The plan that was made last, if it was for these values and for tables of about the size that they have now.
    fn latest_for(&self, db: &Database, values: &[Parameter]) -> Option<Arc<CachedPlan>> {
        let latest = self.latest.lock();
        let custom = latest.as_ref()?;
        let is_good = *custom.values == *values && custom.sizes.are_about(db, &self.environment, &custom.plan.planned);
        is_good.then(|| custom.plan.clone())
    }

    /// A query string with constants is planned for tables as they are, so a plan for any values goes when they have grown.
    fn forget_outgrown(&self, db: &Database) {
        let mut generic = self.generic.lock();
        let is_good = |known: &Arc<Generic>| known.sizes.are_about(db, &self.environment, &known.plan.planned);
        if generic.as_ref().is_some_and(|known| !is_good(known)) {
            *generic = None;
            self.customs.lock().alike = 0;
        }
    }

    /// A plan for particular values is going to run.
    fn note_custom(&self, plan: &CachedPlan) {
        let generic = self.generic.lock().clone();
        let alike = generic.is_some_and(|generic| generic::are_alike(&plan.planned, &generic.plan.planned));
        let mut customs = self.customs.lock();
        customs.number = customs.number.saturating_add(1);
        customs.alike = if alike { customs.alike.saturating_add(1) } else { 0 };
        customs.cost += self.cost(&plan.planned, true);
    }

    /// Fails where planning would have failed with these values in the place of the parameters.
    pub fn check_constants(&self, context: &Arc<Context>, values: &[Parameter]) -> Result<()> {
        let query = &self.analyzed.query;
        if query.command == CommandType::Insert {
            // What it inserts is computed in any case.
            return Ok(());
        }
        let computed = self.computed.get_or_init(|| constants::with_calls_of_parameters(query));
        if computed.is_empty() {
            return Ok(());
        }
        constants::compute(computed, self.environment.catalog(), &execution(context, values))
    }

    /// How often a plan for any values, and one for particular values, was chosen.
    pub fn plans(&self) -> (u64, u64) {
        let customs = self.customs.lock();
        (customs.generics, u64::from(customs.number))
    }

    /// Is the plan for these values there?
    pub fn has_plan(&self, db: &Database, context: &Arc<Context>, values: &[Parameter], written: bool) -> bool {
        match self.wants_custom(context, values, written) {
            true => written && self.latest_for(db, values).is_some(),
            false => self.generic.lock().is_some(),
        }
    }

    /// `choose_custom_plan`. Constants in a statement get PostgreSQL's plan for them: costs of other values' plans say nothing.
    fn wants_custom(&self, context: &Arc<Context>, values: &[Parameter], written: bool) -> bool {
        if values.is_empty() {
            return false;
        }
        match self.environment.plan_cache_mode {
            PlanCacheMode::ForceGeneric => return false,
            PlanCacheMode::ForceCustom => return true,
            PlanCacheMode::Auto => {}
        }
        let customs = *self.customs.lock();
        if customs.number < FIRST_CUSTOMS {
            return true;
        }
        let Some(generic) = self.generic.lock().clone() else { return false };
        let average = customs.cost / f64::from(customs.number);
        if !written && self.cost(&generic.plan.planned, false) < average {
            return false;
        }
        let given = Given { catalog: self.environment.catalog(), context, values };
        customs.alike < FIRST_CUSTOMS || !generic.ranges.as_ref().is_some_and(|ranges| ranges.are_usual(&given))
    }

    /// What running a plan costs, and making it (`cached_plan_cost`).
    fn cost(&self, planned: &PlannedStmt, with_planning: bool) -> f64 {
        let planning = 1000.0 * self.environment.planner.cpu_operator_cost * (planned.relations.len() + 1) as f64;
        planned.plan.cost.total + if with_planning { planning } else { 0.0 }
    }

    fn executable(&self, db: &Database, planned: PlannedStmt) -> Result<Arc<CachedPlan>> {
        let facts = TableStatistics { db, environment: &self.environment };
        let executable = Arc::new(ExecPlan::prepare(&planned, self.environment.catalog(), &facts)?);
        let columns = self.columns.as_deref().unwrap_or_default();
        let names = &*self.environment.stored.names;
        let outputs = columns.iter().zip(executable.reprs());
        let outputs = outputs.map(|(column, &repr)| Output::new(names, column.oid, repr));
        let outputs = outputs.collect::<Result<_>>()?;
        Ok(Arc::new(CachedPlan { planned, executable, outputs }))
    }

    /// A plan for any values of the parameters.
    pub fn generic_plan(&self, db: &Database, context: &Arc<Context>) -> Result<Arc<CachedPlan>> {
        if let Some(generic) = &*self.generic.lock() {
            return Ok(generic.plan.clone());
        }
        let planned = self.plan(db, context, None)?;
        let statistics = &TableStatistics { db, environment: &self.environment };
        let known = Known { catalog: self.environment.catalog(), statistics };
        let ranges = ParameterRanges::of(&planned, known);
        let sizes = Sizes::now(db, &self.environment, &planned);
        let plan = self.executable(db, planned)?;
        // Another session may have made one meanwhile.
        let mut generic = self.generic.lock();
        Ok(generic.get_or_insert_with(|| Arc::new(Generic { plan, ranges, sizes })).plan.clone())
    }

    /// A plan for these values alone, or for any.
    fn plan(&self, db: &Database, context: &Arc<Context>, values: Option<&[Parameter]>) -> Result<PlannedStmt> {
        let given = values.unwrap_or_default();
        let execution = &execution(context, given);
        let constant = |parameter: &Parameter| {
            let ty = TypeRef::of(parameter.ty);
            Const { ty, value: parameter.value.clone(), location: Location::NONE }
        };
        let constants: Vec<Const> = given.iter().map(constant).collect();
        let catalog = self.environment.catalog();
        let relations = self.environment.relations();
        let statistics = TableStatistics { db, environment: &self.environment };
        let with = Planner {
            catalog,
            relations: &relations,
            statistics: &statistics,
            context,
            execution,
            settings: &self.environment.planner,
            parameters: values.map(|_| &constants[..]),
            tuple_fraction: 0.0,
            depth: self.analyzed.depth,
        };
        planner(self.analyzed.query.clone(), &with)
    }
}

impl Sizes {
    fn now(db: &Database, environment: &Environment, planned: &PlannedStmt) -> Sizes {
        Sizes(pages(db, environment, planned).collect())
    }

    /// Are the relations of a plan about as large as they were?
    fn are_about(&self, db: &Database, environment: &Environment, planned: &PlannedStmt) -> bool {
        let is_about = |(then, now): (&f64, f64)| (then - now).abs() <= GROWTH_PAGES + GROWTH * then;
        self.0.iter().zip(pages(db, environment, planned)).all(is_about)
    }
}

fn pages(db: &Database, environment: &Environment, planned: &PlannedStmt) -> impl Iterator<Item = f64> {
    let relations = planned.relations.iter().map(|relation| relation.oid);
    let of_users = relations.filter(|&oid| oid >= FIRST_NORMAL_OBJECT_ID);
    of_users.map(move |oid| TableStatistics { db, environment }.pages(oid).unwrap_or_default())
}

/// What computes with these values.
fn execution(context: &Arc<Context>, values: &[Parameter]) -> Execution {
    let external = values.iter().map(|parameter| (parameter.repr, &parameter.value));
    Execution::new(context.clone()).with_external(external)
}

/// The values that a statement is to run with.
struct Given<'a> {
    catalog: Catalog<'a>,
    context: &'a Arc<Context>,
    values: &'a [Parameter],
}

impl Values for Given<'_> {
    fn parameter(&self, position: usize) -> Option<(Oid, &Datum)> {
        self.values.get(position).map(|parameter| (parameter.ty, &parameter.value))
    }

    fn compute(&self, expr: &Expr) -> Option<(Oid, Datum)> {
        let execution = &execution(self.context, self.values);
        estimate(expr, self.catalog, execution).map(|constant| (constant.ty.oid, constant.value))
    }
}

/// Columns of a result (`MaxTupleAttributeNumber`).
const MAX_COLUMNS: usize = 1664;

/// What the client gets.
fn columns(query: &Query, catalog: Catalog<'_>) -> Result<Option<Arc<[Column]>>> {
    let targets = match query.command {
        CommandType::Select => &query.targets,
        _ if query.returning.is_empty() => return Ok(None),
        _ => &query.returning,
    };
    let shown = targets.iter().filter(|target| !target.junk);
    let column = |target: &TargetEntry| {
        let ty = target.expr.ty();
        Column { origin: target.origin, ..Column::new(&*target.name, ty.oid, ty.typmod, catalog) }
    };
    let columns: Arc<[Column]> = shown.map(column).collect();
    if columns.len() > MAX_COLUMNS {
        let message = format!("target lists can have at most {MAX_COLUMNS} entries");
        return Err(Error::new(sqlstate::TOO_MANY_COLUMNS, message));
    }
    Ok(Some(columns))
}
