//! CREATE and DROP TABLE, TRUNCATE, CREATE and DROP DATABASE.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::sql::sqlparser::ast::{
    self, ColumnOption, CreateTable, DataType as SqlType, ExactNumberInfo, ObjectName, ObjectType, TableConstraint,
    TimezoneInfo, Truncate,
};
use engine::{Change, ColumnDef, EngineError, Identity, PgType, Result, SequenceDef, Table, TableDef};
use storage::RelationId;
use txn::{LockMode, LockTag};

use crate::constraints;
use crate::default_constants;
use crate::insert;
use crate::ownership;
use crate::session::{Reply, Session, Shared, done};
use crate::storage_parameters;
use crate::unbroken::unbroken;

/// PostgreSQL's limit on the length of a name, in bytes.
const MAX_NAME: usize = 63;
const MAX_COLUMNS: usize = 1600;
/// How long sessions that are leaving a database may take before it cannot be dropped: PostgreSQL's.
const LEAVING: Duration = Duration::from_secs(5);

/// A name as PostgreSQL folds it: lower case unless quoted, cut to 63 bytes.
pub fn ident(ident: &ast::Ident) -> String {
    let mut name = if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() };
    if name.len() > MAX_NAME {
        let end = (0..=MAX_NAME).rev().find(|&i| name.is_char_boundary(i)).unwrap_or(0);
        name.truncate(end);
    }
    name
}

/// Schema and name. Where none is given the schema is `public`, if search_path has it.
pub fn object_name(name: &ObjectName, database: &str) -> Result<(String, String)> {
    let parts: Vec<String> = name.0.iter().filter_map(|p| p.as_ident()).map(ident).collect();
    match parts.as_slice() {
        [name] => Ok((crate::style::default_schema().into(), name.clone())),
        [schema, name] => Ok((schema.clone(), name.clone())),
        [db, schema, name] if db == database => Ok((schema.clone(), name.clone())),
        _ => Err(EngineError::new("0A000", format!("cross-database references are not implemented: \"{name}\""))),
    }
}

