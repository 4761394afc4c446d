//! CREATE and ALTER SEQUENCE, and the sequences of `serial` and identity columns: PostgreSQL's `sequence.c`. What draws from
//! them is [`session::sequences`].

use std::sync::Arc;

use analyze::analyze_type_name;
use catalog::Catalog;
use engine::{EngineError, ObjectAddress, Result, Sequence, SequenceDef, SequenceState, TableDef};
use error::sqlstate;
use session::errors::at;
use session::ownership::{self, ObjectKind};
use session::sequences::newest;
use session::{ParsedStatement, Reply, Session, def_elem, done};
use storage::RelationId;
use syntax::nodes::{AlterSeqStmt, CreateSeqStmt, DefElem, Node, RangeVar};
use txn::{LockMode, LockTag};
use types::names::PG_CLASS;
use types::{Oid, oid};

use crate::acl;
use crate::object::{names, namespace};
use crate::role::user;
use crate::table::column;

/// What a statement says of a sequence; `None` is what it does not say.
#[derive(Default)]
pub struct Options {
    ty: Option<Oid>,
    increment: Option<i64>,
    /// `Some(None)`: NO MINVALUE.
    min: Option<Option<i64>>,
    max: Option<Option<i64>>,
    start: Option<i64>,
    /// `Some(None)`: at the start again.
    restart: Option<Option<i64>>,
    cache: Option<i64>,
    cycle: Option<bool>,
    /// `table.column`, or `none`.
    owned_by: Option<Vec<String>>,
    /// An identity column may name its sequence.
    pub name: Option<Vec<String>>,
}

impl Options {
    pub fn read(session: &mut Session, statement: &ParsedStatement, options: &[Node]) -> Result<Options> {
        let mut found = Options::default();
        for option in options {
            let Node::DefElem(option) = option else { continue };
            let outcome = found.option(session, statement, option);
            outcome.map_err(|error| at(error, &statement.text, option.location))?;
        }
        Ok(found)
    }

    fn option(&mut self, session: &mut Session, statement: &ParsedStatement, option: &DefElem) -> Result<()> {
        let number = |option: &DefElem| option.arg.as_ref().map(|_| def_elem::integer(option)).transpose();
        match def_elem::name(option) {
            "as" => {
                let Some(Node::TypeName(name)) = &option.arg else { return Err(redundant()) };
                let ty = session.analyze(&statement.text, &[], |with| analyze_type_name(with, name))?;
                let ty = integer_type(ty.oid).ok_or_else(|| {
                    EngineError::new(
                        sqlstate::INVALID_PARAMETER_VALUE,
                        "sequence type must be smallint, integer, or bigint",
                    )
                })?;
                once(&mut self.ty, ty)
            }
            "increment" => once(&mut self.increment, def_elem::integer(option)?),
            "minvalue" => once(&mut self.min, number(option)?),
            "maxvalue" => once(&mut self.max, number(option)?),
            "start" => once(&mut self.start, def_elem::integer(option)?),
            "restart" => once(&mut self.restart, number(option)?),
            "cache" => once(&mut self.cache, def_elem::integer(option)?),
            "cycle" => once(&mut self.cycle, def_elem::boolean(option)?),
            "owned_by" => once(&mut self.owned_by, parts(option)),
            "sequence_name" => once(&mut self.name, parts(option)),
            other => Err(EngineError::unsupported(format!("sequence option {other}"))),
        }
    }

    /// The options of a sequence of a column of this type.
    pub fn of_column(mut self, ty: Oid) -> Result<Options> {
        once(&mut self.ty, ty)?;
        Ok(self)
    }

    /// Those that make a sequence like another one.
    pub fn like(def: &SequenceDef) -> Options {
        Options {
            ty: Some(def.ty),
            increment: Some(def.increment),
            min: Some(Some(def.min)),
            max: Some(Some(def.max)),
            start: Some(def.start),
            cache: Some(def.cache),
            cycle: Some(def.cycle),
            ..Options::default()
        }
    }

