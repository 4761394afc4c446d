//! PREPARE, EXECUTE and DEALLOCATE, and what the extended protocol prepares, under the same names.

use std::sync::Arc;

use analyze::analyze_type_name;
use engine::{EngineError, Result};
use error::sqlstate;
use parking_lot::Mutex;
use syntax::nodes::{DeallocateStmt, ExecuteStmt, Node, PrepareStmt};
use types::{Oid, Repr, oid};

use crate::plan_cache::{CachedPlanSource, Column};
use crate::portal::changed_result_type;
use crate::session::{Reply, Session, done};
use crate::statement::expressions::evaluate_argument;
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::parse::is_query;
use crate::statement::prepared::Prepared;
use crate::statement::query::QueryText;
use crate::utility;

fn missing(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_PSTATEMENT, format!("prepared statement \"{name}\" does not exist"))
}

impl Session {
    /// What a statement needs and gives; `declared` are the types that the client knows, 0 where it does not.
    pub async fn prepare(
        &mut self,
        statement: Option<Arc<ParsedStatement>>,
        declared: &[Oid],
        from_sql: bool,
    ) -> Result<Prepared> {
        self.begin_implicit();
        let environment = self.environment();
        if let Some(statement) = &statement {
            statement.keep_constants(&self.context(&environment, &statement.text));
        }
        let read_with = Arc::downgrade(&environment);
        let is_momentary = statement
            .as_ref()
            .is_some_and(|statement| stands_for_another(statement.node()) || names_moment(&statement.text));
        let (parameters, columns) = match &statement {
            Some(statement) if is_query(statement.node()) => {
                let source = self.understand(QueryText::of(statement), declared).await?;
                (parameters(&source)?, source.columns.clone())
            }
            Some(statement) => {
                let parameters = match utility::contained_query(statement.node()) {
                    Some(query) => parameters(&*self.understand(QueryText::within(statement, query), declared).await?)?,
                    None => declared.to_vec(),
                };
                (parameters, self.command_columns(statement)?)
            }
            None => (declared.to_vec(), None),
        };
        let prepared_at = *self.shared.statement_start.lock();
        let environment = Mutex::new(Some(environment));
        Ok(Prepared { statement, parameters, columns, environment, read_with, is_momentary, prepared_at, from_sql })
    }

    /// Would a statement be understood as it was when it was prepared?
    fn is_current(&mut self, prepared: &Prepared) -> bool {
        let now = self.environment();
        prepared.environment.lock().as_ref().is_some_and(|then| Arc::ptr_eq(then, &now))
    }

    /// Would a statement of the same text be prepared to the same effect now?
    pub fn is_alike(&mut self, prepared: &Prepared) -> bool {
        std::ptr::eq(prepared.read_with.as_ptr(), &*self.environment())
    }

    /// The columns of a prepared statement that is bound now: what FETCH and EXECUTE give is found out then
    /// (`PortalStart`).
    pub fn bound_columns(&mut self, prepared: &Prepared) -> Result<Option<Arc<[Column]>>> {
        match prepared.statement.as_deref().filter(|statement| stands_for_another(statement.node())) {
            Some(statement) => self.command_columns(statement),
            None => Ok(prepared.columns.clone()),
        }
    }

    /// The columns of what a command gives, as its client is told of them. What EXECUTE does not find is missed when it is run.
    fn command_columns(&mut self, statement: &ParsedStatement) -> Result<Option<Arc<[Column]>>> {
        match (utility::result_columns(self, statement), statement.node()) {
            (Err(error), Node::ExecuteStmt(_)) if error.code == sqlstate::UNDEFINED_PSTATEMENT => Ok(None),
            (columns, _) => columns,
        }
    }

    /// Fails where a prepared statement's columns are no longer those that the client was told of.
    pub async fn revalidate(&mut self, prepared: &Prepared) -> Result<()> {
        let (Some(columns), Some(statement)) = (&prepared.columns, &prepared.statement) else { return Ok(()) };
        if stands_for_another(statement.node()) || self.is_current(prepared) {
            return Ok(());
        }
        self.begin_implicit();
        let columns_now = match is_query(statement.node()) {
            true => self.understand(QueryText::of(statement), &prepared.parameters).await?.columns.clone(),
            false => {
                if let Some(query) = utility::contained_query(statement.node()) {
                    self.understand(QueryText::within(statement, query), &prepared.parameters).await?;
                }
                utility::result_columns(self, statement)?
            }
        };
        // What a command gives is not looked at again in PostgreSQL; here its types have to stay.
        let named = is_query(statement.node());
        let alike = |now: &[Column]| {
            let same =
                |(a, b): (&Column, &Column)| (a.oid, a.typmod) == (b.oid, b.typmod) && (!named || a.name == b.name);
            now.len() == columns.len() && now.iter().zip(&columns[..]).all(same)
        };
        if !columns_now.is_some_and(|now| alike(&now)) {
            return Err(changed_result_type());
        }
        *prepared.environment.lock() = Some(self.environment());
        Ok(())
    }
}

