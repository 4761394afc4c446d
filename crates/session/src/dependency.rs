//! What expressions and queries refer to: PostgreSQL's `dependency.c`, as far as users' objects go. What is built in is never
//! dropped.
//!
//! CREATE VIEW keeps [`of_query`] of the view's query in its definition ([`engine::ViewDef::references`]), from where it
//! becomes rows of `pg_depend`.
//!
//! Definitions name what they refer to, so two things must not happen at once: that a definition comes to name an object, and
//! that the object goes or gets another name. Whoever stores a definition holds what it names ([`Session::hold`]); whoever gives
//! a relation another name locks the definitions that name it ([`Session::lock_followers`]).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use analyze::query::{Expr, Query, RangeTableEntry, RangeTableKind, Var, Walk, walk_query};
use analyze::relations::Relations;
use catalog::FIRST_NORMAL_OBJECT_ID;
use engine::{DatabaseDef, IndexDef, ObjectAddress, Result, TableDef};
use syntax::with_stack_for;
use txn::{LockMode, LockTag};
use types::names::{PG_CLASS, PG_CONSTRAINT, PG_NAMESPACE, PG_TYPE};
use types::{Datum, Oid, oid};

use crate::commands::{lock, names};
use crate::environment::Environment;
use crate::errors::reported;
use crate::session::Session;

/// What a query refers to (`recordDependencyOnExpr`).
pub fn of_query(query: &Query) -> Vec<ObjectAddress> {
    let found = References::default();
    found.query(query, None);
    found.addresses()
}

