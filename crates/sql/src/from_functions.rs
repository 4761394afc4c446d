//! Functions in FROM: `FROM lower('A') l` is a table of one row and one column, named after the alias or the function.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    self, Expr, Function, FunctionArgumentList, FunctionArguments, Ident, ObjectName, SelectItem, SetExpr, TableAlias,
    TableFactor,
};
use engine::{EngineError, Result};

use crate::ddl::ident;
use crate::system::KEYWORDS;

/// Functions that are tables for DataFusion, too.
const TABLES: &[&str] = &["generate_series"];

/// Functions whose only result has a name (an OUT parameter), and the name.
const RESULTS: &[(&str, &str)] = &[("pg_partition_ancestors", "relid")];

/// Replaces a function in FROM by a query for its value, or by the table that it gives.
pub fn replace(factor: &mut TableFactor) -> Result<()> {
    let TableFactor::Table { name, args: Some(args), alias, with_ordinality, .. } = factor else { return Ok(()) };
    let Some(last) = name.0.last().and_then(|part| part.as_ident()) else { return Ok(()) };
    let function = ident(last);
    if TABLES.contains(&function.as_str()) {
        return Ok(());
    }
    if *with_ordinality {
        return Err(EngineError::unsupported("WITH ORDINALITY"));
    }
    let named = alias.take().unwrap_or_else(|| TableAlias {
        explicit: true,
        name: Ident::with_quote('"', function.clone()),
        columns: vec![],
        at: None,
    });
    if function == "pg_get_keywords" && args.args.is_empty() {
        let schema = Ident::with_quote('"', "pg_catalog");
        *name = ObjectName::from(vec![schema, Ident::with_quote('"', KEYWORDS)]);
        let TableFactor::Table { args, alias, .. } = factor else { return Ok(()) };
        (*args, *alias) = (None, Some(named));
        return Ok(());
    }
    let call = Expr::Function(Function {
        name: name.clone(),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: std::mem::take(&mut args.args),
            clauses: vec![],
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    });
    if mentions_columns(&call) {
        return Err(EngineError::unsupported("a function in FROM of columns beside it (LATERAL)"));
    }
    // The alias names the only column, unless the function's result has a name, or the alias has names for columns.
    let result = RESULTS.iter().find(|(name, _)| *name == function).map(|(_, result)| Ident::new(*result));
    let column = named.columns.first().map(|column| column.name.clone()).or(result).unwrap_or(named.name.clone());
    let mut subquery = Box::new(crate::parse::query("SELECT 1")?);
    if let SetExpr::Select(select) = &mut *subquery.body {
        select.projection = vec![SelectItem::ExprWithAlias { expr: call, alias: column }];
    }
    *factor = TableFactor::Derived { lateral: false, subquery, alias: Some(named), sample: None };
    Ok(())
}

fn mentions_columns(expr: &Expr) -> bool {
    ast::visit_expressions(expr, |inner| match inner {
        Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
        Expr::Identifier(name) if name.quote_style.is_some() || !is_value(&name.value) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// A word that is a function without parentheses.
fn is_value(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "current_role" | "current_schema" | "current_catalog" | "current_user" | "session_user" | "user"
    )
}
