//! Dates, times and intervals in other zones and styles than those of the other tests: texts and calls of functions give
//! PostgreSQL 18's answers.
//!
//! `tests/times.tsv` has them, a line each: TimeZone, DateStyle and IntervalStyle; a type with its modifier (`1114:-1`), whose
//! text is read and written, or a function with its arguments' types (`age(1114,1114)`); the texts; and the answer: a text,
//! `\N` for NULL, or `!` with SQLSTATE and message. A new line needs no right answer: they are recorded as the answers of
//! functions are (see `answers.rs`).

use types::datetime::{DateOrder, DateStyle, IntervalStyle, Zone};
use types::{Argument, BUILT_IN, Call, Context, Datum, Oid, Repr};

mod server;

use server::{base_type, escape};
use testkit::ask;

const TIMES: &str = "tests/times.tsv";

/// A line of the file.
struct Case<'a> {
    settings: [&'a str; 3],
    what: &'a str,
    texts: Vec<String>,
    answer: &'a str,
}

impl Case<'_> {
    fn of(line: &str) -> Case<'_> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [zone, date, interval, what, ref texts @ .., answer] = fields[..] else { panic!("{line}") };
        let plain = |text: &&str| text.replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\");
        Case { settings: [zone, date, interval], what, texts: texts.iter().map(plain).collect(), answer }
    }

    fn context(&self) -> Context {
        let [zone, date, interval] = self.settings;
        let (style, order) = date.split_once(", ").expect("a style and an order");
        Context {
            zone: Zone::parse(zone).unwrap_or_else(|| panic!("the zone {zone}")),
            date_style: match style {
                "ISO" => DateStyle::Iso,
                "SQL" => DateStyle::Sql,
                "Postgres" => DateStyle::Postgres,
                "German" => DateStyle::German,
                _ => panic!("the style {style}"),
            },
            date_order: match order {
                "YMD" => DateOrder::Ymd,
                "DMY" => DateOrder::Dmy,
                "MDY" => DateOrder::Mdy,
                _ => panic!("the order {order}"),
            },
            interval_style: match interval {
                "postgres" => IntervalStyle::Postgres,
                "postgres_verbose" => IntervalStyle::PostgresVerbose,
                "sql_standard" => IntervalStyle::SqlStandard,
                "iso_8601" => IntervalStyle::Iso8601,
                _ => panic!("the style {interval}"),
            },
            // 2026-11-23
            transaction_start: 1_795_392_000_000_000,
            ..Context::default()
        }
    }

    fn types(&self) -> Vec<Oid> {
        let oid = |text: &str| text.parse().unwrap_or_else(|_| panic!("{}", self.what));
        match self.what.split_once('(') {
            Some((_, types)) => types.trim_end_matches(')').split(',').map(oid).collect(),
            None => vec![oid(self.what.split(':').next().expect("a type"))],
        }
    }

    /// What it gives here.
    fn run(&self) -> types::Result<String> {
        let context = &self.context();
        let types = self.types();
        let value = |text: &str, ty: Oid, typmod: i32| (base_type(ty).input)(context, text, typmod);
        let (ty, result) = match self.what.split_once(['(', ':']) {
            Some((_, typmod)) if self.what.contains(':') => {
                let read = value(&self.texts[0], types[0], typmod.parse().expect("a type modifier"))?;
                (types[0], read.to_array(Repr::of(types[0], -1).expect("a type with values")))
            }
            Some((name, _)) => {
                let mut all = BUILT_IN.iter().copied().flatten().copied().flatten();
                let found = all.find(|f| f.name == name && f.arguments == types);
                let function = found.unwrap_or_else(|| panic!("no function {}", self.what));
                let argument = |(text, ty): (&String, &Oid)| {
                    let value = if text == "\\N" { Datum::Null } else { value(text, *ty, -1)? };
                    Ok(Argument::constant(value.to_array(Repr::of(*ty, -1).expect("a type with values"))))
                };
                let arguments = self.texts.iter().zip(&types).map(argument).collect::<types::Result<Vec<_>>>()?;
                let call =
                    Call { context, rows: 1, arguments: function.arguments, result: function.result, variadic: false };
                (function.result, (function.kernel)(&call, &arguments)?)
            }
            None => panic!("{}", self.what),
        };
        if result.is_null(0) {
            return Ok("\\N".to_string());
        }
        let mut out = Vec::new();
        (base_type(ty).output)(context, &result, 0, &mut out)?;
        Ok(escape(&String::from_utf8(out).expect("texts are UTF-8")))
    }

    /// The statement that asks a real server.
    fn question(&self) -> String {
        let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let texts: Vec<String> = self.texts.iter().map(|text| quote(text)).collect();
        let [zone, date, interval] = self.settings.map(quote);
        format!(
            "set timezone = {zone}; set datestyle = {date}; set intervalstyle = {interval}; \
             select pg_temp.answer({}, array[{}]);\n",
            quote(self.what),
            texts.join(",")
        )
    }
}

fn record(server: &str) {
    let mut script = String::from(
        "set client_min_messages = error;
         create function pg_temp.answer(what text, texts text[]) returns text language plpgsql as $$
         declare result text; types text; call text;
         begin
           if what like '%:%' then
             call := format('%L::%s', texts[1], format_type(split_part(what, ':', 1)::oid, split_part(what, ':', 2)::int));
           else
             types := rtrim(split_part(what, '(', 2), ')');
             select format('pg_catalog.%I(%s)', split_part(what, '(', 1),
                           string_agg(format('%L::%s', nullif(v, '\\N'), t::oid::regtype), ', ' order by n))
               into call from unnest(string_to_array(types, ','), texts) with ordinality as u(t, v, n);
           end if;
           execute format('select case when r is not null then format(''%%s'', r) end from (select %s) as s(r)', call) into result;
           return coalesce(replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), '\\N');
         exception when others then return '!' || sqlstate || ' ' ||
           replace(replace(replace(sqlerrm, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n');
         end $$;\n",
    );
    let file = std::fs::read_to_string(TIMES).unwrap();
    file.lines().for_each(|line| script.push_str(&Case::of(line).question()));
    let answers = ask(server, &[], &script);
    assert_eq!(answers.lines().count(), file.lines().count(), "an answer for each line");
    let line = |(line, answer): (&str, &str)| {
        let (question, _) = line.rsplit_once('\t').expect("an answer");
        format!("{question}\t{answer}\n")
    };
    std::fs::write(TIMES, file.lines().zip(answers.lines()).map(line).collect::<String>()).unwrap();
}

#[test]
fn times_are_as_in_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let file = std::fs::read_to_string(TIMES).unwrap();
    let (mut same, mut wrong) = (0, Vec::new());
    for line in file.lines() {
        let case = Case::of(line);
        let got = match case.run() {
            Ok(text) => text,
            Err(error) => format!("!{} {}", error.0.code, escape(&error.0.message)),
        };
        if got == case.answer { same += 1 } else { wrong.push(format!("{line}: {got} here")) }
    }
    println!("{same} answers are PostgreSQL's");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