/// The column type that a type's name means.
pub fn pg_type(ty: &SqlType) -> Result<PgType> {
    let too_long = |n: u64, name: &str| {
        if n == 0 {
            Err(EngineError::new("22023", format!("length for type {name} must be at least 1")))
        } else if n > 10_485_760 {
            Err(EngineError::new("22023", format!("length for type {name} cannot exceed 10485760")))
        } else {
            Ok(n as u32)
        }
    };
    let length = |l: &Option<ast::CharacterLength>| match l {
        None => Ok(None),
        Some(ast::CharacterLength::IntegerLength { length, .. }) => Ok(Some(*length)),
        Some(ast::CharacterLength::Max) => Err(EngineError::new("42601", "syntax error at or near \"MAX\"")),
    };
    Ok(match ty {
        SqlType::Boolean | SqlType::Bool => PgType::Bool,
        SqlType::SmallInt(None) | SqlType::Int2(None) => PgType::Int2,
        SqlType::Int(None) | SqlType::Integer(None) | SqlType::Int4(None) => PgType::Int4,
        SqlType::BigInt(None) | SqlType::Int8(None) => PgType::Int8,
        SqlType::Real | SqlType::Float4 => PgType::Float4,
        SqlType::Float(ExactNumberInfo::Precision(p)) if (1..=24).contains(p) => PgType::Float4,
        SqlType::Float(ExactNumberInfo::Precision(p)) if (25..=53).contains(p) => PgType::Float8,
        SqlType::Float(ExactNumberInfo::None)
        | SqlType::Float8
        | SqlType::Double(ExactNumberInfo::None)
        | SqlType::DoublePrecision => PgType::Float8,
        SqlType::Numeric(info) | SqlType::Decimal(info) | SqlType::Dec(info) => match info {
            ExactNumberInfo::None => {
                return Err(EngineError::unsupported("numeric without precision and scale")
                    .hint("Write numeric(38,10), or another precision and scale."));
            }
            ExactNumberInfo::Precision(p) => numeric(*p, 0)?,
            ExactNumberInfo::PrecisionAndScale(p, s) => numeric(*p, *s)?,
        },
        SqlType::Text => PgType::Text,
        SqlType::Varchar(l) | SqlType::CharacterVarying(l) | SqlType::CharVarying(l) => match length(l)? {
            None => PgType::Varchar(None),
            Some(n) => PgType::Varchar(Some(too_long(n, "varchar")?)),
        },
        SqlType::Char(l) | SqlType::Character(l) => PgType::Char(too_long(length(l)?.unwrap_or(1), "char")?),
        SqlType::Date => PgType::Date,
        SqlType::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => PgType::Timestamp,
        SqlType::Timestamp(None, TimezoneInfo::Tz | TimezoneInfo::WithTimeZone) => PgType::Timestamptz,
        SqlType::Bytea => PgType::Bytea,
        SqlType::Uuid => PgType::Uuid,
        SqlType::Custom(name, arguments) => {
            let schema = (name.0.len() == 2).then(|| name.0[0].as_ident().map(ident)).flatten();
            let name = name.0.last().and_then(|p| p.as_ident()).map(ident).unwrap_or_default();
            match (name.as_str(), arguments.as_slice()) {
                // The parser knows them without the schema.
                ("int2", []) if schema.as_deref() == Some("pg_catalog") => PgType::Int2,
                ("int4", []) if schema.as_deref() == Some("pg_catalog") => PgType::Int4,
                ("int8", []) if schema.as_deref() == Some("pg_catalog") => PgType::Int8,
                ("timestamptz", []) => PgType::Timestamptz,
                ("bpchar", []) => return Err(EngineError::unsupported("type bpchar without a length")),
                _ => {
                    let known = [
                        "json", "jsonb", "xml", "inet", "cidr", "money", "point", "interval", "name", "oid",
                        "tsvector", "macaddr",
                    ];
                    return Err(if known.contains(&name.as_str()) {
                        EngineError::unsupported(format!("type {name}"))
                    } else {
                        EngineError::new("42704", format!("type \"{name}\" does not exist"))
                    });
                }
            }
        }
        other => return Err(EngineError::unsupported(format!("type {}", other.to_string().to_lowercase()))),
    })
}

fn numeric(precision: u64, scale: i64) -> Result<PgType> {
    if !(1..=1000).contains(&precision) {
        return Err(EngineError::new("22023", format!("NUMERIC precision {precision} must be between 1 and 1000")));
    }
    if precision > 38 || scale < 0 || scale > precision as i64 {
        return Err(EngineError::unsupported(format!("numeric({precision},{scale})"))
            .detail("The precision may be up to 38, the scale between 0 and the precision."));
    }
    Ok(PgType::Numeric(precision as u8, scale as i8))
}

/// A column as a definition describes it, with what is to be made besides.
pub struct NewColumn {
    pub column: ColumnDef,
    pub wanted: Vec<TableConstraint>,
    /// Of `serial` and identity columns.
    pub sequence: Option<SequenceDef>,
}

/// `serial` and its sisters.
fn serial_type(ty: &SqlType) -> Option<PgType> {
    let SqlType::Custom(name, arguments) = ty else { return None };
    let name = name.0.last().and_then(|p| p.as_ident()).map(ident)?;
    match (name.as_str(), arguments.is_empty()) {
        ("smallserial" | "serial2", true) => Some(PgType::Int2),
        ("serial" | "serial4", true) => Some(PgType::Int4),
        ("bigserial" | "serial8", true) => Some(PgType::Int8),
        _ => None,
    }
}

