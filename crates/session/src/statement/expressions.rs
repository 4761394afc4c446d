//! What commands have analyzed and evaluated outside of queries: type names, arguments of EXECUTE, defaults and the like.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::Expr;
use analyze::{Parameters, Statement, analyze_argument};
use engine::{EngineError, Result};
use expression::{Execution, NoInput};
use syntax::nodes::Node;
use syntax::with_stack_for;
use types::{Datum, Oid};

use crate::errors::reported;
use crate::session::Session;
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;

/// Levels of an expression that a definition keeps: statements that use it later need not ask for a stack.
pub const MAX_KEPT_LEVELS: usize = 250;

/// Levels of [`with_stack_for`] that analyzing a level of the raw tree takes.
const STACK_OF_LEVEL: usize = 12;

impl Session {
    /// Asks analysis something about a part of a statement. `text` is the query string, `parameters` are the types of `$1`
    /// and so on.
    pub fn analyze<T>(
        &mut self,
        text: &Arc<str>,
        parameters: &[Oid],
        ask: impl FnOnce(&Statement<'_>) -> types::Result<T>,
    ) -> Result<T> {
        let environment = self.environment();
        let context = self.context(&environment, text);
        let relations = environment.relations();
        let parameters = Parameters::fixed(parameters);
        let with = Statement::new(environment.catalog(), &relations, &context, &environment.database.1, parameters);
        ask(&with).map_err(|error| reported(error, text))
    }

    /// The same for an expression that a definition is to keep.
    pub fn analyze_kept<T>(
        &mut self,
        statement: &ParsedStatement,
        ask: impl FnOnce(&Statement<'_>) -> types::Result<T>,
    ) -> Result<T> {
        let depth = statement.raw.depth;
        if depth > MAX_KEPT_LEVELS {
            return Err(EngineError::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
        }
        with_stack_for(depth * STACK_OF_LEVEL, || self.analyze(&statement.text, &[], ask))
    }

    /// The value of an expression without columns, in the representation that parameters of its type have.
    pub fn evaluate(&mut self, text: &Arc<str>, expr: &Expr, parameters: &[Parameter]) -> Result<Datum> {
        let environment = self.environment();
        let context = Arc::new(self.context(&environment, text));
        let values = parameters.iter().map(|parameter| (parameter.repr, &parameter.value));
        let execution = Execution::new(context).with_external(values);
        let told = |error| reported(error, text);
        let mut state = expression::compile(expr, &NoInput, environment.catalog()).map_err(told)?;
        if let Some(repr) = environment.catalog().repr(expr.ty().oid, -1) {
            state = state.into_repr(repr).map_err(told)?;
        }
        let column = state.evaluate_column(&[], 1, &execution).map_err(told)?;
        Ok(Datum::of(&column, 0))
    }
}

/// The value of an argument of EXECUTE, as a value of this type.
pub(crate) fn evaluate_argument(
    session: &mut Session,
    statement: &ParsedStatement,
    node: &Node,
    ty: Oid,
    number: usize,
    outer: &[Parameter],
) -> Result<Datum> {
    let types: Vec<Oid> = outer.iter().map(|parameter| parameter.ty).collect();
    let value = session.analyze(&statement.text, &types, |with| analyze_argument(with, node, number, ty))?;
    session.evaluate(&statement.text, &value, outer)
}
