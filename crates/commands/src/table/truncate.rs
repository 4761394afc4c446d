//! TRUNCATE: a table gets new, empty files.

use access::index::Builder;
use engine::{EngineError, Result, TableDef};
use error::sqlstate;
use session::{Reply, Session, done, ownership};
use storage::RelationId;
use syntax::nodes::{Node, TruncateStmt};
use txn::LockMode;

use crate::object::{names, namespace};
use crate::sequence;

fn no_table(name: &str) -> EngineError {
    EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a table"))
}

pub async fn run(session: &mut Session, truncate: &TruncateStmt) -> Result<Reply> {
    session.require_writable("TRUNCATE TABLE")?;
    let mut tables = Vec::new();
    for relation in &truncate.relations {
        let Node::RangeVar(relation) = relation else { continue };
        let (schema, name) = namespace::find(session, relation)?;
        let found = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::to_truncate).await?;
        let Some(table) = found else {
            return Err(match names::is_taken(session, &schema, &name) {
                true => no_table(&name),
                false => namespace::missing_to(session, relation, |_, row| match row.relkind {
                    b'r' => Ok(()),
                    _ => Err(no_table(&row.relname)),
                }),
            });
        };
        session.check_not_in_use(table.def.oid, &name, "TRUNCATE")?;
        if !tables.contains(&table.def.oid) {
            tables.push(table.def.oid);
        }
    }
    for table in tables {
        let emptied = session.table_of(table)?;
        session.transaction().writer().status.count_truncate(emptied.heap().activity());
        empty(session, table).await?;
        if truncate.restart_seqs {
            sequence::restart_owned(session, table).await?;
        }
    }
    Ok(done("TRUNCATE TABLE"))
}

/// Takes all rows out of a table that the transaction has locked.
pub async fn empty(session: &mut Session, table: u32) -> Result<()> {
    let table = session.table_of(table)?;
    let database = table.database;
    let file = session.db().new_oid();
    let transaction = session.transaction();
    transaction.create_files_in(RelationId { database, file }, table.def.tablespace)?;
    transaction.drop_files(RelationId { database, file: table.def.file });
    let mut emptied = TableDef { analyzed: None, ..TableDef::clone(&table.def) };
    emptied.begin_file(file);
    for index in &mut emptied.indexes {
        let old = RelationId { database, file: index.file };
        index.file = session.db().new_oid();
        let id = RelationId { database, file: index.file };
        let transaction = session.transaction();
        transaction.create_files_in(id, index.tablespace)?;
        transaction.drop_files(old);
        let relation = session.db().relation(id)?;
        Builder::new(index.method()?, session.db().store(), &relation, session.io()).finish().await?;
        index.pages = relation.blocks();
    }
    session.put_table(&table.def, emptied);
    Ok(())
}
