//! ALTER TABLE, and what ALTER INDEX and ALTER SEQUENCE have of it: PostgreSQL's `tablecmds.c`. Columns are
//! [`crate::table::alter_column`]'s.

use std::sync::Arc;

use engine::{EngineError, IndexDef, Named, ObjectAddress, Result, Table, TableDef, ViewDef};
use error::sqlstate;
use session::{ParsedStatement, Reply, Session, done, ownership};
use syntax::nodes::{
    AlterTableCmd, AlterTableStmt, AlterTableType, ConstrType, Constraint, Node, ObjectType, RangeVar,
};
use txn::LockMode;
use types::names::PG_CONSTRAINT;

use crate::maintenance::cluster;
use crate::object::dependency;
use crate::object::{deletion, names, namespace, owner, reloptions};
use crate::table::constraint::{self, Adding};
use crate::table::{alter_column, not_null};
use crate::r#type::composite;
use crate::{index, policy, sequence, tablespace, view};

pub async fn run(session: &mut Session, statement: &ParsedStatement, alter: &AlterTableStmt) -> Result<Reply> {
    let tag = match alter.objtype {
        ObjectType::OBJECT_TABLE => "ALTER TABLE",
        ObjectType::OBJECT_INDEX => "ALTER INDEX",
        ObjectType::OBJECT_SEQUENCE => "ALTER SEQUENCE",
        ObjectType::OBJECT_VIEW => "ALTER VIEW",
        _ => return Err(EngineError::unsupported("this form of ALTER")),
    };
    session.require_writable(tag)?;
    let Some(relation) = &alter.relation else { return Err(EngineError::unsupported("this form of ALTER TABLE")) };
    let commands = commands(alter);
    let found = match alter.objtype {
        ObjectType::OBJECT_INDEX => alter_index(session, relation, &commands).await?,
        ObjectType::OBJECT_SEQUENCE => alter_sequence(session, relation, &commands).await?,
        ObjectType::OBJECT_VIEW => alter_view(session, statement, relation, &commands).await?,
        _ => alter_table(session, statement, relation, &commands).await?,
    };
    if !found {
        composite::refuse_alter_table(session, relation)?;
        if !alter.missing_ok {
            return Err(namespace::missing(session, relation));
        }
        namespace::skip_missing(session, relation)?;
    }
    Ok(done(tag))
}

/// What is to be done, in the order in which PostgreSQL does it: what is dropped first, columns before what is over them.
fn commands(alter: &AlterTableStmt) -> Vec<&AlterTableCmd> {
    let given = alter.cmds.iter().filter_map(|node| match node {
        Node::AlterTableCmd(command) => Some(&**command),
        _ => None,
    });
    let mut commands: Vec<&AlterTableCmd> = given.collect();
    commands.sort_by_key(|command| pass(command));
    commands
}

/// PostgreSQL's passes (`AlterTablePass`).
fn pass(command: &AlterTableCmd) -> u8 {
    use AlterTableType::*;
    let is = |node: &Option<Node>, kinds: &[ConstrType]| matches!(node, Some(Node::Constraint(given)) if kinds.contains(&given.contype));
    match command.subtype {
        AT_DropColumn | AT_DropConstraint | AT_DropNotNull | AT_DropIdentity => 0,
        AT_AlterColumnType => 1,
        AT_AddColumn => 2,
        AT_SetNotNull => 3,
        AT_AddConstraint if is(&command.def, &[ConstrType::CONSTR_NOTNULL]) => 3,
        AT_AddConstraint if is(&command.def, &[ConstrType::CONSTR_PRIMARY, ConstrType::CONSTR_UNIQUE]) => 4,
        AT_ColumnDefault if command.def.is_none() => 0,
        AT_AddConstraint | AT_ColumnDefault | AT_AddIdentity => 5,
        _ => 6,
    }
}

