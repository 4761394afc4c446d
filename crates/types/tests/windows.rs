//! Window frames and window functions are PostgreSQL 18's.
//!
//! `tests/windows.tsv` has the answers: a query's essence, and a field for each row. Frames are told by the sum of `1 << n` over
//! the numbers of their rows. They are recorded from a real server by running the test with
//! `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` (what libpq's psql takes).

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use types::aggregate::{AggregateCall, SortOrder};
use types::scalar::Scalar;
use types::window::{Bound, Exclusion, Frame, Frames, Partition, RangeOffset, Window, aggregate_over, frame_offset};
use types::{
    Argument, BUILT_IN, BUILT_IN_AGGREGATES, BUILT_IN_WINDOW_FUNCTIONS, ColumnBuilder, Context, Datum, Function, Oid,
    Repr, WindowFunction, oid,
};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/windows.tsv");

/// What frames are counted from: the values of a column, and offsets for RANGE.
struct Sorted {
    name: &'static str,
    oid: Oid,
    values: &'static [&'static str],
    offset: (&'static str, Oid),
    offsets: &'static [&'static str],
}

const SORTED: &[Sorted] = &[
    Sorted {
        name: "smallint",
        oid: oid::INT2,
        values: &["1", "5", "-", "32767", "-32768", "7", "5"],
        offset: ("bigint", oid::INT8),
        offsets: &["2", "0", "9223372036854775807"],
    },
    Sorted {
        name: "integer",
        oid: oid::INT4,
        values: &["1", "2", "2", "-", "4", "2147483647", "7", "-", "-2147483648", "4"],
        offset: ("integer", oid::INT4),
        offsets: &["1", "2", "0", "2147483647", "-1", "-"],
    },
    Sorted {
        name: "bigint",
        oid: oid::INT8,
        values: &["9223372036854775807", "1", "3", "-9223372036854775808", "3"],
        offset: ("bigint", oid::INT8),
        offsets: &["2", "9223372036854775807"],
    },
    Sorted {
        name: "numeric",
        oid: oid::NUMERIC,
        values: &["1.0", "1", "2.5", "-", "NaN", "Infinity", "-Infinity", "3", "Infinity"],
        offset: ("numeric", oid::NUMERIC),
        offsets: &["1", "1.5", "Infinity", "NaN", "-0.1"],
    },
    Sorted {
        name: "double precision",
        oid: oid::FLOAT8,
        values: &["1", "1", "2.5", "-", "NaN", "Infinity", "-Infinity", "3", "-0", "0"],
        offset: ("double precision", oid::FLOAT8),
        offsets: &["1", "1.5", "Infinity", "NaN", "-0.1"],
    },
    Sorted {
        name: "real",
        oid: oid::FLOAT4,
        values: &["1", "1", "2.5", "-", "NaN", "Infinity", "3"],
        offset: ("double precision", oid::FLOAT8),
        offsets: &["1.5"],
    },
    Sorted {
        name: "date",
        oid: oid::DATE,
        values: &["2024-01-31", "2024-02-29", "-", "2024-03-01", "2024-02-01", "infinity", "-infinity"],
        offset: ("interval", oid::INTERVAL),
        offsets: &["1 mon", "1 day", "infinity", "-1 day"],
    },
    Sorted {
        name: "timestamp",
        oid: oid::TIMESTAMP,
        values: &["2024-01-31 12:00", "2024-02-29", "-", "2024-03-01", "2024-02-01", "infinity", "-infinity"],
        offset: ("interval", oid::INTERVAL),
        offsets: &["1 mon", "12:00", "infinity"],
    },
    Sorted {
        name: "timestamptz",
        oid: oid::TIMESTAMPTZ,
        values: &["2024-01-31 12:00+00", "2024-02-29+00", "-", "2024-03-01+00", "infinity", "-infinity"],
        offset: ("interval", oid::INTERVAL),
        offsets: &["1 mon", "36:00", "infinity"],
    },
    Sorted {
        name: "interval",
        oid: oid::INTERVAL,
        values: &["1 day", "24:00", "1 mon", "-", "infinity", "-infinity", "1 mon 1 day"],
        offset: ("interval", oid::INTERVAL),
        offsets: &["1 day", "infinity", "-1 day"],
    },
    Sorted {
        name: "time",
        oid: oid::TIME,
        values: &["12:00", "24:00", "-", "00:00", "01:00", "13:30"],
        offset: ("interval", oid::INTERVAL),
        offsets: &["1:00", "1 day", "infinity", "-1:00"],
    },
    Sorted {
        name: "timetz",
        oid: oid::TIMETZ,
        values: &["12:00+00", "13:00+01", "-", "00:00+02", "01:00+00", "13:30-01"],
        offset: ("interval", oid::INTERVAL),
        // Infinity overflows there, and answers depend on how frames are searched.
        offsets: &["1:00", "1 day"],
    },
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Rows,
    Range,
    Groups,
}

