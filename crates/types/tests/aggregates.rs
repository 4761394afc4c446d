//! Every declared aggregate gives PostgreSQL 18's answers for lists of values: over all of them, and over a frame that moves
//! through them; in one piece, in two parts whose states are merged, and of one group among others.
//!
//! `tests/aggregates.tsv` has them: aggregate, the arguments' types, the rows, the answer, and the answers for the frames
//! `ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING` of each row. They are recorded from a real server by running the test with
//! `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` (what libpq's psql takes).

use std::collections::BTreeMap;

use arrow_array::{ArrayRef, BooleanArray};
use types::aggregate::{AggregateCall, GroupStates, Members, Rows, SortOrder};
use types::{Aggregate, Argument, BASE_TYPES, BUILT_IN_AGGREGATES, ColumnBuilder, Context, Datum, Oid, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/aggregates.tsv");

/// A type that arguments have.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    oid: Oid,
    typmod: i32,
}

const fn ty(name: &'static str, oid: Oid) -> Type {
    Type { name, oid, typmod: -1 }
}

const TYPES: &[Type] = &[
    ty("boolean", oid::BOOL),
    ty("smallint", oid::INT2),
    ty("integer", oid::INT4),
    ty("bigint", oid::INT8),
    ty("oid", oid::OID),
    ty("xid8", oid::XID8),
    ty("real", oid::FLOAT4),
    ty("double precision", oid::FLOAT8),
    ty("numeric", oid::NUMERIC),
    Type { name: "numeric(12,3)", oid: oid::NUMERIC, typmod: (12 << 16 | 3) + 4 },
    ty("text", oid::TEXT),
    Type { name: "character(3)", oid: oid::BPCHAR, typmod: 3 + 4 },
    ty("bytea", oid::BYTEA),
    ty("date", oid::DATE),
    ty("time", oid::TIME),
    ty("timetz", oid::TIMETZ),
    ty("timestamp", oid::TIMESTAMP),
    ty("timestamptz", oid::TIMESTAMPTZ),
    ty("interval", oid::INTERVAL),
    ty("tid", oid::TID),
    ty("integer[]", oid::INT4_ARRAY),
    ty("text[]", oid::TEXT_ARRAY),
];

