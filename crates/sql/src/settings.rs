//! SET, RESET, SHOW and ALTER SYSTEM.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::sqlparser::ast::{
    self, ContextModifier, Expr as AstExpr, Ident, Reset, ResetStatement, Set, Statement,
};
use engine::settings::{Context, Definition, Source, all, find, unknown};
use engine::{EngineError, Result, Settings};

use crate::ddl::ident;
use crate::definition::quote_ident;
use crate::identity;
use crate::interval::Unit;
use crate::output::Column;
use crate::rows::{RowSource, RowsReply};
use crate::session::{Reply, Session, Shared, done};

/// Puts back what SET LOCAL changed: a session value that was not set locally stays.
pub fn end_local(now: &mut Settings, before: &Settings) {
    if now.version() == before.version() {
        return;
    }
    now.end_local(before);
    follow_defaults(now);
}

/// What a transaction is like that does not say otherwise: a block that begins, or a statement without one.
pub fn follow_defaults(settings: &mut Settings) {
    for (name, default) in [
        ("transaction_isolation", "default_transaction_isolation"),
        ("transaction_read_only", "default_transaction_read_only"),
    ] {
        if settings.get(name) != settings.get(default) {
            let value = settings.get(default).to_string();
            settings.set(name, &value, Source::Session).expect("the two take the same values");
        }
    }
}

/// The values of a SET as PostgreSQL joins them; `None` for DEFAULT.
fn value_text(name: &str, values: &[AstExpr]) -> Result<Option<String>> {
    if let [AstExpr::Identifier(word)] = values
        && word.quote_style.is_none()
        && word.value.eq_ignore_ascii_case("default")
    {
        return Ok(None);
    }
    let facts = find(name).map(Definition::facts);
    if values.len() > 1 && !facts.is_some_and(|facts| facts.list) {
        return Err(EngineError::new("22023", format!("SET {name} takes only one argument")));
    }
    let words = values.iter().map(value_word).collect::<Result<Vec<_>>>()?;
    let quoted = facts.is_some_and(|facts| facts.quoted_list);
    let words: Vec<_> = words.iter().map(|w| if quoted { quote_ident(w) } else { w.clone() }).collect();
    Ok(Some(words.join(", ")))
}

/// `SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE`.
fn interval_zone(interval: &ast::Interval) -> Result<String> {
    let AstExpr::Value(value) = &*interval.value else {
        return Err(EngineError::new("42601", "syntax error in an interval constant"));
    };
    let ast::Value::SingleQuotedString(text) = &value.value else {
        return Err(EngineError::new("42601", "syntax error in an interval constant"));
    };
    let field =
        |field: &Option<ast::DateTimeField>| field.as_ref().and_then(|f| Unit::field(&f.to_string().to_lowercase()));
    let fields = field(&interval.leading_field).map(|first| (first, field(&interval.last_field).unwrap_or(first)));
    if fields.is_some_and(|(first, last)| first != Unit::Hour || !matches!(last, Unit::Hour | Unit::Minute)) {
        return Err(EngineError::new("22023", "time zone interval must be HOUR or HOUR TO MINUTE"));
    }
    let offset = crate::interval::parse(text, fields)?;
    let invalid = |what: &str| {
        EngineError::new("22023", format!("invalid value for parameter \"TimeZone\": \"{interval}\""))
            .detail(format!("Cannot specify {what} in time zone interval."))
    };
    match (offset.months, offset.days) {
        (0, 0) => Ok(engine::Zone::east((offset.nanoseconds / 1_000_000_000) as i32).1),
        (0, _) => Err(invalid("days")),
        _ => Err(invalid("months")),
    }
}

