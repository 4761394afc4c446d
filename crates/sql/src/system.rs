//! The system views: `pg_catalog`'s tables as far as psql and drivers ask for them, and what shows the I/O.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use aio::{IoObject, StatOp};
use datafusion::arrow::array::*;
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::datasource::empty::EmptyTable;
use engine::settings::{Custom, Definition, Kind, all, general};
use txn::LockTag;

use crate::session::Shared;
use crate::tables::tagged;

/// A value of a system view's row.
#[derive(Clone, Debug)]
enum Cell {
    Null,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Ints(Vec<i64>),
    Time(SystemTime),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}
impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}
impl From<bool> for Cell {
    fn from(value: bool) -> Cell {
        Cell::Bool(value)
    }
}
impl From<Vec<String>> for Cell {
    fn from(texts: Vec<String>) -> Cell {
        Cell::Texts(texts)
    }
}
macro_rules! int_cells {
    ($($type:ty),+) => { $(impl From<$type> for Cell {
        fn from(value: $type) -> Cell { Cell::Int(value as i64) }
    })+ };
}
int_cells!(i16, i32, i64, u16, u32, u64, usize);
impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Float(value)
    }
}
impl From<SystemTime> for Cell {
    fn from(value: SystemTime) -> Cell {
        Cell::Time(value)
    }
}
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$(Cell::from($value)),*] };
}

type Rows = Vec<Vec<Cell>>;

// Behind the macro that they use.
mod access;
mod information_schema;
mod relations;
mod sequences;
mod types;

pub use sequences::{COLUMNS as SEQUENCE_COLUMNS, owned_by as owned_sequence};

/// `name type` pairs; [`field`] knows the types.
fn columns(spec: &str) -> Vec<(&str, &str)> {
    spec.split(',').map(|c| c.trim().split_once(' ').expect("a name and a type")).collect()
}

fn field(name: &str, ty: &str) -> Field {
    let (arrow, oid) = match ty {
        "oid" => (DataType::UInt32, 26),
        "name" => (DataType::Utf8, 19),
        "char" => (DataType::Utf8, 18),
        "int2" => (DataType::Int16, 21),
        "int4" => (DataType::Int32, 23),
        "int8" => (DataType::Int64, 20),
        "float4" => (DataType::Float32, 700),
        "float8" => (DataType::Float64, 701),
        "bool" => (DataType::Boolean, 16),
        "timestamptz" => (DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), 1184),
        "varchar" => (DataType::Utf8, 1043),
        "numeric" => (DataType::Decimal128(20, 0), 1700),
        "text[]" => (DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))), 1009),
        "int2[]" => (DataType::List(Arc::new(Field::new_list_field(DataType::Int16, true))), 1005),
        "oid[]" => (DataType::List(Arc::new(Field::new_list_field(DataType::UInt32, true))), 1028),
        // As text, which they are sent as.
        "int2vector" => (DataType::Utf8, 22),
        "oidvector" => (DataType::Utf8, 30),
        "int8[]" => (DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true))), 1016),
        _ => (DataType::Utf8, 25),
    };
    tagged(name, arrow, oid)
}