/// Reads a column's definition; the name of its sequence is claimed.
pub async fn column(session: &mut Session, table: &TableDef, def: &ast::ColumnDef) -> Result<NewColumn> {
    let name = ident(&def.name);
    let serial = serial_type(&def.data_type);
    let ty = match serial {
        Some(ty) => ty,
        None => pg_type(&def.data_type)?,
    };
    let mut column = ColumnDef { name: name.clone(), ty, not_null: serial.is_some(), default: None, identity: None };
    let mut wanted = Vec::new();
    let mut options: Option<Vec<ast::SequenceOptions>> = serial.is_some().then(Vec::new);
    let mut nullable = false;
    let default_and_identity = || {
        let message = format!("both default and identity specified for column \"{name}\" of table \"{}\"", table.name);
        EngineError::new("42601", message)
    };
    for option in &def.options {
        let own = vec![ast::IndexColumn::from(def.name.clone())];
        match &option.option {
            ColumnOption::Null => nullable = true,
            ColumnOption::NotNull => column.not_null = true,
            ColumnOption::Default(_) if column.identity.is_some() => return Err(default_and_identity()),
            ColumnOption::Default(_) if options.is_some() => {
                let message =
                    format!("multiple default values specified for column \"{name}\" of table \"{}\"", table.name);
                return Err(EngineError::new("42601", message));
            }
            ColumnOption::Default(_) if column.default.is_some() => {
                let message =
                    format!("multiple default values specified for column \"{name}\" of table \"{}\"", table.name);
                return Err(EngineError::new("42601", message));
            }
            ColumnOption::Default(expr) => {
                check_default(session, expr)?;
                column.default = Some(default_constants::read(ty, expr)?.to_string());
            }
            ColumnOption::PrimaryKey(key) => {
                column.not_null = true;
                let key = ast::PrimaryKeyConstraint { name: option.name.clone(), columns: own, ..key.clone() };
                wanted.push(TableConstraint::PrimaryKey(key));
            }
            ColumnOption::Unique(key) => {
                let key = ast::UniqueConstraint { name: option.name.clone(), columns: own, ..key.clone() };
                wanted.push(TableConstraint::Unique(key));
            }
            ColumnOption::Check(check) => {
                let name = option.name.clone().or(check.name.clone());
                wanted.push(TableConstraint::Check(ast::CheckConstraint { name, ..check.clone() }));
            }
            ColumnOption::Generated { generated_as, sequence_options, generation_expr: None, .. } => {
                if !matches!(ty, PgType::Int2 | PgType::Int4 | PgType::Int8) {
                    let message = "identity column type must be smallint, integer, or bigint";
                    return Err(EngineError::new("22023", message));
                }
                if column.default.is_some() || serial.is_some() {
                    return Err(default_and_identity());
                }
                if column.identity.is_some() {
                    let message =
                        format!("multiple identity specifications for column \"{name}\" of table \"{}\"", table.name);
                    return Err(EngineError::new("42601", message));
                }
                column.not_null = true;
                column.identity = Some(match generated_as {
                    ast::GeneratedAs::Always => Identity::Always,
                    _ => Identity::ByDefault,
                });
                options = Some(sequence_options.clone().unwrap_or_default());
            }
            ColumnOption::ForeignKey(_) => return Err(EngineError::unsupported("REFERENCES")),
            ColumnOption::Collation(_) => return Err(EngineError::unsupported("COLLATE")),
            // Words of other systems.
            ColumnOption::DialectSpecific(_) | ColumnOption::Comment(_) | ColumnOption::CharacterSet(_) => {
                let message = format!("syntax error at or near \"{}\"", option.option);
                return Err(EngineError::new("42601", message));
            }
            other => return Err(EngineError::unsupported(other.to_string())),
        }
    }
    if nullable && column.not_null {
        let message =
            format!("conflicting NULL/NOT NULL declarations for column \"{name}\" of table \"{}\"", table.name);
        return Err(EngineError::new("42601", message));
    }
    let sequence = match options {
        None => None,
        Some(options) => {
            let base = format!("{}_{name}_seq", table.name);
            let sequence = crate::constraints::free_name(session, &table.schema, &base).await?;
            let quoted = sequence.replace('"', "\"\"").replace('\'', "''");
            let plain = sequence.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit());
            let quoted = if plain { quoted } else { format!("\"{quoted}\"") };
            column.default = Some(format!("nextval('{quoted}'::regclass)"));
            let owned = Some((table.oid, name));
            Some(crate::sequence::new_def(session, &table.schema, &sequence, ty, &options, owned)?)
        }
    };
    Ok(NewColumn { column, wanted, sequence })
}