    /// The sequence as the options make it; `fresh`: what they leave out gets its defaults.
    fn apply(&self, mut def: SequenceDef, fresh: bool) -> Result<SequenceDef> {
        let (mut new_min, mut new_max) = (false, false);
        if let Some(ty) = self.ty {
            // Limits that were the old type's are the new one's.
            let (low, high) = limits(def.ty);
            (new_min, new_max) = (!fresh && def.min == low, !fresh && def.max == high);
            def.ty = ty;
        }
        def.increment = self.increment.unwrap_or(def.increment);
        if def.increment == 0 {
            return Err(wrong("INCREMENT must not be zero".into()));
        }
        def.cycle = self.cycle.unwrap_or(def.cycle);
        let (low, high) = limits(def.ty);
        let ascending = def.increment > 0;
        if let Some(Some(max)) = self.max {
            def.max = max;
        } else if fresh || self.max.is_some() || new_max {
            def.max = if ascending || new_max { high } else { -1 };
        }
        if let Some(Some(min)) = self.min {
            def.min = min;
        } else if fresh || self.min.is_some() || new_min {
            def.min = if !ascending || new_min { low } else { 1 };
        }
        for (what, value) in [("MAXVALUE", def.max), ("MINVALUE", def.min)] {
            if !(low..=high).contains(&value) {
                let ty = Catalog::BUILT_IN.format_type(def.ty);
                return Err(wrong(format!("{what} ({value}) is out of range for sequence data type {ty}")));
            }
        }
        if def.min >= def.max {
            return Err(wrong(format!("MINVALUE ({}) must be less than MAXVALUE ({})", def.min, def.max)));
        }
        if let Some(start) = self.start {
            def.start = start;
        } else if fresh {
            def.start = if ascending { def.min } else { def.max };
        }
        within(&def, "START", def.start)?;
        def.cache = self.cache.unwrap_or(def.cache);
        Ok(def)
    }
}

fn redundant() -> EngineError {
    EngineError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options")
}

fn once<T>(kept: &mut Option<T>, value: T) -> Result<()> {
    if kept.replace(value).is_some() { Err(redundant()) } else { Ok(()) }
}

fn wrong(message: String) -> EngineError {
    EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn within(def: &SequenceDef, what: &str, value: i64) -> Result<()> {
    if value < def.min {
        return Err(wrong(format!("{what} value ({value}) cannot be less than MINVALUE ({})", def.min)));
    }
    if value > def.max {
        return Err(wrong(format!("{what} value ({value}) cannot be greater than MAXVALUE ({})", def.max)));
    }
    Ok(())
}

fn check_cache(def: &SequenceDef) -> Result<()> {
    match def.cache {
        ..1 => Err(wrong(format!("CACHE ({}) must be greater than zero", def.cache))),
        _ => Ok(()),
    }
}

fn parts(option: &DefElem) -> Vec<String> {
    let Some(Node::List(names)) = &option.arg else { return vec![] };
    let part = |name: &Node| match name {
        Node::String(part) => Some(part.to_string()),
        _ => None,
    };
    names.iter().filter_map(part).collect()
}

/// The type of a sequence's values.
pub fn integer_type(ty: Oid) -> Option<Oid> {
    matches!(ty, oid::INT2 | oid::INT4 | oid::INT8).then_some(ty)
}

/// The least and the greatest value of a sequence's type.
fn limits(ty: Oid) -> (i64, i64) {
    match ty {
        oid::INT2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        oid::INT4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// A sequence whose name was claimed.
pub async fn create_named(
    session: &mut Session,
    (schema, name): (&str, &str),
    options: &Options,
    owned_by: Option<(u32, i16)>,
    identity: bool,
) -> Result<Arc<SequenceDef>> {
    let number = session.db().new_oid();
    let owner = user::current(&session.shared)?.oid;
    let namespace = session.schema_oid(schema)?;
    let def = SequenceDef { owned_by, identity, ..SequenceDef::new(number, (namespace, name), owner) };
    let def = options.apply(def, true)?;
    let first = options.restart.flatten().unwrap_or(def.start);
    within(&def, "RESTART", first)?;
    check_cache(&def)?;
    // It is a relation with columns of these types.
    column::require_usage(session, [oid::INT8, oid::BOOL]).await?;
    let made = put_new(session, def, first, false).await?;
    acl::rights_of_new(session, ObjectAddress { class: PG_CLASS, oid: number, column: 0 });
    Ok(made)
}

/// Makes a sequence's files and puts its definition; its next value follows this one, or is it if it was not `called`.
async fn put_new(session: &mut Session, def: SequenceDef, value: i64, called: bool) -> Result<Arc<SequenceDef>> {
    let database = session.shared.database.0;
    let id = RelationId { database, file: def.file };
    session.transaction().create_files(id)?;
    Sequence::create(&session.shared.db, session.io(), id, value, called).await?;
    let oid = def.oid;
    put(session, def);
    let missing = || EngineError::new(sqlstate::INTERNAL_ERROR, "a sequence was not made");
    session.sequence_def(oid).ok_or_else(missing)
}

/// Changes a sequence's definition.
pub fn put(session: &mut Session, sequence: SequenceDef) {
    let database = session.shared.database.0;
    let before = session.sequence_def(sequence.oid);
    session.transaction().alter_sequence(database, before.as_deref(), sequence);
    session.show_changes();
}

/// What OWNED BY says (`process_owned_by`). The table is locked: its columns neither go nor get other names before others see
/// that the sequence goes with one.
async fn owner_of(session: &mut Session, def: &SequenceDef, names: &[String]) -> Result<Option<(u32, i16)>> {
    let [qualifier @ .., column] = names else { return Ok(None) };
    if qualifier.is_empty() {
        if column == "none" {
            return Ok(None);
        }
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "invalid OWNED BY option")
            .hint("Specify OWNED BY table.column or OWNED BY NONE."));
    }
    let (schema, table) = namespace::find(session, &namespace::range_var(qualifier))?;
    let Some(found) = session.lock_table(&schema, &table, LockMode::AccessShare).await? else {
        if names::is_taken(session, &schema, &table) {
            let message = format!("sequence cannot be owned by relation \"{table}\"");
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
        }
        return Err(EngineError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("relation \"{}\" does not exist", qualifier.join(".")),
        ));
    };
    let refused = |message: &str| Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    if found.def.owner != def.owner {
        return refused("sequence must have same owner as table it is linked to");
    }
    if found.def.namespace != def.namespace {
        return refused("sequence must be in same schema as table it is linked to");
    }
    let position = found.def.column(column).ok_or_else(|| {
        let message = format!("column \"{column}\" of relation \"{}\" does not exist", found.def.name);
        EngineError::new(sqlstate::UNDEFINED_COLUMN, message)
    })?;
    Ok(Some((found.def.oid, position as i16 + 1)))
}