fn array(ty: &DataType, rows: &Rows, index: usize) -> ArrayRef {
    let cells = rows.iter().map(|r| &r[index]);
    let int = |c: &Cell| match c {
        Cell::Int(v) => Some(*v),
        _ => None,
    };
    match ty {
        DataType::Int16 => Arc::new(Int16Array::from_iter(cells.map(|c| int(c).map(|v| v as i16)))),
        DataType::Int32 => Arc::new(Int32Array::from_iter(cells.map(|c| int(c).map(|v| v as i32)))),
        DataType::Int64 => Arc::new(Int64Array::from_iter(cells.map(int))),
        DataType::UInt32 => Arc::new(UInt32Array::from_iter(cells.map(|c| int(c).map(|v| v as u32)))),
        DataType::Float32 => Arc::new(Float32Array::from_iter(cells.map(|c| match c {
            Cell::Float(v) => Some(*v as f32),
            c => int(c).map(|v| v as f32),
        }))),
        DataType::Float64 => Arc::new(Float64Array::from_iter(cells.map(|c| match c {
            Cell::Float(v) => Some(*v),
            c => int(c).map(|v| v as f64),
        }))),
        DataType::Decimal128(_, _) => {
            let values = Decimal128Array::from_iter(cells.map(|c| int(c).map(i128::from)));
            Arc::new(values.with_data_type(ty.clone()))
        }
        DataType::Boolean => Arc::new(BooleanArray::from_iter(cells.map(|c| match c {
            Cell::Bool(v) => Some(*v),
            _ => None,
        }))),
        DataType::Timestamp(_, zone) => {
            let micros = cells.map(|c| match c {
                Cell::Time(t) => Some(t.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64),
                _ => None,
            });
            Arc::new(TimestampMicrosecondArray::from_iter(micros).with_timezone_opt(zone.clone()))
        }
        DataType::List(element) => lists(element, cells),
        _ => Arc::new(StringArray::from_iter(cells.map(|c| match c {
            Cell::Null => None,
            Cell::Text(t) => Some(t.clone()),
            Cell::Int(v) => Some(v.to_string()),
            Cell::Float(v) => Some(v.to_string()),
            Cell::Bool(v) => Some(v.to_string()),
            Cell::Time(_) | Cell::Texts(_) | Cell::Ints(_) => None,
        }))),
    }
}

/// An array of arrays, of text or integers.
fn lists<'a>(element: &FieldRef, cells: impl Iterator<Item = &'a Cell>) -> ArrayRef {
    let (mut elements, mut lengths, mut present) = (Rows::new(), Vec::new(), Vec::new());
    for cell in cells {
        let before = elements.len();
        match cell {
            Cell::Texts(texts) => elements.extend(texts.iter().map(|text| vec![Cell::from(text.as_str())])),
            Cell::Ints(numbers) => elements.extend(numbers.iter().map(|&number| vec![Cell::Int(number)])),
            _ => {}
        }
        lengths.push(elements.len() - before);
        present.push(!matches!(cell, Cell::Null));
    }
    let values = array(element.data_type(), &elements, 0);
    let nulls = Some(NullBuffer::from(present));
    Arc::new(ListArray::new(element.clone(), OffsetBuffer::from_lengths(lengths), values, nulls))
}

