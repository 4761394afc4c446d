//! `regclass`, `regtype` and their like: oids that are read and written as the names of objects. [`crate::names::Names`]
//! knows them.

use std::io::Write;

use error::sqlstate;

use crate::base_type::{BaseType, fixed, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::names::Named;
use crate::object_id::parse_u32;
use crate::oid::{self, Oid};
use crate::quote::{is_space, qualified_name, quote_identifier};
use crate::sql::*;

/// PostgreSQL's `FUNC_MAX_ARGS`.
const MOST_ARGUMENTS: usize = 100;

/// What a text of a type means, and what text an object has; `None`: there is no such object.
struct RegType {
    find: fn(&Context, &str) -> Result<Oid>,
    name: fn(&Context, Oid) -> Option<String>,
    /// How no object is written, and also read but for `0`.
    none: &'static str,
}

macro_rules! types {
    ($($oid:ident $reg:ident;)*) => {
        &[$(BaseType {
            oid: oid::$oid,
            input: |context, text, _| Ok(Datum::U32(read(context, &$reg, text)?)),
            output: |context, array, index, out| {
                match value::<oid_>(array, index) {
                    oid::INVALID => out.extend($reg.none.as_bytes()),
                    object => match ($reg.name)(context, object) {
                        Some(name) => out.extend(name.as_bytes()),
                        None => write!(out, "{object}").expect("a vector takes it"),
                    },
                }
                Ok(())
            },
            receive: |_, bytes, _| Ok(Datum::U32(u32::from_be_bytes(fixed(bytes)?))),
            send: |_, array, index, out| {
                out.extend(value::<oid_>(array, index).to_be_bytes());
                Ok(())
            },
        }),*]
    };
}

pub const TYPES: &[BaseType] = types! {
    REGPROC PROC;
    REGPROCEDURE PROCEDURE;
    REGOPER OPER;
    REGOPERATOR OPERATOR;
    REGCLASS CLASS;
    REGTYPE TYPE;
    REGNAMESPACE NAMESPACE;
    REGROLE ROLE;
    REGCOLLATION COLLATION;
};

pub const FUNCTIONS: &[Function] = functions! {
    regclass[context](text) -> regclass = relation;
    to_regproc[context](text) -> Option<regproc> = |c, a| known(c, &PROC, a);
    to_regprocedure[context](text) -> Option<regprocedure> = |c, a| known(c, &PROCEDURE, a);
    to_regoper[context](text) -> Option<regoper> = |c, a| known(c, &OPER, a);
    to_regoperator[context](text) -> Option<regoperator> = |c, a| known(c, &OPERATOR, a);
    to_regclass[context](text) -> Option<regclass> = |c, a| known(c, &CLASS, a);
    to_regtype[context](text) -> Option<regtype> = |c, a| soft_type(read(c, &TYPE, a));
    to_regtypemod[context](text) -> Option<int4> =
        |c: &Context, a: &str| soft_type(c.names.parse_type(a).map(|(_, typmod)| typmod));
    to_regnamespace[context](text) -> Option<regnamespace> = |c, a| known(c, &NAMESPACE, a);
    to_regrole[context](text) -> Option<regrole> = |c, a| known(c, &ROLE, a);
    to_regcollation[context](text) -> Option<regcollation> = |c, a| known(c, &COLLATION, a);
};

static PROC: RegType = RegType { find: function, name: |c, o| c.names.name_of(Named::Function, o), none: "-" };

static PROCEDURE: RegType = RegType {
    find: |context, text| {
        let (name, arguments) = name_and_types(context, text, false)?;
        let found = context.names.function(&name, &arguments)?;
        found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_FUNCTION, format!("function \"{text}\" does not exist")))
    },
    name: |c, o| c.names.signature(Named::Function, o),
    none: "-",
};

static OPER: RegType = RegType { find: operator, name: |c, o| c.names.name_of(Named::Operator, o), none: "0" };

