//! Sequences: CREATE, ALTER and DROP SEQUENCE, `serial` and identity columns, `nextval` and its sisters.
//!
//! Before a statement is planned its calls of `nextval` and so on are looked at: the sequence's name becomes its OID, and
//! the sequence is opened for the session. The functions then draw without waiting.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array};
use datafusion::catalog::TableProvider;
use datafusion::sql::sqlparser::ast::{
    DataType as SqlType, Expr as AstExpr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, SequenceOptions,
    Statement, Value, VisitMut, VisitorMut,
};
use engine::{Change, EngineError, PgType, Result, Sequence, SequenceDef};
use parking_lot::Mutex;
use storage::RelationId;
use txn::{LockMode, LockTag};

use crate::ddl::{claim_name, ident, object_name};
use crate::errors::translate;
use crate::ownership::{self, Owned};
use crate::parse::AlterSequence;
use crate::session::{Reply, Session, Shared, done};
use crate::system;

/// The sequences that a session has open.
#[derive(Default)]
pub struct Sequences {
    open: Mutex<HashMap<u32, Arc<Sequence>>>,
    /// What `currval` and `lastval` give.
    drawn: Mutex<(HashMap<u32, i64>, Option<u32>)>,
    /// How far the log must be durable before the session tells of values it has drawn.
    lsn: Mutex<storage::Lsn>,
}

impl Sequences {
    /// Where the log must be durable for what was drawn since the last call.
    pub fn take_lsn(&self) -> storage::Lsn {
        std::mem::take(&mut *self.lsn.lock())
    }

    /// At the end of a transaction: what is not locked may be dropped by others.
    pub fn close(&self) {
        self.open.lock().clear();
    }

    /// DISCARD ALL.
    pub fn forget(&self) {
        self.open.lock().clear();
        *self.drawn.lock() = Default::default();
    }

    fn get(&self, oid: i64) -> Result<Arc<Sequence>> {
        let open = self.open.lock();
        let found = u32::try_from(oid).ok().and_then(|oid| open.get(&oid).cloned());
        found.ok_or_else(|| EngineError::unsupported("a sequence whose name is computed"))
    }

    fn note(&self, sequence: &Sequence, value: i64) {
        let mut drawn = self.drawn.lock();
        drawn.0.insert(sequence.def.oid, value);
        drawn.1 = Some(sequence.def.oid);
        let mut lsn = self.lsn.lock();
        *lsn = (*lsn).max(sequence.lsn());
    }

    pub fn nextval(&self, oids: &Int64Array) -> Result<ArrayRef> {
        let same = oids.iter().all(|oid| oid == oids.iter().next().flatten());
        if same && let Some(Some(oid)) = oids.iter().next() {
            let sequence = self.get(oid)?;
            let values = sequence.next(oids.len())?;
            if let Some(&last) = values.last() {
                self.note(&sequence, last);
            }
            return Ok(Arc::new(Int64Array::from(values)));
        }
        let mut values = Vec::with_capacity(oids.len());
        for oid in oids.iter() {
            values.push(match oid {
                None => None,
                Some(oid) => {
                    let sequence = self.get(oid)?;
                    let value = sequence.next(1)?[0];
                    self.note(&sequence, value);
                    Some(value)
                }
            });
        }
        Ok(Arc::new(Int64Array::from(values)))
    }

    /// The next value of a sequence that is open.
    pub fn draw(&self, sequence: &Sequence) -> Result<i64> {
        let value = sequence.next(1)?[0];
        self.note(sequence, value);
        Ok(value)
    }

    /// The value drawn last from a sequence, open or not.
    pub fn currval_of(&self, shared: &Shared, oid: u32) -> Result<i64> {
        let name = find_by_oid(shared, oid)?.name.clone();
        let drawn = self.drawn.lock();
        drawn.0.get(&oid).copied().ok_or_else(|| {
            EngineError::new("55000", format!("currval of sequence \"{name}\" is not yet defined in this session"))
        })
    }

    pub fn currval(&self, oid: i64) -> Result<i64> {
        let sequence = self.get(oid)?;
        let drawn = self.drawn.lock();
        drawn.0.get(&sequence.def.oid).copied().ok_or_else(|| {
            let name = &sequence.def.name;
            EngineError::new("55000", format!("currval of sequence \"{name}\" is not yet defined in this session"))
        })
    }

