//! CREATE TABLE: PostgreSQL's `transformCreateStmt` and `DefineRelation`.

use std::sync::Arc;

use engine::{ColumnDef, EngineError, ObjectAddress, Result, Table, TableDef};
use error::sqlstate;
use session::errors::at;
use session::{ParsedStatement, Reply, Session, done};
use storage::RelationId;
use syntax::nodes::{ConstrType, Constraint, CreateStmt, Node, OnCommitAction, RangeVar};
use txn::LockMode;
use types::names::PG_CLASS;

use crate::acl;
use crate::object::dependency;
use crate::object::{names, namespace, reloptions};
use crate::role::user;
use crate::table::column::{self, NewColumn};
use crate::table::constraint::{self, Adding, Key};
use crate::table::{create_like, on_commit};
use crate::r#type::name;
use crate::{index, tablespace};

const MAX_COLUMNS: usize = 1600;

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateStmt) -> Result<Reply> {
    session.require_writable("CREATE TABLE")?;
    let Some(relation) = &create.relation else { return Err(EngineError::unsupported("a table without a name")) };
    refuse_forms(create)?;
    check_on_commit(relation, create.oncommit)?;
    let options = reloptions::read(reloptions::Of::Table, &create.options)?;
    let place = |error| at(error, &statement.text, relation.location);
    let Some((schema, name)) = claim(session, relation, create.if_not_exists, place).await? else {
        return Ok(done("CREATE TABLE"));
    };
    let tablespace = tablespace::of_new_in(session, &schema, create.tablespacename.as_deref()).await?;
    let def = TableDef { options, tablespace, ..new_table(session, &schema, &name, vec![])? };
    on_commit::register(session, def.oid, create.oncommit);
    make(session, statement, def, create).await?;
    Ok(done("CREATE TABLE"))
}

/// Makes a table whose name was claimed, with all that its definition says.
async fn make(
    session: &mut Session,
    statement: &ParsedStatement,
    mut def: TableDef,
    create: &CreateStmt,
) -> Result<()> {
    let elements = Elements::read(session, statement, &def, create).await?;
    let Elements { mut columns, constraints, mut like } = elements;
    let place = |error: EngineError, given: &Constraint| at(error, &statement.text, given.location);
    check_columns(columns.iter().map(|new| new.column.name.as_str()))?;
    column::require_usage(session, columns.iter().map(|new| new.column.ty.oid)).await?;
    for (column, given) in not_null_constraints(&constraints) {
        let found = columns.iter_mut().find(|new| new.column.name == column);
        let found = found.ok_or_else(|| {
            let message = format!("column \"{column}\" of relation \"{}\" does not exist", def.name);
            place(EngineError::new(sqlstate::UNDEFINED_COLUMN, message), given)
        })?;
        constraint::check_not_null(given, &def.name, column)?;
        found.column.not_null = true;
    }
    for (number, new) in (1..).zip(&mut columns) {
        column::complete(session, statement, (&def, number), new).await?;
    }
    for (column, options) in &like.identities {
        let new = (1..).zip(&columns).find(|(_, new)| new.column.name == *column);
        if let Some((number, column)) = new.map(|(number, new)| (number, new.column.clone())) {
            column::make_sequence(session, (&def, number), &column, options).await?;
        }
    }
    let own = columns.iter().flat_map(|new| new.constraints.iter().map(|given| (*given, Some(&*new.column.name))));
    let wanted: Vec<(&Constraint, Option<&str>)> = own.chain(constraints.iter().map(|given| (*given, None))).collect();
    def.columns = columns.iter().map(|new| new.column.clone()).collect();
    let keys = keys_of(&mut def, &wanted, &statement.text)?;
    let oid = def.oid;
    put_new(session, def).await?;
    dependency::hold_references(session, oid).await?;
    for (given, _) in wanted.iter().filter(|(given, _)| given.contype == ConstrType::CONSTR_CHECK) {
        constraint::add_check(session, statement, oid, given, Adding::Create).await?;
    }
    like.comment_on_columns(session, oid)?;
    create_like::add_checks(session, oid, std::mem::take(&mut like.checks))?;
    for key in keys {
        let table = session.table_of(oid)?;
        index::make(session, &table, key.into()).await?;
    }
    for like in like.indexes {
        let table = session.table_of(oid)?;
        let new = index::NewIndex::like(session, &table.def, &like)?;
        index::make(session, &table, new).await?;
    }
    dependency::hold_references(session, oid).await
}

/// What stands between the parentheses.
struct Elements<'n> {
    columns: Vec<NewColumn<'n>>,
    /// Those of the table.
    constraints: Vec<&'n Constraint>,
    like: create_like::Like,
}

impl<'n> Elements<'n> {
    async fn read(
        session: &mut Session,
        statement: &ParsedStatement,
        def: &TableDef,
        create: &'n CreateStmt,
    ) -> Result<Elements<'n>> {
        let mut read = Elements { columns: vec![], constraints: vec![], like: create_like::Like::default() };
        for node in &create.table_elts {
            match node {
                Node::ColumnDef(raw) => read.columns.push(column::read(session, statement, &def.name, raw)?),
                Node::TableLikeClause(clause) => {
                    let like = create_like::read(session, statement, clause, &mut read.like).await?;
                    read.columns.extend(like);
                }
                Node::Constraint(given) => {
                    if matches!(given.contype, ConstrType::CONSTR_FOREIGN) {
                        return Err(EngineError::unsupported("FOREIGN KEY"));
                    }
                    if matches!(given.contype, ConstrType::CONSTR_EXCLUSION) {
                        return Err(EngineError::unsupported("EXCLUDE"));
                    }
                    read.constraints.push(given);
                }
                _ => return Err(EngineError::unsupported("this form of CREATE TABLE")),
            }
        }
        Ok(read)
    }
}

