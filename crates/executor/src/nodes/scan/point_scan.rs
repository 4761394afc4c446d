//! An IndexScan or IndexOnlyScan of a unique index with a value for each column of its key: one row, or none. Subqueries and
//! lateral joins start such scans once for each row, so that starting is most of what they cost.

use std::sync::Arc;

use async_trait::async_trait;
use engine::Table;

use crate::batch::Batch;
use crate::error::Result;
use crate::nodes::scan::TableNode;
use crate::point::Point;
use crate::run::estate::Run;
use crate::run::node::ExecNode;
use crate::run::rows::{BoxRows, Rows};

pub struct PointScan {
    pub node: Arc<TableNode>,
    pub point: Point,
}

impl ExecNode for PointScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.point.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        Ok(Box::new(PointRow { table: Some(table), scan: self, run: run.clone() }))
    }
}

struct PointRow {
    scan: Arc<PointScan>,
    /// `None` once it was looked at.
    table: Option<Arc<Table>>,
    run: Run,
}

#[async_trait]
impl Rows for PointRow {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let Some(table) = self.table.take() else { return Ok(None) };
        let (run, point, mut looked_at) = (&self.run, &self.scan.point, 0);
        let row = point.row_counted(&table, run.session(), &run.snapshot, &run.execution, &mut looked_at).await?;
        if let Some(watched) = &run.watched {
            watched.note(|counters| {
                counters.index_searches += 1;
                counters.heap_fetches += if point.is_index_only() { looked_at } else { 0 };
            });
        }
        match row {
            Some(row) => self.scan.node.output.apply(row, run).await,
            None => Ok(None),
        }
    }
}
