//! Functions' definitions as SQL: `pg_get_functiondef`, and what `\df` shows of arguments and results (`ruleutils.c`).

use std::fmt::Write;

use catalog::catalogs::PgProc;
use catalog::{Catalog, quote_identifier};
use error::sqlstate;
use types::names::Definition;
use types::quote::quote_literal;
use types::{Error, Oid, Result};

/// The languages of functions that are the server's own or in a library; calls of theirs cost less.
const INTERNAL: Oid = 12;
const C: Oid = 13;

/// What is asked about a function; `None`: there is no such function, or it has none.
pub fn function_definition(catalog: Catalog<'_>, what: Definition<'_>) -> Result<Option<String>> {
    let (Definition::Function { function }
    | Definition::FunctionArguments { function }
    | Definition::FunctionIdentityArguments { function }
    | Definition::FunctionResult { function }
    | Definition::FunctionArgumentDefault { function, .. }
    | Definition::FunctionBody { function }) = what
    else {
        return Ok(None);
    };
    let Some(row) = catalog.function(function) else { return Ok(None) };
    Ok(match what {
        Definition::Function { .. } => Some(create_function(catalog, row)?),
        Definition::FunctionArguments { .. } => Some(arguments(catalog, row, true)),
        Definition::FunctionIdentityArguments { .. } => Some(arguments(catalog, row, false)),
        Definition::FunctionResult { .. } => (row.prokind != b'p').then(|| result(catalog, row)),
        Definition::FunctionArgumentDefault { argument, .. } => argument_default(row, argument),
        _ => row.prosqlbody.as_ref().map(|body| body.to_string()),
    })
}

/// An argument, or a column of the result.
struct Argument<'a> {
    name: &'a str,
    ty: Oid,
    mode: u8,
    default: Option<&'a str>,
}

impl Argument<'_> {
    fn is_input(&self) -> bool {
        matches!(self.mode, b'i' | b'b' | b'v')
    }

    fn text(&self, catalog: Catalog<'_>, with_default: bool) -> String {
        let mode = match self.mode {
            b'o' => "OUT ",
            b'b' => "INOUT ",
            b'v' => "VARIADIC ",
            _ => "",
        };
        let mut text = mode.to_string();
        if !self.name.is_empty() {
            text += &format!("{} ", quote_identifier(self.name));
        }
        text += &catalog.format_type(self.ty);
        if let Some(default) = self.default.filter(|_| with_default) {
            text += &format!(" DEFAULT {default}");
        }
        text
    }
}

/// All that the declaration has, in its order.
fn all_arguments(row: &PgProc) -> Vec<Argument<'_>> {
    let types = row.proallargtypes.as_ref().unwrap_or(&row.proargtypes);
    let name = |number: usize| row.proargnames.as_ref().and_then(|names| names.get(number)).map_or("", |name| name);
    let mode = |number: usize| row.proargmodes.as_ref().and_then(|modes| modes.get(number).copied()).unwrap_or(b'i');
    let argument = |(number, &ty)| Argument { name: name(number), ty, mode: mode(number), default: None };
    let mut all: Vec<_> = types.iter().enumerate().map(argument).collect();
    // The last ones of those that are given have them.
    let defaults = row.proargdefaults.as_ref().map_or(&[][..], |defaults| &defaults.0);
    let inputs = all.iter_mut().filter(|argument| argument.is_input()).rev();
    for (argument, default) in inputs.zip(defaults.iter().rev()) {
        argument.default = Some(&**default);
    }
    all
}

/// `print_function_arguments`.
fn arguments(catalog: Catalog<'_>, row: &PgProc, with_defaults: bool) -> String {
    let all = all_arguments(row);
    let texts: Vec<String> = all
        .iter()
        .filter(|argument| argument.mode != b't')
        .map(|argument| argument.text(catalog, with_defaults))
        .collect();
    let ordered_set = catalog.aggregate(row.oid).filter(|aggregate| aggregate.aggkind != b'n');
    let Some(direct) = ordered_set.map(|aggregate| aggregate.aggnumdirectargs as usize) else {
        return texts.join(", ");
    };
    let (before, after) = texts.split_at(direct.min(texts.len()));
    // One VARIADIC argument stands for both lists.
    let after = if after.is_empty() { &before[before.len().saturating_sub(1)..] } else { after };
    let space = if before.is_empty() { "" } else { " " };
    format!("{}{space}ORDER BY {}", before.join(", "), after.join(", "))
}