/// How strongly the table is locked for all of it (`AlterTableGetLockLevel`): readers and writers go on beside what does not
/// change what they do.
fn lock_mode(commands: &[&AlterTableCmd]) -> LockMode {
    use AlterTableType::*;
    let mild = |command: &&AlterTableCmd| {
        let subtype = command.subtype;
        let of_table = matches!(subtype, AT_SetRelOptions | AT_ResetRelOptions | AT_ClusterOn | AT_DropCluster);
        of_table || matches!(subtype, AT_ValidateConstraint | AT_SetStatistics | AT_SetOptions | AT_ResetOptions)
    };
    if commands.iter().all(mild) { LockMode::ShareUpdateExclusive } else { LockMode::AccessExclusive }
}

/// `false`: there is no such table.
async fn alter_table(
    session: &mut Session,
    statement: &ParsedStatement,
    relation: &RangeVar,
    commands: &[&AlterTableCmd],
) -> Result<bool> {
    let (schema, name) = namespace::find(session, relation)?;
    let found = session.lock_owned(&schema, &name, lock_mode(commands), ownership::of_table).await?;
    let Some(table) = found else {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0);
        // PostgreSQL takes other relations too, for what they have in common with tables.
        return match database.and_then(|database| database.relation(&schema, &name)) {
            Some(Named::Sequence(_)) => alter_sequence(session, relation, commands).await,
            Some(Named::Index { .. }) => alter_index(session, relation, commands).await,
            Some(Named::View(_)) => alter_view(session, statement, relation, commands).await,
            Some(Named::Table(_)) | None => Ok(false),
        };
    };
    let oid = table.def.oid;
    session.check_not_in_use(oid, &name, "ALTER TABLE")?;
    refuse_several_moves(commands)?;
    for command in commands {
        // Each sees what the ones before it did.
        let now = session.table_of(oid)?;
        refuse_second_type(&table.def, &now.def, command)?;
        apply(session, statement, &now, command).await?;
        dependency::hold_references(session, oid).await?;
    }
    Ok(true)
}

/// Columns elsewhere may have rows of the table.
fn refuse_stored_rows(session: &mut Session, table: u32) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    match catalog.relation(table) {
        Some(class) => composite::refuse_stored(catalog, class),
        None => Ok(()),
    }
}

async fn apply(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    command: &AlterTableCmd,
) -> Result<()> {
    use AlterTableType::*;
    let name = command.name.as_deref().unwrap_or_default();
    if matches!(command.subtype, AT_AddColumn | AT_DropColumn | AT_AlterColumnType) {
        refuse_stored_rows(session, table.def.oid)?;
    }
    match (command.subtype, &command.def) {
        (AT_AddColumn, Some(Node::ColumnDef(raw))) => {
            alter_column::add(session, statement, table, raw, command.missing_ok).await
        }
        (AT_DropColumn, _) => alter_column::drop(session, table, name, command.missing_ok, command.behavior).await,
        (AT_AlterColumnType, Some(Node::ColumnDef(raw))) => {
            alter_column::change_type(session, statement, table, name, raw).await
        }
        (AT_ColumnDefault, default) => alter_column::set_default(session, statement, table, name, default.as_ref()),
        (AT_SetNotNull, _) => not_null::set(session, table, name).await,
        (AT_DropNotNull, _) => not_null::drop(session, table, name),
        (AT_AddIdentity, Some(Node::Constraint(given))) => {
            alter_column::add_identity(session, statement, table, name, given).await
        }
        (AT_SetIdentity, Some(Node::List(options))) => {
            alter_column::set_identity(session, statement, table, name, options).await
        }
        (AT_DropIdentity, _) => alter_column::drop_identity(session, table, name, command.missing_ok).await,
        (AT_SetStatistics, value) => alter_column::set_statistics(session, table, name, value.as_ref()),
        (AT_SetOptions | AT_ResetOptions, Some(Node::List(options))) => {
            alter_column::set_options(session, table, name, options, command.subtype == AT_ResetOptions)
        }
        (AT_SetStorage, Some(Node::String(storage))) => alter_column::set_storage(session, table, name, storage),
        (AT_SetCompression, Some(Node::String(method))) => alter_column::set_compression(session, table, name, method),
        (AT_AddConstraint, Some(Node::Constraint(given))) => add_constraint(session, statement, table, given).await,
        (AT_DropConstraint, _) => drop_constraint(session, table, name, command).await,
        (AT_ValidateConstraint, _) if key_constraint(&table.def, name).is_some() => {
            let message = format!("cannot validate constraint \"{name}\" of relation \"{}\"", table.def.name);
            Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message)
                .detail("This operation is not supported for this type of constraint."))
        }
        (AT_ValidateConstraint, _)
            if names::has_constraint(&table.def, name) || not_null_named(&table.def, name).is_some() =>
        {
            Ok(())
        }
        (AT_ValidateConstraint, _) => Err(no_constraint(&table.def, name)),
        (AT_SetTableSpace, _) => tablespace::move_table(session, table, name).await,
        (AT_ChangeOwner, _) => owner::of_relation(session, table.def.oid, command.newowner.as_deref()).await,
        (AT_SetRelOptions | AT_ResetRelOptions, Some(Node::List(options))) => {
            let mut def = TableDef::clone(&table.def);
            let change = if command.subtype == AT_SetRelOptions { reloptions::set } else { reloptions::reset };
            change(reloptions::Of::Table, &mut def.options, options)?;
            session.put_table(&table.def, def);
            Ok(())
        }
        // What there is none of is as it is to be.
        (AT_SetLogged | AT_DropOids, _) => Ok(()),
        (AT_EnableRowSecurity | AT_DisableRowSecurity | AT_ForceRowSecurity | AT_NoForceRowSecurity, _) => {
            policy::set_row_security(session, table.def.oid, command.subtype);
            Ok(())
        }
        (AT_ClusterOn, _) => cluster::cluster_on(session, table, name),
        (AT_DropCluster, _) => {
            cluster::without_cluster(session, table);
            Ok(())
        }
        _ => Err(EngineError::unsupported("this form of ALTER TABLE")),
    }
}

