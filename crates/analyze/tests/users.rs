//! The objects of users: domains, enums, row types, ranges, overloads in several schemas, polymorphic and variadic functions,
//! operators and casts (`users.sql`), seen through search paths.
//!
//! `users_catalogs.tsv` has their rows, as `record.sql` of the catalog's crate gives them; `users.tsv` a search path, a call
//! (a function, or `operator` and one), its types, and the answer, in which `%` stands for its signature; calls that are not
//! there have the usual one, that there is nothing of the kind.

mod server;

use analyze::Operand;
use analyze::call_kind::Decoration;
use analyze::parse_coerce::{coerce_to_common_type, select_common_type};
use analyze::parse_func::{FuncCall, Resolved, resolve_call};
use analyze::parse_oper::make_op;
use catalog::catalogs::*;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID, Keyed, Objects, PG_CATALOG, QualifiedName};
use server::{Types, array, error, recorded, report};
use std::collections::HashMap;
use types::Oid;

/// No `record`: which of them are rows of a type, the analysis finds by looking at their columns.
const TYPES: &[&str] = &[
    "unknown",
    "int4",
    "int8",
    "float8",
    "numeric",
    "text",
    "varchar",
    "int4[]",
    "text[]",
    "one.mood",
    "two.mood",
    "one.posint",
    "one.smallposint",
    "one.short",
    "one.ints",
    "one.pair",
    "one.pairs",
    "one.t",
    "one.floats",
    "one.somefloats",
    "one.mood[]",
    "one.posint[]",
    "one.pair[]",
    "int4range",
    "int4multirange",
];

const UNARY: &[&str] = &[
    "f",
    "lower",
    "length",
    "abs",
    "g",
    "v",
    "w",
    "of_enum",
    "no_array",
    "takes",
    "p",
    "agg",
    "posint",
    "mood",
    "short",
    "element",
    "pair",
    "text",
    "array_length",
    "enum_first",
    "count",
    "unnest",
    "range_merge",
];

const BINARY: &[&str] = &[
    "f",
    "g",
    "v",
    "w",
    "element",
    "in_array",
    "two_enums",
    "in_range",
    "in_multirange",
    "compatible",
    "compatible_array",
    "compatible_range",
    "compatible_multirange",
    "compatible_nonarray",
    "agg",
    "array_append",
    "array_cat",
    "array_position",
    "enum_range",
    "concat",
    "num_nulls",
    "no_such_function",
    "coalesce",
];

const OPERATORS: &[&str] = &["=", "<", "+", "||", "===", "@>", "&&"];

/// Search paths, and what is looked at through them.
const PATHS: &[(&str, &[&str], &[&str])] = &[
    ("one, two", BINARY, OPERATORS),
    ("two, one", BINARY, &[]),
    ("two, pg_catalog, one", &[], OPERATORS),
    ("pg_catalog", &[], &[]),
];

/// The catalogs in which users' objects have rows, with the keys that sort them.
const CATALOGS: &[(&str, &str)] = &[
    ("pg_aggregate", "aggfnoid::oid"),
    ("pg_attribute", "attrelid, attnum"),
    ("pg_cast", "oid"),
    ("pg_class", "oid"),
    ("pg_namespace", "oid"),
    ("pg_operator", "oid"),
    ("pg_proc", "oid"),
    ("pg_range", "rngtypid"),
    ("pg_type", "oid"),
];

