//! The branches of a UNION ALL one after the other, as PostgreSQL's Append gives them. DataFusion runs them side by side
//! and takes rows as they come: in another order each time, and more of them than a LIMIT wants.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, future, stream};

/// Puts [`AppendExec`] where a plan without participants takes partitions as they come.
pub fn in_order(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let several = plan.properties().output_partitioning().partition_count() > 1;
    let plan: Arc<dyn ExecutionPlan> = if several { Arc::new(CoalescePartitionsExec::new(plan)) } else { plan };
    let appended = plan.transform_up(|plan| {
        let any: &dyn ExecutionPlan = plan.as_ref();
        let Some(taken) = any.downcast_ref::<CoalescePartitionsExec>() else { return Ok(Transformed::no(plan)) };
        let properties = taken.properties().clone();
        let append = AppendExec { input: taken.input().clone(), fetch: taken.fetch(), properties };
        Ok(Transformed::yes(Arc::new(append) as Arc<dyn ExecutionPlan>))
    })?;
    Ok(appended.data)
}

/// All partitions of its input, the first one first.
#[derive(Debug)]
pub struct AppendExec {
    input: Arc<dyn ExecutionPlan>,
    fetch: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl DisplayAs for AppendExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "AppendExec")
    }
}

impl ExecutionPlan for AppendExec {
    fn name(&self) -> &str {
        "AppendExec"
    }
    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }
    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }
    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }
    fn with_new_children(self: Arc<Self>, mut inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let (fetch, properties) = (self.fetch, self.properties.clone());
        Ok(Arc::new(AppendExec { input: inputs.remove(0), fetch, properties }))
    }
    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let partitions = self.input.properties().output_partitioning().partition_count();
        let input = self.input.clone();
        let batches =
            stream::iter(0..partitions).flat_map(move |partition| match input.execute(partition, context.clone()) {
                Ok(batches) => batches.left_stream(),
                Err(error) => stream::once(future::ready(Err(error))).right_stream(),
            });
        let mut wanted = self.fetch.unwrap_or(usize::MAX);
        let first = batches.scan((), move |(), batch| {
            let cut = (wanted > 0).then(|| {
                batch.map(|batch: RecordBatch| {
                    let rows = batch.num_rows().min(wanted);
                    wanted -= rows;
                    if rows < batch.num_rows() { batch.slice(0, rows) } else { batch }
                })
            });
            future::ready(cut)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), first)))
    }
}
