//! What goes with an object that is dropped, and what keeps it from being dropped: PostgreSQL's `dependency.c`.

use std::sync::Arc;

use analyze::query::{Const, Expr};
use analyze::relations::Relations;
use engine::{Change, DatabaseDef, EngineError, Result, TableDef};
use storage::RelationId;
use syntax::nodes::DropBehavior;
use txn::{LockMode, LockTag};
use types::{Datum, oid};

use crate::commands::sequence;
use crate::environment::Environment;
use crate::session::Session;

/// What may be dropped, or depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    Table(u32),
    Sequence(u32),
    /// A column of a table, by its position. The caller takes it away.
    Column(u32, usize),
    /// Of a column.
    Default(u32, usize),
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
    let environment = session.environment();
    let Some(database) = environment.engine.database_by_oid(environment.database.0) else { return Ok(()) };
    let mut deletion = Deletion { database, defaults: defaults(&environment, database), going: vec![] };
    for &object in objects {
        deletion.add(object, None);
    }
    deletion.report(session, objects, behavior)?;
    let going = deletion.going;
    for gone in going.iter().rev() {
        remove(session, gone.object).await?;
    }
    Ok(())
}

/// An object that goes.
struct Going {
    object: Object,
    /// On what it depends; `None`: it is what is to be dropped.
    because: Option<(Object, Dependency)>,
}

struct Deletion<'a> {
    database: &'a DatabaseDef,
    /// Defaults, and the relations that they name.
    defaults: Vec<(Object, u32)>,
    going: Vec<Going>,
}

