//! REINDEX: indexes get new files, made of the table's rows and not of the old ones (`reindex_index` and its callers in PostgreSQL's
//! `index.c` and `indexcmds.c`).

use access::progress::{Command, create_index as report};
use error::sqlstate;
use std::sync::Arc;

use catalog::acl::BOOTSTRAP_SUPERUSER;
use catalog::acl::role::PG_MAINTAIN;
use engine::{EngineError, Result, Table, TableDef};
use session::errors::at;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, def_elem, done, search_path};
use storage::RelationId;
use syntax::nodes::{DefElem, Node, RangeVar, ReindexObjectType, ReindexStmt};
use txn::LockMode;
use types::Oid;

use crate::index::build::build;
use crate::index::concurrently;
use crate::object::{names, namespace};
use crate::{index, tablespace};

#[derive(Default)]
struct Options {
    verbose: bool,
    concurrently: bool,
    tablespace: Option<String>,
}

impl Options {
    /// What a table is locked with. Unless it is done concurrently no other session may look into the old files, nor write.
    fn mode(&self) -> LockMode {
        if self.concurrently { concurrently::MODE } else { LockMode::AccessExclusive }
    }

    fn read(reindex: &ReindexStmt, text: &str) -> Result<Options> {
        let mut options = Options::default();
        for option in &reindex.params {
            let Node::DefElem(option) = option else { continue };
            options.option(option).map_err(|error| at(error, text, option.location))?;
        }
        Ok(options)
    }

    fn option(&mut self, option: &DefElem) -> Result<()> {
        match def_elem::name(option) {
            "verbose" => self.verbose = def_elem::boolean(option)?,
            "concurrently" => self.concurrently = def_elem::boolean(option)?,
            "tablespace" => self.tablespace = Some(def_elem::string(option)?),
            name => {
                return Err(EngineError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("unrecognized REINDEX option \"{name}\""),
                ));
            }
        }
        Ok(())
    }
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, reindex: &ReindexStmt) -> Result<Reply> {
    let options = Options::read(reindex, &statement.text)?;
    if options.concurrently {
        session.refuse_in_block("REINDEX CONCURRENTLY")?;
    }
    match (reindex.kind, &reindex.relation) {
        (ReindexObjectType::REINDEX_OBJECT_INDEX, Some(relation)) => of_index(session, relation, &options).await?,
        (ReindexObjectType::REINDEX_OBJECT_TABLE, Some(relation)) => of_table(session, relation, &options).await?,
        (kind, _) => of_many(session, kind, reindex, &options).await?,
    }
    Ok(done("REINDEX"))
}

async fn of_index(session: &mut Session, relation: &RangeVar, options: &Options) -> Result<()> {
    let Some((table, position)) = index::lock_maintained(session, relation, options.mode()).await? else {
        return of_catalog(session, relation, options);
    };
    rebuild(session, &table, position..position + 1, options).await
}

/// The catalogs' indexes are made anew at each start.
fn of_catalog(session: &mut Session, relation: &RangeVar, options: &Options) -> Result<()> {
    let maintained = namespace::built_in(session, relation, namespace::maintains);
    maintained.unwrap_or_else(|| Err(namespace::not_there(session, relation)))?;
    match options.tablespace {
        _ if options.concurrently => Err(not_concurrently()),
        Some(_) => Err(EngineError::unsupported("moving a catalog to another tablespace")),
        None => Ok(()),
    }
}

fn not_concurrently() -> EngineError {
    EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot reindex system catalogs concurrently")
}

async fn of_table(session: &mut Session, relation: &RangeVar, options: &Options) -> Result<()> {
    let (schema, name) = namespace::find(session, relation)?;
    let Some(table) = session.lock_owned(&schema, &name, options.mode(), ownership::to_maintain).await? else {
        return match names::is_taken(session, &schema, &name) {
            true => {
                let message = format!("\"{name}\" is not a table or materialized view");
                Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message))
            }
            false => of_catalog(session, relation, options),
        };
    };
    if table.def.indexes.is_empty() {
        let message = match options.concurrently {
            true => format!("table \"{name}\" has no indexes that can be reindexed concurrently"),
            false => format!("table \"{name}\" has no indexes to reindex"),
        };
        session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    }
    rebuild(session, &table, 0..table.def.indexes.len(), options).await
}

