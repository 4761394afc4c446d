//! Arrays are PostgreSQL 18's: their texts and bytes, the functions over them, subscripts and assignments, errors with their
//! details. `tests/arrays.tsv` has what the real server answers, recorded as `answers.rs` says.
//!
//! And what must hold of all arrays: texts mean the arrays that they were written from, keys compare as arrays do.

use std::collections::BTreeMap;

use arrow_array::Array;
use proptest::prelude::*;
use types::array::{ArrayView, element_repr, element_type, subscript};
use types::{Argument, BUILT_IN, BaseType, Call, Context, Datum, Function, Oid, Repr, Scalar, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = "tests/arrays.tsv";

/// Types by name.
#[rustfmt::skip]
const TYPES: &[(&str, Oid)] = &[
    ("int4", oid::INT4), ("int2", oid::INT2), ("int8", oid::INT8), ("text", oid::TEXT), ("numeric", oid::NUMERIC),
    ("bool", oid::BOOL), ("float8", oid::FLOAT8), ("interval", oid::INTERVAL), ("bpchar", oid::BPCHAR),
    ("timetz", oid::TIMETZ), ("timestamptz", oid::TIMESTAMPTZ), ("date", oid::DATE),
    ("int4[]", oid::INT4_ARRAY), ("text[]", oid::TEXT_ARRAY), ("numeric[]", 1231), ("bool[]", oid::BOOL_ARRAY),
    ("int2[]", oid::INT2_ARRAY), ("int8[]", oid::INT8_ARRAY), ("float8[]", oid::FLOAT8_ARRAY), ("interval[]", 1187),
    ("bpchar[]", 1014), ("timetz[]", 1270), ("timestamptz[]", 1185), ("date[]", 1182), ("float4[]", 1021),
    ("int2vector", oid::INT2VECTOR), ("oidvector", oid::OIDVECTOR),
];

fn type_of(name: &str) -> Oid {
    TYPES.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("type {name}")).1
}

/// Texts of values.
#[rustfmt::skip]
fn samples(ty: &str) -> &'static [&'static str] {
    match ty {
        "int4" => &["0", "2", "-7", "2147483647", "5"],
        "text" => &["", "a", "b,c", "NULL", "é"],
        "numeric" => &["1.0", "NaN", "2.50", "-1e20"],
        "float8" => &["0", "NaN", "2.5", "-Infinity"],
        "bool" => &["t", "f"],
        "int4[]" => &[
            "{}", "{1,2,3}", "{1,NULL,3,2,5,2}", "{{1,2},{3,4}}", "[0:1]={7,8}", "[-3:-2][5:6]={{1,NULL},{3,5}}", "{NULL}",
            "{2147483647}", "{{{1},{2}},{{0},{5}}}", "{1,2}", "{{1,2},{3,4},{0,0}}", "{{5,6}}", "[2147483640:2147483646]={1,2,3,4,5,6,7}",
            "{0,2,10,20,30,40,50,60,70,80}", "{9,8,7,6,5,4,3,2,1,0,NULL}", "{1,1,1}", "[5:5]={2}",
        ],
        "text[]" => &[
            "{}", "{a}", "{a,NULL,\"NULL\",\"\"}", "{{\"b,c\",\"\\\"\"},{\"\\\\\",\" x \"}}", "{é,\"b,c\",zz}", "[3:4]={x,a}",
            "{a,ab,b}", "{\"a b\",a}",
        ],
        "numeric[]" => &["{}", "{1.0,2}", "{1.00,2.0}", "{NaN,NULL}", "{-1e20,2.50,1}", "{{1},{0.0}}"],
        "float8[]" => &["{}", "{0,-0}", "{-0,0}", "{NaN,1}", "{-Infinity,0,2.5,2.5,Infinity,NaN}", "{NULL,1}"],
        "bool[]" => &["{t,f,NULL}", "{}", "{{t},{f}}"],
        "interval[]" => &["{1 day,24:00:00}", "{24:00:00,1 day}", "{1 mon,29 days}", "{}"],
        "bpchar[]" => &["{a,\"b \"}", "{\"a \",b}", "{\"\"}", "{\"  \"}"],
        "timetz[]" => &["{12:00-08,13:00-07}", "{13:00-07,12:00-08}", "{20:00+00}"],
        "oidvector" => &["", "1 2", "1 3", "4294967295", "7", "23 25 1009 2205"],
        _ => &[],
    }
}