/// Refuses what a default cannot have: other rows, other columns, several values.
pub fn check_default(session: &Session, expr: &ast::Expr) -> Result<()> {
    use std::ops::ControlFlow;
    session.refuse_aggregates(expr, "DEFAULT expressions")?;
    const WORDS: &[&str] = &[
        "current_catalog",
        "current_date",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "localtime",
        "localtimestamp",
        "session_user",
        "user",
    ];
    const SETS: &[&str] =
        &["generate_series", "generate_subscripts", "unnest", "regexp_split_to_table", "regexp_matches"];
    let found = ast::visit_expressions(expr, |inner| {
        let refusal = match inner {
            ast::Expr::Subquery(_) | ast::Expr::InSubquery { .. } | ast::Expr::Exists { .. } => {
                "cannot use subquery in DEFAULT expression"
            }
            ast::Expr::Identifier(name) if name.quote_style.is_some() || !WORDS.contains(&ident(name).as_str()) => {
                "cannot use column reference in DEFAULT expression"
            }
            ast::Expr::CompoundIdentifier(_) => "cannot use column reference in DEFAULT expression",
            ast::Expr::Function(function)
                if function
                    .name
                    .0
                    .last()
                    .and_then(|p| p.as_ident())
                    .is_some_and(|n| SETS.contains(&ident(n).as_str())) =>
            {
                "set-returning functions are not allowed in DEFAULT expressions"
            }
            _ => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(refusal)
    });
    match found {
        ControlFlow::Break(refusal) => Err(EngineError::new("0A000", refusal)),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Fails for the names that every table has already.
pub fn check_column_name(name: &str) -> Result<()> {
    if ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"].contains(&name) {
        let message = format!("column name \"{name}\" conflicts with a system column name");
        return Err(EngineError::new("42701", message));
    }
    Ok(())
}

fn storage_parameters(options: &ast::CreateTableOptions) -> Result<Vec<(String, String)>> {
    match options {
        ast::CreateTableOptions::None => Ok(vec![]),
        ast::CreateTableOptions::With(given) => storage_parameters::read(given),
        _ => Err(EngineError::unsupported("this form of CREATE TABLE")),
    }
}

pub async fn create_table(session: &mut Session, create: CreateTable) -> Result<Reply> {
    session.require_writable("CREATE TABLE")?;
    let (schema, name) = object_name(&create.name, &session.shared.database.1)?;
    // Unqualified, it is made in the first schema of search_path.
    let unqualified = create.name.0.len() == 1;
    let schema = match crate::style::current().style.path.first() {
        Some(first) if unqualified => first.to_string(),
        None if unqualified => return Err(EngineError::new("3F000", "no schema has been selected to create in")),
        _ => schema,
    };
    if schema != "public" {
        return Err(if matches!(schema.as_str(), "pg_catalog" | "information_schema") {
            EngineError::new("42501", format!("permission denied to create \"{schema}.{name}\""))
                .detail("System catalog modifications are currently disallowed.")
        } else {
            EngineError::new("3F000", format!("schema \"{schema}\" does not exist"))
        });
    }
    if create.temporary {
        return Err(EngineError::unsupported("CREATE TEMPORARY TABLE"));
    }
    let partitions = create.partition_by.is_some() || create.partition_of.is_some() || create.for_values.is_some();
    if create.like.is_some() || create.inherits.is_some() || partitions || create.on_commit.is_some() {
        return Err(EngineError::unsupported("this form of CREATE TABLE"));
    }
    let options = storage_parameters(&create.table_options)?;
    let exists = session.shared.find_table(&schema, &name)?.is_some();
    if exists {
        let error = EngineError::new("42P07", format!("relation \"{name}\" already exists"));
        if create.if_not_exists {
            session.notice(
                "NOTICE",
                EngineError { message: error.message + ", skipping", ..EngineError::new("42P07", "") },
            );
            return Ok(done(if create.query.is_some() { "CREATE TABLE AS" } else { "CREATE TABLE" }));
        }
        return Err(error);
    }
    if let Some(query) = create.query {
        return create_table_as(session, &schema, &name, &create.columns, *query, options).await;
    }
    claim_name(session, &schema, &name).await?;
    let mut def = new_table(session, &schema, &name, vec![]);
    def.options = options;
    let (mut wanted, mut sequences) = (Vec::new(), Vec::new());
    for column in &create.columns {
        let new = self::column(session, &def, column).await?;
        def.columns.push(new.column);
        wanted.extend(new.wanted);
        sequences.extend(new.sequence);
    }
    wanted.extend(create.constraints);
    check_columns(&def.columns)?;
    for constraint in &wanted {
        // What a primary key says of NULLs is known before there are rows.
        if let TableConstraint::PrimaryKey(key) = constraint {
            for column in constraints::index_columns(&def, &key.columns)? {
                def.columns[column.column].not_null = true;
            }
        }
    }
    let oid = def.oid;
    let columns = def.columns.clone();
    put_new(session, def).await?;
    for sequence in sequences {
        crate::sequence::make_owned(session, sequence, oid).await?;
    }
    for column in columns.iter().filter(|c| c.default.is_some() && !draws(c)) {
        // A default that cannot be evaluated is refused now, not at the first INSERT.
        insert::check_default(session, column).await?;
    }
    // Keys first: they have no names to choose among the checks'.
    for constraint in wanted {
        let table = session.table_of(oid)?;
        let wanted = constraints::wanted(&table.def, &constraint)?;
        constraints::make(session, &table, wanted).await?;
    }
    Ok(done("CREATE TABLE"))
}

/// Does a default draw from a sequence? To try it would use up a value.
fn draws(column: &ColumnDef) -> bool {
    column.default.as_ref().is_some_and(|text| text.to_lowercase().contains("nextval"))
}

fn check_columns(columns: &[ColumnDef]) -> Result<()> {
    if columns.len() > MAX_COLUMNS {
        return Err(EngineError::new("54011", format!("tables can have at most {MAX_COLUMNS} columns")));
    }
    for (index, column) in columns.iter().enumerate() {
        check_column_name(&column.name)?;
        if columns[..index].iter().any(|c| c.name == column.name) {
            return Err(EngineError::new("42701", format!("column \"{}\" specified more than once", column.name)));
        }
    }
    Ok(())
}

/// Takes a name for a new table, index or sequence, until the transaction ends. Fails when there is one already.
pub async fn claim_name(session: &mut Session, schema: &str, name: &str) -> Result<()> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (schema, name).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, LockMode::AccessExclusive).await?;
    let catalog = session.shared.catalog();
    let taken = catalog.database_by_oid(session.shared.database.0).is_some_and(|d| d.has_relation(schema, name));
    if taken {
        return Err(EngineError::new("42P07", format!("relation \"{name}\" already exists")));
    }
    Ok(())
}

