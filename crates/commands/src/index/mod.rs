//! CREATE INDEX, and the indexes of keys: PostgreSQL's `indexcmds.c`. What they are on is [`elements`].

pub mod build;
pub mod concurrently;
pub mod elements;
pub mod reindex;

use std::sync::Arc;

use access::index::{Capabilities, Method};
use access::progress::{Command, create_index as report};
use catalog::QualifiedName;
use engine::{EngineError, IndexDef, ObjectAddress, Result, Table, TableDef};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, Shared, done};
use storage::RelationId;
use syntax::nodes::{IndexElem, IndexStmt, RangeVar, SortByDir, SortByNulls};
use txn::LockMode;
use types::acl::mode::MAINTAIN;
use types::names::PG_CLASS;

use crate::index::elements::Elements;
use crate::object::stored;
use crate::object::{names, namespace, reloptions};
use crate::role::user;
use crate::table::constraint::{self, Key};
use crate::table::create_like::LikeIndex;
use crate::tablespace;

/// An index that is to be made.
pub struct NewIndex {
    name: Option<String>,
    elements: Elements,
    kind: Kind,
    nulls_not_distinct: bool,
    options: Vec<reloptions::Parameter>,
    tablespace: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Primary,
    Unique,
    /// CREATE UNIQUE INDEX: no constraint.
    UniqueIndex,
    Plain,
}

impl From<Key> for NewIndex {
    fn from(key: Key) -> NewIndex {
        NewIndex {
            name: key.name,
            elements: Elements::of_columns(&key.columns, key.included),
            kind: if key.primary { Kind::Primary } else { Kind::Unique },
            nulls_not_distinct: key.nulls_not_distinct,
            options: key.options,
            tablespace: key.tablespace,
        }
    }
}

/// CREATE INDEX.
pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &IndexStmt) -> Result<Reply> {
    session.require_writable("CREATE INDEX")?;
    if create.concurrent {
        session.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
    }
    let Some(relation) = &create.relation else { return Err(EngineError::unsupported("an index without a table")) };
    let (schema, name) = namespace::find(session, relation)?;
    let mode = if create.concurrent { concurrently::MODE } else { LockMode::Share };
    let found = session.lock_owned(&schema, &name, mode, ownership::of_table).await?;
    let Some(table) = found else {
        return Err(no_table(session, relation, (&schema, &name)));
    };
    session.check_not_in_use(table.def.oid, &name, "CREATE INDEX")?;
    let method = access_method(session, create)?;
    if let Some(name) = create.idxname.as_deref().filter(|_| create.if_not_exists)
        && names::is_taken(session, &schema, name)
    {
        let message = format!("relation \"{name}\" already exists, skipping");
        session.notice("NOTICE", EngineError::new(sqlstate::DUPLICATE_TABLE, message));
        return Ok(done("CREATE INDEX"));
    }
    let new = NewIndex {
        name: create.idxname.as_deref().map(str::to_string),
        elements: Elements::read(session, statement, &table.def, (create, method))?,
        kind: if create.unique { Kind::UniqueIndex } else { Kind::Plain },
        nulls_not_distinct: create.nulls_not_distinct,
        options: reloptions::read(reloptions::Of::Index(method), &create.options)?,
        tablespace: create.table_space.as_deref().map(str::to_string),
    };
    // No other session has a temporary table.
    if create.concurrent && !engine::is_temporary(&schema) {
        concurrently::create(session, &table, new).await?;
    } else {
        make(session, &table, new).await?;
    }
    Ok(done("CREATE INDEX"))
}