/// Texts of arrays, read and written.
#[rustfmt::skip]
const TEXTS: &[(&str, &[&str])] = &[
    ("int4[]", &[
        "{}", " {} ", "{ }", "{{}}", "{{},{}}", "{{},}", "{,}", "{1", "{1}}", "{1,}", "{,1}", "{1,,2}", "{ 1 , 2 }", "{1 2}",
        "{1}x", "{1} ", "x{1}", "", "1", "{NULL}", "{null,Null}", "{\"null\"}", "{\"1\"}", "{\"1\"2}", "{1\"2\"}", "{\\1}",
        "{1\\", "{\"1\\", "{\"1", "{\"1\" ", "{a}", "{99999999999}", "{{1,2},{3}}", "{{1,2},3}", "{1,{2}}", "{{1},{{2}}}",
        "{{1}{2}}", "{{1},{2},}", "{{{{{{1}}}}}}", "{{{{{{{1}}}}}}}", "[1:2]={1,2}", "[2]={1,2}", "[0:1]={1,2}", "[1:3]={1,2}",
        "[1:2]={{1,2}}", "[1:1][1:2]={{1,2}}", "[1:1][1:2]={1,2}", " [ 1:2]={1,2}", " [1:2] = {1,2}", "[1:2] ={1,2}",
        "[1:2]= {1,2}", "[1:2]{1,2}", "[1:2]=1,2", "[]={1}", "[a]={1}", "[1:]={1}", "[1:a]={1}", "[:1]={1}", "[1={1}", "[1:1={1}",
        "[2:1]={}", "[1:0]={}", "[-1:0]={1,2}", "[+1:+2]={1,2}", "[-]={1}", "[1][1][1][1][1][1]={{{{{{5}}}}}}",
        "[1][1][1][1][1][1][1]={}", "[2147483647:2147483647]={1}", "[2147483646:2147483646]={1}", "[-2147483648:2147483646]={1}",
        "[99999999999]={1}", "[-2147483648:-2147483647]={1,2}", "[1:2]={}", "{1,2,3,4,5,6,7,8,NULL,10,11}", "{{1,NULL},{3,4}}",
        "{1}{2}", "{[1]=1}", "[1]={1}x", "{\t1\n,\r2}", "{1};", "{1;2}",
    ]),
    ("text[]", &[
        "{a,b}", "{ a b , c }", "{\"a\",\" b \"}", "{\"\"}", "{\"\",\"NULL\",NULL}", "{\\N\\ULL}", "{\\\"a\\\"}", "{a\\,b}",
        "{a\\ }", "{a\\ \\ b }", "{\"a\\\"b\"}", "{\"a\\\\b\"}", "{\"a\"b}", "{a\"b\"}", "{é,\"ü ö\",\\é}", "{a{b}", "{a}b}",
        "{\"{}\"}", "{'a'}", "{\"a\nb\"}", "{{a,b},{\"c d\",NULL}}", "{\"a\" , \"b\" }", "{\"a\"{b}}", "{\u{a0}a\u{a0}}",
    ]),
    ("numeric[]", &["{1.0,-2.50,NaN}", "{1e3,NULL}", "{x}"]),
    ("bool[]", &["{t,f,yes,no,NULL,1,0,on}", "{tru,maybe}"]),
    ("float8[]", &["{1.5,-0,NaN,Infinity}", "{1e400}"]),
    ("float4[]", &["{0.1,-Infinity}", "{}"]),
    ("int2[]", &["{1,-32768,32767}", "{32768}"]),
    ("int8[]", &["{9223372036854775807,NULL}"]),
    ("date[]", &["{2024-02-29,infinity}", "[0:0]={1999-12-31}"]),
    ("interval[]", &["{1 day,\"2 mons -3 days\"}"]),
    ("timestamptz[]", &["{\"2024-02-29 13:14:15.678901+02\",-infinity}"]),
    ("bpchar[]", &["{\"a \",b}"]),
    ("oidvector", &["", "1 2 3", "4294967295", "4294967296", "-1", "x"]),
    ("int2vector", &["", "1 2 3", "  7  ", "-1", "32768", "x", "1,2", "1 x"]),
];

