//! What the catalogs keep as SQL, as trees: views' queries, columns' defaults, expressions of indexes.
//!
//! It is read with `pg_catalog` and `public` in the search path, and with the settings of [`Context::default`], whatever the
//! session's are.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID, PG_CATALOG, PUBLIC};
use syntax::nodes::Node;
use syntax::{RawStmt, with_stack_for};
use types::names::PG_CLASS;
use types::{Context, Error, Oid, Result, oid};

use crate::query::{Expr, TypeRef};
use crate::relations::{Attribute, IndexExpressions, Relation, RelationKind, Relations};
use crate::transform::{
    Analyzed, ExprKind, Parameters, STACK_OF_LEVEL, Statement, analyze, analyze_condition, analyze_default,
    analyze_expression,
};

/// The relations of one version of the catalogs and the trees of what it keeps as SQL, made when they are first asked for.
#[derive(Default)]
pub struct StoredTrees {
    /// What knows the names in that version.
    context: Context,
    pub(crate) relations: Kept<Oid, Option<Arc<Relation>>>,
    pub(crate) views: Kept<Oid, Arc<Analyzed>>,
    pub(crate) defaults: Kept<(Oid, i16), Option<Arc<Expr>>>,
    pub(crate) indexes: Kept<Oid, Arc<IndexExpressions>>,
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

/// The query of a view of `pg_catalog` or `information_schema`.
pub(crate) fn built_in_view(context: &Context, view: Oid) -> Result<Arc<Analyzed>> {
    static VIEWS: LazyLock<Kept<Oid, Arc<Analyzed>>> = LazyLock::new(Kept::default);
    VIEWS.get(view, || view_query(Catalog::BUILT_IN, context, view).map(Arc::new))
}

pub(crate) fn view_query(catalog: Catalog<'_>, context: &Context, view: Oid) -> Result<Analyzed> {
    let text = catalog.view_definition(view).ok_or_else(|| corrupt("a view has no query"))?;
    let raw = only(syntax::parse(text))?;
    with_statement(catalog, context, |statement| {
        // What system views convert to a domain is what it allows.
        statement.trusted = view < FIRST_NORMAL_OBJECT_ID;
        analyze(statement, &raw)
    })
}

pub(crate) fn column_default(
    catalog: Catalog<'_>,
    context: &Context,
    relation: Oid,
    attribute: i16,
) -> Result<Option<Arc<Expr>>> {
    let column = catalog.attributes(relation).find(|column| column.attnum == attribute);
    let column = column.ok_or_else(|| corrupt("a column is not there"))?;
    let ty = TypeRef { oid: column.atttypid, typmod: column.atttypmod };
    if column.attidentity != 0 {
        let sequence = identity_sequence(catalog, relation, attribute)?;
        return Ok(Some(Arc::new(Expr::NextValue { sequence, result: ty.oid })));
    }
    if column.attgenerated != 0 {
        return Ok(None);
    }
    let own = catalog.defaults_of((relation, attribute)).next().map(|row| &row.adbin);
    // A domain may have one for all its columns.
    let of_type = || catalog.pg_type(ty.oid).filter(|row| row.typtype == b'd').and_then(|row| row.typdefault.as_ref());
    let Some(text) = own.or_else(of_type) else { return Ok(None) };
    let value = with_expressions(catalog, context, text, |statement, nodes| match nodes {
        [Node::ResTarget(target)] => {
            let node = target.val.as_ref().ok_or_else(|| corrupt("a default is no expression"))?;
            analyze_default(statement, node, &column.attname, ty)
        }
        _ => Err(corrupt("a default is no expression")),
    })?;
    Ok(Some(Arc::new(value)))
}

/// The sequence that an identity column owns (`getIdentitySequence`).
fn identity_sequence(catalog: Catalog<'_>, relation: Oid, attribute: i16) -> Result<Oid> {
    let mut owned = catalog.dependents((PG_CLASS, relation));
    let found =
        owned.find(|row| row.classid == PG_CLASS && row.deptype == b'i' && row.refobjsubid == i32::from(attribute));
    found.map(|row| row.objid).ok_or_else(|| corrupt("an identity column has no sequence"))
}

pub(crate) fn index_expressions(catalog: Catalog<'_>, context: &Context, index: Oid) -> Result<IndexExpressions> {
    let row = catalog.index(index).ok_or_else(|| corrupt("an index is not there"))?;
    let relation = catalog.relation_by_oid(row.indrelid).ok_or_else(|| corrupt("an index has no table"))?;
    let read = |text: &str, kind| index_expression(catalog, context, &relation, text, kind);
    let keys = row.indexprs.as_ref().map_or(Ok(vec![]), |text| read(text, ExprKind::IndexExpression))?;
    let predicate = row.indpred.as_ref().map_or(Ok(vec![]), |text| read(text, ExprKind::IndexPredicate))?;
    Ok(IndexExpressions { keys, predicate: predicate.into_iter().next() })
}

/// What an index keeps as SQL, over the columns of its table, which is entry 1: expressions of its key, or its predicate.
pub fn index_expression(
    catalog: Catalog<'_>,
    context: &Context,
    relation: &Arc<Relation>,
    text: &str,
    kind: ExprKind,
) -> Result<Vec<Expr>> {
    with_expressions(catalog, context, text, |statement, nodes| {
        let read = |node: &Node| {
            let Node::ResTarget(target) = node else { return Err(corrupt("an index has no expression")) };
            let value = target.val.as_ref().ok_or_else(|| corrupt("an index has no expression"))?;
            match kind {
                ExprKind::IndexPredicate => analyze_condition(statement, value, relation, kind, "WHERE"),
                _ => analyze_expression(statement, value, Some(relation), kind),
            }
        };
        nodes.iter().map(read).collect()
    })
}

/// A CHECK condition that is kept as SQL, over the columns of its table, which is entry 1.
pub fn check_condition(catalog: Catalog<'_>, context: &Context, relation: Oid, text: &str) -> Result<Expr> {
    let relation = catalog.relation_by_oid(relation).ok_or_else(|| corrupt("a condition has no table"))?;
    condition_over(catalog, context, &relation, text)
}

/// A domain's CHECK condition that is kept as SQL: its VALUE is the only column of entry 1.
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
    };
    condition_over(catalog, context, &Arc::new(relation), text)
}