fn not_null_constraints<'n>(constraints: &[&'n Constraint]) -> Vec<(&'n str, &'n Constraint)> {
    let given = constraints.iter().filter(|given| given.contype == ConstrType::CONSTR_NOTNULL);
    let named = given.filter_map(|given| match given.keys.first() {
        Some(Node::String(column)) => Some((&**column, *given)),
        _ => None,
    });
    named.collect()
}

/// The keys of a new table, the primary one first. What it says of NULLs is known before there are rows. Two that are alike
/// are one (`transformIndexConstraints`).
fn keys_of(def: &mut TableDef, wanted: &[(&Constraint, Option<&str>)], text: &str) -> Result<Vec<Key>> {
    let mut keys: Vec<Key> = Vec::new();
    let mut primary = false;
    for (given, column) in wanted {
        if !matches!(given.contype, ConstrType::CONSTR_PRIMARY | ConstrType::CONSTR_UNIQUE) {
            continue;
        }
        let key = constraint::key(def, given, *column, text)?;
        if key.primary {
            if std::mem::replace(&mut primary, true) {
                return Err(at(constraint::several_primary_keys(&def.name), text, given.location));
            }
            key.columns.iter().for_each(|&column| def.columns[column].not_null = true);
            keys.insert(0, key);
        } else {
            keys.push(key);
        }
    }
    let mut kept: Vec<Key> = Vec::new();
    for key in keys {
        let alike = |other: &&mut Key| {
            other.columns == key.columns
                && other.included == key.included
                && other.nulls_not_distinct == key.nulls_not_distinct
                && other.options == key.options
                && (other.name.is_none() || key.name.is_none() || other.name == key.name)
        };
        match kept.iter_mut().find(alike) {
            Some(same) => same.name = same.name.take().or(key.name),
            None => kept.push(key),
        }
    }
    Ok(kept)
}

fn refuse_forms(create: &CreateStmt) -> Result<()> {
    for (given, what) in [
        (!create.inh_relations.is_empty(), "INHERITS"),
        (create.partbound.is_some(), "PARTITION OF"),
        (create.partspec.is_some(), "PARTITION BY"),
        (create.of_typename.is_some(), "a table of a type"),
    ] {
        if given {
            return Err(EngineError::unsupported(what));
        }
    }
    check_access_method(create.access_method.as_deref())
}

/// USING of a new table.
pub fn check_access_method(access_method: Option<&str>) -> Result<()> {
    match access_method {
        None | Some("heap") => Ok(()),
        Some(other) => {
            Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("access method \"{other}\" does not exist")))
        }
    }
}

/// Refuses ON COMMIT and kinds of tables that there are not.
pub fn check_on_commit(relation: &RangeVar, on_commit: OnCommitAction) -> Result<()> {
    match relation.relpersistence {
        't' => Ok(()),
        'u' => Err(EngineError::unsupported("an unlogged table")),
        _ if on_commit != OnCommitAction::ONCOMMIT_NOOP => {
            Err(EngineError::new(sqlstate::INVALID_TABLE_DEFINITION, "ON COMMIT can only be used on temporary tables"))
        }
        _ => Ok(()),
    }
}

/// Takes the name of a new relation. `None`: there is one, and that is well. `told`: an error that is about the schema.
pub async fn claim(
    session: &mut Session,
    relation: &RangeVar,
    if_not_exists: bool,
    told: impl FnOnce(EngineError) -> EngineError,
) -> Result<Option<(String, String)>> {
    let (schema, name) = namespace::creation(session, relation).await.map_err(told)?;
    match names::claim(session, &schema, &name).await {
        Ok(()) => Ok(Some((schema, name))),
        Err(error) if if_not_exists && error.code == sqlstate::DUPLICATE_TABLE => {
            session.notice("NOTICE", EngineError { message: error.message + ", skipping", ..error });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Refuses more columns than a table can have, and two of one name.
pub fn check_columns<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    names.clone().try_for_each(column::check_name)?;
    check_distinct(names)
}

/// The same for columns that may have names of the system's.
pub fn check_distinct<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    if names.clone().count() > MAX_COLUMNS {
        return Err(EngineError::new(
            sqlstate::TOO_MANY_COLUMNS,
            format!("tables can have at most {MAX_COLUMNS} columns"),
        ));
    }
    for (index, name) in names.clone().enumerate() {
        if names.clone().take(index).any(|before| before == name) {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_COLUMN,
                format!("column \"{name}\" specified more than once"),
            ));
        }
    }
    Ok(())
}

pub fn new_table(session: &Session, schema: &str, name: &str, columns: Vec<ColumnDef>) -> Result<TableDef> {
    let owner = user::current(&session.shared)?.oid;
    let namespace = session.schema_oid(schema)?;
    let [oid, row_type, array_type] = std::array::from_fn(|_| session.db().new_oid());
    Ok(TableDef { row_type, array_type, ..TableDef::new(oid, (namespace, name), owner, columns) })
}

/// Makes an empty table, whose name was claimed.
pub async fn put_new(session: &mut Session, def: TableDef) -> Result<Arc<Table>> {
    name::claim_of_rows(session, def.namespace, &def.name).await?;
    let database = session.shared.database.0;
    let transaction = session.transaction();
    transaction.create_files_in(RelationId { database, file: def.file }, def.tablespace)?;
    let table = transaction.alter_table(database, None, def);
    let tag = session.shared.table_tag(&table);
    session.lock(tag, LockMode::AccessExclusive).await?;
    session.show_changes();
    acl::rights_of_new(session, ObjectAddress { class: PG_CLASS, oid: table.oid, column: 0 });
    session.table_of(table.oid)
}
