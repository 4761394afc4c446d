//! Statements through all stages, from text to rows, against answers that PostgreSQL 18 gave (`stages.tsv`: statement and
//! rows, or SQLSTATE). `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` records them anew, in a schema of their own.
//!
//! Each statement runs in a transaction of its own that is taken back, so that they do not see one another.
//!
//! `metadata.sql` has what psql 18, pg_dump 18, pgjdbc 42.7, SQLAlchemy 2.0 and Django 5 ask of the catalogs about these
//! tables, and queries of information_schema; oids are masked. It is recorded in a database without tables.

use std::future::Future;
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::{Context as Polling, Poll, Waker};

use aio::{IoMethod, block_on};
use commands::Commands;
use engine::{
    ColumnDef, ColumnType, Database, Durability, EngineError, IndexColumn, IndexDef, OpenOptions, TableDef,
    Transaction, WriteOptions,
};
use session::{Format, Reply, Session};
use types::oid;

const STATEMENTS: &str = include_str!("stages.sql");
const METADATA: &str = include_str!("metadata.sql");

/// What the tables are in PostgreSQL; here they are made by hand.
const TABLES: &str = "
create table customers (id int primary key, name text not null, city text, since date);
create table orders (id int primary key, customer int, amount numeric(10,2), placed timestamp, note text);
create index orders_customer on orders (customer);
create table items (order_id int not null, line int not null, product text, quantity bigint, price numeric(8,2),
                    primary key (order_id, line));
create index items_product on items (product, quantity desc);
";

const ROWS: &str = "
insert into customers values (1, 'Ada', 'London', '2020-01-15'), (2, 'Bob', 'Paris', '2021-06-01'),
 (3, 'Cleo', 'London', null), (4, 'Dan', null, '2019-12-31'), (5, 'Eve', 'Rome', '2022-02-28');
insert into orders values (10, 1, 100.50, '2023-01-01 10:00', 'a'), (11, 1, 20, '2023-02-01 11:30', 'bb'),
 (12, 2, 300.25, '2023-02-03 00:00', null), (13, 3, null, '2023-03-01 12:00', 'ccc'), (14, null, 5.05, null, 'dddd'),
 (15, 5, 20, '2023-05-05 05:05', 'e');
insert into items values (10, 1, 'pen', 10, 1.50), (10, 2, 'ink', 2, 42.75), (11, 1, 'pen', 4, 5.00),
 (12, 1, 'desk', 1, 300.25), (13, 1, 'lamp', 3, 19.99), (13, 2, 'pen', 1, 1.50), (15, 1, null, null, 20);
";

fn without_waits<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1 << 20 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the synchronous method waits")
}

struct Server {
    _dir: tempfile::TempDir,
    db: Database,
    session: Session,
}

const INT4: ColumnType = ColumnType::of(oid::INT4);
const TEXT: ColumnType = ColumnType::of(oid::TEXT);

fn numeric(precision: i32, scale: i32) -> ColumnType {
    ColumnType::built_in(oid::NUMERIC, 4 + (precision << 16 | scale))
}

fn index(db: &Database, name: &str, columns: &[(usize, bool)], unique: bool) -> IndexDef {
    let column = |&(column, descending): &(usize, bool)| IndexColumn {
        descending,
        nulls_first: descending,
        ..IndexColumn::of(column)
    };
    let columns = columns.iter().map(column).collect();
    IndexDef { unique, primary: unique, constraint: unique, ..IndexDef::new(db.new_oid(), name, columns) }
}

fn table(db: &Database, name: &str, columns: &[(&str, ColumnType, bool)], indexes: Vec<IndexDef>) -> Arc<TableDef> {
    let column = |&(name, ty, not_null): &(&str, ColumnType, bool)| ColumnDef { not_null, ..ColumnDef::new(name, ty) };
    let columns = columns.iter().map(column).collect();
    let (row_type, array_type) = (db.new_oid(), db.new_oid());
    let def = TableDef::new(db.new_oid(), (catalog::PUBLIC, name), 10, columns);
    Arc::new(TableDef { row_type, array_type, indexes, ..def })
}

fn write_options() -> WriteOptions {
    WriteOptions {
        lock_timeout: 1000,
        maintenance_work_mem: 1 << 20,
        maintenance_workers: 0,
        concurrency: storage::Concurrency::Auto,
        context: Arc::default(),
        temporary: Default::default(),
    }
}

