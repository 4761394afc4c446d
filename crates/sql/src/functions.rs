//! PostgreSQL's functions that DataFusion lacks or means differently: information about session and catalog, time, and
//! `round`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Builder, FixedSizeBinaryBuilder, Float64Array, Int64Array,
    ListBuilder, StringArray, StringBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit};
use datafusion::common::Result;
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::Volatility;
use engine::EngineError;
use engine::settings::Source;

use crate::definition;
use crate::function::Function;
use crate::session::Shared;
use crate::system;
use crate::tables::tagged;

pub struct Registrar<'a> {
    state: &'a mut SessionState,
}

impl Registrar<'_> {
    pub fn add(
        &mut self,
        name: &'static str,
        arguments: usize,
        returns: DataType,
        volatility: Volatility,
        body: impl Fn(&[ArrayRef], usize) -> engine::Result<ArrayRef> + Send + Sync + 'static,
    ) -> Result<()> {
        let function = Function::new(name, arguments, returns, volatility, move |call| body(&call.args, call.rows));
        self.register(function)
    }

    pub fn register(&mut self, function: Function) -> Result<()> {
        self.state.register_udf(function.udf())?;
        Ok(())
    }

    /// Text that does not depend on arguments.
    pub fn text(
        &mut self,
        names: &[&'static str],
        value: impl Fn() -> String + Send + Sync + Clone + 'static,
    ) -> Result<()> {
        names.iter().try_for_each(|name| self.register(constant_text(name, value.clone())))
    }

    /// The same as a `name`.
    pub fn name(
        &mut self,
        names: &[&'static str],
        value: impl Fn() -> String + Send + Sync + Clone + 'static,
    ) -> Result<()> {
        let field = |name| tagged(name, DataType::Utf8, NAME);
        names.iter().try_for_each(|name| self.register(constant_text(name, value.clone()).returning_field(field(name))))
    }

    /// What an OID is shown as where its type is one of `regclass` and its sisters.
    pub fn names_of(
        &mut self,
        name: &'static str,
        oid: u32,
        f: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Result<()> {
        let body = move |call: &crate::function::Call| -> engine::Result<ArrayRef> {
            let input = crate::output::text_array(&call.args[0])?;
            Ok(Arc::new(StringArray::from_iter(input.iter().map(|value| value.map(&f)))))
        };
        let function = Function::new(name, 1, DataType::Utf8, Volatility::Stable, body);
        self.register(function.returning_field(tagged(name, DataType::Utf8, oid)))
    }

    pub fn number(&mut self, name: &'static str, value: impl Fn() -> i64 + Send + Sync + 'static) -> Result<()> {
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

    pub fn always(&mut self, name: &'static str, arguments: usize, value: bool) -> Result<()> {
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
            let ty = DataType::Timestamp(TimeUnit::Microsecond, zoned.then(|| "UTC".into()));
            let volatility = if *name == "clock_timestamp" { Volatility::Volatile } else { Volatility::Stable };
            self.add(name, 0, ty, volatility, move |_, rows| {
                let micros = now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64;
                let zone = &crate::style::current().style.zone;
                let micros = if zoned { micros } else { crate::time_functions::local_of(micros, zone) };
                let array = datafusion::arrow::array::TimestampMicrosecondArray::from_value(micros, rows);
                Ok(Arc::new(array.with_timezone_opt(zoned.then_some("UTC"))))
            })?;
        }
        Ok(())
    }
}

/// The OID of `name`.
const NAME: u32 = 19;

fn constant_text(name: &'static str, value: impl Fn() -> String + Send + Sync + 'static) -> Function {
    Function::new(name, 0, DataType::Utf8, Volatility::Stable, move |call| {
        Ok(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(value(), call.rows))))
    })
}

fn require_writable(shared: &Shared, what: &str) -> engine::Result<()> {
    if shared.settings.read().each_statement().transaction_read_only {
        return Err(EngineError::new("25006", format!("cannot execute {what} in a read-only transaction")));
    }
    Ok(())
}

