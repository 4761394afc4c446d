//! Functions whose arguments are of any type give PostgreSQL 18's answers: `concat`, `format`, quoting, `||`.
//!
//! `tests/any.tsv` has them: the call as SQL writes it, and the result or `!` with SQLSTATE and message. They are recorded as
//! the answers of functions are (see `answers.rs`).

use std::collections::BTreeMap;

use types::{Argument, BUILT_IN, Call, Context, Datum, Oid, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/any.tsv");

const TYPES: &[(&str, Oid)] = &[
    ("text", oid::TEXT),
    ("name", oid::NAME),
    ("bpchar", oid::BPCHAR),
    ("\"char\"", oid::CHAR),
    ("bool", oid::BOOL),
    ("int2", oid::INT2),
    ("int4", oid::INT4),
    ("numeric", oid::NUMERIC),
    ("float8", oid::FLOAT8),
    ("date", oid::DATE),
    ("bytea", oid::BYTEA),
    ("uuid", oid::UUID),
    ("int4[]", oid::INT4_ARRAY),
    ("text[]", oid::TEXT_ARRAY),
];

/// Calls as `name type 'value' | type value | …`; `*` before a type: VARIADIC; a value that is `\N` is NULL.
const CALLS: &[&str] = &[
    "concat text a|int4 1|bool t|text \\N|numeric 1.50|bpchar x  |date 2024-02-29|float8 1e20",
    "concat text \\N",
    "concat int4[] {1,NULL,3}",
    "concat *int4[] {1,NULL,3}",
    "concat *text[] {a,\"b c\",{}}",
    "concat *text[] {}",
    "concat *text[] \\N",
    "concat \"char\" z|bytea \\x00ff|uuid a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "concat_ws text ,|int4 1|text \\N|text |text z",
    "concat_ws text \\N|int4 1",
    "concat_ws text , |*int4[] {1,NULL,3}",
    "concat_ws text ,|*int4[] \\N",
    "concat_ws text |text a|text b",
    "textanycat text a|int4 1",
    "textanycat text a|bool t",
    "textanycat text a|bpchar b  ",
    "textanycat text a|numeric \\N",
    "anytextcat date 2024-02-29|text !",
    "anytextcat \"char\" c|text !",
    "quote_literal int4 -5",
    "quote_literal bool f",
    "quote_literal text it's \\ here",
    "quote_literal int4[] {1,2}",
    "quote_literal int4 \\N",
    "quote_nullable int4 7",
    "quote_nullable int4 \\N",
    "quote_nullable text a\\b",
    "format text plain",
    "format text \\N",
    "format text 100%%",
    "format text %s and %s|text a|int4 5",
    "format text %I.%I = %L|text Tab le|name select|text o'n\\e",
    "format text %L|text \\N",
    "format text %s|text \\N",
    "format text %I|text \\N",
    "format text %2$s %1$s %s|text a|text b|text c",
    "format text >%10s<|text abc",
    "format text >%-10s<|text abc",
    "format text >%2$*1$s<|int4 8|text ü",
    "format text >%*s<|int4 -6|text ü",
    "format text >%-*s<|int2 6|text ü",
    "format text >%*s<|text 4|text ü",
    "format text >%*s<|text x|text ü",
    "format text >%*s<|int4 \\N|text ü",
    "format text %s",
    "format text %1$s %3$s|text a",
    "format text %0$s|text a",
    "format text %|text a",
    "format text %1|text a",
    "format text %1$|text a",
    "format text %x|text a",
    "format text %1$*x|text a",
    "format text %*1s|text a",
    "format text %99999999999s|text a",
    "format text %s %s|*text[] {a,NULL}",
    "format text %s %s|*int4[] {7}",
    "format text no|*int4[] \\N",
    "format text %s|*int4[] \\N",
    "format text %s|bool t",
    "format text %s|int4[] {1,2}",
    "format text %s %s|date 2024-02-29|float8 0.1",
    "format text ü%süü%s|text ä|text ö",
];

struct Given {
    ty: Oid,
    type_name: &'static str,
    value: Option<&'static str>,
    variadic: bool,
}

fn read(call: &'static str) -> (&'static str, Vec<Given>) {
    let (name, rest) = call.split_once(' ').unwrap();
    let one = |argument: &'static str| {
        let (ty, value) = argument.split_once(' ').unwrap();
        let (ty, variadic) = ty.strip_prefix('*').map_or((ty, false), |ty| (ty, true));
        let (type_name, ty) = *TYPES.iter().find(|(known, _)| *known == ty).unwrap();
        Given { ty, type_name, value: (value != "\\N").then_some(value), variadic }
    };
    (name, rest.split('|').map(one).collect())
}

fn sql(call: &'static str) -> String {
    let (name, given) = read(call);
    let one = |given: &Given| {
        let value = given.value.map_or("null".to_string(), |value| format!("'{}'", value.replace('\'', "''")));
        format!("{}({value})::{}", if given.variadic { "variadic " } else { "" }, given.type_name)
    };
    format!("pg_catalog.{name}({})", given.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn answer(call: &'static str) -> types::Result<String> {
    let (name, given) = read(call);
    let context = Context::default();
    let declared = |declared: &[Oid]| match declared {
        [first] if name.starts_with("quote") => *first == oid::ANYELEMENT || given[0].ty == oid::TEXT,
        _ => declared.len() <= given.len() && (given.len() == 1 || declared.len() > 1 || name == "concat"),
    };
    let mut all = BUILT_IN.iter().copied().flatten().copied().flatten();
    let function = all.find(|function| function.name == name && declared(function.arguments)).unwrap();
    let types: Vec<Oid> = given.iter().map(|given| given.ty).collect();
    let column = |given: &Given| {
        let value = given.value.map_or(Ok(Datum::Null), |text| (base_type(given.ty).input)(&context, text, -1))?;
        Ok(Argument::constant(value.to_array(Repr::of(given.ty, -1).unwrap())))
    };
    let arguments = given.iter().map(column).collect::<types::Result<Vec<_>>>()?;
    let variadic = given.iter().any(|given| given.variadic);
    let call = Call { context: &context, rows: 2, arguments: &types, result: function.result, variadic };
    let result = (function.kernel)(&call, &arguments)?;
    assert_eq!(Datum::of(&result, 0), Datum::of(&result, 1));
    Ok(match Datum::of(&result, 0) {
        Datum::Text(text) => escape(&text),
        _ => "\\N".to_string(),
    })
}

fn record(server: &str) {
    let mut script = String::from(
        "set client_min_messages = error;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(replace(result, '\\', '\\\\'), '\\N');
         exception when others then return '!' || sqlstate || ' ' || sqlerrm;
         end $$;\n",
    );
    for call in CALLS {
        script.push_str(&format!("select pg_temp.answer('select {}');\n", sql(call).replace('\'', "''")));
    }
    let answers = ask(server, &[], &script);
    let lines: String = CALLS.iter().zip(answers.lines()).map(|(call, answer)| format!("{call}\t{answer}\n")).collect();
    std::fs::write(ANSWERS, lines).unwrap();
}

#[test]
fn values_of_any_type_are_written_as_by_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|line| line.rsplit_once('\t')).collect();
    let mut wrong = Vec::new();
    for call in CALLS {
        let got = answer(call).unwrap_or_else(|error| format!("!{} {}", error.0.code, error.0.message));
        let expected = recorded.get(call).copied().unwrap_or("nothing recorded");
        if got != expected {
            wrong.push(format!("{call}: {got} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
