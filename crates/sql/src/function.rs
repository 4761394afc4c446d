//! One frame for all scalar functions of ours: a name, a result type, and a closure over arrays.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::errors::wrap;
use crate::style::Manner;

type Returns = Arc<dyn Fn(&ReturnFieldArgs) -> engine::Result<FieldRef> + Send + Sync>;
type Body = Arc<dyn Fn(&Call) -> engine::Result<ArrayRef> + Send + Sync>;

/// The arguments of one call, as arrays of `rows` rows.
pub struct Call<'a> {
    pub args: Vec<ArrayRef>,
    pub rows: usize,
    /// The arguments as the plan gave them: fields with their metadata, and which are constants.
    pub given: &'a ScalarFunctionArgs,
}

/// A scalar function given by closures.
pub struct Function {
    name: &'static str,
    /// Tells functions of one name apart, such as casts to different types.
    variant: String,
    signature: Signature,
    returns: Returns,
    body: Body,
}

impl Function {
    /// `arguments` of any type; `usize::MAX` means one or more. The result is `returns`, nullable.
    pub fn new(
        name: &'static str,
        arguments: usize,
        returns: DataType,
        volatility: Volatility,
        body: impl Fn(&Call) -> engine::Result<ArrayRef> + Send + Sync + 'static,
    ) -> Function {
        let signature = match arguments {
            0 => Signature::nullary(volatility),
            usize::MAX => Signature::variadic_any(volatility),
            n => Signature::any(n, volatility),
        };
        let field = Arc::new(Field::new(name, returns, true));
        let returns: Returns = Arc::new(move |_| Ok(field.clone()));
        Function { name, variant: String::new(), signature, returns, body: Arc::new(body) }
    }

    pub fn variant(mut self, variant: impl std::fmt::Debug) -> Function {
        self.variant = format!("{variant:?}");
        self
    }

    /// The result's type depends on the arguments.
    pub fn returning(
        mut self,
        returns: impl Fn(&ReturnFieldArgs) -> engine::Result<DataType> + Send + Sync + 'static,
    ) -> Function {
        let name = self.name;
        self.returns = Arc::new(move |args| Ok(Arc::new(Field::new(name, returns(args)?, true))));
        self
    }

    /// The result's type and metadata depend on the arguments.
    pub fn returning_checked(
        mut self,
        returns: impl Fn(&ReturnFieldArgs) -> engine::Result<FieldRef> + Send + Sync + 'static,
    ) -> Function {
        self.returns = Arc::new(returns);
        self
    }

    /// The result has metadata.
    pub fn returning_field(mut self, field: Field) -> Function {
        let field = Arc::new(field);
        self.returns = Arc::new(move |_| Ok(field.clone()));
        self
    }

    pub fn udf(self) -> Arc<ScalarUDF> {
        Arc::new(ScalarUDF::new_from_impl(self))
    }

    pub fn call(self, args: Vec<Expr>) -> Expr {
        Expr::ScalarFunction(ScalarFunction { func: self.udf(), args })
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}()", self.name, self.variant)
    }
}

// Name and variant mean one body per session.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        (self.name, &self.variant) == (other.name, &other.variant)
    }
}
impl Eq for Function {}
impl std::hash::Hash for Function {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.name, &self.variant).hash(state);
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        datafusion::common::internal_err!("return_field_from_args is what tells")
    }
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        (self.returns)(&args).map_err(wrap)
    }
    fn invoke_with_args(&self, given: ScalarFunctionArgs) -> Result<ColumnarValue> {
        // Without arguments there is a value for every row (`gen_random_uuid()`), and of volatile functions (`nextval`);
        // over constants the result is constant otherwise.
        let volatile = self.signature.volatility == Volatility::Volatile;
        let scalar =
            !volatile && !given.args.is_empty() && given.args.iter().all(|a| matches!(a, ColumnarValue::Scalar(_)));
        let rows = if scalar { 1 } else { given.number_rows };
        let args = given.args.iter().map(|a| a.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let manner = Manner::from_config(&given.config_options);
        let result = manner.within(|| (self.body)(&Call { args, rows, given: &given })).map_err(wrap)?;
        Ok(if scalar {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)
        } else {
            ColumnarValue::Array(result)
        })
    }
}