/// A bound; offsets are taken from the case.
const BOUNDS: &[(Bound<()>, Bound<()>)] = &[
    (Bound::UnboundedPreceding, Bound::CurrentRow),
    (Bound::CurrentRow, Bound::UnboundedFollowing),
    (Bound::UnboundedPreceding, Bound::UnboundedFollowing),
    (Bound::CurrentRow, Bound::CurrentRow),
    (Bound::Preceding(()), Bound::Following(())),
    (Bound::Preceding(()), Bound::Preceding(())),
    (Bound::Following(()), Bound::Following(())),
    (Bound::Preceding(()), Bound::CurrentRow),
    (Bound::CurrentRow, Bound::Following(())),
    (Bound::UnboundedPreceding, Bound::Preceding(())),
    (Bound::Following(()), Bound::UnboundedFollowing),
];

struct FrameCase {
    sorted: &'static Sorted,
    order: SortOrder,
    mode: Mode,
    bounds: &'static (Bound<()>, Bound<()>),
    offsets: (&'static str, &'static str),
    exclusion: Exclusion,
}

fn frame_cases() -> Vec<FrameCase> {
    let orders = [(false, false), (true, true), (false, true), (true, false)];
    let orders = orders.map(|(descending, nulls_first)| SortOrder { descending, nulls_first });
    let exclusions = [Exclusion::NoOthers, Exclusion::CurrentRow, Exclusion::Group, Exclusion::Ties];
    let mut cases = Vec::new();
    for sorted in SORTED {
        for mode in [Mode::Rows, Mode::Range, Mode::Groups] {
            for bounds in BOUNDS {
                let (a, b) = bounds;
                let offsets = |bound: &Bound<()>| -> &'static [&'static str] {
                    match bound {
                        Bound::Preceding(()) | Bound::Following(()) if mode == Mode::Range => sorted.offsets,
                        Bound::Preceding(()) | Bound::Following(()) => {
                            &["1", "0", "3", "9223372036854775807", "-1", "-"]
                        }
                        _ => &[""],
                    }
                };
                // Which rows are first among equal ones is not said.
                if mode == Mode::Rows && sorted.oid != oid::TIMESTAMP {
                    continue;
                }
                for (i, first) in offsets(a).iter().enumerate() {
                    for (j, second) in offsets(b).iter().enumerate() {
                        let number = cases.len();
                        if i != j && number % 2 == 1 && mode != Mode::Rows {
                            continue;
                        }
                        cases.push(FrameCase {
                            sorted,
                            order: orders[(number + number / 4) % 4],
                            mode,
                            bounds,
                            offsets: (first, second),
                            exclusion: exclusions[number % 4],
                        });
                    }
                }
            }
        }
    }
    cases
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn value(text: &str, ty: &str) -> String {
    if text == "-" { format!("null::{ty}") } else { format!("{}::{ty}", quote(text)) }
}

impl FrameCase {
    fn over(&self) -> String {
        let bound = |bound: &Bound<()>, offset: &str| {
            let offset = match self.mode {
                Mode::Range => value(offset, self.sorted.offset.0),
                _ => value(offset, "bigint"),
            };
            match bound {
                Bound::UnboundedPreceding => "unbounded preceding".to_string(),
                Bound::Preceding(()) => format!("{offset} preceding"),
                Bound::CurrentRow => "current row".to_string(),
                Bound::Following(()) => format!("{offset} following"),
                Bound::UnboundedFollowing => "unbounded following".to_string(),
            }
        };
        let order = match self.order {
            SortOrder { descending: false, nulls_first: false } => "",
            SortOrder { descending: false, nulls_first: true } => " nulls first",
            SortOrder { descending: true, nulls_first: true } => " desc",
            SortOrder { descending: true, nulls_first: false } => " desc nulls last",
        };
        let exclusion = match self.exclusion {
            Exclusion::NoOthers => "",
            Exclusion::CurrentRow => " exclude current row",
            Exclusion::Group => " exclude group",
            Exclusion::Ties => " exclude ties",
        };
        let (start, end) = (bound(&self.bounds.0, self.offsets.0), bound(&self.bounds.1, self.offsets.1));
        format!("order by x{order} {:?} between {start} and {end}{exclusion}", self.mode)
    }