/// Columns of values, `-` for NULL.
fn lists(ty: &Type) -> &'static [&'static [&'static str]] {
    match (ty.oid, ty.typmod) {
        (oid::BOOL, _) => {
            &[&[], &["-"], &["t", "f", "-", "t"], &["t", "t", "-"], &["f"], &["t", "f", "t", "t", "t", "f"]]
        }
        (oid::INT2, _) => {
            &[&[], &["-"], &["5"], &["1", "-2", "-", "3", "3"], &["32767", "32767", "-32768", "1", "-32768", "-32768"]]
        }
        (oid::INT4, _) => &[
            &[],
            &["-", "-"],
            &["7"],
            &["1", "2", "-", "4", "5", "7", "-", "-3"],
            &["2147483647", "2147483647", "-2147483648", "2147483647", "0", "0"],
            &["3", "3", "3", "3"],
        ],
        (oid::INT8, _) => &[
            &[],
            &["-"],
            &["-12"],
            &["1", "2", "-", "5000000000", "12"],
            &["9223372036854775807", "9223372036854775807", "-", "9223372036854775807", "-9223372036854775808", "1"],
        ],
        (oid::OID, _) => &[&[], &["-", "3", "4294967295", "1"]],
        (oid::XID8, _) => &[&[], &["-", "3", "18446744073709551615", "1"]],
        (oid::FLOAT4, _) => &[
            &[],
            &["-"],
            &["1.5"],
            &["0.1", "0.2", "-", "0.3", "16777216", "1"],
            &["-0", "0"],
            &["0", "-0"],
            &["3e38", "1", "-3e38"],
            &["3e38", "3e38", "-3e38"],
            &["Infinity", "1", "-", "2"],
            &["1", "2", "-Infinity", "Infinity", "1", "1", "1", "1"],
            &["1", "NaN", "2", "3", "4", "5"],
        ],
        (oid::FLOAT8, _) => &[
            &[],
            &["-"],
            &["1.5"],
            &["NaN"],
            &["Infinity"],
            &["0.1", "0.2", "-", "0.3", "1e10", "-7"],
            &["-0", "0"],
            &["0", "-0"],
            &["1e308", "1e308", "-1e308"],
            &["1e200", "1", "2e200", "2"],
            &["1e-200", "2e-200", "3e-200"],
            &["Infinity", "1", "-", "2"],
            &["1", "2", "-Infinity", "Infinity", "1", "1", "1", "1"],
            &["1", "NaN", "2", "3", "4", "5"],
            &["100000003", "100000004", "100000006", "100000007"],
            &["2", "2", "2"],
            &["1", "2", "3", "4", "5.5", "6", "7"],
        ],
        (oid::NUMERIC, -1) => &[
            &[],
            &["-"],
            &["1.5"],
            &["NaN"],
            &["0.00", "0", "0.0"],
            &["0", "0.000", "1.0", "1"],
            &["1", "2.50", "-", "3.125", "1", "1", "1", "2"],
            &["99999999999999999999999999999999999999", "0.5", "1", "-99999999999999999999999999999999999999", "3"],
            &["1e130", "1", "-1e130", "0.001", "1", "1"],
            &["Infinity", "1", "-", "2.5", "1", "1"],
            &["1", "-Infinity", "Infinity", "1.25", "1", "1", "1", "1"],
            &["1", "NaN", "2", "3", "4", "5"],
            &["170141183460469231731687303715884105727", "170141183460469231731687303715884105727", "1"],
            &["1e-100", "1", "2", "3.00", "4", "5.0"],
            &["1.1", "2.22", "3.333", "4.4444", "5.55555"],
            &["5.55555", "4.4444", "3.333", "2.22", "1.1", "7"],
            &["0.1", "0.1", "0.1", "0.1"],
        ],
        (oid::NUMERIC, _) => &[
            &[],
            &["-"],
            &["1.5"],
            &["1", "2.50", "-", "3.125", "1"],
            &["999999999.999", "999999999.999", "-999999999.999", "0", "0.001"],
        ],
        (oid::TEXT | oid::BPCHAR, _) => {
            &[&[], &["-"], &["a", "-", "b", "ab", ""], &["Zü", "z", "a ", "a", "A"], &["x", "x ", "x  "], &["x  ", "x"]]
        }
        (oid::BYTEA, _) => &[&[], &["-"], &["\\x01", "-", "\\x", "\\xff00", "\\x0100"]],
        (oid::DATE, _) => &[&[], &["2024-02-29", "-", "1999-12-31", "infinity"], &["-infinity", "2000-01-01"]],
        (oid::TIME, _) => &[&[], &["12:00", "-", "24:00", "00:00"]],
        (oid::TIMETZ, _) => &[&[], &["12:00+00", "-", "13:00+01", "11:00-01"], &["13:00+01", "12:00+00"]],
        (oid::TIMESTAMP, _) => &[&[], &["2024-02-29 12:00", "-", "infinity", "1999-01-01"]],
        (oid::TIMESTAMPTZ, _) => &[&[], &["2024-02-29 12:00+00", "-", "-infinity", "1999-01-01+00"]],
        (oid::INTERVAL, _) => &[
            &[],
            &["-"],
            &["1 day", "24:00:00", "-", "2 days", "1 mon -1 day"],
            &["24:00:00", "1 day"],
            &["1 mon", "30 days", "720:00:00", "1 year", "-5 days", "00:00:01"],
            &["infinity", "1 day", "2 days", "3 days", "4 days"],
            &["infinity", "-infinity", "1 day", "1 day", "1 day"],
            &["2147483647 mons", "1 day", "-1 mon"],
            &["2147483647 mons", "1 mon", "-1 mon"],
            &["1 mon", "1 mon", "1 mon 10 days 00:00:05"],
        ],
        (oid::TID, _) => &[&[], &["(0,1)", "-", "(1,0)", "(0,2)"]],
        (oid::INT4_ARRAY, _) => &[
            &[],
            &["-"],
            &["{}", "{1}"],
            &["{1,2}", "{3,NULL}", "{1,2}"],
            &["{1,2}", "{3}", "{}"],
            &["{{1,2},{3,4}}", "{{5,6},{7,8}}"],
            &["[0:1]={1,2}", "[0:1]={0,9}"],
            &["[0:1]={1,2}", "{0,9}"],
            &["{{{{{{1}}}}}}"],
            &["{1}", "-", "{2}"],
        ],
        (oid::TEXT_ARRAY, _) => &[&["{a,b}", "{NULL,\"c d\"}"], &["{b}", "{a,c}", "{a}"]],
        _ => unreachable!("type {}", ty.name),
    }
}

