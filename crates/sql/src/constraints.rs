//! Indexes and constraints: CREATE INDEX, and what CREATE TABLE and ALTER TABLE say of keys and checks.

use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{self, CreateIndex, Expr as AstExpr, TableConstraint};
use engine::{Change, CheckDef, EngineError, IndexColumn, IndexDef, Result, Table, TableDef};
use storage::RelationId;
use txn::LockMode;

use crate::ddl::{claim_name, ident, object_name};
use crate::insert;
use crate::operator_classes;
use crate::over_rows;
use crate::ownership::{self, Owned};
use crate::session::{Reply, Session, Shared, done};
use crate::storage_parameters;

/// A constraint or index that is to be made.
pub enum Wanted {
    Index(NewIndex),
    Check { name: Option<String>, condition: Box<AstExpr> },
}

impl Wanted {
    /// The name that was given.
    pub fn name(&self) -> Option<&str> {
        match self {
            Wanted::Index(index) => index.name.as_deref(),
            Wanted::Check { name, .. } => name.as_deref(),
        }
    }
}

pub struct NewIndex {
    name: Option<String>,
    columns: Vec<IndexColumn>,
    kind: Kind,
    nulls_not_distinct: bool,
    /// Storage parameters.
    options: Vec<(String, String)>,
    operator_classes: Vec<u32>,
}