fn provider(spec: &str, rows: Rows) -> Result<Arc<dyn TableProvider>> {
    let fields: Vec<_> = columns(spec).iter().map(|(name, ty)| field(name, ty)).collect();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let arrays = schema.fields().iter().enumerate().map(|(i, f)| array(f.data_type(), &rows, i)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?;
    Ok(Arc::new(MemTable::try_new(schema, vec![vec![batch]])?))
}

/// What `SELECT * FROM sequence` gives.
pub fn sequence(value: i64, called: bool) -> Result<Arc<dyn TableProvider>> {
    // Every draw is logged by itself.
    provider("last_value int8, log_cnt int8, is_called bool", vec![row![value, 0, called]])
}

/// Catalog tables that never have rows here, with PostgreSQL 18's columns.
const EMPTY: &[(&str, &str)] = &[
    // Roles are members of none: what CREATEROLE gives over the roles that one has made is no membership here.
    (
        "pg_auth_members",
        "oid oid, roleid oid, member oid, grantor oid, admin_option bool, inherit_option bool, \
         set_option bool",
    ),
    (
        "pg_collation",
        "oid oid, collname name, collnamespace oid, collowner oid, collprovider char, \
         collisdeterministic bool, collencoding int4, collcollate text, collctype text, colllocale text, \
         collicurules text, collversion text",
    ),
    ("pg_db_role_setting", "setdatabase oid, setrole oid, setconfig text[]"),
    ("pg_default_acl", "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char, defaclacl text[]"),
    ("pg_description", "objoid oid, classoid oid, objsubid int4, description text"),
    ("pg_enum", "oid oid, enumtypid oid, enumsortorder float4, enumlabel name"),
    (
        "pg_event_trigger",
        "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char, evttags text[]",
    ),
    (
        "pg_extension",
        "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text, \
         extconfig text, extcondition text[]",
    ),
    (
        "pg_foreign_data_wrapper",
        "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl text[], \
         fdwoptions text[]",
    ),
    (
        "pg_foreign_server",
        "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl text[], \
         srvoptions text[]",
    ),
    ("pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions text[]"),
    ("pg_inherits", "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool"),
    ("pg_largeobject_metadata", "oid oid, lomowner oid, lomacl text[]"),
    (
        "pg_policy",
        "oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles int8[], polqual text, \
         polwithcheck text",
    ),
    (
        "pg_proc",
        "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost float4, prorows float4, \
         provariadic oid, prosupport oid, prokind char, prosecdef bool, proleakproof bool, proisstrict bool, \
         proretset bool, provolatile char, proparallel char, pronargs int2, pronargdefaults int2, \
         prorettype oid, proargtypes oidvector, proallargtypes text, proargmodes text, proargnames text[], \
         proargdefaults text, protrftypes text, prosrc text, probin text, prosqlbody text, \
         proconfig text[], proacl text[]",
    ),
    (
        "pg_publication",
        "oid oid, pubname name, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool, \
         pubdelete bool, pubtruncate bool, pubviaroot bool, pubgencols char",
    ),
    ("pg_publication_namespace", "oid oid, pnpubid oid, pnnspid oid"),
    ("pg_publication_rel", "oid oid, prpubid oid, prrelid oid, prqual text, prattrs text"),
    (
        "pg_range",
        "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, rngcanonical oid, \
         rngsubdiff oid",
    ),
    (
        "pg_rewrite",
        "oid oid, rulename name, ev_class oid, ev_type char, ev_enabled char, is_instead bool, ev_qual text, \
         ev_action text",
    ),
    (
        "pg_statistic_ext",
        "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxkeys text, \
         stxstattarget int2, stxkind text[], stxexprs text",
    ),
    (
        "pg_subscription",
        "oid oid, subdbid oid, subskiplsn text, subname name, subowner oid, subenabled bool, subbinary bool, \
         substream char, subtwophasestate char, subdisableonerr bool, subpasswordrequired bool, \
         subrunasowner bool, subfailover bool, subconninfo text, subslotname name, subsynccommit text, \
         subpublications text[], suborigin text",
    ),
    (
        "pg_trigger",
        "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype int2, tgenabled char, \
         tgisinternal bool, tgconstrrelid oid, tgconstrindid oid, tgconstraint oid, tgdeferrable bool, \
         tginitdeferred bool, tgnargs int2, tgattr text, tgargs text, tgqual text, tgoldtable name, \
         tgnewtable name",
    ),
    ("pg_user_mappings", "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]"),
];

/// OIDs of the catalog's own tables, for casts to and from regclass.
const RELATIONS: &[(&str, u32)] = &[
    ("pg_type", 1247),
    ("pg_attribute", 1249),
    ("pg_proc", 1255),
    ("pg_class", 1259),
    ("pg_authid", 1260),
    ("pg_database", 1262),
    ("pg_constraint", 2606),
    ("pg_namespace", 2615),
    ("pg_extension", 3079),
    ("pg_tablespace", 1213),
    ("pg_statistic_ext", 3381),
    ("pg_sequence", 2224),
    ("pg_index", 2610),
    ("pg_attrdef", 2604),
    ("pg_am", 2601),
    ("pg_description", 2609),
    ("pg_depend", 2608),
    ("pg_trigger", 2620),
    ("pg_opclass", 2616),
    ("pg_collation", 3456),
];

/// The schemas, which are the same in every database.
const SCHEMAS: &[(u32, &str)] = &[(11, "pg_catalog"), (2200, "public"), (13000, "information_schema")];

pub fn schema_oid(name: &str) -> Option<u32> {
    SCHEMAS.iter().find(|schema| schema.1 == name).map(|schema| schema.0)
}

pub fn schema_name(oid: u32) -> Option<&'static str> {
    SCHEMAS.iter().find(|schema| schema.0 == oid).map(|schema| schema.1)
}

/// The table that `pg_get_keywords()` gives; nothing that a user writes means it otherwise.
pub const KEYWORDS: &str = "pg_get_keywords()";

