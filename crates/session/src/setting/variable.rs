//! SET, RESET, SHOW and ALTER SYSTEM: PostgreSQL's `guc_funcs.c`.

use config::{Context, Definition, all, find, unknown};
use engine::{EngineError, Result};
use error::sqlstate;
use syntax::Constant;
use syntax::nodes::{A_Const, AlterSystemStmt, Node, TypeCast, VariableSetKind, VariableSetStmt};
use types::acl::mode::ALTER_SYSTEM;
use types::quote::quote_identifier;

use crate::errors::reported;
use crate::plan_cache::Column;
use crate::portal::Portal;
use crate::session::{Reply, Session, Shared, done};
use crate::setting::guc;
use crate::transaction::modes::transaction_modes;

/// The values of a SET as one text (`flatten_set_variable_args`).
pub fn flatten(name: &str, values: &[Node]) -> Result<String> {
    let facts = find(name).map(Definition::facts);
    if values.len() > 1 && !facts.is_some_and(|facts| facts.list) {
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("SET {name} takes only one argument")));
    }
    let quoted = facts.is_some_and(|facts| facts.quoted_list);
    let word = |value: &Node| {
        let word = word(value)?;
        Ok(if quoted { quote_identifier(&word).into_owned() } else { word })
    };
    Ok(values.iter().map(word).collect::<Result<Vec<_>>>()?.join(", "))
}

/// A value of SET: a name, a constant, a signed number, an interval from Greenwich.
fn word(value: &Node) -> Result<String> {
    let constant = |constant: &A_Const| match &constant.val {
        Constant::Integer(number) => Ok(number.to_string()),
        Constant::Float(text) | Constant::String(text) => Ok(text.to_string()),
        Constant::Boolean(value) => Ok(value.to_string()),
        _ => Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, "a parameter cannot be set to this")),
    };
    match value {
        Node::A_Const(value) => constant(value),
        Node::TypeCast(cast) => interval_zone(cast),
        _ => Err(EngineError::new(sqlstate::INTERNAL_ERROR, "unrecognized node type in SET")),
    }
}

/// `SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE`.
fn interval_zone(cast: &TypeCast) -> Result<String> {
    let (Some(Node::A_Const(value)), Some(ty)) = (&cast.arg, &cast.type_name) else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "unrecognized node type in SET"));
    };
    let Constant::String(text) = &value.val else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "unrecognized node type in SET"));
    };
    // The mask of the fields that it has, without a precision.
    let typmod = match ty.typmods.first() {
        Some(Node::A_Const(mask)) => match mask.val {
            Constant::Integer(mask) => (mask << 16) | 0xffff,
            _ => -1,
        },
        _ => -1,
    };
    let offset = types::datetime::parse_interval(&types::Context::default(), text, typmod);
    let offset = offset.map_err(|error| reported(error, ""))?;
    let invalid = |what: &str| {
        EngineError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"TimeZone\": \"{text}\""),
        )
        .detail(format!("Cannot specify {what} in time zone interval."))
    };
    match (offset.months, offset.days) {
        (0, 0) => Ok(types::datetime::Zone::east((offset.micros / 1_000_000) as i32).name().to_string()),
        (0, _) => Err(invalid("days")),
        _ => Err(invalid("months")),
    }
}

/// SET and RESET.
pub fn set(session: &mut Session, statement: &VariableSetStmt) -> Result<Reply> {
    use VariableSetKind::*;
    let name = statement.name.as_deref().unwrap_or_default();
    match statement.kind {
        VAR_SET_VALUE => assign(session, name, Some(flatten(name, &statement.args)?), statement.is_local)?,
        VAR_SET_DEFAULT => assign(session, name, None, statement.is_local)?,
        VAR_SET_MULTI => set_multi(session, statement)?,
        VAR_RESET => {
            assign(session, name, None, false)?;
            return Ok(done("RESET"));
        }
        VAR_RESET_ALL => {
            reset_all(session);
            return Ok(done("RESET"));
        }
        // Within CREATE FUNCTION only.
        VAR_SET_CURRENT => return Err(EngineError::unsupported("SET … FROM CURRENT")),
    }
    Ok(done("SET"))
}

/// SET TRANSACTION and SET SESSION CHARACTERISTICS.
fn set_multi(session: &mut Session, statement: &VariableSetStmt) -> Result<()> {
    let name = statement.name.as_deref();
    let prefix = if name == Some("SESSION CHARACTERISTICS") { "default_" } else { "" };
    if prefix.is_empty() && !session.in_block() {
        let message = "SET TRANSACTION can only be used in transaction blocks";
        session.notice("WARNING", EngineError::new(sqlstate::NO_ACTIVE_SQL_TRANSACTION, message));
    }
    if name == Some("TRANSACTION SNAPSHOT") {
        if statement.is_local {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "SET LOCAL TRANSACTION SNAPSHOT is not implemented",
            ));
        }
        return import_snapshot(session, &flatten("TRANSACTION SNAPSHOT", &statement.args)?);
    }
    let modes = transaction_modes(&statement.args)?;
    for (name, value) in modes {
        assign(session, &format!("{prefix}{name}"), Some(value), false)?;
    }
    Ok(())
}