pub fn bigint(array: &ArrayRef) -> engine::Result<Int64Array> {
    let array = cast(array, &DataType::Int64).map_err(|e| EngineError::new("42883", e.to_string()))?;
    Ok(array.as_primitive::<Int64Type>().clone())
}

pub fn register(state: &mut SessionState, shared: &Arc<Shared>) -> Result<()> {
    let mut r = Registrar { state };
    let s = || shared.clone();

    let me = s();
    r.name(&["current_user", "current_role", "user"], move || me.current_user())?;
    let me = s();
    r.name(&["session_user"], move || me.settings.read().get("session_authorization").to_string())?;
    let database = shared.database.1.clone();
    r.name(&["current_database", "current_catalog"], move || database.clone())?;
    let schema = Function::new("current_schema", 0, DataType::Utf8, Volatility::Stable, |call| {
        let style = crate::style::current().style;
        Ok(Arc::new(StringArray::from(vec![style.path.first().copied(); call.rows])))
    });
    r.register(schema.returning_field(tagged("current_schema", DataType::Utf8, NAME)))?;
    r.register(current_schemas())?;
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
    const DIFFERENCE: DataType = DataType::Decimal128(20, 0);
    r.add("pg_wal_lsn_diff", 2, DIFFERENCE, Volatility::Immutable, |args, rows| {
        let (left, right) = (crate::output::text_array(&args[0])?, crate::output::text_array(&args[1])?);
        let mut out = Decimal128Builder::with_capacity(rows).with_data_type(DIFFERENCE);
        for (left, right) in left.iter().zip(right.iter()) {
            out.append_option(match (left, right) {
                (Some(left), Some(right)) => Some(i128::from(lsn(left)?) - i128::from(lsn(right)?)),
                _ => None,
            });
        }
        Ok(Arc::new(out.finish()))
    })?;
    let me = s();
    r.add("pg_walfile_name", 1, DataType::Utf8, Volatility::Stable, move |args, _| {
        let size = me.db.wal_segment_size();
        let positions = crate::output::text_array(&args[0])?;
        // The segment that ends there belongs to what was written before.
        let name = |position: &str| Ok(wal::segment_name(lsn(position)?.saturating_sub(1) / size, size));
        let names: engine::Result<StringArray> = positions.iter().map(|p| p.map(name).transpose()).collect();
        Ok(Arc::new(names?))
    })?;
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
        let missing_ok = args.get(1).map(|m| cast(m, &DataType::Boolean)).transpose();
        let missing_ok = missing_ok.map_err(|e| EngineError::new("22P02", e.to_string()))?;
        let settings = me.settings.read();
        let mut out = StringBuilder::with_capacity(rows, rows * 8);
        for row in 0..rows {
            // It is strict.
            let missing_ok = missing_ok.as_ref().map(|m| (m.is_valid(row), m.as_boolean().value(row)));
            if names.is_null(row) || missing_ok.is_some_and(|(known, _)| !known) {
                out.append_null();
                continue;
            }
            match crate::settings::look_up(&me, &settings, names.value(row))? {
                Some((_, value)) => out.append_value(value),
                None if missing_ok.is_some_and(|(_, ok)| ok) => out.append_null(),
                None => return Err(engine::settings::unknown(names.value(row))),
            }
        }
        Ok(Arc::new(out.finish()))
    })?;
    let me = s();
    r.add("pg_reload_conf", 0, DataType::Boolean, Volatility::Volatile, move |_, rows| {
        crate::roles::require_superuser(&me, "for function pg_reload_conf")?;
        Ok(Arc::new(BooleanArray::from(vec![me.db.reload(); rows])))
    })?;
    let me = s();
    r.add("pg_cancel_backend", 1, DataType::Boolean, Volatility::Volatile, move |args, _| {
        let pids = bigint(&args[0])?;
        let signal = |pid: i64| match me.db.activity().get(pid as i32) {
            None => Ok(false),
            Some(backend) => {
                crate::roles::may_signal(&me, &backend, crate::roles::Signal::Cancel)?;
                backend.request_cancel();
                Ok(true)
            }
        };
        let found: Result<Vec<_>, EngineError> = pids.iter().map(|pid| pid.map(signal).transpose()).collect();
        Ok(Arc::new(BooleanArray::from(found?)))
    })?;
    let me = s();
    r.add("pg_terminate_backend", usize::MAX, DataType::Boolean, Volatility::Volatile, move |args, _| {
        let pids = bigint(&args[0])?;
        let signal = |pid: i64| match me.db.activity().get(pid as i32) {
            None => Ok(false),
            Some(backend) => {
                crate::roles::may_signal(&me, &backend, crate::roles::Signal::Terminate)?;
                backend.request_termination();
                Ok(true)
            }
        };
        let found: Result<Vec<_>, EngineError> = pids.iter().map(|pid| pid.map(signal).transpose()).collect();
        Ok(Arc::new(BooleanArray::from(found?)))
    })?;

    let me = s();
    r.add("set_config", 3, DataType::Utf8, Volatility::Volatile, move |args, rows| {
        let (names, values) = (crate::output::text_array(&args[0])?, crate::output::text_array(&args[1])?);
        let mut out = StringBuilder::with_capacity(rows, rows * 8);
        let local = cast(&args[2], &DataType::Boolean).map_err(|e| EngineError::new("22P02", e.to_string()))?;
        let local = local.as_boolean();
        for row in 0..rows {
            if names.is_null(row) {
                return Err(EngineError::new("22004", "SET requires parameter name"));
            }
            let name = names.value(row);
            let mut settings = me.settings.write();
            // What is local goes when the transaction ends: `session_calls` has remembered what was before.
            let local = local.is_valid(row) && local.value(row);
            let source = if local { Source::Override } else { Source::Session };
            let value = values.is_valid(row).then(|| values.value(row));
            if let Some(value) = value {
                crate::settings::settled(&settings, name, value)?;
            }
            crate::settings::change(&me, &mut settings, name, value, source)?;
            crate::settings::follow_activity(&me, &settings);
            out.append_option(crate::settings::look_up(&me, &settings, name)?.map(|(_, value)| value));
        }
        Ok(Arc::new(out.finish()))
    })?;
    let me = s();
    r.add("nextval", 1, DataType::Int64, Volatility::Volatile, move |args, _| {
        require_writable(&me, "nextval()")?;
        me.sequences.nextval(&bigint(&args[0])?)
    })?;
    let me = s();
    r.add("currval", 1, DataType::Int64, Volatility::Volatile, move |args, _| {
        let oids = bigint(&args[0])?;
        let values: engine::Result<Vec<Option<i64>>> =
            oids.iter().map(|oid| oid.map(|oid| me.sequences.currval(oid)).transpose()).collect();
        Ok(Arc::new(Int64Array::from(values?)))
    })?;
    let me = s();
    r.add("lastval", 0, DataType::Int64, Volatility::Volatile, move |_, rows| {
        let catalog = me.catalog();
        let exists = |oid| catalog.database_by_oid(me.database.0).is_some_and(|d| d.sequences.contains_key(&oid));
        Ok(Arc::new(Int64Array::from_value(me.sequences.lastval(exists)?, rows)))
    })?;
    let me = s();
    r.add("setval", usize::MAX, DataType::Int64, Volatility::Volatile, move |args, _| {
        if !(2..=3).contains(&args.len()) {
            return Err(EngineError::new("42883", "function setval takes a sequence, a value and perhaps a boolean"));
        }
        require_writable(&me, "setval()")?;
        let (oids, values) = (bigint(&args[0])?, bigint(&args[1])?);
        let called = args.get(2).map(|called| called.as_boolean().clone());
        let mut set = Vec::with_capacity(oids.len());
        for row in 0..oids.len() {
            let called = called.as_ref().is_none_or(|c| c.value(row));
            set.push(match oids.is_null(row) || values.is_null(row) {
                true => None,
                false => Some(me.sequences.setval(oids.value(row), values.value(row), called)?),
            });
        }
        Ok(Arc::new(Int64Array::from(set)))
    })?;

    // What psql's commands ask.
    let me = s();
    r.names_of("pg_get_userbyid", NAME, move |oid| {
        let catalog = me.catalog();
        let role = catalog.roles.values().find(|r| r.oid.to_string() == oid).map(|r| r.name.clone());
        role.unwrap_or_else(|| format!("unknown (OID={oid})"))
    })?;
    for name in [
        "pg_table_is_visible",
        "pg_type_is_visible",
        "pg_function_is_visible",
        "pg_collation_is_visible",
        "pg_opclass_is_visible",
    ] {
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
            out.append_option(oid.map(|oid| match (oid, typmod) {
                // `character` would mean one of them.
                (1042, Some(-1)) => "bpchar".into(),
                (oid, typmod) => system::format_type(oid as u32, typmod.unwrap_or(-1) as i32),
            }));
        }
        Ok(Arc::new(out.finish()))
    })?;
    r.names_of("pg_type_name", system::REGTYPE, |oid| match oid.parse() {
        Ok(0) => "-".into(),
        Ok(number) => system::type_name(number).map_or_else(|| oid.to_string(), str::to_string),
        Err(_) => oid.to_string(),
    })?;
    let me = s();
    r.names_of("pg_relation_name", system::REGCLASS, move |oid| {
        let catalog = me.catalog();
        let tables = catalog.database_by_oid(me.database.0).map(|d| &d.tables);
        let table = |oid: u32| tables.and_then(|t| t.get(&oid)).map(|t| t.name.clone());
        let index = |oid| definition::index_name(&me, oid);
        let sequences = catalog.database_by_oid(me.database.0).map(|d| &d.sequences);
        let sequence = |oid: u32| sequences.and_then(|s| s.get(&oid)).map(|s| s.name.clone());
        let name = oid.parse().ok().and_then(|oid| {
            table(oid).or_else(|| index(oid)).or_else(|| sequence(oid)).or_else(|| system::relation_name(oid))
        });
        match name {
            Some(name) => definition::quote_ident(&name),
            None if oid == "0" => "-".into(),
            None => oid.to_string(),
        }
    })?;
    for (name, ty) in [
        ("pg_regclass", "regclass"),
        ("pg_regtype", "regtype"),
        ("pg_regnamespace", "regnamespace"),
        ("pg_regrole", "regrole"),
    ] {
        let me = s();
        r.add(name, 1, DataType::Int64, Volatility::Stable, move |args, _| {
            if args[0].data_type().is_integer() || args[0].data_type() == &DataType::Null {
                return crate::held_types::oids(&args[0]);
            }
            let names = crate::output::text_array(&args[0])?;
            let oid = |name: &str| crate::reg_types::oid_of(&me, ty, name).map(i64::from);
            let oids = names.iter().map(|name| name.map(oid).transpose());
            Ok(Arc::new(oids.collect::<engine::Result<Int64Array>>()?))
        })?;
    }
    let me = s();
    r.add("pg_get_serial_sequence", 2, DataType::Utf8, Volatility::Stable, move |args, rows| {
        let (tables, columns) = (crate::output::text_array(&args[0])?, crate::output::text_array(&args[1])?);
        let mut out = StringBuilder::with_capacity(rows, rows * 16);
        for (table, column) in tables.iter().zip(columns.iter()) {
            let (Some(table), Some(column)) = (table, column) else {
                out.append_null();
                continue;
            };
            out.append_option(crate::reg_types::serial_sequence(&me, table, column)?);
        }
        Ok(Arc::new(out.finish()))
    })?;
    r.register(crate::json::build_object())?;
    r.map_text("quote_ident", 1, |name| Some(definition::quote_ident(name)))?;
    r.add("pg_get_expr", usize::MAX, DataType::Utf8, Volatility::Stable, |args, _| {
        Ok(Arc::new(crate::output::text_array(&args[0])?))
    })?;
    for function in crate::held_types::functions() {
        r.register(function)?;
    }
    for function in crate::text_functions::functions() {
        r.register(function)?;
    }
    for function in crate::integers::common_divisors() {
        r.register(function)?;
    }
    for function in crate::arrays::functions() {
        r.register(function)?;
    }
    r.null_text("shobj_description", 2)?;
    r.null_text("obj_description", usize::MAX)?;
    r.null_text("col_description", 2)?;
    r.null_text("pg_tablespace_location", 1)?;
    for (name, arguments) in [
        ("pg_get_viewdef", usize::MAX),
        ("pg_get_statisticsobjdef_columns", 1),
        ("pg_get_function_result", 1),
        ("pg_get_function_arguments", 1),
    ] {
        r.null_text(name, arguments)?;
    }
    let me = s();
    r.add("pg_get_indexdef", usize::MAX, DataType::Utf8, Volatility::Stable, move |args, _| {
        let oids = bigint(&args[0])?;
        let columns = args.get(1).map(bigint).transpose()?;
        let definition = |(row, oid): (usize, Option<i64>)| {
            let column = columns.as_ref().map_or(0, |c| c.value(row));
            definition::index(&me, u32::try_from(oid?).ok()?, usize::try_from(column).ok()?)
        };
        Ok(Arc::new(StringArray::from_iter(oids.iter().enumerate().map(definition))))
    })?;
    let me = s();
    r.add("pg_get_constraintdef", usize::MAX, DataType::Utf8, Volatility::Stable, move |args, _| {
        let pretty = args.get(1).is_some_and(|p| p.as_boolean_opt().is_some_and(|p| !p.is_empty() && p.value(0)));
        let definition = |oid: Option<i64>| definition::constraint(&me, u32::try_from(oid?).ok()?, pretty);
        Ok(Arc::new(StringArray::from_iter(bigint(&args[0])?.iter().map(definition))))
    })?;
    type Size = fn((i64, i64)) -> i64;
    let sizes: [(&str, usize, Size); 4] = [
        ("pg_relation_size", usize::MAX, |(own, _)| own),
        ("pg_table_size", 1, |(own, _)| own),
        ("pg_indexes_size", 1, |(_, indexes)| indexes),
        ("pg_total_relation_size", 1, |(own, indexes)| own + indexes),
    ];
    for (name, arguments, size) in sizes {
        let me = s();
        r.map_oid(name, arguments, move |oid| system::relation_bytes(&me, oid).map(size))?;
    }
    let me = s();
    r.add("pg_database_size", 1, DataType::Int64, Volatility::Volatile, move |args, _| {
        let names = crate::output::text_array(&args[0])?;
        Ok(Arc::new(Int64Array::from_iter(names.iter().map(|n| n.and_then(|n| system::database_bytes(&me, n))))))
    })?;
    r.add("pg_size_pretty", 1, DataType::Utf8, Volatility::Immutable, |args, _| {
        let input = crate::output::text_array(&args[0])?;
        let pretty = |bytes: &str| match bytes.parse::<i128>() {
            Ok(bytes) => Ok(pretty(bytes)),
            Err(_) => Err(EngineError::unsupported("pg_size_pretty of other than whole numbers")),
        };
        let texts = input.iter().map(|bytes| bytes.map(pretty).transpose());
        Ok(Arc::new(texts.collect::<engine::Result<StringArray>>()?))
    })?;
    for function in crate::checked::functions() {
        r.register(function)?;
    }
    r.register(crate::similar::similar_to_escape())?;
    r.register(crate::similar::like_escape())?;
    r.register(crate::similar::pg_regex())?;
    r.register(array_or_empty())?;
    r.register(round())?;
    r.register(type_of())?;
    r.register(crate::time_functions::extract())?;
    r.register(crate::time_functions::date_trunc())?;
    r.register(crate::time_functions::timezone())?;
    r.add("pg_octet_length", 1, DataType::Int32, Volatility::Immutable, |args, rows| {
        let length = |row: usize| match args[0].data_type() {
            DataType::Binary => args[0].as_binary::<i32>().value(row).len() as i32,
            _ => args[0].as_string::<i32>().value(row).len() as i32,
        };
        if !matches!(args[0].data_type(), DataType::Binary | DataType::Utf8 | DataType::Null) {
            let ty = crate::output::type_name(args[0].data_type());
            return Err(EngineError::new("42883", format!("function octet_length({ty}) does not exist")));
        }
        let all_null = args[0].data_type() == &DataType::Null;
        let lengths = (0..rows).map(|row| (!all_null && args[0].is_valid(row)).then(|| length(row)));
        Ok(Arc::new(lengths.collect::<datafusion::arrow::array::Int32Array>()))
    })?;
    r.register(crate::interval::function())?;
    r.register(crate::exact::whole_quotient())?;
    r.register(crate::exact::conversion())?;
    r.add("gen_random_uuid", 0, DataType::FixedSizeBinary(16), Volatility::Volatile, |_, rows| {
        let mut out = FixedSizeBinaryBuilder::with_capacity(rows, 16);
        for _ in 0..rows {
            out.append_value(uuid::Uuid::new_v4().as_bytes()).expect("16 bytes");
        }
        Ok(Arc::new(out.finish()))
    })?;
    crate::small_functions::register(&mut r, shared)?;
    float_functions(&mut r)
}