/// Why an index cannot be made on what is no table; a role that does not own it learns no more.
fn no_table(session: &mut Session, relation: &RangeVar, (schema, name): (&str, &str)) -> EngineError {
    let environment = session.environment();
    let named = environment.catalog().relation_by_name(QualifiedName { schema: Some(schema), name }).ok().flatten();
    let of_user = named.filter(|row| row.oid >= catalog::FIRST_NORMAL_OBJECT_ID);
    let Some(row) = of_user else { return namespace::missing(session, relation) };
    let kind = ObjectKind::of_relation(row.relkind).unwrap_or(ObjectKind::Table);
    if let Err(error) = ownership::require_owner(&session.shared, kind, name, row.relowner) {
        return error;
    }
    let (what, kinds) = match row.relkind {
        b'v' => ("create index on", "views"),
        b'S' => ("create index on", "sequences"),
        _ => ("open", "indexes"),
    };
    EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("cannot {what} relation \"{name}\""))
        .detail(format!("This operation is not supported for {kinds}."))
}

/// The access method that CREATE INDEX names, which can do what is asked of it.
fn access_method(session: &mut Session, create: &IndexStmt) -> Result<Method> {
    let Some(name) = create.access_method.as_deref() else { return Ok(Method::DEFAULT) };
    let environment = session.environment();
    let mut named = environment.catalog().access_methods_named(name);
    let Some(row) = named.find(|row| row.amtype == b'i') else {
        return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("access method \"{name}\" does not exist")));
    };
    let method = Method::of(row.oid);
    let method = method.ok_or_else(|| EngineError::unsupported(format!("access method \"{name}\"")))?;
    check_capabilities(name, method.capabilities(), create)?;
    Ok(method)
}

/// Refuses what a method cannot do (`DefineIndex`, `ComputeIndexAttrs`).
fn check_capabilities(name: &str, can: &Capabilities, create: &IndexStmt) -> Result<()> {
    let is_said = |said: fn(&IndexElem) -> bool| elements::elements(&create.index_params).any(said);
    for (is_asked, can, what) in [
        (create.unique, can.can_unique, "unique indexes"),
        (!create.index_including_params.is_empty(), can.can_include, "included columns"),
        (create.index_params.len() > 1, can.can_multi_col, "multicolumn indexes"),
        (is_said(|column| column.ordering != SortByDir::SORTBY_DEFAULT), can.can_order, "ASC/DESC options"),
        (
            is_said(|column| column.nulls_ordering != SortByNulls::SORTBY_NULLS_DEFAULT),
            can.can_order,
            "NULLS FIRST/LAST options",
        ),
    ] {
        if is_asked && !can {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("access method \"{name}\" does not support {what}"),
            ));
        }
    }
    Ok(())
}

/// The table of an index that is to be changed by its owner, and the index's position; `None`: there is no such index.
pub async fn lock_owned(
    session: &mut Session,
    relation: &RangeVar,
    mode: LockMode,
) -> Result<Option<(Arc<Table>, usize)>> {
    lock_for(session, relation, mode, |shared, name, table| {
        ownership::require_owner(shared, ObjectKind::Index, name, table.def.owner)
    })
    .await
}

/// The same of an index that is to be made anew, for which its table's MAINTAIN is needed.
pub async fn lock_maintained(
    session: &mut Session,
    relation: &RangeVar,
    mode: LockMode,
) -> Result<Option<(Arc<Table>, usize)>> {
    lock_for(session, relation, mode, |shared, name, table| {
        let table = ObjectAddress { class: PG_CLASS, oid: table.def.oid, column: 0 };
        match shared.may(table, MAINTAIN)? {
            true => Ok(()),
            false => {
                let message = format!("permission denied for index {name}");
                Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
            }
        }
    })
    .await
}

async fn lock_for(
    session: &mut Session,
    relation: &RangeVar,
    mode: LockMode,
    refusal: fn(&Shared, &str, &Table) -> Result<()>,
) -> Result<Option<(Arc<Table>, usize)>> {
    let (schema, name) = namespace::find(session, relation)?;
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0)?;
        database.index(&schema, &name).map(|(table, index)| (table.name.clone(), index.oid))
    };
    let of_index = |shared: &Shared, table: &Table| refusal(shared, &name, table);
    let Some((table, oid)) = find(session) else {
        return match names::is_taken(session, &schema, &name) {
            true => Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not an index"))),
            false => Ok(None),
        };
    };
    let Some(table) = session.lock_owned(&schema, &table, mode, of_index).await? else { return Ok(None) };
    let position = table.def.indexes.iter().position(|index| index.oid == oid);
    Ok(position.map(|position| (table, position)))
}

