//! Drops objects with what depends on them (`performMultipleDeletions`). What that is, `pg_depend` says
//! ([`catalog::object::dependency`]); here are the locks, and how each kind is taken away.
//!
//! # Invariants
//! * What goes is locked before it is looked at for the last time: no session changes it, or makes something depend on it, in
//!   between.
//! * A part of a relation that goes as well is not taken away by itself.

use std::collections::HashSet;

use catalog::object::ObjectProperty;
use catalog::object::dependency::Dependents;
use catalog::{Catalog, CatalogKey, Keyed};
use engine::{DatabaseDef, EngineError, Named, ObjectAddress, Result, TableDef, ViewDef};
use error::sqlstate;
use session::Session;
use syntax::nodes::DropBehavior;
use txn::{LockMode, LockTag};
use types::Oid;
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_POLICY, PG_TYPE};

use crate::table::alter_column;
use crate::r#type::{composite, r#enum};
use crate::{index, view};

/// Drops objects, which the caller has locked and may drop, and what depends on them; fails where that is something and
/// `behavior` is RESTRICT.
pub async fn drop_all(session: &mut Session, objects: &[ObjectAddress], behavior: DropBehavior) -> Result<()> {
    perform(session, objects, behavior, |session, notice| session.notice("NOTICE", notice)).await
}

/// The same with all that depends on them, and tells no client of it.
pub async fn drop_quietly(session: &mut Session, objects: &[ObjectAddress]) -> Result<()> {
    perform(session, objects, DropBehavior::DROP_CASCADE, |_, _| ()).await
}

/// Drops; `tell` is told first of what goes besides.
async fn perform(
    session: &mut Session,
    objects: &[ObjectAddress],
    behavior: DropBehavior,
    tell: fn(&mut Session, EngineError),
) -> Result<()> {
    let cascade = behavior == DropBehavior::DROP_CASCADE;
    let mut locked = HashSet::new();
    loop {
        let environment = session.environment();
        let catalog = environment.catalog();
        let found = Dependents::of(catalog, objects)?;
        let going: HashSet<ObjectAddress> = found.objects().collect();
        let alone: Vec<ObjectAddress> = found.objects().filter(|part| !goes_with(catalog, *part, &going)).collect();
        // Readers of a relation that only loses a part need not be waited for yet: it may be refused.
        let first =
            alone.iter().filter_map(|object| relation_to_lock(catalog, *object, LockMode::ShareUpdateExclusive));
        if acquire_locks(session, first.collect(), &mut locked).await? {
            // A transaction that was waited for may have dropped some of it, or made something else depend on it.
            continue;
        }
        let notice = found.report(catalog, objects, cascade)?;
        let all = alone.iter().filter_map(|object| relation_to_lock(catalog, *object, LockMode::AccessExclusive));
        if acquire_locks(session, all.collect(), &mut locked).await? {
            continue;
        }
        if let Some(notice) = notice {
            tell(session, notice.into());
        }
        for object in alone {
            remove(session, object).await?;
        }
        return Ok(());
    }
}

/// Fails where something depends on an object, or it is a part of something. No lock is taken.
pub fn check_unused(session: &mut Session, object: ObjectAddress) -> Result<()> {
    let environment = session.environment();
    let found = Dependents::of(environment.catalog(), &[object])?;
    found.report(environment.catalog(), &[object], false)?;
    Ok(())
}

/// Is it taken away together with the relation, or the column, that it is a part of?
fn goes_with(catalog: Catalog<'_>, object: ObjectAddress, going: &HashSet<ObjectAddress>) -> bool {
    if object.class == PG_POLICY {
        // The relation's definition does not have it.
        return false;
    }
    let relation = catalog.containing_relation(object).map(|oid| ObjectAddress { class: PG_CLASS, oid, column: 0 });
    let column = catalog.containing_column(object);
    relation.into_iter().chain(column).any(|whole| going.contains(&whole))
}

/// The relation that is locked before an object is dropped (`AcquireDeletionLock`), and how: `part`, where only a part of it goes.
/// What is no relation the caller has locked, or no session locks.
fn relation_to_lock(catalog: Catalog<'_>, object: ObjectAddress, part: LockMode) -> Option<(Oid, LockMode)> {
    match catalog.containing_relation(object) {
        Some(relation) => Some((relation, part)),
        None => (object.class == PG_CLASS).then_some((object.oid, LockMode::AccessExclusive)),
    }
}

/// Locks what is not locked yet. Was there any?
async fn acquire_locks(
    session: &mut Session,
    wanted: Vec<(Oid, LockMode)>,
    locked: &mut HashSet<(Oid, LockMode)>,
) -> Result<bool> {
    let database = session.shared.database.0;
    let mut any = false;
    for (oid, mode) in wanted {
        if locked.insert((oid, mode)) {
            any = true;
            session.lock(LockTag::Relation { database, oid }, mode).await?;
        }
    }
    session.show_changes();
    Ok(any)
}