/// Is it the sequence of an identity column? Gives the table, and the column's place.
pub fn identity_of(session: &Session, def: &SequenceDef) -> Option<(Arc<TableDef>, usize)> {
    let (table, position) = owner_table(session, def)?;
    let is_it = table.columns.get(position)?.identity.is_some()
        && of_identity(session, table.oid, position).is_some_and(|found| found.oid == def.oid);
    is_it.then_some((table, position))
}

/// The sequence of an identity column, by its place.
pub fn of_identity(session: &Session, table: u32, position: usize) -> Option<Arc<SequenceDef>> {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0)?.identity_sequence(table, position as i16 + 1).cloned()
}

/// The table that a sequence goes with, and the column's place.
pub fn owner_table(session: &Session, def: &SequenceDef) -> Option<(Arc<TableDef>, usize)> {
    let (table, column) = def.owned_by?;
    Some((session.table_def(table)?, usize::try_from(column).ok()?.checked_sub(1)?))
}

/// CREATE SEQUENCE.
pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateSeqStmt) -> Result<Reply> {
    session.require_writable("CREATE SEQUENCE")?;
    let Some(relation) = &create.sequence else { return Err(EngineError::unsupported("a sequence without a name")) };
    let (schema, name) = namespace::creation(session, relation).await?;
    if let Err(error) = names::claim(session, &schema, &name).await {
        if create.if_not_exists && error.code == sqlstate::DUPLICATE_TABLE {
            session.notice("NOTICE", EngineError { message: error.message + ", skipping", ..error });
            return Ok(done("CREATE SEQUENCE"));
        }
        return Err(error);
    }
    let options = Options::read(session, statement, &create.options)?;
    let def = create_named(session, (&schema, &name), &options, None, false).await?;
    if let Some(owner) = &options.owned_by {
        let owned_by = owner_of(session, &def, owner).await?;
        put(session, SequenceDef { owned_by, ..SequenceDef::clone(&def) });
    }
    Ok(done("CREATE SEQUENCE"))
}

/// Locks a sequence that is part of something that its owner changes; gives it as it is then.
pub async fn lock(session: &mut Session, def: &SequenceDef) -> Result<Arc<SequenceDef>> {
    shut_out(session, def.oid).await?;
    newest(&session.shared, def)
}

/// A sequence that is to be changed by its owner, locked against all other sessions; `None`: there is none of this name.
pub async fn lock_owned(session: &mut Session, relation: &RangeVar) -> Result<Option<Arc<SequenceDef>>> {
    let (schema, name) = namespace::find(session, relation)?;
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        catalog.database_by_oid(session.shared.database.0)?.sequence(&schema, &name).cloned()
    };
    loop {
        let Some(found) = find(session) else {
            if names::is_taken(session, &schema, &name) {
                return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a sequence")));
            }
            return Ok(None);
        };
        ownership::require_owner(&session.shared, ObjectKind::Sequence, &name, found.owner)?;
        shut_out(session, found.oid).await?;
        if let Some(now) = find(session).filter(|now| now.oid == found.oid) {
            return Ok(Some(now));
        }
    }
}