impl NewIndex {
    /// Of a constraint.
    fn key(name: Option<String>, columns: Vec<IndexColumn>, kind: Kind, nulls_not_distinct: bool) -> NewIndex {
        NewIndex { name, columns, kind, nulls_not_distinct, options: vec![], operator_classes: vec![] }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Primary,
    Unique,
    /// CREATE UNIQUE INDEX: no constraint.
    UniqueIndex,
    Plain,
}

/// What a table constraint asks for.
pub fn wanted(table: &TableDef, constraint: &TableConstraint) -> Result<Wanted> {
    let name = |name: &Option<ast::Ident>| name.as_ref().map(ident);
    match constraint {
        TableConstraint::PrimaryKey(key) => {
            refuse(key.characteristics.is_some(), "DEFERRABLE constraints")?;
            refuse(key.columns.iter().any(|column| column.operator_class.is_some()), "an operator class of a key")?;
            let columns = index_columns(table, &key.columns)?;
            Ok(Wanted::Index(NewIndex::key(name(&key.name), columns, Kind::Primary, false)))
        }
        TableConstraint::Unique(key) => {
            refuse(key.characteristics.is_some(), "DEFERRABLE constraints")?;
            refuse(key.columns.iter().any(|column| column.operator_class.is_some()), "an operator class of a key")?;
            let columns = index_columns(table, &key.columns)?;
            let nulls_not_distinct = matches!(key.nulls_distinct, ast::NullsDistinctOption::NotDistinct);
            Ok(Wanted::Index(NewIndex::key(name(&key.name), columns, Kind::Unique, nulls_not_distinct)))
        }
        TableConstraint::Check(check) => {
            refuse(check.enforced == Some(false), "NOT ENFORCED")?;
            Ok(Wanted::Check { name: name(&check.name), condition: check.expr.clone() })
        }
        TableConstraint::ForeignKey(_) => Err(EngineError::unsupported("FOREIGN KEY")),
        other => Err(EngineError::unsupported(other.to_string())),
    }
}

fn refuse(given: bool, what: &str) -> Result<()> {
    if given { Err(EngineError::unsupported(what)) } else { Ok(()) }
}

/// The columns of an index, with their order.
pub fn index_columns(table: &TableDef, columns: &[ast::IndexColumn]) -> Result<Vec<IndexColumn>> {
    let mut found: Vec<IndexColumn> = Vec::new();
    for ast::IndexColumn { column, .. } in columns {
        let name = match &column.expr {
            AstExpr::Identifier(name) => ident(name),
            AstExpr::Nested(_) | AstExpr::Function(_) => {
                return Err(EngineError::unsupported("an index on expressions"));
            }
            other => return Err(EngineError::unsupported(format!("an index on {other}"))),
        };
        let position = table.column(&name);
        let position =
            position.ok_or_else(|| EngineError::new("42703", format!("column \"{name}\" does not exist")))?;
        if found.iter().any(|c| c.column == position) {
            return Err(EngineError::new("42701", format!("column \"{name}\" appears twice in index")));
        }
        let descending = column.options.asc == Some(false);
        // PostgreSQL's default: NULLs are larger than everything.
        let nulls_first = column.options.nulls_first.unwrap_or(descending);
        found.push(IndexColumn { column: position, descending, nulls_first });
    }
    if found.len() > 32 {
        return Err(EngineError::new("54011", "cannot use more than 32 columns in an index"));
    }
    Ok(found)
}

/// Makes a constraint or index on a table that the transaction has locked. The table is what [`Session::table_of`] gives
/// afterwards.
pub async fn make(session: &mut Session, table: &Arc<Table>, wanted: Wanted) -> Result<()> {
    match wanted {
        Wanted::Index(index) => make_index(session, table, index).await,
        Wanted::Check { name, condition } => make_check(session, table, name, *condition).await,
    }
}

async fn make_index(session: &mut Session, table: &Arc<Table>, new: NewIndex) -> Result<()> {
    let NewIndex { name, columns, kind, nulls_not_distinct, options: parameters, operator_classes } = new;
    let mut def = TableDef::clone(&table.def);
    if kind == Kind::Primary {
        if def.primary_key().is_some() {
            let message = format!("multiple primary keys for table \"{}\" are not allowed", def.name);
            return Err(EngineError::new("42P16", message));
        }
        let newly: Vec<usize> = columns.iter().map(|c| c.column).filter(|&c| !def.columns[c].not_null).collect();
        forbid_nulls(session, table, &newly).await?;
        newly.iter().for_each(|&column| def.columns[column].not_null = true);
    }
    let names: Vec<&str> = columns.iter().map(|c| def.columns[c.column].name.as_str()).collect();
    let name = match name {
        Some(name) => {
            claim_name(session, &def.schema, &name).await?;
            name
        }
        None => {
            let base = match kind {
                Kind::Primary => format!("{}_pkey", def.name),
                Kind::Unique => format!("{}_{}_key", def.name, names.join("_")),
                Kind::UniqueIndex | Kind::Plain => format!("{}_{}_idx", def.name, names.join("_")),
            };
            free_name(session, &def.schema, &base).await?
        }
    };
    let oid = session.db().new_oid();
    let made_by = session.transaction().writer().transaction.xid;
    let index = IndexDef {
        oid,
        file: oid,
        name,
        columns,
        unique: kind != Kind::Plain,
        nulls_not_distinct,
        primary: kind == Kind::Primary,
        constraint: matches!(kind, Kind::Primary | Kind::Unique),
        made_by,
        options: parameters,
        operator_classes,
    };
    let options = session.write_options();
    // NOT NULL changes how rows lie in pages: such a table is written anew.
    let rewritten = def.columns != table.def.columns;
    def.indexes.push(index);
    if rewritten && !crate::alter::same_layout(&table.def, &def) {
        return crate::alter::rewrite(session, table, def, None).await;
    }
    let index = def.indexes.last().expect("it was just added").clone();
    table.build_index(session.transaction(), &index, &options).await?;
    session.put_table(table.database, def);
    Ok(())
}

/// A name that begins with `base` and is not taken.
pub async fn free_name(session: &mut Session, schema: &str, base: &str) -> Result<String> {
    for number in 0.. {
        let suffix = if number == 0 { String::new() } else { number.to_string() };
        let mut stem = base.to_string();
        while stem.len() + suffix.len() > 63 {
            stem.pop();
        }
        let name = format!("{stem}{suffix}");
        match claim_name(session, schema, &name).await {
            Err(error) if error.code == "42P07" => {}
            other => return other.map(|()| name),
        }
    }
    unreachable!("numbers do not end")
}

/// Fails when one of these columns has a NULL.
pub async fn forbid_nulls(session: &mut Session, table: &Table, columns: &[usize]) -> Result<()> {
    for &column in columns {
        let name = &table.def.columns[column].name;
        let quoted = |name: &str| name.replace('"', "\"\"");
        let sql = format!("SELECT 1 FROM \"{}\" WHERE \"{}\" IS NULL LIMIT 1", quoted(&table.def.name), quoted(name));
        if session.gives_rows(&sql).await? {
            let message = format!("column \"{name}\" of relation \"{}\" contains null values", table.def.name);
            return Err(EngineError::new("23502", message).column(&table.def, name));
        }
    }
    Ok(())
}

async fn make_check(session: &mut Session, table: &Arc<Table>, name: Option<String>, condition: AstExpr) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    let mut used: Vec<usize> = Vec::new();
    let _ = ast::visit_expressions(&condition, |expr| {
        if let AstExpr::Identifier(name) = expr
            && let Some(column) = def.column(&ident(name))
            && !used.contains(&column)
        {
            used.push(column);
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    let name = name.unwrap_or_else(|| match used.as_slice() {
        [column] => format!("{}_{}_check", def.name, def.columns[*column].name),
        _ => format!("{}_check", def.name),
    });
    let taken = |name: &str| has_constraint(&def, name);
    let mut unique = name.clone();
    for number in 1.. {
        if !taken(&unique) {
            break;
        }
        unique = format!("{name}{number}");
    }
    // It must be a condition over the table's columns.
    let empty = datafusion::arrow::array::RecordBatch::new_empty(table.schema.clone());
    over_rows::evaluate_boolean(session, table, std::slice::from_ref(&condition), empty, "CHECK").await?;
    let quoted = table.def.name.replace('"', "\"\"");
    if session.gives_rows(&format!("SELECT 1 FROM \"{quoted}\" WHERE NOT ({condition}) LIMIT 1")).await? {
        let message = format!("check constraint \"{unique}\" of relation \"{}\" is violated by some row", def.name);
        return Err(EngineError::new("23514", message).constraint(&def, &unique));
    }
    let oid = session.db().new_oid();
    def.checks.push(CheckDef { oid, name: unique, condition: condition.to_string() });
    session.put_table(table.database, def);
    Ok(())
}

/// Is there a constraint of this name?
pub fn has_constraint(def: &TableDef, name: &str) -> bool {
    def.checks.iter().any(|c| c.name == name) || def.indexes.iter().any(|i| i.constraint && i.name == name)
}

pub async fn create_index(session: &mut Session, create: CreateIndex) -> Result<Reply> {
    session.require_writable("CREATE INDEX")?;
    refuse(create.predicate.is_some(), "a partial index")?;
    refuse(!create.include.is_empty(), "INCLUDE")?;
    match &create.using {
        None | Some(ast::IndexType::BTree) => {}
        Some(other) => return Err(EngineError::unsupported(format!("access method {other}"))),
    }
    if create.concurrently {
        session.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
    }
    let (schema, name) = object_name(&create.table_name, &session.shared.database.1)?;
    let table = session.lock_owned(&schema, &name, LockMode::Share, ownership::of_table).await?;
    let table = table.ok_or_else(|| EngineError::new("42P01", format!("relation \"{name}\" does not exist")))?;
    let columns = index_columns(&table.def, &create.columns)?;
    let kind = if create.unique { Kind::UniqueIndex } else { Kind::Plain };
    let index_name = match &create.name {
        None => None,
        Some(name) => Some(object_name(name, &session.shared.database.1)?.1),
    };
    if create.if_not_exists
        && let Some(name) = &index_name
        && session.shared.catalog().database_by_oid(table.database).is_some_and(|d| d.has_relation(&schema, name))
    {
        session.notice("NOTICE", EngineError::new("42P07", format!("relation \"{name}\" already exists, skipping")));
        return Ok(done("CREATE INDEX"));
    }
    let new = NewIndex {
        name: index_name,
        operator_classes: operator_classes::read(&table.def, &columns, &create.columns)?,
        columns,
        kind,
        nulls_not_distinct: create.nulls_distinct == Some(false),
        options: storage_parameters::read_index(&create.with)?,
    };
    make_index(session, &table, new).await?;
    Ok(done("CREATE INDEX"))
}

pub async fn drop_indexes(session: &mut Session, if_exists: bool, names: Vec<ast::ObjectName>) -> Result<Reply> {
    session.require_writable("DROP INDEX")?;
    for name in &names {
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        let find = |session: &Session| {
            let catalog = session.shared.catalog();
            let database = catalog.database_by_oid(session.shared.database.0)?;
            database.index(&schema, &name).map(|(table, index)| (table.name.clone(), index.clone()))
        };
        let of_index =
            |shared: &Shared, table: &Table| ownership::require_owner(shared, Owned::Index, &name, &table.def.owner);
        let Some((table, _)) = find(session) else {
            if !if_exists {
                return Err(EngineError::new("42704", format!("index \"{name}\" does not exist")));
            }
            let message = format!("index \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new("00000", message));
            continue;
        };
        let table = session.lock_owned(&schema, &table, LockMode::AccessExclusive, of_index).await?;
        let (Some(table), Some((_, index))) = (table, find(session)) else {
            return Err(EngineError::new("42704", format!("index \"{name}\" does not exist")));
        };
        if index.constraint {
            let relation = &table.def.name;
            let message = format!("cannot drop index {name} because constraint {name} on table {relation} requires it");
            return Err(EngineError::new("2BP01", message)
                .hint(format!("You can drop constraint {name} on table {relation} instead.")));
        }
        remove_index(session, &table, &index);
    }
    Ok(done("DROP INDEX"))
}

/// Takes an index off a table.
pub fn remove_index(session: &mut Session, table: &Table, index: &IndexDef) {
    let mut def = TableDef::clone(&table.def);
    def.indexes.retain(|i| i.oid != index.oid);
    session.transaction().drop_files(RelationId { database: table.database, file: index.file });
    session.put_table(table.database, def);
}

impl Session {
    /// Changes a table's definition.
    pub(crate) fn put_table(&mut self, database: u32, def: TableDef) {
        self.transaction().change(Change::PutTable { database, table: Arc::new(def) });
        self.show_changes();
    }

    /// Does a query of our own making give any rows?
    pub(crate) async fn gives_rows(&mut self, sql: &str) -> Result<bool> {
        self.transaction().next_command();
        let query = crate::parse::query(sql)?;
        let planned = self.plan(ast::Statement::Query(Box::new(query))).await?;
        Ok(insert::collect(&planned).await?.iter().any(|batch| batch.num_rows() > 0))
    }
}