impl Deletion<'_> {
    /// Adds an object with what depends on it, older objects first.
    fn add(&mut self, object: Object, because: Option<(Object, Dependency)>) {
        if let Some(known) = self.going.iter_mut().find(|going| going.object == object) {
            // What is to be dropped anyway depends on nobody.
            if because.is_none() {
                known.because = None;
            }
            return;
        }
        self.going.push(Going { object, because });
        for (dependent, dependency) in self.dependents(object) {
            self.add(dependent, Some((object, dependency)));
        }
    }

    fn dependents(&self, object: Object) -> Vec<(Object, Dependency)> {
        match object {
            Object::Table(oid) => {
                let owner = |sequence: &engine::SequenceDef| sequence.owned_by.as_ref().map(|(table, _)| *table);
                let owned = self.database.sequences.values().filter(|sequence| owner(sequence) == Some(oid));
                owned.map(|sequence| (Object::Sequence(sequence.oid), Dependency::Auto)).collect()
            }
            Object::Sequence(oid) => {
                let users = self.defaults.iter().filter(|(_, named)| *named == oid);
                users.map(|(default, _)| (*default, Dependency::Normal)).collect()
            }
            Object::Column(table, position) => {
                let Some(column) = self.database.tables.get(&table).map(|def| &def.columns[position].name) else {
                    return vec![];
                };
                let owned = |sequence: &&Arc<engine::SequenceDef>| {
                    sequence.owned_by.as_ref().is_some_and(|(owner, name)| *owner == table && name == column)
                };
                let owned = self.database.sequences.values().filter(owned);
                owned.map(|sequence| (Object::Sequence(sequence.oid), Dependency::Auto)).collect()
            }
            Object::Default(..) => vec![],
        }
    }

    /// Is it dropped together with its table, or its column?
    fn goes_with_whole(&self, object: Object) -> bool {
        let Object::Default(table, column) = object else { return false };
        let whole = [Object::Table(table), Object::Column(table, column)];
        self.going.iter().any(|going| whole.contains(&going.object))
    }

    /// Says what goes besides what is to be dropped, or that it cannot.
    fn report(&self, session: &Session, objects: &[Object], behavior: DropBehavior) -> Result<()> {
        let others = self.going.iter().filter_map(|going| match going.because {
            Some((on, Dependency::Normal)) if !self.goes_with_whole(going.object) => Some((going.object, on)),
            _ => None,
        });
        let others: Vec<(Object, Object)> = others.collect();
        if others.is_empty() {
            return Ok(());
        }
        let name = |object: Object| object.describe(self.database);
        if behavior == DropBehavior::DROP_RESTRICT {
            let lines = others.iter().map(|&(object, on)| format!("{} depends on {}", name(object), name(on)));
            let message = match objects {
                [one] => format!("cannot drop {} because other objects depend on it", name(*one)),
                _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
            };
            return Err(EngineError::new("2BP01", message)
                .detail(lines.collect::<Vec<_>>().join("\n"))
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        let lines: Vec<String> =
            others.iter().map(|&(object, _)| format!("drop cascades to {}", name(object))).collect();
        let notice = match &lines[..] {
            [line] => EngineError::new("00000", line),
            lines => EngineError::new("00000", format!("drop cascades to {} other objects", lines.len()))
                .detail(lines.join("\n")),
        };
        session.notice("NOTICE", notice);
        Ok(())
    }
}

impl Object {
    /// As messages name it (`getObjectDescription`).
    fn describe(self, database: &DatabaseDef) -> String {
        let table = |oid: u32| database.tables.get(&oid);
        match self {
            Object::Table(oid) => format!("table {}", table(oid).map_or("", |def| &def.name)),
            Object::Sequence(oid) => {
                format!("sequence {}", database.sequences.get(&oid).map_or("", |sequence| &sequence.name))
            }
            Object::Column(oid, column) => match table(oid) {
                Some(def) => format!("column {} of table {}", def.columns[column].name, def.name),
                None => String::new(),
            },
            Object::Default(oid, column) => {
                format!("default value for {}", Object::Column(oid, column).describe(database))
            }
        }
    }
}

/// The defaults of a database that name relations, with these.
fn defaults(environment: &Environment, database: &DatabaseDef) -> Vec<(Object, u32)> {
    let relations = environment.relations();
    let mut found = Vec::new();
    for table in database.tables.values() {
        let columns = table.columns.iter().enumerate();
        for (position, _) in columns.filter(|(_, column)| column.default.is_some() && column.identity.is_none()) {
            // What cannot be understood any more keeps nothing.
            let Ok(Some(default)) = relations.column_default(table.oid, position as i16 + 1) else { continue };
            default.contains(&mut |expr| {
                if let Expr::Const(Const { ty, value: Datum::U32(named), .. }) = expr
                    && ty.oid == oid::REGCLASS
                {
                    found.push((Object::Default(table.oid, position), *named));
                }
                false
            });
        }
    }
    found
}

/// Takes an object away.
async fn remove(session: &mut Session, object: Object) -> Result<()> {
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return Ok(()) };
    match object {
        Object::Table(oid) => {
            if let Some(table) = database.tables.get(&oid) {
                remove_table(session, table);
            }
        }
        Object::Sequence(oid) => {
            if let Some(def) = database.sequences.get(&oid) {
                sequence::remove(session, def).await?;
            }
        }
        Object::Column(..) => {}
        // It went with its table.
        Object::Default(table, _) if !database.tables.contains_key(&table) => {}
        Object::Default(table, column) => {
            let tag = LockTag::Relation { database: database.oid, oid: table };
            session.lock(tag, LockMode::AccessExclusive).await?;
            let mut def = TableDef::clone(&session.table_of(table)?.def);
            if let Some(column) = def.columns.get_mut(column) {
                column.default = None;
                session.put_table(database.oid, def);
            }
        }
    }
    Ok(())
}

fn remove_table(session: &mut Session, table: &Arc<TableDef>) {
    let database = session.shared.database.0;
    let transaction = session.transaction();
    transaction.change(Change::DropTable { database, oid: table.oid });
    for file in table.indexes.iter().map(|index| index.file).chain([table.file]) {
        transaction.drop_files(RelationId { database, file });
    }
    session.show_changes();
}