fn condition_over(catalog: Catalog<'_>, context: &Context, relation: &Arc<Relation>, text: &str) -> Result<Expr> {
    with_expressions(catalog, context, text, |statement, nodes| match nodes {
        [Node::ResTarget(target)] => {
            let node = target.val.as_ref().ok_or_else(|| corrupt("a condition is no expression"))?;
            analyze_condition(statement, node, relation, ExprKind::CheckConstraint, "CHECK")
        }
        _ => Err(corrupt("a condition is no expression")),
    })
}

/// Analyzes in the surroundings that what is stored was written for.
fn with_statement<T>(
    catalog: Catalog<'_>,
    context: &Context,
    analyze: impl FnOnce(&mut Statement<'_>) -> Result<T>,
) -> Result<T> {
    let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], ..catalog };
    let mut statement = Statement::new(catalog, &catalog, context, "", Parameters::fixed(&[]));
    statement.stored = true;
    let unplaced = |mut error: Error| {
        // Its places are not the statement's.
        error.0.location = None;
        error
    };
    analyze(&mut statement).map_err(unplaced)
}

fn with_expressions<T>(
    catalog: Catalog<'_>,
    context: &Context,
    text: &str,
    analyze: impl FnOnce(&Statement<'_>, &[Node]) -> Result<T>,
) -> Result<T> {
    let raw = only(syntax::parse(&format!("SELECT {text}")))?;
    let Node::SelectStmt(select) = &raw.stmt else { return Err(corrupt("an expression is a statement")) };
    with_stack_for(raw.depth * STACK_OF_LEVEL, || {
        with_statement(catalog, context, |statement| analyze(statement, &select.target_list))
    })
}

fn only<E>(parsed: std::result::Result<Vec<RawStmt>, E>) -> Result<RawStmt> {
    let mut statements = parsed.map_err(|_| corrupt("what is stored is no SQL"))?;
    match (statements.pop(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        _ => Err(corrupt("what is stored is no statement")),
    }
}

fn corrupt(what: &str) -> Error {
    Error::new("XX000", format!("catalog: {what}"))
}