/// Makes an index on a table that the transaction has locked. The table is what [`Session::table_of`] gives afterwards.
pub async fn make(session: &mut Session, table: &Arc<Table>, new: NewIndex) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    if new.kind == Kind::Primary {
        if def.primary_key().is_some() {
            return Err(constraint::several_primary_keys(&def.name));
        }
        let key = new.elements.columns.iter().filter_map(|column| column.key.column());
        let newly: Vec<usize> = key.filter(|&column| !def.columns[column].not_null).collect();
        constraint::forbid_nulls(session, def.oid, &newly).await?;
        newly.iter().for_each(|&column| def.columns[column].set_not_null(true));
    }
    let mut index = definition(session, &def, new).await?;
    let reporting = session.shared.backend.start_progress(Command::CreateIndex, table.def.oid);
    reporting.progress.set(report::COMMAND, report::CREATE_INDEX);
    index.pages = build::build(session, table, &index).await?;
    def.indexes.push(index);
    session.put_table(&table.def, def);
    Ok(())
}

/// What a new index of a table is to be, with its name and files.
pub async fn definition(session: &mut Session, def: &TableDef, new: NewIndex) -> Result<IndexDef> {
    namespace::may_create_in(session, def.namespace, user::current(&session.shared)?.oid)?;
    new.elements.check_order(session, def)?;
    let name = match &new.name {
        Some(name) => {
            names::claim_in(session, def.namespace, name).await?;
            if def.checks.iter().any(|check| check.name == *name) && new.is_constraint() {
                return Err(constraint::already_exists(def, name));
            }
            name.clone()
        }
        None => choose_name(session, def, &new).await?,
    };
    let tablespace = tablespace::of_new_in(session, &def.schema, new.tablespace.as_deref()).await?;
    let oid = session.db().new_oid();
    Ok(IndexDef {
        unique: new.kind != Kind::Plain,
        nulls_not_distinct: new.nulls_not_distinct,
        primary: new.kind == Kind::Primary,
        constraint: new.is_constraint(),
        // Writers are kept away, or it is set once more when all their rows are in it.
        made_after: session.transaction().mark(),
        tablespace,
        options: new.options,
        access_method: new.elements.access_method,
        included: new.elements.included,
        predicate: new.elements.predicate,
        operator_classes: new.elements.operator_classes,
        ..IndexDef::new(oid, &name, new.elements.columns)
    })
}

impl NewIndex {
    /// One as another table has it, over the columns of the same names.
    pub fn like(session: &mut Session, def: &TableDef, like: &LikeIndex) -> Result<NewIndex> {
        let index = &like.index;
        Ok(NewIndex {
            name: None,
            elements: Elements::like(session, def, like)?,
            kind: match (index.primary, index.constraint, index.unique) {
                (true, ..) => Kind::Primary,
                (_, true, _) => Kind::Unique,
                (_, _, true) => Kind::UniqueIndex,
                _ => Kind::Plain,
            },
            nulls_not_distinct: index.nulls_not_distinct,
            options: index.options.clone(),
            tablespace: session
                .shared
                .catalog()
                .tablespace_by_oid(index.tablespace)
                .map(|found| found.spcname.to_string()),
        })
    }

    fn is_constraint(&self) -> bool {
        matches!(self.kind, Kind::Primary | Kind::Unique)
    }
}