/// No other session may draw from it until the transaction ends.
async fn shut_out(session: &mut Session, oid: u32) -> Result<()> {
    let tag = LockTag::Relation { database: session.shared.database.0, oid };
    session.lock(tag, LockMode::AccessExclusive).await?;
    session.shared.sequences.shut(oid);
    session.show_changes();
    Ok(())
}

/// ALTER SEQUENCE of what is none.
fn refuse_others(session: &Session, relation: &RangeVar) -> Result<()> {
    let (schema, name) = namespace::find(session, relation)?;
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return Ok(()) };
    let kind = match (database.table(&schema, &name), database.index(&schema, &name)) {
        (Some(_), _) => "tables",
        (_, Some(_)) => "indexes",
        _ => return Ok(()),
    };
    Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("cannot open relation \"{name}\""))
        .detail(format!("This operation is not supported for {kind}.")))
}

/// ALTER SEQUENCE with options.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterSeqStmt) -> Result<Reply> {
    session.require_writable("ALTER SEQUENCE")?;
    let Some(relation) = &alter.sequence else { return Err(EngineError::unsupported("a sequence without a name")) };
    refuse_others(session, relation)?;
    let Some(found) = lock_owned(session, relation).await? else {
        if alter.missing_ok {
            namespace::skip_missing(session, relation)?;
            return Ok(done("ALTER SEQUENCE"));
        }
        return Err(namespace::missing(session, relation));
    };
    let options = Options::read(session, statement, &alter.options)?;
    let def = change(session, &found, &options).await?;
    if let Some(owner) = &options.owned_by {
        if let Some((table, _)) = identity_of(session, &found) {
            let detail = format!("Sequence \"{}\" is linked to table \"{}\".", found.name, table.name);
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot change ownership of identity sequence",
            )
            .detail(detail));
        }
        let owned_by = owner_of(session, &def, owner).await?;
        put(session, SequenceDef { owned_by, ..SequenceDef::clone(&def) });
    }
    Ok(done("ALTER SEQUENCE"))
}

/// Changes a sequence that is locked; in new files, so that it can be taken back.
pub async fn change(session: &mut Session, found: &Arc<SequenceDef>, options: &Options) -> Result<Arc<SequenceDef>> {
    let database = session.shared.database.0;
    let file = session.db().new_oid();
    let def = options.apply(SequenceDef { file, ..SequenceDef::clone(found) }, false)?;
    let old = Sequence::open(&session.shared.db, session.io(), database, found).await?;
    let (value, called) = match options.restart {
        None => {
            let SequenceState { value, called, .. } = old.state();
            (value, called)
        }
        Some(value) => (value.unwrap_or(def.start), false),
    };
    within(&def, "RESTART", value)?;
    check_cache(&def)?;
    session.transaction().drop_files(RelationId { database, file: found.file });
    put_new(session, def, value, called).await
}

/// The sequences that go with a table, or with one of its columns.
pub fn owned(session: &Session, table: u32, column: Option<i16>) -> Vec<Arc<SequenceDef>> {
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return vec![] };
    let of_column = |sequence: &&Arc<SequenceDef>| {
        sequence.owned_by.is_some_and(|(_, owner)| column.is_none_or(|column| owner == column))
    };
    database.owned_sequences(table).filter(of_column).cloned().collect()
}

/// Locks the sequences that go with a table, or with one of its columns; gives them as they are then. The table is locked
/// against those who would give it more.
pub async fn lock_of_table(session: &mut Session, table: u32, column: Option<i16>) -> Result<Vec<Arc<SequenceDef>>> {
    let mut locked = Vec::new();
    for found in owned(session, table, column) {
        shut_out(session, found.oid).await?;
        locked.push(found.oid);
    }
    // A transaction that was waited for may have taken one away from it.
    let mut owned = owned(session, table, column);
    owned.retain(|found| locked.contains(&found.oid));
    Ok(owned)
}

/// The sequences of a table begin again: TRUNCATE … RESTART IDENTITY.
pub async fn restart_owned(session: &mut Session, table: u32) -> Result<()> {
    for sequence in lock_of_table(session, table, None).await? {
        change(session, &sequence, &Options { restart: Some(None), ..Options::default() }).await?;
    }
    Ok(())
}
