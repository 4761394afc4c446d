//! SQL that is read outside of statements: what PostgreSQL's own objects are recorded with (views of `pg_catalog` and
//! `information_schema`, the latter's domains), and what ALTER TABLE writes as SQL to read it again where a column has
//! another type ([`expression_over`]), as PostgreSQL does. Users' definitions are trees ([`super::stored`]).
//!
//! It is read with `pg_catalog` and `public` in the search path, and with the settings of [`Context::default`], whatever the
//! session's are.

use std::sync::{Arc, LazyLock};

use catalog::catalogs::PgType;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID, PG_CATALOG, PUBLIC};
use error::sqlstate;
use syntax::nodes::Node;
use syntax::{RawStmt, with_stack_for};
use types::{Context, Error, Oid, Result, oid};

use super::stored::{self, Kept};
use crate::query::{CoercionForm, Expr, Location, RelabelType, TypeRef};
use crate::relations::{Attribute, Relation, RelationKind};
use crate::transform::{
    Analyzed, ExprKind, Parameters, STACK_OF_LEVEL, Statement, analyze, analyze_condition, analyze_default,
    analyze_expression,
};

/// The query of a view of `pg_catalog` or `information_schema`.
pub(crate) fn built_in_view(context: &Context, view: Oid) -> Result<Arc<Analyzed>> {
    static VIEWS: LazyLock<Kept<Oid, Arc<Analyzed>>> = LazyLock::new(Kept::default);
    VIEWS.get(view, || view_query(context, view).map(Arc::new))
}

fn view_query(context: &Context, view: Oid) -> Result<Analyzed> {
    let catalog = Catalog::BUILT_IN;
    let text = catalog.view_definition(view).ok_or_else(|| corrupt("a view has no query"))?;
    let raw = only(syntax::parse(text))?;
    with_statement(catalog, context, |statement| {
        // What system views convert to a domain is what it allows.
        statement.trusted = true;
        analyze(statement, &raw)
    })
}

/// The default that a domain has for all columns of it, as a value of a column's type.
pub(crate) fn domain_default(
    catalog: Catalog<'_>,
    context: &Context,
    column: &str,
    ty: TypeRef,
) -> Result<Option<Arc<Expr>>> {
    let domain = catalog.pg_type(ty.oid).filter(|row| row.typtype == b'd');
    if let Some(row) = domain.filter(|row| row.oid >= FIRST_NORMAL_OBJECT_ID) {
        return users_domain_default(row);
    }
    let Some(text) = domain.and_then(|row| row.typdefault.as_ref()) else { return Ok(None) };
    let value =
        with_expression(catalog, context, text, |statement, node| analyze_default(statement, node, column, ty))?;
    Ok(Some(Arc::new(value)))
}

/// The default of a user's domain.
fn users_domain_default(domain: &PgType) -> Result<Option<Arc<Expr>>> {
    let Some(text) = &domain.typdefaultbin else { return Ok(None) };
    let argument = stored::expression(text, None)?;
    let (result, form) = (TypeRef::of(domain.oid), CoercionForm::ImplicitCast);
    let label = RelabelType { argument, result, collation: None, form, location: Location::NONE };
    Ok(Some(Arc::new(Expr::RelabelType(Box::new(label)))))
}

/// An expression over the columns of a relation, which is entry 1, or a condition.
pub fn expression_over(
    catalog: Catalog<'_>,
    context: &Context,
    relation: &Arc<Relation>,
    text: &str,
    kind: ExprKind,
) -> Result<Expr> {
    with_expression(catalog, context, text, |statement, node| match kind {
        ExprKind::IndexPredicate => analyze_condition(statement, node, relation, kind, "WHERE"),
        ExprKind::CheckConstraint => analyze_condition(statement, node, relation, kind, "CHECK"),
        _ => analyze_expression(statement, node, Some(relation), kind),
    })
}

/// A domain's CHECK condition: its VALUE is the only column of entry 1.
pub fn domain_condition(catalog: Catalog<'_>, context: &Context, domain: Oid, text: &str) -> Result<Expr> {
    let row = catalog.pg_type(domain).ok_or_else(|| corrupt("a condition has no domain"))?;
    let value = Attribute {
        name: "value".into(),
        ty: TypeRef { oid: row.typbasetype, typmod: row.typtypmod },
        collation: row.typcollation,
        not_null: false,
        dropped: false,
        identity: None,
        generated: false,
    };
    let relation = Relation {
        oid: oid::INVALID,
        name: String::new(),
        kind: RelationKind::CompositeType,
        columns: vec![value],
        row_type: oid::INVALID,
        primary_key: None,
        unique_indexes: Vec::new(),
        security_barrier: false,
        check_option: None,
    };
    expression_over(catalog, context, &Arc::new(relation), text, ExprKind::CheckConstraint)
}

/// Analyzes in the surroundings that what is recorded was written for.
fn with_statement<T>(
    catalog: Catalog<'_>,
    context: &Context,
    analyze: impl FnOnce(&mut Statement<'_>) -> Result<T>,
) -> Result<T> {
    let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], viewer: None, ..catalog };
    let mut statement = Statement::new(catalog, &catalog, context, "", Parameters::fixed(&[]));
    statement.stored = true;
    let unplaced = |mut error: Error| {
        // Its places are not the statement's.
        error.0.location = None;
        error
    };
    analyze(&mut statement).map_err(unplaced)
}

fn with_expression<T>(
    catalog: Catalog<'_>,
    context: &Context,
    text: &str,
    analyze: impl FnOnce(&Statement<'_>, &Node) -> Result<T>,
) -> Result<T> {
    let raw = only(syntax::parse(&format!("SELECT {text}")))?;
    let no_expression = || corrupt("what is recorded is no expression");
    let Node::SelectStmt(select) = &raw.stmt else { return Err(no_expression()) };
    let [Node::ResTarget(target)] = &select.target_list[..] else { return Err(no_expression()) };
    let node = target.val.as_ref().ok_or_else(no_expression)?;
    with_stack_for(raw.depth * STACK_OF_LEVEL, || {
        with_statement(catalog, context, |statement| analyze(statement, node))
    })
}

fn only<E>(parsed: std::result::Result<Vec<RawStmt>, E>) -> Result<RawStmt> {
    let mut statements = parsed.map_err(|_| corrupt("what is recorded is no SQL"))?;
    match (statements.pop(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        _ => Err(corrupt("what is recorded is no statement")),
    }
}

fn corrupt(what: &str) -> Error {
    Error::new(sqlstate::INTERNAL_ERROR, format!("catalog: {what}"))
}
