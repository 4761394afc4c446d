//! What a statement needs and gives before it runs: the types of its parameters, and its columns.

use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{self, SetExpr, Statement};
use engine::{Catalog, EngineError, Result};
use parking_lot::Mutex;

use crate::insert::{self, Target};
use crate::output::Column;
use crate::parameters::{Parameter, UNKNOWN, check_declared, used, with_types};
use crate::parse::{Parsed, ParsedKind};
use crate::point::Remembered;
use crate::session::{Extra, Planned, Session, columns_of, seconds_query, sleep_column, sleep_of};
use crate::stages::Staged;
use crate::{advisory, explain, infer, modify, planning, settings, stages};

/// A statement is planned again while that tells types of more parameters, so often at most.
const ROUNDS: usize = 8;

/// A parsed statement whose parameters and results are known.
pub struct Prepared {
    /// `None`: the query string was empty.
    pub statement: Option<Arc<Parsed>>,
    /// The types of its parameters; [`UNKNOWN`] is described as text.
    pub parameters: Vec<u32>,
    /// `None`: it returns no rows.
    pub columns: Option<Arc<[Column]>>,
    /// What the short path knows of it.
    pub(crate) remembered: Arc<Remembered>,
    /// The catalog that its columns were last found out with; `None` where that was a transaction's own.
    catalog: Mutex<Option<Arc<Catalog>>>,
}

impl Prepared {
    /// The types of its parameters as clients are told them.
    pub fn parameter_types(&self) -> Vec<u32> {
        self.parameters.iter().map(|&oid| if oid == UNKNOWN { 25 } else { oid }).collect()
    }
}

impl Session {
    /// What a statement needs and gives; `declared` are the types that the client knows, 0 where it does not.
    pub async fn prepare(&mut self, parsed: Option<Parsed>, declared: &[u32]) -> Result<Prepared> {
        let manner = self.shared.manner();
        manner.of(self.prepare_parsed(parsed, declared)).await
    }

    async fn prepare_parsed(&mut self, parsed: Option<Parsed>, declared: &[u32]) -> Result<Prepared> {
        check_declared(declared)?;
        let parsed = match parsed {
            Some(parsed) => match self.prepare_query(&parsed, declared)? {
                Ok((parameters, columns)) => {
                    return Ok(Prepared {
                        statement: Some(Arc::new(parsed)),
                        parameters,
                        columns,
                        remembered: Arc::default(),
                        catalog: Mutex::new(self.stable_catalog()),
                    });
                }
                Err(old) => Some(old),
            },
            None => None,
        };
        let mut parameters: Vec<u32> = declared.iter().map(|&oid| if oid == UNKNOWN { 0 } else { oid }).collect();
        let mut columns = None;
        // It locks what it looks at until the Sync.
        self.begin_implicit();
        let catalog = self.stable_catalog();
        if let Some(ParsedKind::Sql(statement)) = parsed.as_ref().map(|parsed| &parsed.kind) {
            let used = used(statement)?;
            parameters.resize(used.len().max(parameters.len()), 0);
            columns = self.describe(statement, &mut parameters).await?;
            infer::finish(statement, &used, &mut parameters)?;
        }
        Ok(Prepared {
            statement: parsed.map(Arc::new),
            parameters,
            columns: columns.map(Into::into),
            remembered: Arc::default(),
            catalog: Mutex::new(catalog),
        })
    }

    /// The parameters and columns of a statement that goes the new way, or else what goes the old one.
    #[allow(clippy::type_complexity)]
    fn prepare_query(
        &mut self,
        parsed: &Parsed,
        declared: &[u32],
    ) -> Result<std::result::Result<(Vec<u32>, Option<Arc<[Column]>>), Parsed>> {
        let ParsedKind::Query(raw) = &parsed.kind else { return Ok(Err(parsed.clone())) };
        self.begin_implicit();
        if let Some(source) = self.understand(raw, declared)?
            && self.planned(&source, raw)?.is_some()
        {
            let columns = source.columns.as_deref().map(crate::planned::described);
            return Ok(Ok((source.analyzed.parameters.clone(), columns)));
        }
        Ok(Err(crate::parse::parse_old(&parsed.text)?.remove(0)))
    }

    /// Fails where a parameter's value is none of its type.
    pub fn check(&self, parameter: &Parameter) -> Result<()> {
        if parameter.is_plain() {
            return Ok(());
        }
        self.shared.manner().within(|| parameter.check())
    }

    /// The catalog, unless the transaction has changed it.
    fn stable_catalog(&self) -> Option<Arc<Catalog>> {
        self.shared.overlay.read().is_none().then(|| self.shared.db.catalog())
    }

