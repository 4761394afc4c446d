//! Names to tables: DataFusion's catalog traits over ours. `public` holds the user's tables, `pg_catalog` and
//! `information_schema` the system views; unqualified names are looked up in `pg_catalog` too, as PostgreSQL does.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, SchemaRef};
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, SchemaProvider, Session as PlannerSession, TableProvider,
};
use datafusion::common::stats::Precision;
use datafusion::common::{DFSchema, Result, Statistics};
use datafusion::datasource::TableType;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, utils::conjunction};
use datafusion::physical_plan::ExecutionPlan;
use engine::{PgType, TID_COLUMN, Table};
use storage::Concurrency;
use txn::Snapshot;

use crate::errors::wrap;
use crate::heap_scan::HeapScanExec;
use crate::index_range::choose;
use crate::session::{Extra, Shared};
use crate::stages::Staged;
use crate::{sequence, system};

/// A table smaller than this is not worth a second participant: PostgreSQL's `min_parallel_table_scan_size`, 8 MB.
const MIN_PARALLEL_BLOCKS: u32 = 1024;

/// What the statements of one query see.
#[derive(Clone)]
pub struct View {
    pub shared: Arc<Shared>,
    pub snapshot: Snapshot,
    pub(crate) extra: Extra,
    pub(crate) staged: Staged,
}

/// The schema under which a table that a statement changes or locks is found, with its rows' identities. A number may
/// follow: which of the tables it is.
pub const TARGET: &str = "?target?";
/// The schema under which the rows of [`crate::stages`] are found, by number.
pub const STAGED: &str = "?staged?";
/// The schema under which rows in memory are found, whatever the table's name.
pub const ROWS: &str = "?rows?";

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({})", self.shared.database.1)
    }
}

impl CatalogProviderList for View {
    fn register_catalog(&self, _: String, _: Arc<dyn CatalogProvider>) -> Option<Arc<dyn CatalogProvider>> {
        None
    }
    fn catalog_names(&self) -> Vec<String> {
        vec![self.shared.database.1.clone()]
    }
    fn catalog(&self, name: &str) -> Option<Arc<dyn CatalogProvider>> {
        (name == self.shared.database.1).then(|| Arc::new(self.clone()) as _)
    }
}

impl CatalogProvider for View {
    fn schema_names(&self) -> Vec<String> {
        ["public", "pg_catalog", "information_schema", TARGET, ROWS, STAGED].map(str::to_string).to_vec()
    }
    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        Some(Arc::new(Schema { view: self.clone(), name: name.to_string() }))
    }
}

#[derive(Debug)]
struct Schema {
    view: View,
    name: String,
}

#[async_trait]
impl SchemaProvider for Schema {
    fn table_names(&self) -> Vec<String> {
        vec![]
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>, DataFusionError> {
        let shared = &self.view.shared;
        if self.name == ROWS {
            return Ok(self.view.extra.rows.clone());
        }
        if self.name == STAGED {
            return Ok(name.parse().ok().and_then(|number: usize| self.view.staged.tables.get(number).cloned()));
        }
        if let Some(number) = self.name.strip_prefix(TARGET) {
            let target = Some(number.parse().unwrap_or(0));
            let table = shared.find_table("public", name).map_err(wrap)?;
            return Ok(table.map(|table| Arc::new(HeapTable { view: self.view.clone(), table, target }) as _));
        }
        if self.name == "public" {
            if let Some(table) = shared.find_table("public", name).map_err(wrap)? {
                return Ok(Some(Arc::new(HeapTable { view: self.view.clone(), table, target: None })));
            }
            if let Some(system) = system::table(shared, "pg_catalog", name)? {
                return Ok(Some(system));
            }
            if let Some(rows) = sequence::rows(shared, "public", name).await.map_err(wrap)? {
                return Ok(Some(rows));
            }
            // It may be a function's name; the planner tells, and `errors` says 42P01 where it is none.
            return Ok(None);
        }
        system::table(shared, &self.name, name)
    }

    fn table_exist(&self, _: &str) -> bool {
        true
    }
}

struct HeapTable {
    view: View,
    table: Arc<Table>,
    /// It is being changed or locked, as which of the tables: its rows' identities are its last column.
    target: Option<usize>,
}

impl fmt::Debug for HeapTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeapTable({})", self.table.def.name)
    }
}

