//! ALTER TABLE.
//!
//! What changes how rows lie in pages (columns added or dropped, NOT NULL) writes the table anew, into new files with new
//! indexes, in the transaction.

use std::sync::Arc;

use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::ast::{
    AlterColumnOperation, AlterTable, AlterTableOperation, RenameTableNameKind, Statement,
};
use engine::{EngineError, Insertion, Result, Table, TableDef};
use futures::StreamExt;
use storage::RelationId;
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::constraints;
use crate::ddl::{self, claim_name, ident, object_name};
use crate::default_constants;
use crate::errors::translate;
use crate::insert::{check_constraints, check_nulls};
use crate::ownership;
use crate::session::{Reply, Session, done};
use crate::storage_parameters;

pub async fn run(session: &mut Session, alter: AlterTable) -> Result<Reply> {
    session.require_writable("ALTER TABLE")?;
    let (schema, name) = object_name(&alter.name, &session.shared.database.1)?;
    let found = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::of_table).await?;
    let Some(table) = found else {
        let message = format!("relation \"{name}\" does not exist");
        if alter.if_exists {
            session.notice("NOTICE", EngineError::new("00000", message + ", skipping"));
            return Ok(done("ALTER TABLE"));
        }
        return Err(EngineError::new("42P01", message));
    };
    let oid = table.def.oid;
    for operation in alter.operations {
        // Each sees what the ones before it did.
        let table = session.table_of(oid)?;
        apply(session, &table, operation).await?;
    }
    Ok(done("ALTER TABLE"))
}

impl Session {
    /// A table as it is now.
    pub(crate) fn table_of(&self, oid: u32) -> Result<Arc<Table>> {
        let catalog = self.shared.catalog();
        let database = self.shared.database.0;
        let def = catalog.database_by_oid(database).and_then(|d| d.tables.get(&oid));
        let def = def.ok_or_else(|| EngineError::new("42P01", format!("relation {oid} does not exist")))?;
        self.db().table(database, def)
    }
}

fn column_of(def: &TableDef, name: &str) -> Result<usize> {
    let message = || format!("column \"{name}\" of relation \"{}\" does not exist", def.name);
    def.column(name).ok_or_else(|| EngineError::new("42703", message()))
}

