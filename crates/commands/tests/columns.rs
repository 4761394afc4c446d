//! Columns of every type: stored, found by indexes of either direction, sorted, grouped, kept unique. `columns.tsv` has what
//! PostgreSQL 18 answers to the same statements; `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` records it anew.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use engine::{ColumnDef, ColumnType, IndexColumn, IndexDef, TableDef};
use support::Server;
use types::{Oid, oid};

/// A type, its modifier, and texts of values in no order: some are equal and look different.
struct Case {
    name: &'static str,
    oid: Oid,
    typmod: i32,
    values: &'static [&'static str],
}

const fn case(name: &'static str, oid: Oid, typmod: i32, values: &'static [&'static str]) -> Case {
    Case { name, oid, typmod, values }
}

const DATE_ARRAY: Oid = 1182;
const INTERVAL_ARRAY: Oid = 1187;
const NUMERIC_ARRAY: Oid = 1231;
const JSONB_ARRAY: Oid = 3807;

const CASES: &[Case] = &[
    case("boolean", oid::BOOL, -1, &["t", "f"]),
    case("\"char\"", oid::CHAR, -1, &["b", "a", "\\377"]),
    case("int2", oid::INT2, -1, &["7", "-32768", "32767"]),
    case("int4", oid::INT4, -1, &["7", "-2147483648", "0"]),
    case("int8", oid::INT8, -1, &["7", "-9223372036854775808", "9223372036854775807"]),
    case("oid", oid::OID, -1, &["7", "4294967295", "0"]),
    case("xid8", oid::XID8, -1, &["7", "18446744073709551615", "0"]),
    case("float4", oid::FLOAT4, -1, &["1.5", "-0", "0", "NaN", "-Infinity", "1e-40"]),
    case("float8", oid::FLOAT8, -1, &["1.5", "-0", "0", "NaN", "Infinity", "-1e300"]),
    case("numeric", oid::NUMERIC, -1, &["1.0", "1.00", "-1.5", "1e40", "1e-40", "NaN", "-Infinity", "0", "99.99"]),
    case("numeric(10,2)", oid::NUMERIC, 4 + (10 << 16 | 2), &["1.005", "-1.5", "12345678.9", "0"]),
    case("numeric(50,3)", oid::NUMERIC, 4 + (50 << 16 | 3), &["1.0005", "1e40", "-1e-3", "0"]),
    case("text", oid::TEXT, -1, &["b", "", "a", "ab", "ä", "a "]),
    case("varchar(5)", oid::VARCHAR, 4 + 5, &["b", "abcde", "a "]),
    case("character(3)", oid::BPCHAR, 4 + 3, &["b", "a ", "abc"]),
    case("bpchar", oid::BPCHAR, -1, &["b", "a ", "a"]),
    case("name", oid::NAME, -1, &["b", "pg_class", "a"]),
    case("bytea", oid::BYTEA, -1, &["\\x00ff", "\\x", "\\x00", "\\xff"]),
    case("uuid", oid::UUID, -1, &["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000"]),
    case("date", oid::DATE, -1, &["2024-02-29", "0044-03-15 BC", "infinity", "-infinity"]),
    case("time", oid::TIME, -1, &["12:00", "24:00", "00:00:00.000001"]),
    case("time(0)", oid::TIME, 0, &["12:00:00.7", "23:59:59.6"]),
    case("timetz", oid::TIMETZ, -1, &["12:00+02", "11:00+01", "10:00+00", "00:00-08"]),
    case("timestamp", oid::TIMESTAMP, -1, &["2024-02-29 12:00", "-infinity", "1999-12-31 23:59:59.999999"]),
    case("timestamptz", oid::TIMESTAMPTZ, -1, &["2024-02-29 12:00+02", "2024-02-29 10:00+00", "infinity"]),
    case("interval", oid::INTERVAL, -1, &["1 mon", "30 days", "-1 day", "24:00", "1 day", "0", "infinity"]),
    case(
        "jsonb",
        oid::JSONB,
        -1,
        &["{\"a\": 1}", "{\"a\": 1.0}", "[]", "null", "[1, 2]", "\"x\"", "2", "{\"a\": [1]}", "{\"bb\": 1, \"a\": 1}"],
    ),
    case("jsonb[]", JSONB_ARRAY, -1, &["{1,1.0}", "{1.0,1}", "{NULL,\"[]\"}", "{}"]),
    case("tid", oid::TID, -1, &["(0,7)", "(1,0)", "(0,1)"]),
    case("regclass", oid::REGCLASS, -1, &["pg_class", "pg_type"]),
    case("int4[]", oid::INT4_ARRAY, -1, &["{2}", "{1,2}", "{}", "{NULL,1}", "{1}", "[0:1]={1,2}"]),
    case("text[]", oid::TEXT_ARRAY, -1, &["{b}", "{a,NULL}", "{\"\"}", "{a,b}", "{{a},{b}}"]),
    case("numeric[]", NUMERIC_ARRAY, -1, &["{1.0}", "{1.00,2}", "{1}", "{-1}"]),
    case("interval[]", INTERVAL_ARRAY, -1, &["{1 mon}", "{30 days}", "{-1 day,NULL}"]),
    case("date[]", DATE_ARRAY, -1, &["{2024-02-29}", "{0001-01-01,infinity}"]),
    case("boolean[]", oid::BOOL_ARRAY, -1, &["{t}", "{f,t}"]),
];

/// Types without an order: columns of them are stored, and no more.
const UNORDERED: &[Case] =
    &[case("json", oid::JSON, -1, &["{\"a\": 1}", "[1, 2]", "null"]), case("xid", oid::XID, -1, &["7", "4294967295"])];

impl Case {
    fn literal(&self, text: &str) -> String {
        format!("'{}'::{}", text.replace('\'', "''"), self.name)
    }

    fn insert(&self, table: &str) -> String {
        let row = |(id, text): (usize, &&str)| format!("({id}, {})", self.literal(text));
        let rows: Vec<String> = self.values.iter().enumerate().map(row).collect();
        format!("insert into {table} values {}, (100, null)", rows.join(", "))
    }

    /// Over a table `a (id int4 primary key, v)` with an index on `v`, and `u (id int4, v)` with a unique one on `v desc`.
    fn statements(&self) -> Vec<String> {
        let mut all = vec![
            self.insert("a"),
            "select id, v from a order by v, id".into(),
            "select id from a order by v desc, id desc".into(),
            "select count(*), min(id) from a group by v order by 2".into(),
            "select a.id, b.id from a join a b on a.v = b.v order by 1, 2".into(),
            "analyze a".into(),
            "set enable_seqscan = off".into(),
        ];
        for text in self.values {
            let literal = self.literal(text);
            all.push(format!("select id from a where v = {literal} order by id"));
            all.push(format!("select id from a where v < {literal} order by id"));
            all.push(format!("select id from a where v >= {literal} order by v, id"));
            all.push(format!("insert into u values (1, {literal})"));
        }
        all.push("select count(*) from u where v is not null".into());
        all.push(format!("update a set v = {} where id = 0", self.literal(self.values[1])));
        all.push("select id, v from a where v is not null order by v, id limit 3".into());
        all.push(format!("delete from a where v = {}", self.literal(self.values[1])));
        all.push("select id from a order by v nulls first, id".into());
        all
    }

    fn stored(&self) -> Vec<String> {
        vec![self.insert("a"), "select id, v from a order by id".into(), "analyze a".into(), "select v from a".into()]
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

fn key(name: &str, oid: Oid, column: usize, descending: bool, unique: bool) -> IndexDef {
    let columns = vec![IndexColumn { descending, nulls_first: descending, ..IndexColumn::of(column) }];
    IndexDef { unique, constraint: unique, primary: unique && column == 0, ..IndexDef::new(oid, name, columns) }
}

fn create(server: &Server, case: &Case, ordered: bool) {
    let id = ColumnDef { not_null: true, ..ColumnDef::new("id", ColumnType::of(oid::INT4)) };
    let columns = vec![id, ColumnDef::new("v", ColumnType::built_in(case.oid, case.typmod))];
    let oid = || server.db.new_oid();
    let a = TableDef::new(oid(), (catalog::PUBLIC, "a"), 10, columns.clone());
    let mut indexes = vec![key("a_pkey", oid(), 0, false, true)];
    if ordered {
        indexes.push(key("a_v", oid(), 1, false, false));
        let u = TableDef::new(oid(), (catalog::PUBLIC, "u"), 10, columns);
        server.create_table(TableDef { indexes: vec![key("u_v", oid(), 1, true, true)], ..u });
    }
    server.create_table(TableDef { indexes, ..a });
}

/// What PostgreSQL answers: the rows, or the error.
fn record(server: &str) -> String {
    let mut recorded = String::new();
    let ordered = CASES.iter().map(|case| (case, case.statements(), true));
    for (case, statements, ordered) in ordered.chain(UNORDERED.iter().map(|case| (case, case.stored(), false))) {
        let mut script = format!(
            "set client_min_messages = error; drop schema if exists column_answers cascade;
             create schema column_answers; set search_path = column_answers; set timezone = 'UTC';
             create table a (id int4 primary key, v {0}); create table u (id int4, v {0});\n",
            case.name
        );
        if ordered {
            script += "create index a_v on a (v); create unique index u_v on u (v desc);\n";
        }
        for statement in &statements {
            script += &format!("\\echo ####\n{statement};\n");
        }
        // Errors stand among the rows.
        let mut psql = Command::new("sh")
            .args(["-c", "exec psql -XAtq -d \"$0\" 2>&1", server])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("psql is there");
        psql.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = String::from_utf8(psql.wait_with_output().unwrap().stdout).unwrap();
        for (statement, answer) in statements.iter().zip(output.split("####\n").skip(1)) {
            recorded += &format!("{}\t{}\t{}\n", case.name, escape(statement), escape(answer));
        }
    }
    recorded
}

fn answers(case: &Case, statements: &[String], ordered: bool) -> Vec<String> {
    let mut server = Server::new();
    create(&server, case, ordered);
    let answer = |statement: &String| match server.run(statement) {
        Ok(rows) => rows,
        Err(error) => {
            let detail = error.detail.as_ref().map_or(String::new(), |detail| format!("DETAIL:  {detail}\n"));
            format!("ERROR:  {error}\n{detail}")
        }
    };
    statements.iter().map(answer).collect()
}

#[test]
fn columns_hold_all_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/columns.tsv");
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        std::fs::write(path, record(&server)).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let mut lines = recorded.lines();
    let (mut same, mut wrong) = (0, Vec::new());
    let ordered = CASES.iter().map(|case| (case, case.statements(), true));
    for (case, statements, ordered) in ordered.chain(UNORDERED.iter().map(|case| (case, case.stored(), false))) {
        for (statement, ours) in statements.iter().zip(answers(case, &statements, ordered)) {
            let line = lines.next().expect("record anew");
            let theirs = line.strip_prefix(&format!("{}\t{}\t", case.name, escape(statement))).expect("record anew");
            if escape(&ours) == theirs {
                same += 1;
            } else {
                wrong.push(format!(
                    "{}: {statement}\n  PostgreSQL: {theirs}\n  here:       {}",
                    case.name,
                    escape(&ours)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, {same} the same:\n{}", wrong.len(), wrong.join("\n"));
}