/// The key under which a column's PostgreSQL type travels where Arrow's does not tell (varchar(n), char(n), numeric(p,s)).
pub const TYPE_KEY: &str = "pg.type";

/// A column or result of the type with that OID, which Arrow holds as `arrow`.
pub fn tagged(name: &str, arrow: DataType, oid: u32) -> Field {
    Field::new(name, arrow, true).with_metadata([(TYPE_KEY.to_string(), format!("{oid},-1"))].into())
}

/// The Arrow schema of a table, with PostgreSQL's types as metadata; `tid` adds the rows' identities.
pub fn described_schema(columns: &[engine::ColumnDef], tid: bool) -> SchemaRef {
    use datafusion::arrow::datatypes::Schema;
    let mut fields: Vec<_> = columns
        .iter()
        .map(|c| {
            let field = Field::new(&c.name, c.ty.arrow(), !c.not_null);
            match c.ty {
                PgType::Varchar(_) | PgType::Char(_) | PgType::Numeric(_, _) => {
                    field.with_metadata([(TYPE_KEY.to_string(), format!("{},{}", c.ty.oid(), c.ty.typmod()))].into())
                }
                _ => field,
            }
        })
        .collect();
    if tid {
        fields.push(Field::new(TID_COLUMN, DataType::Int64, false));
    }
    Arc::new(Schema::new(fields))
}

#[async_trait]
impl TableProvider for HeapTable {
    fn schema(&self) -> SchemaRef {
        described_schema(&self.table.def.columns, self.target.is_some())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        // Never exact: who sees which rows is the snapshot's business.
        statistics.num_rows = Precision::Inexact(self.table.estimated_rows() as usize);
        Some(statistics)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn PlannerSession,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut read: Vec<usize> = match projection {
            Some(columns) => columns.clone(),
            None => (0..self.schema().fields().len()).collect(),
        };
        let given = read.len();
        let pinned = self.target.and_then(|target| self.view.extra.only.as_ref()?.get(target).copied());
        let only: Option<Arc<[access::Tid]>> = pinned.map(|tid| tid.into_iter().collect());
        let index = if only.is_some() { None } else { choose(&self.table, filters, &self.view.snapshot) };
        let mut condition = |filters: Vec<Expr>| match conjunction(filters) {
            None => Ok::<_, DataFusionError>(None),
            Some(filter) => {
                for column in filter.column_refs() {
                    let index = self.schema().index_of(&column.name)?;
                    if !read.contains(&index) {
                        read.push(index);
                    }
                }
                let schema = DFSchema::try_from(Arc::unwrap_or_clone(self.table.projected_schema(&read)))?;
                Ok(Some(state.create_physical_expr(filter, &schema)?))
            }
        };
        let filter = condition(filters.to_vec())?;
        let shown = match &index {
            None => (None, filter.clone()),
            Some(range) => {
                let pick = |used: bool| {
                    let chosen = filters.iter().enumerate().filter(|(i, _)| range.used.contains(i) == used);
                    chosen.map(|(_, filter)| filter.clone()).collect()
                };
                (condition(pick(true))?, condition(pick(false))?)
            }
        };
        let wanted = if only.is_some() || index.is_some() { 1 } else { state.config().target_partitions() };
        let partitions = if self.table.blocks() >= MIN_PARALLEL_BLOCKS { wanted } else { 1 };
        let shared = &self.view.shared;
        let concurrency = match shared.settings.read().get("effective_io_concurrency") {
            "auto" => Concurrency::Auto,
            number => Concurrency::Fixed(number.parse().expect("checked when it was set")),
        };
        Ok(Arc::new(HeapScanExec::new(
            &shared.db,
            &shared.backend,
            &self.table,
            self.view.snapshot.clone(),
            concurrency,
            read.into(),
            given,
            filter,
            partitions,
            only,
            index,
            shown,
        )))
    }
}
