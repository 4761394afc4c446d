//! What goes with an object that is dropped, and what keeps it from being dropped: PostgreSQL's `dependency.c`.

use std::collections::{BTreeSet, HashMap, HashSet};

use catalog::Catalog;
use catalog::catalogs::PgDepend;
use catalog::catalogs::PgExtension;
use catalog::object::ObjectAddress;
use catalog::{CatalogKey, Keyed};
use engine::{DatabaseDef, EngineError, Named, Result, TableDef, ViewDef};
use error::sqlstate;
use syntax::nodes::DropBehavior;
use txn::{LockMode, LockTag};
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_EXTENSION, PG_NAMESPACE, PG_REWRITE, PG_TYPE};

use crate::commands::view;
use crate::session::Session;

/// What may be dropped, or depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    Table(u32),
    Sequence(u32),
    View(u32),
    Schema(u32),
    Extension(u32),
    /// A column of a table, by its position. The caller takes it away.
    Column(u32, usize),
    /// Of a column.
    Default(u32, usize),
    /// A key of a table, by its index. The caller takes it away.
    Constraint(u32, u32),
}

/// How an object depends on another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependency {
    /// It goes with it, and nobody is told.
    Auto,
    Normal,
}

/// Drops objects, which the caller has locked and may drop, and what depends on them; fails where that is something and
/// `behavior` is RESTRICT (`performMultipleDeletions`).
pub async fn drop_all(session: &mut Session, objects: &[Object], behavior: DropBehavior) -> Result<()> {
    let mut locked = HashSet::new();
    loop {
        let environment = session.environment();
        let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return Ok(()) };
        let catalog = environment.catalog();
        let mut deletion = Deletion { database, catalog, going: vec![], places: HashMap::new(), ranked: 0 };
        for &object in objects {
            deletion.add(object, None);
        }
        let new: Vec<Object> =
            deletion.going.iter().map(|going| going.object).filter(|object| !locked.contains(object)).collect();
        if !new.is_empty() {
            for &object in &new {
                acquire_lock(session, object).await?;
            }
            locked.extend(new);
            // Who was waited for may have dropped some of it, or made something else depend on it.
            continue;
        }
        deletion.order();
        deletion.report(session, objects, behavior)?;
        for gone in deletion.going.iter().rev() {
            remove(session, gone.object).await?;
        }
        return Ok(());
    }
}

/// Locks what is about to go (`AcquireDeletionLock`). Others than relations the caller has locked, or nobody locks.
async fn acquire_lock(session: &mut Session, object: Object) -> Result<()> {
    let mode = match object {
        Object::Table(_) | Object::View(_) | Object::Sequence(_) => LockMode::AccessExclusive,
        // Readers of the table need not be waited for yet: it may be refused.
        Object::Default(..) => LockMode::ShareUpdateExclusive,
        Object::Schema(_) | Object::Extension(_) | Object::Column(..) | Object::Constraint(..) => return Ok(()),
    };
    session.lock(LockTag::Relation { database: session.shared.database.0, oid: object.oid() }, mode).await
}

/// The views that depend on a column of a table.
pub fn views_on_column(catalog: Catalog<'_>, table: u32, position: usize) -> impl Iterator<Item = u32> {
    let of_column = move |row: &&PgDepend| row.refobjsubid == position as i32 + 1;
    catalog.dependents((PG_CLASS, table)).filter(of_column).filter_map(move |row| view_of(catalog, row))
}

/// The view whose query it is that depends.
fn view_of(catalog: Catalog<'_>, row: &PgDepend) -> Option<u32> {
    let rule = (row.classid == PG_REWRITE).then(|| catalog.rule(row.objid))??;
    Some(rule.ev_class)
}

/// An object that goes.
struct Going {
    object: Object,
    /// How many went before it was known that all its dependents do.
    rank: usize,
    /// On what it depends; `None`: it is what is to be dropped.
    because: Option<(Object, Dependency)>,
}

struct Deletion<'a> {
    database: &'a DatabaseDef,
    catalog: Catalog<'a>,
    going: Vec<Going>,
    /// Where the objects are among those that go.
    places: HashMap<Object, usize>,
    /// How many of them have their dependents.
    ranked: usize,
}

