//! What PostgreSQL's analysis makes of an expression, recorded by asking a real server.
//!
//! A test reads its answers from a file beside it. With `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` (what libpq's
//! psql takes; a database of one's own) it asks for them and writes the file first.

use std::collections::HashMap;
use std::path::PathBuf;

use catalog::{Catalog, QualifiedName};
use types::Oid;
use types::error::Error;

/// `pg_temp.probe` gives the node that an expression is analyzed into, as far as its number and its type; or `!` with
/// SQLSTATE, message, detail and hint. The body of a function is analyzed and never run.
const PROBE: &str = r#"
set client_min_messages = error;
create function pg_temp.probe(query text) returns text language plpgsql as $$
declare
  node text;
  state text; message text; detail text; hint text;
begin
  execute 'create or replace function pg_temp.probed() returns void language sql begin atomic ' || query || '; end';
  select substring(prosqlbody::text from
      ':targetList \(\{TARGETENTRY :expr \{(OPEXPR :opno \d+ :opfuncid \d+ :opresulttype \d+|SCALARARRAYOPEXPR :opno \d+|'
      'FUNCEXPR :funcid \d+ :funcresulttype \d+|AGGREF :aggfnoid \d+ :aggtype \d+|WINDOWFUNC :winfnoid \d+ :wintype \d+|'
      'COALESCEEXPR :coalescetype \d+|[A-Z]+)')
    into node from pg_proc where oid = 'pg_temp.probed'::regproc;
  return regexp_replace(node, ' :opfuncid \d+| :[a-z]+', '', 'g');
exception when others then
  get stacked diagnostics state = returned_sqlstate, message = message_text,
    detail = pg_exception_detail, hint = pg_exception_hint;
  return format('!%s %s|%s|%s', state, message, detail, hint);
end $$;

-- An expression of a type: `unknown` is a literal.
create function pg_temp.of(type text) returns text language sql as $$
  select case type when 'unknown' then 'null' else 'null::' || type end
$$;
-- A type as messages have it.
create function pg_temp.shown(type text) returns text language sql as $$
  select case type when 'unknown' then type else format_type(type::regtype, null) end
$$;
"#;

fn path(file: &str) -> PathBuf {
    ["tests", file].iter().collect()
}

/// The recorded lines of a file. They come from `queries` where they are to be recorded.
pub fn recorded(file: &str, queries: impl FnOnce() -> String) -> String {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        let answers = testkit::ask(&server, &["-F", "\t"], &format!("{PROBE}{}", queries()));
        std::fs::write(path(file), answers).unwrap();
    }
    std::fs::read_to_string(path(file)).unwrap()
}

/// An array of texts, as SQL.
pub fn array(texts: &[&str]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
    format!("array[{}]", quoted.join(","))
}

/// Types by the names that SQL has for them.
pub struct Types<'a> {
    catalog: Catalog<'a>,
    known: HashMap<String, Oid>,
}

impl<'a> Types<'a> {
    pub fn new(catalog: Catalog<'a>) -> Types<'a> {
        Types { catalog, known: HashMap::new() }
    }

    pub fn get(&mut self, name: &str) -> Oid {
        if let Some(ty) = self.known.get(name) {
            return *ty;
        }
        let (plain, is_array) = name.strip_suffix("[]").map_or((name, false), |element| (element, true));
        let (schema, plain) = plain.split_once('.').map_or((None, plain), |(schema, name)| (Some(schema), name));
        let found = catalog::sql_type_name(plain).unwrap_or_else(|| {
            let row = self.catalog.type_by_name(QualifiedName { schema, name: plain.trim_matches('"') });
            row.unwrap().unwrap_or_else(|| panic!("type {name}")).oid
        });
        let found = if is_array { self.catalog.array_type(found).unwrap() } else { found };
        self.known.insert(name.to_string(), found);
        found
    }
}

pub fn error(error: &Error) -> String {
    let report = &error.0;
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("!{} {}|{}|{}", report.code, report.message, text(&report.detail), text(&report.hint))
}

/// Fails where answers differ, with some of them.
pub fn report(same: usize, wrong: &[String]) {
    println!("{same} answers are PostgreSQL's, {} are not", wrong.len());
    let some: Vec<&str> = wrong.iter().take(60).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), some.join("\n"));
}
