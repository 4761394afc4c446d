//! Set-returning functions give PostgreSQL 18's rows.
//!
//! `tests/sets.tsv` has the answers: a call, and its first rows. They are recorded from a real server by running the test with
//! `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` (what libpq's psql takes).

use std::collections::BTreeMap;

use types::set_returning::{SetCall, SetFunction};
use types::{Argument, BUILT_IN_SET_FUNCTIONS, ColumnBuilder, Context, Datum, Oid, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sets.tsv");

/// Rows of a call that are asked for at most.
const MOST: usize = 40;

/// A function, its arguments' types by their names, and calls with them; `-` for NULL.
type Calls = (&'static str, &'static [&'static str], &'static [&'static [&'static str]]);

const ARRAYS_OF_JSON: &[&[&str]] = &[
    &["[1, \"a b\", null, [2, {\"b\" : 3}], true, {}]"],
    &["[]"],
    &["{}"],
    &["{\"b\": 1, \"a\": [2], \"b\": null, \"\\u0041\": \"x\"}"],
    &["12.50"],
    &["null"],
    &["-"],
];

#[rustfmt::skip]
const PATHS: &[&[&str]] = &[
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.**", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.**{2}", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.**{last}", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[last], $.a", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[last - 1 to last]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a.b", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "strict $.a.b", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "strict $.a.b", "{}", "t"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "strict $.a[*].b", "{}", "t"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*] ? (@ > $x)", "{\"x\": 1}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*] ? (@ > $x)", "{\"y\": 1}", "t"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*] ? (@ > $x)", "[]", "t"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*] ? ((@ > 1) is unknown)", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*] ? (exists(@.b ? (@ == \"x\")))", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*].b like_regex \"^X$\" flag \"i\"", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a.size()", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a.type()", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[*].type()", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.*", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "strict $[*]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[0] / 0", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a + 1", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "-$.a[0 to 1]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "-$.a", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "-$.a", "{}", "t"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "(1 + 2 * 3 - 4 % 3) / 7", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[\"b\"]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "strict $.a[5]", "{}", "f"],
    &["{\"a\": [1, 2, {\"b\": \"x\"}]}", "$.a[1.7]", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[0, 2, 6].double()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[1].double()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[5].double()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[3].double()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$.double()", "{}", "t"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[2, 6].integer()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[0].integer()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[2, 6].bigint()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[4].bigint()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[0, 2].number()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[5].number()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[0].decimal(3, 2)", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[6].decimal(1)", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[6].decimal(0)", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[6].decimal(2, 5000)", "{}", "t"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[0 to 3].string()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[4].string()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[3].boolean()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[2].boolean()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[1].boolean()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[2].ceiling()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "(-$[2]).floor().abs()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[1].abs()", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[*] ? (@ <> null)", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[*] ? (@ starts with \"1\" || @ == 2.5)", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[*] == 2.50", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "strict $[*] > 2", "{}", "f"],
    &["[\"1.5\", \"x\", 2.5, true, null, \"NaN\", \"12\"]", "$[1].keyvalue()", "{}", "f"],
    &["[[1], [2, [3]]]", "$[*][*]", "{}", "f"],
    &["[[1], [2, [3]]]", "$[*] ? (@ > 1)", "{}", "f"],
    &["[[1], [2, [3]]]", "$ ? (@[0] == 1)", "{}", "f"],
    &["1", "$[0]", "{}", "f"],
    &["1", "$[last to 3]", "{}", "f"],
    &["1", "strict $[0]", "{}", "f"],
    &["1", "$.size()", "{}", "f"],
    &["1", "strict $.size()", "{}", "f"],
    &["1", "strict $.a", "{}", "f"],
    &["1", "strict $.*", "{}", "f"],
];

const CALLS: &[Calls] = &[
    ("jsonb_array_elements", &["jsonb"], ARRAYS_OF_JSON),
    ("jsonb_array_elements_text", &["jsonb"], ARRAYS_OF_JSON),
    ("jsonb_object_keys", &["jsonb"], ARRAYS_OF_JSON),
    ("json_array_elements", &["json"], ARRAYS_OF_JSON),
    ("json_array_elements_text", &["json"], ARRAYS_OF_JSON),
    ("json_object_keys", &["json"], ARRAYS_OF_JSON),
    ("jsonb_path_query", &["jsonb", "jsonpath", "jsonb", "boolean"], PATHS),
    ("jsonb_path_query_tz", &["jsonb", "jsonpath", "jsonb", "boolean"], PATHS),
    (
        "generate_series",
        &["integer", "integer"],
        &[&["1", "5"], &["5", "1"], &["3", "3"], &["2147483646", "2147483647"], &["-", "1"], &["1", "-"]],
    ),
    (
        "generate_series",
        &["integer", "integer", "integer"],
        &[
            &["1", "10", "3"],
            &["10", "1", "-3"],
            &["1", "10", "-1"],
            &["1", "10", "0"],
            &["2147483640", "2147483647", "5"],
            &["-2147483640", "-2147483648", "-5"],
            &["1", "2", "-"],
        ],
    ),
    (
        "generate_series",
        &["bigint", "bigint"],
        &[&["1", "5"], &["9223372036854775806", "9223372036854775807"], &["1", "1000"]],
    ),
    (
        "generate_series",
        &["bigint", "bigint", "bigint"],
        &[
            &["1", "10", "4"],
            &["9223372036854775800", "9223372036854775807", "5"],
            &["1", "0", "-9223372036854775808"],
            &["1", "5", "0"],
        ],
    ),
    (
        "generate_series",
        &["numeric", "numeric"],
        &[
            &["1", "3"],
            &["1.0", "3"],
            &["1.25", "4"],
            &["NaN", "1"],
            &["1", "Infinity"],
            &["3", "1"],
            &["-Infinity", "1"],
        ],
    ),
    (
        "generate_series",
        &["numeric", "numeric", "numeric"],
        &[
            &["1", "3", "0.5"],
            &["3", "1", "-0.75"],
            &["1", "3", "0"],
            &["1", "3", "NaN"],
            &["1", "3", "-Infinity"],
            &["1", "NaN", "1"],
            &["1e30", "3e30", "1e30"],
            &["0.1", "0.2", "0.033"],
        ],
    ),
    (
        "generate_series",
        &["timestamp", "timestamp", "interval"],
        &[
            &["2024-01-31", "2024-06-01", "1 mon"],
            &["2024-01-31", "2024-02-01", "06:00"],
            &["2024-02-01", "2024-01-01", "-1 week"],
            &["2024-02-01", "2024-01-01", "1 week"],
            &["2024-02-01", "2024-01-01", "0"],
            &["2024-02-01", "2024-01-01", "infinity"],
            &["2024-02-01", "infinity", "1 day"],
            &["-infinity", "2024-01-01", "1 day"],
            &["2024-01-01", "2024-01-03", "1 mon -30 days"],
            &["2024-01-01", "-", "1 day"],
        ],
    ),
    (
        "generate_series",
        &["timestamptz", "timestamptz", "interval"],
        &[&["2024-03-30 00:00+00", "2024-04-02 00:00+00", "1 day"], &["2024-01-01+00", "2024-01-02+00", "-1 day"]],
    ),
    (
        "generate_series",
        &["timestamptz", "timestamptz", "interval", "text"],
        &[
            &["2024-03-30 00:00+00", "2024-04-02 00:00+00", "1 day", "Europe/Berlin"],
            &["2024-03-30 00:00+00", "2024-04-02 00:00+00", "1 day", "Nowhere"],
            &["2024-03-30 00:00+00", "2024-04-02 00:00+00", "12:00", "america/new_york"],
        ],
    ),
    ("unnest", &["integer[]"], &[&["{1,NULL,3}"], &["{}"], &["-"], &["{{1,2},{3,4}}"], &["[5:6]={7,8}"]]),
    ("unnest", &["text[]"], &[&["{a,\"b c\",NULL,\"\"}"]]),
    ("unnest", &["numeric[]"], &[&["{1.0,2.50,NaN}"]]),
    (
        "generate_subscripts",
        &["integer[]", "integer"],
        &[
            &["{1,2,3}", "1"],
            &["{1,2,3}", "2"],
            &["{1,2,3}", "0"],
            &["{1,2,3}", "-1"],
            &["{}", "1"],
            &["{{1,2,3},{4,5,6}}", "2"],
            &["[-2:1]={1,2,3,4}", "1"],
            &["-", "1"],
        ],
    ),
    (
        "generate_subscripts",
        &["integer[]", "integer", "boolean"],
        &[&["[-2:1]={1,2,3,4}", "1", "t"], &["{1,2}", "1", "f"], &["{1,2}", "1", "-"]],
    ),
    (
        "string_to_table",
        &["text", "text"],
        &[
            &["a,b,,c", ","],
            &["abc", "-"],
            &["", ","],
            &["-", ","],
            &["a,b", ""],
            &["a", "b"],
            &["axxbxxc", "xx"],
            &["Zü", "-"],
        ],
    ),
    (
        "string_to_table",
        &["text", "text", "text"],
        &[&["a,b,,c", ",", ""], &["a,b,a", ",", "a"], &["a,b", ",", "-"], &["-", ",", "a"]],
    ),
];

fn type_named(name: &str) -> Oid {
    match name {
        "boolean" => oid::BOOL,
        "integer" => oid::INT4,
        "bigint" => oid::INT8,
        "numeric" => oid::NUMERIC,
        "timestamp" => oid::TIMESTAMP,
        "timestamptz" => oid::TIMESTAMPTZ,
        "interval" => oid::INTERVAL,
        "text" => oid::TEXT,
        "integer[]" => oid::INT4_ARRAY,
        "text[]" => oid::TEXT_ARRAY,
        "json" => oid::JSON,
        "jsonb" => oid::JSONB,
        "jsonpath" => oid::JSONPATH,
        "numeric[]" => types::array::array_type(oid::NUMERIC).unwrap(),
        other => unreachable!("{other}"),
    }
}

fn function(name: &str, types: &[&str]) -> &'static SetFunction {
    let fits = |f: &&SetFunction| {
        let mut pairs = f.arguments.iter().zip(types);
        f.name == name
            && f.arguments.len() == types.len()
            && pairs.all(|(&declared, ty)| declared == type_named(ty) || declared == oid::ANYARRAY)
    };
    BUILT_IN_SET_FUNCTIONS.iter().copied().flatten().find(fits).unwrap()
}

fn line(name: &str, types: &[&str], values: &[&str]) -> String {
    format!("{name}({})\t{}", types.join(", "), values.join("\t"))
}

fn answer(context: &Context, name: &str, types: &[&str], values: &[&str], step: usize) -> types::Result<String> {
    let function = function(name, types);
    let argument = |(ty, text): (&&str, &&str)| {
        let ty = type_named(ty);
        let value = if *text == "-" { Datum::Null } else { (base_type(ty).input)(context, text, -1)? };
        Ok(Argument::column(value.to_array(Repr::of(ty, -1).unwrap())))
    };
    let arguments: Vec<Argument> = types.iter().zip(values).map(argument).collect::<types::Result<_>>()?;
    let result = match function.result {
        oid::ANYELEMENT => types::array::element_type(type_named(types[0])).unwrap(),
        result => result,
    };
    let call = SetCall { context, arguments: &arguments, row: 0, result };
    let Some(mut set) = function.rows(&call)? else { return Ok("\\N".to_string()) };
    let mut texts = Vec::new();
    loop {
        let mut out = [ColumnBuilder::new(Repr::of(result, -1).unwrap(), step)];
        let most = step.min(MOST - texts.len());
        let filled = if most == 0 { 0 } else { set.fill(most, &mut out)? };
        let [out] = out;
        let rows = out.finish();
        assert_eq!(rows.len(), filled);
        if filled == 0 {
            return Ok(if texts.is_empty() { "\\N".to_string() } else { texts.join("|") });
        }
        for row in 0..filled {
            let mut text = Vec::new();
            match rows.is_null(row) {
                true => text.push(b'-'),
                false => (base_type(result).output)(context, &rows, row, &mut text)?,
            }
            texts.push(escape(&String::from_utf8(text).unwrap()));
        }
    }
}

fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(result, '\\N');
         exception when others then return '!' || sqlstate || ' ' || replace(sqlerrm, e'\\n', '\\n');
         end $$;\n",
    );
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut lines = Vec::new();
    for (name, types, calls) in CALLS {
        for values in *calls {
            let value = |(ty, v): (&&str, &&str)| match *v {
                "-" => format!("null::{ty}"),
                v => format!("{}::{ty}", quote(v)),
            };
            let values_sql: Vec<String> = types.iter().zip(*values).map(value).collect();
            let query = format!(
                "select string_agg(coalesce(r::text, '-'), '|') from (select {name}({}) r limit {MOST}) s",
                values_sql.join(", ")
            );
            script.push_str(&format!("select pg_temp.answer({});\n", quote(&query)));
            lines.push(line(name, types, values));
        }
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len(), "an answer for each call");
    let all: String = lines.iter().zip(answers).map(|(line, a)| format!("{line}\t{a}\n")).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn sets_are_postgresqls() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|l| l.rsplit_once('\t')).collect();
    let context = Context::default();
    let (mut same, mut wrong) = (0, Vec::new());
    for (name, types, calls) in CALLS {
        for values in *calls {
            let line = line(name, types, values);
            let Some(expected) = recorded.get(line.as_str()) else {
                wrong.push(format!("{line}: not recorded"));
                continue;
            };
            for step in [1, 3, 100] {
                let got = answer(&context, name, types, values, step)
                    .unwrap_or_else(|error| format!("!{} {}", error.0.code, error.0.message));
                if got == *expected {
                    same += 1;
                } else {
                    wrong.push(format!("{line}: {got} instead of {expected}"));
                }
            }
        }
    }
    println!("{same} answers are PostgreSQL's");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
