//! What users' definitions keep as trees ([`crate::nodes`]): views' queries, columns' defaults, CHECK conditions, expressions
//! and predicates of indexes. Nothing in them is a name, so they mean the same whatever is renamed.
//!
//! [`crate::relations`] asks for them here; what comes with PostgreSQL is kept as SQL, and [`super::recorded`]'s.
//!
//! # Invariants
//! * A tree that has been read fits the relations that it names ([`crate::verify`]), or it is XX001.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use catalog::Catalog;
use catalog::catalogs::PgPolicy;
use catalog::facts::Name;
use types::names::PG_CLASS;
use types::{Context, Oid, Result};

use super::recorded;
use crate::nodes;
use crate::query::{Expr, Query, TypeRef};
use crate::relations::{IndexExpressions, Policy, Relation, Relations};
use crate::transform::Analyzed;
use crate::verify;

/// The relations of one version of the catalogs and the trees of what it keeps, read when they are first asked for.
#[derive(Default)]
pub struct StoredTrees {
    /// With what SQL that is recorded is read.
    context: Context,
    pub(crate) relations: Kept<Oid, Option<Arc<Relation>>>,
    pub(crate) views: Kept<Oid, Arc<Analyzed>>,
    pub(crate) defaults: Kept<(Oid, i16), Option<Arc<Expr>>>,
    pub(crate) checks: Kept<Oid, Arc<Expr>>,
    pub(crate) indexes: Kept<Oid, Arc<IndexExpressions>>,
    pub(crate) policies: Kept<Oid, Arc<[Policy]>>,
}

