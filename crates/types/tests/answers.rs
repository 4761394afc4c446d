//! Every declared function gives PostgreSQL 18's answers for samples of its arguments' types, values and errors alike.
//!
//! `tests/answers.tsv` has them: function, arguments, and the result's text, `\N` for NULL, or `!` with SQLSTATE and message.
//! They are recorded from a real server by running the test with `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'`
//! (what libpq's psql takes); functions and samples that are new need that. [`UNEQUAL`] lists what may differ, and why.

use std::collections::{BTreeMap, BTreeSet};

use types::{Argument, BUILT_IN, Call, ColumnBuilder, Context, Datum, Function, Oid, Repr, oid};

mod server;

use server::{ask, base_type, escape};

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/answers.tsv");

/// Calls of a function that are recorded at most.
const MOST: usize = 24;

/// What is not PostgreSQL's answer, by function, with the reason.
const UNEQUAL: &[(&str, &str)] = &[];

/// Functions whose last digits are the C library's. The recording server's (glibc 2.43) gives the number that is nearest but
/// for `cbrt`, where it is Rust's that does; `libm` gives one that is next to it at times.
const LAST_DIGITS: &[&str] = &[
    "cbrt(701)",
    "dcbrt(701)",
    "acosh(701)",
    "asinh(701)",
    "atanh(701)",
    "erf(701)",
    "erfc(701)",
    "gamma(701)",
    "lgamma(701)",
];

/// Whether two numbers are the same but for last digits.
fn near(got: &str, expected: &str) -> bool {
    let (Ok(got), Ok(expected)) = (got.parse::<f64>(), expected.parse::<f64>()) else { return false };
    (got - expected).abs() <= expected.abs() * 1e-14
}

/// Values of a type, as texts; `None` for a type whose functions cannot be called with texts.
fn samples(ty: Oid) -> Option<&'static [&'static str]> {
    Some(match ty {
        oid::BOOL => &["t", "f"],
        oid::INT2 => &["0", "1", "-1", "7", "32767", "-32768", "100"],
        oid::INT4 => &["0", "1", "-1", "7", "2147483647", "-2147483648", "33", "100000"],
        oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME => &["", "a", "abc ", "Zürich", "100", "a%_\\", "  x\ty "],
        oid::INT8 => &["0", "1", "-1", "12", "9223372036854775807", "-9223372036854775808", "5000000000"],
        oid::NUMERIC => &[
            "0",
            "1.0",
            "-0.5",
            "3",
            "1.00",
            "NaN",
            "Infinity",
            "-Infinity",
            "2",
            "-7",
            "0.00",
            "123.456",
            "-1.5",
            "1e-20",
            "99999999999999999999.999",
            "-12345678901234567890123456789012345678.9",
            "0.1",
            "10",
            "1000000",
            "170141183460469231731687303715884105728",
            "0.9999",
            "1.0000000001",
            "2147483647.5",
            "-32768.4",
            "9223372036854775807",
            "1e130",
            "1.5e-1000",
            "5000",
        ],
        oid::FLOAT4 => &[
            "0",
            "1",
            "-0.5",
            "NaN",
            "Infinity",
            "-Infinity",
            "-0",
            "2.5",
            "1e-20",
            "3.4028235e+38",
            "1e-45",
            "-7",
            "0.1",
            "16777216",
            "32767.5",
            "1e15",
            "123456.7",
            "1234567",
            "0.00001234",
        ],
        oid::FLOAT8 => &[
            "0",
            "1",
            "-0.5",
            "NaN",
            "Infinity",
            "-Infinity",
            "-0",
            "2.5",
            "1e-20",
            "1.7976931348623157e+308",
            "5e-324",
            "-7",
            "0.1",
            "1e23",
            "9007199254740993",
            "0.3333333333333333",
            "100",
            "30",
            "-45",
            "3.5",
            "1e15",
            "123456789012345.6",
            "0.0001",
            "0.00001",
            "9223372036854775807",
            "-2147483648.5",
            "60",
            "1.4142135623730951",
            "-3.3",
            "170.5",
            "5000000000",
        ],
        _ => return None,
    })
}

fn functions() -> impl Iterator<Item = &'static Function> {
    BUILT_IN.iter().copied().flatten().copied().flatten()
}

fn signature(function: &Function) -> String {
    let arguments: Vec<String> = function.arguments.iter().map(Oid::to_string).collect();
    format!("{}({})", function.name, arguments.join(","))
}

