//! Conversions between all pairs of types of every kind, and the types that expressions have in common.
//!
//! `casts.tsv` has two types and how PostgreSQL converts a value of the first one to the second one: by a cast, to store it,
//! to pass it to a function. `common.tsv` has what COALESCE and UNION make of two types, and COALESCE of three.

mod samples;
mod server;

use analyze::Operand;
use analyze::parse_coerce::{
    CoercionContext, CoercionPath, can_coerce_type, coerce_to_common_type, find_coercion_pathway, select_common_type,
};
use catalog::Catalog;
use samples::TYPES;
use server::{Types, array, error, recorded, report};
use types::{Oid, oid};

/// Asks for the node that converts: in a cast, in what is stored in a column, in the argument of a function.
fn cast_queries() -> String {
    format!(
        "create temp table kinds as select row_number() over () as n, t from unnest({types}) t where t <> 'unknown';
         do $$ declare k record; begin
           execute (select format('create temp table targets (%s)', string_agg(format('c%s %s', n, t), ','))
                      from kinds where t <> 'record');
           for k in select * from kinds where t <> 'record' loop
             execute format('create function pg_temp.takes_%s(%s) returns int4 language sql as ''select 1''', k.n, k.t);
           end loop;
         end $$;
         create function pg_temp.node(query text, place text) returns text language plpgsql as $$
         declare node text;
         begin
           execute 'create or replace function pg_temp.probed() returns void language sql begin atomic ' || query || '; end';
           select substring(prosqlbody::text from place || ' \\(?\\{{([A-Z]+(?: :funcid \\d+)?)')
             into node from pg_proc where oid = 'pg_temp.probed'::regproc;
           return replace(node, ' :funcid', '');
         exception when others then return '!' || sqlstate;
         end $$;
         select s.t, d.t,
                pg_temp.node(format('select (%s)::%s', pg_temp.of(s.t), d.t), 'TARGETENTRY :expr'),
                pg_temp.node(format('insert into targets (c%s) values (%s)', d.n, pg_temp.of(s.t)), 'TARGETENTRY :expr'),
                pg_temp.node(format('select pg_temp.takes_%s(%s)', d.n, pg_temp.of(s.t)), ':args')
           from kinds s, kinds d where d.t <> 'record' order by s.t, d.t;\n",
        types = array(TYPES)
    )
}

fn conversion(catalog: Catalog<'_>, source: Oid, target: Oid, context: CoercionContext) -> String {
    let is_domain = |ty| catalog.base_type(ty) != ty;
    if source == target {
        return if is_domain(source) { "COERCETODOMAIN" } else { "CONST" }.to_string();
    }
    if !can_coerce_type(catalog, &[source], &[target], context) {
        let code = match context {
            CoercionContext::Implicit => "42883",
            CoercionContext::Assignment => "42804",
            CoercionContext::Explicit => "42846",
        };
        return format!("!{code}");
    }
    if is_domain(target) {
        return "COERCETODOMAIN".to_string();
    }
    match find_coercion_pathway(catalog, target, source, context) {
        Some(CoercionPath::Function(function)) => format!("FUNCEXPR {function}"),
        Some(CoercionPath::Relabel) => "RELABELTYPE".to_string(),
        Some(CoercionPath::ViaIo) => "COERCEVIAIO".to_string(),
        Some(CoercionPath::Array) => "ARRAYCOERCEEXPR".to_string(),
        // A record without columns is no row of a type: the analysis looks at them.
        None if source == oid::RECORD => "!42846".to_string(),
        None => "CONST".to_string(),
    }
}

#[test]
fn values_are_converted_as_postgresql() {
    let file = recorded("casts.tsv", cast_queries);
    let mut types = Types::new(Catalog::BUILT_IN);
    let (mut same, mut wrong) = (0, Vec::new());
    for line in file.lines() {
        let [source, target, explicit, assignment, implicit] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (source_type, target_type) = (types.get(source), types.get(target));
        let contexts = [
            (CoercionContext::Explicit, explicit),
            (CoercionContext::Assignment, assignment),
            (CoercionContext::Implicit, implicit),
        ];
        for (context, expected) in contexts {
            let got = conversion(Catalog::BUILT_IN, source_type, target_type, context);
            match got == expected {
                true => same += 1,
                false => wrong.push(format!("{source} to {target}, {context:?}: {got} instead of {expected}")),
            }
        }
    }
    report(same, &wrong);
}

const SOME: &[&str] = &[
    "unknown",
    "int4",
    "int8",
    "float4",
    "numeric",
    "text",
    "varchar",
    "bpchar",
    "name",
    "date",
    "timestamptz",
    "regclass",
    "oid",
    "information_schema.sql_identifier",
];

fn common_queries() -> String {
    format!(
        "create function pg_temp.union_type(query text) returns text language plpgsql as $$
         declare found text; message text;
         begin
           execute 'create or replace function pg_temp.probed() returns void language sql begin atomic ' || query || '; end';
           select substring(prosqlbody::text from ':colTypes \\(o (\\d+)\\)')
             into found from pg_proc where oid = 'pg_temp.probed'::regproc;
           return found;
         exception when others then return '!' || sqlstate || ' ' || sqlerrm || '||';
         end $$;
         select 'COALESCE', concat_ws(',', a, b),
                replace(pg_temp.probe(format('select coalesce(%s, %s)', pg_temp.of(a), pg_temp.of(b))), 'COALESCEEXPR ', '')
           from unnest({types}) a, unnest({types}) b order by 2;
         select 'UNION', concat_ws(',', a, b),
                pg_temp.union_type(format('select %s union all select %s', pg_temp.of(a), pg_temp.of(b)))
           from unnest({types}) a, unnest({types}) b order by 2;
         select 'COALESCE', concat_ws(',', a, b, c),
                replace(pg_temp.probe(format('select coalesce(%s, %s, %s)', pg_temp.of(a), pg_temp.of(b), pg_temp.of(c))),
                        'COALESCEEXPR ', '')
           from unnest({some}) a, unnest({some}) b, unnest({some}) c order by 2;\n",
        types = array(TYPES),
        some = array(SOME)
    )
}

fn common(catalog: Catalog<'_>, context: &str, operands: &[Operand]) -> types::Result<Oid> {
    let (common, _) = select_common_type(catalog, operands, context)?;
    operands.iter().try_for_each(|&operand| coerce_to_common_type(catalog, operand, common, context))?;
    Ok(common)
}

#[test]
fn expressions_have_postgresqls_common_type() {
    let file = recorded("common.tsv", common_queries);
    let mut types = Types::new(Catalog::BUILT_IN);
    let (mut same, mut wrong) = (0, Vec::new());
    for line in file.lines() {
        let [context, names, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let operands: Vec<Operand> = names.split(',').map(|name| Operand::of(types.get(name))).collect();
        let got = match common(Catalog::BUILT_IN, context, &operands) {
            Ok(common) => common.to_string(),
            Err(reported) => error(&reported),
        };
        match got == expected {
            true => same += 1,
            false => wrong.push(format!("{context} of {names}: {got} instead of {expected}")),
        }
    }
    report(same, &wrong);
}
