//! `has_table_privilege` and its sisters (PostgreSQL's `acl.c`): which role may do what, as the catalog knows it.

use error::sqlstate;

use crate::acl::{grant_options, mode::*};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::names::{AclMode, Securable};
use crate::oid::{self, Oid};
use crate::quote::{is_space, qualified_name};
use crate::reg;
use crate::sql::*;

/// What may be granted on an object of a kind.
fn privileges(kind: Securable) -> &'static [(&'static str, AclMode)] {
    match kind {
        Securable::Table => &[
            ("SELECT", SELECT),
            ("INSERT", INSERT),
            ("UPDATE", UPDATE),
            ("DELETE", DELETE),
            ("TRUNCATE", TRUNCATE),
            ("REFERENCES", REFERENCES),
            ("TRIGGER", TRIGGER),
            ("MAINTAIN", MAINTAIN),
        ],
        Securable::Column => &[("SELECT", SELECT), ("INSERT", INSERT), ("UPDATE", UPDATE), ("REFERENCES", REFERENCES)],
        Securable::Sequence => &[("USAGE", USAGE), ("SELECT", SELECT), ("UPDATE", UPDATE)],
        Securable::Database => {
            &[("CREATE", CREATE), ("TEMPORARY", TEMPORARY), ("TEMP", TEMPORARY), ("CONNECT", CONNECT)]
        }
        Securable::Function => &[("EXECUTE", EXECUTE)],
        Securable::Schema => &[("CREATE", CREATE), ("USAGE", USAGE)],
        Securable::Tablespace => &[("CREATE", CREATE)],
        Securable::Language | Securable::Type | Securable::ForeignDataWrapper | Securable::ForeignServer => {
            &[("USAGE", USAGE)]
        }
        Securable::LargeObject => &[("SELECT", SELECT), ("UPDATE", UPDATE)],
        Securable::Parameter => &[("SET", SET), ("ALTER SYSTEM", ALTER_SYSTEM)],
    }
}

/// A list of privileges, of which any will do.
fn modes(list: &str, mode: impl Fn(&str) -> Option<AclMode>) -> Result<AclMode> {
    let mut all = 0;
    for one in list.split(',') {
        let one = one.trim_matches(is_space);
        let unknown =
            || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unrecognized privilege type: \"{one}\""));
        all |= mode(&one.to_ascii_uppercase()).ok_or_else(unknown)?;
    }
    Ok(all)
}

fn modes_on(kind: Securable, list: &str) -> Result<AclMode> {
    let plain = |word: &str| privileges(kind).iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode);
    modes(list, |word| match word.strip_suffix(" WITH GRANT OPTION") {
        Some(word) => plain(word).map(grant_options),
        None => plain(word),
    })
}

fn modes_of_role(list: &str) -> Result<AclMode> {
    modes(list, |word| {
        let admin = word.strip_suffix(" WITH GRANT OPTION").or_else(|| word.strip_suffix(" WITH ADMIN OPTION"));
        let mode = match admin.unwrap_or(word) {
            "USAGE" => USAGE,
            "MEMBER" => CREATE,
            "SET" => SET,
            _ => return None,
        };
        Some(if admin.is_some() { grant_options(CREATE) } else { mode })
    })
}

/// A role or an object, as a caller names it.
#[derive(Clone, Copy)]
enum Given<'a> {
    Current,
    Name(&'a str),
    Oid(Oid),
}

impl From<u32> for Given<'_> {
    fn from(oid: u32) -> Self {
        Given::Oid(oid)
    }
}

impl<'a> From<&'a str> for Given<'a> {
    fn from(name: &'a str) -> Self {
        Given::Name(name)
    }
}

fn role(context: &Context, given: Given<'_>, or_public: bool) -> Result<Oid> {
    match given {
        Given::Current => context.session.current_role(),
        Given::Name("public") if or_public => Ok(oid::INVALID),
        Given::Name(name) => reg::role(context, name),
        Given::Oid(oid) => Ok(oid),
    }
}