fn catalog_queries() -> String {
    let record = include_str!("../../catalog/record.sql");
    let functions = record.rsplit_once("select pg_temp.facts").unwrap().0;
    let mut script = format!("drop schema if exists one, two cascade;\n{}\n{functions}", include_str!("users.sql"));
    for (catalog, key) in CATALOGS {
        let oid = key.split(',').next().unwrap();
        let condition = match *catalog {
            "pg_namespace" => "nspname in ('one', 'two')".to_string(),
            // What the recorder itself has is not temporary for ever.
            "pg_proc" | "pg_type" | "pg_class" | "pg_operator" => {
                let column = [("pg_proc", "pronamespace"), ("pg_type", "typnamespace"), ("pg_class", "relnamespace")];
                let column =
                    column.iter().find(|(name, _)| name == catalog).map_or("oprnamespace", |(_, column)| column);
                format!("{column}::regnamespace::text in ('one', 'two')")
            }
            _ => format!("{oid} >= {FIRST_NORMAL_OBJECT_ID}"),
        };
        let condition = condition.replace('\'', "''");
        script += &format!("select '# {catalog}'; select pg_temp.facts('{catalog}', '{key}', '{condition}');\n");
    }
    script
}

fn queries() -> String {
    let mut script = String::new();
    for (path, binary, operators) in PATHS {
        let arguments = "pg_temp.of(a) || coalesce(',' || pg_temp.of(b), '')";
        let shown = "pg_temp.shown(a) || coalesce(', ' || pg_temp.shown(b), '')";
        let calls = |names: &[&str], types: &str| {
            format!(
                "select '{path}', n, concat_ws(',', a, b), r
                   from unnest({names}::text[]) n, {types},
                        lateral (select replace(pg_temp.probe('select ' || n || '(' || {arguments} || ')'),
                                                n || '(' || {shown} || ')', '%') r offset 0) p
                  where r <> '{NO_FUNCTION}' order by 2, 3;\n",
                names = array(names)
            )
        };
        let types = array(TYPES);
        script += &format!("set search_path = {path};\n");
        script += &calls(UNARY, &format!("unnest({types}) a, (select null::text) b(b)"));
        script += &calls(binary, &format!("unnest({types}) a, unnest({types}) b"));
        script += &format!(
            "select '{path}', 'operator ' || o, concat_ws(',', a, b), r
               from unnest({operators}::text[]) o, unnest({types}) a, unnest({types}) b,
                    lateral (select replace(pg_temp.probe('select ' || pg_temp.of(a) || ' ' || o || ' ' || pg_temp.of(b)),
                                            pg_temp.shown(a) || ' ' || o || ' ' || pg_temp.shown(b), '%') r offset 0) p
              where r <> '{NO_OPERATOR}' order by 2, 3;\n",
            operators = array(operators)
        );
    }
    script
}

const NO_FUNCTION: &str = "!42883 function % does not exist||No function matches the given name and argument types. \
    You might need to add explicit type casts.";
const NO_OPERATOR: &str = "!42883 operator does not exist: %||No operator matches the given name and argument types. \
    You might need to add explicit type casts.";

/// The recorded rows.
fn objects() -> Objects {
    let file: &'static str = recorded("users_catalogs.tsv", catalog_queries).leak();
    let rows = |name: &str| {
        let (_, rest) = file.split_once(&format!("# {name}\n")).expect("the catalog is there");
        rest.split_once("# ").map_or(rest, |(rows, _)| rows)
    };
    fn put<R: Keyed>(objects: Objects, rows: impl Fn(&str) -> &'static str) -> Objects {
        objects.with::<R>(catalog::facts::read(rows(R::RELATION)))
    }
    let objects = put::<PgAggregate>(Objects::default(), rows);
    let objects = put::<PgAttribute>(objects, rows);
    let objects = put::<PgCast>(objects, rows);
    let objects = put::<PgClass>(objects, rows);
    let objects = put::<PgNamespace>(objects, rows);
    let objects = put::<PgOperator>(objects, rows);
    let objects = put::<PgProc>(objects, rows);
    let objects = put::<PgRange>(objects, rows);
    put::<PgType>(objects, rows)
}

fn search_path(objects: &Objects, path: &str) -> Vec<Oid> {
    let catalog = Catalog { objects: Some(objects), ..Catalog::BUILT_IN };
    let mut path: Vec<Oid> = path.split(", ").map(|schema| catalog.namespace_oid(schema).unwrap()).collect();
    // It is searched first where the path does not name it.
    if !path.contains(&PG_CATALOG) {
        path.insert(0, PG_CATALOG);
    }
    path
}

