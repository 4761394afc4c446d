//! Types as PostgreSQL writes them, and the operators that sort and group them.
//!
//! `types.tsv` has each type's oid, its names without a modifier (not asked for, none, a few), and the operators of `SELECT
//! DISTINCT` and of `ORDER BY`, or the error. It is recorded with `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'`.

use catalog::Catalog;
use types::Oid;

const FILE: &str = "tests/types.tsv";

/// Modifiers: lengths, precisions and scales.
const TYPMODS: &[i32] = &[0, 3, 4, 5, 14, 196613, 655366];

/// Modifiers of intervals: their fields, and the digits of seconds.
const INTERVAL_TYPMODS: &[i32] = &[327679, 458751, 67698687, 470286341, 402653187, 2147418115, 2147483647];

fn typmods(ty: Oid) -> &'static [i32] {
    if matches!(ty, 1186 | 1187) { INTERVAL_TYPMODS } else { TYPMODS }
}

const RECORD: &str = r#"
set client_min_messages = error;
create function pg_temp.clause(query text) returns text language plpgsql as $$
declare clause text[]; message text; hint text; state text;
begin
  execute 'create or replace function pg_temp.probed() returns void language sql begin atomic ' || query || '; end';
  select regexp_match(prosqlbody::text, 'SORTGROUPCLAUSE :tleSortGroupRef 1 :eqop (\d+) :sortop (\d+) :reverse_sort \w+ :nulls_first \w+ :hashable (\w+)')
    into clause from pg_proc where oid = 'pg_temp.probed'::regproc;
  return array_to_string(clause, ' ');
exception when others then
  get stacked diagnostics state = returned_sqlstate, message = message_text, hint = pg_exception_hint;
  return format('!%s %s|%s', state, message, hint);
end $$;
select t.oid, format_type(t.oid, null), format_type(t.oid, -1),
       case when typmodout <> 0 then (select string_agg(format_type(t.oid, m), ';' order by n) from unnest(case when t.oid in (1186, 1187) then INTERVALS else TYPMODS end) with ordinality u(m, n)) else '' end,
       case when typtype = 'p' then '' else pg_temp.clause(format('select distinct null::%s', format_type(t.oid, -1))) end,
       case when typtype = 'p' then '' else pg_temp.clause(format('select null::%s order by 1', format_type(t.oid, -1))) end,
       case when typtype = 'p' then '' else pg_temp.clause(format('select null::%s order by 1 desc', format_type(t.oid, -1))) end
  from pg_type t where t.oid < 16384 order by t.oid;
"#;

fn record(server: &str) {
    let array = |typmods: &[i32]| format!("array{typmods:?}");
    let script = RECORD.replace("TYPMODS", &array(TYPMODS)).replace("INTERVALS", &array(INTERVAL_TYPMODS));
    std::fs::write(FILE, testkit::ask(server, &["-F", "\t"], &script)).unwrap();
}

/// The operators as the recorded clauses have them.
fn clause(catalog: Catalog<'_>, ty: Oid, need_order: bool, descending: bool) -> String {
    match catalog.sort_group_operators(ty, need_order, true) {
        Ok(found) => {
            let sort = if descending { found.greater } else { found.less };
            format!("{} {} {}", found.equal.unwrap_or(0), sort.unwrap_or(0), found.hashable)
        }
        Err(error) => format!("!{} {}|{}", error.0.code, error.0.message, error.0.hint.unwrap_or_default()),
    }
}

#[test]
fn types_are_postgresqls() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let catalog = Catalog::BUILT_IN;
    let (mut same, mut wrong) = (0, Vec::new());
    for line in std::fs::read_to_string(FILE).unwrap().lines() {
        let [ty, name, without, with, distinct, order, descending] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let ty: Oid = ty.parse().unwrap();
        let modified: Vec<String> =
            typmods(ty).iter().map(|&typmod| catalog.format_type_with_typmod(ty, typmod)).collect();
        let mut answers = vec![(name, catalog.format_type(ty)), (without, catalog.format_type_with_typmod(ty, -1))];
        if !with.is_empty() {
            answers.push((with, modified.join(";")));
        }
        if !distinct.is_empty() {
            answers.push((distinct, clause(catalog, ty, false, false)));
            answers.push((order, clause(catalog, ty, true, false)));
            answers.push((descending, clause(catalog, ty, true, true)));
        }
        for (expected, got) in answers {
            match got == expected {
                true => same += 1,
                false => wrong.push(format!("{ty}: {got} instead of {expected}")),
            }
        }
    }
    println!("{same} answers are PostgreSQL's");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
