//! PostgreSQL's functions that DataFusion lacks or means differently: information about session and catalog, time, and
//! `round`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, StringArray, StringBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use engine::EngineError;

use crate::errors::wrap;
use crate::session::Shared;
use crate::system;

type Body = Arc<dyn Fn(&[ArrayRef], usize) -> engine::Result<ArrayRef> + Send + Sync>;

/// A function given by a closure over arrays of text, bigint or double precision.
struct Function {
    name: &'static str,
    returns: DataType,
    signature: Signature,
    body: Body,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}()", self.name)
    }
}

// A name means one body per session.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}
impl Eq for Function {}
impl std::hash::Hash for Function {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
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
        Ok(self.returns.clone())
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let scalar = args.args.iter().all(|a| matches!(a, ColumnarValue::Scalar(_)));
        let rows = if scalar { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|a| a.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let result = (self.body)(&arrays, rows).map_err(wrap)?;
        Ok(if scalar {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)
        } else {
            ColumnarValue::Array(result)
        })
    }
}

struct Registrar<'a> {
    state: &'a mut SessionState,
}

impl Registrar<'_> {
    fn add(
        &mut self,
        name: &'static str,
        arguments: usize,
        returns: DataType,
        volatility: Volatility,
        body: impl Fn(&[ArrayRef], usize) -> engine::Result<ArrayRef> + Send + Sync + 'static,
    ) -> Result<()> {
        let signature = match arguments {
            0 => Signature::nullary(volatility),
            usize::MAX => Signature::variadic_any(volatility),
            n => Signature::any(n, volatility),
        };
        let function = Function { name, returns, signature, body: Arc::new(body) };
        self.state.register_udf(Arc::new(ScalarUDF::new_from_impl(function)))?;
        Ok(())
    }

    /// Text that does not depend on arguments.
    fn text(
        &mut self,
        names: &[&'static str],
        value: impl Fn() -> String + Send + Sync + Clone + 'static,
    ) -> Result<()> {
        for name in names {
            let value = value.clone();
            self.add(name, 0, DataType::Utf8, Volatility::Stable, move |_, rows| {
                Ok(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(value(), rows))))
            })?;
        }
        Ok(())
    }

    fn number(&mut self, name: &'static str, value: impl Fn() -> i64 + Send + Sync + 'static) -> Result<()> {
        let returns = if name == "pg_backend_pid" { DataType::Int32 } else { DataType::Int64 };
        self.add(name, 0, returns.clone(), Volatility::Stable, move |_, rows| {
            let values: ArrayRef = Arc::new(Int64Array::from_value(value(), rows));
            Ok(cast(&values, &returns).expect("small integers"))
        })
    }

    /// Text from the first argument, as text.
    fn map_text(
        &mut self,
        name: &'static str,
        arguments: usize,
        f: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Result<()> {
        self.add(name, arguments, DataType::Utf8, Volatility::Stable, move |args, rows| {
            let input = crate::output::text_array(&args[0])?;
            let mut out = StringBuilder::with_capacity(rows, rows * 8);
            for value in &input {
                out.append_option(value.and_then(&f));
            }
            Ok(Arc::new(out.finish()))
        })
    }

    /// A bigint from an OID (or a number, or a relation's name).
    fn map_oid(
        &mut self,
        name: &'static str,
        arguments: usize,
        f: impl Fn(i64) -> Option<i64> + Send + Sync + 'static,
    ) -> Result<()> {
        self.add(name, arguments, DataType::Int64, Volatility::Volatile, move |args, _| {
            let input = bigint(&args[0])?;
            Ok(Arc::new(Int64Array::from_iter(input.iter().map(|v| v.and_then(&f)))))
        })
    }

    fn always(&mut self, name: &'static str, arguments: usize, value: bool) -> Result<()> {
        self.add(name, arguments, DataType::Boolean, Volatility::Stable, move |_, rows| {
            Ok(Arc::new(BooleanArray::from(vec![value; rows])))
        })
    }

    fn null_text(&mut self, name: &'static str, arguments: usize) -> Result<()> {
        self.map_text(name, arguments, |_| None)
    }

    fn time(
        &mut self,
        names: &[&'static str],
        zoned: bool,
        now: impl Fn() -> SystemTime + Send + Sync + Clone + 'static,
    ) -> Result<()> {
        for name in names {
            let now = now.clone();
            let zone = zoned.then(|| Arc::from("UTC"));
            let ty = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
            let volatility = if *name == "clock_timestamp" { Volatility::Volatile } else { Volatility::Stable };
            self.add(name, 0, ty, volatility, move |_, rows| {
                let micros = now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64;
                let array = datafusion::arrow::array::TimestampMicrosecondArray::from_value(micros, rows);
                Ok(Arc::new(array.with_timezone_opt(zone.clone())))
            })?;
        }
        Ok(())
    }
}

fn bigint(array: &ArrayRef) -> engine::Result<Int64Array> {
    let array = cast(array, &DataType::Int64).map_err(|e| EngineError::new("42883", e.to_string()))?;
    Ok(array.as_primitive::<Int64Type>().clone())
}

pub fn register(state: &mut SessionState, shared: &Arc<Shared>) -> Result<()> {
    let mut r = Registrar { state };
    let s = || shared.clone();

    let user = shared.user.clone();
    r.text(&["current_user", "session_user", "current_role", "user"], move || user.clone())?;
    let database = shared.database.1.clone();
    r.text(&["current_database", "current_catalog"], move || database.clone())?;
    r.text(&["current_schema"], || "public".into())?;
    r.text(&["version"], || {
        format!(
            "PostgreSQL 18.0 (Inflight {}) on {}-{}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::ARCH,
            std::env::consts::OS
        )
    })?;
    let me = s();
    r.number("pg_backend_pid", move || i64::from(me.backend.pid))?;
    let me = s();
    r.text(&["pg_current_wal_lsn", "pg_current_wal_insert_lsn"], {
        move || wal::format_lsn(me.db.log().insert_position())
    })?;
    let me = s();
    r.text(&["pg_current_wal_flush_lsn"], move || wal::format_lsn(me.db.log().durable()))?;
    r.always("pg_is_in_recovery", 0, false)?;

    let me = s();
    r.time(&["pg_now", "transaction_timestamp"], true, move || *me.transaction_start.lock())?;
    let me = s();
    r.time(&["localtimestamp"], false, move || *me.transaction_start.lock())?;
    let me = s();
    r.time(&["statement_timestamp"], true, move || *me.statement_start.lock())?;
    r.time(&["clock_timestamp"], true, SystemTime::now)?;
    let me = s();
    r.time(&["pg_postmaster_start_time", "pg_conf_load_time"], true, move || me.db.started())?;

    let me = s();
    r.add("current_setting", usize::MAX, DataType::Utf8, Volatility::Stable, move |args, rows| {
        let names = crate::output::text_array(&args[0])?;
        let settings = me.settings.read();
        let mut out = StringBuilder::with_capacity(rows, rows * 8);
        for name in &names {
            match name.map(|n| (n, engine::settings::find(n))) {
                None => out.append_null(),
                Some((_, Some(definition))) => out.append_value(definition.show(settings.get(definition.name))),
                Some((_, None)) if args.len() > 1 => out.append_null(),
                Some((name, None)) => return Err(engine::settings::unknown(name)),
            }
        }
        Ok(Arc::new(out.finish()))
    })?;
    let me = s();
    r.add("pg_cancel_backend", 1, DataType::Boolean, Volatility::Volatile, move |args, _| {
        let pids = bigint(&args[0])?;
        let found = pids.iter().map(|pid| {
            let backend = me.db.activity().get(pid? as i32);
            Some(backend.map(|b| b.request_cancel()).is_some())
        });
        Ok(Arc::new(BooleanArray::from_iter(found)))
    })?;
    let me = s();
    r.add("pg_terminate_backend", usize::MAX, DataType::Boolean, Volatility::Volatile, move |args, _| {
        let pids = bigint(&args[0])?;
        let found = pids.iter().map(|pid| {
            let backend = me.db.activity().get(pid? as i32);
            Some(backend.map(|b| b.request_termination()).is_some())
        });
        Ok(Arc::new(BooleanArray::from_iter(found)))
    })?;

    // What psql's commands ask.
    let me = s();
    r.map_text("pg_get_userbyid", 1, move |oid| {
        let catalog = me.db.catalog();
        let role = catalog.roles.values().find(|r| r.oid.to_string() == oid).map(|r| r.name.clone());
        Some(role.unwrap_or_else(|| format!("unknown (OID={oid})")))
    })?;
    for name in ["pg_table_is_visible", "pg_type_is_visible", "pg_function_is_visible"] {
        r.always(name, 1, true)?;
    }
    r.always("pg_relation_is_publishable", 1, true)?;
    for name in ["has_database_privilege", "has_table_privilege", "has_schema_privilege", "pg_has_role"] {
        r.always(name, usize::MAX, true)?;
    }
    r.add("format_type", 2, DataType::Utf8, Volatility::Stable, |args, rows| {
        let (oids, mods) = (bigint(&args[0])?, bigint(&args[1])?);
        let mut out = StringBuilder::with_capacity(rows, rows * 8);
        for (oid, typmod) in oids.iter().zip(mods.iter()) {
            out.append_option(oid.map(|oid| system::format_type(oid as u32, typmod.unwrap_or(-1) as i32)));
        }
        Ok(Arc::new(out.finish()))
    })?;
    r.map_text("pg_type_name", 1, |oid| {
        oid.parse().ok().map(|oid| system::format_type(oid, -1)).or(Some(oid.to_string()))
    })?;
    let me = s();
    r.map_text("pg_relation_name", 1, move |oid| {
        let catalog = me.db.catalog();
        let tables = catalog.database_by_oid(me.database.0).map(|d| &d.tables);
        let name = oid.parse().ok().and_then(|oid: u32| tables.and_then(|t| t.get(&oid)).map(|t| t.name.clone()));
        Some(name.unwrap_or_else(|| oid.to_string()))
    })?;
    r.map_text("pg_encoding_to_char", 1, |_| Some("UTF8".into()))?;
    r.map_text("quote_ident", 1, |name| {
        let plain =
            name.bytes().enumerate().all(|(i, b)| b == b'_' || b.is_ascii_lowercase() || (i > 0 && b.is_ascii_digit()));
        Some(if plain && !name.is_empty() { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) })
    })?;
    r.add("pg_get_expr", usize::MAX, DataType::Utf8, Volatility::Stable, |args, _| {
        Ok(Arc::new(crate::output::text_array(&args[0])?))
    })?;
    r.add("pg_array_to_string", usize::MAX, DataType::Utf8, Volatility::Stable, |args, rows| {
        let texts = crate::output::text_array(&args[0])?;
        let DataType::List(_) = args[0].data_type() else { return Ok(Arc::new(texts)) };
        let delimiters = crate::output::text_array(&args[1])?;
        let lists = args[0].as_list::<i32>();
        let mut out = StringBuilder::with_capacity(rows, rows * 8);
        for row in 0..rows {
            if lists.is_null(row) || delimiters.is_null(row) {
                out.append_null();
                continue;
            }
            // NULL elements are left out.
            let items = crate::output::text_array(&lists.value(row))?;
            out.append_value(items.iter().flatten().collect::<Vec<_>>().join(delimiters.value(row)));
        }
        Ok(Arc::new(out.finish()))
    })?;
    r.null_text("shobj_description", 2)?;
    r.null_text("obj_description", usize::MAX)?;
    r.null_text("col_description", 2)?;
    r.null_text("pg_tablespace_location", 1)?;
    for (name, arguments) in [
        ("pg_get_viewdef", usize::MAX),
        ("pg_get_indexdef", usize::MAX),
        ("pg_get_constraintdef", usize::MAX),
        ("pg_get_statisticsobjdef_columns", 1),
        ("pg_get_function_result", 1),
        ("pg_get_function_arguments", 1),
    ] {
        r.null_text(name, arguments)?;
    }
    let table_size = |shared: Arc<Shared>| move |oid: i64| system::table_bytes(&shared, oid);
    for name in ["pg_table_size", "pg_total_relation_size"] {
        r.map_oid(name, 1, table_size(s()))?;
    }
    r.map_oid("pg_relation_size", usize::MAX, table_size(s()))?;
    r.map_oid("pg_indexes_size", 1, |_| Some(0))?;
    let me = s();
    r.add("pg_database_size", 1, DataType::Int64, Volatility::Volatile, move |args, _| {
        let names = crate::output::text_array(&args[0])?;
        Ok(Arc::new(Int64Array::from_iter(names.iter().map(|n| n.and_then(|n| system::database_bytes(&me, n))))))
    })?;
    r.map_text("pg_size_pretty", 1, |bytes| {
        let value: f64 = bytes.parse().ok()?;
        Some(pretty(value as i64))
    })?;
    r.add("pg_mod", 2, DataType::Int64, Volatility::Immutable, |args, _| {
        let (left, right) = (bigint(&args[0])?, bigint(&args[1])?);
        let result = datafusion::arrow::compute::kernels::numeric::rem(&left, &right);
        let result = result.map_err(|_| EngineError::new("22012", "division by zero"))?;
        Ok(result)
    })?;
    r.state.register_udf(Arc::new(ScalarUDF::new_from_impl(Round {
        signature: Signature::variadic_any(Volatility::Immutable),
    })))?;
    r.state.register_udf(Arc::new(ScalarUDF::new_from_impl(TypeOf {
        signature: Signature::any(1, Volatility::Stable),
    })))?;
    Ok(())
}