/// PostgreSQL's key words: the word, its category, and whether it labels a column without AS.
fn keywords() -> (&'static str, Rows) {
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let (word, code) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let bare = fields.next() == Some("t");
        let category = match code {
            "U" => "unreserved",
            "C" => "unreserved (cannot be function or type name)",
            "T" => "reserved (can be function or type name)",
            _ => "reserved",
        };
        row![word, code, bare, category, if bare { "can be bare label" } else { "requires AS" }]
    };
    let rows = include_str!("keywords.tsv").lines().map(row).collect();
    ("word text, catcode char, barelabel bool, catdesc text, baredesc text", rows)
}

pub fn relation_oid(name: &str) -> Option<u32> {
    RELATIONS.iter().find(|r| r.0 == name).map(|r| r.1)
}

pub fn relation_name(oid: u32) -> Option<String> {
    RELATIONS.iter().find(|r| r.1 == oid).map(|r| r.0.to_string())
}

/// The OID of a type by its internal or its SQL name.
pub fn type_oid(name: &str) -> Option<u32> {
    TYPES.iter().find(|t| t.1 == name || t.2 == name).map(|t| t.0)
}

/// OID, internal name, name in SQL.
const TYPES: &[(u32, &str, &str)] = &[
    (16, "bool", "boolean"),
    (17, "bytea", "bytea"),
    (18, "char", "\"char\""),
    (19, "name", "name"),
    (20, "int8", "bigint"),
    (21, "int2", "smallint"),
    (23, "int4", "integer"),
    (25, "text", "text"),
    (22, "int2vector", "int2vector"),
    (24, "regproc", "regproc"),
    (26, "oid", "oid"),
    (27, "tid", "tid"),
    (28, "xid", "xid"),
    (29, "cid", "cid"),
    (30, "oidvector", "oidvector"),
    (194, "pg_node_tree", "pg_node_tree"),
    (705, "unknown", "unknown"),
    (1014, "_bpchar", "character[]"),
    (1015, "_varchar", "character varying[]"),
    (1002, "_char", "\"char\"[]"),
    (1003, "_name", "name[]"),
    (1033, "aclitem", "aclitem"),
    (1034, "_aclitem", "aclitem[]"),
    (2205, "regclass", "regclass"),
    (2206, "regtype", "regtype"),
    (4089, "regnamespace", "regnamespace"),
    (4096, "regrole", "regrole"),
    (5069, "xid8", "xid8"),
    (700, "float4", "real"),
    (701, "float8", "double precision"),
    (1001, "_bytea", "bytea[]"),
    (1028, "_oid", "oid[]"),
    (1115, "_timestamp", "timestamp without time zone[]"),
    (1182, "_date", "date[]"),
    (1183, "_time", "time without time zone[]"),
    (1185, "_timestamptz", "timestamp with time zone[]"),
    (1187, "_interval", "interval[]"),
    (1231, "_numeric", "numeric[]"),
    (2951, "_uuid", "uuid[]"),
    (1000, "_bool", "boolean[]"),
    (1005, "_int2", "smallint[]"),
    (1007, "_int4", "integer[]"),
    (1009, "_text", "text[]"),
    (1016, "_int8", "bigint[]"),
    (1021, "_float4", "real[]"),
    (1022, "_float8", "double precision[]"),
    (1042, "bpchar", "character"),
    (1043, "varchar", "character varying"),
    (1082, "date", "date"),
    (1083, "time", "time without time zone"),
    (1114, "timestamp", "timestamp without time zone"),
    (1184, "timestamptz", "timestamp with time zone"),
    (1186, "interval", "interval"),
    (1700, "numeric", "numeric"),
    (2278, "void", "void"),
    (2950, "uuid", "uuid"),
];

/// OIDs of the types of OIDs that are shown as names.
pub const REGCLASS: u32 = 2205;
pub const REGTYPE: u32 = 2206;
pub const REGNAMESPACE: u32 = 4089;
pub const REGROLE: u32 = 4096;

/// What a type is called in SQL.
pub fn type_name(oid: u32) -> Option<&'static str> {
    TYPES.iter().find(|t| t.0 == oid).map(|t| t.2)
}

/// A type's internal name.
fn internal_name(oid: u32) -> &'static str {
    TYPES.iter().find(|t| t.0 == oid).map_or("", |t| t.1)
}