/// A list of rows for an aggregate: the types of its arguments, and their columns.
struct Case {
    types: Vec<Type>,
    columns: Vec<Vec<Option<&'static str>>>,
    /// Of an ordered-set aggregate: what stands before WITHIN GROUP, and how the columns are sorted.
    direct: DirectArguments,
    order: Option<SortOrder>,
}

impl Case {
    fn new(types: Vec<Type>, columns: Vec<Vec<Option<&'static str>>>) -> Case {
        Case { types, columns, direct: Vec::new(), order: None }
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(5, Vec::len)
    }

    fn written_order(&self) -> &'static str {
        match self.order {
            None => "",
            Some(SortOrder { descending: false, nulls_first: false }) => "asc",
            Some(SortOrder { descending: false, nulls_first: true }) => "nulls first",
            Some(SortOrder { descending: true, nulls_first: true }) => "desc",
            Some(SortOrder { descending: true, nulls_first: false }) => "desc nulls last",
        }
    }
}

const FLOAT: Type = ty("double precision", oid::FLOAT8);
const FLOATS: Type = ty("double precision[]", oid::FLOAT8_ARRAY);

/// Values before WITHIN GROUP.
type DirectArguments = Vec<(Type, Option<&'static str>)>;

/// The direct arguments of ordered-set and hypothetical-set aggregates; `None` for all others.
fn direct(aggregate: &Aggregate, ty: Type) -> Option<Vec<DirectArguments>> {
    let parts = ["0", "0.3", "0.5", "1", "1.5", "-1e-10", "NaN"];
    let arrays = ["{0,0.5,NULL,1}", "{{0.1,0.9},{0.5,0.2}}", "{}", "{0.2,2}"];
    let all = |ty: Type, values: &[&'static str]| {
        values.iter().map(|v| Some(*v)).chain([None]).map(|value| vec![(ty, value)]).collect()
    };
    match (aggregate.name, aggregate.arguments[0]) {
        ("percentile_disc" | "percentile_cont", oid::FLOAT8) => Some(all(FLOAT, &parts)),
        ("percentile_disc" | "percentile_cont", _) => Some(all(FLOATS, &arrays)),
        ("mode", _) => Some(vec![Vec::new()]),
        ("rank" | "dense_rank" | "percent_rank" | "cume_dist", _) => Some(all(ty, &["3", "1", "-4", "7"])),
        _ => None,
    }
}

/// Cases of an aggregate that sorts values of a type.
fn ordered_cases(aggregate: &Aggregate, ty: Type) -> Option<Vec<Case>> {
    let direct = direct(aggregate, ty)?;
    let orders = [(false, false), (true, true), (false, true), (true, false)];
    let orders = orders.map(|(descending, nulls_first)| SortOrder { descending, nulls_first });
    let mut cases = Vec::new();
    for list in lists(&ty) {
        for (number, direct) in direct.iter().enumerate() {
            let column = list.iter().map(|v| (*v != "-").then_some(*v)).collect();
            let order = Some(orders[(number + cases.len() / 2) % 4]);
            cases.push(Case { types: vec![ty], columns: vec![column], direct: direct.clone(), order });
        }
    }
    Some(cases)
}

fn cases(aggregate: &Aggregate) -> Vec<Case> {
    let types_of = |&declared: &Oid| -> Vec<Type> {
        let is = |ty: &&Type| match declared {
            oid::ANYELEMENT if matches!(aggregate.name, "json_agg" | "jsonb_agg") => ty.oid != oid::TID,
            oid::ANY | oid::ANYELEMENT | oid::ANYNONARRAY => matches!(ty.oid, oid::INT4 | oid::TEXT | oid::NUMERIC),
            oid::ANYARRAY => matches!(ty.oid, oid::INT4_ARRAY | oid::TEXT_ARRAY),
            _ => ty.oid == declared,
        };
        TYPES.iter().filter(is).copied().collect()
    };
    let values = |list: &[&'static str]| list.iter().map(|v| (*v != "-").then_some(*v)).collect::<Vec<_>>();
    let sorted = types_of(aggregate.arguments.last().unwrap_or(&oid::INVALID));
    let ordered: Option<Vec<Vec<Case>>> = sorted.iter().map(|ty| ordered_cases(aggregate, *ty)).collect();
    if let Some(cases) = ordered.filter(|cases| !cases.is_empty()) {
        return cases.into_iter().flatten().collect();
    }
    let declared: Vec<Vec<Type>> = aggregate.arguments.iter().map(types_of).collect();
    match declared.as_slice() {
        [] => vec![Case::new(Vec::new(), Vec::new())],
        [only] => {
            let each = |ty: &Type| {
                let ty = *ty;
                lists(&ty).iter().map(move |list| Case::new(vec![ty], vec![values(list)]))
            };
            only.iter().flat_map(each).collect()
        }
        [first, second] => {
            let (first, second) = (first[0], second[0]);
            let mut cases = Vec::new();
            for (i, a) in lists(&first).iter().enumerate() {
                for b in lists(&second).iter().skip(i % 3).step_by(3) {
                    // As long as the longer one, unless one of them is empty.
                    let length = if a.is_empty() || b.is_empty() { 0 } else { a.len().max(b.len()) };
                    let cycle = |list: &[&'static str]| values(list).into_iter().cycle().take(length).collect();
                    cases.push(Case::new(vec![first, second], vec![cycle(a), cycle(b)]));
                }
            }
            cases
        }
        _ => unreachable!("three arguments"),
    }
}

fn aggregates() -> impl Iterator<Item = &'static Aggregate> {
    BUILT_IN_AGGREGATES.iter().copied().flatten()
}

/// A case as a line of the file has it, without its answers.
fn line(aggregate: &Aggregate, case: &Case) -> String {
    let types: Vec<&str> = case.types.iter().map(|ty| ty.name).collect();
    let column = |column: &Vec<Option<&str>>| {
        let values: Vec<String> = column.iter().map(|v| v.map_or("-".to_string(), escape)).collect();
        values.join("|")
    };
    let columns: Vec<String> = case.columns.iter().map(column).collect();
    let direct: Vec<String> = case.direct.iter().map(|(ty, v)| format!("{}: {}", ty.name, v.unwrap_or("-"))).collect();
    let direct = direct.join(", ") + case.written_order();
    format!("{}({})\t{direct}\t{}", aggregate.name, types.join(", "), columns.join("\t"))
}

/// Asks a real server for all cases.
fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         set max_parallel_workers_per_gather = 0;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(replace(replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), e'\\r', '\\r'), '\\N');
         exception when others then return '!' || sqlstate || ' ' || replace(sqlerrm, e'\\n', '\\n');
         end $$;\n",
    );
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut lines = Vec::new();
    for aggregate in aggregates() {
        for case in cases(aggregate) {
            let row = |row: usize| {
                let value = |(ty, column): (&Type, &Vec<Option<&str>>)| {
                    format!("({})::{}", column[row].map_or("null".to_string(), quote), ty.name)
                };
                let values: Vec<String> = case.types.iter().zip(&case.columns).map(value).collect();
                format!(
                    "select {row} as n{}",
                    values.iter().enumerate().map(|(i, v)| format!(", {v} as x{i}")).collect::<String>()
                )
            };
            let rows: Vec<String> = (0..case.rows()).map(row).collect();
            let arguments: Vec<String> = (0..case.types.len()).map(|i| format!("x{i}")).collect();
            let direct = |(ty, value): &(Type, Option<&str>)| {
                format!("({})::{}", value.map_or("null".to_string(), quote), ty.name)
            };
            let direct: Vec<String> = case.direct.iter().map(direct).collect();
            let call = match case.order {
                None if arguments.is_empty() => "(*)".to_string(),
                None => format!("({})", arguments.join(", ")),
                Some(_) => {
                    let order = format!("{} {}", arguments.join(", "), case.written_order());
                    format!("({}) within group (order by {order})", direct.join(", "))
                }
            };
            let none: String =
                case.types.iter().enumerate().map(|(i, ty)| format!(", null::{} as x{i}", ty.name)).collect();
            let from = match rows.is_empty() {
                true => format!("(select 1 as n{none} where false) t"),
                false => format!("({} order by n) t", rows.join(" union all ")),
            };
            let all = format!(
                "select case when r is not null then format('%s', r) end from (select {}{call} r from {from}) s",
                aggregate.name
            );
            let frames = match case.order {
                Some(_) => "select null".to_string(),
                None => format!(
                    "select string_agg(coalesce(r, '-'), '|' order by n) from (select n,
                 case when r is not null then format('%s', r) end as r from (select n, {}{call} over (order by n rows
                 between 2 preceding and 1 following) r from {from}) s) u",
                    aggregate.name
                ),
            };
            for query in [all, frames] {
                script.push_str(&format!("select pg_temp.answer({});\n", quote(&query)));
            }
            lines.push(line(aggregate, &case));
        }
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), 2 * lines.len(), "two answers for each case");
    let all: String = lines.iter().zip(answers.chunks(2)).map(|(l, a)| format!("{l}\t{}\t{}\n", a[0], a[1])).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