    fn line(&self) -> String {
        format!("{}: {}: {}", self.sorted.name, self.sorted.values.join(", "), self.over())
    }

    fn query(&self) -> String {
        let rows = self.sorted.values.iter().enumerate();
        let rows: Vec<String> = rows.map(|(n, x)| format!("({n}, {})", value(x, self.sorted.name))).collect();
        format!(
            "select string_agg(coalesce(r::text, '-'), '|' order by n) from (select n, sum(1 << n) over ({}) r
             from (values {}) t(n, x)) s",
            self.over(),
            rows.join(", ")
        )
    }

    /// The sum for each row, by its number.
    fn answer(&self, context: &Context) -> types::Result<String> {
        let repr = Repr::of(self.sorted.oid, -1).unwrap();
        let texts = self.sorted.values;
        let unsorted = column(context, self.sorted.oid, texts);
        let mut numbers: Vec<usize> = (0..texts.len()).collect();
        let get = |row: usize| Scalar::of(&unsorted, row);
        numbers.sort_by(|&a, &b| self.order.compare(repr, get(a), get(b)));
        let mut sorted = ColumnBuilder::new(repr, texts.len());
        numbers.iter().for_each(|&row| types::scalar::append(&mut sorted, get(row)));
        let sorted = sorted.finish();
        let partition = Partition::new(0..texts.len(), &[(repr, sorted.clone())]);
        let number = |text: &str| (text != "-").then(|| text.parse::<i64>().unwrap());
        let count =
            |bound: &Bound<()>, text: &str, starting| with_offset(bound, || frame_offset(number(text), starting));
        let (start, end) = self.bounds;
        let frame = match self.mode {
            Mode::Rows => Frame::Rows(count(start, self.offsets.0, true)?, count(end, self.offsets.1, false)?),
            Mode::Groups => Frame::Groups(count(start, self.offsets.0, true)?, count(end, self.offsets.1, false)?),
            Mode::Range => {
                let offset = |text: &'static str| {
                    Ok(RangeOffset {
                        in_range: in_range(self.sorted.oid, self.sorted.offset.1),
                        column: sorted.clone(),
                        descending: self.order.descending,
                        nulls_first: self.order.nulls_first,
                        offset: Argument::constant(column(context, self.sorted.offset.1, &[text])),
                    })
                };
                let offset = |bound, text| with_offset(bound, || offset(text));
                Frame::Range(offset(start, self.offsets.0)?, offset(end, self.offsets.1)?)
            }
        };
        let frames = Frames::new(context, &partition, &frame, self.exclusion)?;
        let bits: Vec<i64> = numbers.iter().map(|&n| 1 << n).collect();
        let bits = Argument::column(std::sync::Arc::new(arrow_array::Int64Array::from(bits)));
        let by_parts = |row: usize| -> i64 {
            frames
                .parts(&partition, row)
                .into_iter()
                .flatten()
                .map(|row| bits.array().as_primitive::<Int64Type>().value(row))
                .sum()
        };
        // The aggregate says the same.
        let sum = BUILT_IN_AGGREGATES.iter().copied().flatten().find(|a| a.name == "sum" && a.arguments == [oid::INT8]);
        let call =
            AggregateCall { context, arguments: &[oid::INT8], reprs: &[Repr::Int8], result: oid::NUMERIC, order: &[] };
        let mut states = sum.unwrap().start(&call)?;
        let arguments = [bits.clone()];
        let window = Window { partition: &partition, frames: Some(&frames), arguments: &arguments };
        let mut out = ColumnBuilder::new(Repr::Numeric, texts.len());
        aggregate_over(&mut *states, &window, &frames, None, &mut out)?;
        let sums = out.finish();
        let mut answers = vec![String::new(); texts.len()];
        for (row, &number) in numbers.iter().enumerate() {
            let text = text_of(context, oid::NUMERIC, &sums, row);
            let expected = by_parts(row);
            assert_eq!(text, if expected == 0 { "-".to_string() } else { expected.to_string() }, "{}", self.line());
            answers[number] = text;
        }
        Ok(answers.join("|"))
    }
}