fn new_table(session: &Session, schema: &str, name: &str, columns: Vec<ColumnDef>) -> TableDef {
    let oid = session.db().new_oid();
    TableDef {
        oid,
        file: oid,
        row_type: session.db().new_oid(),
        array_type: session.db().new_oid(),
        schema: schema.into(),
        name: name.into(),
        owner: session.shared.current_user(),
        columns,
        indexes: vec![],
        checks: vec![],
        analyzed: None,
        options: vec![],
    }
}

/// Makes an empty table, whose name was claimed.
async fn put_new(session: &mut Session, def: TableDef) -> Result<Arc<Table>> {
    let database = session.shared.database.0;
    let table = Arc::new(def);
    let transaction = session.transaction();
    transaction.create_files(RelationId { database, file: table.file })?;
    transaction.change(Change::PutTable { database, table: table.clone() });
    let tag = session.shared.table_tag(&table);
    session.shared.lock(tag, LockMode::AccessExclusive).await?;
    session.show_changes();
    session.table_of(table.oid)
}

async fn create_table_as(
    session: &mut Session,
    schema: &str,
    name: &str,
    names: &[ast::ColumnDef],
    query: ast::Query,
    options: Vec<(String, String)>,
) -> Result<Reply> {
    let planned = session.plan(ast::Statement::Query(Box::new(query))).await?;
    let mut columns = Vec::new();
    for (index, column) in planned.columns().into_iter().enumerate() {
        let ty = match (column.oid, planned.schema().field(index).data_type()) {
            (_, datafusion::arrow::datatypes::DataType::Decimal128(p, s)) => PgType::Numeric(*p, *s),
            (1043, _) if column.typmod >= 4 => PgType::Varchar(Some((column.typmod - 4) as u32)),
            (1042, _) if column.typmod >= 4 => PgType::Char((column.typmod - 4) as u32),
            (25 | 1043 | 19, _) => PgType::Text,
            (oid, _) => crate::parameters::column_type(oid)
                .ok_or_else(|| EngineError::unsupported(format!("a column of type {oid}")))?,
        };
        let name = names.get(index).map_or(column.name, |c| ident(&c.name));
        columns.push(ColumnDef { name, ty, not_null: false, default: None, identity: None });
    }
    check_columns(&columns)?;
    claim_name(session, schema, name).await?;
    let def = TableDef { options, ..new_table(session, schema, name, columns) };
    let table = put_new(session, def).await?;
    let rows = insert::load(session, &planned, insert::Destination::whole(&table), None).await?;
    Ok(done(&format!("SELECT {rows}")))
}

