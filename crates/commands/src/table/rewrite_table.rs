//! Tables written anew: what gives each row another value (a column of another type, or with a default of each row's own) puts them
//! into new files with new indexes, in the transaction (`ATRewriteTable` of PostgreSQL's `tablecmds.c`). Dropped columns keep their
//! numbers, and lose what rows have of them.

use std::sync::Arc;

use access::progress::{Command, cluster as report};
use analyze::query::{Expr, Query};
use engine::{Analyzed, AnalyzedIndex, ColumnDef, EngineError, Named, Result, Table, TableDef};
use error::sqlstate;
use session::Session;
use session::spi::{self, Sees};
use storage::RelationId;

use crate::index::build::build;
use crate::table::constraint::contains_nulls;

/// Writes a table anew; its columns keep their values.
pub async fn as_it_is(session: &mut Session, table: &Arc<Table>, def: TableDef) -> Result<()> {
    let relation = session.relation(table.def.oid)?;
    let values = (0..def.columns.len()).map(|position| spi::column(&relation, position)).collect();
    rewrite(session, table, def, values, &"".into()).await
}

/// Writes a table anew with another definition: its columns get these values, which are over the old ones.
pub async fn rewrite(
    session: &mut Session,
    table: &Arc<Table>,
    mut def: TableDef,
    values: Vec<Expr>,
    text: &Arc<str>,
) -> Result<()> {
    def.analyzed = kept_statistics(&table.def, &def, &values);
    let relation = session.relation(table.def.oid)?;
    with_rows_of(session, table, def, spi::over_table(&relation, values, None), text).await.map(drop)
}

/// What ANALYZE has found out about columns whose values and types stay, and about indexes of these. What is computed of others is
/// forgotten with them.
fn kept_statistics(old: &TableDef, def: &TableDef, values: &[Expr]) -> Option<Analyzed> {
    let known = old.analyzed.as_ref()?;
    let same = |(column, value): (&ColumnDef, &Expr)| {
        let Expr::Var(var) = value else { return None };
        let position = usize::try_from(var.attribute).ok()?.checked_sub(1)?;
        (old.columns.get(position)?.ty == column.ty).then_some(position)
    };
    let kept: Vec<Option<usize>> = def.columns.iter().zip(values).map(same).collect();
    let stays = |known: &&AnalyzedIndex| {
        let index = old.indexes.iter().find(|index| index.oid == known.oid);
        index.is_some_and(|index| index.inputs().all(|column| kept.contains(&Some(column))))
    };
    let indexes = known.indexes.iter().filter(stays).cloned().collect();
    // Of a table that ANALYZE has not looked at, autovacuum is to see that.
    let kept = if known.columns.is_empty() { Vec::new() } else { kept };
    Some(Analyzed {
        columns: kept.iter().map(|from| known.columns.get((*from)?)?.clone()).collect(),
        indexes,
        ..known.clone()
    })
}

/// Writes a table anew with another definition and the rows of a query, which has all of its columns; gives how many.
/// What the definition says that ANALYZE has found out stays.
///
/// The rows go into a table that is there for as long as it takes, under a name that no other relation has, and whose files
/// become the table's.
pub async fn with_rows_of(
    session: &mut Session,
    table: &Arc<Table>,
    mut def: TableDef,
    query: Query,
    text: &Arc<str>,
) -> Result<u64> {
    let database = table.database;
    let old = table.def.clone();
    let new = transient(session, &def);
    session.transaction().create_files_in(RelationId { database, file: new.file }, new.tablespace)?;
    session.put_new_table(new.clone());
    let target = session.relation(new.oid)?;
    let query = spi::insert(&target, query);
    let copied = session.run_tree(query, session::MAX_KEPT_LEVELS, text, Sees::Latest).await;
    let copied = copied.map_err(|error| nulls_told(error, &new, &def))?;
    let progress = session.shared.backend.progress().filter(|progress| progress.command == Command::Cluster);
    if let Some(progress) = &progress {
        progress.set(report::HEAP_TUPLES_SCANNED, copied);
        progress.set(report::HEAP_TUPLES_WRITTEN, copied);
        progress.set(report::HEAP_BLKS_SCANNED, table.blocks().into());
        progress.set(report::PHASE, report::REBUILD_INDEX);
    }
    session.transaction().forget_relation(database, Named::Table(new.oid));
    for file in old.indexes.iter().map(|index| index.file).chain([old.file]) {
        session.transaction().drop_files(RelationId { database, file });
    }
    def.begin_file(new.file);
    let indexes = std::mem::take(&mut def.indexes);
    let put = session.put_table(&old, def.clone());
    let written = session.table_of(def.oid)?;
    written.heap().activity().note_rewritten(copied);
    let known = def.analyzed.take().unwrap_or_default();
    def.analyzed = Some(Analyzed { pages: written.blocks(), rows: copied as f64, all_visible: 0, ..known });
    for mut index in indexes {
        index.file = session.db().new_oid();
        index.valid = true;
        index.made_after = session.transaction().mark();
        index.pages = build(session, &written, &index).await?;
        def.indexes.push(index);
        if let Some(progress) = &progress {
            progress.add(report::INDEX_REBUILD_COUNT, 1);
        }
    }
    session.put_table(&put, def);
    Ok(copied)
}

/// A table for the new rows: nothing is checked but NOT NULL, which is part of how rows lie.
fn transient(session: &Session, def: &TableDef) -> TableDef {
    let oid = session.db().new_oid();
    let mut new = TableDef {
        oid,
        row_type: 0,
        array_type: 0,
        name: format!("pg_temp_{oid}"),
        indexes: vec![],
        checks: vec![],
        analyzed: None,
        ..def.clone()
    };
    for column in &mut new.columns {
        (column.default, column.identity) = (None, None);
    }
    new.begin_file(oid);
    new
}

/// A NULL where there must be none, as is told of a table whose rows are there.
fn nulls_told(error: EngineError, new: &TableDef, def: &TableDef) -> EngineError {
    let about =
        error.about.as_ref().filter(|about| error.code == sqlstate::NOT_NULL_VIOLATION && about.table == new.name);
    let column = about.and_then(|about| about.column.as_deref()).and_then(|name| def.column(name));
    column.map_or(error.clone(), |column| contains_nulls(def, column))
}