impl Deletion<'_> {
    /// Adds an object with what depends on it, newer objects first: what depends on it in several ways is said to by the
    /// shortest (`findDependentObjects`).
    fn add(&mut self, object: Object, because: Option<(Object, Dependency)>) {
        if let Some(&known) = self.places.get(&object) {
            let known = &mut self.going[known];
            // What is to be dropped anyway, or goes with something, is not told of.
            let silent = because.is_none_or(|(_, dependency)| dependency == Dependency::Auto);
            if silent && known.because.is_some() {
                known.because = because;
            }
            return;
        }
        let place = self.going.len();
        self.places.insert(object, place);
        self.going.push(Going { object, rank: 0, because });
        for (dependent, dependency) in self.dependents(object) {
            self.add(dependent, Some((object, dependency)));
        }
        self.ranked += 1;
        self.going[place].rank = self.ranked;
    }

    /// Puts what depends on an object behind it.
    fn order(&mut self) {
        self.going.sort_by_key(|going| std::cmp::Reverse(going.rank));
    }

    fn dependents(&self, object: Object) -> Vec<(Object, Dependency)> {
        let mut found = match object {
            Object::Table(oid) => {
                let def = self.database.table_by_oid(oid);
                let types = def.map_or([0, 0], |def| [def.row_type, def.array_type]);
                let mut found = self.views_on(oid, types);
                let owned = self.database.owned_sequences(oid);
                found.extend(owned.map(|sequence| (Object::Sequence(sequence.oid), Dependency::Auto)));
                found.extend(self.defaults_on(oid));
                found
            }
            Object::View(oid) => {
                let def = self.database.view_by_oid(oid);
                let types = def.map_or([0, 0], |def| [def.row_type, def.array_type]);
                [self.views_on(oid, types), self.defaults_on(oid).collect()].concat()
            }
            Object::Sequence(oid) => [self.views_on(oid, [0, 0]), self.defaults_on(oid).collect()].concat(),
            Object::Schema(oid) => self.in_schema(oid),
            Object::Extension(oid) => {
                let members = self.catalog.dependents((PG_EXTENSION, oid)).filter(|row| row.deptype == b'e');
                members.map(|row| (Object::View(row.objid), Dependency::Auto)).collect()
            }
            Object::Column(table, position) => self.of_column(table, position),
            Object::Default(..) => vec![],
            Object::Constraint(_, key) => self.grouping_by(key),
        };
        found.sort_by_key(|(object, _)| std::cmp::Reverse(object.oid()));
        found
    }

    /// The defaults that refer to a relation.
    fn defaults_on(&self, relation: u32) -> impl Iterator<Item = (Object, Dependency)> {
        let dependents = self.catalog.dependents((PG_CLASS, relation));
        let defaults = dependents.filter_map(move |row| self.default_of(row, relation)).collect::<BTreeSet<_>>();
        defaults.into_iter().map(|default| (default, Dependency::Normal))
    }

    /// The default that depends, if it is one of another relation's columns.
    fn default_of(&self, row: &PgDepend, relation: u32) -> Option<Object> {
        let default = (row.classid == PG_ATTRDEF).then(|| self.catalog.attribute_default(row.objid))??;
        let position = usize::try_from(default.adnum - 1).ok()?;
        (default.adrelid != relation).then_some(Object::Default(default.adrelid, position))
    }

    /// The views over a relation, or over the types of its rows.
    fn views_on(&self, relation: u32, types: [u32; 2]) -> Vec<(Object, Dependency)> {
        let types = types.into_iter().filter(|ty| *ty != 0).map(|ty| (PG_TYPE, ty));
        let views = types.chain([(PG_CLASS, relation)]).flat_map(|named| self.views_naming(named));
        views.filter(|view| *view != relation).map(|view| (Object::View(view), Dependency::Normal)).collect()
    }

    fn views_naming(&self, named: (u32, u32)) -> BTreeSet<u32> {
        self.catalog.dependents(named).filter_map(|row| view_of(self.catalog, row)).collect()
    }

    /// The views whose GROUP BY needs a key.
    fn grouping_by(&self, key: u32) -> Vec<(Object, Dependency)> {
        let views = self.views_naming((PG_CONSTRAINT, key));
        views.into_iter().map(|view| (Object::View(view), Dependency::Normal)).collect()
    }

    fn in_schema(&self, schema: u32) -> Vec<(Object, Dependency)> {
        let objects = self.database.in_schema(schema).filter_map(|named| match named {
            Named::Table(oid) => Some(Object::Table(oid)),
            Named::View(oid) => Some(Object::View(oid)),
            Named::Sequence(oid) => Some(Object::Sequence(oid)),
            Named::Index { .. } => None,
        });
        let extensions = self.catalog.dependents((PG_NAMESPACE, schema)).filter(|row| row.classid == PG_EXTENSION);
        let extensions = extensions.map(|row| Object::Extension(row.objid));
        extensions.chain(objects).map(|object| (object, Dependency::Normal)).collect()
    }

    /// The extension that a view is part of, if it does not go as well.
    fn extension_of(&self, object: Object) -> Option<&PgExtension> {
        let Object::View(view) = object else { return None };
        let member = self.catalog.depends_on((PG_CLASS, view)).find(|row| row.deptype == b'e')?;
        let extension = self.catalog.extension(member.refobjid)?;
        let goes = self.places.contains_key(&Object::Extension(extension.oid));
        (!goes).then_some(extension)
    }

    fn of_column(&self, table: u32, position: usize) -> Vec<(Object, Dependency)> {
        let column = Some((table, position as i16 + 1));
        let owned = self.database.owned_sequences(table).filter(|sequence| sequence.owned_by == column);
        let owned = owned.map(|sequence| (Object::Sequence(sequence.oid), Dependency::Auto));
        let views: BTreeSet<u32> = views_on_column(self.catalog, table, position).collect();
        owned.chain(views.into_iter().map(|view| (Object::View(view), Dependency::Normal))).collect()
    }

    /// Is it dropped together with its table, or its column?
    fn goes_with_whole(&self, object: Object) -> bool {
        let Object::Default(relation, column) = object else { return false };
        let whole = [Object::Table(relation), Object::View(relation), Object::Column(relation, column)];
        whole.iter().any(|object| self.places.contains_key(object))
    }

    /// Says what goes besides what is to be dropped, or that it cannot.
    fn report(&self, session: &Session, objects: &[Object], behavior: DropBehavior) -> Result<()> {
        for going in &self.going {
            if let Some(extension) = self.extension_of(going.object) {
                let (object, name) = (self.describe(going.object), &extension.extname);
                let message = format!("cannot drop {object} because extension {name} requires it");
                let hint = format!("You can drop extension {name} instead.");
                return Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message).hint(hint));
            }
        }
        let others = self.going.iter().filter_map(|going| match going.because {
            Some((on, Dependency::Normal)) if !self.goes_with_whole(going.object) => Some((going.object, on)),
            _ => None,
        });
        let others: Vec<(Object, Object)> = others.collect();
        if others.is_empty() {
            return Ok(());
        }
        if behavior == DropBehavior::DROP_RESTRICT {
            let lines = others
                .iter()
                .map(|&(object, on)| format!("{} depends on {}", self.describe(object), self.describe(on)));
            let message = match objects {
                [one] => format!("cannot drop {} because other objects depend on it", self.describe(*one)),
                _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
            };
            return Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message)
                .detail(lines.collect::<Vec<_>>().join("\n"))
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        let lines: Vec<String> =
            others.iter().map(|&(object, _)| format!("drop cascades to {}", self.describe(object))).collect();
        let notice = match &lines[..] {
            [line] => EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, line),
            lines => EngineError::new(
                sqlstate::SUCCESSFUL_COMPLETION,
                format!("drop cascades to {} other objects", lines.len()),
            )
            .detail(lines.join("\n")),
        };
        session.notice("NOTICE", notice);
        Ok(())
    }

    /// As messages name it.
    fn describe(&self, object: Object) -> String {
        let known = self.catalog.describe(self.address(object));
        debug_assert!(matches!(known, Ok(Some(_))), "what goes is still there: {object:?}");
        known.ok().flatten().unwrap_or_default()
    }

    fn address(&self, object: Object) -> ObjectAddress {
        let number = |position: usize| position as i32 + 1;
        let (class, oid, column) = match object {
            Object::Table(oid) | Object::Sequence(oid) | Object::View(oid) => (PG_CLASS, oid, 0),
            Object::Schema(oid) => (PG_NAMESPACE, oid, 0),
            Object::Extension(oid) => (PG_EXTENSION, oid, 0),
            Object::Constraint(_, key) => (PG_CONSTRAINT, key, 0),
            Object::Column(table, position) => (PG_CLASS, table, number(position)),
            Object::Default(table, position) => {
                let default = self.catalog.defaults_of((table, number(position) as i16)).next();
                (PG_ATTRDEF, default.map_or(0, |row| row.oid), 0)
            }
        };
        ObjectAddress { class, oid, column }
    }
}