impl Server {
    fn new() -> Server {
        let dir = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            root: dir.path().into(),
            overrides: vec![("shared_buffers".into(), "16MB".into()), ("io_max_concurrency".into(), "16".into())],
            method: Some(IoMethod::Sync),
            wal_segment_size: None,
            skip_checkpoint_flushes: false,
        };
        let db = without_waits(Database::open(options)).unwrap();
        let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
        let customers = [("id", INT4, true), ("name", TEXT, true), ("city", TEXT, false)];
        let customers = [&customers[..], &[("since", ColumnType::of(oid::DATE), false)]].concat();
        let customers = table(&db, "customers", &customers, vec![index(&db, "customers_pkey", &[(0, false)], true)]);
        let orders = [
            ("id", INT4, true),
            ("customer", INT4, false),
            ("amount", numeric(10, 2), false),
            ("placed", ColumnType::of(oid::TIMESTAMP), false),
            ("note", TEXT, false),
        ];
        let of_orders =
            vec![index(&db, "orders_pkey", &[(0, false)], true), index(&db, "orders_customer", &[(1, false)], false)];
        let orders = table(&db, "orders", &orders, of_orders);
        let items = [
            ("order_id", INT4, true),
            ("line", INT4, true),
            ("product", TEXT, false),
            ("quantity", ColumnType::of(oid::INT8), false),
            ("price", numeric(8, 2), false),
        ];
        let key = index(&db, "items_pkey", &[(0, false), (1, false)], true);
        let items =
            table(&db, "items", &items, vec![key, index(&db, "items_product", &[(2, false), (3, true)], false)]);
        let mut transaction = Transaction::new(&db, &backend);
        block_on(db.engine(), async {
            for def in [&customers, &orders, &items] {
                transaction.create_files(storage::RelationId { database: 5, file: def.file }).unwrap();
                let bare = TableDef { indexes: vec![], ..TableDef::clone(def) };
                let bare = db.table(5, &Arc::new(bare)).unwrap();
                for index in &def.indexes {
                    bare.build_index(&mut transaction, index, &write_options()).await.unwrap();
                }
                transaction.alter_table(5, None, TableDef::clone(def));
            }
            transaction.commit(Durability::Asynchronous).await.unwrap();
        });
        let mut settings = db.settings();
        settings.set("session_authorization", "postgres", config::Source::Session).unwrap();
        let session = Session::new(&db, backend, (5, "postgres".into()), "postgres", settings, &Commands);
        let mut server = Server { _dir: dir, db, session };
        for statement in statements(ROWS) {
            server.run(statement, true).unwrap();
        }
        server
    }

    /// A statement's rows as psql prints them, or its SQLSTATE and message.
    fn run(&mut self, text: &str, commit: bool) -> Result<String, String> {
        let session = &mut self.session;
        block_on(self.db.engine(), async {
            let result = rows(session, text).await;
            session.end_implicit(commit && result.is_ok()).await.unwrap();
            result.map_err(|error| format!("{}: {}", error.code, error.message))
        })
    }
}

async fn rows(session: &mut Session, text: &str) -> Result<String, EngineError> {
    let mut rows = String::new();
    for statement in session.statements(text)? {
        let Reply::Rows(mut portal) = session.run(&statement).await? else { continue };
        while let Some(batch) = portal.next(session).await? {
            for row in 0..batch.rows {
                let mut line = Vec::new();
                for (at, column) in batch.columns.iter().enumerate() {
                    if at > 0 {
                        line.push(b'|');
                    }
                    portal.encode(&mut line, Format::Text, at, column, row)?;
                }
                rows += &String::from_utf8(line).unwrap();
                rows.push('\n');
            }
        }
    }
    Ok(rows)
}

/// Statements end with a semicolon at the end of a line; lines that begin with `--` are comments.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect()
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

/// What PostgreSQL answers in a schema: the rows, or the SQLSTATE.
fn record(server: &str, schema: &str, text: &str) -> String {
    let schema = format!("create schema if not exists {schema};\nset search_path = {schema};\n");
    let mut script = format!("\\set VERBOSITY sqlstate\nbegin;\n{schema}{TABLES}{ROWS}");
    let text = without_comments(text);
    for statement in statements(&text) {
        script += &format!("savepoint s;\n\\echo ####\n{statement};\nrollback to s;\n");
    }
    script += "rollback;\n";
    // Errors stand among the rows.
    let mut psql = Command::new("sh")
        .args(["-c", "exec psql -XAtq -d \"$0\" 2>&1", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql is there");
    std::io::Write::write_all(&mut psql.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = String::from_utf8(psql.wait_with_output().unwrap().stdout).unwrap();
    let answers = output.split("####\n").skip(1);
    let lines = statements(&text).zip(answers);
    lines.map(|(statement, answer)| format!("{}\t{}\n", escape(statement), escape(answer))).collect()
}

/// Numbers of five digits and more are oids.
fn without_oids(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        out += if digits.len() < 5 { digits } else { "#" };
        out += &part[digits.len()..];
    }
    out
}

#[test]
fn answers_are_postgresqls() {
    compare("stages.tsv", "sql_answers", STATEMENTS, str::to_string);
}

#[test]
fn metadata_are_postgresqls() {
    compare("metadata.tsv", "public", METADATA, without_oids);
}

/// The rows of an answer, sorted where the statement leaves their order open: plans differ.
fn in_order(statement: &str, answer: String) -> Vec<String> {
    let mut rows: Vec<String> = answer.split("\\n").map(str::to_string).collect();
    if !is_ordered(statement) {
        rows.sort_unstable();
    }
    rows
}

/// Does it have an ORDER BY outside of parentheses?
fn is_ordered(statement: &str) -> bool {
    let mut depth = 0;
    let mut outside = statement.to_ascii_lowercase();
    outside.retain(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    outside.split_whitespace().collect::<Vec<_>>().windows(2).any(|pair| pair == ["order", "by"])
}

fn compare(file: &str, schema: &str, text: &str, masked: fn(&str) -> String) {
    let path = format!("{}/tests/{file}", env!("CARGO_MANIFEST_DIR"));
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        std::fs::write(&path, record(&server, schema, text)).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let mut server = Server::new();
    let text = without_comments(text);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (statement, line) in statements(&text).zip(recorded.lines()) {
        let (recorded, answer) = line.split_once('\t').unwrap();
        assert_eq!(recorded, escape(statement), "record anew");
        count += 1;
        let ours = match server.run(statement, false) {
            Ok(rows) => escape(&rows),
            Err(error) => format!("ERROR:  {error}"),
        };
        let same = match answer.strip_prefix("ERROR:  ") {
            Some(code) => ours.strip_prefix("ERROR:  ").is_some_and(|ours| ours.get(..5) == code.get(..5)),
            None => in_order(statement, masked(&ours)) == in_order(statement, masked(answer)),
        };
        if !same {
            wrong.push(format!("{statement}\n  PostgreSQL: {answer}\n  here:       {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