fn common(catalog: Catalog<'_>, context: &str, operands: &[Operand]) -> types::Result<Oid> {
    let (common, _) = select_common_type(catalog, operands, context)?;
    operands.iter().try_for_each(|&operand| coerce_to_common_type(catalog, operand, common, context))?;
    Ok(common)
}

/// What is called, in the words of the recorded trees.
fn called(catalog: Catalog<'_>, name: &str, types: &[Oid]) -> String {
    if let Some(operator) = name.strip_prefix("operator ") {
        return match make_op(catalog, QualifiedName::from(operator), Some(types[0]), types[1]) {
            Ok(found) => format!("OPEXPR {} {}", found.operator.oid, found.result),
            Err(reported) => error(&reported),
        };
    }
    if name == "coalesce" {
        let operands: Vec<Operand> = types.iter().map(|&ty| Operand::of(ty)).collect();
        return match common(catalog, "COALESCE", &operands) {
            Ok(common) => format!("COALESCEEXPR {common}"),
            Err(reported) => error(&reported),
        };
    }
    let operands: Vec<Operand> = types.iter().map(|&ty| Operand { constant: true, ..Operand::of(ty) }).collect();
    let call = FuncCall {
        name: QualifiedName::from(name),
        arguments: &operands,
        names: &[],
        variadic: false,
        decoration: Decoration::default(),
    };
    match resolve_call(catalog, &call, None) {
        Ok(Resolved::Call(found)) => {
            let node = if found.function.prokind == b'a' { "AGGREF" } else { "FUNCEXPR" };
            format!("{node} {} {}", found.function.oid, found.result)
        }
        Ok(Resolved::Coercion(_)) => "coercion".to_string(),
        Err(reported) => error(&reported),
    }
}

#[test]
fn objects_of_users_are_chosen_as_postgresql() {
    let objects = objects();
    let file = recorded("users.tsv", queries);
    let mut answers = HashMap::new();
    for line in file.lines() {
        let [path, name, types, answer] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        answers.insert((path, name, types), answer);
    }
    let (mut same, mut wrong) = (0, Vec::new());
    for (path, binary, operators) in PATHS {
        let oids = search_path(&objects, path);
        let catalog = Catalog { search_path: &oids, objects: Some(&objects), viewer: None };
        let mut types = Types::new(catalog);
        let mut check = |name: &str, arguments: &[&str]| {
            let oids: Vec<Oid> = arguments.iter().map(|argument| types.get(argument)).collect();
            let shown: Vec<String> = oids.iter().map(|&ty| catalog.format_type(ty)).collect();
            let (signature, usual) = match name.strip_prefix("operator ") {
                Some(operator) => (shown.join(&format!(" {operator} ")), NO_OPERATOR),
                None => (format!("{name}({})", shown.join(", ")), NO_FUNCTION),
            };
            let recorded = answers.get(&(*path, name, &*arguments.join(","))).copied().unwrap_or(usual);
            let expected = match recorded {
                "CONST" | "RELABELTYPE" | "COERCEVIAIO" | "COERCETODOMAIN" => "coercion".to_string(),
                other => other.replace('%', &signature),
            };
            let got = called(catalog, name, &oids);
            match got == expected {
                true => same += 1,
                false => wrong.push(format!("{path}: {signature}: {got} instead of {expected}")),
            }
        };
        for name in UNARY {
            TYPES.iter().for_each(|ty| check(name, &[ty]));
        }
        let operators: Vec<String> = operators.iter().map(|operator| format!("operator {operator}")).collect();
        for name in binary.iter().copied().chain(operators.iter().map(String::as_str)) {
            for left in TYPES {
                TYPES.iter().for_each(|right| check(name, &[left, right]));
            }
        }
    }
    report(same, &wrong);
}