    /// Of the sequence drawn from last, if it is there still.
    pub fn lastval(&self, exists: impl Fn(u32) -> bool) -> Result<i64> {
        let drawn = self.drawn.lock();
        let value = drawn.1.filter(|oid| exists(*oid)).and_then(|oid| drawn.0.get(&oid).copied());
        value.ok_or_else(|| EngineError::new("55000", "lastval is not yet defined in this session"))
    }

    pub fn setval(&self, oid: i64, value: i64, called: bool) -> Result<i64> {
        let sequence = self.get(oid)?;
        sequence.set(value, called)?;
        if called {
            self.note(&sequence, value);
        } else {
            let mut lsn = self.lsn.lock();
            *lsn = (*lsn).max(sequence.lsn());
        }
        Ok(value)
    }
}

/// Finds calls that name a sequence.
struct Calls<'a> {
    shared: &'a Shared,
    found: Vec<Arc<SequenceDef>>,
    failed: Option<EngineError>,
}

impl VisitorMut for Calls<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut AstExpr) -> std::ops::ControlFlow<()> {
        if let AstExpr::Function(function) = expr
            && let Some(name) = function.name.0.last().and_then(|p| p.as_ident())
            && matches!(ident(name).as_str(), "nextval" | "currval" | "setval" | "pg_sequence_last_value")
            && let FunctionArguments::List(list) = &mut function.args
            && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut()
            && let Some(text) = constant(argument)
        {
            match find(self.shared, &text) {
                Ok(def) => {
                    *argument = AstExpr::value(Value::Number(def.oid.to_string(), false));
                    self.found.push(def);
                }
                Err(error) => self.failed = Some(error),
            }
        }
        std::ops::ControlFlow::Continue(())
    }
}

/// A name in quotes, with or without a cast.
fn constant(expr: &AstExpr) -> Option<String> {
    match expr {
        AstExpr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            _ => None,
        },
        AstExpr::Cast { expr, .. } | AstExpr::Nested(expr) => constant(expr),
        _ => None,
    }
}

fn parse_name(text: &str) -> Result<ObjectName> {
    use datafusion::sql::sqlparser::{dialect::PostgreSqlDialect, parser::Parser};
    let parsed = Parser::new(&PostgreSqlDialect {}).try_with_sql(text).and_then(|mut p| p.parse_object_name(false));
    parsed.map_err(|_| EngineError::new("42602", format!("invalid name syntax: \"{text}\"")))
}

fn find(shared: &Shared, text: &str) -> Result<Arc<SequenceDef>> {
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0);
    if let Ok(oid) = text.parse::<u32>() {
        let found = database.and_then(|d| d.sequences.get(&oid)).cloned();
        return found.ok_or_else(|| EngineError::new("42P01", format!("relation with OID {oid} does not exist")));
    }
    let (schema, name) = object_name(&parse_name(text)?, &shared.database.1)?;
    if let Some(found) = database.and_then(|d| d.sequence(&schema, &name)) {
        return Ok(found.clone());
    }
    if database.is_some_and(|d| d.has_relation(&schema, &name)) {
        return Err(EngineError::new("42809", format!("\"{name}\" is not a sequence")));
    }
    Err(EngineError::new("42P01", format!("relation \"{name}\" does not exist")))
}

/// Keeps a sequence as it is until the transaction ends.
async fn lock(shared: &Shared, def: &SequenceDef) -> Result<()> {
    shared.lock(LockTag::Relation { database: shared.database.0, oid: def.oid }, LockMode::AccessShare).await
}

/// A sequence as it is now that it is locked: whoever was waited for may have changed or dropped it.
fn newest(shared: &Shared, def: &SequenceDef) -> Result<Arc<SequenceDef>> {
    let catalog = shared.catalog();
    let found = catalog.database_by_oid(shared.database.0).and_then(|d| d.sequences.get(&def.oid)).cloned();
    found.ok_or_else(|| EngineError::new("42P01", format!("relation \"{}\" does not exist", def.name)))
}

