//! Names of catalog objects as OIDs: the casts to `regclass` and its sisters, and `to_regclass` and its.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    self, DataType, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Statement, Value,
    VisitMut, VisitorMut,
};
use engine::{EngineError, Result};

use crate::ddl::{ident, object_name};
use crate::session::Shared;

/// The OID of what a name means, or of a number; an error where there is none.
pub fn oid_of(shared: &Shared, ty: &str, text: &str) -> Result<u32> {
    if let Ok(oid) = text.trim().parse() {
        return Ok(oid);
    }
    let missing = |code, what: &str| EngineError::new(code, format!("{what} \"{text}\" does not exist"));
    match ty {
        "regtype" => type_oid(text)?.ok_or_else(|| missing("42704", "type")),
        "regnamespace" => {
            let name = single(text)?;
            crate::system::schema_oid(&name).ok_or_else(|| missing("3F000", "schema"))
        }
        "regrole" => {
            let name = single(text)?;
            shared.catalog().roles.get(&name).map(|role| role.oid).ok_or_else(|| missing("42704", "role"))
        }
        // What functions there are the catalog does not say.
        "regproc" => {
            let name = parts(text)?.0.last().and_then(|part| part.as_ident()).map(ident).unwrap_or_default();
            if crate::function_names::is_postgresqls(&name) {
                return Err(EngineError::unsupported("the OID of a function"));
            }
            Err(missing("42883", "function"))
        }
        _ => relation_oid(shared, text),
    }
}

/// The parts of a dotted name, with quotes as in SQL.
fn parts(text: &str) -> Result<ObjectName> {
    let wrong = || EngineError::new("42602", "invalid name syntax");
    let dialect = datafusion::sql::sqlparser::dialect::PostgreSqlDialect {};
    let parser = datafusion::sql::sqlparser::parser::Parser::new(&dialect).try_with_sql(text);
    let mut parser = parser.map_err(|_| wrong())?;
    let name = parser.parse_object_name(false).map_err(|_| wrong())?;
    match parser.peek_token().token {
        datafusion::sql::sqlparser::tokenizer::Token::EOF => Ok(name),
        _ => Err(wrong()),
    }
}

fn single(text: &str) -> Result<String> {
    match parts(text)?.0.as_slice() {
        [part] => part.as_ident().map(ident).ok_or_else(|| EngineError::new("42602", "invalid name syntax")),
        _ => Err(EngineError::new("42602", "invalid name syntax")),
    }
}

fn relation_oid(shared: &Shared, text: &str) -> Result<u32> {
    let named = parts(text)?;
    let (schema, name) = object_name(&named, &shared.database.1)?;
    if let Some(table) = shared.find_table(&schema, &name)? {
        return Ok(table.def.oid);
    }
    let catalog = shared.catalog();
    let sequence = catalog.database_by_oid(shared.database.0).and_then(|d| d.sequence(&schema, &name));
    let in_catalog = named.0.len() == 1 || schema == "pg_catalog";
    crate::definition::index_oid(shared, &schema, &name)
        .or(sequence.map(|sequence| sequence.oid))
        .or_else(|| crate::system::relation_oid(&name).filter(|_| in_catalog))
        .ok_or_else(|| EngineError::new("42P01", format!("relation \"{text}\" does not exist")))
}