impl Object {
    /// Its oid, or that of what it is a part of.
    fn oid(self) -> u32 {
        match self {
            Object::Table(oid) | Object::Sequence(oid) | Object::View(oid) => oid,
            Object::Schema(oid) | Object::Extension(oid) => oid,
            Object::Column(table, _) | Object::Default(table, _) | Object::Constraint(table, _) => table,
        }
    }
}

/// Takes an object away, once nobody else uses it.
async fn remove(session: &mut Session, object: Object) -> Result<()> {
    let database = session.shared.database.0;
    let lock = |oid| LockTag::Relation { database, oid };
    match object {
        Object::Table(oid) => remove_relation(session, oid, Named::Table(oid)).await,
        Object::View(oid) => remove_relation(session, oid, Named::View(oid)).await,
        Object::Sequence(oid) => {
            session.shared.sequences.shut(oid);
            remove_relation(session, oid, Named::Sequence(oid)).await
        }
        Object::Schema(oid) => {
            remove_rows(session, PG_NAMESPACE, oid, CatalogKey::PgNamespace(oid));
            Ok(())
        }
        Object::Extension(oid) => {
            remove_rows(session, PG_EXTENSION, oid, CatalogKey::PgExtension(oid));
            Ok(())
        }
        Object::Column(..) | Object::Constraint(..) => Ok(()),
        Object::Default(table, column) => {
            session.lock(lock(table), LockMode::AccessExclusive).await?;
            session.show_changes();
            // It may have gone with its table.
            if let Some(found) = session.view_def(table) {
                let mut def = ViewDef::clone(&found);
                if let Some(column) = def.columns.get_mut(column) {
                    column.default = None;
                    view::put(session, def);
                }
                return Ok(());
            }
            let Some(found) = session.table_def(table) else { return Ok(()) };
            let mut def = TableDef::clone(&found);
            if let Some(column) = def.columns.get_mut(column) {
                column.default = None;
                session.put_table(&found, def);
            }
            Ok(())
        }
    }
}