/// Opens a sequence, which nobody may drop or change until the transaction ends.
pub async fn open(shared: &Shared, oid: u32) -> Result<Arc<Sequence>> {
    let def = find_by_oid(shared, oid)?;
    let open = shared.sequences.open.lock().get(&def.oid).cloned();
    if let Some(open) = open.filter(|open| open.def == def) {
        return Ok(open);
    }
    lock(shared, &def).await?;
    let def = newest(shared, &def)?;
    let sequence = Arc::new(Sequence::open(&shared.db, &shared.backend.io, shared.database.0, &def).await?);
    shared.sequences.open.lock().insert(def.oid, sequence.clone());
    Ok(sequence)
}

fn find_by_oid(shared: &Shared, oid: u32) -> Result<Arc<SequenceDef>> {
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0);
    if let Some(found) = database.and_then(|database| database.sequences.get(&oid)) {
        return Ok(found.clone());
    }
    let table = database.and_then(|database| database.tables.get(&oid));
    Err(match table {
        Some(table) => EngineError::new("42809", format!("\"{}\" is not a sequence", table.name)),
        None => EngineError::new("42P01", format!("relation with OID {oid} does not exist")),
    })
}

/// Opens the sequences that a statement draws from.
pub async fn open_all(session: &mut Session, statement: &mut Statement) -> Result<()> {
    let shared = session.shared.clone();
    let mut calls = Calls { shared: &shared, found: vec![], failed: None };
    let _ = statement.visit(&mut calls);
    if let Some(error) = calls.failed {
        return Err(error);
    }
    for def in calls.found {
        let open = shared.sequences.open.lock().get(&def.oid).cloned();
        if open.is_none_or(|open| open.def.file != def.file || open.def != def) {
            lock(&shared, &def).await?;
            session.show_changes();
            let def = newest(&shared, &def)?;
            let sequence = Sequence::open(&shared.db, session.io(), shared.database.0, &def).await?;
            shared.sequences.open.lock().insert(def.oid, Arc::new(sequence));
        }
    }
    Ok(())
}

fn integer(expr: &AstExpr) -> Result<i64> {
    let text = expr.to_string().replace(' ', "");
    text.parse().map_err(|_| EngineError::new("22003", format!("value \"{text}\" is out of range for type bigint")))
}