/// A value of SET: a name, a constant, a signed number.
fn value_word(value: &AstExpr) -> Result<String> {
    let number = |value: &AstExpr| match value {
        AstExpr::Value(value) => match &value.value {
            ast::Value::Number(number, _) => Some(number.to_string()),
            _ => None,
        },
        _ => None,
    };
    let word = match value {
        AstExpr::Identifier(word) => Some(ident(word)),
        AstExpr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => number(expr).map(|n| format!("-{n}")),
        AstExpr::UnaryOp { op: ast::UnaryOperator::Plus, expr } => number(expr),
        AstExpr::Value(constant) => match &constant.value {
            ast::Value::SingleQuotedString(s) | ast::Value::EscapedStringLiteral(s) => Some(s.clone()),
            ast::Value::DollarQuotedString(s) => Some(s.value.clone()),
            ast::Value::Boolean(value) => Some(value.to_string()),
            _ => number(value),
        },
        _ => None,
    };
    word.ok_or_else(|| EngineError::new("42601", "syntax error in the value of SET"))
}

fn last_name(name: &ast::ObjectName) -> String {
    name.0.iter().filter_map(|p| p.as_ident()).map(ident).collect::<Vec<_>>().join(".")
}

pub async fn set(session: &mut Session, set: Set) -> Result<Reply> {
    match set {
        Set::SingleAssignment { scope, variable, values, .. } => {
            let local = matches!(scope, Some(ContextModifier::Local));
            let name = last_name(&variable);
            assign(session, &name, value_text(&name, &values)?, local)?;
        }
        Set::SetTimeZone { local, value } => {
            let default = matches!(&value, AstExpr::Identifier(word) if word.quote_style.is_none()
                && word.value.eq_ignore_ascii_case("local"));
            let zone = match value {
                _ if default => None,
                AstExpr::Interval(interval) => Some(interval_zone(&interval)?),
                value => value_text("TimeZone", &[value])?,
            };
            assign(session, "TimeZone", zone, local)?;
        }
        Set::SetNames { charset_name, .. } => assign(session, "client_encoding", Some(charset_name.value), false)?,
        Set::SetTransaction { modes, session: whole_session, snapshot } => {
            if snapshot.is_some() {
                return Err(EngineError::unsupported("SET TRANSACTION SNAPSHOT"));
            }
            let prefix = if whole_session { "default_transaction_" } else { "transaction_" };
            if !whole_session && !session.in_block() {
                session.notice(
                    "WARNING",
                    EngineError::new("25P01", "SET TRANSACTION can only be used in transaction blocks"),
                );
                return Ok(done("SET"));
            }
            for mode in modes {
                match mode {
                    ast::TransactionMode::AccessMode(mode) => {
                        let on = matches!(mode, ast::TransactionAccessMode::ReadOnly);
                        assign(
                            session,
                            &format!("{prefix}read_only"),
                            Some(if on { "on" } else { "off" }.into()),
                            false,
                        )?;
                    }
                    ast::TransactionMode::IsolationLevel(ast::TransactionIsolationLevel::Serializable) => {
                        return Err(EngineError::unsupported("isolation level SERIALIZABLE"));
                    }
                    ast::TransactionMode::IsolationLevel(level) => {
                        assign(session, &format!("{prefix}isolation"), Some(level.to_string().to_lowercase()), false)?;
                    }
                }
            }
        }
        Set::SetRole { context_modifier, role_name } => identity::set_role(session, role_name, context_modifier)?,
        Set::SetSessionAuthorization(param) => identity::set_session_authorization(session, param)?,
        Set::SetNamesDefault {} => assign(session, "client_encoding", None, false)?,
        other => return Err(EngineError::unsupported(other.to_string())),
    }
    Ok(done("SET"))
}

/// Sets, or with `None` resets, a setting of the session.
pub fn assign(session: &mut Session, name: &str, value: Option<String>, local: bool) -> Result<()> {
    if local && !session.in_block() {
        session.notice("WARNING", EngineError::new("25P01", "SET LOCAL can only be used in transaction blocks"));
        // Its transaction is this statement: checked, and gone again.
        let mut settings = session.shared.settings.read().clone();
        return change(&session.shared, &mut settings, name, value.as_deref(), Source::Override);
    }
    match &value {
        Some(value) => check_transaction_setting(session, name, value)?,
        None if find(name).is_some_and(|d| d.facts().no_reset) => {
            return Err(EngineError::new("0A000", format!("parameter \"{name}\" cannot be reset")));
        }
        None => {}
    }
    session.remember_settings();
    let shared = session.shared.clone();
    let mut settings = shared.settings.write();
    change(&shared, &mut settings, name, value.as_deref(), if local { Source::Override } else { Source::Session })?;
    if !session.in_block() {
        follow_defaults(&mut settings);
    }
    follow_activity(&shared, &settings);
    Ok(())
}