/// SET TRANSACTION SNAPSHOT (`ImportSnapshot`).
fn import_snapshot(session: &mut Session, name: &str) -> Result<()> {
    let guc::Stage { looked, in_subtransaction } = session.stage();
    if looked || in_subtransaction {
        return Err(EngineError::new(
            sqlstate::ACTIVE_SQL_TRANSACTION,
            "SET TRANSACTION SNAPSHOT must be called before any query",
        ));
    }
    session.choose_isolation();
    if !session.transaction().is_repeatable() {
        let message = "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ";
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    session.transaction().import_snapshot(name)
}

/// Sets, or with `None` resets, a setting of the session.
pub fn assign(session: &mut Session, name: &str, value: Option<String>, local: bool) -> Result<()> {
    if local && !session.in_block() {
        session.notice(
            "WARNING",
            EngineError::new(sqlstate::NO_ACTIVE_SQL_TRANSACTION, "SET LOCAL can only be used in transaction blocks"),
        );
    }
    match &value {
        Some(value) => guc::check_transaction_setting(&session.shared.settings.read(), name, value, session.stage())?,
        None if find(name).is_some_and(|d| d.facts().no_reset) => {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("parameter \"{name}\" cannot be reset"),
            ));
        }
        None => {}
    }
    session.remember_settings();
    let shared = session.shared.clone();
    let mut settings = shared.settings.write();
    guc::change(&shared, &mut settings, name, value.as_deref(), local)?;
    guc::follow_activity(&shared, &settings);
    Ok(())
}

pub fn reset_all(session: &mut Session) {
    session.remember_settings();
    let shared = &session.shared;
    let mut settings = shared.settings.write();
    settings.reset_all(&shared.initial.read());
    guc::follow_activity(shared, &settings);
}

/// `ALTER SYSTEM`.
pub fn alter_system(session: &mut Session, statement: &AlterSystemStmt) -> Result<Reply> {
    let Some(set) = &statement.setstmt else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "ALTER SYSTEM without SET"));
    };
    let name = set.name.as_deref();
    let value = match set.kind {
        VariableSetKind::VAR_SET_VALUE => Some(flatten(name.unwrap_or_default(), &set.args)?),
        _ => None,
    };
    session.refuse_in_block("ALTER SYSTEM")?;
    let refuse =
        |what: String| Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to {what}")));
    let superuser = session.shared.is_superuser();
    let may_alter = |name: &str| {
        let settings = session.shared.settings.read();
        guc::may_with_parameter(&session.shared, &settings, name, ALTER_SYSTEM)
    };
    let Some(name) = name.filter(|_| set.kind != VariableSetKind::VAR_RESET_ALL) else {
        if !superuser {
            return refuse("perform ALTER SYSTEM RESET ALL".into());
        }
        session.db().alter_system_reset_all()?;
        return Ok(done("ALTER SYSTEM"));
    };
    if !superuser && !may_alter(name) {
        return refuse(format!("set parameter \"{name}\""));
    }
    let Some(definition) = find(name) else {
        config::check_custom_name(name)?;
        session.db().alter_system(name, value.as_deref())?;
        return Ok(done("ALTER SYSTEM"));
    };
    if definition.context == Context::Internal || definition.name == "data_directory" || definition.facts().hidden {
        return Err(EngineError::new(
            sqlstate::CANT_CHANGE_RUNTIME_PARAM,
            format!("parameter \"{}\" cannot be changed", definition.name),
        ));
    }
    if let Some(value) = &value {
        definition.parse(value)?;
    }
    session.db().alter_system(definition.name, value.as_deref())?;
    Ok(done("ALTER SYSTEM"))
}

fn is_all(name: &str) -> bool {
    name.eq_ignore_ascii_case("all")
}

/// The columns of SHOW.
pub fn show_columns(shared: &Shared, name: &str) -> Result<Vec<Column>> {
    if is_all(name) {
        return Ok(["name", "setting", "description"].map(Column::text).to_vec());
    }
    let found = guc::look_up(shared, &shared.settings.read(), name)?;
    Ok(vec![Column::text(&found.ok_or_else(|| unknown(name))?.0)])
}

pub fn show(session: &Session, name: &str) -> Result<Reply> {
    let shared = &session.shared;
    let columns = show_columns(shared, name)?;
    let settings = shared.settings.read();
    let rows: Vec<Vec<Option<String>>> = if is_all(name) {
        let sees_all = guc::may_examine_all(shared, &settings);
        let shown = all().iter().filter(|d| !d.facts().hidden && d.may_examine(sees_all).is_ok());
        let row = |d: &Definition| vec![d.name.into(), d.show(settings.get(d.name)), d.description.into()];
        let custom = settings.customs().map(|c| vec![c.name.clone(), c.value.clone(), String::new()]);
        let mut rows: Vec<Vec<String>> = shown.map(row).chain(custom).collect();
        rows.sort_by_key(|row| row[0].to_ascii_lowercase());
        rows.into_iter().map(|row| row.into_iter().map(Some).collect()).collect()
    } else {
        let (_, value) = guc::look_up(shared, &settings, name)?.ok_or_else(|| unknown(name))?;
        vec![vec![Some(value)]]
    };
    Ok(Reply::Rows(Box::new(Portal::of_texts(columns, &rows, "SHOW")?)))
}