/// Mathematical functions of double precision, with PostgreSQL's errors where DataFusion gives NaN or infinity. Their
/// names are ours, see [`crate::rewrite`].
fn float_functions(r: &mut Registrar) -> Result<()> {
    use crate::floats::float_function;
    let wrong = |code, message: &str| Err(EngineError::new(code, message));
    let finite = |x: f64, result: f64| {
        if result.is_infinite() && x.is_finite() {
            Err(EngineError::new("22003", "value out of range: overflow"))
        } else {
            Ok(result)
        }
    };
    let logarithm = move |x: f64, log: fn(f64) -> f64| {
        if x == 0.0 {
            wrong("2201E", "cannot take logarithm of zero")
        } else if x < 0.0 {
            wrong("2201E", "cannot take logarithm of a negative number")
        } else {
            Ok(log(x))
        }
    };
    r.register(float_function("pg_exp", 1, move |x, _| {
        if x.is_finite() && x.exp() == 0.0 {
            return Err(EngineError::new("22003", "value out of range: underflow"));
        }
        finite(x, x.exp())
    }))?;
    let outside = || Err(EngineError::new("22003", "input is out of range"));
    for function in crate::floats::of_doubles() {
        r.register(function)?;
    }
    for (name, f, wrong) in [
        ("pg_acos", f64::acos as fn(f64) -> f64, (|x: f64| x.abs() > 1.0) as fn(f64) -> bool),
        ("pg_asin", f64::asin, |x| x.abs() > 1.0),
        ("pg_acosh", f64::acosh, |x| x < 1.0),
        ("pg_sin", f64::sin, f64::is_infinite),
        ("pg_cos", f64::cos, f64::is_infinite),
        ("pg_tan", f64::tan, f64::is_infinite),
    ] {
        r.register(float_function(name, 1, move |x, _| if wrong(x) { outside() } else { Ok(f(x)) }))?;
    }
    r.register(float_function("pg_ln", 1, move |x, _| logarithm(x, f64::ln)))?;
    r.register(float_function("pg_log10", 1, move |x, _| logarithm(x, f64::log10)))?;
    r.register(float_function("pg_sqrt", 1, move |x, _| {
        if x < 0.0 { wrong("2201F", "cannot take square root of a negative number") } else { Ok(x.sqrt()) }
    }))?;
    r.register(float_function("pg_power", 2, move |x, y| {
        if x == 0.0 && y < 0.0 {
            return wrong("2201F", "zero raised to a negative power is undefined");
        }
        if x < 0.0 && y.is_finite() && y.fract() != 0.0 {
            return wrong("2201F", "a negative number raised to a non-integer power yields a complex result");
        }
        if y.is_finite() { finite(x, x.powf(y)) } else { Ok(x.powf(y)) }
    }))
}

