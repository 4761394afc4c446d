//! What expressions and queries refer to: PostgreSQL's `dependency.c`, as far as users' objects go. What is built in is never
//! dropped.
//!
//! It is kept with each expression and query ([`engine::NodeTree::references`]), from where it becomes rows of `pg_depend`.
//!
//! Two things must not happen at once: that a definition comes to refer to an object, and that the object goes. A session that
//! stores a definition holds what it refers to ([`hold`]).

use std::cell::RefCell;
use std::collections::BTreeSet;

use analyze::query::{Expr, Query, RangeTableEntry, RangeTableKind, Var, Walk, walk_query};
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use engine::{DatabaseDef, EngineError, NodeTree, ObjectAddress, Result};
use error::sqlstate;
use session::{Environment, Session};
use txn::{LockMode, LockTag};
use types::acl::mode::USAGE;
use types::names::{PG_CLASS, PG_CONSTRAINT, PG_NAMESPACE, PG_TYPE};
use types::{Datum, Oid, oid};

use crate::object::alter::{of_class, of_type};
use crate::object::{names, object_address};

/// What a query refers to (`recordDependencyOnExpr`).
pub fn of_query(catalog: Catalog<'_>, query: &Query) -> Vec<ObjectAddress> {
    let found = References { catalog, found: RefCell::default() };
    found.query(query, None);
    found.addresses()
}

/// What an expression over a relation refers to, whose columns are those of entry 1 (`recordDependencyOnSingleRelExpr`).
pub fn of_expression(catalog: Catalog<'_>, expr: &Expr, relation: Oid) -> Vec<ObjectAddress> {
    let kind = RangeTableKind::Relation { oid: relation, inherited: false, sample: None };
    let entry = RangeTableEntry {
        kind,
        name: String::new(),
        aliased: false,
        columns: [].into(),
        aliased_columns: 0,
        lateral: false,
        in_from: false,
        ..Default::default()
    };
    let found = References { catalog, found: RefCell::default() };
    found.expr(expr, &Level { range_table: &[entry], outer: None });
    found.addresses()
}

/// Where expressions stand: the range table of their query, and those of the queries around it.
struct Level<'a> {
    range_table: &'a [RangeTableEntry],
    outer: Option<&'a Level<'a>>,
}

impl Level<'_> {
    /// The table whose column it is.
    fn relation(&self, var: &Var) -> Option<Oid> {
        let mut level = self;
        for _ in 0..var.levels_up {
            level = level.outer?;
        }
        match level.range_table.get(var.relation.index())?.kind {
            RangeTableKind::Relation { oid, .. } => Some(oid),
            _ => None,
        }
    }
}

struct References<'a> {
    catalog: Catalog<'a>,
    /// In the order in which they are met.
    found: RefCell<Vec<ObjectAddress>>,
}

impl References<'_> {
    /// A column of an object stands for the object, too.
    fn addresses(self) -> Vec<ObjectAddress> {
        let mut all = self.found.into_inner();
        let mut seen = BTreeSet::new();
        all.retain(|object| seen.insert(*object));
        let has_column = |object: &ObjectAddress| {
            let columns = ObjectAddress { column: 1, ..*object }..=ObjectAddress { column: i32::MAX, ..*object };
            seen.range(columns).next().is_some()
        };
        all.retain(|object| object.column != 0 || !has_column(object));
        all
    }

    fn add(&self, class: Oid, oid: Oid, column: i16) {
        if oid >= FIRST_NORMAL_OBJECT_ID {
            self.found.borrow_mut().push(ObjectAddress { class, oid, column: column.into() });
        }
    }

    fn query(&self, query: &Query, outer: Option<&Level<'_>>) {
        let query = query.without_columns_of_sides();
        for entry in &query.range_table {
            if let RangeTableKind::Relation { oid, .. } = entry.kind {
                self.add(PG_CLASS, oid, 0);
            }
        }
        query.keys_grouped_by.iter().for_each(|&key| self.add(PG_CONSTRAINT, key, 0));
        let level = Level { range_table: &query.range_table, outer };
        let mut each = |expr: &Expr| {
            self.expr(expr, &level);
            Walk::On
        };
        let mut subquery = |inner: &Query| {
            self.query(inner, Some(&level));
            Walk::On
        };
        walk_query(&query, &mut each, &mut subquery);
    }

    fn expr(&self, expr: &Expr, level: &Level<'_>) {
        match expr {
            Expr::Var(var) => {
                // The whole row names no column.
                if let Some(relation) = level.relation(var).filter(|_| var.attribute != 0) {
                    self.add(PG_CLASS, relation, var.attribute);
                }
            }
            Expr::Const(constant) => {
                self.add(PG_TYPE, constant.ty.oid, 0);
                match (constant.ty.oid, &constant.value) {
                    (oid::REGCLASS, Datum::U32(relation)) => self.add(PG_CLASS, *relation, 0),
                    (oid::REGTYPE, Datum::U32(ty)) => self.add(PG_TYPE, *ty, 0),
                    (oid::REGNAMESPACE, Datum::U32(schema)) => self.add(PG_NAMESPACE, *schema, 0),
                    _ => {}
                }
            }
            Expr::FieldSelect(e) => {
                let relation = self.catalog.type_relation(e.row.ty().oid);
                relation.into_iter().for_each(|relation| self.add(PG_CLASS, relation, e.field));
            }
            Expr::FieldStore(e) => {
                let relation = self.catalog.type_relation(e.result.oid);
                relation.into_iter().for_each(|relation| self.add(PG_CLASS, relation, e.field));
            }
            Expr::NextValue { sequence, .. } => self.add(PG_CLASS, *sequence, 0),
            Expr::RelabelType(_) | Expr::CoerceViaIo(_) | Expr::ArrayCoerce(_) | Expr::Row(_) => {
                self.add(PG_TYPE, expr.ty().oid, 0);
            }
            _ => {}
        }
        let mut each = |child: &Expr| {
            self.expr(child, level);
            Walk::On
        };
        let mut subquery = |query: &Query| {
            self.query(query, Some(level));
            Walk::On
        };
        expr.walk(&mut each, &mut subquery);
    }
}

