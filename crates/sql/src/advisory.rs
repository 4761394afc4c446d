//! Advisory locks: PostgreSQL's functions over the lock manager's [`LockTag::Advisory`].
//!
//! Those that may wait are asynchronous functions, which DataFusion runs for all rows of a batch, wherever in an
//! expression they stand; PostgreSQL runs them row by row, and not where CASE, AND or LIMIT make it stop before.
//! [`check`] refuses the places where that would lock more than PostgreSQL does.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, internal_err};
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::async_udf::{AsyncScalarUDF, AsyncScalarUDFImpl};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::sql::sqlparser::ast::{self, Expr as AstExpr, SelectItem, SetExpr, Statement, TableFactor};
use engine::EngineError;
use txn::{LockMode, LockTag, Until};

use crate::ddl::ident;
use crate::errors::wrap;
use crate::function::Function;
use crate::outside;
use crate::session::Shared;
use crate::tables::tagged;

/// What a function does with a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Wait,
    Try,
    Unlock,
}

const FUNCTIONS: &[(&str, Deed, LockMode, Until)] = &[
    ("pg_advisory_lock", Deed::Wait, LockMode::Exclusive, Until::SessionEnd),
    ("pg_advisory_lock_shared", Deed::Wait, LockMode::Share, Until::SessionEnd),
    ("pg_advisory_xact_lock", Deed::Wait, LockMode::Exclusive, Until::TransactionEnd),
    ("pg_advisory_xact_lock_shared", Deed::Wait, LockMode::Share, Until::TransactionEnd),
    ("pg_try_advisory_lock", Deed::Try, LockMode::Exclusive, Until::SessionEnd),
    ("pg_try_advisory_lock_shared", Deed::Try, LockMode::Share, Until::SessionEnd),
    ("pg_try_advisory_xact_lock", Deed::Try, LockMode::Exclusive, Until::TransactionEnd),
    ("pg_try_advisory_xact_lock_shared", Deed::Try, LockMode::Share, Until::TransactionEnd),
    ("pg_advisory_unlock", Deed::Unlock, LockMode::Exclusive, Until::SessionEnd),
    ("pg_advisory_unlock_shared", Deed::Unlock, LockMode::Share, Until::SessionEnd),
];
const UNLOCK_ALL: &str = "pg_advisory_unlock_all";

pub fn register(state: &mut SessionState, shared: &Arc<Shared>) -> Result<()> {
    for &(name, deed, mode, until) in FUNCTIONS {
        let shared = shared.clone();
        if deed == Deed::Wait {
            let signature = Signature::variadic_any(Volatility::Volatile);
            let function = Waits { name, mode, until, shared, signature };
            state.register_udf(Arc::new(AsyncScalarUDF::new(Arc::new(function)).into_scalar_udf()))?;
            continue;
        }
        let function = Function::new(name, usize::MAX, DataType::Boolean, Volatility::Volatile, move |call| {
            let mut done = Vec::with_capacity(call.rows);
            for tag in tags(name, &shared, &call.given.args, call.rows)? {
                done.push(tag.map(|tag| now(&shared, deed, tag, mode, until)).transpose()?);
            }
            Ok(Arc::new(BooleanArray::from(done)))
        });
        state.register_udf(function.udf())?;
    }
    let shared = shared.clone();
    let all = Function::new(UNLOCK_ALL, 0, DataType::Utf8, Volatility::Volatile, move |call| {
        shared.db.release_kept_locks(&shared.backend);
        Ok(Arc::new(StringArray::from_iter_values(std::iter::repeat_n("", call.rows))))
    });
    state.register_udf(all.returning_field(void(UNLOCK_ALL)).udf())?;
    Ok(())
}

/// A result of type void.
fn void(name: &str) -> Field {
    tagged(name, DataType::Utf8, 2278)
}

