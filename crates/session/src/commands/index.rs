//! CREATE INDEX, and the indexes of keys: PostgreSQL's `indexcmds.c`.

use std::sync::Arc;

use catalog::{BTREE, Catalog};
use engine::{EngineError, IndexColumn, IndexDef, Result, Table, TableDef};
use storage::RelationId;
use syntax::nodes::{IndexElem, IndexStmt, Node, RangeVar, SortByDir, SortByNulls};
use txn::LockMode;
use types::Oid;

use crate::commands::constraint::{self, Key};
use crate::commands::create_like::LikeIndex;
use crate::commands::{names, reloptions, rewrite_table};
use crate::namespace;
use crate::ownership::{self, Owned};
use crate::session::{Reply, Session, Shared, done};

/// Columns of an index (`INDEX_MAX_KEYS`).
const MAX_COLUMNS: usize = 32;

/// An index that is to be made.
pub struct NewIndex {
    name: Option<String>,
    columns: Vec<IndexColumn>,
    kind: Kind,
    nulls_not_distinct: bool,
    options: Vec<reloptions::Parameter>,
    operator_classes: Vec<Oid>,
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
        let column = |&column: &usize| IndexColumn { column, descending: false, nulls_first: false };
        NewIndex {
            name: key.name,
            columns: key.columns.iter().map(column).collect(),
            kind: if key.primary { Kind::Primary } else { Kind::Unique },
            nulls_not_distinct: key.nulls_not_distinct,
            options: key.options,
            operator_classes: vec![],
        }
    }
}

/// CREATE INDEX.
pub async fn create(session: &mut Session, create: &IndexStmt) -> Result<Reply> {
    session.require_writable("CREATE INDEX")?;
    if create.concurrent {
        session.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
    }
    check_access_method(create.access_method.as_deref().unwrap_or("btree"))?;
    for (given, what) in [
        (create.where_clause.is_some(), "a partial index"),
        (!create.index_including_params.is_empty(), "INCLUDE"),
        (create.table_space.is_some(), "TABLESPACE"),
    ] {
        if given {
            return Err(EngineError::unsupported(what));
        }
    }
    let Some(relation) = &create.relation else { return Err(EngineError::unsupported("an index without a table")) };
    let (schema, name) = namespace::find(session, relation)?;
    let found = session.lock_owned(&schema, &name, LockMode::Share, ownership::of_table).await?;
    let Some(table) = found else {
        if names::is_taken(session, &schema, &name) {
            return Err(EngineError::new("42809", format!("cannot create index on relation \"{name}\"")));
        }
        return Err(namespace::missing(relation));
    };
    if let Some(name) = create.idxname.as_deref().filter(|_| create.if_not_exists)
        && names::is_taken(session, &schema, name)
    {
        let message = format!("relation \"{name}\" already exists, skipping");
        session.notice("NOTICE", EngineError::new("42P07", message));
        return Ok(done("CREATE INDEX"));
    }
    let new = NewIndex {
        name: create.idxname.as_deref().map(str::to_string),
        columns: columns(&table.def, &create.index_params)?,
        kind: if create.unique { Kind::UniqueIndex } else { Kind::Plain },
        nulls_not_distinct: create.nulls_not_distinct,
        options: reloptions::read(reloptions::Of::Index, &create.options)?,
        operator_classes: operator_classes(session, &table.def, &create.index_params)?,
    };
    make(session, &table, new).await?;
    Ok(done("CREATE INDEX"))
}

fn check_access_method(name: &str) -> Result<()> {
    match name {
        "btree" => Ok(()),
        "hash" | "gist" | "gin" | "brin" | "spgist" => {
            Err(EngineError::unsupported(format!("access method \"{name}\"")))
        }
        _ => Err(EngineError::new("42704", format!("access method \"{name}\" does not exist"))),
    }
}

fn elements(params: &[Node]) -> impl Iterator<Item = &IndexElem> {
    params.iter().filter_map(|node| match node {
        Node::IndexElem(element) => Some(&**element),
        _ => None,
    })
}

/// The columns that an index is on, with their order.
fn columns(table: &TableDef, params: &[Node]) -> Result<Vec<IndexColumn>> {
    let mut columns: Vec<IndexColumn> = Vec::new();
    for element in elements(params) {
        let Some(name) = element.name.as_deref() else {
            return Err(EngineError::unsupported("an index on expressions"));
        };
        if !element.collation.is_empty() {
            return Err(EngineError::unsupported("COLLATE"));
        }
        let column = table.column(name);
        let column = column.ok_or_else(|| EngineError::new("42703", format!("column \"{name}\" does not exist")))?;
        if columns.iter().any(|known| known.column == column) {
            return Err(EngineError::unsupported("the same column twice in an index"));
        }
        let descending = element.ordering == SortByDir::SORTBY_DESC;
        // NULLs are larger than everything.
        let nulls_first = match element.nulls_ordering {
            SortByNulls::SORTBY_NULLS_DEFAULT => descending,
            order => order == SortByNulls::SORTBY_NULLS_FIRST,
        };
        columns.push(IndexColumn { column, descending, nulls_first });
    }
    if columns.len() > MAX_COLUMNS {
        return Err(EngineError::new("54011", format!("cannot use more than {MAX_COLUMNS} columns in an index")));
    }
    Ok(columns)
}