/// The OID of a type by any of its names. Fails for those that PostgreSQL has and we have not.
fn type_oid(text: &str) -> Result<Option<u32>> {
    let lower = text.trim().to_lowercase();
    let lower = lower.strip_prefix("pg_catalog.").unwrap_or(&lower);
    if let Some(oid) = crate::system::type_oid(lower) {
        return Ok(Some(oid));
    }
    let dialect = datafusion::sql::sqlparser::dialect::PostgreSqlDialect {};
    let parser = datafusion::sql::sqlparser::parser::Parser::new(&dialect).try_with_sql(text);
    let Ok(data_type) = parser.and_then(|mut parser| parser.parse_data_type()) else { return Ok(None) };
    match data_type {
        DataType::Numeric(_) | DataType::Decimal(_) => Ok(Some(1700)),
        // However many brackets there are.
        DataType::Array(ast::ArrayElemTypeDef::SquareBracket(element, _)) => match &*element {
            DataType::Array(_) => type_oid(&element.to_string()),
            element => Ok(type_oid(&element.to_string())?.and_then(crate::parameters::array_of)),
        },
        other => match crate::ddl::pg_type(&other) {
            Ok(ty) => Ok(Some(ty.oid())),
            Err(error) if error.code == "0A000" => Err(error),
            Err(_) => Ok(None),
        },
    }
}

/// `pg_get_serial_sequence`: the sequence that belongs to a column.
pub fn serial_sequence(shared: &Shared, table: &str, column: &str) -> Result<Option<String>> {
    let (schema, name) = object_name(&parts(table)?, &shared.database.1)?;
    let Some(found) = shared.find_table(&schema, &name)? else {
        return Err(EngineError::new("42P01", format!("relation \"{table}\" does not exist")));
    };
    if found.def.column(column).is_none() {
        let message = format!("column \"{column}\" of relation \"{name}\" does not exist");
        return Err(EngineError::new("42703", message));
    }
    Ok(crate::system::owned_sequence(shared, found.def.oid, column))
}

/// Makes `to_regclass('t')` and its sisters what the cast gives, or NULL where it would fail.
pub fn resolve(statement: &mut Statement, shared: &Shared) -> Result<()> {
    match statement.visit(&mut Resolve { shared }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Resolve<'a> {
    shared: &'a Shared,
}

impl VisitorMut for Resolve<'_> {
    type Break = EngineError;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let Some(name) = function.name.0.last().and_then(|p| p.as_ident()).map(ident) else {
            return ControlFlow::Continue(());
        };
        let ty = match name.as_str() {
            "to_regclass" => "regclass",
            "to_regtype" => "regtype",
            "to_regnamespace" => "regnamespace",
            "to_regrole" => "regrole",
            "to_regproc" | "to_regprocedure" | "to_regoper" | "to_regoperator" | "to_regcollation"
            | "to_regtypemod" => {
                return ControlFlow::Break(EngineError::unsupported(format!("function {name}")));
            }
            _ => return ControlFlow::Continue(()),
        };
        let FunctionArguments::List(list) = &function.args else { return ControlFlow::Continue(()) };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_slice() else {
            return ControlFlow::Continue(());
        };
        let oid = match constant(argument) {
            Some(Some(text)) => match oid_of(self.shared, ty, &text) {
                Ok(oid) => Some(oid),
                Err(error) if error.code == "0A000" => return ControlFlow::Break(error),
                Err(_) => None,
            },
            Some(None) => None,
            None => return ControlFlow::Break(EngineError::unsupported(format!("{name} of what is no constant"))),
        };
        let value = oid.map_or(Value::Null, |oid| Value::SingleQuotedString(oid.to_string()));
        *expr = Expr::Cast {
            kind: ast::CastKind::DoubleColon,
            expr: Box::new(Expr::value(value)),
            data_type: DataType::Custom(ObjectName::from(vec![Ident::new(ty)]), vec![]),
            array: false,
            format: None,
        };
        ControlFlow::Continue(())
    }
}

/// The text of a constant, which may have been cast to text; `Some(None)` is NULL.
pub fn constant(expr: &Expr) -> Option<Option<String>> {
    match expr {
        Expr::Nested(inner) => constant(inner),
        Expr::Cast {
            expr,
            data_type: DataType::Text | DataType::Varchar(None) | DataType::CharacterVarying(None),
            ..
        } => constant(expr),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => Some(Some(text.clone())),
            // What a parameter names is known when it is bound.
            Value::Null | Value::Placeholder(_) => Some(None),
            _ => None,
        },
        _ => None,
    }
}