pub async fn drop(session: &mut Session, object: ObjectType, if_exists: bool, names: Vec<ObjectName>) -> Result<Reply> {
    match object {
        ObjectType::Table => drop_tables(session, if_exists, names).await,
        ObjectType::Index => constraints::drop_indexes(session, if_exists, names).await,
        ObjectType::Sequence => crate::sequence::drop(session, if_exists, names).await,
        ObjectType::Database => {
            session.refuse_in_block("DROP DATABASE")?;
            let (_, name) = object_name(&names[0], &session.shared.database.1)?;
            if name == session.shared.database.1 {
                return Err(EngineError::new("55006", "cannot drop the currently open database"));
            }
            let exists = session.shared.catalog().databases.contains_key(&name);
            if !exists && if_exists {
                session.notice(
                    "NOTICE",
                    EngineError::new("00000", format!("database \"{name}\" does not exist, skipping")),
                );
                return Ok(done("DROP DATABASE"));
            }
            let role = crate::roles::current(&session.shared)?;
            let owned = session.shared.catalog().databases.get(&name).is_none_or(|d| d.owner == role.name);
            if !role.superuser && !owned {
                return Err(EngineError::new("42501", format!("must be owner of database {name}")));
            }
            drop_database(&session.shared, name).await?;
            Ok(done("DROP DATABASE"))
        }
        other => Err(EngineError::unsupported(format!("DROP {other}"))),
    }
}