/// The operator classes that CREATE INDEX names; none where it names none.
fn operator_classes(session: &mut Session, table: &TableDef, params: &[Node]) -> Result<Vec<Oid>> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let classes = elements(params).map(|element| {
        let ty = element.name.as_deref().and_then(|name| table.column(name)).map(|at| table.columns[at].ty.oid);
        operator_class(catalog, ty.unwrap_or_default(), element)
    });
    let classes = classes.collect::<Result<Vec<_>>>()?;
    Ok(if elements(params).any(|element| !element.opclass.is_empty()) { classes } else { vec![] })
}

/// The operator class of a column (`ResolveOpClass`).
fn operator_class(catalog: Catalog<'_>, ty: Oid, element: &IndexElem) -> Result<Oid> {
    if !element.opclassopts.is_empty() {
        return Err(EngineError::unsupported("options of an operator class"));
    }
    let parts: Vec<&str> = element
        .opclass
        .iter()
        .filter_map(|part| match part {
            Node::String(part) => Some(&**part),
            _ => None,
        })
        .collect();
    let Some(&name) = parts.last() else {
        return default_operator_class(catalog, ty);
    };
    let shown = parts.join(".");
    let schema = match parts[..] {
        [schema, _] => Some(catalog.namespace_oid(schema).map_err(|error| crate::errors::reported(error, ""))?),
        _ => None,
    };
    let mut named = catalog
        .opclasses_named(name)
        .filter(|class| class.opcmethod == BTREE && schema.is_none_or(|schema| class.opcnamespace == schema))
        .peekable();
    if named.peek().is_none() {
        let message = format!("operator class \"{shown}\" does not exist for access method \"btree\"");
        return Err(EngineError::new("42704", message));
    }
    let fits = |class: Oid| class == ty || catalog.is_binary_coercible(ty, class);
    let class = named.find(|class| fits(class.opcintype)).map(|class| class.oid);
    class.ok_or_else(|| refuses_type(catalog, &shown, ty))
}

/// Fails where an operator class that was named for an index is not good for its column's type any more.
pub fn check_operator_classes(session: &mut Session, def: &TableDef, index: &IndexDef) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    for (column, &class) in index.columns.iter().zip(&index.operator_classes) {
        let (ty, class) = (def.columns[column.column].ty.oid, catalog.opclass(class));
        let fits = class.is_none_or(|class| class.opcintype == ty || catalog.is_binary_coercible(ty, class.opcintype));
        if let Some(class) = class.filter(|_| !fits) {
            return Err(refuses_type(catalog, &class.opcname, ty));
        }
    }
    Ok(())
}

fn refuses_type(catalog: Catalog<'_>, class: &str, ty: Oid) -> EngineError {
    let ty = catalog.format_type(ty);
    EngineError::new("42804", format!("operator class \"{class}\" does not accept data type {ty}"))
}

/// The table of an index that is to be changed by its owner, and the index's position; `None`: there is no such index.
pub async fn lock_owned(session: &mut Session, relation: &RangeVar) -> Result<Option<(Arc<Table>, usize)>> {
    let (schema, name) = namespace::find(session, relation)?;
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0)?;
        database.index(&schema, &name).map(|(table, index)| (table.name.clone(), index.oid))
    };
    let of_index =
        |shared: &Shared, table: &Table| ownership::require_owner(shared, Owned::Index, &name, &table.def.owner);
    let Some((table, oid)) = find(session) else {
        return match names::is_taken(session, &schema, &name) {
            true => Err(EngineError::new("42809", format!("\"{name}\" is not an index"))),
            false => Ok(None),
        };
    };
    let mode = LockMode::ShareUpdateExclusive;
    let Some(table) = session.lock_owned(&schema, &table, mode, of_index).await? else { return Ok(None) };
    let position = table.def.indexes.iter().position(|index| index.oid == oid);
    Ok(position.map(|position| (table, position)))
}

fn default_operator_class(catalog: Catalog<'_>, ty: Oid) -> Result<Oid> {
    catalog.default_opclass(ty, BTREE).ok_or_else(|| {
        let ty = catalog.format_type(ty);
        let message = format!("data type {ty} has no default operator class for access method \"btree\"");
        EngineError::new("42704", message).hint(
            "You must specify an operator class for the index or define a default operator class for the data type.",
        )
    })
}