/// `format_type`.
pub fn format_type(oid: u32, typmod: i32) -> String {
    let Some(name) = type_name(oid) else { return if oid == 0 { "-".into() } else { "???".into() } };
    match oid {
        1042 | 1043 if typmod >= 4 => format!("{name}({})", typmod - 4),
        1700 if typmod >= 4 => {
            let (precision, scale) = ((typmod - 4) >> 16, (typmod - 4) & 0x7ff);
            format!("numeric({precision},{scale})")
        }
        _ => name.to_string(),
    }
}

/// Pages of a table's or an index's file.
fn pages(shared: &Shared, file: u32) -> Option<u32> {
    let id = storage::RelationId { database: shared.database.0, file };
    Some(shared.db.relation(id).ok()?.blocks())
}

/// Bytes of a relation's own file, and of its indexes' files; `None` for what is no table or index.
pub fn relation_bytes(shared: &Shared, oid: i64) -> Option<(i64, i64)> {
    let oid = u32::try_from(oid).ok()?;
    let bytes = |file| Some(i64::from(pages(shared, file)?) * storage::PAGE_SIZE as i64);
    let catalog = shared.catalog();
    match catalog.database_by_oid(shared.database.0)?.tables.get(&oid) {
        Some(table) => Some((bytes(table.file)?, table.indexes.iter().map(|i| bytes(i.file)).sum::<Option<i64>>()?)),
        None => Some((bytes(crate::definition::find_index(shared, oid)?.1.file)?, 0)),
    }
}

/// Bytes of a database's files, by name or OID.
pub fn database_bytes(shared: &Shared, name: &str) -> Option<i64> {
    let catalog = shared.catalog();
    let database = catalog.databases.values().find(|d| d.name == name || d.oid.to_string() == name)?;
    let dir = shared.db.root().join(format!("base/{}", database.oid));
    let entries = std::fs::read_dir(dir).ok()?;
    Some(entries.flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len() as i64).sum())
}

/// The view `schema.name`, as it is now.
pub fn table(shared: &Arc<Shared>, schema: &str, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
    if schema == "information_schema" {
        return information_schema::view(shared, name);
    }
    if schema != "pg_catalog" {
        return Ok(None);
    }
    if let Some((_, spec)) = EMPTY.iter().find(|(n, _)| *n == name) {
        let fields: Vec<_> = columns(spec).iter().map(|(name, ty)| field(name, ty)).collect();
        return Ok(Some(Arc::new(EmptyTable::new(Arc::new(Schema::new(fields))))));
    }
    if let Some((spec, rows)) = access::view(shared, name).map_err(crate::errors::wrap)? {
        return provider(spec, rows).map(Some);
    }
    let (spec, rows): (&str, Rows) = match name {
        "pg_aios" => aios(shared),
        "pg_stat_io" => stat_io(shared),
        "pg_stat_activity" => stat_activity(shared),
        "pg_settings" => settings(shared),
        "pg_stat_wal" => stat_wal(shared),
        "pg_stat_checkpointer" => stat_checkpointer(shared),
        "pg_class" => relations::class(shared),
        "pg_index" => relations::index(shared),
        "pg_locks" => locks(shared),
        "pg_constraint" => relations::constraint(shared),
        "pg_attribute" => relations::attribute(shared),
        "pg_attrdef" => relations::attrdef(shared),
        "pg_sequence" => sequences::pg_sequence(shared),
        "pg_depend" => sequences::pg_depend(shared),
        "pg_opclass" => relations::operator_classes(),
        "pg_tables" => relations::tables(shared),
        "pg_namespace" => (
            "oid oid, nspname name, nspowner oid, nspacl text[]",
            SCHEMAS.iter().map(|(oid, name)| row![*oid, *name, 10, Cell::Null]).collect(),
        ),
        "pg_am" => {
            let rows = vec![row![2, "heap", "heap_tableam_handler", "t"], row![403, "btree", "bthandler", "i"]];
            ("oid oid, amname name, amhandler text, amtype char", rows)
        }
        "pg_type" => types::pg_type(),
        KEYWORDS => keywords(),
        "pg_database" => databases(shared),
        "pg_tablespace" => (
            "oid oid, spcname name, spcowner oid, spcacl text[], spcoptions text[]",
            vec![
                row![1663, "pg_default", 10, Cell::Null, Cell::Null],
                row![1664, "pg_global", 10, Cell::Null, Cell::Null],
            ],
        ),
        _ => return Ok(None),
    };
    provider(spec, rows).map(Some)
}