/// Functions, the types of their arguments, and the type of the result.
#[rustfmt::skip]
const CALLS: &[(&str, &[&str], &str)] = &[
    ("array_ndims", &["int4[]"], "int4"), ("array_dims", &["int4[]"], "text"), ("cardinality", &["int4[]"], "int4"),
    ("array_length", &["int4[]", "int4"], "int4"), ("array_lower", &["int4[]", "int4"], "int4"),
    ("array_upper", &["int4[]", "int4"], "int4"),
    ("array_eq", &["int4[]", "int4[]"], "bool"), ("array_ne", &["text[]", "text[]"], "bool"),
    ("array_lt", &["int4[]", "int4[]"], "bool"), ("array_le", &["text[]", "text[]"], "bool"),
    ("array_gt", &["numeric[]", "numeric[]"], "bool"), ("array_ge", &["float8[]", "float8[]"], "bool"),
    ("array_eq", &["numeric[]", "numeric[]"], "bool"), ("array_eq", &["float8[]", "float8[]"], "bool"),
    ("array_eq", &["interval[]", "interval[]"], "bool"), ("array_eq", &["bpchar[]", "bpchar[]"], "bool"),
    ("btarraycmp", &["int4[]", "int4[]"], "int4"), ("btarraycmp", &["interval[]", "interval[]"], "int4"),
    ("btarraycmp", &["bpchar[]", "bpchar[]"], "int4"), ("btarraycmp", &["timetz[]", "timetz[]"], "int4"),
    ("btarraycmp", &["bool[]", "bool[]"], "int4"), ("btarraycmp", &["float8[]", "float8[]"], "int4"),
    ("array_larger", &["int4[]", "int4[]"], "int4[]"), ("array_smaller", &["numeric[]", "numeric[]"], "numeric[]"),
    ("arraycontains", &["int4[]", "int4[]"], "bool"), ("arraycontained", &["text[]", "text[]"], "bool"),
    ("arrayoverlap", &["int4[]", "int4[]"], "bool"), ("arrayoverlap", &["numeric[]", "numeric[]"], "bool"),
    ("array_append", &["int4[]", "int4"], "int4[]"), ("array_append", &["text[]", "text"], "text[]"),
    ("array_prepend", &["int4", "int4[]"], "int4[]"), ("array_prepend", &["numeric", "numeric[]"], "numeric[]"),
    ("array_cat", &["int4[]", "int4[]"], "int4[]"), ("array_cat", &["text[]", "text[]"], "text[]"),
    ("array_position", &["int4[]", "int4"], "int4"), ("array_position", &["text[]", "text"], "int4"),
    ("array_position", &["int4[]", "int4", "int4"], "int4"), ("array_position", &["numeric[]", "numeric"], "int4"),
    ("array_positions", &["int4[]", "int4"], "int4[]"), ("array_positions", &["float8[]", "float8"], "int4[]"),
    ("array_remove", &["int4[]", "int4"], "int4[]"), ("array_remove", &["text[]", "text"], "text[]"),
    ("array_replace", &["int4[]", "int4", "int4"], "int4[]"), ("array_replace", &["numeric[]", "numeric", "numeric"], "numeric[]"),
    ("width_bucket", &["int4", "int4[]"], "int4"), ("width_bucket", &["float8", "float8[]"], "int4"),
    ("width_bucket", &["numeric", "numeric[]"], "int4"),
    ("array_to_string", &["int4[]", "text"], "text"), ("array_to_string", &["text[]", "text", "text"], "text"),
    ("array_to_string", &["numeric[]", "text", "text"], "text"), ("array_to_string", &["bool[]", "text"], "text"),
    ("string_to_array", &["text", "text"], "text[]"), ("string_to_array", &["text", "text", "text"], "text[]"),
    ("array_fill", &["int4", "int4[]"], "int4[]"), ("array_fill", &["text", "int4[]", "int4[]"], "text[]"),
    ("trim_array", &["int4[]", "int4"], "int4[]"), ("trim_array", &["text[]", "int4"], "text[]"),
    ("array_reverse", &["int4[]"], "int4[]"), ("array_reverse", &["text[]"], "text[]"),
    ("array_sort", &["int4[]"], "int4[]"), ("array_sort", &["text[]"], "text[]"), ("array_sort", &["int4[]", "bool"], "int4[]"),
    ("array_sort", &["int4[]", "bool", "bool"], "int4[]"), ("array_sort", &["float8[]", "bool"], "float8[]"),
    ("array_sample", &["int4[]", "int4"], "int4[]"),
    ("oidvectoreq", &["oidvector", "oidvector"], "bool"), ("oidvectorne", &["oidvector", "oidvector"], "bool"),
    ("oidvectorlt", &["oidvector", "oidvector"], "bool"), ("oidvectorle", &["oidvector", "oidvector"], "bool"),
    ("oidvectorgt", &["oidvector", "oidvector"], "bool"), ("oidvectorge", &["oidvector", "oidvector"], "bool"),
    ("oidvectortypes", &["oidvector"], "text"),
    ("btoidvectorcmp", &["oidvector", "oidvector"], "int4"),
];