/// A transaction that has looked at something keeps its isolation level, and stays read-only.
fn check_transaction_setting(session: &Session, name: &str, value: &str) -> Result<()> {
    if session.in_block() && session.has_looked() {
        settled(&session.shared.settings.read(), name, value)
    } else {
        Ok(())
    }
}

/// Fails for what a transaction can no longer change once it has looked at something.
pub fn settled(settings: &Settings, name: &str, value: &str) -> Result<()> {
    let Some(definition) = find(name) else { return Ok(()) };
    let value = definition.parse(value)?;
    let message = match definition.name {
        "transaction_read_only" if value == "off" && settings.get(definition.name) == "on" => {
            "transaction read-write mode must be set before any query"
        }
        "transaction_isolation" if settings.get(definition.name) != value => {
            "SET TRANSACTION ISOLATION LEVEL must be called before any query"
        }
        "transaction_deferrable" => "SET TRANSACTION [NOT] DEFERRABLE must be called before any query",
        _ => return Ok(()),
    };
    Err(EngineError::new("25001", message))
}

/// Checks and sets, or with `None` resets, a setting among `settings`.
pub fn change(shared: &Shared, settings: &mut Settings, name: &str, value: Option<&str>, source: Source) -> Result<()> {
    if let Some(definition) = find(name) {
        definition.may_change(identity::is_superuser(shared, settings), false)?;
    }
    let identity = find(name).map(|d| d.name).filter(|name| matches!(*name, "role" | "session_authorization"));
    if let (Some(setting), Some(value)) = (identity, value) {
        identity::may_become(shared, settings, setting, value)?;
    }
    match value {
        Some(value) => settings.set(name, value, source)?,
        // A made-up parameter is there from now on.
        None if find(name).is_none() && settings.custom(name).is_none() => settings.set(name, "", source)?,
        None => settings.reset(name, &shared.initial.read()),
    }
    identity.map_or(Ok(()), |setting| identity::follow(shared, settings, setting, source))
}

/// Shows others what they are to see of the settings.
pub fn follow_activity(shared: &Shared, settings: &Settings) {
    let name = settings.get("application_name").to_string();
    shared.backend.update(|s| s.application_name = name);
}

pub fn reset(session: &mut Session, reset: ResetStatement) -> Result<Reply> {
    match reset.reset {
        Reset::ALL => reset_all(session),
        Reset::ConfigurationParameter(name) => {
            let name = last_name(&name);
            assign(session, &name, None, false)?;
        }
    }
    Ok(done("RESET"))
}

pub fn reset_all(session: &mut Session) {
    session.remember_settings();
    let shared = &session.shared;
    let mut settings = shared.settings.write();
    settings.reset_all(&shared.initial.read());
    if !session.in_block() {
        follow_defaults(&mut settings);
    }
    follow_activity(shared, &settings);
}

/// `ALTER SYSTEM`, with what follows as SET or RESET.
pub fn alter_system(session: &mut Session, change: &Statement) -> Result<()> {
    let (name, value) = match change {
        Statement::Set(Set::SingleAssignment { variable, values, .. }) => {
            let name = last_name(variable);
            let value = value_text(&name, values)?;
            (Some(name), value)
        }
        Statement::Set(Set::SetTimeZone { value, .. }) => {
            let value = value_text("TimeZone", std::slice::from_ref(value))?;
            (Some("TimeZone".to_string()), value)
        }
        Statement::Reset(ResetStatement { reset: Reset::ConfigurationParameter(name) }) => {
            (Some(last_name(name)), None)
        }
        Statement::Reset(ResetStatement { reset: Reset::ALL }) => (None, None),
        _ => return Err(EngineError::new("42601", "syntax error in ALTER SYSTEM")),
    };
    let (name, value) = (name.as_deref(), value.as_deref());
    session.refuse_in_block("ALTER SYSTEM")?;
    let refuse = |what: String| Err(EngineError::new("42501", format!("permission denied to {what}")));
    let superuser = session.shared.is_superuser();
    let Some(name) = name else {
        if !superuser {
            return refuse("perform ALTER SYSTEM RESET ALL".into());
        }
        return session.db().alter_system_reset_all();
    };
    if !superuser {
        return refuse(format!("set parameter \"{name}\""));
    }
    let Some(definition) = find(name) else {
        engine::settings::check_custom_name(name)?;
        return session.db().alter_system(name, value);
    };
    if definition.context == Context::Internal || definition.name == "data_directory" || definition.facts().hidden {
        return Err(EngineError::new("55P02", format!("parameter \"{}\" cannot be changed", definition.name)));
    }
    if let Some(value) = value {
        definition.parse(value)?;
    }
    session.db().alter_system(definition.name, value)
}

