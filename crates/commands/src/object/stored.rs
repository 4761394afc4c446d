//! Expressions and queries that definitions keep, as trees ([`analyze::nodes`]) with what these refer to.

use std::sync::Arc;

use analyze::ExprKind;
use analyze::nodes;
use analyze::query::{Expr, Query};
use analyze::relations::Relation;
use analyze::rewrite::{recorded, stored};
use analyze::ruleutils::{Deparse, deparse_expression};
use catalog::{Catalog, PG_CATALOG};
use engine::{NodeTree, Result};
use session::Columns;
use session::errors::reported;
use session::{Environment, MAX_KEPT_LEVELS, Session};
use syntax::with_stack_for;
use types::Oid;

use crate::object::dependency;

/// An expression over the columns of a relation as its definition keeps it.
pub fn expression(catalog: Catalog<'_>, expr: &Expr, relation: Oid) -> types::Result<NodeTree> {
    let references = dependency::of_expression(catalog, expr, relation);
    Ok(NodeTree { text: nodes::write(expr)?.into(), references })
}

/// A view's query as its definition keeps it.
pub fn query(catalog: Catalog<'_>, query: &Query) -> types::Result<NodeTree> {
    Ok(NodeTree { text: nodes::write(query)?.into(), references: dependency::of_query(catalog, query) })
}

/// An expression over a table's columns as SQL that is to be read again ([`read_again`]): all names but those of
/// `pg_catalog` have their schemas.
fn text_of(environment: &Environment, expr: &Expr, relation: &Relation) -> types::Result<String> {
    let relations = environment.relations();
    let catalog = Catalog { search_path: &[PG_CATALOG], objects: Some(&environment.objects), viewer: None };
    let deparse = Deparse { catalog, relations: &relations, context: &environment.stored, pretty: false };
    deparse_expression(deparse, expr, &Columns(Some(relation)), false)
}

/// An expression without columns as the catalogs show it.
pub fn shown(session: &mut Session, expr: &Expr) -> Result<String> {
    let environment = session.environment();
    let (catalog, relations) = (environment.catalog(), environment.relations());
    let deparse = Deparse { catalog, relations: &relations, context: &environment.stored, pretty: false };
    deparse_expression(deparse, expr, &Columns(None), false).map_err(|error| reported(error, ""))
}

/// An expression over the columns of a relation as its definition keeps it.
pub fn kept(session: &mut Session, expr: &Expr, relation: Oid) -> Result<NodeTree> {
    let environment = session.environment();
    let kept = with_stack_for(MAX_KEPT_LEVELS, || expression(environment.catalog(), expr, relation));
    kept.map_err(|error| reported(error, ""))
}

/// An expression that a table's definition keeps as SQL, for [`read_again`].
pub fn written(session: &mut Session, tree: &NodeTree, relation: &Relation) -> Result<String> {
    let expr = stored::expression(&tree.text, Some(relation)).map_err(|error| reported(error, ""))?;
    let written = text_of(&session.environment(), &expr, relation);
    written.map_err(|error| reported(error, ""))
}

/// What such an expression means over a table whose columns have other types now (`ATPostAlterTypeParse`).
pub fn read_again(session: &mut Session, text: &str, relation: &Arc<Relation>, kind: ExprKind) -> Result<Expr> {
    let environment = session.environment();
    let read = recorded::expression_over(environment.catalog(), &environment.stored, relation, text, kind);
    read.map_err(|error| reported(error, ""))
}
