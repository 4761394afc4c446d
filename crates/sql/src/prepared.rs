//! PREPARE, EXECUTE and DEALLOCATE. What the extended protocol has prepared under a name is among the same.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{DataType as SqlType, Expr as AstExpr, Ident, Statement};
use engine::{EngineError, PgType, Result};

use crate::ddl::ident;
use crate::describe::Prepared;
use crate::infer::type_of_cast;
use crate::output::encode_value;
use crate::parameters::{Parameter, bind, column_type};
use crate::parse::{Parsed, ParsedKind};
use crate::session::{Reply, Session, done};

/// Statements that a session may keep; PostgreSQL is bounded by memory alone.
const MAX_PREPARED: usize = 10_000;

/// A session's prepared statements, by name.
pub type Named = HashMap<String, Arc<Prepared>, foldhash::fast::RandomState>;

pub async fn prepare(session: &mut Session, name: &Ident, types: &[SqlType], statement: Statement) -> Result<Reply> {
    let name = ident(name);
    may_add(&session.named, &name)?;
    let declared = types.iter().map(type_of_cast).collect::<Result<Vec<u32>>>()?;
    let parsed = Parsed { text: statement.to_string(), kind: ParsedKind::Sql(Box::new(statement)) };
    let prepared = session.prepare(Some(parsed), &declared).await?;
    session.named.insert(name, Arc::new(prepared));
    Ok(done("PREPARE"))
}

/// May another statement be kept under this name?
pub fn may_add(named: &Named, name: &str) -> Result<()> {
    if named.contains_key(name) {
        return Err(EngineError::new("42P05", format!("prepared statement \"{name}\" already exists")));
    }
    if named.len() >= MAX_PREPARED {
        return Err(EngineError::new("53200", "too many prepared statements")
            .hint(format!("A session may have {MAX_PREPARED}; DEALLOCATE some.")));
    }
    Ok(())
}

pub fn missing(name: &str) -> EngineError {
    EngineError::new("26000", format!("prepared statement \"{name}\" does not exist"))
}

/// The statement with its arguments in place.
pub async fn execute(session: &mut Session, name: &str, arguments: &[AstExpr]) -> Result<Statement> {
    let prepared = session.named.get(name).cloned().ok_or_else(|| missing(name))?;
    let (wanted, given) = (prepared.parameters.len(), arguments.len());
    if wanted != given {
        return Err(EngineError::new("42601", format!("wrong number of parameters for prepared statement \"{name}\""))
            .detail(format!("Expected {wanted} parameters but got {given}.")));
    }
    let mut parameters = Vec::with_capacity(given);
    for (argument, &oid) in arguments.iter().zip(&prepared.parameters) {
        let ty = column_type(oid).unwrap_or(PgType::Text);
        let value = crate::insert::evaluate(session, argument, ty, 1).await?;
        let mut text = Vec::new();
        let some = encode_value(&mut text, &value, 0, &crate::style::current().style)?;
        let text = some.then(|| String::from_utf8(text).expect("text representations are UTF-8"));
        parameters.push(Parameter { ty: oid, text });
    }
    session.revalidate(&prepared).await?;
    match prepared.statement.as_deref().map(|parsed| &parsed.kind) {
        Some(ParsedKind::Sql(statement)) => bind(statement, &parameters),
        _ => Err(missing(name)),
    }
}

pub fn deallocate(session: &mut Session, name: &Ident) -> Result<Reply> {
    if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all") {
        session.named.clear();
        return Ok(done("DEALLOCATE ALL"));
    }
    let name = ident(name);
    session.named.remove(&name).map(|_| done("DEALLOCATE")).ok_or_else(|| missing(&name))
}