/// The calls of a function that are recorded: every value of every argument, and as many combinations as there is room for.
fn calls(function: &Function) -> BTreeSet<Vec<Option<&'static str>>> {
    let Some(values) = function.arguments.iter().map(|&ty| samples(ty)).collect::<Option<Vec<_>>>() else {
        return BTreeSet::new();
    };
    let combinations: usize = values.iter().map(|v| v.len()).product();
    // A stride that has no divisor in common with the numbers of samples reaches all of them.
    let stride = if combinations <= MOST { 1 } else { 7919 };
    let pick = |call: usize| {
        let mut rest = call * stride % combinations;
        let each = values.iter().map(|v| {
            let value = v[rest % v.len()];
            rest /= v.len();
            Some(value)
        });
        each.collect::<Vec<_>>()
    };
    let mut calls: BTreeSet<_> = (0..combinations.min(MOST)).map(pick).collect();
    for null in 0..values.len() {
        let mut call = pick(0);
        call[null] = None;
        calls.insert(call);
    }
    calls
}

/// What the function gives here.
fn answer(function: &Function, arguments: &[Option<&str>]) -> String {
    let context = Context::default();
    let result = call(&context, function, arguments);
    match result {
        Ok(text) => text,
        Err(error) => format!("!{} {}", error.0.code, error.0.message),
    }
}

fn call(context: &Context, function: &Function, arguments: &[Option<&str>]) -> types::Result<String> {
    let column = |(text, ty): (&Option<&str>, &Oid)| {
        let value = match text {
            Some(text) => (base_type(*ty).input)(context, text, -1)?,
            None => Datum::Null,
        };
        // Two rows: the second one must not see anything of the first.
        let mut builder = ColumnBuilder::new(Repr::of(*ty, -1).expect("a type with values"), 2);
        builder.push(&value);
        builder.push(&value);
        Ok(Argument::column(builder.finish()))
    };
    let arguments: Vec<Argument> =
        arguments.iter().zip(function.arguments).map(column).collect::<types::Result<_>>()?;
    let call = Call { context, rows: 2, arguments: function.arguments, result: function.result };
    let result = (function.kernel)(&call, &arguments)?;
    let text = |row: usize| {
        if result.is_null(row) {
            return Ok("\\N".to_string());
        }
        let mut out = Vec::new();
        (base_type(function.result).output)(context, &result, row, &mut out)?;
        Ok(String::from_utf8(out).expect("texts are UTF-8"))
    };
    assert_eq!(text(0)?, text(1)?, "{}", signature(function));
    text(0)
}

/// A call as a line of the file has it, without its answer.
fn line(function: &Function, arguments: &[Option<&str>]) -> String {
    let each = arguments.iter().map(|a| a.map_or("\\N".to_string(), escape));
    std::iter::once(signature(function)).chain(each).collect::<Vec<_>>().join("\t")
}

/// Asks a real server for all calls.
fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(replace(replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), e'\\r', '\\r'), '\\N');
         exception when others then return '!' || sqlstate || ' ' || replace(sqlerrm, e'\\n', '\\n');
         end $$;\n",
    );
    let mut lines = Vec::new();
    for function in functions() {
        for arguments in calls(function) {
            let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
            let each = arguments
                .iter()
                .zip(function.arguments)
                .map(|(text, ty)| format!("({})::{}", text.map_or("null".to_string(), quote), format_args!("%T{ty}%")));
            let each = each.collect::<Vec<_>>().join(",");
            // `format` asks the type's output function; a cast to text may give another text.
            let query = format!(
                "select case when r is not null then format('%s', r) end from pg_catalog.\"{}\"({each}) r",
                function.name
            );
            script.push_str(&format!("select pg_temp.answer({});\n", quote(&query)));
            lines.push(line(function, &arguments));
        }
    }
    // Types are written by their names.
    let names = ask(server, "select oid || ' ' || oid::regtype from pg_type;\n");
    let names: BTreeMap<&str, &str> = names.lines().filter_map(|l| l.split_once(' ')).collect();
    for (ty, name) in names {
        script = script.replace(&format!("%T{ty}%"), name);
    }
    let answers = ask(server, &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len(), "an answer for each call");
    let all: String = lines.iter().zip(answers).map(|(l, a)| format!("{l}\t{a}\n")).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn functions_answer_as_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|l| l.rsplit_once('\t')).collect();
    let (mut same, mut nearly, mut wrong) = (0, 0, Vec::new());
    for function in functions() {
        let may_differ = UNEQUAL.iter().any(|(name, _)| *name == signature(function));
        let last_digits = LAST_DIGITS.contains(&signature(function).as_str());
        for arguments in calls(function) {
            let line = line(function, &arguments);
            let Some(expected) = recorded.get(line.as_str()) else {
                wrong.push(format!("{line}: not recorded"));
                continue;
            };
            let got = answer(function, &arguments);
            let got = if got.starts_with('!') || got == "\\N" { got.replace('\n', "\\n") } else { escape(&got) };
            if got == *expected {
                same += 1;
            } else if last_digits && near(&got, expected) {
                nearly += 1;
            } else if !may_differ {
                wrong.push(format!("{line}: {got} instead of {expected}"));
            }
        }
    }
    println!("{same} answers are PostgreSQL's, {nearly} but for last digits");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