fn aios(shared: &Shared) -> (&'static str, Rows) {
    let spec = "pid int4, io_id int4, io_generation int8, state text, operation text, off int8, length int8, target text, \
                handle_data_len int2, raw_result int4, result text, target_desc text, f_sync bool, f_localmem bool, f_buffered bool";
    let rows = shared.db.engine().handles().into_iter().map(|h| {
        let defined = h.operation.is_some();
        let result = match &h.result {
            None => "UNKNOWN",
            Some(Ok(true)) => "OK",
            Some(Ok(false)) => "PARTIAL",
            Some(Err(_)) => "ERROR",
        };
        row![
            h.pid,
            h.io_id,
            h.generation,
            h.state.name(),
            h.operation.map(|o| o.name()),
            defined.then_some(h.offset),
            defined.then_some(h.len),
            h.target,
            h.data_len,
            h.raw_result,
            result,
            h.target_desc,
            h.sync,
            false,
            h.buffered,
        ]
    });
    (spec, rows.collect())
}

fn stat_io(shared: &Shared) -> (&'static str, Rows) {
    let spec = "backend_type text, object text, context text, reads int8, read_bytes int8, read_time float8, writes int8, \
                write_bytes int8, write_time float8, writebacks int8, writeback_time float8, extends int8, extend_bytes int8, \
                extend_time float8, hits int8, evictions int8, reuses int8, fsyncs int8, fsync_time float8, stats_reset timestamptz";
    let millis = |nanos: u64| nanos as f64 / 1e6;
    let mut rows = Rows::new();
    for stat in shared.db.engine().stats().rows() {
        // Combinations that cannot happen are left out, as in PostgreSQL.
        let wal = stat.key.object == IoObject::Wal;
        let context = stat.key.context.name();
        if stat.key.object == IoObject::TempRelation
            || (wal && !matches!(context, "normal" | "init"))
            || (!wal && context == "init")
        {
            continue;
        }
        let (read, write, extend, fsync) =
            (stat.op(StatOp::Read), stat.op(StatOp::Write), stat.op(StatOp::Extend), stat.op(StatOp::Fsync));
        rows.push(row![
            stat.key.backend.name(),
            stat.key.object.name(),
            context,
            read.count,
            read.bytes,
            millis(read.nanos),
            write.count,
            write.bytes,
            millis(write.nanos),
            0,
            0.0,
            extend.count,
            extend.bytes,
            millis(extend.nanos),
            stat.op(StatOp::Hit).count,
            stat.op(StatOp::Evict).count,
            stat.op(StatOp::Reuse).count,
            fsync.count,
            millis(fsync.nanos),
            shared.db.started(),
        ]);
    }
    (spec, rows)
}

fn stat_activity(shared: &Shared) -> (&'static str, Rows) {
    let spec = "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text, client_addr text, \
                client_hostname text, client_port int4, backend_start timestamptz, xact_start timestamptz, query_start timestamptz, \
                state_change timestamptz, wait_event_type text, wait_event text, state text, backend_xid int8, backend_xmin int8, \
                query_id int8, query text, backend_type text";
    let catalog = shared.catalog();
    let superuser = shared.is_superuser();
    let own = shared.current_user();
    let rows = shared.db.activity().list().into_iter().map(|a| {
        let client = a.kind == aio::BackendKind::Client;
        let application = a.state.as_ref().map(|s| s.application_name.clone());
        // What others do is not everybody's to see.
        let visible = superuser || a.user.as_ref() == Some(&own);
        let state = a.state.as_ref().filter(|_| visible);
        let from = a.client.as_ref().filter(|_| visible);
        let wait = Some((a.wait_event_type, a.wait_event)).filter(|_| visible).unwrap_or_default();
        let query = if visible { state.map(|s| s.query.clone()) } else { Some("<insufficient privilege>".into()) };
        row![
            a.database.as_ref().map(|d| d.0),
            a.database.as_ref().map(|d| d.1.clone()),
            a.pid,
            a.leader,
            a.user.as_ref().and_then(|u| catalog.roles.get(u)).map(|r| r.oid),
            a.user,
            application,
            from.and_then(|c| c.address).map(|c| c.ip().to_string()),
            Cell::Null,
            // -1 is PostgreSQL's for Unix-domain sockets.
            from.map(|c| c.address.map_or(-1, |c| i32::from(c.port()))),
            a.started.filter(|_| visible),
            state.and_then(|s| s.transaction_start),
            state.and_then(|s| s.query_start),
            state.filter(|_| client).map(|s| s.state_change),
            wait.0.or_else(|| state.filter(|s| client && s.state.starts_with("idle")).map(|_| "Client")),
            wait.1.or_else(|| state.filter(|s| client && s.state.starts_with("idle")).map(|_| "ClientRead")),
            state.filter(|_| client || a.leader.is_some()).map(|s| s.state),
            Cell::Null,
            Cell::Null,
            Cell::Null,
            query,
            visible.then(|| a.kind.name()),
        ]
    });
    (spec, rows.collect())
}