static OPERATOR: RegType = RegType {
    find: |context, text| {
        let (name, types) = name_and_types(context, text, true)?;
        let (left, right) = match types[..] {
            [_] => {
                return Err(Error::new(sqlstate::UNDEFINED_PARAMETER, "missing argument")
                    .hint("Use NONE to denote the missing argument of a unary operator."));
            }
            [left, right] => (left, right),
            _ => {
                return Err(Error::new(sqlstate::TOO_MANY_ARGUMENTS, "too many arguments")
                    .hint("Provide two argument types for operator."));
            }
        };
        let found = context.names.operator(&name, left, right)?;
        found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_FUNCTION, format!("operator does not exist: {text}")))
    },
    name: |c, o| c.names.signature(Named::Operator, o),
    none: "0",
};

static CLASS: RegType = RegType { find: relation, name: |c, o| c.names.name_of(Named::Relation, o), none: "-" };

static TYPE: RegType =
    RegType { find: |c, text| Ok(c.names.parse_type(text)?.0), name: |c, o| c.names.type_name(o, None), none: "-" };

static NAMESPACE: RegType = RegType {
    find: |context, text| {
        let name = one_part(text)?;
        let found = context.names.namespace(&name);
        found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist")))
    },
    name: |c, o| Some(quote_identifier(&c.names.namespace_name(o)?).into_owned()),
    none: "-",
};

static ROLE: RegType = RegType {
    find: |context, text| role(context, &one_part(text)?),
    name: |c, o| Some(quote_identifier(&c.names.role_name(o)?).into_owned()),
    none: "-",
};

static COLLATION: RegType = RegType {
    find: |context, text| {
        let name = qualified_name(text)?;
        let found = context.names.find(Named::Collation, &name)?.first().copied();
        let missing = || {
            Error::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("collation \"{}\" for encoding \"UTF8\" does not exist", name.join(".")),
            )
        };
        found.ok_or_else(missing)
    },
    name: |c, o| c.names.name_of(Named::Collation, o),
    none: "-",
};

fn read(context: &Context, reg: &RegType, text: &str) -> Result<Oid> {
    if text == "-" && reg.none == "-" {
        return Ok(oid::INVALID);
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return parse_u32(text, "oid");
    }
    (reg.find)(context, text)
}

/// What `to_reg…` gives: NULL where reading the text fails because of the text.
fn known(context: &Context, reg: &RegType, text: &str) -> Result<Option<Oid>> {
    soft(read(context, reg, text))
}

/// The faults of a text are no errors; those of the server and of the syntax are, and that a schema may not be used.
fn soft<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error)
            if error.0.code.starts_with("XX")
                || matches!(
                    error.0.code,
                    sqlstate::SYNTAX_ERROR
                        | sqlstate::FEATURE_NOT_SUPPORTED
                        | sqlstate::QUERY_CANCELED
                        | sqlstate::INSUFFICIENT_PRIVILEGE
                ) =>
        {
            Err(error)
        }
        Err(_) => Ok(None),
    }
}

/// The same of a type's text.
fn soft_type<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if names_no_type(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Errors are all but that a text is no type's name, or that there is no such type.
fn names_no_type(error: &Error) -> bool {
    match error.0.code {
        sqlstate::UNDEFINED_OBJECT | sqlstate::UNDEFINED_SCHEMA | sqlstate::NUMERIC_VALUE_OUT_OF_RANGE => true,
        sqlstate::SYNTAX_ERROR => error.0.message.starts_with("invalid type name"),
        _ => false,
    }
}

/// Where a text is read as a value of a type: is what is wrong an error all the same, and no fault of the text? Names are read
/// by the grammar, whose errors are; so is that a schema may not be used.
pub(crate) fn is_error(ty: Oid, error: &Error) -> bool {
    match crate::array::element_type(ty).unwrap_or(ty) {
        oid::REGTYPE => !names_no_type(error),
        ty => {
            TYPES.iter().any(|reg| reg.oid == ty)
                && matches!(
                    error.0.code,
                    sqlstate::SYNTAX_ERROR | sqlstate::INVALID_PARAMETER_VALUE | sqlstate::INSUFFICIENT_PRIVILEGE
                )
        }
    }
}

/// The same fault where it is told of a value and not raised: a type in a schema that is not there is a type that is not there.
pub(crate) fn softly(ty: Oid, text: &str, error: Error) -> Error {
    if crate::array::element_type(ty).unwrap_or(ty) != oid::REGTYPE || error.0.code != sqlstate::UNDEFINED_SCHEMA {
        return error;
    }
    let name = qualified_name(text).map_or_else(|_| text.to_string(), |parts| parts.join("."));
    Error::new(sqlstate::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))
}