/// Subscripts of `int4[]`, as they stand behind the array.
#[rustfmt::skip]
const SUBSCRIPTS: &[&str] = &[
    "[1]", "[0]", "[3]", "[-3]", "[NULL]", "[1][2]", "[-3][6]", "[2][2][1]", "[1][1][1][1][1][1]", "[2147483646]",
    "[1:2]", "[2:1]", "[0:9]", "[:2]", "[2:]", "[:]", "[NULL:2]", "[1:NULL]", "[1:2][1:1]", "[-3:-3][:]", "[2][1:2]", "[:][2:2]",
    "[1:1][2:2][1:1]", "[1:2][1:2][1:2][1:2]", "[2147483640:2147483647]", "[-2147483648:5]",
];

/// Values and slices that are put there.
#[rustfmt::skip]
const ASSIGNED: &[(&str, &str)] = &[
    ("[1]", "9"), ("[0]", "9"), ("[-2]", "9"), ("[6]", "9"), ("[10]", "NULL"), ("[1]", "NULL"), ("[NULL]", "9"), ("[1][2]", "9"),
    ("[3][1]", "9"), ("[2][2][1]", "9"), ("[2147483647]", "9"), ("[-2147483648]", "9"), ("[2147483646]", "9"), ("[100000000]", "9"),
    ("[1:2]", "{8,9}"), ("[1:2]", "{8}"), ("[1:2]", "{8,9,10}"), ("[2:1]", "{8}"), ("[4:5]", "{8,9}"), ("[-4:-3]", "{8,9}"),
    ("[8:9]", "{8,NULL}"), ("[:]", "{7,7,7,7,7,7,7,7}"), ("[:2]", "{7,7,7}"), ("[2:]", "{7,7,7,7,7,7}"), ("[NULL:1]", "{1}"),
    ("[1:2]", "NULL"), ("[1:2][1:1]", "{8,9}"), ("[1:1][1:2]", "{8,9}"), ("[2:2]", "{8,9}"), ("[1:3][1:1]", "{1,2,3}"),
    ("[1:2][1:2]", "{8,9}"), ("[:][2:2]", "{5,6,7,8}"), ("[2147483647:2147483647]", "{1}"), ("[-2147483648:2147483646]", "{1}"),
    ("[1:2]", "{}"), ("[0:12]", "{1,2,3,4,5,6,7,8,9,10,11,12,NULL}"),
];

