//! Rows are PostgreSQL 18's: their texts and bytes, and how they are compared. `tests/records.tsv` has what the real server
//! answers, recorded as `answers.rs` says.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use types::record::{Column, RecordBuilder, RecordView, RowNames, RowShape, column::row_of, text, wire};
use types::{Argument, BUILT_IN, Call, Context, Datum, Oid, Reader, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = "tests/records.tsv";

type Row = &'static [(&'static str, Oid, Option<&'static str>)];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    &[],
    &[("int4", oid::INT4, Some("1"))],
    &[("int4", oid::INT4, Some("2"))],
    &[("int4", oid::INT4, None)],
    &[("int4", oid::INT4, Some("1")), ("text", oid::TEXT, Some("a"))],
    &[("int4", oid::INT4, Some("1")), ("text", oid::TEXT, Some(""))],
    &[("int4", oid::INT4, Some("1")), ("text", oid::TEXT, None)],
    &[("int4", oid::INT4, Some("1")), ("text", oid::TEXT, Some("a,b (c) \"d\" \\e é"))],
    &[("int8", oid::INT8, Some("1")), ("text", oid::TEXT, Some("a"))],
    &[("numeric", oid::NUMERIC, Some("1.0")), ("float8", oid::FLOAT8, Some("NaN"))],
    &[("numeric", oid::NUMERIC, Some("1.00")), ("float8", oid::FLOAT8, Some("NaN"))],
    &[("numeric", oid::NUMERIC, Some("1")), ("float8", oid::FLOAT8, Some("-0"))],
    &[("int4[]", oid::INT4_ARRAY, Some("{1,2}")), ("bool", oid::BOOL, Some("t"))],
    &[("int4[]", oid::INT4_ARRAY, Some("[0:1]={1,2}")), ("bool", oid::BOOL, Some("f"))],
    &[("text[]", oid::TEXT_ARRAY, Some("{a,\"b c\",NULL}"))],
    &[("xid", oid::XID, None), ("int4", oid::INT4, Some("7"))],
    &[("date", oid::DATE, Some("2024-02-29")), ("interval", oid::INTERVAL, Some("1 day"))],
    &[("date", oid::DATE, Some("2024-02-29")), ("interval", oid::INTERVAL, Some("24:00:00"))],
];

const COMPARISONS: &[&str] =
    &["record_eq", "record_ne", "record_lt", "record_le", "record_gt", "record_ge", "btrecordcmp"];

/// Texts of rows of an integer, a text and an array.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "(1,a,{1})", " ( 1 ,a, ) ", "(1,,)", "(,,)", "(1,\"\",\"{1,2}\")", "(1,\"a\"\"b\\\"c\",)", "(1,a\\,b,)", "(1,x\"y,z\"w,)",
    "(1,a)", "(1,a,{1},4)", "1,a,{1})", "(1,a,{1}", "(1,a,{1})x", "(1,\"a", "(1,a\\", "()", "", "(x,,)", "(1, a b ,{})",
    "(1,é,)", "(1,(),)", "(1,\"()\",)\n",
];

struct Question {
    line: String,
    query: String,
    here: Box<dyn Fn() -> types::Result<String>>,
}

fn read(ty: Oid, text: Option<&str>) -> types::Result<Datum> {
    text.map_or(Ok(Datum::Null), |text| (base_type(ty).input)(&Context::default(), text, -1))
}

fn column(row: Row) -> arrow_array::ArrayRef {
    let columns = row.iter().map(|(_, ty, _)| (*ty, Repr::of(*ty, -1).unwrap())).collect();
    let shape = RowShape { ty: oid::RECORD, names: RowNames::default(), columns };
    let value = |(_, ty, text): &(_, Oid, Option<&str>)| {
        Argument::constant(read(*ty, *text).unwrap().to_array(Repr::of(*ty, -1).unwrap()))
    };
    row_of(1, &shape, &row.iter().map(value).collect::<Vec<_>>()).unwrap()
}

fn quoted(text: Option<&str>) -> String {
    text.map_or("null".to_string(), |text| format!("'{}'", text.replace('\'', "''")))
}

fn sql(row: Row) -> String {
    let each: Vec<_> = row.iter().map(|(name, _, text)| format!("{}::{name}", quoted(*text))).collect();
    format!("row({})", each.join(","))
}

/// Text and bytes.
fn shown(column: &arrow_array::ArrayRef) -> types::Result<String> {
    let (mut out, mut sent) = (Vec::new(), Vec::new());
    text::output(&Context::default(), column, 0, &mut out)?;
    wire::send(&Context::default(), column, 0, &mut sent)?;
    let hex: String = sent.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{} {hex}", String::from_utf8(out).unwrap()))
}