/// The least and the greatest value of a sequence's type.
fn limits(ty: PgType) -> (i64, i64) {
    match ty {
        PgType::Int2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        PgType::Int4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// A sequence as options describe it; `def` has what they leave out.
fn with_options(mut def: SequenceDef, options: &[SequenceOptions], fresh: bool) -> Result<SequenceDef> {
    let (mut min, mut max, mut start) = (None, None, None);
    for option in options {
        match option {
            SequenceOptions::IncrementBy(by, _) => def.increment = integer(by)?,
            SequenceOptions::MinValue(value) => min = Some(value.as_ref().map(integer).transpose()?),
            SequenceOptions::MaxValue(value) => max = Some(value.as_ref().map(integer).transpose()?),
            SequenceOptions::StartWith(value, _) => start = Some(integer(value)?),
            SequenceOptions::Cache(value) => def.cache = integer(value)?,
            // The parser says whether it is NO CYCLE.
            SequenceOptions::Cycle(no) => def.cycle = !no,
        }
    }
    if def.increment == 0 {
        return Err(EngineError::new("22023", "INCREMENT must not be zero"));
    }
    if def.cache < 1 {
        return Err(EngineError::new("22023", format!("CACHE ({}) must be greater than zero", def.cache)));
    }
    let (low, high) = limits(def.ty);
    let ascending = def.increment > 0;
    if fresh || min.is_some() {
        def.min = min.flatten().unwrap_or(if ascending { 1 } else { low });
    }
    if fresh || max.is_some() {
        def.max = max.flatten().unwrap_or(if ascending { high } else { -1 });
    }
    if def.min > def.max {
        let message = format!("MINVALUE ({}) must be less than MAXVALUE ({})", def.min, def.max);
        return Err(EngineError::new("22023", message));
    }
    if !(low..=high).contains(&def.min) || !(low..=high).contains(&def.max) {
        let (name, value) = (def.ty.name(), if def.min < low { def.min } else { def.max });
        let what = if def.min < low { "MINVALUE" } else { "MAXVALUE" };
        let message = format!("{what} ({value}) is out of range for sequence data type {name}");
        return Err(EngineError::new("22023", message));
    }
    if fresh || start.is_some() {
        def.start = start.unwrap_or(if ascending { def.min } else { def.max });
    }
    if def.start < def.min {
        let message = format!("START value ({}) cannot be less than MINVALUE ({})", def.start, def.min);
        return Err(EngineError::new("22023", message));
    }
    if def.start > def.max {
        let message = format!("START value ({}) cannot be greater than MAXVALUE ({})", def.start, def.max);
        return Err(EngineError::new("22023", message));
    }
    Ok(def)
}

/// A new sequence, not made yet.
pub fn new_def(
    session: &Session,
    schema: &str,
    name: &str,
    ty: PgType,
    options: &[SequenceOptions],
    owned_by: Option<(u32, String)>,
) -> Result<SequenceDef> {
    let oid = session.db().new_oid();
    let def = SequenceDef {
        oid,
        file: oid,
        schema: schema.into(),
        name: name.into(),
        owner: session.shared.current_user(),
        ty,
        start: 1,
        increment: 1,
        min: 1,
        max: i64::MAX,
        cache: 1,
        cycle: false,
        owned_by,
    };
    with_options(def, options, true)
}

async fn make(session: &mut Session, def: SequenceDef) -> Result<()> {
    let database = session.shared.database.0;
    let id = RelationId { database, file: def.file };
    session.transaction().create_files(id)?;
    Sequence::create(&session.shared.db, session.io(), id, &def).await?;
    session.transaction().change(Change::PutSequence { database, sequence: Arc::new(def) });
    session.show_changes();
    Ok(())
}

/// Makes the sequence of a `serial` or identity column, whose name was claimed before.
pub async fn make_owned(session: &mut Session, mut def: SequenceDef, table: u32) -> Result<()> {
    if let Some((owner, _)) = &mut def.owned_by {
        *owner = table;
    }
    make(session, def).await
}

fn sequence_type(ty: &SqlType) -> Result<PgType> {
    match crate::ddl::pg_type(ty)? {
        ty @ (PgType::Int2 | PgType::Int4 | PgType::Int8) => Ok(ty),
        _ => Err(EngineError::new("22023", "sequence type must be smallint, integer, or bigint")),
    }
}

/// `OWNED BY table.column`, or NONE.
fn owner_of(session: &Session, owner: &ObjectName) -> Result<Option<(u32, String)>> {
    if let [none] = owner.0.as_slice() {
        if none.as_ident().is_some_and(|word| word.quote_style.is_none() && ident(word) == "none") {
            return Ok(None);
        }
        let error = EngineError::new("42601", "invalid OWNED BY option");
        return Err(error.hint("Specify OWNED BY table.column or OWNED BY NONE."));
    }
    let mut name = owner.clone();
    let column = name.0.pop().and_then(|p| p.as_ident().map(ident)).unwrap_or_default();
    let (schema, table) = object_name(&name, &session.shared.database.1)?;
    let found = session.shared.find_table(&schema, &table)?;
    let table = found.ok_or_else(|| EngineError::new("42P01", format!("relation \"{table}\" does not exist")))?;
    if table.def.column(&column).is_none() {
        let message = format!("column \"{column}\" of relation \"{}\" does not exist", table.def.name);
        return Err(EngineError::new("42703", message));
    }
    Ok(Some((table.def.oid, column)))
}

/// Fails for the sequence of an identity column, which goes with that.
fn refuse_identity(session: &Session, def: &SequenceDef) -> Result<()> {
    let Some((table, column)) = &def.owned_by else { return Ok(()) };
    let table = session.table_of(*table)?;
    let owner = table.def.column(column).map(|position| &table.def.columns[position]);
    if owner.is_some_and(|column| column.identity.is_some()) {
        let detail = format!("Sequence \"{}\" is linked to table \"{}\".", def.name, table.def.name);
        return Err(EngineError::new("0A000", "cannot change ownership of identity sequence").detail(detail));
    }
    Ok(())
}

pub async fn create(session: &mut Session, statement: Statement) -> Result<Reply> {
    let Statement::CreateSequence { temporary, if_not_exists, name, data_type, sequence_options, owned_by } = statement
    else {
        unreachable!("the caller looked")
    };
    session.require_writable("CREATE SEQUENCE")?;
    if temporary {
        return Err(EngineError::unsupported("CREATE TEMPORARY SEQUENCE"));
    }
    let (schema, name) = object_name(&name, &session.shared.database.1)?;
    if let Err(error) = claim_name(session, &schema, &name).await {
        if if_not_exists && error.code == "42P07" {
            session.notice("NOTICE", EngineError { message: error.message + ", skipping", ..error });
            return Ok(done("CREATE SEQUENCE"));
        }
        return Err(error);
    }
    let ty = data_type.as_ref().map_or(Ok(PgType::Int8), sequence_type)?;
    let owned_by = owned_by.as_ref().map_or(Ok(None), |owner| owner_of(session, owner))?;
    let def = new_def(session, &schema, &name, ty, &sequence_options, owned_by)?;
    make(session, def).await?;
    Ok(done("CREATE SEQUENCE"))
}

pub async fn alter(session: &mut Session, change: &AlterSequence) -> Result<Reply> {
    session.require_writable("ALTER SEQUENCE")?;
    let Statement::CreateSequence { name, data_type, sequence_options, owned_by, .. } = &change.create else {
        return Err(EngineError::new("42601", "syntax error in ALTER SEQUENCE"));
    };
    let (schema, name) = object_name(name, &session.shared.database.1)?;
    let database = session.shared.database.0;
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        catalog.database_by_oid(database).and_then(|d| d.sequence(&schema, &name)).cloned()
    };
    let Some(found) = find(session) else {
        let message = format!("relation \"{name}\" does not exist");
        if change.if_exists {
            session.notice("NOTICE", EngineError::new("00000", message + ", skipping"));
            return Ok(done("ALTER SEQUENCE"));
        }
        return Err(EngineError::new("42P01", message));
    };
    ownership::require_owner(&session.shared, Owned::Sequence, &name, &found.owner)?;
    // Nobody may draw from the files that are to go.
    session.lock(LockTag::Relation { database, oid: found.oid }, LockMode::AccessExclusive).await?;
    session.shared.sequences.open.lock().remove(&found.oid);
    let Some(found) = find(session) else {
        return Err(EngineError::new("42P01", format!("relation \"{name}\" does not exist")));
    };
    let mut def = SequenceDef { file: session.db().new_oid(), ..SequenceDef::clone(&found) };
    if let Some(ty) = data_type {
        let (old, new) = (def.ty, sequence_type(ty)?);
        // Limits that were the old type's are the new one's.
        let ((old_low, old_high), (low, high)) = (limits(old), limits(new));
        def.min = if def.min == old_low { low } else { def.min };
        def.max = if def.max == old_high { high } else { def.max };
        def.ty = new;
    }
    if let Some(owner) = owned_by {
        refuse_identity(session, &found)?;
        def.owned_by = owner_of(session, owner)?;
    }
    let def = with_options(def, sequence_options, false)?;
    let old = Sequence::open(&session.shared.db, session.io(), database, &found).await?;
    let (value, called) = match change.restart {
        None => old.state(),
        Some(value) => (value.unwrap_or(def.start), false),
    };
    let refused = |relation: &str, limit: i64| {
        Err(EngineError::new("22023", format!("RESTART value ({value}) cannot be {relation} ({limit})")))
    };
    if value < def.min {
        return refused("less than MINVALUE", def.min);
    }
    if value > def.max {
        return refused("greater than MAXVALUE", def.max);
    }
    session.transaction().drop_files(RelationId { database, file: found.file });
    make(session, def.clone()).await?;
    let sequence = Sequence::open(&session.shared.db, session.io(), database, &Arc::new(def)).await?;
    sequence.set(value, called)?;
    Ok(done("ALTER SEQUENCE"))
}

/// What `SELECT * FROM sequence` gives.
pub async fn rows(shared: &Shared, schema: &str, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
    let catalog = shared.catalog();
    let found = catalog.database_by_oid(shared.database.0).and_then(|d| d.sequence(schema, name));
    let Some(def) = found else { return Ok(None) };
    lock(shared, def).await?;
    let def = newest(shared, def)?;
    let sequence = Sequence::open(&shared.db, &shared.backend.io, shared.database.0, &def).await?;
    let (value, called) = sequence.state();
    system::sequence(value, called).map(Some).map_err(translate)
}

/// Drops the sequences that go with a table, or with one of its columns.
pub async fn drop_owned(session: &mut Session, table: u32, column: Option<&str>) -> Result<()> {
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return Ok(()) };
    let owned = |s: &&Arc<SequenceDef>| {
        s.owned_by.as_ref().is_some_and(|(t, c)| *t == table && column.is_none_or(|column| c == column))
    };
    for sequence in database.sequences.values().filter(owned) {
        remove(session, sequence).await?;
    }
    Ok(())
}