    /// Fails where a prepared statement's columns are no longer those that the client was told of.
    pub async fn revalidate(&mut self, prepared: &Prepared) -> Result<()> {
        let Some(columns) = &prepared.columns else { return Ok(()) };
        let now = self.stable_catalog();
        let same = match (&*prepared.catalog.lock(), &now) {
            (Some(then), Some(now)) => Arc::ptr_eq(then, now),
            _ => false,
        };
        if same {
            return Ok(());
        }
        let columns_now = match prepared.statement.as_ref().map(|parsed| &parsed.kind) {
            Some(ParsedKind::Query(raw)) => {
                self.begin_implicit();
                let source = self.understand(raw, &prepared.parameters)?;
                source.and_then(|source| source.columns.as_deref().map(|c| crate::planned::described(c).to_vec()))
            }
            Some(ParsedKind::Sql(statement)) => {
                self.begin_implicit();
                let mut parameters = prepared.parameters.clone();
                let manner = self.shared.manner();
                // Boxed: it is rare, and every idle session would have room for it otherwise.
                manner.of(Box::pin(self.describe(statement, &mut parameters))).await?
            }
            _ => return Ok(()),
        };
        // Names may change, as in PostgreSQL.
        let shape = |columns: &[Column]| columns.iter().map(|c| (c.oid, c.typmod)).collect::<Vec<_>>();
        if columns_now.is_none_or(|now| shape(&now) != shape(columns)) {
            return Err(EngineError::new("0A000", "cached plan must not change result type"));
        }
        *prepared.catalog.lock() = now;
        Ok(())
    }

    async fn describe(&mut self, statement: &Statement, parameters: &mut [u32]) -> Result<Option<Vec<Column>>> {
        if let Some(seconds) = sleep_of(statement) {
            let seconds = seconds_query(seconds)?;
            infer::from_syntax(&seconds, parameters);
            self.describe_once(&seconds, parameters).await?;
            return Ok(Some(vec![sleep_column()]));
        }
        match statement {
            Statement::Query(_) | Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {
                advisory::check(statement)?;
                infer::from_syntax(statement, parameters);
                let mut columns = None;
                for _ in 0..ROUNDS {
                    let before = parameters.to_vec();
                    columns = self.describe_once(statement, parameters).await?;
                    if before == parameters {
                        break;
                    }
                }
                Ok(columns)
            }
            Statement::Explain { .. } => Ok(Some(explain::columns(statement))),
            Statement::ShowVariable { variable } => settings::show_columns(&self.shared, variable).map(Some),
            Statement::Execute { name: Some(name), .. } => {
                let name = name.0.last().and_then(|p| p.as_ident()).map(crate::ddl::ident).unwrap_or_default();
                let named = self.named.get(&name).ok_or_else(|| crate::prepared::missing(&name))?;
                Ok(named.columns.as_ref().map(|columns| columns.to_vec()))
            }
            _ => Ok(None),
        }
    }

    async fn describe_once(&mut self, statement: &Statement, parameters: &mut [u32]) -> Result<Option<Vec<Column>>> {
        let statement = with_types(statement, parameters)?;
        let statement = stages::describe(self, statement, parameters).await?;
        let columns = match stages::split(statement) {
            (_, Statement::Query(query)) => Some(self.describe_query(*query, parameters).await?),
            (with, change) => {
                let returned = self.describe_change(with, &change, parameters).await?;
                returned.map(|planned| planned.columns())
            }
        };
        self.staged = Staged::default();
        Ok(columns)
    }

    /// The columns of a query, and the types of parameters that it tells.
    async fn describe_query(&mut self, mut query: ast::Query, parameters: &mut [u32]) -> Result<Vec<Column>> {
        query.locks.clear();
        let typed = with_types(&Statement::Query(Box::new(query)), parameters)?;
        let large = planning::is_large(&typed);
        let (plan, state, labels, _) = self.plan_logical(typed, false, Extra::default()).await?;
        infer::from_plan(&plan, parameters);
        // The analyzer changes types (1 is an integer); a plan with unknown parameters may defeat it.
        let typed = planning::plan(large, async move { state.optimize(&plan).unwrap_or(plan) }).await?;
        Ok(columns_of(typed.schema().inner(), &labels))
    }

    /// The plan of the RETURNING clause of an INSERT, UPDATE or DELETE, and the types of parameters that it tells.
    pub(crate) async fn describe_change(
        &mut self,
        with: Option<ast::With>,
        change: &Statement,
        parameters: &mut [u32],
    ) -> Result<Option<Planned>> {
        let returning = if let Statement::Insert(insert) = change {
            let target = Target::find(self, insert)?;
            target.infer(insert, parameters)?;
            if let Some(source) = insert.source.as_ref().filter(|_| parameters.contains(&0)) {
                let typed = with_types(&Statement::Query(source.clone()), parameters)?;
                // DEFAULT among VALUES is no expression: then it tells nothing.
                if let Ok((plan, ..)) = self.plan_logical(typed, true, Extra::default()).await {
                    infer::from_plan(&plan, parameters);
                }
            }
            insert::returning(self, &target.table, insert)?
        } else {
            let (table, query, returning) = modify::for_preparing(self, with.clone(), change).await?;
            let typed = with_types(&query, parameters)?;
            let (plan, ..) = self.plan_logical(typed, true, Extra::default()).await?;
            // PostgreSQL looks at the condition before the values.
            infer::from_plan(&plan, parameters);
            if let (Statement::Update(_), Statement::Query(query)) = (change, &query)
                && let SetExpr::Select(select) = &*query.body
            {
                // The row's identity comes first, then a value for each column.
                infer::stored(table.def.columns.iter(), select.projection.iter().skip(1), parameters);
            }
            returning
        };
        let Some(returning) = returning else { return Ok(None) };
        let before = parameters.to_vec();
        returning.infer(self, parameters).await;
        if before != parameters {
            let change = with_types(change, parameters)?;
            return Box::pin(self.describe_change(with, &change, parameters)).await;
        }
        returning.describe(self).await.map(Some)
    }
}