fn settings(shared: &Shared) -> (&'static str, Rows) {
    let spec = "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, vartype text, \
                source text, min_val text, max_val text, enumvals text[], boot_val text, reset_val text, sourcefile text, \
                sourceline int4, pending_restart bool";
    let now = shared.settings.read();
    let reset = shared.initial.read();
    let row = |d: &Definition| {
        let limits = |min: String, max: String| (Some(min), Some(max));
        let ((min, max), values) = match d.kind {
            Kind::Integer { min, max, .. } | Kind::AutoInteger { min, max } | Kind::AutoBlocks { min, max } => {
                (limits(min.to_string(), max.to_string()), None)
            }
            Kind::Real { min, max, .. } => (limits(general(min), general(max)), None),
            Kind::Enum(values) => ((None, None), Some(values.iter().map(|v| v.to_string()).collect::<Vec<_>>())),
            Kind::Bool | Kind::String => ((None, None), None),
        };
        let more = d.facts().more;
        // What `auto` has come to.
        let why = (d.name == "shared_buffers" && shared.db.memory().auto).then(|| shared.db.memory().to_string());
        row![
            d.name,
            now.get(d.name),
            d.unit().map(|u| u.name()),
            d.category,
            d.description,
            why.or_else(|| (!more.is_empty()).then(|| more.to_string())),
            d.context.name(),
            d.vartype(),
            now.source(d).name(),
            min,
            max,
            values,
            d.default,
            reset.get(d.name),
            Cell::Null,
            Cell::Null,
            false,
        ]
    };
    let custom = |c: &Custom| {
        let null = || Cell::Null;
        let category = "Customized Options";
        let before = reset.custom(&c.name).map(|c| c.value.clone());
        row![
            c.name.as_str(),
            c.value.as_str(),
            null(),
            category,
            null(),
            null(),
            "user",
            "string",
            c.source.name(),
            null(),
            null(),
            null(),
            null(),
            before,
            null(),
            null(),
            false,
        ]
    };
    let superuser = crate::identity::is_superuser(shared, &now);
    let shown = all().iter().filter(|d| !d.facts().hidden && d.may_examine(superuser).is_ok());
    let mut rows: Rows = shown.map(row).chain(now.customs().map(custom)).collect();
    rows.sort_by_key(|row| match &row[0] {
        Cell::Text(name) => name.to_ascii_lowercase(),
        _ => String::new(),
    });
    (spec, rows)
}

fn stat_wal(shared: &Shared) -> (&'static str, Rows) {
    let log = shared.db.log();
    let (c, view) = (log.counters(), log.flush_view());
    let (writes, commits) = (c.writes.load(Relaxed), c.commits.load(Relaxed));
    let row = row![
        c.records.load(Relaxed),
        c.full_page_images.load(Relaxed),
        c.bytes.load(Relaxed),
        c.buffers_full.load(Relaxed),
        writes,
        // Each write has its flush.
        writes,
        c.write_time.load(Relaxed) as f64 / 1e6,
        commits,
        if writes > 0 { commits as f64 / writes as f64 } else { 0.0 },
        view.writes_under_way as i64,
        view.commits_waiting as i64,
        view.delay as f64 / 1e3,
        log.sync_method().name(),
        shared.db.started(),
    ];
    (
        "wal_records int8, wal_fpi int8, wal_bytes numeric, wal_buffers_full int8, wal_write int8, wal_sync int8, \
         wal_write_time float8, commits int8, commits_per_flush float8, writes_in_flight int8, commits_waiting int8, \
         auto_commit_delay float8, sync_method text, stats_reset timestamptz",
        vec![row],
    )
}