/// Deletes the row of an object that is no relation, with what is said of it and what it depends on (`deleteOneObject`).
fn remove_rows(session: &mut Session, class: u32, oid: u32, row: CatalogKey) {
    let database = session.shared.database.0;
    let catalog = session.shared.catalog();
    let Some(rows) = catalog.database_by_oid(database).map(DatabaseDef::catalog) else { return };
    let depends = rows.depends_on((class, oid)).map(|row| CatalogKey::PgDepend(row.key()));
    let owner = rows.shared_depends_on((database, class, oid)).map(|row| CatalogKey::PgShdepend(row.key()));
    let comments = rows.descriptions_of(oid).filter(|row| row.classoid == class);
    let comments = comments.map(|row| CatalogKey::PgDescription(row.key()));
    let gone: Vec<CatalogKey> = depends.chain(owner).chain(comments).chain([row]).collect();
    let transaction = session.transaction();
    gone.into_iter().for_each(|key| transaction.delete(database, key));
    session.show_changes();
}

fn name_of(database: &DatabaseDef, relation: Named) -> &str {
    let name = match relation {
        Named::Table(oid) => database.table_by_oid(oid).map(|table| &table.name),
        Named::View(oid) => database.view_by_oid(oid).map(|view| &view.name),
        Named::Sequence(oid) => database.sequence_by_oid(oid).map(|sequence| &sequence.name),
        Named::Index { index, .. } => database.index_by_oid(index).map(|(_, index)| &index.name),
    };
    name.map_or("", String::as_str)
}

async fn remove_relation(session: &mut Session, oid: u32, relation: Named) -> Result<()> {
    let database = session.shared.database.0;
    session.lock(LockTag::Relation { database, oid }, LockMode::AccessExclusive).await?;
    session.show_changes();
    let catalog = session.shared.catalog();
    if let Some(database) = catalog.database_by_oid(database) {
        // Whatever it is, it goes by this name in PostgreSQL's `heap_drop_with_catalog`.
        session.check_not_in_use(oid, name_of(database, relation), "DROP TABLE")?;
        session.transaction().drop_relation(database, relation);
        session.show_changes();
    }
    Ok(())
}