fn object(context: &Context, kind: Securable, given: Given<'_>) -> Result<Oid> {
    let name = match given {
        Given::Oid(oid) => return Ok(oid),
        Given::Name(name) => name,
        Given::Current => unreachable!("an object is given"),
    };
    let (code, title) = match kind {
        Securable::Table | Securable::Column | Securable::Sequence => return relation(context, name),
        Securable::Function => return reg::procedure(context, name),
        Securable::Type => return Ok(context.names.parse_type(name)?.0),
        Securable::Schema => {
            let missing = || Error::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist"));
            return context.names.namespace(name).ok_or_else(missing);
        }
        Securable::Database => (sqlstate::UNDEFINED_DATABASE, "database"),
        Securable::Language => (sqlstate::UNDEFINED_OBJECT, "language"),
        Securable::Tablespace => (sqlstate::UNDEFINED_OBJECT, "tablespace"),
        Securable::ForeignDataWrapper => (sqlstate::UNDEFINED_OBJECT, "foreign-data wrapper"),
        Securable::ForeignServer => (sqlstate::UNDEFINED_OBJECT, "server"),
        Securable::LargeObject | Securable::Parameter => unreachable!("no function asks for it by a name"),
    };
    let missing = || Error::new(code, format!("{title} \"{name}\" does not exist"));
    context.names.securable(kind, name).ok_or_else(missing)
}

/// A relation, whose schema has to exist if it is named.
fn relation(context: &Context, text: &str) -> Result<Oid> {
    if let [.., schema, _] = &qualified_name(text)?[..]
        && context.names.namespace(schema).is_none()
    {
        return Err(Error::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{schema}\" does not exist")));
    }
    reg::relation(context, text)
}

/// A column that a caller names. 0 is none.
#[derive(Clone, Copy)]
enum Column<'a> {
    /// The object, or any of its columns.
    Any,
    Number(i16),
    Name(&'a str),
}

impl From<i16> for Column<'_> {
    fn from(number: i16) -> Self {
        Column::Number(number)
    }
}

impl<'a> From<&'a str> for Column<'a> {
    fn from(name: &'a str) -> Self {
        Column::Name(name)
    }
}

/// NULL where an object that is given by its oid does not exist.
fn has<'a>(
    context: &Context,
    who: impl Into<Given<'a>>,
    kind: Securable,
    what: impl Into<Given<'a>>,
    column: Column<'_>,
    list: &str,
) -> Result<Option<bool>> {
    let role = role(context, who.into(), true)?;
    let what = what.into();
    let object = object(context, kind, what)?;
    if kind == Securable::Sequence {
        let title = || match what {
            Given::Name(name) => name.to_string(),
            _ => context.names.name_of(crate::names::Named::Relation, object).unwrap_or_default(),
        };
        match context.names.relation_kind(object) {
            Some(b'S') => {}
            None => return Ok(None),
            Some(_) => {
                return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is not a sequence", title())));
            }
        }
    }
    let column = match column {
        Column::Any => 0,
        Column::Number(number) => number,
        Column::Name(name) => context.names.column(object, name)?,
    };
    let any = modes_on(kind, list)?;
    Ok(context.names.has_privilege(role, kind, object, column, any))
}

/// The functions of a kind of objects: of a role or the current one, by names or by oids.
macro_rules! of_kinds {
    ($($name:ident $kind:ident;)*) => {
        &[$(functions! {
            $name[context](name, text, text) -> Option<boolean> =
                |c, who: &str, what: &str, p| has(c, who, Securable::$kind, what, Column::Any, p);
            $name[context](name, oid_, text) -> Option<boolean> =
                |c, who: &str, what: u32, p| has(c, who, Securable::$kind, what, Column::Any, p);
            $name[context](oid_, text, text) -> Option<boolean> =
                |c, who: u32, what: &str, p| has(c, who, Securable::$kind, what, Column::Any, p);
            $name[context](oid_, oid_, text) -> Option<boolean> =
                |c, who: u32, what: u32, p| has(c, who, Securable::$kind, what, Column::Any, p);
            $name[context](text, text) -> Option<boolean> =
                |c, what: &str, p| has(c, Given::Current, Securable::$kind, what, Column::Any, p);
            $name[context](oid_, text) -> Option<boolean> =
                |c, what: u32, p| has(c, Given::Current, Securable::$kind, what, Column::Any, p);
        }),*]
    };
}

pub const FUNCTIONS: &[&[Function]] = of_kinds! {
    has_table_privilege Table;
    has_any_column_privilege Column;
    has_sequence_privilege Sequence;
    has_database_privilege Database;
    has_function_privilege Function;
    has_language_privilege Language;
    has_schema_privilege Schema;
    has_tablespace_privilege Tablespace;
    has_type_privilege Type;
    has_foreign_data_wrapper_privilege ForeignDataWrapper;
    has_server_privilege ForeignServer;
};

