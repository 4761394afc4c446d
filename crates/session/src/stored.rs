//! Expressions and queries that definitions keep, as trees ([`analyze::nodes`]) with what these refer to.

use std::borrow::Cow;
use std::sync::Arc;

use ::error::sqlstate;
use analyze::ExprKind;
use analyze::nodes;
use analyze::query::{Expr, Query, Var, WindowIndex};
use analyze::relations::{Relation, Relations};
use analyze::rewrite::{recorded, stored};
use analyze::ruleutils::{Deparse, Referent, VarNames, WindowReferent, deparse_expression};
use catalog::{Catalog, PG_CATALOG};
use engine::{NodeTree, Result};
use syntax::with_stack_for;
use types::Oid;

use crate::dependency;
use crate::environment::Environment;
use crate::errors::reported;
use crate::expressions::MAX_KEPT_LEVELS;
use crate::session::Session;

/// The columns of one table, by their names alone.
pub struct Columns<'a>(pub Option<&'a Relation>);

impl VarNames for Columns<'_> {
    fn var(&self, var: &Var) -> types::Result<Referent<'_>> {
        let relation = self.0.ok_or_else(|| types::Error::new(sqlstate::INTERNAL_ERROR, "a column of no table"))?;
        let name = match var.attribute {
            0 => None,
            number => Some(column_name(relation, number)?),
        };
        let whole = name.is_none();
        let relation = whole.then_some(Cow::Borrowed(&*relation.name));
        Ok(Referent::Column { relation, qualified: whole, name })
    }

    fn window(&self, _: WindowIndex) -> types::Result<WindowReferent<'_>> {
        Err(types::Error::new(sqlstate::INTERNAL_ERROR, "a window outside of a query"))
    }
}

fn column_name(relation: &Relation, number: i16) -> types::Result<Cow<'_, str>> {
    let own = usize::try_from(number).ok().and_then(|number| relation.columns.get(number - 1));
    match own {
        Some(column) => Ok(Cow::Borrowed(&*column.name)),
        // No other system column may be in an expression that is kept.
        None if number == TABLE_OID => Ok(Cow::Borrowed("tableoid")),
        None => Err(types::Error::new(sqlstate::INTERNAL_ERROR, format!("a table without column {number}"))),
    }
}

/// The number of the column `tableoid`.
const TABLE_OID: i16 = -6;

/// An expression over the columns of a relation as its definition keeps it.
pub fn expression(catalog: Catalog<'_>, expr: &Expr, relation: Oid) -> types::Result<NodeTree> {
    let references = dependency::of_expression(catalog, expr, relation);
    Ok(NodeTree { text: nodes::write(expr)?.into(), references })
}

/// A view's query as its definition keeps it.
pub fn query(catalog: Catalog<'_>, query: &Query) -> types::Result<NodeTree> {
    Ok(NodeTree { text: nodes::write(query)?.into(), references: dependency::of_query(catalog, query) })
}

impl Environment {
    /// An expression over a table's columns as SQL that is to be read again ([`Session::read_again`]): all names but those of
    /// `pg_catalog` have their schemas.
    fn written(&self, expr: &Expr, relation: &Relation) -> types::Result<String> {
        let relations = self.relations();
        let catalog = Catalog { search_path: &[PG_CATALOG], objects: Some(&self.objects), viewer: None };
        let deparse = Deparse { catalog, relations: &relations, context: &self.stored, pretty: false };
        deparse_expression(deparse, expr, &Columns(Some(relation)), false)
    }
}

impl Session {
    /// An expression over the columns of a relation as its definition keeps it.
    pub(crate) fn kept(&mut self, expr: &Expr, relation: Oid) -> Result<NodeTree> {
        let environment = self.environment();
        let kept = with_stack_for(MAX_KEPT_LEVELS, || expression(environment.catalog(), expr, relation));
        kept.map_err(|error| reported(error, ""))
    }

    /// A table as analysis sees it.
    pub(crate) fn relation(&mut self, oid: u32) -> Result<Arc<Relation>> {
        let missing =
            || engine::EngineError::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {oid}"));
        self.environment().relations().relation_by_oid(oid).ok_or_else(missing)
    }

    /// An expression that a table's definition keeps as SQL, for [`Session::read_again`].
    pub(crate) fn written(&mut self, tree: &NodeTree, relation: &Relation) -> Result<String> {
        let expr = stored::expression(&tree.text, Some(relation)).map_err(|error| reported(error, ""))?;
        let written = self.environment().written(&expr, relation);
        written.map_err(|error| reported(error, ""))
    }

    /// What such an expression means over a table whose columns have other types now (`ATPostAlterTypeParse`).
    pub(crate) fn read_again(&mut self, text: &str, relation: &Arc<Relation>, kind: ExprKind) -> Result<Expr> {
        let environment = self.environment();
        let read = recorded::expression_over(environment.catalog(), &environment.stored, relation, text, kind);
        read.map_err(|error| reported(error, ""))
    }
}