/// A name for an index that has none (`ChooseIndexName`).
async fn choose_name(session: &mut Session, def: &TableDef, new: &NewIndex) -> Result<String> {
    let columns = names::of_columns(&catalog::object_name::index_column_names(new.elements.names(def)));
    let (columns, label) = match new.kind {
        Kind::Primary => (String::new(), "pkey"),
        Kind::Unique => (columns, "key"),
        Kind::UniqueIndex | Kind::Plain => (columns, "idx"),
    };
    names::choose(session, def.namespace, &def.name, &columns, label).await
}

/// The indexes of a table of which a column has another type now, and the new definition's others as they are. What they
/// compute is read again: it may have another type, too.
pub fn with_other_type(
    session: &mut Session,
    table: &Arc<TableDef>,
    new: &TableDef,
    position: usize,
) -> Result<Vec<IndexDef>> {
    let relation = session.relation(new.oid)?;
    let over = new.indexes.iter().filter(|index| index.inputs().any(|column| column == position));
    let texts =
        over.flat_map(|index| index.computed()).map(|computed| stored::written(session, &computed.tree, &relation));
    let texts = texts.collect::<Result<Vec<String>>>()?;
    // Names are looked up in the definition that is there: without the indexes, which are not right yet.
    let put = session.put_table(table, TableDef { indexes: vec![], ..new.clone() });
    let reread = reread_indexes(session, new, position, texts);
    session.put_table(&put, TableDef::clone(table));
    reread
}

/// `texts`: what the indexes over the column compute, as SQL.
fn reread_indexes(session: &mut Session, new: &TableDef, position: usize, texts: Vec<String>) -> Result<Vec<IndexDef>> {
    let mut texts = texts.into_iter();
    let relation = session.relation(new.oid)?;
    let mut indexes = new.indexes.clone();
    for index in indexes.iter_mut().filter(|index| index.inputs().any(|column| column == position)) {
        for column in &mut index.columns {
            if let engine::IndexKey::Expression(expression) = &mut column.key {
                let text = texts.next().unwrap_or_default();
                elements::reread_key(session, &relation, expression, &text)?;
            }
        }
        if let Some(predicate) = &mut index.predicate {
            let text = texts.next().unwrap_or_default();
            elements::reread_predicate(session, &relation, predicate, &text)?;
        }
        elements::check_types(session, new, index)?;
        Elements::of(index).check_order(session, new)?;
    }
    Ok(indexes)
}

/// Takes an index off a table.
pub fn remove(session: &mut Session, table: &Arc<TableDef>, index: &IndexDef) {
    let mut def = TableDef::clone(table);
    def.indexes.retain(|kept| kept.oid != index.oid);
    if let Some(known) = &mut def.analyzed {
        known.indexes.retain(|known| known.oid != index.oid);
    }
    let database = session.shared.database.0;
    session.transaction().drop_files(RelationId { database, file: index.file });
    session.put_table(table, def);
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::nodes::Node;

    #[test]
    fn what_a_method_cannot_do_is_refused() {
        let all = *Method::DEFAULT.capabilities();
        let none =
            Capabilities { can_unique: false, can_include: false, can_multi_col: false, can_order: false, ..all };
        let check = |text: &str, can: &Capabilities| {
            let statements = syntax::parse(text).unwrap();
            let Node::IndexStmt(create) = &statements[0].stmt else { panic!("{text}") };
            check_capabilities("m", can, create).map_err(|error| (error.code, error.message))
        };
        // PostgreSQL's messages, of `hash`.
        for (text, what) in [
            ("create unique index on t using m (a)", "unique indexes"),
            ("create index on t using m (a) include (b)", "included columns"),
            ("create index on t using m (a, b)", "multicolumn indexes"),
            ("create index on t using m (a desc)", "ASC/DESC options"),
            ("create index on t using m (a nulls first)", "NULLS FIRST/LAST options"),
        ] {
            assert_eq!(check(text, &all), Ok(()));
            assert_eq!(check(text, &none), Err(("0A000", format!("access method \"m\" does not support {what}"))));
        }
        assert_eq!(check("create index on t using m (a)", &none), Ok(()));
    }
}