fn stat_checkpointer(shared: &Shared) -> (&'static str, Rows) {
    let c = shared.db.checkpoints();
    let count = |counter: &AtomicU64| counter.load(Relaxed);
    let milliseconds = |counter: &AtomicU64| count(counter) as f64 / 1e6;
    let row = row![
        count(&c.timed),
        count(&c.requested),
        count(&c.done),
        // There is no standby.
        0,
        0,
        0,
        milliseconds(&c.write_time),
        milliseconds(&c.sync_time),
        count(&c.pages),
        0,
        shared.db.started(),
    ];
    (
        "num_timed int8, num_requested int8, num_done int8, restartpoints_timed int8, restartpoints_req int8, \
         restartpoints_done int8, write_time float8, sync_time float8, buffers_written int8, slru_written int8, \
         stats_reset timestamptz",
        vec![row],
    )
}

fn locks(shared: &Shared) -> (&'static str, Rows) {
    let spec = "locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text, transactionid int8, \
                classid oid, objid oid, objsubid int2, virtualtransaction text, pid int4, mode text, granted bool, \
                fastpath bool, waitstart timestamptz";
    let catalog = shared.catalog();
    // Rows are locked by the number of their table's file.
    let table_of = |database: u32, file: u32| {
        let tables = catalog.database_by_oid(database)?.tables.values();
        tables.into_iter().find(|t| t.file == file).map(|t| t.oid)
    };
    let row = |lock: txn::LockView| {
        let null = || Cell::Null;
        let (kind, place) = match lock.tag {
            LockTag::Relation { database, oid } => {
                ("relation", [database.into(), oid.into(), null(), null(), null(), null(), null()])
            }
            LockTag::Row { database, file, block, row } => {
                let table = table_of(database, file).into();
                ("tuple", [database.into(), table, block.into(), (row + 1).into(), null(), null(), null()])
            }
            LockTag::Transaction(xid) => {
                ("transactionid", [null(), null(), null(), null(), xid.into(), null(), null()])
            }
            LockTag::Name { database, hash } => {
                ("object", [database.into(), null(), null(), null(), null(), 0.into(), (hash as u32).into()])
            }
            LockTag::Advisory { database, key, .. } => {
                let (high, low) = (key >> 32 & 0xffff_ffff, key & 0xffff_ffff);
                ("advisory", [database.into(), null(), null(), null(), null(), high.into(), low.into()])
            }
        };
        // Which kind of key an advisory lock has.
        let kind_of_key = match lock.tag {
            LockTag::Advisory { pair, .. } => Some(1 + i64::from(pair)),
            _ => None,
        };
        let [database, relation, page, tuple, xid, class, object] = place;
        row![
            kind,
            database,
            relation,
            page,
            tuple,
            null(),
            xid,
            class,
            object,
            kind_of_key,
            format!("0/{}", lock.owner),
            shared.db.activity().pid_of(lock.owner),
            lock.mode.name(),
            lock.granted,
            false,
            null(),
        ]
    };
    (spec, shared.db.store().locks.list().into_iter().map(row).collect())
}

fn databases(shared: &Shared) -> (&'static str, Rows) {
    let spec = "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool, datallowconn bool, \
                datconnlimit int4, dattablespace oid, datcollate text, datctype text, daticulocale text, datlocale text, \
                daticurules text, datcollversion text, datacl text[]";
    let catalog = shared.catalog();
    let rows = catalog.databases.values().map(|d| {
        let owner = catalog.roles.get(&d.owner).map_or(10, |r| r.oid);
        row![
            d.oid,
            d.name.as_str(),
            owner,
            6,
            "c",
            d.is_template,
            d.allow_connections,
            -1,
            1663,
            "C",
            "C",
            Cell::Null,
            Cell::Null,
            Cell::Null,
            Cell::Null,
            Cell::Null,
        ]
    });
    (spec, rows.collect())
}
