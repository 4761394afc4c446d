//! CLUSTER: a table is written anew in the order of one of its indexes (PostgreSQL's `cluster.c`).

use std::sync::Arc;
use std::time::Instant;

use ::error::sqlstate;
use access::progress::{Command, cluster as report};
use analyze::query::{Query, SortGroupClause, TargetEntry};
use analyze::relations::Relations;
use engine::{EngineError, IndexDef, Result, Table, TableDef};
use session::errors::{at, reported};
use session::{ParsedStatement, Reply, Session, def_elem, done, ownership, spi};
use syntax::nodes::{ClusterStmt, Node, RangeVar};
use txn::LockMode;
use types::{Oid, oid};

use crate::object::{names, namespace};
use crate::table::rewrite_table;

pub async fn run(session: &mut Session, statement: &ParsedStatement, cluster: &ClusterStmt) -> Result<Reply> {
    let mut verbose = false;
    for option in &cluster.params {
        let Node::DefElem(option) = option else { continue };
        match def_elem::name(option) {
            "verbose" => verbose = def_elem::boolean(option)?,
            name => {
                let error = EngineError::new(sqlstate::SYNTAX_ERROR, format!("unrecognized CLUSTER option \"{name}\""));
                return Err(at(error, &statement.text, option.location));
            }
        }
    }
    match &cluster.relation {
        Some(relation) => named(session, relation, cluster.indexname.as_deref(), verbose).await?,
        None => all(session, verbose).await?,
    }
    Ok(done("CLUSTER"))
}

async fn named(session: &mut Session, relation: &RangeVar, index: Option<&str>, verbose: bool) -> Result<()> {
    let (schema, name) = namespace::find(session, relation)?;
    let Some(table) = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::to_maintain).await?
    else {
        return Err(match names::is_taken(session, &schema, &name) {
            true => {
                EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a table or materialized view"))
            }
            false => namespace::missing_to(session, relation, namespace::maintains),
        });
    };
    let position = match index {
        Some(index) => position_of(session, &table.def, index)?,
        None => clustered(&table.def).ok_or_else(|| {
            EngineError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("there is no previously clustered index for table \"{name}\""),
            )
        })?,
    };
    write_in_order(session, &table, position, verbose).await
}

/// All tables of the user that have been clustered before, each in a transaction of its own.
async fn all(session: &mut Session, verbose: bool) -> Result<()> {
    session.refuse_in_block("CLUSTER")?;
    for (schema, name) in namespace::tables(session) {
        let Some(table) = session.shared.find_table(&schema, &name)? else { continue };
        if clustered(&table.def).is_none() || !session.shared.may_maintain(table.def.oid)? {
            continue;
        }
        let Some(table) = session.lock_table(&schema, &name, LockMode::AccessExclusive).await? else { continue };
        if let Some(position) = clustered(&table.def) {
            write_in_order(session, &table, position, verbose).await?;
            session.commit_between().await?;
        }
    }
    Ok(())
}

/// ALTER TABLE … CLUSTER ON.
pub fn cluster_on(session: &mut Session, table: &Table, index: &str) -> Result<()> {
    let position = position_of(session, &table.def, index)?;
    session.put_table(&table.def, marked(&table.def, Some(position)));
    Ok(())
}

/// ALTER TABLE … SET WITHOUT CLUSTER.
pub fn without_cluster(session: &mut Session, table: &Table) {
    session.put_table(&table.def, marked(&table.def, None));
}

fn clustered(def: &TableDef) -> Option<usize> {
    def.indexes.iter().position(|index| index.clustered)
}

fn marked(def: &TableDef, position: Option<usize>) -> TableDef {
    let mut def = TableDef::clone(def);
    def.indexes.iter_mut().enumerate().for_each(|(at, index)| index.clustered = Some(at) == position);
    def
}

