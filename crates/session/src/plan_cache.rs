//! Statements that are analyzed once and planned once: PostgreSQL's `plancache.c`.

use std::sync::{Arc, OnceLock};

use analyze::query::{CommandType, Const, Location, Query, TargetEntry, TypeRef};
use analyze::{Analyzed, Parameters, Statement, analyze_node, rewrite};
use catalog::Catalog;
use engine::Database;
use executor::ExecPlan;
use expression::Execution;
use parking_lot::Mutex;
use plan::plan::PlannedStmt;
use plan::{Planner, planner};
use syntax::nodes::Node;
use types::{Context, Error, Oid, Result};

use crate::environment::{Environment, TableStatistics};
use crate::output::Output;
use crate::permissions::check_permissions;
use crate::query::Parameter;

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
    pub(crate) environment: Arc<Environment>,
    /// The plan that is good for any values.
    generic: OnceLock<Arc<CachedPlan>>,
    customs: Mutex<Customs>,
}

/// The plans that were made for particular values, and are gone.
#[derive(Clone, Copy, Default)]
struct Customs {
    number: u32,
    /// How often one for any values was taken instead.
    generics: u64,
    /// With that of planning.
    cost: f64,
}

/// The setting `plan_cache_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanCacheMode {
    Auto,
    ForceGeneric,
    ForceCustom,
}

/// So many plans are made for their values before one for any values is thought of.
const FIRST_CUSTOMS: u32 = 5;

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
        let statement = Statement::new(catalog, &relations, context, &environment.database.1, parameters);
        let analyzed = analyze_node(&statement, node, depth)?;
        CachedPlanSource::rewritten(environment, &statement, analyzed)
    }

    /// The same for a query that was not written as SQL.
    pub fn of_tree(environment: &Arc<Environment>, context: &Context, query: Analyzed) -> Result<CachedPlanSource> {
        let relations = environment.relations();
        let parameters = Parameters::fixed(&query.parameters);
        let statement = Statement::new(environment.catalog(), &relations, context, &environment.database.1, parameters);
        CachedPlanSource::rewritten(environment, &statement, query)
    }

    fn rewritten(
        environment: &Arc<Environment>,
        statement: &Statement<'_>,
        analyzed: Analyzed,
    ) -> Result<CachedPlanSource> {
        check_permissions(environment.catalog(), statement.context, &analyzed.query)?;
        let analyzed = rewrite(statement, analyzed)?;
        let columns = columns(&analyzed.query, environment.catalog())?;
        Ok(CachedPlanSource {
            analyzed,
            columns,
            environment: environment.clone(),
            generic: OnceLock::new(),
            customs: Mutex::default(),
        })
    }

    /// Would it be understood alike in this environment?
    pub fn is_valid(&self, environment: &Arc<Environment>) -> bool {
        Arc::ptr_eq(&self.environment, environment)
    }

    /// The plan to run with these values: one for them alone, or one for any (`GetCachedPlan`).
    pub fn plan_for(&self, db: &Database, context: &Arc<Context>, values: &[Parameter]) -> Result<Arc<CachedPlan>> {
        if !self.wants_custom(values) {
            let generic = self.generic_plan(db, context)?;
            // Now that it is known what it costs, it may turn out to be too much.
            if !self.wants_custom(values) {
                self.customs.lock().generics += 1;
                return Ok(generic);
            }
        }
        let plan = self.executable(self.plan(db, context, Some(values))?)?;
        let mut customs = self.customs.lock();
        customs.number = customs.number.saturating_add(1);
        customs.cost += self.cost(&plan.planned, true);
        Ok(plan)
    }

    /// How often a plan for any values, and one for particular values, was chosen.
    pub fn plans(&self) -> (u64, u64) {
        let customs = self.customs.lock();
        (customs.generics, u64::from(customs.number))
    }

    /// Is the plan for these values there?
    pub fn has_plan(&self, values: &[Parameter]) -> bool {
        self.generic.get().is_some() && !self.wants_custom(values)
    }

    /// `choose_custom_plan`.
    fn wants_custom(&self, values: &[Parameter]) -> bool {
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
        let average = customs.cost / f64::from(customs.number);
        self.generic.get().is_some_and(|generic| self.cost(&generic.planned, false) >= average)
    }

    /// What running a plan costs, and making it (`cached_plan_cost`).
    fn cost(&self, planned: &PlannedStmt, with_planning: bool) -> f64 {
        let planning = 1000.0 * self.environment.planner.cpu_operator_cost * (planned.relations.len() + 1) as f64;
        planned.plan.cost.total + if with_planning { planning } else { 0.0 }
    }

    fn executable(&self, planned: PlannedStmt) -> Result<Arc<CachedPlan>> {
        let executable = Arc::new(ExecPlan::prepare(&planned, self.environment.catalog(), &*self.environment)?);
        let columns = self.columns.as_deref().unwrap_or_default();
        let outputs = columns.iter().zip(executable.reprs()).map(|(column, &repr)| Output::new(column.oid, repr));
        let outputs = outputs.collect::<Result<_>>()?;
        Ok(Arc::new(CachedPlan { planned, executable, outputs }))
    }

    /// A plan for any values of the parameters.
    pub fn generic_plan(&self, db: &Database, context: &Arc<Context>) -> Result<Arc<CachedPlan>> {
        if let Some(plan) = self.generic.get() {
            return Ok(plan.clone());
        }
        let planned = self.plan(db, context, None)?;
        let plan = self.executable(planned)?;
        Ok(self.generic.get_or_init(|| plan).clone())
    }

    /// A plan for these values alone, or for any.
    fn plan(&self, db: &Database, context: &Arc<Context>, values: Option<&[Parameter]>) -> Result<PlannedStmt> {
        let given = values.unwrap_or_default();
        let external = given.iter().map(|parameter| (parameter.repr, &parameter.value));
        let execution = &Execution::new(context.clone()).with_external(external);
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
        return Err(Error::new("54011", message));
    }
    Ok(Some(columns))
}