/// A relation by its name. Fails with 42P01 where there is none.
pub fn relation(context: &Context, text: &str) -> Result<Oid> {
    let name = qualified_name(text)?;
    let found = context.names.find(Named::Relation, &name)?.first().copied();
    found
        .ok_or_else(|| Error::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{}\" does not exist", name.join("."))))
}

/// A role by its name. Fails with 42704 where there is none.
pub fn role(context: &Context, name: &str) -> Result<Oid> {
    let found = context.names.role(name);
    found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist")))
}

/// A function by its name and the types of its arguments, as `regprocedure` reads it.
pub fn procedure(context: &Context, text: &str) -> Result<Oid> {
    read(context, &PROCEDURE, text)
}

fn function(context: &Context, text: &str) -> Result<Oid> {
    match context.names.find(Named::Function, &qualified_name(text)?)?[..] {
        [] => Err(Error::new(sqlstate::UNDEFINED_FUNCTION, format!("function \"{text}\" does not exist"))),
        [one] => Ok(one),
        _ => Err(Error::new(sqlstate::AMBIGUOUS_FUNCTION, format!("more than one function named \"{text}\""))),
    }
}

fn operator(context: &Context, text: &str) -> Result<Oid> {
    match context.names.find(Named::Operator, &qualified_name(text)?)?[..] {
        [] => Err(Error::new(sqlstate::UNDEFINED_FUNCTION, format!("operator does not exist: {text}"))),
        [one] => Ok(one),
        _ => Err(Error::new(sqlstate::AMBIGUOUS_FUNCTION, format!("more than one operator named {text}"))),
    }
}

fn one_part(text: &str) -> Result<String> {
    match <[String; 1]>::try_from(qualified_name(text)?) {
        Ok([part]) => Ok(part),
        Err(_) => Err(Error::new(sqlstate::INVALID_NAME, "invalid name syntax")),
    }
}

/// `name(type, type)`: the name's parts and the types; `none` may stand for one that is missing (`parseNameAndArgTypes`).
fn name_and_types(context: &Context, text: &str, allow_none: bool) -> Result<(Vec<String>, Vec<Oid>)> {
    let invalid = |message: &str| Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message);
    let mut quoted = false;
    let open = text.find(|c| {
        quoted ^= c == '"';
        c == '(' && !quoted
    });
    let (name, rest) = text.split_at(open.ok_or_else(|| invalid("expected a left parenthesis"))?);
    let name = qualified_name(name)?;
    let rest = rest[1..].trim_end_matches(is_space);
    let types = rest.strip_suffix(')').ok_or_else(|| invalid("expected a right parenthesis"))?;
    let mut oids = Vec::new();
    let mut rest = types.trim_start_matches(is_space);
    let mut more = !rest.is_empty();
    while more {
        if rest.is_empty() {
            return Err(invalid("expected a type name"));
        }
        let (mut quoted, mut depth) = (false, 0);
        let end = rest.find(|c| {
            quoted ^= c == '"';
            if !quoted {
                depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
            }
            c == ',' && !quoted && depth == 0
        });
        if quoted || depth != 0 {
            return Err(invalid("improper type name"));
        }
        let one = rest[..end.unwrap_or(rest.len())].trim_end_matches(is_space);
        if oids.len() == MOST_ARGUMENTS {
            return Err(Error::new(sqlstate::TOO_MANY_ARGUMENTS, "too many arguments"));
        }
        oids.push(match allow_none && one.eq_ignore_ascii_case("none") {
            true => oid::INVALID,
            false => context.names.parse_type(one)?.0,
        });
        more = end.is_some();
        rest = end.map_or("", |end| rest[end + 1..].trim_start_matches(is_space));
    }
    Ok((name, oids))
}