/// What is asked: a line of the file without its answer, and how to ask the server.
struct Question {
    line: String,
    /// Run first.
    before: Option<String>,
    query: String,
    here: Box<dyn Fn() -> types::Result<String>>,
}

fn context() -> Context {
    Context::default()
}

fn read(ty: Oid, text: &str) -> types::Result<Datum> {
    (base_type(ty).input)(&context(), text, -1)
}

/// The text of a column's value.
fn written(ty: &BaseType, column: &dyn Array, index: usize) -> String {
    if column.is_null(index) {
        return "\\N".to_string();
    }
    let mut out = Vec::new();
    (ty.output)(&context(), column, index, &mut out).expect("values have texts");
    String::from_utf8(out).expect("texts are UTF-8")
}

fn quoted(text: Option<&str>) -> String {
    text.map_or("null".to_string(), |text| format!("'{}'", text.replace('\'', "''")))
}

fn texts() -> Vec<Question> {
    let one = |name: &'static str, text: &'static str| {
        let ty = type_of(name);
        let send = match name {
            "int2vector" | "oidvector" => format!("{name}send"),
            _ => "array_send".to_string(),
        };
        Question {
            line: format!("in\t{name}\t{}", escape(text)),
            before: None,
            query: format!(
                "select format('%s', r) || ' ' || encode({send}(r), 'hex') from (values ({}::{name})) v(r)",
                quoted(Some(text))
            ),
            here: Box::new(move || {
                let column = read(ty, text)?.to_array(Repr::Array);
                let mut sent = Vec::new();
                (base_type(ty).send)(&context(), &column, 0, &mut sent)?;
                match (base_type(ty).receive)(&context(), &sent, -1) {
                    Ok(again) => assert_eq!(again, Datum::of(&column, 0), "{text} received"),
                    // PostgreSQL does not receive the empty vector that it sends.
                    Err(error) => assert!(name.ends_with("vector") && text.is_empty(), "{text}: {error}"),
                }
                let hex: String = sent.iter().map(|byte| format!("{byte:02x}")).collect();
                Ok(format!("{} {hex}", written(base_type(ty), &column, 0)))
            }),
        }
    };
    TEXTS.iter().flat_map(|(name, texts)| texts.iter().map(move |text| one(name, text))).collect()
}

fn function(name: &str, arguments: &[Oid]) -> &'static Function {
    let mut all = BUILT_IN.iter().copied().flatten().copied().flatten();
    let takes = |declared: Oid, given: Oid| {
        declared == given
            || match declared {
                oid::ANYARRAY | oid::ANYCOMPATIBLEARRAY => element_type(given).is_some(),
                oid::ANYELEMENT | oid::ANYCOMPATIBLE => true,
                _ => false,
            }
    };
    let fits = |f: &&Function| {
        f.name == name
            && f.arguments.len() == arguments.len()
            && f.arguments.iter().zip(arguments).all(|(declared, given)| takes(*declared, *given))
    };
    all.find(fits).unwrap_or_else(|| panic!("{name} is not declared"))
}

fn call(name: &str, types: &[Oid], result: Oid, arguments: &[Option<&str>]) -> types::Result<String> {
    let column = |(text, ty): (&Option<&str>, &Oid)| {
        let value = text.map_or(Ok(Datum::Null), |text| read(*ty, text))?;
        let mut builder = types::ColumnBuilder::new(Repr::of(*ty, -1).expect("a type with values"), 2);
        builder.push(&value);
        builder.push(&value);
        Ok(Argument::column(builder.finish()))
    };
    let arguments = arguments.iter().zip(types).map(column).collect::<types::Result<Vec<_>>>()?;
    let context = context();
    let call = Call { context: &context, rows: 2, arguments: types, result, variadic: false };
    let column = (function(name, types).kernel)(&call, &arguments)?;
    assert_eq!(*column.data_type(), Repr::of(result, -1).expect("a type with values").arrow());
    let answer = written(base_type(result), &column, 0);
    if name != "array_sample" {
        assert_eq!(answer, written(base_type(result), &column, 1), "{name}");
    }
    Ok(answer)
}