/// The name that SHOW's words mean.
fn show_name(variable: &[Ident]) -> String {
    let words: Vec<String> = variable.iter().map(ident).collect();
    match words.join(" ").as_str() {
        "time zone" => "TimeZone".to_string(),
        "transaction isolation level" => "transaction_isolation".to_string(),
        "session authorization" => "session_authorization".to_string(),
        _ => words.join("."),
    }
}

/// A setting's own spelling of its name, and what SHOW prints; `None` if there is none of this name.
pub fn look_up(shared: &Shared, settings: &Settings, name: &str) -> Result<Option<(String, String)>> {
    let Some(definition) = find(name) else {
        return Ok(settings.custom(name).map(|custom| (custom.name.clone(), custom.value.clone())));
    };
    definition.may_examine(identity::is_superuser(shared, settings))?;
    Ok(Some((definition.name.into(), definition.show(settings.get(definition.name)))))
}

fn is_all(variable: &[Ident]) -> bool {
    matches!(variable, [word] if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("all"))
}

pub fn show_columns(shared: &Shared, variable: &[Ident]) -> Result<Vec<Column>> {
    if is_all(variable) {
        return Ok(["name", "setting", "description"].map(Column::text).to_vec());
    }
    let name = show_name(variable);
    let found = look_up(shared, &shared.settings.read(), &name)?;
    Ok(vec![Column::text(&found.ok_or_else(|| unknown(&name))?.0)])
}

pub fn show(session: &mut Session, variable: Vec<Ident>) -> Result<Reply> {
    let shared = &session.shared;
    let columns = show_columns(shared, &variable)?;
    let settings = shared.settings.read();
    let rows: Vec<Vec<String>> = if is_all(&variable) {
        let superuser = identity::is_superuser(shared, &settings);
        let shown = all().iter().filter(|d| !d.facts().hidden && d.may_examine(superuser).is_ok());
        let row = |d: &Definition| vec![d.name.into(), d.show(settings.get(d.name)), d.description.into()];
        let custom = settings.customs().map(|c| vec![c.name.clone(), c.value.clone(), String::new()]);
        let mut rows: Vec<_> = shown.map(row).chain(custom).collect();
        rows.sort_by_key(|row| row[0].to_ascii_lowercase());
        rows
    } else {
        let name = show_name(&variable);
        let (_, value) = look_up(shared, &settings, &name)?.ok_or_else(|| unknown(&name))?;
        vec![vec![value]]
    };
    Ok(text_rows(columns, rows, "SHOW"))
}

/// A reply of text columns.
pub fn text_rows(columns: Vec<Column>, rows: Vec<Vec<String>>, tag: &'static str) -> Reply {
    let fields: Vec<_> = columns.iter().map(|c| Field::new(&c.name, DataType::Utf8, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays: Vec<ArrayRef> = (0..columns.len())
        .map(|i| Arc::new(StringArray::from_iter_values(rows.iter().map(|r| r[i].as_str()))) as ArrayRef)
        .collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).expect("as many values as columns in each row");
    let batches = Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter([Ok(batch)])));
    Reply::Rows(RowsReply { columns: columns.into(), rows: RowSource::Stream(batches), tag, counted: false })
}