/// `pg_size_pretty`.
pub fn pretty(bytes: i64) -> String {
    let mut value = bytes;
    if value.abs() < 10 * 1024 {
        return format!("{value} bytes");
    }
    // As PostgreSQL: keep one more bit, and round at the end.
    value >>= 9;
    for unit in ["kB", "MB", "GB"] {
        if value.abs() < 20 * 1024 - 1 {
            return format!("{} {unit}", (value + value.signum()) / 2);
        }
        value >>= 10;
    }
    format!("{} TB", (value + value.signum()) / 2)
}

/// `round`: half to even for double precision, half away from zero for numeric.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Round {
    signature: Signature,
}

impl ScalarUDFImpl for Round {
    fn name(&self) -> &str {
        "round"
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Decimal128(p, s)] => Ok(DataType::Decimal128((*p - *s as u8 + 1).min(38), 0)),
            [ty] if ty.is_numeric() || ty == &DataType::Null => Ok(DataType::Float64),
            [DataType::Decimal128(_, _), _] => {
                Err(wrap(EngineError::unsupported("round(numeric, integer)").hint("Cast to numeric(p,s) instead.")))
            }
            _ => Err(wrap(EngineError::new("42883", "function round of these types does not exist"))),
        }
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let scalar = matches!(args.args[0], ColumnarValue::Scalar(_));
        let array = args.args[0].to_array(if scalar { 1 } else { args.number_rows })?;
        let result: ArrayRef = match (array.data_type(), args.return_field.data_type()) {
            (DataType::Decimal128(_, _), DataType::Decimal128(p, s)) => {
                crate::cast::cast(&array, engine::PgType::Numeric(*p, *s), crate::cast::Purpose::Explicit)
                    .map_err(wrap)?
            }
            _ => {
                let floats = cast(&array, &DataType::Float64)?;
                let rounded: Float64Array = floats.as_primitive::<Float64Type>().unary(f64::round_ties_even);
                Arc::new(rounded)
            }
        };
        Ok(if scalar {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)
        } else {
            ColumnarValue::Array(result)
        })
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TypeOf {
    signature: Signature,
}

impl ScalarUDFImpl for TypeOf {
    fn name(&self) -> &str {
        "pg_typeof"
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let field = &args.arg_fields[0];
        let column = crate::output::Column::new("", field);
        let literal = matches!(&args.args[0], ColumnarValue::Scalar(ScalarValue::Utf8(_) | ScalarValue::Null));
        let name = match column.oid {
            // An untyped constant; one cast to text arrives as a value of an expression and says text.
            25 if literal => "unknown".to_string(),
            oid => system::format_type(oid, -1),
        };
        Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(name))))
    }
}