/// Calls with all samples, or as many as there is room for; and with each argument NULL.
fn calls() -> Vec<Question> {
    let mut all = BTreeMap::new();
    for (name, names, result) in CALLS {
        let types: Vec<Oid> = names.iter().map(|name| type_of(name)).collect();
        let values: Vec<_> = names.iter().map(|name| samples(name)).collect();
        let combinations: usize = values.iter().map(|v| v.len()).product();
        let pick = |mut rest: usize| {
            let one = |v: &&'static [&'static str]| {
                let value = v[rest % v.len()];
                rest /= v.len();
                Some(value)
            };
            values.iter().map(one).collect::<Vec<_>>()
        };
        let stride = if combinations <= 300 { 1 } else { 7919 };
        let mut arguments: Vec<_> = (0..combinations.min(300)).map(|n| pick(n * stride % combinations)).collect();
        for null in 0..values.len() {
            for at in 0..3 {
                let mut with_null = pick(at * 7 % combinations);
                with_null[null] = None;
                arguments.push(with_null);
            }
        }
        for arguments in arguments {
            let each: Vec<String> = arguments.iter().map(|a| a.map_or("\\N".to_string(), escape)).collect();
            let line = format!("{name}({})\t{}", names.join(","), each.join("\t"));
            let given: Vec<String> =
                arguments.iter().zip(*names).map(|(text, ty)| format!("({})::{ty}", quoted(*text))).collect();
            // What is random is asked how long it is.
            let shown = if *name == "array_sample" { "array_dims(r)" } else { "r" };
            let query = format!(
                "select case when r is not null then format('%s', {shown}) end from {name}({}) r",
                given.join(",")
            );
            let (types, result) = (types.clone(), type_of(result));
            let here = move || {
                let answer = call(name, &types, result, &arguments)?;
                match *name {
                    "array_sample" if answer != "\\N" => {
                        call("array_dims", &[result], oid::TEXT, &[Some(&answer)]).map(|dims| dims.replace("\\N", ""))
                    }
                    _ => Ok(answer),
                }
            };
            all.insert(line.clone(), Question { line, before: None, query, here: Box::new(here) });
        }
    }
    all.into_values().collect()
}

type Bound = Option<Option<i32>>;

/// `[lower:upper][…]`, `[subscript][…]`: in a slice a subscript is an upper bound, with 1 as the lower. A bound that is left
/// out is `None`, NULL is `Some(None)`.
fn parse(subscripts: &str) -> (bool, Vec<(Bound, Bound)>) {
    let number = |text: &str| match text {
        "" => None,
        "NULL" => Some(None),
        number => Some(Some(number.parse().expect("a number"))),
    };
    let is_slice = subscripts.contains(':');
    let each = subscripts.trim_matches(['[', ']']).split("][").map(|one| match one.split_once(':') {
        Some((lower, upper)) => (number(lower), number(upper)),
        None => (Some(Some(1)), number(one)),
    });
    (is_slice, each.collect())
}

fn argument(bound: Bound) -> Option<Argument> {
    bound.map(|value| {
        let value = value.map_or(Datum::Null, Datum::I32);
        Argument::constant(value.to_array(Repr::Int4))
    })
}

fn fetch(array: &str, subscripts: &str) -> types::Result<String> {
    let array = Argument::constant(read(oid::INT4_ARRAY, array)?.to_array(Repr::Array));
    let (is_slice, bounds) = parse(subscripts);
    let upper: Vec<_> = bounds.iter().map(|(_, upper)| argument(*upper)).collect();
    if is_slice {
        let lower: Vec<_> = bounds.iter().map(|(lower, _)| argument(*lower)).collect();
        let result = subscript::slices(2, &array, &lower, &upper)?;
        return Ok(written(base_type(oid::INT4_ARRAY), &result, 1));
    }
    let each: Vec<_> = upper.into_iter().map(|upper| upper.expect("a subscript")).collect();
    let result = subscript::elements(2, &array, &each, Repr::Int4)?;
    Ok(written(base_type(oid::INT4), &result, 1))
}