async fn add_constraint(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    given: &Constraint,
) -> Result<()> {
    match given.contype {
        ConstrType::CONSTR_CHECK => {
            constraint::add_check(session, statement, table.def.oid, given, Adding::Alter).await
        }
        ConstrType::CONSTR_PRIMARY | ConstrType::CONSTR_UNIQUE => {
            let key = constraint::key(&table.def, given, None, &statement.text)?;
            if let Some(name) = &key.name
                && names::has_constraint(&table.def, name)
            {
                // Its index would have the name of one that is there.
                names::claim_in(session, table.def.namespace, name).await?;
                return Err(constraint::already_exists(&table.def, name));
            }
            index::make(session, table, key.into()).await
        }
        ConstrType::CONSTR_NOTNULL => {
            let Some(Node::String(column)) = given.keys.first() else {
                return Err(EngineError::unsupported("NOT NULL without a column"));
            };
            constraint::check_not_null(given, &table.def.name, column)?;
            not_null::set(session, table, column).await
        }
        ConstrType::CONSTR_FOREIGN => Err(EngineError::unsupported("FOREIGN KEY")),
        _ => Err(EngineError::unsupported("this form of ADD CONSTRAINT")),
    }
}

/// The index of a unique constraint or a primary key.
fn key_constraint<'d>(def: &'d TableDef, name: &str) -> Option<&'d IndexDef> {
    def.indexes.iter().find(|index| index.constraint && index.name == name)
}

/// The column whose NOT NULL has this name in `pg_constraint`.
fn not_null_named<'d>(def: &'d TableDef, name: &str) -> Option<&'d str> {
    let mut columns = def.live_columns().map(|(_, column)| column).filter(|column| column.not_null);
    columns.find(|column| column.not_null_constraint.1 == name).map(|column| &*column.name)
}

fn no_constraint(def: &TableDef, name: &str) -> EngineError {
    EngineError::new(
        sqlstate::UNDEFINED_OBJECT,
        format!("constraint \"{name}\" of relation \"{}\" does not exist", def.name),
    )
}