/// A privilege on one column.
fn on_column<'a>(
    context: &Context,
    who: impl Into<Given<'a>>,
    table: impl Into<Given<'a>>,
    column: impl Into<Column<'a>>,
    list: &str,
) -> Result<Option<bool>> {
    has(context, who, Securable::Column, table, column.into(), list)
}

/// A privilege on a parameter, whether there is one of the name or not. What nothing was granted on is superusers' alone.
fn on_parameter<'a>(context: &Context, who: impl Into<Given<'a>>, parameter: &str, list: &str) -> Result<bool> {
    let role = role(context, who.into(), true)?;
    let any = modes_on(Securable::Parameter, list)?;
    let parameter = context.names.securable(Securable::Parameter, parameter).unwrap_or(oid::INVALID);
    Ok(context.names.has_privilege(role, Securable::Parameter, parameter, 0, any).unwrap_or(false))
}

/// Whether a role is a member of another one.
fn member<'a>(context: &Context, who: impl Into<Given<'a>>, of: impl Into<Given<'a>>, list: &str) -> Result<bool> {
    let (member, of) = (role(context, who.into(), false)?, role(context, of.into(), false)?);
    Ok(context.names.has_role(member, of, modes_of_role(list)?))
}

pub const OF_COLUMNS_AND_ROLES: &[Function] = functions! {
    has_column_privilege[context](name, text, text, text) -> Option<boolean> =
        |c, who: &str, table: &str, column: &str, p| on_column(c, who, table, column, p);
    has_column_privilege[context](name, text, int2, text) -> Option<boolean> =
        |c, who: &str, table: &str, column: i16, p| on_column(c, who, table, column, p);
    has_column_privilege[context](name, oid_, text, text) -> Option<boolean> =
        |c, who: &str, table: u32, column: &str, p| on_column(c, who, table, column, p);
    has_column_privilege[context](name, oid_, int2, text) -> Option<boolean> =
        |c, who: &str, table: u32, column: i16, p| on_column(c, who, table, column, p);
    has_column_privilege[context](oid_, text, text, text) -> Option<boolean> =
        |c, who: u32, table: &str, column: &str, p| on_column(c, who, table, column, p);
    has_column_privilege[context](oid_, text, int2, text) -> Option<boolean> =
        |c, who: u32, table: &str, column: i16, p| on_column(c, who, table, column, p);
    has_column_privilege[context](oid_, oid_, text, text) -> Option<boolean> =
        |c, who: u32, table: u32, column: &str, p| on_column(c, who, table, column, p);
    has_column_privilege[context](oid_, oid_, int2, text) -> Option<boolean> =
        |c, who: u32, table: u32, column: i16, p| on_column(c, who, table, column, p);
    has_column_privilege[context](text, text, text) -> Option<boolean> =
        |c, table: &str, column: &str, p| on_column(c, Given::Current, table, column, p);
    has_column_privilege[context](text, int2, text) -> Option<boolean> =
        |c, table: &str, column: i16, p| on_column(c, Given::Current, table, column, p);
    has_column_privilege[context](oid_, text, text) -> Option<boolean> =
        |c, table: u32, column: &str, p| on_column(c, Given::Current, table, column, p);
    has_column_privilege[context](oid_, int2, text) -> Option<boolean> =
        |c, table: u32, column: i16, p| on_column(c, Given::Current, table, column, p);
    has_parameter_privilege[context](name, text, text) -> boolean =
        |c, who: &str, parameter: &str, p| on_parameter(c, who, parameter, p);
    has_parameter_privilege[context](oid_, text, text) -> boolean =
        |c, who: u32, parameter: &str, p| on_parameter(c, who, parameter, p);
    has_parameter_privilege[context](text, text) -> boolean =
        |c, parameter: &str, p| on_parameter(c, Given::Current, parameter, p);
    pg_has_role[context](name, name, text) -> boolean = |c, who: &str, of: &str, p| member(c, who, of, p);
    pg_has_role[context](name, oid_, text) -> boolean = |c, who: &str, of: u32, p| member(c, who, of, p);
    pg_has_role[context](oid_, name, text) -> boolean = |c, who: u32, of: &str, p| member(c, who, of, p);
    pg_has_role[context](oid_, oid_, text) -> boolean = |c, who: u32, of: u32, p| member(c, who, of, p);
    pg_has_role[context](name, text) -> boolean = |c, of: &str, p| member(c, Given::Current, of, p);
    pg_has_role[context](oid_, text) -> boolean = |c, of: u32, p| member(c, Given::Current, of, p);
};