/// What the aggregate gives here.
struct Here<'a> {
    context: &'a Context,
    aggregate: &'a Aggregate,
    types: Vec<Oid>,
    reprs: Vec<Repr>,
    arguments: Vec<Argument>,
    direct: Vec<Argument>,
    order: Vec<SortOrder>,
    rows: usize,
}

type Answer = types::Result<Option<String>>;

impl<'a> Here<'a> {
    fn new(context: &'a Context, aggregate: &'a Aggregate, case: &Case) -> Here<'a> {
        let reprs: Vec<Repr> = case.types.iter().map(|ty| Repr::of(ty.oid, ty.typmod).unwrap()).collect();
        let argument = |((ty, &repr), column): ((&Type, &Repr), &Vec<Option<&str>>)| {
            let mut builder = ColumnBuilder::new(repr, column.len());
            for value in column {
                let value = value.map_or(Datum::Null, |v| (base_type(ty.oid).input)(context, v, ty.typmod).unwrap());
                match (repr, value) {
                    (Repr::Decimal { .. }, Datum::Bytes(bytes)) => builder.push(&units(&bytes, repr)),
                    (_, value) => builder.push(&value),
                }
            }
            Argument::column(builder.finish())
        };
        let arguments = case.types.iter().zip(&reprs).zip(&case.columns).map(argument).collect();
        let types = case.types.iter().map(|ty| ty.oid).collect();
        let direct = |(ty, value): &(Type, Option<&str>)| {
            let value = value.map_or(Datum::Null, |v| (base_type(ty.oid).input)(context, v, -1).unwrap());
            Argument::column(value.to_array(Repr::of(ty.oid, -1).unwrap()))
        };
        let direct = case.direct.iter().map(direct).collect();
        let order = case.order.into_iter().collect();
        Here { context, aggregate, types, reprs, arguments, direct, order, rows: case.rows() }
    }

    fn result_type(&self) -> Oid {
        match self.aggregate.result {
            oid::ANYELEMENT => self.types[0],
            oid::ANYARRAY => types::array::array_type(self.types[0]).unwrap_or(self.types[0]),
            result => result,
        }
    }

    fn start(&self) -> Box<dyn GroupStates> {
        let (context, result) = (self.context, self.result_type());
        let call = AggregateCall { context, arguments: &self.types, reprs: &self.reprs, result, order: &self.order };
        self.aggregate.start(&call).unwrap()
    }

    fn rows(&self, rows: std::ops::Range<usize>) -> Rows<'_> {
        Rows { arguments: &self.arguments, rows, members: Members::OneGroup, filter: None, groups: 1 }
    }

    /// The text of a group's result.
    fn result(&self, states: &mut dyn GroupStates, group: usize) -> Answer {
        let mut out = ColumnBuilder::new(Repr::of(self.result_type(), -1).unwrap(), 1);
        states.results(group..group + 1, &self.direct, &mut out)?;
        let out = out.finish();
        if out.is_null(0) {
            return Ok(None);
        }
        let mut text = Vec::new();
        (base_type(self.result_type()).output)(self.context, &out, 0, &mut text)?;
        Ok(Some(String::from_utf8(text).unwrap()))
    }

    fn whole(&self) -> Answer {
        let mut states = self.start();
        states.update(&self.rows(0..self.rows))?;
        self.result(&mut *states, 0)
    }

    /// In two parts, the second one through its saved state.
    fn in_parts(&self, at: usize) -> Answer {
        let (mut first, mut second) = (self.start(), self.start());
        first.update(&self.rows(0..at))?;
        second.update(&self.rows(at..self.rows))?;
        let saved: Vec<ArrayRef> = second.state(0..1)?;
        let reprs: Vec<_> = second.state_reprs().iter().map(|repr| repr.arrow()).collect();
        assert_eq!(reprs, saved.iter().map(|part| part.data_type().clone()).collect::<Vec<_>>());
        first.merge(&saved, Members::OneGroup, 1)?;
        self.result(&mut *first, 0)
    }

    /// As the group 1 of 3, among rows of others, which the filter lets through in part.
    fn among_others(&self) -> Answer {
        let groups: Vec<usize> =
            (0..2 * self.rows).map(|row| if row < self.rows { 1 } else { 2 * (row % 2) }).collect();
        let filter: BooleanArray = (0..2 * self.rows).map(|row| Some(row < self.rows)).collect();
        let twice = |argument: &Argument| {
            let mut builder = ColumnBuilder::new(self.reprs[0], 2 * self.rows);
            if !self.reprs.iter().all(|repr| *repr == self.reprs[0]) {
                return argument.clone();
            }
            for row in 0..2 * self.rows {
                builder.push(&Datum::of(argument.array(), row % self.rows));
            }
            Argument::column(builder.finish())
        };
        let mut states = self.start();
        let arguments: Vec<Argument> = self.arguments.iter().map(twice).collect();
        let whole = arguments.iter().all(|argument| argument.array().len() == 2 * self.rows);
        let rows = Rows {
            arguments: &arguments,
            rows: 0..if whole { 2 * self.rows } else { self.rows },
            members: Members::Of(&groups),
            filter: Some(&filter),
            groups: 3,
        };
        states.update(&rows)?;
        states.discard(1);
        assert_eq!(states.groups(), 2);
        assert!(states.memory() > 0);
        self.result(&mut *states, 0)
    }

    /// Over the frame of each row, which moves.
    fn frames(&self) -> types::Result<String> {
        let mut states = self.start();
        let mut now = 0..0;
        let mut answers = Vec::new();
        for row in 0..self.rows {
            let frame = row.saturating_sub(2)..(row + 2).min(self.rows);
            if frame.start > now.start && !(states.retracts() && states.retract(&self.rows(now.start..frame.start))?) {
                states.discard(1);
                now = frame.start..frame.start;
            }
            states.update(&self.rows(now.end..frame.end))?;
            now = frame;
            answers.push(self.result(&mut *states, 0)?.map_or("-".to_string(), |text| escape(&text)));
        }
        Ok(if answers.is_empty() { "\\N".to_string() } else { answers.join("|") })
    }
}

