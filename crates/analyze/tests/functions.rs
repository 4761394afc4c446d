//! Every function of PostgreSQL's, called with arguments of its own types and of others: which one is meant, and what it
//! gives.
//!
//! `functions.tsv` has the function's name, `over` for a window function, an answer, and the calls that have it: the oids of
//! the arguments' types, `%` in the answer stands for the call's signature. `-` and `*` are the usual errors: there is no such
//! function, and there are several. `calls.tsv` has calls that are written otherwise, in words, with their answers.

mod samples;
mod server;

use analyze::Operand;
use analyze::call_kind::Decoration;
use analyze::parse_func::{FuncCall, Resolved, resolve_call};
use catalog::{Catalog, QualifiedName};
use samples::TYPES;
use server::{Types, array, error, recorded, report};

const NO_FUNCTION: &str =
    "No function matches the given name and argument types. You might need to add explicit type casts.";
const SEVERAL_FUNCTIONS: &str =
    "Could not choose a best candidate function. You might need to add explicit type casts.";

/// The calls: each function with its own types, with literals in their place, with fewer and more arguments where it has
/// defaults or is variadic, and with other types in the place of one or all of its own. Not those that fail once the function
/// is known, for pseudo-types of which there is no value.
fn queries() -> String {
    format!(
        "create temp table functions as
           select proname, prokind, oid,
                  array(select case t when '2276'::regtype then 'int4' when 'anyelement'::regtype then 'int4'
                                 when 'anynonarray'::regtype then 'int4' when 'anyarray'::regtype then 'int4[]'
                                 when 'anycompatible'::regtype then 'int4' when 'anycompatiblearray'::regtype then 'int4[]'
                                 when 'anycompatiblenonarray'::regtype then 'int4' when 'anyrange'::regtype then 'int4range'
                                 when 'anymultirange'::regtype then 'int4multirange'
                                 when 'anycompatiblerange'::regtype then 'int4range'
                                 when 'anycompatiblemultirange'::regtype then 'int4multirange'
                                 when 'anyenum'::regtype then 'unknown'
                                 when 'internal'::regtype then 'unknown' else t::regtype::text end
                        from unnest(proargtypes) with ordinality u(t, n) order by n) as types,
                  pronargs, pronargdefaults, provariadic
             from pg_proc
            where pronamespace = 'pg_catalog'::regnamespace and pronargs <= 5 and prokind <> 'p';
         create temp table calls as
           select proname, prokind, types from functions
           union select proname, prokind, types[1:pronargs - n] from functions, generate_series(1, pronargdefaults) n
           union select proname, prokind, types || array_fill('unknown'::text, array[n])
                   from functions, generate_series(1, 2) n where provariadic <> 0
           union select proname, prokind, types[1:pronargs - 1] || array[e, e]
                   from functions, unnest(array['int4', 'text', 'int4[]', 'text[]']) e where provariadic <> 0
           union select proname, prokind, array_fill('unknown'::text, array[pronargs]) from functions where pronargs > 0
           union select proname, prokind, types[1:n - 1] || 'unknown'::text || types[n + 1:]
                   from functions, generate_series(1, pronargs) n
           union select proname, prokind, types[1:n - 1] || other || types[n + 1:]
                   from functions, generate_series(1, pronargs) n, generate_series(0, 3) k,
                        lateral (select ({types})[1 + abs(hashtext(oid::text || '/' || n || '/' || k)) % {count}]) o(other)
           union select proname, prokind, array_fill(other, array[pronargs])
                   from functions, generate_series(0, 2) k,
                        lateral (select ({types})[1 + abs(hashtext(oid::text || '=' || k)) % {count}]) o(other)
                  where pronargs > 0;
         select proname, kind, a, string_agg(oids, ';' order by oids)
           from (select distinct on (proname, kind, oids) proname, kind, oids,
                        case a when '!42883 function % does not exist||{NO_FUNCTION}' then '-'
                               when '!42725 function % is not unique||{SEVERAL_FUNCTIONS}' then '*' else a end a
                   from calls,
                        lateral (select case prokind when 'w' then 'over' else '' end kind,
                                        array_to_string(array(select case t when 'unknown' then 705 else t::regtype::oid end
                                                        from unnest(types) with ordinality u(t, n) order by n), ',') oids) o,
                        lateral (select replace(
                          pg_temp.probe('select ' || quote_ident(proname) || '(' || array_to_string(array(
                              select pg_temp.of(t) from unnest(types) with ordinality u(t, n) order by n), ',') ||
                            ')' || case kind when 'over' then ' over ()' else '' end),
                          proname || '(' || array_to_string(array(
                            select pg_temp.shown(t) from unnest(types) with ordinality u(t, n) order by n), ', ') || ')',
                          '%') a offset 0) p) c
          where a !~ '^!(0A000 cannot accept a value of|XX000 failed to find conversion)'
          group by 1, 2, 3 order by 1, 2, 3;\n",
        types = array(TYPES),
        count = TYPES.len()
    )
}