fn assign(array: Option<&str>, subscripts: &str, value: &str) -> types::Result<String> {
    let column = |text: Option<&str>, ty: Oid| -> types::Result<Argument> {
        let value = text.map_or(Ok(Datum::Null), |text| read(ty, text))?;
        Ok(Argument::constant(value.to_array(Repr::of(ty, -1).expect("a type with values"))))
    };
    let array = column(array, oid::INT4_ARRAY)?;
    let value = Some(value).filter(|value| *value != "NULL");
    let (is_slice, bounds) = parse(subscripts);
    let upper: Vec<_> = bounds.iter().map(|(_, upper)| argument(*upper)).collect();
    let of_int4 = (oid::INT4, Repr::Int4);
    let result = if is_slice {
        let lower: Vec<_> = bounds.iter().map(|(lower, _)| argument(*lower)).collect();
        subscript::assign_slices(2, &array, (&lower, &upper), &column(value, oid::INT4_ARRAY)?, of_int4)?
    } else {
        let each: Vec<_> = upper.into_iter().map(|upper| upper.expect("a subscript")).collect();
        subscript::assign_elements(2, &array, &each, &column(value, oid::INT4)?, of_int4)?
    };
    let answer = written(base_type(oid::INT4_ARRAY), &result, 1);
    // The largest are compared by their beginnings and ends.
    let whole = answer.len() <= 1000;
    Ok(if whole { answer } else { format!("{}…{}", &answer[..100], &answer[answer.len() - 100..]) })
}

fn subscripted() -> Vec<Question> {
    let mut all = Vec::new();
    for array in samples("int4[]").iter().copied() {
        for subscripts in SUBSCRIPTS.iter().copied() {
            all.push(Question {
                line: format!("get\t{array}\t{subscripts}"),
                before: None,
                query: format!(
                    "select format('%s', r) from (select ('{array}'::int4[]){subscripts}) v(r) where r is not null"
                ),
                here: Box::new(move || fetch(array, subscripts)),
            });
        }
    }
    for array in samples("int4[]").iter().copied().map(Some).chain([None]) {
        for (subscripts, value) in ASSIGNED.iter().copied() {
            // A gigabyte of them is no test.
            if subscripts.contains("100000000") && array != Some("[2147483640:2147483646]={1,2,3,4,5,6,7}") {
                continue;
            }
            let given = if value == "NULL" { value.to_string() } else { quoted(Some(value)) };
            all.push(Question {
                line: format!("set\t{}\t{subscripts}\t{value}", array.unwrap_or("\\N")),
                before: Some(format!("update pg_temp.arrays set a = {}", quoted(array))),
                query: format!("update pg_temp.arrays set a{subscripts} = {given} returning case when length(a::text) > 1000 then left(a::text, 100) || '…' || right(a::text, 100) else a::text end"),
                here: Box::new(move || assign(array, subscripts, value)),
            });
        }
    }
    all
}

