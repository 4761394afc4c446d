//! One frame for all aggregates of ours: a name, a result type, the fields of its state, and who accumulates. See
//! [`crate::function`] for scalar functions.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use engine::EngineError;

use crate::errors::wrap;

type Start = Arc<dyn Fn() -> Box<dyn Accumulator> + Send + Sync>;

/// An aggregate of one argument, or of two.
pub struct Aggregate {
    name: String,
    returns: DataType,
    state: Vec<(&'static str, DataType)>,
    signature: Signature,
    start: Start,
}

impl Aggregate {
    /// `name` is PostgreSQL's; the plan has it behind `pg_`.
    pub fn new(
        name: &str,
        returns: DataType,
        state: Vec<(&'static str, DataType)>,
        start: impl Fn() -> Box<dyn Accumulator> + Send + Sync + 'static,
    ) -> Aggregate {
        let signature = Signature::any(1, Volatility::Immutable);
        Aggregate { name: format!("pg_{name}"), returns, state, signature, start: Arc::new(start) }
    }

    /// It has two arguments.
    pub fn of_pairs(mut self) -> Aggregate {
        self.signature = Signature::any(2, Volatility::Immutable);
        self
    }

    pub fn udaf(self) -> Arc<AggregateUDF> {
        Arc::new(AggregateUDF::new_from_impl(self))
    }
}

impl std::fmt::Debug for Aggregate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}()", self.name)
    }
}

// Name, result and state mean one accumulator.
impl PartialEq for Aggregate {
    fn eq(&self, other: &Aggregate) -> bool {
        (&self.name, &self.returns, &self.state) == (&other.name, &other.returns, &other.state)
    }
}
impl Eq for Aggregate {}
impl std::hash::Hash for Aggregate {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        (&self.name, &self.returns, &self.state).hash(hasher);
    }
}

impl AggregateUDFImpl for Aggregate {
    fn name(&self) -> &str {
        &self.name
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.returns.clone())
    }
    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            let name = &self.name[3..];
            return Err(wrap(EngineError::unsupported(format!("{name}(DISTINCT) beside other aggregates"))));
        }
        Ok((self.start)())
    }
    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let field =
            |(name, ty): &(&str, DataType)| Arc::new(Field::new(format_state_name(args.name, name), ty.clone(), true));
        Ok(self.state.iter().map(field).collect())
    }
}

/// The four of a family: of a sample or of all, and its root or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variance {
    pub sample: bool,
    pub root: bool,
}

impl Variance {
    /// By PostgreSQL's name or DataFusion's.
    pub fn named(name: &str) -> Option<Variance> {
        let (sample, root) = match name {
            "var_pop" => (false, false),
            "var" | "var_samp" | "var_sample" => (true, false),
            "stddev_pop" => (false, true),
            "stddev" | "stddev_samp" => (true, true),
            _ => return None,
        };
        Some(Variance { sample, root })
    }
}