/// `print_function_rettype`.
fn result(catalog: Catalog<'_>, row: &PgProc) -> String {
    let all = all_arguments(row);
    let columns: Vec<String> =
        all.iter().filter(|argument| argument.mode == b't').map(|column| column.text(catalog, false)).collect();
    match (row.proretset, columns.is_empty()) {
        (true, false) => format!("TABLE({})", columns.join(", ")),
        (true, true) => format!("SETOF {}", catalog.format_type(row.prorettype)),
        (false, _) => catalog.format_type(row.prorettype),
    }
}

/// The default of the argument of a number, from 1, if it is one that is given.
fn argument_default(row: &PgProc, number: i32) -> Option<String> {
    let place = usize::try_from(number).ok()?.checked_sub(1)?;
    let all = all_arguments(row);
    let argument = all.get(place).filter(|argument| argument.is_input())?;
    argument.default.map(str::to_string)
}

/// `CREATE OR REPLACE FUNCTION …`
fn create_function(catalog: Catalog<'_>, row: &PgProc) -> Result<String> {
    if row.prokind == b'a' {
        return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is an aggregate function", row.proname)));
    }
    let kind = if row.prokind == b'p' { "PROCEDURE" } else { "FUNCTION" };
    let schema = catalog.namespace(row.pronamespace).map_or("", |schema| &*schema.nspname);
    let (schema, name) = (quote_identifier(schema), quote_identifier(&row.proname));
    let mut text = format!("CREATE OR REPLACE {kind} {schema}.{name}({})\n", arguments(catalog, row, true));
    if row.prokind != b'p' {
        text += &format!(" RETURNS {}\n", result(catalog, row));
    }
    let language = catalog.language(row.prolang).map_or("", |language| &*language.lanname);
    text += &format!(" LANGUAGE {}\n", quote_identifier(language));
    let properties = properties(row);
    if !properties.is_empty() {
        text += &format!("{properties}\n");
    }
    for setting in row.proconfig.iter().flatten() {
        if let Some((name, value)) = setting.split_once('=') {
            text += &format!(" SET {} TO {}\n", quote_identifier(name), quote_literal(value));
        }
    }
    match &row.prosqlbody {
        Some(body) => text += body,
        None => text += &source(row),
    }
    text.push('\n');
    Ok(text)
}

/// What is not as it is by default.
fn properties(row: &PgProc) -> String {
    let mut text = String::new();
    let mut add = |holds: bool, word: &str| {
        if holds {
            text.push_str(word);
        }
    };
    add(row.prokind == b'w', " WINDOW");
    add(row.provolatile == b'i', " IMMUTABLE");
    add(row.provolatile == b's', " STABLE");
    add(row.proparallel == b's', " PARALLEL SAFE");
    add(row.proparallel == b'r', " PARALLEL RESTRICTED");
    add(row.proisstrict, " STRICT");
    add(row.prosecdef, " SECURITY DEFINER");
    add(row.proleakproof, " LEAKPROOF");
    let cost = if matches!(row.prolang, INTERNAL | C) { 1.0 } else { 100.0 };
    add(row.procost != cost, &format!(" COST {}", row.procost));
    add(row.prorows > 0.0 && row.prorows != 1000.0, &format!(" ROWS {}", row.prorows));
    if let Some(support) = Catalog::BUILT_IN.function(row.prosupport) {
        let _ = write!(text, " SUPPORT {}", quote_identifier(&support.proname));
    }
    text
}

/// The source between dollars that it does not have.
fn source(row: &PgProc) -> String {
    let mut tag = if row.prokind == b'p' { "$procedure".to_string() } else { "$function".to_string() };
    while row.prosrc.contains(&tag) {
        tag.push('x');
    }
    let library = row.probin.as_ref().map(|library| format!("{}, ", quote_literal(library)));
    match library {
        Some(library) => format!("AS {library}{}", quote_literal(&row.prosrc)),
        None => format!("AS {tag}${}{tag}$", row.prosrc),
    }
}