/// What `pg_lsn` takes.
fn lsn(text: &str) -> engine::Result<wal::Lsn> {
    let invalid = || EngineError::new("22P02", format!("invalid input syntax for type pg_lsn: \"{text}\""));
    wal::parse_lsn(text).ok_or_else(invalid)
}

/// `pg_size_pretty`.
pub fn pretty(bytes: impl Into<i128>) -> String {
    let mut value: i128 = bytes.into();
    if value.abs() < 10 * 1024 {
        return format!("{value} bytes");
    }
    // As PostgreSQL: keep one more bit, and round at the end.
    value /= 1 << 9;
    for unit in ["kB", "MB", "GB", "TB"] {
        if value.abs() < 20 * 1024 - 1 {
            return format!("{} {unit}", (value + value.signum()) / 2);
        }
        value /= 1 << 10;
    }
    format!("{} PB", (value + value.signum()) / 2)
}

/// `round` of double precision: half to even. Numeric is [`crate::exact`]'s.
fn round() -> Function {
    let function = Function::new("round", usize::MAX, DataType::Float64, Volatility::Immutable, |call| {
        let floats = cast(&call.args[0], &DataType::Float64).map_err(|e| EngineError::new("22003", e.to_string()))?;
        let rounded: Float64Array = floats.as_primitive::<Float64Type>().unary(f64::round_ties_even);
        Ok(Arc::new(rounded))
    });
    function.returning(|args| match args.arg_fields {
        [field] if crate::exact::is_numeric(field.data_type()) => Ok(crate::exact::PLANNED),
        // What is planned as double precision may turn out as numeric (an average): narrowing tells.
        [field, _] if field.data_type().is_numeric() => Ok(crate::exact::PLANNED),
        [field] if field.data_type().is_numeric() || field.data_type() == &DataType::Null => Ok(DataType::Float64),
        fields => {
            let types: Vec<_> = fields.iter().map(|f| crate::output::type_name(f.data_type())).collect();
            Err(EngineError::new("42883", format!("function round({}) does not exist", types.join(", "))).hint(
                "No function matches the given name and argument types. You might need to add explicit type casts.",
            ))
        }
    })
}