async fn apply(session: &mut Session, table: &Arc<Table>, operation: AlterTableOperation) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    match operation {
        AlterTableOperation::AddConstraint { constraint, not_valid: false } => {
            let wanted = constraints::wanted(&def, &constraint)?;
            if let Some(name) = wanted.name()
                && constraints::has_constraint(&def, name)
            {
                let message = format!("constraint \"{name}\" for relation \"{}\" already exists", def.name);
                return Err(EngineError::new("42710", message));
            }
            constraints::make(session, table, wanted).await
        }
        AlterTableOperation::DropConstraint { if_exists, name, .. } => {
            let name = ident(&name);
            if let Some(index) = def.indexes.iter().find(|i| i.constraint && i.name == name) {
                constraints::remove_index(session, table, index);
                return Ok(());
            }
            if let Some(at) = def.checks.iter().position(|c| c.name == name) {
                def.checks.remove(at);
                session.put_table(table.database, def);
                return Ok(());
            }
            let message = format!("constraint \"{name}\" of relation \"{}\" does not exist", def.name);
            if if_exists {
                session.notice("NOTICE", EngineError::new("00000", message + ", skipping"));
                return Ok(());
            }
            Err(EngineError::new("42704", message))
        }
        AlterTableOperation::AddColumn { if_not_exists, column_def, .. } => {
            let ddl::NewColumn { column, wanted, sequence } = ddl::column(session, &def, &column_def).await?;
            ddl::check_column_name(&column.name)?;
            if def.column(&column.name).is_some() {
                let message = format!("column \"{}\" of relation \"{}\" already exists", column.name, def.name);
                if if_not_exists {
                    session.notice("NOTICE", EngineError::new("42701", message + ", skipping"));
                    return Ok(());
                }
                return Err(EngineError::new("42701", message));
            }
            let oid = def.oid;
            def.columns.push(column);
            // The rows that are there draw from it.
            if let Some(sequence) = sequence {
                crate::sequence::make_owned(session, sequence, oid).await?;
            }
            rewrite(session, table, def, None).await?;
            for constraint in wanted {
                let table = session.table_of(oid)?;
                let wanted = constraints::wanted(&table.def, &constraint)?;
                constraints::make(session, &table, wanted).await?;
            }
            Ok(())
        }
        AlterTableOperation::DropColumn { column_names, if_exists, .. } => {
            for name in column_names {
                let name = ident(&name);
                let table = session.table_of(table.def.oid)?;
                let position = match column_of(&table.def, &name) {
                    Ok(position) => position,
                    Err(error) if if_exists => {
                        session.notice("NOTICE", EngineError::new("00000", error.message + ", skipping"));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                drop_column(session, &table, position).await?;
            }
            Ok(())
        }
        AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
            let position = column_of(&def, &ident(&old_column_name))?;
            let name = ident(&new_column_name);
            ddl::check_column_name(&name)?;
            if def.column(&name).is_some() {
                let message = format!("column \"{name}\" of relation \"{}\" already exists", def.name);
                return Err(EngineError::new("42701", message));
            }
            let old = std::mem::replace(&mut def.columns[position].name, name.clone());
            for check in &mut def.checks {
                check.condition = renamed(&check.condition, &old, &name)?;
            }
            session.put_table(table.database, def);
            Ok(())
        }
        AlterTableOperation::RenameTable {
            table_name: RenameTableNameKind::To(name) | RenameTableNameKind::As(name),
        } => {
            let (_, name) = object_name(&name, &session.shared.database.1)?;
            claim_name(session, &def.schema, &name).await?;
            def.name = name;
            session.put_table(table.database, def);
            Ok(())
        }
        AlterTableOperation::RenameConstraint { old_name, new_name } => {
            let (old, new) = (ident(&old_name), ident(&new_name));
            if constraints::has_constraint(&def, &new) {
                let message = format!("constraint \"{new}\" for relation \"{}\" already exists", def.name);
                return Err(EngineError::new("42710", message));
            }
            if let Some(at) = def.indexes.iter().position(|i| i.constraint && i.name == old) {
                claim_name(session, &def.schema, &new).await?;
                def.indexes[at].name = new;
            } else if let Some(check) = def.checks.iter_mut().find(|c| c.name == old) {
                check.name = new;
            } else {
                let message = format!("constraint \"{old}\" for table \"{}\" does not exist", def.name);
                return Err(EngineError::new("42704", message));
            }
            session.put_table(table.database, def);
            Ok(())
        }
        AlterTableOperation::AlterColumn { column_name, op } => {
            let position = column_of(&def, &ident(&column_name))?;
            use AlterColumnOperation::{DropDefault, DropNotNull, SetDefault};
            if def.columns[position].identity.is_some() && matches!(op, SetDefault { .. } | DropDefault | DropNotNull) {
                let column = &def.columns[position].name;
                let message = format!("column \"{column}\" of relation \"{}\" is an identity column", def.name);
                return Err(EngineError::new("42601", message));
            }
            match op {
                AlterColumnOperation::SetNotNull => {
                    constraints::forbid_nulls(session, table, &[position]).await?;
                    def.columns[position].not_null = true;
                    change_layout(session, table, def).await
                }
                AlterColumnOperation::DropNotNull => {
                    let column = &def.columns[position].name;
                    if def.primary_key().is_some_and(|key| key.columns.iter().any(|c| c.column == position)) {
                        let message = format!("column \"{column}\" is in a primary key");
                        return Err(EngineError::new("42P16", message));
                    }
                    def.columns[position].not_null = false;
                    change_layout(session, table, def).await
                }
                AlterColumnOperation::SetDefault { value } => {
                    ddl::check_default(session, &value)?;
                    let value = default_constants::read(def.columns[position].ty, &value)?;
                    def.columns[position].default = Some(value.to_string());
                    crate::insert::check_default(session, &def.columns[position]).await?;
                    session.put_table(table.database, def);
                    Ok(())
                }
                AlterColumnOperation::DropDefault => {
                    def.columns[position].default = None;
                    session.put_table(table.database, def);
                    Ok(())
                }
                other => Err(EngineError::unsupported(format!("ALTER COLUMN ... {other}"))),
            }
        }
        AlterTableOperation::SetOptionsParens { options } => {
            storage_parameters::set(&mut def.options, &options)?;
            session.put_table(table.database, def);
            Ok(())
        }
        other => Err(EngineError::unsupported(format!("ALTER TABLE ... {other}"))),
    }
}