fn compared(name: &str, a: Row, b: Row) -> types::Result<String> {
    let mut all = BUILT_IN.iter().copied().flatten().copied().flatten();
    let function = all.find(|function| function.name == name).unwrap();
    let context = Context::default();
    let call =
        Call { context: &context, rows: 1, arguments: function.arguments, result: function.result, variadic: false };
    let result = (function.kernel)(&call, &[Argument::column(column(a)), Argument::column(column(b))])?;
    let mut out = Vec::new();
    (base_type(function.result).output)(&context, &result, 0, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn columns() -> Vec<Column> {
    let one = |ty: Oid| Column { ty, typmod: -1, repr: Repr::of(ty, -1).unwrap(), reader: Reader::of(ty) };
    vec![one(oid::INT4), one(oid::TEXT), one(oid::INT4_ARRAY)]
}

/// A row that a text means, also after it was sent and received.
fn entered(text: &str) -> types::Result<String> {
    let row = text::input(&Context::default(), oid::RECORD, &columns(), text)?;
    let column = row.to_array(Repr::Record);
    let mut sent = Vec::new();
    wire::send(&Context::default(), &column, 0, &mut sent)?;
    assert_eq!(wire::receive(&Context::default(), oid::RECORD, &columns(), &sent)?, row);
    shown(&column)
}

fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    for a in ROWS.iter().copied() {
        // No type of a row is known to send an xid yet.
        if !a.iter().any(|(_, ty, _)| *ty == oid::XID) {
            all.push(Question {
                line: format!("out\t{}", escape(&sql(a))),
                query: format!(
                    "select format('%s', r) || ' ' || encode(record_send(r), 'hex') from (values ({})) v(r)",
                    sql(a)
                ),
                here: Box::new(move || shown(&column(a))),
            });
        }
        for (at, b) in ROWS.iter().copied().enumerate() {
            let name = COMPARISONS[at % COMPARISONS.len()];
            for name in [name, "btrecordcmp", "record_eq"] {
                all.push(Question {
                    line: format!("{name}\t{}\t{}", escape(&sql(a)), escape(&sql(b))),
                    query: format!("select format('%s', {name}({}, {}))", sql(a), sql(b)),
                    here: Box::new(move || compared(name, a, b)),
                });
            }
        }
    }
    for text in TEXTS.iter().copied() {
        all.push(Question {
            line: format!("in\t{}", escape(text)),
            query: format!(
                "select format('%s', r) || ' ' || encode(record_send(r), 'hex') from (values ({}::pg_temp.entry)) v(r)",
                quoted(Some(text))
            ),
            here: Box::new(move || entered(text)),
        });
    }
    all
}

fn record(server: &str, questions: &[Question]) {
    let mut script = String::from(
        "set client_min_messages = error; create type pg_temp.entry as (a int4, b text, c int4[]);
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text; said text; details text;
         begin
           execute query into result;
           return replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n');
         exception when others then
           get stacked diagnostics said = message_text, details = pg_exception_detail;
           return replace(replace(replace('!' || sqlstate || ' ' || said || ' / ' || details, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n');
         end $$;\n",
    );
    for question in questions {
        script.push_str(&format!("select pg_temp.answer({});\n", quoted(Some(&question.query))));
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), questions.len(), "an answer for each question");
    let all: String = questions.iter().zip(answers).map(|(q, a)| format!("{}\t{a}\n", q.line)).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn rows_answer_as_postgresql() {
    let questions = questions();
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server, &questions);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|line| line.rsplit_once('\t')).collect();
    let mut wrong = Vec::new();
    for question in &questions {
        let got = match (question.here)() {
            Ok(text) => escape(&text),
            Err(error) => {
                let detail = error.0.detail.as_deref().unwrap_or_default();
                escape(&format!("!{} {} / {detail}", error.0.code, error.0.message))
            }
        };
        match recorded.get(question.line.as_str()) {
            None => wrong.push(format!("{}: not recorded", question.line)),
            Some(expected) if got != *expected => wrong.push(format!("{}: {got} instead of {expected}", question.line)),
            Some(_) => {}
        }
    }
    println!("{} of {} answers are PostgreSQL's", questions.len() - wrong.len(), questions.len());
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is in a row in a row … is bounded, so that nothing that goes through it is without end.
#[test]
fn rows_in_rows_are_bounded() {
    let names = RowNames::default();
    let mut row = RecordBuilder::new(oid::RECORD, &names).finish();
    let mut levels = 0;
    let error = loop {
        let mut outer = RecordBuilder::new(oid::RECORD, &names);
        match outer.push(oid::RECORD, Repr::Record, Some(types::Scalar::Bytes(&row))) {
            Ok(()) => (row, levels) = (outer.finish(), levels + 1),
            Err(error) => break error,
        }
    };
    assert_eq!((error.0.code, levels), ("54001", 200));
    let column = Datum::bytes(row.clone()).to_array(Repr::Record);
    assert_eq!(RecordView::new(&row).compare(&RecordView::new(&row)), Ordering::Equal);
    assert_eq!(types::key::key(Repr::Record, &column).len(), 1);
}

#[test]
fn keys_compare_as_rows() {
    let same_types = |a: Row, b: Row| {
        let types = |row: Row| row.iter().map(|(name, ..)| *name).collect::<Vec<_>>();
        types(a) == types(b)
    };
    let bytes = |array: &arrow_array::ArrayRef| match Datum::of(array, 0) {
        Datum::Bytes(bytes) => bytes.to_vec(),
        other => panic!("{other:?}"),
    };
    let mut unequal = 0;
    for (a, b) in ROWS.iter().flat_map(|a| ROWS.iter().map(move |b| (*a, *b))).filter(|(a, b)| same_types(a, b)) {
        let (a, b) = (column(a), column(b));
        let key = |row| bytes(&types::key::key(Repr::Record, row));
        let order = RecordView::new(&bytes(&a)).compare(&RecordView::new(&bytes(&b)));
        assert_eq!(key(&a).cmp(&key(&b)), order);
        unequal += usize::from(order != Ordering::Equal);
    }
    assert!(unequal > 20);
}
