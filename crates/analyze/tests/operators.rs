//! Every operator of PostgreSQL's over pairs of types of every kind: which one is meant, and what it gives.
//!
//! `operators.tsv` has the operator's name, the operands' types (`-`: none to the left) and the answer. Pairs that are not
//! there have the usual one: that there is no such operator. `scalar_array.tsv` has the same of `left op ANY (right)`.

mod samples;
mod server;

use analyze::parse_oper::{make_op, make_scalar_array_op};
use catalog::Catalog;
use catalog::catalogs::PgOperator;
use catalog::{QualifiedName, Scan};
use samples::TYPES;
use server::{Types, array, error, recorded, report};
use std::collections::{BTreeSet, HashMap};
use types::Oid;

const HINT: &str = "No operator matches the given name and argument types. You might need to add explicit type casts.";
const PREFIX_HINT: &str =
    "No operator matches the given name and argument type. You might need to add an explicit type cast.";

fn usual(catalog: Catalog<'_>, name: &str, left: Option<Oid>, right: Oid) -> String {
    let right = catalog.format_type(right);
    match left {
        Some(left) => {
            format!("!42883 operator does not exist: {} {name} {right}||{HINT}", catalog.format_type(left))
        }
        None => format!("!42883 operator does not exist: {name} {right}||{PREFIX_HINT}"),
    }
}

fn queries() -> String {
    format!(
        "select o.oprname, l, r, a
           from (select distinct oprname from pg_operator where oprkind = 'b') o,
                unnest({types}) l, unnest({types}) r,
                lateral (select pg_temp.probe('select ' || pg_temp.of(l) || ' ' || oprname || ' ' || pg_temp.of(r)) a
                         offset 0) p
          where a <> format('!42883 operator does not exist: %s %s %s||{HINT}', pg_temp.shown(l), oprname,
                            pg_temp.shown(r))
          order by 1, 2, 3;
         select o.oprname, '-', r, a
           from (select distinct oprname from pg_operator where oprkind = 'l') o, unnest({types}) r,
                lateral (select pg_temp.probe('select ' || oprname || ' ' || pg_temp.of(r)) a offset 0) p
          where a <> format('!42883 operator does not exist: %s %s||{PREFIX_HINT}', oprname, pg_temp.shown(r))
          order by 1, 3;\n",
        types = array(TYPES)
    )
}

fn answers(file: &str) -> HashMap<[&str; 3], &str> {
    let answer = |line| {
        let [name, left, right, answer] = str::split(line, '\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        ([name, left, right], answer)
    };
    file.lines().map(answer).collect()
}

fn names(kind: u8) -> BTreeSet<&'static str> {
    PgOperator::all().iter().filter(|row| row.oprkind == kind).map(|row| &*row.oprname).collect()
}

#[test]
fn operators_are_chosen_as_postgresql() {
    let file = recorded("operators.tsv", queries);
    let recorded = answers(&file);
    let catalog = Catalog::BUILT_IN;
    let mut types = Types::new(Catalog::BUILT_IN);
    let (mut same, mut wrong) = (0, Vec::new());
    let infix = names(b'b').into_iter().flat_map(|name| TYPES.iter().map(move |left| (name, Some(*left))));
    let prefix = names(b'l').into_iter().map(|name| (name, None));
    for (name, left) in infix.chain(prefix) {
        for right in TYPES {
            let left_type = left.map(|left| types.get(left));
            let right_type = types.get(right);
            let got = match make_op(catalog, QualifiedName::from(name), left_type, right_type) {
                Ok(found) => format!("OPEXPR {} {}", found.operator.oid, found.result),
                Err(reported) => error(&reported),
            };
            let expected = match recorded.get(&[name, left.unwrap_or("-"), right]) {
                Some(answer) => answer.to_string(),
                None => usual(catalog, name, left_type, right_type),
            };
            match got == expected {
                true => same += 1,
                false => wrong.push(format!("{} {name} {right}: {got} instead of {expected}", left.unwrap_or(""))),
            }
        }
    }
    report(same, &wrong);
}

const SCALAR_ARRAY_OPERATORS: &[&str] = &["=", "<", "<>", "~~", "~", "||", "+", "@>", "&&", "<<"];
const RIGHTS: &[&str] = &[
    "unknown",
    "int4",
    "text",
    "int2[]",
    "int4[]",
    "int8[]",
    "float8[]",
    "numeric[]",
    "text[]",
    "varchar[]",
    "bpchar[]",
    "name[]",
    "oid[]",
    "regclass[]",
    "date[]",
    "timestamptz[]",
    "uuid[]",
    "inet[]",
    "cidr[]",
    "jsonb[]",
    "int4range[]",
    "oidvector",
    "int2vector",
    "json[]",
];

fn scalar_array_queries() -> String {
    format!(
        "select o, l, r, a
           from unnest({operators}) o, unnest({types}) l, unnest({rights}) r,
                lateral (select pg_temp.probe('select ' || pg_temp.of(l) || ' ' || o || ' any (' || pg_temp.of(r) || ')') a
                         offset 0) p,
                lateral (select case r when 'oidvector' then 'oid' when 'int2vector' then 'int2'
                                       else replace(r, '[]', '') end) e(e)
          where a <> format('!42883 operator does not exist: %s %s %s||{HINT}', pg_temp.shown(l), o, pg_temp.shown(e))
          order by 1, 2, 3;\n",
        operators = array(SCALAR_ARRAY_OPERATORS),
        types = array(TYPES),
        rights = array(RIGHTS)
    )
}

#[test]
fn operators_over_arrays_are_chosen_as_postgresql() {
    let file = recorded("scalar_array.tsv", scalar_array_queries);
    let recorded = answers(&file);
    let catalog = Catalog::BUILT_IN;
    let mut types = Types::new(Catalog::BUILT_IN);
    let (mut same, mut wrong) = (0, Vec::new());
    for name in SCALAR_ARRAY_OPERATORS {
        for left in TYPES {
            for right in RIGHTS {
                let (left_type, right_type) = (types.get(left), types.get(right));
                let got = match make_scalar_array_op(catalog, QualifiedName::from(*name), left_type, right_type) {
                    Ok(found) => format!("SCALARARRAYOPEXPR {}", found.operator.oid),
                    Err(reported) => error(&reported),
                };
                let element = catalog.base_element_type(right_type).unwrap_or(right_type);
                let expected = match recorded.get(&[*name, *left, *right]) {
                    Some(answer) => answer.to_string(),
                    None => usual(catalog, name, Some(left_type), element),
                };
                match got == expected {
                    true => same += 1,
                    false => wrong.push(format!("{left} {name} any ({right}): {got} instead of {expected}")),
                }
            }
        }
    }
    report(same, &wrong);
}