/// Asks a real server.
fn record(server: &str, questions: &[Question]) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create temp table arrays(a int4[]); insert into arrays values (null);
         create function pg_temp.answer(before text, query text) returns text language plpgsql as $$
         declare result text; said text; details text;
         begin
           if before is not null then execute before; end if;
           execute query into result;
           return coalesce(replace(replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), e'\\r', '\\r'), '\\N');
         exception when others then
           get stacked diagnostics said = message_text, details = pg_exception_detail;
           return replace(replace(replace(replace('!' || sqlstate || ' ' || said || ' / ' || details, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), e'\\r', '\\r');
         end $$;\n",
    );
    for question in questions {
        let (before, query) = (quoted(question.before.as_deref()), quoted(Some(&question.query)));
        script.push_str(&format!("select pg_temp.answer({before}, {query});\n"));
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), questions.len(), "an answer for each question");
    let all: String = questions.iter().zip(answers).map(|(q, a)| format!("{}\t{a}\n", q.line)).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn arrays_answer_as_postgresql() {
    let questions: Vec<Question> = texts().into_iter().chain(calls()).chain(subscripted()).collect();
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server, &questions);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|line| line.rsplit_once('\t')).collect();
    let mut wrong = Vec::new();
    for question in &questions {
        let got = match (question.here)() {
            Ok(null) if null == "\\N" => null,
            Ok(text) => escape(&text),
            Err(error) => {
                let (report, detail) = (&error.0, error.0.detail.as_deref().unwrap_or_default());
                escape(&format!("!{} {} / {detail}", report.code, report.message))
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

/// Arrays of a type's samples, of all shapes.
fn any_array(element: Oid, values: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let value = prop_oneof![1 => Just(None), 4 => prop::sample::select(values).prop_map(Some)];
    let shape = prop_oneof![
        3 => (0i32..12).prop_map(|length| vec![length]),
        1 => prop::collection::vec(1i32..4, 2..4),
    ];
    (shape, prop::collection::vec(value, 40), -2i32..3).prop_map(move |(lengths, values, lower)| {
        let lower: Vec<i32> = lengths.iter().map(|_| lower).collect();
        let shape = types::array::Shape::new(&lengths, &lower).unwrap();
        let mut builder = types::array::ArrayBuilder::new(element, element_repr(element).unwrap());
        for text in values.iter().take(shape.items()) {
            let value = text.map_or(Datum::Null, |text| read(element, text).unwrap());
            builder.push_datum(&value).unwrap();
        }
        builder.finish(&shape).unwrap()
    })
}

fn pairs() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let of = |element: Oid, values: &'static [&'static str]| (any_array(element, values), any_array(element, values));
    prop_oneof![
        of(oid::INT4, &["0", "1", "-1", "2147483647"]),
        of(oid::TEXT, &["", "a", "NULL", "a b", "\"", "\\", "{", "ab", "é"]),
        of(oid::NUMERIC, &["1.0", "1", "-5", "NaN", "100.10", "100.1"]),
        of(oid::FLOAT8, &["0", "-0", "NaN", "1.5", "-Infinity"]),
        of(oid::INTERVAL, &["1 day", "24 hours", "1 mon", "-3 days"]),
        of(oid::BPCHAR, &["a", "a ", "", " ", "b"]),
    ]
}

proptest! {
    #[test]
    fn texts_mean_what_they_were_written_from((array, _) in pairs()) {
        let element = ArrayView::new(&array).element();
        let ty = types::array::array_type(element).unwrap();
        let column = Datum::bytes(array).to_array(Repr::Array);
        let text = written(base_type(ty), &column, 0);
        prop_assert_eq!(read(ty, &text).unwrap(), Datum::of(&column, 0), "{}", text);
    }

    #[test]
    fn keys_compare_as_arrays((a, b) in pairs()) {
        let key = |array: &[u8]| {
            let key = types::key::key(Repr::Array, &Datum::bytes(array).to_array(Repr::Array));
            match Datum::of(&key, 0) {
                Datum::Bytes(bytes) => bytes.to_vec(),
                other => panic!("{other:?}"),
            }
        };
        let order = ArrayView::new(&a).compare(&ArrayView::new(&b));
        prop_assert_eq!(key(&a).cmp(&key(&b)), order);
        prop_assert_eq!(ArrayView::new(&a).equals(&ArrayView::new(&b)), order.is_eq());
    }

    /// Bytes that are no array are some array.
    #[test]
    fn any_bytes_are_read(mut bytes: Vec<u8>, element in 0u8..26, dimensions in 0u8..8) {
        if bytes.len() > 6 {
            (bytes[4], bytes[5]) = (element, dimensions);
        }
        let array = ArrayView::new(&bytes);
        if array.len() < 1000 {
            array.iter().count();
            let _ = array.compare(&array);
            array.append_key(&mut Vec::new());
        }
        let _ = subscript::element(&array, &[1]).map(Scalar::text);
    }
}