fn units(bytes: &[u8], repr: Repr) -> Datum {
    let Repr::Decimal { precision, scale } = repr else { unreachable!() };
    let column = arrow_array::BinaryArray::from_iter_values([bytes]);
    Datum::of(&types::decimal::from_numeric(&column, (precision, scale)).unwrap(), 0)
}

fn written(answer: Answer) -> String {
    match answer {
        Ok(Some(text)) => escape(&text),
        Ok(None) => "\\N".to_string(),
        Err(error) => format!("!{} {}", error.0.code, error.0.message),
    }
}

/// Whether two floating-point numbers are the same but for last digits: those of parts are added in another order.
fn near(got: &str, expected: &str) -> bool {
    let (Ok(got), Ok(expected)) = (got.parse::<f64>(), expected.parse::<f64>()) else { return false };
    (got - expected).abs() <= expected.abs() * 1e-6
}

#[test]
fn aggregates_answer_as_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let three = |line: &'static str| {
        let (rest, frames) = line.rsplit_once('\t')?;
        let (line, whole) = rest.rsplit_once('\t')?;
        Some((line, (whole, frames)))
    };
    let recorded: &'static str = recorded.leak();
    let recorded: BTreeMap<&str, (&str, &str)> = recorded.lines().filter_map(three).collect();
    let context = Context::default();
    let (mut same, mut unread, mut wrong) = (0, 0, Vec::new());
    for aggregate in aggregates() {
        for case in cases(aggregate) {
            let line = line(aggregate, &case);
            let Some((expected, frames)) = recorded.get(line.as_str()) else {
                wrong.push(format!("{line}: not recorded"));
                continue;
            };
            let readable = |ty: &Type| BASE_TYPES.iter().copied().flatten().any(|base| base.oid == ty.oid);
            if !case.types.iter().all(readable) {
                unread += 1;
                continue;
            }
            let here = Here::new(&context, aggregate, &case);
            let mut check = |what: &str, got: String, expected: &str, float: bool| {
                if got == expected || float && near(&got, expected) {
                    same += 1;
                } else {
                    wrong.push(format!("{line}: {what}: {got} instead of {expected}"));
                }
            };
            check("whole", written(here.whole()), expected, false);
            check("among others", written(here.among_others()), expected, false);
            let frames_here = here.frames().unwrap_or_else(|error| format!("!{} {}", error.0.code, error.0.message));
            if case.order.is_none() {
                check("frames", frames_here, frames, false);
            }
            let float = here.types.iter().any(|ty| matches!(*ty, oid::FLOAT4 | oid::FLOAT8));
            // What overflows depends on the order.
            for at in (0..=here.rows).filter(|_| !expected.starts_with('!')) {
                let parts = written(here.in_parts(at));
                if !(float && parts.starts_with('!')) {
                    check(&format!("in two parts at {at}"), parts, expected, float);
                }
            }
        }
    }
    println!("{same} answers are PostgreSQL's; {unread} cases have types whose texts are not read yet");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
