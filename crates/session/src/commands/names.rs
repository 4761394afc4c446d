//! Names of new tables, indexes, sequences and constraints: taken until the transaction ends, or chosen as PostgreSQL chooses
//! them (`ChooseRelationName`, `ChooseConstraintName`).

use std::hash::{DefaultHasher, Hash, Hasher};

use engine::{EngineError, Result, TableDef};
use txn::{LockMode, LockTag};

use crate::session::Session;

/// Bytes of a name (`NAMEDATALEN`, without the byte that ends it).
const MAX_NAME: usize = 63;

/// Takes a name for a new relation. Fails when there is one already.
pub async fn claim(session: &mut Session, schema: &str, name: &str) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    (schema, name).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, LockMode::AccessExclusive).await?;
    session.show_changes();
    if is_taken(session, schema, name) { Err(already_exists(name)) } else { Ok(()) }
}

pub fn already_exists(name: &str) -> EngineError {
    EngineError::new("42P07", format!("relation \"{name}\" already exists"))
}

/// Is there a relation of this name?
pub fn is_taken(session: &Session, schema: &str, name: &str) -> bool {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0).is_some_and(|database| database.has_relation(schema, name))
}

/// Takes a name for a relation that belongs to a table: `table_column_label`, with a number if that is taken.
pub async fn choose(session: &mut Session, schema: &str, table: &str, columns: &str, label: &str) -> Result<String> {
    for number in 0.. {
        let name = object_name(table, columns, &numbered(label, number));
        match claim(session, schema, &name).await {
            Err(error) if error.code == "42P07" => {}
            other => return other.map(|()| name),
        }
    }
    unreachable!("numbers do not end")
}

/// A name for a constraint.
pub fn choose_constraint(def: &TableDef, column: &str, label: &str) -> String {
    let mut names = (0..).map(|number| object_name(&def.name, column, &numbered(label, number)));
    names.find(|name| !has_constraint(def, name)).expect("numbers do not end")
}

/// Is there a constraint of this name?
pub fn has_constraint(def: &TableDef, name: &str) -> bool {
    def.checks.iter().any(|check| check.name == name) || def.indexes.iter().any(|i| i.constraint && i.name == name)
}

fn numbered(label: &str, number: u32) -> String {
    if number == 0 { label.to_string() } else { format!("{label}{number}") }
}

/// The parts with `_` between them, the longer of the first two cut until it is no longer than a name may be
/// (`makeObjectName`). The second may be empty.
fn object_name(first: &str, second: &str, label: &str) -> String {
    let separators = if second.is_empty() { 1 } else { 2 };
    let room = MAX_NAME.saturating_sub(label.len() + separators);
    let (mut one, mut two) = (first.len(), second.len());
    while one + two > room {
        if one > two { one -= 1 } else { two -= 1 }
    }
    match second {
        "" => format!("{}_{label}", cut(first, one)),
        second => format!("{}_{}_{label}", cut(first, one), cut(second, two)),
    }
}

/// At most so many bytes of a text, whole characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

/// The columns' part of the name of an index (`ChooseIndexNameAddition`).
pub fn of_columns<'a>(columns: impl IntoIterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for column in columns {
        if !joined.is_empty() {
            joined.push('_');
        }
        joined.push_str(column);
        if joined.len() > MAX_NAME {
            break;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_as_postgresql_cuts_them() {
        let (table, column) = ("t".repeat(60), "c".repeat(40));
        assert_eq!(object_name("t", "a", "key"), "t_a_key");
        assert_eq!(object_name("t", "", "pkey"), "t_pkey");
        let both = format!("{}_{}_seq", "t".repeat(29), "c".repeat(29));
        assert_eq!(object_name(&table, &column, "seq"), both);
        assert_eq!(object_name(&table, "", "pkey"), format!("{}_pkey", "t".repeat(58)));
        assert_eq!(object_name("t", &"ä".repeat(31), "key"), format!("t_{}_key", "ä".repeat(28)));
    }
}
