//! A table in use: its files, its layout, and who may use it how. [`TableScan`]s and [`Insertion`]s start here.

mod insertion;
pub(crate) mod row_text;
mod scan;
pub(crate) mod temporary;
pub(crate) mod tid_bitmap;
pub(crate) mod truncate;
pub(crate) mod vacuum;

pub use insertion::Insertion;
pub use scan::TableScan;
pub(crate) use scan::{CHUNK_BLOCKS, Settled};

use std::ops::Range;
use std::sync::Arc;

use access::{Heap, TableShape};
use aio::lwlock::Mutex;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use storage::{BlockNumber, RelationId};
use txn::Xid;

use crate::catalog::TableDef;
use crate::index::Index;

/// The name of the column with the rows' identities, in schemas that have it.
pub const TID_COLUMN: &str = "?ctid?";

/// Ranges of blocks of a table's files that transactions are loading.
pub(crate) type Loading = Vec<(Xid, RelationId, Range<BlockNumber>)>;

/// An open table. Dropped with its files' name: TRUNCATE makes another.
pub struct Table {
    pub def: Arc<TableDef>,
    pub schema: SchemaRef,
    pub database: u32,
    pub indexes: Vec<Index>,
    pub(crate) heap: Heap,
    /// Blocks of bulk loads under way: no scan may look at them yet.
    pub(crate) loading: Arc<Mutex<Loading>>,
}

impl Table {
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Where is counted what is done with it.
    pub fn counters(&self) -> Option<&storage::RelationCounters> {
        self.heap.relation.counters()
    }

    /// Blocks of the table, loads under way included.
    pub fn blocks(&self) -> BlockNumber {
        self.heap.relation.blocks()
    }

    /// The schema of some of its columns; one past the last is the rows' identity.
    pub fn projected_schema(&self, projection: &[usize]) -> SchemaRef {
        self.tested_schema(projection, &[])
    }

    /// The same where of some places in the projection only NULL is told from values ([`access::BatchBuilder::new`]).
    pub fn tested_schema(&self, projection: &[usize], tested: &[usize]) -> SchemaRef {
        let tid = || Arc::new(Field::new(TID_COLUMN, DataType::Int64, false));
        let field = |(place, &column): (usize, &usize)| {
            let field = self.schema.fields().get(column).cloned().unwrap_or_else(tid);
            match tested.contains(&place) {
                true => Arc::new(field.as_ref().clone().with_data_type(DataType::Boolean)),
                false => field,
            }
        };
        Arc::new(Schema::new(projection.iter().enumerate().map(field).collect::<Vec<_>>()))
    }

    /// An estimate of its rows, as PostgreSQL's planner makes it: from its size now, and how many rows pages had when they
    /// were counted, or how many would fit if they never were.
    pub fn estimated_rows(&self) -> f64 {
        if let Some(analyzed) = self.def.analyzed.as_ref().filter(|a| a.pages > 0) {
            return analyzed.rows / f64::from(analyzed.pages) * f64::from(self.blocks());
        }
        let shape: &TableShape = &self.heap.shape;
        let width: usize = shape.columns.iter().map(|c| c.width.unwrap_or(32)).sum::<usize>().max(1);
        f64::from(self.blocks()) * (access::page::SPACE / width).min(access::page::MAX_ROWS) as f64
    }
}