/// Locks or unlocks without waiting.
fn now(shared: &Shared, deed: Deed, tag: LockTag, mode: LockMode, until: Until) -> engine::Result<bool> {
    if deed == Deed::Try {
        return shared.db.try_lock_until(&shared.backend, tag, mode, until);
    }
    let held = shared.db.unlock_kept(&shared.backend, tag, mode);
    if !held {
        let message = format!("you don't own a lock of type {}", mode.name());
        shared.notice("WARNING", EngineError::new("01000", message));
    }
    Ok(held)
}

/// What the arguments of a call mean; `None` where one is NULL.
fn tags(name: &str, shared: &Shared, args: &[ColumnarValue], rows: usize) -> engine::Result<Vec<Option<LockTag>>> {
    let keys = args.iter().map(|arg| key(name, args, arg, rows)).collect::<engine::Result<Vec<_>>>()?;
    let database = shared.database.0;
    let tag = |row: usize| {
        if keys.iter().any(|keys| keys.is_null(row)) {
            return None;
        }
        let value = |at: usize| keys[at].as_primitive::<Int64Type>().value(row);
        Some(match keys.len() {
            1 => LockTag::Advisory { database, key: value(0), pair: false },
            _ => LockTag::Advisory { database, key: value(0) << 32 | (value(1) & 0xffff_ffff), pair: true },
        })
    };
    Ok((0..rows).map(tag).collect())
}

/// A key as bigint: one of any integer type, a pair of at most 32 bits each. A constant may be written as text.
fn key(name: &str, args: &[ColumnarValue], arg: &ColumnarValue, rows: usize) -> engine::Result<ArrayRef> {
    let pair = args.len() == 2;
    let known = match (arg.data_type(), arg) {
        (DataType::Int16 | DataType::Int32 | DataType::Null, _) => true,
        (DataType::Int64, _) => !pair,
        (DataType::Utf8, ColumnarValue::Scalar(_)) => true,
        _ => false,
    };
    if !known || args.len() > 2 {
        let types: Vec<_> = args.iter().map(|a| crate::output::type_name(&a.data_type())).collect();
        let message = format!("function {name}({}) does not exist", types.join(", "));
        return Err(EngineError::new("42883", message).hint(
            "No function matches the given name and argument types. You might need to add explicit type casts.",
        ));
    }
    let array = arg.to_array(rows).map_err(|e| EngineError::new("XX000", e.to_string()))?;
    let (ty, ty_name) = if pair { (DataType::Int32, "integer") } else { (DataType::Int64, "bigint") };
    let invalid = |_| {
        let text = crate::output::text_array(&array).ok();
        let value = text.as_ref().filter(|text| !text.is_empty()).map_or("", |text| text.value(0));
        EngineError::new("22P02", format!("invalid input syntax for type {ty_name}: \"{value}\""))
    };
    let strict = datafusion::arrow::compute::CastOptions { safe: false, ..Default::default() };
    let typed = datafusion::arrow::compute::cast_with_options(&array, &ty, &strict).map_err(invalid)?;
    cast(&typed, &DataType::Int64).map_err(|e| EngineError::new("XX000", e.to_string()))
}

/// A function that waits for its lock.
struct Waits {
    name: &'static str,
    mode: LockMode,
    until: Until,
    shared: Arc<Shared>,
    signature: Signature,
}

impl std::fmt::Debug for Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}()", self.name)
    }
}

// The name means one function per session.
impl PartialEq for Waits {
    fn eq(&self, other: &Waits) -> bool {
        self.name == other.name
    }
}
impl Eq for Waits {}
impl Hash for Waits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for Waits {
    fn name(&self) -> &str {
        self.name
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("return_field_from_args is what tells")
    }
    fn return_field_from_args(&self, _: ReturnFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(void(self.name)))
    }
    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        internal_err!("it waits: it is invoked asynchronously")
    }
}

