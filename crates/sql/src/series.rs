//! `generate_series` over integers and timestamps, streamed: a series of any length takes the memory of one batch.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use engine::EngineError;

use crate::errors::wrap;

/// The function; it names its column after itself.
#[derive(Debug)]
pub struct GenerateSeries;

#[derive(Debug)]
struct Series {
    schema: SchemaRef,
    start: i64,
    stop: i64,
    step: i64,
    empty: bool,
}

fn failed(code: &'static str, message: &str) -> datafusion::error::DataFusionError {
    wrap(EngineError::new(code, message))
}

fn not_constant() -> datafusion::error::DataFusionError {
    failed("0A000", "generate_series with arguments that are not constants is not supported yet")
}

/// A series whose arguments are no constants is refused when its rows are asked for: psql's queries have such over empty
/// catalogs, where nobody does.
#[derive(Debug)]
struct Refused(SchemaRef);

impl PartitionStream for Refused {
    fn schema(&self) -> &SchemaRef {
        &self.0
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let refusal = futures::stream::once(async { Err(not_constant()) });
        Box::pin(RecordBatchStreamAdapter::new(self.0.clone(), refusal))
    }
}

/// An integer argument and whether it is wider than `integer`.
fn argument(expr: &Expr) -> Result<(Option<i64>, bool)> {
    let Expr::Literal(value, _) = expr else { return Err(not_constant()) };
    Ok(match value {
        ScalarValue::Null => (None, false),
        ScalarValue::Int16(v) => (v.map(i64::from), false),
        ScalarValue::Int32(v) => (v.map(i64::from), false),
        // Literals arrive as bigint whatever their size.
        ScalarValue::Int64(v) => (*v, v.is_some_and(|v| i32::try_from(v).is_err())),
        other => {
            return Err(failed("0A000", &format!("generate_series of {} is not supported yet", other.data_type())));
        }
    })
}

impl TableFunctionImpl for GenerateSeries {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let exprs = args.exprs();
        if !(2..=3).contains(&exprs.len()) {
            let types = vec!["integer"; exprs.len()].join(", ");
            return Err(failed("42883", &format!("function generate_series({types}) does not exist")));
        }
        if exprs.iter().any(|expr| !matches!(expr, Expr::Literal(..))) {
            let schema = Arc::new(Schema::new(vec![Field::new("generate_series", DataType::Int32, false)]));
            return Ok(Arc::new(StreamingTable::try_new(schema.clone(), vec![Arc::new(Refused(schema))])?));
        }
        let arguments: Vec<_> = exprs.iter().map(argument).collect::<Result<_>>()?;
        let wide = arguments.iter().any(|a| a.1);
        let step = arguments.get(2).map_or(Some(1), |a| a.0);
        let (start, stop) = (arguments[0].0, arguments[1].0);
        if step == Some(0) {
            return Err(failed("22023", "step size cannot equal zero"));
        }
        let data_type = if wide { DataType::Int64 } else { DataType::Int32 };
        let schema = Arc::new(Schema::new(vec![Field::new("generate_series", data_type, false)]));
        let series = Series {
            schema: schema.clone(),
            start: start.unwrap_or(0),
            stop: stop.unwrap_or(0),
            step: step.unwrap_or(1),
            empty: start.is_none() || stop.is_none() || step.is_none(),
        };
        Ok(Arc::new(StreamingTable::try_new(schema, vec![Arc::new(series)])?))
    }
}

impl PartitionStream for Series {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (schema, stop, step) = (self.schema.clone(), self.stop, self.step);
        let size = context.session_config().batch_size();
        let mut next = (!self.empty).then_some(self.start);
        let batches = std::iter::from_fn(move || {
            let first = next?;
            let remaining =
                if step > 0 { i128::from(stop) - i128::from(first) } else { i128::from(first) - i128::from(stop) };
            if remaining < 0 {
                return None;
            }
            let count = (remaining / i128::from(step.unsigned_abs()) + 1).min(size as i128) as i64;
            let array: ArrayRef = if schema.field(0).data_type() == &DataType::Int32 {
                Arc::new(Int32Array::from_iter_values((0..count).map(|i| (first + i * step) as i32)))
            } else {
                Arc::new(Int64Array::from_iter_values((0..count).map(|i| first.wrapping_add(i.wrapping_mul(step)))))
            };
            // Past the largest value there is no next one.
            next = step.checked_mul(count).and_then(|d| first.checked_add(d));
            Some(RecordBatch::try_new(schema.clone(), vec![array]).map_err(Into::into))
        });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), futures::stream::iter(batches)))
    }
}