/// The position of an index that a table can be ordered by.
fn position_of(session: &Session, def: &TableDef, name: &str) -> Result<usize> {
    let Some(position) = def.indexes.iter().position(|index| index.name == name) else {
        let table = &def.name;
        return Err(match names::is_taken(session, &def.schema, name) {
            true => EngineError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("\"{name}\" is not an index for table \"{table}\""),
            ),
            false => EngineError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("index \"{name}\" for table \"{table}\" does not exist"),
            ),
        });
    };
    if !def.indexes[position].method()?.capabilities().clusterable {
        let reason = "because access method does not support clustering";
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot cluster on index \"{name}\" {reason}"),
        ));
    }
    if def.indexes[position].predicate.is_some() {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot cluster on partial index \"{name}\""),
        ));
    }
    if !def.indexes[position].valid {
        return Err(EngineError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("cannot cluster on invalid index \"{name}\""),
        ));
    }
    Ok(position)
}

async fn write_in_order(session: &mut Session, table: &Arc<Table>, position: usize, verbose: bool) -> Result<()> {
    session.check_not_in_use(table.def.oid, &table.def.name, "CLUSTER")?;
    let (started, before) = (Instant::now(), table.blocks());
    let index = &table.def.indexes[position];
    let shown = format!("{}.{}", table.def.schema, table.def.name);
    if verbose {
        let message = format!("clustering \"{shown}\" using sequential scan and sort");
        session.notice("INFO", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    }
    let reporting = session.shared.backend.start_progress(Command::Cluster, table.def.oid);
    reporting.progress.set(report::COMMAND, report::CLUSTER);
    reporting.progress.set(report::INDEX_RELID, index.oid.into());
    reporting.progress.set(report::TOTAL_HEAP_BLKS, before.into());
    reporting.progress.set(report::PHASE, report::SEQ_SCAN_HEAP);
    // An older snapshot would see none of the rows.
    let moved_by = session.transaction().writer().transaction.xid;
    let def = TableDef { moved_by, ..marked(&table.def, Some(position)) };
    let relation = session.relation(table.def.oid)?;
    let values = (0..def.columns.len()).map(|position| spi::column(&relation, position)).collect();
    let query = in_order(session, index, spi::over_table(&relation, values, None))?;
    let rows = rewrite_table::with_rows_of(session, table, def, query, &"".into()).await?;
    if verbose {
        let (after, elapsed) = (session.table_of(table.def.oid)?.blocks(), started.elapsed().as_secs_f64());
        let message =
            format!("\"{shown}\": {rows} row versions in {before} pages became {after} pages\nelapsed: {elapsed:.2} s");
        session.notice("INFO", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    }
    Ok(())
}

/// A query of a table's rows with the order of an index.
fn in_order(session: &mut Session, index: &IndexDef, mut query: Query) -> Result<Query> {
    let environment = session.environment();
    let (catalog, relations) = (environment.catalog(), environment.relations());
    let told = |error| reported(error, "");
    let stored = relations.index_expressions(index.oid).map_err(told)?;
    let mut expressions = stored.keys.iter();
    for (key, reference) in index.columns.iter().zip(1..) {
        let target = match key.key.column() {
            Some(column) => column,
            None => {
                let Some(computed) = expressions.next() else { break };
                let number = query.targets.len() as i16 + 1;
                let target = TargetEntry::new(computed.clone(), number, format!("column{number}"));
                query.targets.push(TargetEntry { junk: true, ..target });
                query.targets.len() - 1
            }
        };
        let target = &mut query.targets[target];
        if target.reference != 0 {
            // A second time it does not change the order.
            continue;
        }
        target.reference = reference;
        let operators = catalog.sort_group_operators(target.expr.ty().oid, true, false).map_err(told)?;
        let or_none = |operator: Option<Oid>| operator.unwrap_or(oid::INVALID);
        query.sort_clause.push(SortGroupClause {
            reference,
            equality: or_none(operators.equal),
            sort: or_none(if key.descending { operators.greater } else { operators.less }),
            nulls_first: key.nulls_first,
            hashable: operators.hashable,
        });
    }
    Ok(query)
}
