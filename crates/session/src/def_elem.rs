//! Options as the grammar gives them (`name = value`): PostgreSQL's `defGetString` and its sisters in `define.c`.

use engine::{EngineError, Result};
use error::sqlstate;
use syntax::Constant;
use syntax::nodes::{DefElem, Node};

/// The name of an option.
pub fn name(option: &DefElem) -> &str {
    option.defname.as_deref().unwrap_or_default()
}

fn needs(option: &DefElem, what: &str) -> EngineError {
    EngineError::new(sqlstate::SYNTAX_ERROR, format!("{} requires {what}", name(option)))
}

/// The value as text, however it is written; `None`: there is none.
pub fn text(option: &DefElem) -> Result<Option<String>> {
    let Some(value) = &option.arg else { return Ok(None) };
    let text = match value {
        Node::Integer(number) => number.to_string(),
        Node::Float(text) | Node::String(text) | Node::BitString(text) => text.to_string(),
        Node::Boolean(value) => value.to_string(),
        Node::A_Const(constant) => match &constant.val {
            Constant::Null => return Ok(None),
            Constant::Integer(number) => number.to_string(),
            Constant::Float(text) | Constant::String(text) | Constant::BitString(text) => text.to_string(),
            Constant::Boolean(value) => value.to_string(),
        },
        Node::A_Star(_) => "*".into(),
        Node::List(names) => list_of_names(names),
        Node::TypeName(ty) => list_of_names(&ty.names),
        _ => return Err(needs(option, "a parameter")),
    };
    Ok(Some(text))
}

fn list_of_names(names: &[Node]) -> String {
    let parts = names.iter().map(|name| match name {
        Node::String(part) => &**part,
        _ => "",
    });
    parts.collect::<Vec<_>>().join(".")
}

/// The value as text, which there must be (`defGetString`).
pub fn string(option: &DefElem) -> Result<String> {
    text(option)?.ok_or_else(|| needs(option, "a parameter"))
}

/// The value as a switch; none is on (`defGetBoolean`).
pub fn boolean(option: &DefElem) -> Result<bool> {
    let Some(text) = text(option)? else { return Ok(true) };
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" => Ok(true),
        "0" | "false" | "off" => Ok(false),
        _ => Err(needs(option, "a Boolean value")),
    }
}

/// The value as an integer (`defGetInt64`).
pub fn integer(option: &DefElem) -> Result<i64> {
    let text = text(option)?.ok_or_else(|| needs(option, "a numeric value"))?;
    let failed = || match text.parse::<f64>() {
        Ok(_) => EngineError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type bigint"),
        ),
        Err(_) => needs(option, "a numeric value"),
    };
    text.parse().map_err(|_| failed())
}

/// The value as an integer of 32 bits (`defGetInt32`).
pub fn int32(option: &DefElem) -> Result<i32> {
    match &option.arg {
        Some(Node::Integer(number)) => Ok(*number),
        _ => Err(needs(option, "an integer value")),
    }
}

/// Is it a switch that is off?
pub fn is_off(option: &DefElem) -> Result<bool> {
    Ok(!boolean(option)?)
}