/// What is called, in the words of the recorded trees.
fn answer(call: &FuncCall<'_>) -> String {
    match resolve_call(Catalog::BUILT_IN, call, None) {
        Ok(Resolved::Call(found)) => {
            let node = match found.function.prokind {
                _ if call.decoration.over => "WINDOWFUNC",
                b'a' => "AGGREF",
                _ => "FUNCEXPR",
            };
            format!("{node} {} {}", found.function.oid, found.result)
        }
        Ok(Resolved::Coercion(_)) => "coercion".to_string(),
        Err(reported) => error(&reported),
    }
}

/// A conversion is shown as whatever comes of it.
fn normalized(answer: &str) -> &str {
    match answer {
        "CONST" | "RELABELTYPE" | "COERCEVIAIO" | "COERCETODOMAIN" => "coercion",
        other => other,
    }
}

fn operand(types: &mut Types, name: &str) -> Operand {
    Operand { ty: types.get(name), constant: true, location: None }
}

/// A recorded answer for a call of the signature.
fn expected(answer: &str, signature: &str) -> String {
    match answer {
        "-" => format!("!42883 function {signature} does not exist||{NO_FUNCTION}"),
        "*" => format!("!42725 function {signature} is not unique||{SEVERAL_FUNCTIONS}"),
        other => normalized(other).replace('%', signature),
    }
}

#[test]
fn functions_are_chosen_as_postgresql() {
    let file = recorded("functions.tsv", queries);
    let catalog = Catalog::BUILT_IN;
    let (mut same, mut wrong) = (0, Vec::new());
    for line in file.lines() {
        let [name, over, recorded, calls] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for call in calls.split(';') {
            let types = call.split(',').filter(|ty| !ty.is_empty()).map(|ty| ty.parse().unwrap());
            let operands: Vec<Operand> = types.map(|ty| Operand { constant: true, ..Operand::of(ty) }).collect();
            let shown: Vec<String> = operands.iter().map(|operand| catalog.format_type(operand.ty)).collect();
            let signature = format!("{name}({})", shown.join(", "));
            let got = answer(&FuncCall {
                name: QualifiedName::from(name),
                arguments: &operands,
                names: &[],
                variadic: false,
                decoration: Decoration { over: over == "over", ..Decoration::default() },
            });
            let expected = expected(recorded, &signature);
            match got == expected {
                true => same += 1,
                false => wrong.push(format!("{signature}: {got} instead of {expected}")),
            }
        }
    }
    report(same, &wrong);
}

/// A call in words, and as resolution gets it.
struct Written {
    sql: &'static str,
    schema: Option<&'static str>,
    name: &'static str,
    arguments: &'static [&'static str],
    names: &'static [&'static str],
    variadic: bool,
    decoration: Decoration,
}

const PLAIN: Decoration = Decoration {
    star: false,
    distinct: false,
    within_group: false,
    filter: false,
    over: false,
    order_by: 0,
    procedure: false,
};
const OVER: Decoration = Decoration { over: true, ..PLAIN };
const STAR: Decoration = Decoration { star: true, ..PLAIN };

const fn within(order_by: usize) -> Decoration {
    Decoration { within_group: true, order_by, ..PLAIN }
}

macro_rules! written {
    ($($sql:literal: $($schema:literal)? $name:ident($($argument:literal),*) $([$($named:literal),*])? $($variadic:ident)? {$decoration:expr};)*) => {
        &[$(Written {
            sql: $sql,
            schema: written!(@schema $($schema)?),
            name: stringify!($name),
            arguments: &[$($argument),*],
            names: &[$($($named),*)?],
            variadic: written!(@$($variadic)?),
            decoration: $decoration,
        }),*]
    };
    (@schema) => { None };
    (@schema $schema:literal) => { Some($schema) };
    (@) => { false };
    (@variadic) => { true };
}