async fn drop_tables(session: &mut Session, if_exists: bool, names: Vec<ObjectName>) -> Result<Reply> {
    session.require_writable("DROP TABLE")?;
    let mut tables = Vec::new();
    for name in &names {
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        match session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::of_table).await? {
            Some(table) => tables.push(table),
            None if if_exists => {
                let message = format!("table \"{name}\" does not exist, skipping");
                session.notice("NOTICE", EngineError::new("00000", message));
            }
            None => return Err(EngineError::new("42P01", format!("table \"{name}\" does not exist"))),
        }
    }
    for table in tables {
        let database = table.database;
        crate::sequence::drop_owned(session, table.def.oid, None).await?;
        let transaction = session.transaction();
        transaction.change(Change::DropTable { database, oid: table.def.oid });
        for file in table.def.indexes.iter().map(|i| i.file).chain([table.def.file]) {
            transaction.drop_files(RelationId { database, file });
        }
        session.show_changes();
    }
    Ok(done("DROP TABLE"))
}

pub async fn truncate(session: &mut Session, truncate: Truncate) -> Result<Reply> {
    session.require_writable("TRUNCATE TABLE")?;
    let mut tables = Vec::new();
    for target in &truncate.table_names {
        let (schema, name) = object_name(&target.name, &session.shared.database.1)?;
        let table = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::to_truncate).await?;
        tables.push(table.ok_or_else(|| EngineError::new("42P01", format!("relation \"{name}\" does not exist")))?);
    }
    for table in tables {
        let database = table.database;
        let file = session.db().new_oid();
        let transaction = session.transaction();
        transaction.create_files(RelationId { database, file })?;
        transaction.drop_files(RelationId { database, file: table.def.file });
        let mut emptied = TableDef { file, analyzed: None, ..TableDef::clone(&table.def) };
        for index in &mut emptied.indexes {
            let old = RelationId { database, file: index.file };
            index.file = session.db().new_oid();
            let id = RelationId { database, file: index.file };
            let transaction = session.transaction();
            transaction.create_files(id)?;
            transaction.drop_files(old);
            let relation = session.db().relation(id)?;
            access::btree::BTree::create(session.db().store(), &relation, session.io()).await?;
        }
        let oid = emptied.oid;
        session.put_table(database, emptied);
        if matches!(truncate.identity, Some(ast::TruncateIdentityOption::Restart)) {
            crate::sequence::restart_owned(session, oid).await?;
        }
    }
    Ok(done("TRUNCATE TABLE"))
}

pub async fn create_database(session: &mut Session, name: ObjectName, if_not_exists: bool) -> Result<Reply> {
    session.refuse_in_block("CREATE DATABASE")?;
    if if_not_exists {
        return Err(EngineError::new("42601", "syntax error at or near \"NOT\""));
    }
    let role = crate::roles::current(&session.shared)?;
    if !role.superuser && !role.create_db {
        return Err(EngineError::new("42501", "permission denied to create database"));
    }
    let (_, name) = object_name(&name, &session.shared.database.1)?;
    let shared = &session.shared;
    let (db, backend, owner) = (shared.db.clone(), shared.backend.clone(), shared.current_user());
    let _committing = shared.backend.commits();
    unbroken(async move { db.create_database(&backend.io, &name, &owner).await }).await?;
    Ok(done("CREATE DATABASE"))
}

/// As PostgreSQL, waits for sessions that are just leaving.
async fn drop_database(shared: &Shared, name: String) -> Result<()> {
    let (db, backend) = (shared.db.clone(), shared.backend.clone());
    if let Some(oid) = db.catalog().databases.get(&name).map(|database| database.oid) {
        let deadline = Instant::now() + LEAVING;
        while db.activity().sessions_in(oid) > 0 && Instant::now() < deadline {
            tokio::time::sleep(LEAVING / 50).await;
        }
    }
    let _committing = shared.backend.commits();
    unbroken(async move { db.drop_database(&backend.io, &name).await }).await
}