#[async_trait]
impl AsyncScalarUDFImpl for Waits {
    async fn invoke_async_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let tags = tags(self.name, &self.shared, &call.args, call.number_rows).map_err(wrap)?;
        let mut locked = Vec::with_capacity(tags.len());
        for tag in tags {
            if let Some(tag) = tag {
                self.shared.lock_until(tag, self.mode, self.until).await.map_err(wrap)?;
            }
            locked.push(tag.map(|_| ""));
        }
        Ok(ColumnarValue::Array(Arc::new(StringArray::from(locked))))
    }
}

fn locks(expr: &AstExpr) -> Option<String> {
    let AstExpr::Function(function) = expr else { return None };
    let name = function.name.0.last().and_then(|part| part.as_ident()).map(ident)?;
    is_lock(&name).then_some(name)
}

fn is_lock(function: &str) -> bool {
    function == UNLOCK_ALL || FUNCTIONS.iter().any(|(known, ..)| *known == function)
}

/// Refuses advisory locks but among the results of a SELECT without LIMIT, not inside of what may leave them out; as its
/// whole condition; or as what it selects from.
pub fn check(statement: &Statement) -> engine::Result<()> {
    // What is prepared is looked at when it is planned.
    if matches!(statement, Statement::Prepare { .. }) {
        return Ok(());
    }
    let found = count(statement);
    if found == 0 {
        return Ok(());
    }
    let mut allowed = 0;
    if let Statement::Query(query) = statement
        && let SetExpr::Select(select) = &*query.body
    {
        let limited = query.limit_clause.is_some() || query.fetch.is_some() || select.distinct.is_some();
        if !limited || select.from.is_empty() {
            for item in &select.projection {
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                    allowed += always(expr);
                }
            }
        }
        if !limited && let Some(condition) = &select.selection {
            let call = match condition {
                AstExpr::UnaryOp { op: ast::UnaryOperator::Not, expr } => expr,
                condition => condition,
            };
            allowed += usize::from(locks(call).is_some());
        }
        if let [only] = select.from.as_slice()
            && only.joins.is_empty()
            && let TableFactor::Table { name, args: Some(_), .. } = &only.relation
        {
            let function = name.0.last().and_then(|part| part.as_ident()).map(ident).unwrap_or_default();
            allowed += usize::from(is_lock(&function));
        }
    }
    if allowed == found {
        return Ok(());
    }
    Err(EngineError::unsupported("an advisory lock in this place")
        .hint("Lock in a SELECT of its own: as a result without LIMIT, or as the whole condition."))
}

/// Calls anywhere in the statement, and as relations.
fn count(statement: &Statement) -> usize {
    let mut found = 0;
    let _ = ast::visit_expressions(statement, |expr| {
        found += usize::from(locks(expr).is_some());
        ControlFlow::<()>::Continue(())
    });
    let _ = ast::visit_relations(statement, |name| {
        let function = name.0.last().and_then(|part| part.as_ident()).map(ident).unwrap_or_default();
        found += usize::from(is_lock(&function));
        ControlFlow::<()>::Continue(())
    });
    found
}

/// Calls in an expression that run for each row.
fn always(expr: &AstExpr) -> usize {
    let may_leave_out = |expr: &AstExpr| match expr {
        AstExpr::Case { .. } => true,
        AstExpr::BinaryOp { op: ast::BinaryOperator::And | ast::BinaryOperator::Or, .. } => true,
        AstExpr::Function(function) => {
            let name = function.name.0.last().and_then(|part| part.as_ident()).map(ident).unwrap_or_default();
            matches!(name.as_str(), "coalesce" | "nullif" | "greatest" | "least")
        }
        _ => false,
    };
    let mut found = 0;
    let stopped = outside::visit(expr, |inner| {
        if may_leave_out(inner) {
            return ControlFlow::Break(());
        }
        found += usize::from(locks(inner).is_some());
        ControlFlow::Continue(())
    });
    if stopped.is_break() { 0 } else { found }
}