async fn drop_constraint(
    session: &mut Session,
    table: &Arc<Table>,
    name: &str,
    &AlterTableCmd { behavior, missing_ok, .. }: &AlterTableCmd,
) -> Result<()> {
    let def = &table.def;
    let check = || def.checks.iter().find(|check| check.name == name).map(|check| check.oid);
    if let Some(oid) = key_constraint(def, name).map(|index| index.oid).or_else(check) {
        return deletion::drop_all(session, &[ObjectAddress { class: PG_CONSTRAINT, oid, column: 0 }], behavior).await;
    }
    if let Some(column) = not_null_named(def, name) {
        return not_null::drop(session, table, column);
    }
    let error = no_constraint(def, name);
    if missing_ok {
        session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
        return Ok(());
    }
    Err(error)
}

/// A column that has got another type from the same statement gets no third one.
fn refuse_second_type(before: &TableDef, now: &TableDef, command: &AlterTableCmd) -> Result<()> {
    let name = command.name.as_deref().unwrap_or_default();
    let ty = |def: &TableDef| def.column(name).map(|position| def.columns[position].ty);
    match command.subtype {
        AlterTableType::AT_AlterColumnType if ty(before).is_some() && ty(before) != ty(now) => {
            let message = format!("cannot alter type of column \"{name}\" twice");
            Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
        }
        _ => Ok(()),
    }
}

fn refuse_several_moves(commands: &[&AlterTableCmd]) -> Result<()> {
    let moves = commands.iter().filter(|command| command.subtype == AlterTableType::AT_SetTableSpace);
    if moves.count() > 1 {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "cannot have multiple SET TABLESPACE subcommands"));
    }
    Ok(())
}

/// `false`: there is no such index.
async fn alter_index(session: &mut Session, relation: &RangeVar, commands: &[&AlterTableCmd]) -> Result<bool> {
    let moves = |command: &&&AlterTableCmd| command.subtype == AlterTableType::AT_SetTableSpace;
    let mode = match commands.iter().any(|command| moves(&command)) {
        true => LockMode::AccessExclusive,
        false => LockMode::ShareUpdateExclusive,
    };
    let Some((table, position)) = index::lock_owned(session, relation, mode).await? else { return Ok(false) };
    let (oid, index) = (table.def.oid, &table.def.indexes[position]);
    session.check_not_in_use(index.oid, &index.name, "ALTER TABLE")?;
    refuse_several_moves(commands)?;
    for command in commands.iter().filter(moves) {
        let table = session.table_of(oid)?;
        tablespace::move_index(session, &table, position, command.name.as_deref().unwrap_or_default()).await?;
    }
    let of_column = |command: &&&AlterTableCmd| command.subtype == AlterTableType::AT_SetStatistics;
    let gives = |command: &&&AlterTableCmd| command.subtype == AlterTableType::AT_ChangeOwner;
    for command in commands.iter().filter(gives) {
        owner::of_relation(session, index.oid, command.newowner.as_deref()).await?;
    }
    for command in commands.iter().filter(of_column) {
        let table = session.table_of(oid)?;
        let column = (command.name.as_deref().unwrap_or_default(), command.num);
        alter_column::set_index_statistics(session, &table, position, column, command.def.as_ref())?;
    }
    let before = session.table_of(oid)?.def.clone();
    let mut def = TableDef::clone(&before);
    let options = |command: &&&AlterTableCmd| !moves(command) && !of_column(command) && !gives(command);
    for command in commands.iter().filter(options) {
        let method = def.indexes[position].method()?;
        let options = &mut def.indexes[position].options;
        match (command.subtype, &command.def) {
            (AlterTableType::AT_SetRelOptions, Some(Node::List(given))) => {
                reloptions::set(reloptions::Of::Index(method), options, given)?;
            }
            (AlterTableType::AT_ResetRelOptions, Some(Node::List(given))) => {
                reloptions::reset(reloptions::Of::Index(method), options, given)?;
            }
            (AlterTableType::AT_SetOptions, _) => {
                return Err(not_supported("SET", &def.indexes[position].name, "indexes"));
            }
            (AlterTableType::AT_ResetOptions, _) => {
                return Err(not_supported("RESET", &def.indexes[position].name, "indexes"));
            }
            _ => {
                refuse_row_security(command, &def.indexes[position].name, "indexes")?;
                return Err(EngineError::unsupported("this form of ALTER INDEX"));
            }
        }
    }
    session.put_table(&before, def);
    Ok(true)
}