async fn remove(session: &mut Session, def: &SequenceDef) -> Result<()> {
    let database = session.shared.database.0;
    session.lock(LockTag::Relation { database, oid: def.oid }, LockMode::AccessExclusive).await?;
    // Whoever else had it open has closed it with the transaction that held a lock on it.
    session.shared.sequences.open.lock().remove(&def.oid);
    let transaction = session.transaction();
    transaction.change(Change::DropSequence { database, oid: def.oid });
    transaction.drop_files(RelationId { database, file: def.file });
    session.show_changes();
    Ok(())
}

pub async fn drop(session: &mut Session, if_exists: bool, names: Vec<ObjectName>) -> Result<Reply> {
    session.require_writable("DROP SEQUENCE")?;
    for name in &names {
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        let catalog = session.shared.catalog();
        let found = catalog.database_by_oid(session.shared.database.0).and_then(|d| d.sequence(&schema, &name));
        let Some(def) = found else {
            if !if_exists {
                return Err(EngineError::new("42P01", format!("sequence \"{name}\" does not exist")));
            }
            let message = format!("sequence \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new("00000", message));
            continue;
        };
        ownership::require_owner(&session.shared, Owned::Sequence, &name, &def.owner)?;
        if let Some((table, column)) = &def.owned_by {
            let table = session.table_of(*table)?;
            let message = format!("cannot drop sequence {name} because other objects depend on it");
            let detail =
                format!("default value for column {column} of table {} depends on sequence {name}", table.def.name);
            return Err(EngineError::new("2BP01", message)
                .detail(detail)
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        if let Some((table, column)) = default_over(session, def) {
            let message = format!("cannot drop sequence {name} because other objects depend on it");
            let detail = format!("default value for column {column} of table {table} depends on sequence {name}");
            return Err(EngineError::new("2BP01", message)
                .detail(detail)
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        remove(session, def).await?;
    }
    Ok(done("DROP SEQUENCE"))
}

/// The table and column whose default draws from a sequence.
fn default_over(session: &Session, def: &SequenceDef) -> Option<(String, String)> {
    let catalog = session.shared.catalog();
    let tables = &catalog.database_by_oid(session.shared.database.0)?.tables;
    for table in tables.values() {
        for column in &table.columns {
            let Some(mut default) = column.default.as_deref().and_then(|text| crate::parse::expression(text).ok())
            else {
                continue;
            };
            let mut calls = Calls { shared: &session.shared, found: vec![], failed: None };
            let _ = datafusion::sql::sqlparser::ast::VisitMut::visit(&mut default, &mut calls);
            if calls.found.iter().any(|found| found.oid == def.oid) {
                return Some((table.name.clone(), column.name.clone()));
            }
        }
    }
    None
}

/// Gives the sequences of a table new files, in which they begin again: TRUNCATE … RESTART IDENTITY.
pub async fn restart_owned(session: &mut Session, table: u32) -> Result<()> {
    let catalog = session.shared.catalog();
    let database = session.shared.database.0;
    let Some(found) = catalog.database_by_oid(database) else { return Ok(()) };
    let owned = |s: &&Arc<SequenceDef>| s.owned_by.as_ref().is_some_and(|(t, _)| *t == table);
    for sequence in found.sequences.values().filter(owned) {
        session.lock(LockTag::Relation { database, oid: sequence.oid }, LockMode::AccessExclusive).await?;
        session.show_changes();
        let sequence = newest(&session.shared, sequence)?;
        session.shared.sequences.open.lock().remove(&sequence.oid);
        let file = session.db().new_oid();
        let def = SequenceDef { file, ..SequenceDef::clone(&sequence) };
        session.transaction().drop_files(RelationId { database, file: sequence.file });
        make(session, def).await?;
    }
    Ok(())
}