impl StoredTrees {
    pub fn new(context: Context) -> StoredTrees {
        StoredTrees { context, ..StoredTrees::default() }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

pub(crate) struct Kept<K, V>(RwLock<HashMap<K, V>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Kept<K, V> {
        Kept(RwLock::default())
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Kept<K, V> {
    /// What is there, or what `make` makes: nothing else is locked while it does.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        if let Some(found) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(found.clone());
        }
        let made = make()?;
        Ok(self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(made).clone())
    }
}

/// The query of a user's view. Views in it are not expanded.
pub(crate) fn view_query(catalog: Catalog<'_>, relations: &dyn Relations, view: Oid) -> Result<Analyzed> {
    let text = catalog.view_definition(view).ok_or_else(|| nodes::damaged("a view has no query"))?;
    let query: Query = nodes::read(text)?;
    // A tree has fewer levels than its text.
    let analyzed = Analyzed { query, parameters: vec![], depth: nodes::depth(text) };
    syntax::with_stack_for(analyzed.depth, || verify::stored_query(&analyzed.query, relations))?;
    Ok(analyzed)
}

/// What a column gets where nothing is given; `None`: NULL.
pub(crate) fn column_default(
    catalog: Catalog<'_>,
    context: &Context,
    relation: Oid,
    attribute: i16,
) -> Result<Option<Arc<Expr>>> {
    let column = catalog.attributes(relation).find(|column| column.attnum == attribute);
    let column = column.ok_or_else(|| nodes::damaged("a column is not there"))?;
    let ty = TypeRef { oid: column.atttypid, typmod: column.atttypmod };
    if column.attidentity != 0 {
        let sequence = identity_sequence(catalog, relation, attribute)?;
        return Ok(Some(Arc::new(Expr::NextValue { sequence, result: ty.oid })));
    }
    if column.attgenerated != 0 {
        return Ok(None);
    }
    match catalog.defaults_of((relation, attribute)).next() {
        Some(row) => {
            let value = expression(&row.adbin, None)?;
            match value.ty().oid == ty.oid {
                true => Ok(Some(Arc::new(value))),
                false => Err(nodes::damaged("a default is not of its column's type")),
            }
        }
        None => recorded::domain_default(catalog, context, &column.attname, ty),
    }
}

/// The sequence that an identity column owns (`getIdentitySequence`).
fn identity_sequence(catalog: Catalog<'_>, relation: Oid, attribute: i16) -> Result<Oid> {
    let mut owned = catalog.dependents((PG_CLASS, relation));
    let found =
        owned.find(|row| row.classid == PG_CLASS && row.deptype == b'i' && row.refobjsubid == i32::from(attribute));
    found.map(|row| row.objid).ok_or_else(|| nodes::damaged("an identity column has no sequence"))
}

pub(crate) fn index_expressions(
    catalog: Catalog<'_>,
    relations: &dyn Relations,
    index: Oid,
) -> Result<IndexExpressions> {
    let row = catalog.index(index).ok_or_else(|| nodes::damaged("an index is not there"))?;
    let relation = relations.relation_by_oid(row.indrelid);
    let keys = row.indexprs.as_ref().map_or(Ok(vec![]), |text| expressions(text, relation.as_deref()))?;
    let predicate = row.indpred.as_ref().map(|text| expression(text, relation.as_deref())).transpose()?;
    Ok(IndexExpressions { keys, predicate })
}

/// The condition of a CHECK constraint of a table, which is entry 1.
pub(crate) fn check_condition(catalog: Catalog<'_>, relations: &dyn Relations, constraint: Oid) -> Result<Expr> {
    let row = catalog.constraint(constraint).ok_or_else(|| nodes::damaged("a constraint is not there"))?;
    let text = row.conbin.as_deref().ok_or_else(|| nodes::damaged("a constraint has no condition"))?;
    expression(text, relations.relation_by_oid(row.conrelid).as_deref())
}

/// The policies of a table: PostgreSQL reads them by their names, and puts each before those that it has.
pub(crate) fn policies(catalog: Catalog<'_>, relations: &dyn Relations, table: Oid) -> Result<Arc<[Policy]>> {
    let relation = relations.relation_by_oid(table);
    let mut rows: Vec<&PgPolicy> = catalog.policies_of_relation(table).collect();
    rows.sort_by(|one, other| other.polname.cmp(&one.polname));
    let policy = |row: &PgPolicy| {
        let tree = |text: &Option<Name>| -> Result<Option<Expr>> {
            text.as_ref().map(|text| expression_of_policy(text, relation.as_deref(), relations)).transpose()
        };
        let depth = |text: &Option<Name>| text.as_ref().map_or(0, |text| nodes::depth(text));
        Ok(Policy {
            name: row.polname.to_string(),
            command: row.polcmd,
            permissive: row.polpermissive,
            roles: row.polroles.clone(),
            using: tree(&row.polqual)?,
            with_check: tree(&row.polwithcheck)?,
            depth: depth(&row.polqual).max(depth(&row.polwithcheck)),
        })
    };
    rows.into_iter().map(policy).collect()
}

/// The tree of an expression of a policy, which may have queries in it.
pub fn expression_of_policy(text: &str, table: Option<&Relation>, relations: &dyn Relations) -> Result<Expr> {
    let expr: Expr = nodes::read(text)?;
    syntax::with_stack_for(nodes::depth(text), || verify::stored_expression(&expr, table, Some(relations)))?;
    Ok(expr)
}

/// The tree of an expression over the columns of a relation, which is entry 1.
pub fn expression(text: &str, relation: Option<&Relation>) -> Result<Expr> {
    let expr: Expr = nodes::read(text)?;
    verify::stored_expression(&expr, relation, None)?;
    Ok(expr)
}

/// Fails where an expression does not fit the relation, which is entry 1.
pub fn verified(expr: &Expr, relation: Option<&Relation>) -> Result<()> {
    verify::stored_expression(expr, relation, None)
}

/// The trees of a list of expressions.
fn expressions(text: &str, relation: Option<&Relation>) -> Result<Vec<Expr>> {
    let exprs: Vec<Expr> = nodes::read(text)?;
    exprs.iter().try_for_each(|expr| verify::stored_expression(expr, relation, None))?;
    Ok(exprs)
}