/// An action on a column that relations of this kind do not have (`ATSimplePermissions`).
fn not_supported(action: &str, name: &str, kind: &str) -> EngineError {
    let message = format!("ALTER action ALTER COLUMN ... {action} cannot be performed on relation \"{name}\"");
    EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message)
        .detail(format!("This operation is not supported for {kind}."))
}

/// Policies are tables'.
fn refuse_row_security(command: &AlterTableCmd, name: &str, kind: &str) -> Result<()> {
    let action = match command.subtype {
        AlterTableType::AT_EnableRowSecurity => "ENABLE ROW SECURITY",
        AlterTableType::AT_DisableRowSecurity => "DISABLE ROW SECURITY",
        AlterTableType::AT_ForceRowSecurity => "FORCE ROW SECURITY",
        AlterTableType::AT_NoForceRowSecurity => "NO FORCE ROW SECURITY",
        _ => return Ok(()),
    };
    let message = format!("ALTER action {action} cannot be performed on relation \"{name}\"");
    Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message)
        .detail(format!("This operation is not supported for {kind}.")))
}

/// `false`: there is no such view.
async fn alter_view(
    session: &mut Session,
    statement: &ParsedStatement,
    relation: &RangeVar,
    commands: &[&AlterTableCmd],
) -> Result<bool> {
    use AlterTableType::*;
    let (schema, name) = namespace::find(session, relation)?;
    let Some(mut found) = view::lock_owned(session, &schema, &name).await? else {
        return match names::is_taken(session, &schema, &name) {
            true => Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a view"))),
            false => Ok(false),
        };
    };
    for command in commands {
        match (command.subtype, &command.def) {
            (AT_ColumnDefault, default) => {
                let name = command.name.as_deref().unwrap_or_default();
                view::set_default(session, statement, &mut found, name, default.as_ref())?;
            }
            (AT_SetRelOptions, Some(Node::List(options))) => {
                view::set_options(&mut found.options, options)?;
                view::check_options(session, &found)?;
            }
            (AT_ResetRelOptions, Some(Node::List(options))) => {
                reloptions::reset(reloptions::Of::Table, &mut found.options, options)?;
            }
            (AT_ChangeOwner, _) => {
                view::put(session, found.clone());
                owner::of_relation(session, found.oid, command.newowner.as_deref()).await?;
                found = session.view_def(found.oid).map_or(found, |now| ViewDef::clone(&now));
            }
            (AT_SetStatistics, _) => return Err(not_supported("SET STATISTICS", &found.name, "views")),
            (AT_SetOptions, _) => return Err(not_supported("SET", &found.name, "views")),
            (AT_ResetOptions, _) => return Err(not_supported("RESET", &found.name, "views")),
            _ => {
                refuse_row_security(command, &found.name, "views")?;
                return Err(EngineError::unsupported("this form of ALTER VIEW"));
            }
        }
    }
    let oid = found.oid;
    view::put(session, found);
    dependency::hold_references(session, oid).await?;
    Ok(true)
}

/// `false`: there is no such sequence.
async fn alter_sequence(session: &mut Session, relation: &RangeVar, commands: &[&AlterTableCmd]) -> Result<bool> {
    let Some(found) = sequence::lock_owned(session, relation).await? else { return Ok(false) };
    session.check_not_in_use(found.oid, &found.name, "ALTER TABLE")?;
    for command in commands {
        match command.subtype {
            AlterTableType::AT_ChangeOwner => {
                owner::of_relation(session, found.oid, command.newowner.as_deref()).await?;
            }
            AlterTableType::AT_SetLogged => {}
            AlterTableType::AT_SetOptions => return Err(not_supported("SET", &found.name, "sequences")),
            AlterTableType::AT_ResetOptions => return Err(not_supported("RESET", &found.name, "sequences")),
            _ => {
                refuse_row_security(command, &found.name, "sequences")?;
                return Err(EngineError::unsupported("this form of ALTER SEQUENCE"));
            }
        }
    }
    Ok(true)
}