/// A condition with a column renamed.
fn renamed(condition: &str, old: &str, new: &str) -> Result<String> {
    use datafusion::sql::sqlparser::ast::{Expr, Ident, visit_expressions_mut};
    let mut expr = crate::parse::expression(condition)?;
    let _ = visit_expressions_mut(&mut expr, |expr| {
        if let Expr::Identifier(name) = expr
            && ident(name) == old
        {
            *name = Ident::with_quote('"', new);
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    Ok(expr.to_string())
}

async fn drop_column(session: &mut Session, table: &Arc<Table>, position: usize) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    let name = def.columns[position].name.clone();
    let uses = |condition: &str| -> Result<bool> {
        use datafusion::sql::sqlparser::ast::{Expr, visit_expressions};
        let expr = crate::parse::expression(condition)?;
        let mut found = false;
        let _ = visit_expressions(&expr, |expr| {
            found |= matches!(expr, Expr::Identifier(i) if ident(i) == name);
            std::ops::ControlFlow::<()>::Continue(())
        });
        Ok(found)
    };
    // Indexes and checks over the column go with it.
    let gone: Vec<_> = def.indexes.iter().filter(|i| i.columns.iter().any(|c| c.column == position)).cloned().collect();
    for index in gone {
        let id = RelationId { database: table.database, file: index.file };
        session.transaction().drop_files(id);
        def.indexes.retain(|i| i.oid != index.oid);
    }
    let mut checks = Vec::new();
    for check in std::mem::take(&mut def.checks) {
        if !uses(&check.condition)? {
            checks.push(check);
        }
    }
    def.checks = checks;
    def.columns.remove(position);
    for column in def.indexes.iter_mut().flat_map(|i| &mut i.columns) {
        if column.column > position {
            column.column -= 1;
        }
    }
    crate::sequence::drop_owned(session, table.def.oid, Some(&name)).await?;
    rewrite(session, table, def, Some(position)).await
}

/// Do rows lie in pages alike?
pub fn same_layout(a: &TableDef, b: &TableDef) -> bool {
    let layout = |def: &TableDef| -> Vec<_> { def.columns.iter().map(|c| (c.ty, c.not_null)).collect() };
    layout(a) == layout(b)
}

async fn change_layout(session: &mut Session, table: &Arc<Table>, def: TableDef) -> Result<()> {
    if same_layout(&table.def, &def) {
        session.put_table(table.database, def);
        return Ok(());
    }
    rewrite(session, table, def, None).await
}

/// Writes a table anew with another definition: columns may have been added at the end, one may be gone.
pub async fn rewrite(
    session: &mut Session,
    table: &Arc<Table>,
    mut def: TableDef,
    dropped: Option<usize>,
) -> Result<()> {
    let database = table.database;
    let old = table.def.clone();
    def.file = session.db().new_oid();
    def.analyzed = None;
    let indexes = std::mem::take(&mut def.indexes);
    session.transaction().create_files(RelationId { database, file: def.file })?;
    session.transaction().drop_files(RelationId { database, file: old.file });
    for index in old.indexes.iter().filter(|i| indexes.iter().any(|new| new.oid == i.oid)) {
        session.transaction().drop_files(RelationId { database, file: index.file });
    }
    // Read as it was, written as it is to be.
    session.transaction().next_command();
    let quoted = |name: &str| name.replace('"', "\"\"");
    let kept: Vec<usize> = (0..old.columns.len()).filter(|c| Some(*c) != dropped).collect();
    let items: Vec<String> = kept.iter().map(|&c| format!("\"{}\"", quoted(&old.columns[c].name))).collect();
    let items = if items.is_empty() { "1".to_string() } else { items.join(", ") };
    let query = crate::parse::query(&format!("SELECT {items} FROM \"{}\"", quoted(&old.name)))?;
    let planned = session.plan(Statement::Query(Box::new(query))).await?;
    let new_table = session.db().table(database, &Arc::new(def.clone()))?;
    let mut insertion = Insertion::new(&new_table, session.write_options());
    let mut batches = execute_stream(planned.physical.clone(), planned.state.task_ctx()).map_err(translate)?;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(translate)?;
        if batch.num_rows() == 0 {
            continue;
        }
        let mut arrays = Vec::with_capacity(def.columns.len());
        for (index, column) in def.columns.iter().enumerate() {
            arrays.push(if index < kept.len() {
                cast(batch.column(index), column.ty, Purpose::Assignment)?
            } else {
                match crate::insert::default_of(column)? {
                    Some(default) => crate::insert::evaluate(session, &default, column.ty, batch.num_rows()).await?,
                    None => datafusion::arrow::array::new_null_array(&column.ty.arrow(), batch.num_rows()),
                }
            });
        }
        if arrays.iter().skip(kept.len()).zip(&def.columns[kept.len()..]).any(|(a, c)| c.not_null && a.null_count() > 0)
        {
            let column = def.columns.last().map_or("", |c| c.name.as_str());
            let message = format!("column \"{column}\" of relation \"{}\" contains null values", def.name);
            return Err(EngineError::new("23502", message).column(&def, column));
        }
        check_nulls(&new_table, &arrays)?;
        check_constraints(session, &new_table, &arrays).await?;
        let options = datafusion::arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch =
            datafusion::arrow::array::RecordBatch::try_new_with_options(new_table.schema.clone(), arrays, &options);
        let batch = batch.map_err(|e| EngineError::new("XX000", e.to_string()))?;
        insertion.add(session.transaction(), batch).await?;
    }
    insertion.finish(session.transaction()).await?;
    let options = session.write_options();
    for mut index in indexes {
        index.file = session.db().new_oid();
        index.made_by = session.transaction().writer().transaction.xid;
        new_table.build_index(session.transaction(), &index, &options).await?;
        def.indexes.push(index);
    }
    session.put_table(database, def);
    Ok(())
}
