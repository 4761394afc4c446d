//! Scans of sequences: each is a relation with one row, which shows where it is.

use std::sync::Arc;

use analyze::query::RangeTableIndex;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, UInt32Array};
use async_trait::async_trait;
use engine::{Sequence, SequenceState};
use plan::plan::{Plan, Scan, TABLE_OID};
use types::{Oid, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::Output;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

/// `last_value`, `log_cnt`, `is_called`.
const COLUMNS: [Repr; 3] = [Repr::Int8, Repr::Int8, Repr::Bool];

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &Scan) -> types::Result<Compiled> {
    let relation: RangeTableIndex = scan.relation;
    let layout = Layout::default().with(relation, &Arc::from(COLUMNS));
    let layout = layout.with_column(relation, TABLE_OID, Repr::Oid);
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(SequenceScan { sequence: scan.table, output }, reprs))
}

struct SequenceScan {
    sequence: Oid,
    output: Output,
}

impl ExecNode for SequenceScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(SequenceRow { node: Some(self), run: run.clone() }))
    }
}

/// The row that is still to be given.
struct SequenceRow {
    node: Option<Arc<SequenceScan>>,
    run: Run,
}

#[async_trait]
impl Rows for SequenceRow {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let Some(node) = self.node.take() else { return Ok(None) };
        let environment = self.run.environment();
        let (database, def) = environment.tables.sequence(node.sequence)?;
        let sequence = Sequence::open(&environment.database, self.run.session(), database, &def).await?;
        let SequenceState { value, called, ahead } = sequence.state();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![value])),
            Arc::new(Int64Array::from(vec![ahead])),
            Arc::new(BooleanArray::from(vec![called])),
            Arc::new(UInt32Array::from(vec![node.sequence])),
        ];
        node.output.apply(Batch::new(columns, 1), &self.run).await
    }
}