/// Refuses keys of types without an order.
fn check_order(session: &mut Session, def: &TableDef, new: &NewIndex) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    for column in &new.columns {
        let ty = def.columns[column.column].ty.oid;
        if new.operator_classes.is_empty() {
            default_operator_class(catalog, ty)?;
        }
        // Arrays are compared as their elements are.
        if !types::compare::has_order(ty) {
            let element = catalog.format_type(types::array::element_type(ty).unwrap_or(ty));
            let message = format!("could not identify a comparison function for type {element}");
            return Err(EngineError::new("42883", message));
        }
        // Shorter ones are before longer ones, which is no array's order.
        if ty == types::oid::OIDVECTOR {
            return Err(EngineError::unsupported("an index of type oidvector"));
        }
    }
    Ok(())
}

/// Makes an index on a table that the transaction has locked. The table is what [`Session::table_of`] gives afterwards.
pub async fn make(session: &mut Session, table: &Arc<Table>, new: NewIndex) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    check_order(session, &def, &new)?;
    if new.kind == Kind::Primary {
        if def.primary_key().is_some() {
            return Err(constraint::several_primary_keys(&def.name));
        }
        let newly: Vec<usize> = new.columns.iter().map(|c| c.column).filter(|&c| !def.columns[c].not_null).collect();
        constraint::forbid_nulls(session, def.oid, &newly).await?;
        newly.iter().for_each(|&column| def.columns[column].not_null = true);
    }
    let name = match &new.name {
        Some(name) => {
            names::claim(session, &def.schema, name).await?;
            if def.checks.iter().any(|check| check.name == *name) && new.is_constraint() {
                return Err(constraint::already_exists(&def, name));
            }
            name.clone()
        }
        None => choose_name(session, &def, &new).await?,
    };
    let oid = session.db().new_oid();
    let made_by = session.transaction().writer().transaction.xid;
    let index = IndexDef {
        unique: new.kind != Kind::Plain,
        nulls_not_distinct: new.nulls_not_distinct,
        primary: new.kind == Kind::Primary,
        constraint: new.is_constraint(),
        made_by,
        options: new.options,
        operator_classes: new.operator_classes,
        ..IndexDef::new(oid, &name, new.columns)
    };
    def.indexes.push(index.clone());
    // NOT NULL changes how rows lie in pages: such a table is written anew.
    if !rewrite_table::same_layout(&table.def, &def) {
        return rewrite_table::as_it_is(session, table, def).await;
    }
    let options = session.write_options();
    table.build_index(session.transaction(), &index, &options).await?;
    session.put_table(table.database, def);
    Ok(())
}

impl NewIndex {
    /// One as another table has it, over the columns of the same names.
    pub fn like(def: &TableDef, like: &LikeIndex) -> Result<NewIndex> {
        let LikeIndex { index, columns } = like;
        let column = |(name, column): (&String, &IndexColumn)| {
            let missing = || EngineError::new("42703", format!("column \"{name}\" does not exist"));
            Ok(IndexColumn { column: def.column(name).ok_or_else(missing)?, ..*column })
        };
        Ok(NewIndex {
            name: None,
            columns: columns.iter().zip(&index.columns).map(column).collect::<Result<_>>()?,
            kind: match (index.primary, index.constraint, index.unique) {
                (true, ..) => Kind::Primary,
                (_, true, _) => Kind::Unique,
                (_, _, true) => Kind::UniqueIndex,
                _ => Kind::Plain,
            },
            nulls_not_distinct: index.nulls_not_distinct,
            options: index.options.clone(),
            operator_classes: index.operator_classes.clone(),
        })
    }

    fn is_constraint(&self) -> bool {
        matches!(self.kind, Kind::Primary | Kind::Unique)
    }
}

/// A name for an index that has none (`ChooseIndexName`).
async fn choose_name(session: &mut Session, def: &TableDef, new: &NewIndex) -> Result<String> {
    let columns = names::of_columns(new.columns.iter().map(|c| def.columns[c.column].name.as_str()));
    let (columns, label) = match new.kind {
        Kind::Primary => (String::new(), "pkey"),
        Kind::Unique => (columns, "key"),
        Kind::UniqueIndex | Kind::Plain => (columns, "idx"),
    };
    names::choose(session, &def.schema, &def.name, &columns, label).await
}

/// Takes an index off a table.
pub fn remove(session: &mut Session, table: &TableDef, index: &IndexDef) {
    let mut def = TableDef::clone(table);
    def.indexes.retain(|kept| kept.oid != index.oid);
    let database = session.shared.database.0;
    session.transaction().drop_files(RelationId { database, file: index.file });
    session.put_table(database, def);
}