/// Does it give what its name stands for when it runs?
fn stands_for_another(node: &Node) -> bool {
    matches!(node, Node::FetchStmt(_) | Node::ExecuteStmt(_))
}

/// May a text have constants that are read as something else at another time, like `date 'today'`? They are between quotes.
fn names_moment(text: &str) -> bool {
    const WORDS: [&[u8]; 4] = [b"now", b"today", b"tomorrow", b"yesterday"];
    let text = text.as_bytes();
    // Dollars that are not those of parameters may be quotes.
    let mut within = text.windows(2).any(|pair| pair[0] == b'$' && !pair[1].is_ascii_digit());
    let always = within;
    text.iter().enumerate().any(|(at, &byte)| {
        within = always || within != (byte == b'\'');
        let begins = |word: &&[u8]| text[at..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
        within && WORDS.iter().any(begins)
    })
}

/// The types of a query's parameters, which must all be known.
fn parameters(source: &CachedPlanSource) -> Result<Vec<Oid>> {
    let parameters = &source.analyzed.parameters;
    if let Some(at) = parameters.iter().position(|ty| matches!(*ty, 0 | oid::UNKNOWN)) {
        let message = format!("could not determine data type of parameter ${}", at + 1);
        return Err(EngineError::new(sqlstate::INDETERMINATE_DATATYPE, message));
    }
    Ok(parameters.clone())
}

pub async fn prepare(session: &mut Session, statement: &ParsedStatement, prepare: &PrepareStmt) -> Result<Reply> {
    let name = prepare.name.as_deref().unwrap_or_default();
    session.prepared.may_add(name)?;
    let mut declared = Vec::with_capacity(prepare.argtypes.len());
    for ty in &prepare.argtypes {
        let Node::TypeName(ty) = ty else { continue };
        declared.push(session.analyze(&statement.text, &[], |with| analyze_type_name(with, ty))?.oid);
    }
    let Some(query) = &prepare.query else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "PREPARE without a statement"));
    };
    let raw = syntax::RawStmt { stmt: query.clone(), ..statement.raw.clone() };
    let inner = Arc::new(ParsedStatement::new(statement.text.clone(), raw));
    let prepared = session.prepare(Some(inner), &declared, true).await?;
    session.prepared.insert(name.into(), Arc::new(prepared));
    Ok(done("PREPARE"))
}

/// The statement that EXECUTE means, with its arguments.
pub async fn arguments(
    session: &mut Session,
    statement: &ParsedStatement,
    execute: &ExecuteStmt,
    outer: &[Parameter],
) -> Result<(Arc<Prepared>, Vec<Parameter>)> {
    let name = execute.name.as_deref().unwrap_or_default();
    let prepared = session.prepared.get(name).ok_or_else(|| missing(name))?;
    let (wanted, given) = (prepared.parameters.len(), execute.params.len());
    if wanted != given {
        return Err(EngineError::new(
            sqlstate::SYNTAX_ERROR,
            format!("wrong number of parameters for prepared statement \"{name}\""),
        )
        .detail(format!("Expected {wanted} parameters but got {given}.")));
    }
    let mut parameters = Vec::with_capacity(given);
    for (number, (argument, &ty)) in execute.params.iter().zip(&prepared.parameters).enumerate() {
        let value = evaluate_argument(session, statement, argument, ty, number + 1, outer)?;
        let repr = session.environment().catalog().repr(ty, -1).unwrap_or(Repr::Text);
        parameters.push(Parameter { ty, repr, value });
    }
    session.revalidate(&prepared).await?;
    Ok((prepared, parameters))
}

/// EXECUTE.
pub(crate) async fn execute(
    session: &mut Session,
    statement: &ParsedStatement,
    execute: &ExecuteStmt,
    outer: &[Parameter],
) -> Result<Reply> {
    let (prepared, parameters) = arguments(session, statement, execute, outer).await?;
    let Some(inner) = prepared.statement.clone() else { return Ok(done("")) };
    let mut reply = Box::pin(session.run_statement(&inner, &parameters, None)).await?;
    if let Reply::Rows(portal) = &mut reply {
        portal.finish(session).await?;
    }
    Ok(reply)
}

/// The columns of EXECUTE.
pub fn result_columns(session: &Session, execute: &ExecuteStmt) -> Result<Option<Arc<[Column]>>> {
    let name = execute.name.as_deref().unwrap_or_default();
    Ok(session.prepared.get(name).ok_or_else(|| missing(name))?.columns.clone())
}

pub fn deallocate(session: &mut Session, statement: &DeallocateStmt) -> Result<Reply> {
    if statement.isall {
        session.prepared.clear();
        return Ok(done("DEALLOCATE ALL"));
    }
    let name = statement.name.as_deref().unwrap_or_default();
    session.prepared.remove(name).map(|_| done("DEALLOCATE")).ok_or_else(|| missing(name))
}
