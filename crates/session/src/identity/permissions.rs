//! Who may read the catalogs that have secrets (as far as it concerns built-in relations, PostgreSQL's
//! `ExecCheckPermissions`).
//!
//! What a query names is checked before views are expanded: what a view reads is its owner's to read.

use std::cell::Cell;

use analyze::query::{Expr, Query, RangeTableKind, Walk, walk_query};
use catalog::catalogs::PgClass;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use error::sqlstate;
use types::{Context, Error, Result};

/// Fails with 42501 where a query reads a built-in relation that only superusers may read.
pub fn check_permissions(catalog: Catalog<'_>, context: &Context, query: &Query) -> Result<()> {
    let found = Found::default();
    in_query(catalog, query, &found);
    let Some(secret) = found.get() else { return Ok(()) };
    let role = context.session.current_user()?;
    if catalog.roles_named(&role).any(|role| role.rolsuper) {
        return Ok(());
    }
    let kind = if secret.relkind == b'v' { "view" } else { "table" };
    Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for {kind} {}", secret.relname)))
}

type Found<'a> = Cell<Option<&'a PgClass>>;

/// Looks for a relation that a query or a part of it reads and that PUBLIC may not read.
fn in_query<'a>(catalog: Catalog<'a>, query: &Query, found: &Found<'a>) -> Walk {
    let mut named = query.range_table.iter().filter_map(|entry| match entry.kind {
        RangeTableKind::Relation { oid, .. } if oid < FIRST_NORMAL_OBJECT_ID => catalog.relation(oid),
        _ => None,
    });
    if let Some(secret) = named.find(|relation| is_secret(catalog, relation)) {
        found.set(Some(secret));
        return Walk::Stop;
    }
    walk_query(query, &mut |expr| in_expr(catalog, expr, found), &mut |part| in_query(catalog, part, found))
}

fn in_expr<'a>(catalog: Catalog<'a>, expr: &Expr, found: &Found<'a>) -> Walk {
    expr.walk(&mut |child| in_expr(catalog, child, found), &mut |query| in_query(catalog, query, found))
}

/// PUBLIC may read neither the relation nor any of its columns.
pub fn is_secret(catalog: Catalog<'_>, relation: &PgClass) -> bool {
    let Some(granted) = &relation.relacl else { return false };
    let to_public = |item: &catalog::facts::Name| {
        item.strip_prefix('=').and_then(|rest| rest.split_once('/')).is_some_and(|(rights, _)| rights.contains('r'))
    };
    !granted.iter().any(to_public) && catalog.attributes(relation.oid).all(|column| column.attacl.is_none())
}