/// All tables of a schema, or of the database.
async fn of_many(
    session: &mut Session,
    kind: ReindexObjectType,
    reindex: &ReindexStmt,
    options: &Options,
) -> Result<()> {
    let what = match kind {
        ReindexObjectType::REINDEX_OBJECT_SCHEMA => "REINDEX SCHEMA",
        ReindexObjectType::REINDEX_OBJECT_SYSTEM => "REINDEX SYSTEM",
        _ => "REINDEX DATABASE",
    };
    session.refuse_in_block(what)?;
    if kind == ReindexObjectType::REINDEX_OBJECT_SYSTEM && options.concurrently {
        return Err(not_concurrently());
    }
    let name = reindex.name.as_deref();
    let schema = match (kind, name) {
        (ReindexObjectType::REINDEX_OBJECT_SCHEMA, Some(name)) => Some(owned_schema(session, name)?),
        (_, Some(name)) if name != session.shared.database.1 => {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "can only reindex the currently open database",
            ));
        }
        _ => {
            let (name, owner) = (session.shared.database.1.clone(), owner_of_database(session));
            require_owner_or_maintainer(session, ObjectKind::Database, &name, owner)?;
            None
        }
    };
    // The catalogs' indexes are made anew at each start.
    if kind == ReindexObjectType::REINDEX_OBJECT_SYSTEM {
        return Ok(());
    }
    let mut tables = namespace::tables(session);
    tables.retain(|(at, _)| schema.as_ref().is_none_or(|schema| schema == at));
    for (schema, name) in tables {
        if let Some(table) = session.lock_table(&schema, &name, options.mode()).await? {
            rebuild(session, &table, 0..table.def.indexes.len(), options).await?;
            session.commit_between().await?;
        }
    }
    Ok(())
}

fn owned_schema(session: &Session, name: &str) -> Result<String> {
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let found = database.and_then(|database| database.catalog().namespaces_named(name).next());
    let owner = found.ok_or_else(|| search_path::missing_schema(name))?.nspowner;
    require_owner_or_maintainer(session, ObjectKind::Schema, name, owner)?;
    Ok(name.to_string())
}

fn owner_of_database(session: &Session) -> Oid {
    let catalog = session.shared.catalog();
    catalog.shared().database(session.shared.database.0).map_or(BOOTSTRAP_SUPERUSER, |row| row.datdba)
}

/// The owner of a schema or a database, and a maintainer, may have all its tables done, other roles' tables too.
fn require_owner_or_maintainer(session: &Session, kind: ObjectKind, name: &str, owner: Oid) -> Result<()> {
    match session.shared.with_roles(|roles, own| roles.has_privileges_of(own, PG_MAINTAIN))? {
        true => Ok(()),
        false => ownership::require_owner(&session.shared, kind, name, owner),
    }
}

/// Builds indexes of a table, which the transaction has locked, anew.
async fn rebuild(
    session: &mut Session,
    table: &Arc<Table>,
    positions: std::ops::Range<usize>,
    options: &Options,
) -> Result<()> {
    if options.concurrently && !table.def.temporary {
        // Those that others have given up are to be dropped, unless they are meant alone.
        let several = positions.len() > 1;
        let (valid, given_up): (Vec<_>, Vec<_>) =
            table.def.indexes[positions.clone()].iter().partition(|index| index.valid || !several);
        for index in given_up {
            let message = format!("skipping reindex of invalid index \"{}.{}\"", table.def.schema, index.name);
            let warning =
                EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).hint("Use DROP INDEX or REINDEX INDEX.");
            session.notice("WARNING", warning);
        }
        let valid: Vec<u32> = valid.into_iter().map(|index| index.oid).collect();
        concurrently::rebuild(session, table, &valid, options.tablespace.as_deref()).await?;
    } else {
        for index in &table.def.indexes[positions.clone()] {
            session.check_not_in_use(index.oid, &index.name, "REINDEX INDEX")?;
        }
        let tablespace = match &options.tablespace {
            Some(name) => Some(tablespace::of_new(session, Some(name)).await?),
            None => None,
        };
        rebuild_in(session, table, positions.clone(), tablespace).await?;
    }
    if options.verbose {
        for index in &table.def.indexes[positions] {
            let message = format!("index \"{}\" was reindexed", index.name);
            session.notice("INFO", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
        }
    }
    Ok(())
}

/// The same, in another tablespace if one is given.
pub async fn rebuild_in(
    session: &mut Session,
    table: &Arc<Table>,
    positions: std::ops::Range<usize>,
    tablespace: Option<Oid>,
) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    for index in &mut def.indexes[positions] {
        index.tablespace = tablespace.unwrap_or(index.tablespace);
        let old = RelationId { database: table.database, file: index.file };
        index.file = session.db().new_oid();
        index.compressed_keys = true;
        index.valid = true;
        // It lacks rows that are gone, and that an older snapshot may see.
        index.made_after = session.transaction().mark();
        let reporting = session.shared.backend.start_progress(Command::CreateIndex, table.def.oid);
        reporting.progress.set(report::COMMAND, report::REINDEX);
        index.pages = build(session, table, index).await?;
        session.transaction().drop_files(old);
    }
    session.put_table(&table.def, def);
    Ok(())
}