/// Locks what a definition refers to until the transaction ends: until others see the definition no session drops any of
/// it. A session that was waited for may have: the caller looks again. Fails where the session may not use a type in it.
pub async fn hold(session: &mut Session, references: &[ObjectAddress]) -> Result<()> {
    let environment = session.environment();
    let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return Ok(()) };
    // A session that changes an index locks its table.
    let locked = |relation: Oid| database.index_by_oid(relation).map_or(relation, |(table, _)| table.oid);
    let catalog = environment.catalog();
    let named = references.iter().filter_map(|object| relation_of(catalog, object));
    let relations: BTreeSet<Oid> = named.map(locked).collect();
    for &oid in &relations {
        session.lock(LockTag::Relation { database: database.oid, oid }, LockMode::AccessShare).await?;
    }
    let schemas = references.iter().filter(|object| object.class == PG_NAMESPACE);
    let schemas: BTreeSet<&str> =
        schemas.filter_map(|object| catalog.namespace(object.oid)).map(|schema| &*schema.nspname).collect();
    for schema in schemas {
        names::lock_schema(session, schema, LockMode::AccessShare).await?;
    }
    let types: BTreeSet<Oid> =
        references.iter().filter(|object| object.class == PG_TYPE).map(|object| object.oid).collect();
    types.iter().try_for_each(|ty| session.shared.require(of_type(*ty), USAGE))?;
    hold_types(session, types).await
}

/// The same for types of users' own. Fails where one is gone.
pub async fn hold_types(session: &mut Session, types: impl IntoIterator<Item = Oid>) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let own = |ty: Oid| catalog.element_type(ty).filter(|_| ty >= FIRST_NORMAL_OBJECT_ID).unwrap_or(ty);
    let types: BTreeSet<Oid> = types.into_iter().map(own).filter(|ty| *ty >= FIRST_NORMAL_OBJECT_ID).collect();
    for &ty in &types {
        let object = relation_of(catalog, &of_type(ty)).map_or(of_type(ty), of_class);
        object_address::lock_object(session, object, LockMode::AccessShare).await?;
    }
    let environment = session.environment();
    match types.into_iter().find(|ty| environment.catalog().pg_type(*ty).is_none()) {
        None => Ok(()),
        Some(gone) => Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("type with OID {gone} does not exist"))),
    }
}

/// [`hold`] for the expressions of a table, which the transaction has locked and changed, or for the columns of a
/// view. Fails where a session was quicker and one of them refers to nothing any more.
pub async fn hold_references(session: &mut Session, relation: Oid) -> Result<()> {
    let environment = session.environment();
    let references: Vec<ObjectAddress> =
        trees_of(&environment, relation).iter().flat_map(|tree| tree.references.iter().copied()).collect();
    hold(session, &references).await?;
    let environment = session.environment();
    let is_gone =
        |object: &&ObjectAddress| object.class == PG_CLASS && environment.catalog().relation(object.oid).is_none();
    match references.iter().find(is_gone) {
        None => Ok(()),
        Some(gone) => {
            Err(EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation with OID {} does not exist", gone.oid)))
        }
    }
}

/// The expressions in the definition of a table, or in those of a view's columns.
fn trees_of(environment: &Environment, relation: Oid) -> Vec<&NodeTree> {
    let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return vec![] };
    if let Some(view) = database.view_by_oid(relation) {
        return view.columns.iter().filter_map(|column| column.default.as_ref()).collect();
    }
    let Some(table) = database.table_by_oid(relation) else { return vec![] };
    let defaults = table.columns.iter().filter_map(|column| column.default.as_ref());
    let checks = table.checks.iter().map(|check| &check.condition);
    let indexes = table.indexes.iter().flat_map(|index| index.computed()).map(|computed| &computed.tree);
    defaults.chain(checks).chain(indexes).collect()
}

/// The relation that a reference names, itself or by the type of its rows.
fn relation_of(catalog: Catalog<'_>, object: &ObjectAddress) -> Option<Oid> {
    match object.class {
        PG_CLASS => Some(object.oid),
        PG_TYPE => catalog.type_relation(catalog.element_type(object.oid).unwrap_or(object.oid)),
        _ => None,
    }
}

/// The schema of a table, a view or a sequence.
pub fn schema_of(database: &DatabaseDef, relation: Oid) -> Option<&str> {
    Some(database.namespace_name(database.catalog().relation(relation)?.relnamespace))
}
