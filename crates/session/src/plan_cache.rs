//! Statements that are analyzed once and planned once: PostgreSQL's `plancache.c`.

use std::sync::{Arc, OnceLock};

use analyze::query::{CommandType, Const, Query, TargetEntry, TypeRef};
use analyze::{Analyzed, Parameters, Statement, rewrite};
use catalog::Catalog;
use engine::Database;
use executor::ExecPlan;
use expression::Execution;
use plan::plan::PlannedStmt;
use plan::{Planner, planner};
use syntax::RawStmt;
use types::{Context, Error, Oid, Result};

use crate::environment::{Environment, TableStatistics};
use crate::permissions::check_permissions;

/// A column of a result, as RowDescription tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub ty: TypeRef,
    /// The table and the column that it is.
    pub origin: Option<(Oid, i16)>,
}

/// A statement that is understood (`CachedPlanSource`).
pub struct CachedPlanSource {
    pub analyzed: Analyzed,
    /// `None`: it gives no rows.
    pub columns: Option<Arc<[Column]>>,
    environment: Arc<Environment>,
    /// The plan that is good for any values.
    generic: OnceLock<Arc<CachedPlan>>,
}

/// A plan, and what runs it.
pub struct CachedPlan {
    pub planned: PlannedStmt,
    pub executable: Arc<ExecPlan>,
}

impl CachedPlanSource {
    /// What a statement means. `declared` are the parameters' types that the client knows, 0 where it does not. A utility
    /// command is 0A000.
    pub fn new(
        environment: &Arc<Environment>,
        context: &Context,
        raw: &RawStmt,
        declared: &[Oid],
    ) -> Result<CachedPlanSource> {
        let catalog = environment.catalog();
        let parameters = Parameters::variable(declared);
        let relations = environment.relations();
        let statement = Statement::new(catalog, &relations, context, &environment.database.1, parameters);
        let analyzed = analyze::analyze(&statement, raw)?;
        check_permissions(catalog, context, &analyzed.query)?;
        let analyzed = rewrite(&statement, analyzed)?;
        let columns = columns(catalog, &analyzed.query)?;
        Ok(CachedPlanSource { analyzed, columns, environment: environment.clone(), generic: OnceLock::new() })
    }

    /// Would it be understood alike in this environment?
    pub fn is_valid(&self, environment: &Arc<Environment>) -> bool {
        Arc::ptr_eq(&self.environment, environment)
    }

    /// A plan for any values of the parameters.
    pub fn generic_plan(&self, db: &Database, execution: &Execution) -> Result<Arc<CachedPlan>> {
        if let Some(plan) = self.generic.get() {
            return Ok(plan.clone());
        }
        let planned = self.plan(db, execution, None)?;
        let executable = Arc::new(ExecPlan::prepare(&planned, self.environment.catalog(), &*self.environment)?);
        let plan = Arc::new(CachedPlan { planned, executable });
        Ok(self.generic.get_or_init(|| plan).clone())
    }

    /// A plan for these values alone, or for any.
    pub fn plan(&self, db: &Database, execution: &Execution, values: Option<&[Const]>) -> Result<PlannedStmt> {
        let context = &*execution.context;
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
            parameters: values,
            tuple_fraction: 0.0,
            depth: self.analyzed.depth,
        };
        planner(self.analyzed.query.clone(), &with)
    }
}

/// Columns of a result (`MaxTupleAttributeNumber`).
const MAX_COLUMNS: usize = 1664;

/// What the client gets: domains are what is under them.
fn columns(catalog: Catalog<'_>, query: &Query) -> Result<Option<Arc<[Column]>>> {
    let targets = match query.command {
        CommandType::Select => &query.targets,
        _ if query.returning.is_empty() => return Ok(None),
        _ => &query.returning,
    };
    let shown = targets.iter().filter(|target| !target.junk);
    let column = |target: &TargetEntry| {
        let TypeRef { oid, typmod } = target.expr.ty();
        let (oid, typmod) = catalog.base_type_and_typmod(oid, typmod);
        Column { name: target.name.clone(), ty: TypeRef { oid, typmod }, origin: target.origin }
    };
    let columns: Arc<[Column]> = shown.map(column).collect();
    if columns.len() > MAX_COLUMNS {
        let message = format!("target lists can have at most {MAX_COLUMNS} entries");
        return Err(Error::new("54011", message));
    }
    Ok(Some(columns))
}