/// Takes an object away, with what is said of it (`deleteOneObject`).
async fn remove(session: &mut Session, object: ObjectAddress) -> Result<()> {
    match object.class {
        PG_CLASS if object.column != 0 && is_composite(session, object.oid) => {
            composite::remove_column(session, (object.oid, object.column as i16))?;
        }
        PG_CLASS if object.column != 0 => alter_column::remove(session, object.oid, object.column).await?,
        PG_CLASS => remove_relation(session, object.oid)?,
        PG_ATTRDEF => remove_default(session, object.oid),
        PG_CONSTRAINT => remove_constraint(session, object.oid)?,
        PG_TYPE => {
            r#enum::delete_labels(session, object);
            remove_row(session, object);
        }
        _ => remove_row(session, object),
    }
    forget(session, object);
    Ok(())
}

/// Deletes the row of an object that is no relation, nor a part of one.
fn remove_row(session: &mut Session, object: ObjectAddress) {
    let environment = session.environment();
    let row = ObjectProperty::of(object.class).and_then(|property| property.row(environment.catalog(), object.oid));
    if let Some(row) = row {
        let database = session.shared.database.0;
        session.transaction().delete(database, row.key());
        session.show_changes();
    }
}

/// Deletes what is said of an object that goes, and what it depends on. Relations' definitions have most of that.
pub fn forget(session: &mut Session, object: ObjectAddress) {
    forget_references(session, object);
    let database = session.shared.database.0;
    let ObjectAddress { class, oid, column } = object;
    let environment = session.environment();
    let comments = environment.catalog().descriptions_of(oid);
    let comments = comments.filter(|row| row.classoid == class && (column == 0 || row.objsubid == column));
    let gone: Vec<CatalogKey> = comments.map(|row| CatalogKey::PgDescription(row.key())).collect();
    gone.into_iter().for_each(|key| session.transaction().delete(database, key));
    session.show_changes();
}

/// Deletes what says on which objects and roles an object depends.
pub fn forget_references(session: &mut Session, object: ObjectAddress) {
    let database = session.shared.database.0;
    let ObjectAddress { class, oid, column } = object;
    let catalog = session.shared.catalog();
    let Some(rows) = catalog.database_by_oid(database).map(DatabaseDef::catalog) else { return };
    let is_of = |of_column: i32| column == 0 || of_column == column;
    let depends = rows.depends_on((class, oid)).filter(|row| is_of(row.objsubid));
    let depends = depends.map(|row| CatalogKey::PgDepend(row.key()));
    let owner = rows.shared_depends_on((database, class, oid)).filter(|row| is_of(row.objsubid));
    let owner = owner.map(|row| CatalogKey::PgShdepend(row.key()));
    let gone: Vec<CatalogKey> = depends.chain(owner).collect();
    let transaction = session.transaction();
    gone.into_iter().for_each(|key| transaction.delete(database, key));
    session.show_changes();
}

fn is_composite(session: &mut Session, relation: Oid) -> bool {
    session.environment().catalog().relation(relation).is_some_and(|row| row.relkind == b'c')
}

/// A table, a view, a sequence, a composite type, or an index of a table that stays.
fn remove_relation(session: &mut Session, oid: Oid) -> Result<()> {
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return Ok(()) };
    let Some(row) = database.catalog().relation(oid) else { return Ok(()) };
    let relation = match row.relkind {
        b'i' => return remove_index(session, oid),
        b'v' => Named::View(oid),
        b'S' => Named::Sequence(oid),
        b'c' => {
            composite::remove(session, row);
            return Ok(());
        }
        _ => Named::Table(oid),
    };
    // Whatever it is, it goes by this name in PostgreSQL's `heap_drop_with_catalog`.
    session.check_not_in_use(oid, &row.relname, "DROP TABLE")?;
    session.shared.sequences.shut(oid);
    session.transaction().drop_relation(database, relation);
    session.show_changes();
    Ok(())
}

fn remove_index(session: &mut Session, oid: Oid) -> Result<()> {
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    if let Some((table, found)) = database.and_then(|database| database.index_by_oid(oid)) {
        session.check_not_in_use(oid, &found.name, "DROP INDEX")?;
        index::remove(session, table, found);
    }
    Ok(())
}

fn remove_default(session: &mut Session, oid: Oid) {
    let environment = session.environment();
    let Some(row) = environment.catalog().attribute_default(oid) else { return };
    let at = row.adnum as usize - 1;
    if let Some(found) = session.view_def(row.adrelid) {
        let mut def = ViewDef::clone(&found);
        def.columns.iter_mut().skip(at).take(1).for_each(|column| column.default = None);
        view::put(session, def);
    } else if let Some(found) = session.table_def(row.adrelid) {
        let mut def = TableDef::clone(&found);
        def.columns.iter_mut().skip(at).take(1).for_each(|column| column.default = None);
        session.put_table(&found, def);
    }
}

/// A check, or a key, whose index has gone before and taken it along.
fn remove_constraint(session: &mut Session, oid: Oid) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().constraint(oid) else { return Ok(()) };
    let Some(found) = session.table_def(row.conrelid).filter(|_| row.contype == b'c') else {
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, format!("constraint {} goes alone", row.conname)));
    };
    let mut def = TableDef::clone(&found);
    def.checks.retain(|check| check.oid != oid);
    session.put_table(&found, def);
    Ok(())
}