fn with_offset<O>(bound: &Bound<()>, offset: impl FnOnce() -> types::Result<O>) -> types::Result<Bound<O>> {
    Ok(match bound {
        Bound::UnboundedPreceding => Bound::UnboundedPreceding,
        Bound::Preceding(()) => Bound::Preceding(offset()?),
        Bound::CurrentRow => Bound::CurrentRow,
        Bound::Following(()) => Bound::Following(offset()?),
        Bound::UnboundedFollowing => Bound::UnboundedFollowing,
    })
}

fn in_range(value: Oid, offset: Oid) -> &'static Function {
    let is = |f: &&Function| f.name == "in_range" && f.arguments[0] == value && f.arguments[2] == offset;
    BUILT_IN.iter().copied().flatten().copied().flatten().find(is).unwrap()
}

fn column(context: &Context, ty: Oid, texts: &[&str]) -> arrow_array::ArrayRef {
    let mut column = ColumnBuilder::new(Repr::of(ty, -1).unwrap(), texts.len());
    for text in texts {
        let value = if *text == "-" { Datum::Null } else { (base_type(ty).input)(context, text, -1).unwrap() };
        column.push(&value);
    }
    column.finish()
}

fn text_of(context: &Context, ty: Oid, column: &arrow_array::ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return "-".to_string();
    }
    let mut text = Vec::new();
    (base_type(ty).output)(context, column, row, &mut text).unwrap();
    escape(&String::from_utf8(text).unwrap())
}

/// Rows that functions are called for: peers' numbers, values, a number that changes, a default.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("1", "a", "1", "x"),
    ("1", "b", "-", "y"),
    ("2", "-", "2", "-"),
    ("3", "c", "0", "z"),
    ("3", "d", "-1", "w"),
    ("3", "e", "3", "v"),
    ("5", "f", "2147483647", "u"),
];

/// Calls by their arguments, of the columns `x`, `k`, `d`, or constants of type integer.
const CALLS: &[(&str, &[&str])] = &[
    ("row_number", &[]),
    ("rank", &[]),
    ("dense_rank", &[]),
    ("percent_rank", &[]),
    ("cume_dist", &[]),
    ("ntile", &["1"]),
    ("ntile", &["2"]),
    ("ntile", &["3"]),
    ("ntile", &["10"]),
    ("ntile", &["0"]),
    ("ntile", &["null::integer"]),
    ("ntile", &["k"]),
    ("lag", &["x"]),
    ("lag", &["x", "2"]),
    ("lag", &["x", "k"]),
    ("lag", &["x", "-1"]),
    ("lag", &["x", "k", "d"]),
    ("lead", &["x"]),
    ("lead", &["x", "0"]),
    ("lead", &["x", "k"]),
    ("lead", &["x", "k", "d"]),
    ("lead", &["x", "null::integer", "d"]),
    ("first_value", &["x"]),
    ("last_value", &["x"]),
    ("nth_value", &["x", "1"]),
    ("nth_value", &["x", "2"]),
    ("nth_value", &["x", "4"]),
    ("nth_value", &["x", "k"]),
    ("nth_value", &["x", "null::integer"]),
];

/// Frames for the functions: what is ordered by, and bounds in rows.
const FRAMES: &[(&str, &str)] = &[
    ("p", "range between unbounded preceding and current row"),
    ("p, n", "rows between 2 preceding and 1 following exclude current row"),
    ("p, n", "rows between 3 following and 5 following"),
    ("p", "groups between 1 preceding and 1 following exclude ties"),
];

fn function(name: &str, arguments: usize) -> &'static WindowFunction {
    let mut all = BUILT_IN_WINDOW_FUNCTIONS.iter().copied().flatten();
    all.find(|f| f.name == name && f.arguments.len() == arguments).unwrap()
}

fn call_line(call: &(&str, &[&str]), frame: &(&str, &str), rows: usize) -> String {
    format!("{}({}) over (order by {} {}) of {rows}", call.0, call.1.join(", "), frame.0, frame.1)
}

fn call_query(call: &(&str, &[&str]), frame: &(&str, &str), rows: usize) -> String {
    let row = |(n, (p, x, k, d)): (usize, &(&str, &str, &str, &str))| {
        format!("({n}, {}, {}, {}, {})", value(p, "integer"), value(x, "text"), value(k, "integer"), value(d, "text"))
    };
    let values: Vec<String> = ROWS[..rows].iter().enumerate().map(row).collect();
    let (name, arguments) = call;
    format!(
        "select string_agg(coalesce(r::text, '-'), '|' order by n) from (select n, {name}({}) over (order by {} {}) r
         from (values {}) t(n, p, x, k, d)) s",
        arguments.join(", "),
        frame.0,
        frame.1,
        values.join(", ")
    )
}