const WRITTEN: &[Written] = written! {
    "make_interval(days => 1)": make_interval("int4") ["days"] {PLAIN};
    "make_interval(1, mins => 1)": make_interval("int4", "int4") ["mins"] {PLAIN};
    "make_interval(secs => 1.5, days => 2)": make_interval("numeric", "int4") ["secs", "days"] {PLAIN};
    "make_interval(1, years => 1)": make_interval("int4", "int4") ["years"] {PLAIN};
    "make_interval(nothing => 1)": make_interval("int4") ["nothing"] {PLAIN};
    "make_interval(days => null, days => 1)": make_interval("unknown", "int4") ["days", "days"] {PLAIN};
    "make_interval(days => null::text)": make_interval("text") ["days"] {PLAIN};
    "make_interval()": make_interval() {PLAIN};
    "lower(a => null::text)": lower("text") ["a"] {PLAIN};
    "pg_get_keywords(word => null::text)": pg_get_keywords("text") ["word"] {PLAIN};
    "parse_ident(str => null, strict => true)": parse_ident("unknown", "bool") ["str", "strict"] {PLAIN};
    "parse_ident(strict => true, str => null)": parse_ident("bool", "unknown") ["strict", "str"] {PLAIN};
    "regexp_replace(string => null::text, pattern => null::text, replacement => null::text)":
        regexp_replace("text", "text", "text") ["string", "pattern", "replacement"] {PLAIN};
    "jsonb_set(null, null, null)": jsonb_set("unknown", "unknown", "unknown") {PLAIN};
    "jsonb_set(jsonb_in => null, path => null, replacement => null)":
        jsonb_set("unknown", "unknown", "unknown") ["jsonb_in", "path", "replacement"] {PLAIN};
    "jsonb_path_exists(target => null, path => null, silent => true)":
        jsonb_path_exists("unknown", "unknown", "bool") ["target", "path", "silent"] {PLAIN};
    "concat(variadic null::text[])": concat("text[]") variadic {PLAIN};
    "concat(variadic null::text)": concat("text") variadic {PLAIN};
    "concat(variadic null)": concat("unknown") variadic {PLAIN};
    "concat(1, variadic null::int4[])": concat("int4", "int4[]") variadic {PLAIN};
    "format(null::text, variadic null::int4[])": format("text", "int4[]") variadic {PLAIN};
    "lower(variadic null::text)": lower("text") variadic {PLAIN};
    "num_nulls(variadic null::oidvector)": num_nulls("oidvector") variadic {PLAIN};
    "jsonb_extract_path(null, variadic null::text[])": jsonb_extract_path("unknown", "text[]") variadic {PLAIN};
    "jsonb_extract_path(from_json => null, variadic path_elems => null::text[])":
        jsonb_extract_path("unknown", "text[]") ["from_json", "path_elems"] variadic {PLAIN};
    "jsonb_extract_path(path_elems => null::text[], variadic from_json => null)":
        jsonb_extract_path("text[]", "unknown") ["path_elems", "from_json"] variadic {PLAIN};
    "jsonb_extract_path(from_json => null, path_elems => null::text[])":
        jsonb_extract_path("unknown", "text[]") ["from_json", "path_elems"] {PLAIN};
    "count(*)": count() {STAR};
    "count()": count() {PLAIN};
    "lower(*)": lower() {STAR};
    "now(*)": now() {STAR};
    "sum(*)": sum() {STAR};
    "row_number()": row_number() {PLAIN};
    "row_number() over ()": row_number() {OVER};
    "row_number(*) over ()": row_number() {Decoration { star: true, ..OVER }};
    "count() over ()": count() {OVER};
    "count(*) over ()": count() {Decoration { star: true, ..OVER }};
    "sum(null::int4) over ()": sum("int4") {OVER};
    "sum(distinct null::int4) over ()": sum("int4") {Decoration { distinct: true, ..OVER }};
    "sum(null::int4 order by 1) over ()": sum("int4") {Decoration { order_by: 1, ..OVER }};
    "lag(null::int4) filter (where true) over ()": lag("int4") {Decoration { filter: true, ..OVER }};
    "lag(null::int4, 1, null::text) over ()": lag("int4", "int4", "text") {OVER};
    "lag(null::int4, 1, null::int8) over ()": lag("int4", "int4", "int8") {OVER};
    "lower(null::text) over ()": lower("text") {OVER};
    "lower(distinct null::text)": lower("text") {Decoration { distinct: true, ..PLAIN }};
    "lower(null::text order by 1)": lower("text") {Decoration { order_by: 1, ..PLAIN }};
    "lower(null::text) filter (where true)": lower("text") {Decoration { filter: true, ..PLAIN }};
    "lower() within group (order by null::text)": lower("text") {within(1)};
    "text(null::int4) over ()": text("int4") {OVER};
    "string_agg(null::text order by 1, 2)": string_agg("text") {Decoration { order_by: 2, ..PLAIN }};
    "string_agg(null::text, null order by 1)": string_agg("text", "unknown") {Decoration { order_by: 1, ..PLAIN }};
    "sum(distinct null::int4)": sum("int4") {Decoration { distinct: true, ..PLAIN }};
    "sum() within group (order by null::int4)": sum("int4") {within(1)};
    "percentile_cont(0.5) within group (order by null::int4)": percentile_cont("numeric", "int4") {within(1)};
    "percentile_cont(0.5) within group (order by null::interval)": percentile_cont("numeric", "interval") {within(1)};
    "percentile_cont(null::float8[]) within group (order by null::float4)": percentile_cont("float8[]", "float4") {within(1)};
    "percentile_cont(0.5) within group (order by null::text)": percentile_cont("numeric", "text") {within(1)};
    "percentile_cont(0.5)": percentile_cont("numeric") {PLAIN};
    "percentile_cont(0.5, 1)": percentile_cont("numeric", "int4") {PLAIN};
    "percentile_cont(0.5, 1) within group (order by null::int4)": percentile_cont("numeric", "int4", "int4") {within(1)};
    "percentile_cont() within group (order by null::float8, null::float8)": percentile_cont("float8", "float8") {within(2)};
    "percentile_disc(0.5) within group (order by null::text)": percentile_disc("numeric", "text") {within(1)};
    "percentile_disc(0.5) within group (order by null)": percentile_disc("numeric", "unknown") {within(1)};
    "mode() within group (order by null::text)": mode("text") {within(1)};
    "mode() within group (order by null::text) over ()": mode("text") {Decoration { over: true, ..within(1) }};
    "rank(1) within group (order by null::int8)": rank("int4", "int8") {within(1)};
    "rank(1, null) within group (order by null::int8, null::date)": rank("int4", "unknown", "int8", "date") {within(2)};
    "rank(1) within group (order by null::int8, null::date)": rank("int4", "int8", "date") {within(2)};
    "rank(null::text) within group (order by null::int8)": rank("text", "int8") {within(1)};
    "rank() within group (order by null::int8)": rank("int8") {within(1)};
    "rank()": rank() {PLAIN};
    "rank(1) over ()": rank("int4") {OVER};
    "rank() over ()": rank() {OVER};
    "dense_rank(1) within group (order by null::varchar)": dense_rank("int4", "varchar") {within(1)};
    "pg_catalog.lower(null::varchar)": "pg_catalog" lower("varchar") {PLAIN};
    "pg_catalog.int4(null::text)": "pg_catalog" int4("text") {PLAIN};
    "pg_catalog.int4('1')": "pg_catalog" int4("unknown") {PLAIN};
    "information_schema._pg_truetypid(null, null)":
        "information_schema" _pg_truetypid("unknown", "unknown") {PLAIN};
    "_pg_truetypid(null, null)": _pg_truetypid("unknown", "unknown") {PLAIN};
    "information_schema.lower(null::text)": "information_schema" lower("text") {PLAIN};
    "information_schema.sql_identifier(null::text)": "information_schema" sql_identifier("text") {PLAIN};
    "nowhere.lower(null::text)": "nowhere" lower("text") {PLAIN};
    "\"varchar\"(null::int4)": varchar("int4") {PLAIN};
    "text(null::pg_am)": text("pg_am") {PLAIN};
    "pg_am(null::text)": pg_am("text") {PLAIN};
    "\"interval\"(null::time)": interval("time") {PLAIN};
    "array_append(null, null)": array_append("unknown", "unknown") {PLAIN};
    "array_append(null::int4[], null::int8)": array_append("int4[]", "int8") {PLAIN};
    "array_append(null::int4[], null::text)": array_append("int4[]", "text") {PLAIN};
    "range_merge(null::int4range, null)": range_merge("int4range", "unknown") {PLAIN};
    "multirange(null::int4range)": multirange("int4range") {PLAIN};
    "unnest(null)": unnest("unknown") {PLAIN};
    "unnest(null::int4)": unnest("int4") {PLAIN};
    "width_bucket(null::int4, null::int8[])": width_bucket("int4", "int8[]") {PLAIN};
    "no_such_function(null::int4, b => null)": no_such_function("int4", "unknown") ["b"] {PLAIN};
};

fn written_queries() -> String {
    let calls: Vec<&str> = WRITTEN.iter().map(|written| written.sql).collect();
    format!(
        "select c, pg_temp.probe('select ' || c) from unnest({}) with ordinality c(c, n) order by n;\n",
        array(&calls)
    )
}

#[test]
fn calls_of_all_kinds_are_resolved_as_postgresql() {
    let file = recorded("calls.tsv", written_queries);
    let mut types = Types::new(Catalog::BUILT_IN);
    let (mut same, mut wrong) = (0, Vec::new());
    let mut lines = file.lines();
    for written in WRITTEN {
        let (sql, expected) = lines.next().and_then(|line| line.split_once('\t')).expect("a recorded answer");
        assert_eq!(sql, written.sql, "record again");
        let operands: Vec<Operand> = written.arguments.iter().map(|name| operand(&mut types, name)).collect();
        let call = FuncCall {
            name: QualifiedName { schema: written.schema, name: written.name },
            arguments: &operands,
            names: written.names,
            variadic: written.variadic,
            decoration: written.decoration,
        };
        let got = answer(&call);
        match got == normalized(expected) {
            true => same += 1,
            false => wrong.push(format!("{sql}: {got} instead of {expected}")),
        }
    }
    report(same, &wrong);
}