/// What `ARRAY(SELECT …)` makes of what was gathered: nothing is an empty array.
fn array_or_empty() -> Function {
    let function = Function::new("pg_array_or_empty", 1, DataType::Null, Volatility::Immutable, |call| {
        let DataType::List(element) = call.args[0].data_type() else { return Ok(call.args[0].clone()) };
        let lists = call.args[0].as_list::<i32>();
        let mut places = vec![];
        let mut lengths = vec![];
        for row in 0..call.rows {
            let (start, end) = (lists.value_offsets()[row], lists.value_offsets()[row + 1]);
            let range = if lists.is_null(row) { 0..0 } else { start as u64..end as u64 };
            lengths.push(range.clone().count());
            places.extend(range);
        }
        let places = datafusion::arrow::array::UInt64Array::from(places);
        let values = datafusion::arrow::compute::take(lists.values(), &places, None);
        let values = values.map_err(|e| EngineError::new("XX000", e.to_string()))?;
        let offsets = datafusion::arrow::buffer::OffsetBuffer::from_lengths(lengths);
        Ok(Arc::new(datafusion::arrow::array::ListArray::new(element.clone(), offsets, values, None)))
    });
    function.returning(|args| Ok(args.arg_fields[0].data_type().clone()))
}

fn type_of() -> Function {
    let function = Function::new("pg_typeof", 1, DataType::Utf8, Volatility::Stable, |call| {
        let column = crate::output::Column::new("", &call.given.arg_fields[0]);
        let name = system::format_type(column.oid, -1);
        Ok(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(name, call.rows))))
    });
    function.returning_field(tagged("pg_typeof", DataType::Utf8, system::REGTYPE))
}

/// The schemas of search_path that there are; those that it has without being told, too, if that is wanted.
fn current_schemas() -> Function {
    let names = crate::arrays::list_of(&DataType::Utf8);
    let function = Function::new("current_schemas", 1, names.clone(), Volatility::Stable, |call| {
        let style = crate::style::current().style;
        let implicit = cast(&call.args[0], &DataType::Boolean).map_err(|e| EngineError::new("22P02", e.to_string()))?;
        let mut lists = ListBuilder::new(StringBuilder::new());
        for implicit in implicit.as_boolean() {
            let hidden = implicit == Some(true) && !style.path.contains(&"pg_catalog");
            let names = hidden.then_some("pg_catalog").into_iter().chain(style.path.iter().copied());
            names.for_each(|name| lists.values().append_value(name));
            lists.append(implicit.is_some());
        }
        Ok(Arc::new(lists.finish()))
    });
    function.returning_field(tagged("current_schemas", names, 1003))
}