fn call_answer(context: &Context, call: &(&str, &[&str]), frame: &(&str, &str), rows: usize) -> types::Result<String> {
    // A row of another partition in front.
    let texts = |of: fn(&(&'static str, &'static str, &'static str, &'static str)) -> &'static str| -> Vec<&str> {
        std::iter::once(of(&ROWS[0])).chain(ROWS[..rows].iter().map(of)).collect()
    };
    let (p, x) = (column(context, oid::INT4, &texts(|r| r.0)), column(context, oid::TEXT, &texts(|r| r.1)));
    let (k, d) = (column(context, oid::INT4, &texts(|r| r.2)), column(context, oid::TEXT, &texts(|r| r.3)));
    let argument = |name: &&str| match *name {
        "x" => Argument::column(x.clone()),
        "k" => Argument::column(k.clone()),
        "d" => Argument::column(d.clone()),
        "null::integer" => Argument::constant(column(context, oid::INT4, &["-"])),
        number => Argument::constant(column(context, oid::INT4, &[number])),
    };
    let arguments: Vec<Argument> = call.1.iter().map(argument).collect();
    let partition = match frame.0 {
        "p" => Partition::new(1..rows + 1, &[(Repr::Int4, p.clone())]),
        _ => Partition::with_peers(1..rows + 1, |_| false),
    };
    let (frame, exclusion) = match FRAMES.iter().position(|f| f == frame).unwrap() {
        0 => (Frame::Range(Bound::UnboundedPreceding, Bound::CurrentRow), Exclusion::NoOthers),
        1 => (Frame::Rows(Bound::Preceding(2), Bound::Following(1)), Exclusion::CurrentRow),
        2 => (Frame::Rows(Bound::Following(3), Bound::Following(5)), Exclusion::NoOthers),
        _ => (Frame::Groups(Bound::Preceding(1), Bound::Following(1)), Exclusion::Ties),
    };
    let frames = Frames::new(context, &partition, &frame, exclusion)?;
    let function = function(call.0, call.1.len());
    let frames = function.framed.then_some(&frames);
    let result =
        if matches!(function.result, oid::ANYELEMENT | oid::ANYCOMPATIBLE) { oid::TEXT } else { function.result };
    let mut out = ColumnBuilder::new(Repr::of(result, -1).unwrap(), rows);
    (function.evaluate)(&Window { partition: &partition, frames, arguments: &arguments }, &mut out)?;
    let out = out.finish();
    let texts: Vec<String> = (0..rows).map(|row| text_of(context, result, &out, row)).collect();
    Ok(texts.join("|"))
}

/// All that is asked: a line, its query, and what answers it here.
#[allow(clippy::type_complexity)]
fn questions() -> Vec<(String, String, Box<dyn Fn(&Context) -> types::Result<String>>)> {
    let mut all: Vec<(String, String, Box<dyn Fn(&Context) -> types::Result<String>>)> = Vec::new();
    for case in frame_cases() {
        all.push((case.line(), case.query(), Box::new(move |context| case.answer(context))));
    }
    for call in CALLS {
        for frame in FRAMES {
            for rows in [1, ROWS.len()] {
                let answer = move |context: &Context| call_answer(context, call, frame, rows);
                all.push((call_line(call, frame, rows), call_query(call, frame, rows), Box::new(answer)));
            }
        }
    }
    all
}

fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(result, '-');
         exception when others then return '!' || sqlstate || ' ' || replace(sqlerrm, e'\\n', '\\n');
         end $$;\n",
    );
    let questions = questions();
    for (_, query, _) in &questions {
        script.push_str(&format!("select pg_temp.answer({});\n", quote(query)));
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), questions.len(), "an answer for each question");
    let all: String = questions.iter().zip(answers).map(|((line, ..), a)| format!("{line}\t{a}\n")).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn windows_are_postgresqls() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|l| l.rsplit_once('\t')).collect();
    let context = Context::default();
    let (mut same, mut wrong) = (0, Vec::new());
    for (line, _, answer) in questions() {
        let Some(expected) = recorded.get(line.as_str()) else {
            wrong.push(format!("{line}: not recorded"));
            continue;
        };
        let got = answer(&context).unwrap_or_else(|error| format!("!{} {}", error.0.code, error.0.message));
        if got == *expected {
            same += 1;
        } else {
            wrong.push(format!("{line}: {got} instead of {expected}"));
        }
    }
    println!("{same} answers are PostgreSQL's");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
