//! What PostgreSQL's functions of text and bytes take: DataFusion would convert other arguments to text by itself, where
//! PostgreSQL knows no such function (42883).

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable};
use engine::EngineError;

use crate::errors::wrap;
use crate::output::type_name;
use crate::semantics::{category, literal_text, typed_literal};

/// A function's name and its arguments: `t` is text, `i` integer, `b` boolean, `y` bytea; behind `?` they may be missing.
const FUNCTIONS: &[(&str, &str)] = &[
    ("length", "t"),
    ("character_length", "t"),
    ("char_length", "t"),
    ("pg_upper", "t"),
    ("pg_lower", "t"),
    ("btrim", "t?t"),
    ("ltrim", "t?t"),
    ("rtrim", "t?t"),
    ("trim", "t?t"),
    ("substr", "ti?i"),
    ("substring", "ti?i"),
    ("replace", "ttt"),
    ("left", "ti"),
    ("right", "ti"),
    ("reverse", "t"),
    ("split_part", "tti"),
    ("strpos", "tt"),
    ("starts_with", "tt"),
    ("initcap", "t"),
    ("ascii", "t"),
    ("translate", "ttt"),
    ("md5", "t"),
    ("bit_length", "t"),
    ("overlay", "tti?i"),
    ("regexp_replace", "tt?ttt"),
    ("regexp_like", "tt?t"),
    ("regexp_count", "tt?it"),
    ("regexp_instr", "tt?iiiti"),
    ("quote_ident", "t"),
    ("pg_string_to_array", "tt?t"),
    ("pg_similar", "t?t"),
    ("pg_regex", "t"),
    ("sha224", "y"),
    ("sha256", "y"),
    ("sha384", "y"),
    ("sha512", "y"),
];

/// Functions that DataFusion gives bigint, and PostgreSQL integer.
const INTEGER_RESULTS: &[&str] = &["regexp_count", "regexp_instr"];

/// Checks the arguments of a function that is listed, and gives its result PostgreSQL's type. `None` if it is not listed.
pub fn checked(mut function: ScalarFunction, schema: &DFSchema) -> Result<Option<Expr>> {
    let name = function.name().to_string();
    let Some((_, arguments)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let (required, optional) = arguments.split_once('?').unwrap_or((arguments, ""));
    let kinds: Vec<char> = required.chars().chain(optional.chars()).collect();
    let types = function.args.iter().map(|arg| arg.get_type(schema)).collect::<Result<Vec<_>>>()?;
    let bytes = |ty: &DataType| matches!(ty, DataType::Binary | DataType::BinaryView);
    if kinds[0] == 't' && types.iter().any(bytes) {
        return Err(wrap(EngineError::unsupported(format!("{name} of bytea")).hint("Use octet_length.")));
    }
    let fits = |(at, ty): (usize, &DataType)| match kinds.get(at) {
        None => false,
        Some(_) if literal_text(&function.args[at]) || *ty == DataType::Null => true,
        Some('t') => category(ty) == 'S',
        Some('i') => matches!(ty, DataType::Int16 | DataType::Int32),
        Some('y') => bytes(ty),
        Some(_) => *ty == DataType::Boolean,
    };
    if types.len() < required.len() || !types.iter().enumerate().all(fits) {
        let names: Vec<String> = types.iter().map(type_name).collect();
        let name = name.strip_prefix("pg_").unwrap_or(&name);
        let error = EngineError::new("42883", format!("function {name}({}) does not exist", names.join(", ")));
        return Err(wrap(error.hint(
            "No function matches the given name and argument types. You might need to add explicit type casts.",
        )));
    }
    if kinds[0] == 'y' {
        let bytes = function.args.remove(0);
        let bytes = if literal_text(&bytes) { typed_literal(bytes, &DataType::Binary)? } else { bytes };
        function.args.insert(0, bytes);
    }
    let integer = INTEGER_RESULTS.contains(&name.as_str());
    let call = Expr::ScalarFunction(function);
    Ok(Some(if integer { Expr::Cast(Cast::new(Box::new(call), DataType::Int32)) } else { call }))
}