/// What an expression over a relation refers to, whose columns are those of entry 1 (`recordDependencyOnSingleRelExpr`).
pub fn of_expression(expr: &Expr, relation: Oid) -> Vec<ObjectAddress> {
    let kind = RangeTableKind::Relation { oid: relation, inherited: false, sample: None };
    let entry = RangeTableEntry {
        kind,
        name: String::new(),
        aliased: false,
        columns: [].into(),
        aliased_columns: 0,
        lateral: false,
        in_from: false,
    };
    let found = References::default();
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

#[derive(Default)]
struct References(RefCell<BTreeSet<ObjectAddress>>);

impl References {
    /// A column of an object stands for the object, too.
    fn addresses(self) -> Vec<ObjectAddress> {
        let mut all: Vec<_> = self.0.into_inner().into_iter().collect();
        // The object comes before its columns.
        all.dedup_by(|next, before| {
            let same = (next.class, next.oid) == (before.class, before.oid) && before.column == 0;
            if same {
                *before = *next;
            }
            same
        });
        all
    }

    fn add(&self, class: Oid, oid: Oid, column: i16) {
        if oid >= FIRST_NORMAL_OBJECT_ID {
            self.0.borrow_mut().insert(ObjectAddress { class, oid, column: column.into() });
        }
    }

    fn query(&self, query: &Query, outer: Option<&Level<'_>>) {
        let mut query = query.clone();
        for entry in &mut query.range_table {
            match &mut entry.kind {
                RangeTableKind::Relation { oid, .. } => self.add(PG_CLASS, *oid, 0),
                // Others are columns of the sides, which are named by whoever asks for them.
                RangeTableKind::Join { merged, columns, .. } => columns.truncate(*merged),
                _ => {}
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

/// What got another name, and what may say the old one.
pub struct Followers {
    /// What everything means by the old names.
    pub before: Arc<Environment>,
    /// The tables and views whose definitions may say them, and what gets another name itself. All are locked: nobody else
    /// changes them.
    pub relations: BTreeSet<Oid>,
}

impl Session {
    /// Locks what a definition refers to until the transaction ends: until others see the definition nobody drops or renames
    /// any of it. Who was waited for may have: the caller looks again.
    pub(crate) async fn hold(&mut self, references: &[ObjectAddress]) -> Result<()> {
        let environment = self.environment();
        let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return Ok(()) };
        // Whoever changes an index locks its table.
        let locked = |relation: Oid| database.index_by_oid(relation).map_or(relation, |(table, _)| table.oid);
        let named = references.iter().filter_map(|object| relation_of(database, object));
        let relations: BTreeSet<Oid> = named.map(locked).collect();
        for &oid in &relations {
            self.lock(LockTag::Relation { database: database.oid, oid }, LockMode::AccessShare).await?;
        }
        // The names of their schemas are kept, too.
        let mut schemas: BTreeSet<&str> =
            relations.iter().filter_map(|&relation| schema_of(database, relation)).collect();
        let named = references.iter().filter(|object| object.class == PG_NAMESPACE);
        schemas.extend(named.filter_map(|object| database.namespaces.get(&object.oid)).map(|schema| &*schema.name));
        for schema in schemas {
            names::lock_schema(self, schema, LockMode::AccessShare).await?;
        }
        Ok(())
    }

    /// [`Session::hold`] for the expressions of a table, which the transaction has locked and changed, or for the columns of a
    /// view. Fails where somebody was quicker and one of them names nothing any more, beside so many as did not
    /// ([`Session::unreadable`]) when the statement began.
    pub(crate) async fn hold_references(&mut self, relation: Oid, unreadable: usize) -> Result<()> {
        let mut held = BTreeSet::new();
        loop {
            let environment = self.environment();
            let named = named_by(&environment, relation);
            if let Some(Err(error)) = named.iter().filter(|named| named.is_err()).nth(unreadable) {
                return Err(reported(error.clone(), ""));
            }
            let references: Vec<ObjectAddress> = named.into_iter().flatten().flatten().collect();
            if references.iter().all(|object| held.contains(object)) {
                return Ok(());
            }
            self.hold(&references).await?;
            held.extend(references);
        }
    }

    /// How many expressions in the definition of a table, or of a view's columns, cannot be understood.
    pub(crate) fn unreadable(&mut self, relation: Oid) -> usize {
        named_by(&self.environment(), relation).iter().filter(|named| named.is_err()).count()
    }

    /// Locks the tables and views whose definitions name one of the relations that are about to get other names, and those
    /// relations themselves, which `renamed` finds. The caller holds locks that keep others from naming them anew, and makes the
    /// change without waiting for anything else.
    pub(crate) async fn lock_followers(&mut self, renamed: impl Fn(&DatabaseDef) -> Vec<Oid>) -> Result<Followers> {
        let mut locked = BTreeSet::new();
        loop {
            let before = self.environment();
            let relations = match before.engine.database_by_oid(before.database.0) {
                Some(database) => followers(&before, database, &renamed(database)),
                None => BTreeSet::new(),
            };
            // Who was waited for may have changed what they say.
            if relations.is_subset(&locked) {
                return Ok(Followers { before, relations });
            }
            for &oid in relations.difference(&locked) {
                // Readers may go on; whoever changes the definition may not.
                let tag = LockTag::Relation { database: before.database.0, oid };
                self.lock(tag, LockMode::ShareUpdateExclusive).await?;
            }
            locked.extend(relations);
        }
    }
}

/// The users' views that a query reads, with those that these read. `depth`: levels of the query.
pub fn views_of(environment: &Environment, query: &Query, depth: usize) -> types::Result<Vec<Oid>> {
    let database = environment.engine.database_by_oid(environment.database.0);
    let Some(database) = database.filter(|database| !database.views.is_empty()) else { return Ok(vec![]) };
    let (mut named, mut views) = (Vec::new(), Vec::new());
    with_stack_for(depth, || lock::in_query(query, &mut named));
    let mut at = 0;
    while let Some(&oid) = named.get(at) {
        at += 1;
        if !database.views.contains_key(&oid) || views.contains(&oid) {
            continue;
        }
        views.push(oid);
        let stored = environment.relations().view_query(oid)?;
        with_stack_for(stored.depth, || lock::in_query(&stored.query, &mut named));
    }
    Ok(views)
}

/// The tables and views whose definitions name one of these relations, and those relations that have definitions of their own.
fn followers(environment: &Environment, database: &DatabaseDef, renamed: &[Oid]) -> BTreeSet<Oid> {
    let names_one = |references: &[ObjectAddress]| {
        references.iter().any(|object| relation_of(database, object).is_some_and(|named| renamed.contains(&named)))
    };
    let own = renamed.iter().copied().filter(|oid| {
        database.tables.contains_key(oid) || database.views.contains_key(oid) || database.sequences.contains_key(oid)
    });
    let mut found: BTreeSet<Oid> = own.collect();
    for &table in database.tables.keys() {
        if named_by(environment, table).iter().flatten().any(|references| names_one(references)) {
            found.insert(table);
        }
    }
    for view in database.views.values() {
        if names_one(&view.references) || named_by(environment, view.oid).iter().flatten().any(|named| names_one(named))
        {
            found.insert(view.oid);
        }
    }
    found
}

/// What each expression in the definition of a table names, or in those of a view's columns.
fn named_by(environment: &Environment, relation: Oid) -> Vec<types::Result<Vec<ObjectAddress>>> {
    let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return vec![] };
    let relations = environment.relations();
    let default = |position: usize| {
        let value = relations.column_default(relation, position as i16 + 1);
        value.map(|value| value.map_or_else(Vec::new, |value| of_expression(&value, relation)))
    };
    if let Some(view) = database.view_by_oid(relation) {
        let given = (0..view.columns.len()).filter(|&position| view.columns[position].default.is_some());
        return given.map(default).collect();
    }
    let Some(table) = database.table_by_oid(relation) else { return vec![] };
    let check = |check: &engine::CheckDef| {
        let condition = environment.check_condition(relation, &check.condition);
        condition.map(|condition| of_expression(&condition, relation))
    };
    let index = |index: &IndexDef| {
        let expressions = relations.index_expressions(index.oid)?;
        let all = expressions.keys.iter().chain(&expressions.predicate);
        Ok(all.flat_map(|expr| of_expression(expr, relation)).collect())
    };
    let defaults = with_default(table).map(default);
    let indexes = table.indexes.iter().filter(|index| is_computed(index)).map(index);
    defaults.chain(table.checks.iter().map(check)).chain(indexes).collect()
}

fn with_default(table: &TableDef) -> impl Iterator<Item = usize> {
    let columns = table.columns.iter().enumerate();
    columns.filter(|(_, column)| column.default.is_some() && column.identity.is_none()).map(|(position, _)| position)
}

/// Does it have more than columns?
fn is_computed(index: &IndexDef) -> bool {
    index.predicate.is_some() || index.columns.iter().any(|column| column.key.expression().is_some())
}

/// The relation that a reference names, itself or by the type of its rows.
fn relation_of(database: &DatabaseDef, object: &ObjectAddress) -> Option<Oid> {
    let is_of = |types: [Oid; 2]| types.contains(&object.oid);
    match object.class {
        PG_CLASS => Some(object.oid),
        PG_TYPE => {
            let table = database.tables.values().find(|table| is_of([table.row_type, table.array_type]));
            let view = || database.views.values().find(|view| is_of([view.row_type, view.array_type]));
            table.map(|table| table.oid).or_else(|| view().map(|view| view.oid))
        }
        _ => None,
    }
}

/// The schema of a table, a view or a sequence.
pub fn schema_of(database: &DatabaseDef, relation: Oid) -> Option<&str> {
    let table = database.table_by_oid(relation).map(|table| &table.schema);
    let view = || database.view_by_oid(relation).map(|view| &view.schema);
    let sequence = || database.sequence_by_oid(relation).map(|sequence| &sequence.schema);
    table.or_else(view).or_else(sequence).map(String::as_str)
}
