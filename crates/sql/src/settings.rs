//! SET, RESET, SHOW and ALTER SYSTEM.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::sqlparser::ast::{self, ContextModifier, Expr as AstExpr, Ident, Reset, ResetStatement, Set};
use engine::settings::{Context, DEFINITIONS, Definition, Source, find, unknown};
use engine::{EngineError, Result, Settings};

use crate::ddl::ident;
use crate::output::Column;
use crate::session::{Reply, RowsReply, Session, done};

/// Puts back what SET LOCAL changed: a session value that was not set locally stays.
pub fn end_local(now: &mut Settings, before: &Settings) {
    if now.version() == before.version() {
        return;
    }
    for definition in DEFINITIONS {
        if now.source(definition) == Source::Override && before.source(definition) != Source::Override {
            now.reset(definition.name, before);
        }
    }
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

/// The setting of this name, if a session may change it.
pub fn changeable(name: &str) -> Result<&'static Definition> {
    let definition = find(name).ok_or_else(|| unknown(name))?;
    let name = definition.name;
    match definition.context {
        Context::Internal => Err(EngineError::new("55P02", format!("parameter \"{name}\" cannot be changed"))),
        Context::Restart => Err(EngineError::new(
            "55P02",
            format!("parameter \"{name}\" cannot be changed without restarting the server"),
        )),
        Context::Reload => Err(EngineError::new("55P02", format!("parameter \"{name}\" cannot be changed now"))),
        Context::Superuser | Context::User => Ok(definition),
    }
}

/// The words of a value as PostgreSQL joins them; `None` for DEFAULT.
fn value_text(values: &[AstExpr]) -> Result<Option<String>> {
    let mut parts = Vec::new();
    for value in values {
        parts.push(match value {
            AstExpr::Identifier(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("default") => {
                return Ok(None);
            }
            AstExpr::Identifier(word) => {
                if word.quote_style.is_some() {
                    format!("\"{}\"", word.value)
                } else {
                    word.value.clone()
                }
            }
            AstExpr::Value(value) => match &value.value {
                ast::Value::SingleQuotedString(s) | ast::Value::EscapedStringLiteral(s) => s.clone(),
                ast::Value::DollarQuotedString(s) => s.value.clone(),
                other => other.to_string(),
            },
            other => other.to_string(),
        });
    }
    Ok(Some(parts.join(", ")))
}

fn last_name(name: &ast::ObjectName) -> String {
    name.0.iter().filter_map(|p| p.as_ident()).map(ident).collect::<Vec<_>>().join(".")
}

pub async fn set(session: &mut Session, set: Set) -> Result<Reply> {
    match set {
        Set::SingleAssignment { scope, variable, values, .. } => {
            let local = matches!(scope, Some(ContextModifier::Local));
            assign(session, &last_name(&variable), value_text(&values)?, local)?;
        }
        Set::SetTimeZone { local, value } => assign(session, "TimeZone", value_text(&[value])?, local)?,
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
        Set::SetSessionParam(_) | Set::SetRole { .. } | Set::SetSessionAuthorization(_) => {
            return Err(EngineError::unsupported("SET ROLE and SET SESSION AUTHORIZATION"));
        }
        other => return Err(EngineError::unsupported(other.to_string())),
    }
    Ok(done("SET"))
}

/// Sets, or with `None` resets, a setting of the session.
pub fn assign(session: &mut Session, name: &str, value: Option<String>, local: bool) -> Result<()> {
    let definition = changeable(name)?;
    if local && !session.in_block() {
        session.notice("WARNING", EngineError::new("25P01", "SET LOCAL can only be used in transaction blocks"));
        // Its transaction is this statement: checked, and gone again.
        return value.map_or(Ok(()), |v| definition.parse(&v).map(drop));
    }
    if definition.name == "TimeZone"
        && let Some(zone) = &value
        && !matches!(zone.to_ascii_lowercase().as_str(), "utc" | "gmt" | "etc/utc" | "zulu" | "0")
    {
        return Err(EngineError::unsupported(format!("TimeZone \"{zone}\"")).hint("Times are shown in UTC."));
    }
    session.remember_settings();
    let initial = session.initial.clone();
    let mut settings = session.shared.settings.write();
    match value {
        None => settings.reset(definition.name, &initial),
        Some(value) => {
            settings.set(definition.name, &value, if local { Source::Override } else { Source::Session })?;
        }
    }
    if !session.in_block() {
        follow_defaults(&mut settings);
    }
    if definition.name == "application_name" {
        let name = settings.get("application_name").to_string();
        session.shared.backend.update(|s| s.application_name = name);
    }
    Ok(())
}

pub fn reset(session: &mut Session, reset: ResetStatement) -> Result<Reply> {
    match reset.reset {
        Reset::ALL => *session.shared.settings.write() = session.initial.clone(),
        Reset::ConfigurationParameter(name) => assign(session, &last_name(&name), None, false)?,
    }
    Ok(done("RESET"))
}

pub fn alter_system(session: &mut Session, name: Option<&str>, value: Option<&str>) -> Result<()> {
    if session.in_block() {
        return Err(EngineError::new("25001", "ALTER SYSTEM cannot run inside a transaction block"));
    }
    let Some(name) = name else {
        for definition in DEFINITIONS {
            session.db().alter_system(definition.name, None)?;
        }
        return Ok(());
    };
    let definition = find(name).ok_or_else(|| unknown(name))?;
    if definition.context == Context::Internal || definition.name == "data_directory" {
        return Err(EngineError::new("55P02", format!("parameter \"{}\" cannot be changed", definition.name)));
    }
    if let Some(value) = value {
        definition.parse(value)?;
    }
    session.db().alter_system(definition.name, value)
}

/// The setting that SHOW's words name.
fn show_name(variable: &[Ident]) -> Result<&'static Definition> {
    let words: Vec<String> = variable.iter().map(|i| i.value.to_lowercase()).collect();
    let name = match words.join(" ").as_str() {
        "time zone" => "TimeZone".to_string(),
        "transaction isolation level" => "transaction_isolation".to_string(),
        "session authorization" => "session_authorization".to_string(),
        _ => words.join("."),
    };
    find(&name).ok_or_else(|| unknown(&name))
}

fn is_all(variable: &[Ident]) -> bool {
    matches!(variable, [word] if word.value.eq_ignore_ascii_case("all"))
}

pub fn show_columns(variable: &[Ident]) -> Result<Vec<Column>> {
    if is_all(variable) {
        return Ok(["name", "setting", "description"].map(Column::text).to_vec());
    }
    Ok(vec![Column::text(show_name(variable)?.name)])
}

pub fn show(session: &mut Session, variable: Vec<Ident>) -> Result<Reply> {
    let columns = show_columns(&variable)?;
    let settings = session.shared.settings.read();
    let rows: Vec<Vec<String>> = if is_all(&variable) {
        let row = |d: &Definition| vec![d.name.into(), d.show(settings.get(d.name)), d.description.into()];
        DEFINITIONS.iter().map(row).collect()
    } else {
        let definition = show_name(&variable)?;
        vec![vec![definition.show(settings.get(definition.name))]]
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
    Reply::Rows(RowsReply { columns: columns.into(), batches, tag, counted: false })
}
