//! Every declared function gives PostgreSQL 18's answers for samples of its arguments' types, values and errors alike.
//!
//! `tests/answers.tsv` has them: function, arguments, and the result's text, `\N` for NULL, or `!` with SQLSTATE and message.
//! They are recorded from a real server by running the test with `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'`
//! (what libpq's psql takes); functions and samples that are new need that. [`UNEQUAL`] lists what may differ, and why.

use std::collections::{BTreeMap, BTreeSet};

use types::{Argument, BUILT_IN, BUILT_IN_IN_C, Call, ColumnBuilder, Context, Datum, Function, Oid, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = "tests/answers.tsv";

/// Calls of a function that are recorded at most.
const MOST: usize = 24;

/// What is not PostgreSQL's answer, by function, with the reason.
const UNEQUAL: &[(&str, &str)] = &[
    ("bpchar(18)", "gives no text that is not UTF-8"),
    ("gen_random_uuid()", "is chance"),
    ("uuidv4()", "is chance"),
    ("random()", "is chance"),
    ("random(23,23)", "is chance"),
    ("random(20,20)", "is chance"),
    ("random_normal(701,701)", "is chance"),
    ("setseed(701)", "has no session's generator here"),
    ("uuidv7()", "is now"),
    ("uuidv7(1186)", "is now"),
    ("age(1114)", "counts from today"),
    ("age(1184)", "counts from today"),
    ("now()", "is now"),
    ("transaction_timestamp()", "is now"),
    ("statement_timestamp()", "is now"),
    ("clock_timestamp()", "is now"),
];

/// Functions whose last digits are the C library's. The recording server's (glibc 2.43) gives the number that is nearest but
/// for `cbrt`, where it is Rust's that does; `libm` gives one that is next to it at times.
const LAST_DIGITS: &[&str] = &[
    "cbrt(701)",
    "dcbrt(701)",
    "acosh(701)",
    "asinh(701)",
    "atanh(701)",
    "erf(701)",
    "erfc(701)",
    "gamma(701)",
    "lgamma(701)",
];

/// Whether two numbers are the same but for last digits.
fn near(got: &str, expected: &str) -> bool {
    let (Ok(got), Ok(expected)) = (got.parse::<f64>(), expected.parse::<f64>()) else { return false };
    (got - expected).abs() <= expected.abs() * 1e-14
}

/// Values of a type, as texts; `None` for a type whose functions cannot be called with texts.
fn samples(ty: Oid) -> Option<&'static [&'static str]> {
    Some(match ty {
        oid::BOOL => &["t", "f"],
        oid::INET => &["10.0.0.1", "0.0.0.0/0", "10.128.0.0/9", "10.0.0.0/9", "::c1", "::1.2.3.4/64", "10.0.0.7"],
        oid::INT2 => &["0", "1", "-1", "7", "32767", "-32768", "100"],
        oid::INT4 => &["0", "1", "-1", "7", "2147483647", "-2147483648", "33", "100000"],
        oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME => {
            &["", "a", "abc ", "Zürich", "100", "a%_\\", "  x\ty ", "it's \"so\"", "select"]
        }
        oid::INT8 => &["0", "1", "-1", "12", "9223372036854775807", "-9223372036854775808", "5000000000"],
        oid::NUMERIC => &[
            "0",
            "1.0",
            "-0.5",
            "3",
            "1.00",
            "NaN",
            "Infinity",
            "-Infinity",
            "2",
            "-7",
            "0.00",
            "123.456",
            "-1.5",
            "1e-20",
            "99999999999999999999.999",
            "-12345678901234567890123456789012345678.9",
            "0.1",
            "10",
            "1000000",
            "170141183460469231731687303715884105728",
            "0.9999",
            "1.0000000001",
            "2147483647.5",
            "-32768.4",
            "9223372036854775807",
            "1e130",
            "1.5e-1000",
            "5000",
        ],
        oid::FLOAT4 => &[
            "0",
            "1",
            "-0.5",
            "NaN",
            "Infinity",
            "-Infinity",
            "-0",
            "2.5",
            "1e-20",
            "3.4028235e+38",
            "1e-45",
            "-7",
            "0.1",
            "16777216",
            "32767.5",
            "1e15",
            "123456.7",
            "1234567",
            "0.00001234",
        ],
        oid::FLOAT8 => &[
            "0",
            "1",
            "-0.5",
            "NaN",
            "Infinity",
            "-Infinity",
            "-0",
            "2.5",
            "1e-20",
            "1.7976931348623157e+308",
            "5e-324",
            "-7",
            "0.1",
            "1e23",
            "9007199254740993",
            "0.3333333333333333",
            "100",
            "30",
            "-45",
            "3.5",
            "1e15",
            "123456789012345.6",
            "0.0001",
            "0.00001",
            "9223372036854775807",
            "-2147483648.5",
            "60",
            "1.4142135623730951",
            "-3.3",
            "170.5",
            "5000000000",
        ],
        oid::BYTEA => &[
            "",
            "\\x00",
            "\\x616263",
            "\\xff00ff",
            "abc\\001\\\\",
            "ü",
            "\\xf09f9880",
            "a%_\\\\",
            "\\x0102030405060708",
        ],
        oid::UUID => &[
            "00000000-0000-0000-0000-000000000000",
            "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
            "A0EEBC999C0B4EF8BB6D6BB9BD380A12",
            "C232AB00-9414-11EC-B3C8-9F6BDECED846",
            "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
        oid::CHAR => &["", "a", "b", "\\000", "\\200", "\\377", "~", "abc"],
        oid::OID | oid::XID | oid::CID => &["0", "1", "25", "2147483648", "4294967295"],
        oid::XID8 => &["0", "1", "4294967296", "4294967297", "18446744073709551615"],
        oid::TID => &["(0,0)", "(0,1)", "(1,0)", "(4294967295,65535)"],
        oid::JSONPATH => &[
            "$",
            "$.a",
            "$.*",
            "$[*]",
            "strict $.a",
            "$.**",
            "$.b[*] ? (@ >= 1)",
            "$[0, last]",
            "$.type()",
            "$.size()",
            "$.a + 1",
            "-$[0]",
            "$ ? (@ == \"a\" || exists(@.a))",
            "$.double()",
            "strict $[1]",
            "$ > 0",
            "$[*] ? (@ starts with \"t\")",
            "$.**{1 to last} ? (@.type() == \"number\")",
            "$[*] like_regex \"^T\" flag \"i\"",
            "$.a.string()",
            "$x",
            "1 / $",
            "$.",
            "$.a[",
            "last",
            "@",
        ],
        oid::JSONB => &[
            "{\"a\": 1, \"b\": [1, {\"c\": null}], \"a\": \"x\\u00e9\\n\\ud83d\\ude00\", \"bb\": 1.50}",
            "[1, \"two\", null, [3, 4], \"a\", {\"a\": null}]",
            "\"a\"",
            "null",
            "1.0",
            "-99999999999999999999.999",
            "true",
            "false",
            "[]",
            "{}",
            "[[], [1]]",
            "{\"a\": {\"100\": false, \"select\": 0}, \"100\": [7, 8]}",
            "{\"a\": null, \"b\": [1, {}]}",
            "1",
            "[1.00]",
            "2147483647.5",
        ],
        oid::JSON => &[
            "{\"a\": 1, \"b\": [1, {\"c\": null}], \"a\": \"x\\u00e9\\n\\ud83d\\ude00\"}",
            "[1, \"two\", null, [3, 4]]",
            "\"str\"",
            "null",
            " 12.5e3 ",
            "true",
            "[]",
            "{ }",
            "{\"a\": {\"100\": false}}",
            "{\"a\":}",
            "[1,]",
            "01",
            "\"\\x\"",
            "nul",
            "",
            "{\"a\" 1}",
            "\"a",
            "[1 2]",
            "{\"\\u0000\": 1}",
            "1 x",
            "[[[[]]], {\"a\":[{}]}]",
        ],
        oid::DATE => &[
            "2024-02-29",
            "1999-12-31",
            "2000-01-01",
            "1970-01-01",
            "0001-01-01",
            "0001-12-31 BC",
            "4714-11-24 BC",
            "5874897-12-31",
            "290000-12-31",
            "2026-11-23",
            "infinity",
            "-infinity",
        ],
        oid::TIME => &["00:00", "24:00:00", "23:59:59.999999", "12:00", "04:05:06.7", "00:00:00.000001"],
        oid::TIMETZ => &[
            "00:00+00",
            "24:00:00-15:59:59",
            "23:59:59.999999+15:59",
            "12:00-08",
            "13:00-07",
            "04:05:06.7+05:30",
            "20:00+00",
        ],
        oid::TIMESTAMP => &[
            "2024-02-29 13:14:15.678901",
            "1999-12-31 23:59:59.999999",
            "2000-01-01",
            "1970-01-01",
            "2024-03-31 02:30",
            "0001-01-01",
            "0001-12-31 23:59:59 BC",
            "0044-03-15 10:11:12.5 BC",
            "4714-11-24 BC",
            "290000-12-31 23:59:59",
            "infinity",
            "-infinity",
            "2024-12-30 12:00",
            "2021-01-03",
        ],
        oid::TIMESTAMPTZ => &[
            "2024-02-29 13:14:15.678901+02",
            "1999-12-31 23:59:59.999999+00",
            "2000-01-01+00",
            "1970-01-01+00",
            "2024-10-27 02:30+02",
            "0001-01-01+00",
            "0001-12-31 23:59:59+00 BC",
            "4714-11-24+00 BC",
            "290000-12-31 23:59:59+00",
            "infinity",
            "-infinity",
            "2024-12-30 12:00-11",
            "2021-01-03+14",
        ],
        oid::INTERVAL => &[
            "0",
            "1 day",
            "24 hours",
            "1 mon",
            "30 days",
            "1 mon -1 day",
            "-1 mon +1 day -00:00:00.000001",
            "1 year 2 mons",
            "-1.5 hours",
            "04:05:06.789",
            "infinity",
            "-infinity",
            "2147483647 mons",
            "-2147483648 days",
            "-9223372036854775808 us",
            "-13 mons -45 days -36:10:11.12",
            "15 minutes",
        ],
        _ => return None,
    })
}

/// Patterns of numbers.
#[rustfmt::skip]
const NUMBER_FORMATS: &[&str] = &[
    "", "9", "999", "0", "000", "9999999", "0999", "9990", "99.99", "9.9", "0.0", "999D99", "9,999", "9G999G999D9",
    "FM999.999", "FM9.9", "FM0.0", "FM990.00", "FM9999.0999", "FM999", "S999", "999S", "S0.0", "9.9S", "9S99.9",
    "MI999", "999MI", "FM999MI", "PL99.9", "99.9PL", "SG999", "999SG", "999PR", "FM999PR", "99.9PR", "9.99EEEE",
    "999EEEE", "9.9999eeee", "99V9", "9V999", "99V", "RN", "FMRN", "rn", "FMrn", "999th", "999TH", "L999", "999L",
    "B99", "B99.9", "\"x\"99\"y\"", "99\\\"9", "a 9 é", "9 9", "99.9.9", "9SS", "SMI9", "9PR9", "EEEE9", "V9.9",
    "RN9.9", "RNRN", "FM9.9EEEE", "9EEEEEEEE", "PRS", "SG9S", "C9", "SP9", "Th9", "\"a\\\"b\"9",
    "99999999999999999999.9999999999", "0.99999999999999999999", "FM99999999999999999999.99999999", "9.", ".9", ".00",
    "FM.9", "D", "9999,", ",999", "FM,999", "S,999", "0,0,0", "00009.9900", "FM00009.9900", "FMS9.0", "9PL", "MIPL9",
];

/// Texts of numbers that follow patterns.
#[rustfmt::skip]
const FORMATTED: &[&str] = &[
    "", "1", "-1", "12", " 12", "12 ", "1,234", "1234", "-1,234.56", "12.34", "0.5", ".5", "5.", "+7", "12-", "12+",
    "<12>", "< 3>", "$12", "12th", "1st", "MCMXCIV", " xiv", "IIII", "abc", "1e5", "é1", "12é", "1 2 3", "--1",
    "00012", "123456789012345678901", "- 5", "5 -", "1.2.3",
];

/// Values of an argument: such as the function is made for, or else those of its type.
fn values(function: &Function, argument: usize) -> Option<&'static [&'static str]> {
    Some(match (function.name, function.arguments[argument]) {
        ("date_part" | "extract" | "date_trunc", oid::TEXT) if argument == 0 => &[
            "microseconds",
            "MILLISECONDS",
            "second",
            "minute",
            "hour",
            "day",
            "week",
            "month",
            "quarter",
            "year",
            "decade",
            "century",
            "millennium",
            "dow",
            "isodow",
            "doy",
            "isoyear",
            "julian",
            "epoch",
            "timezone",
            "timezone_hour",
            "timezone_minute",
            "mm",
            "now",
            "t",
            "",
            "years",
            "nonsense",
        ],
        // Those with summer time depend on the day.
        ("timezone", oid::TEXT) if function.arguments[1] == oid::TIMETZ => {
            &["UTC", "Asia/Kathmandu", "MSK", "EST", "<+03>-3:30", "+05:30", "", "Nowhere"]
        }
        ("date_trunc" | "timezone" | "date_add" | "date_subtract" | "make_timestamptz", oid::TEXT) => &[
            "UTC",
            "Europe/Berlin",
            "america/new_york",
            "MSK",
            "EST",
            "<+03>-3:30",
            "foo-4",
            "+05:30",
            "-3",
            "5",
            "",
            "Nowhere",
            "CST7CDT,M4.1.0,M10.5.0",
            "Asia/Kathmandu",
        ],
        ("to_char", oid::TEXT)
            if matches!(function.arguments[0], oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::INTERVAL) =>
        {
            &[
                "YYYY-MM-DD HH24:MI:SS.US",
                "Day, DD Month YYYY BC",
                "FMDay, FMDDth FMMonth Y,YYY a.d.",
                "HH12:MI:SS.MS am FF1 FF2 FF3 FF4 FF5 FF6 SSSS",
                "IYYY-IW-ID IDDD J Q CC WW W D DDD",
                "tz TZ OF TZH:TZM",
                "DY Dy dy MON Mon mon MONTH month DAY day",
                "RM rm FMRM YYY YY Y IYY IY I",
                "HHTH MIth SSth DDTH FMYYYYth",
                "\"text YYYY\" \\\"YY\\\" FX",
                "TMDay TMMonth HH24 SSSSS P.M. B.C.",
                "hh24:mi:ss yyyy mm dd",
                "",
                "Zürich DDD FMDDD FMCC FMHH24 FMMI",
            ]
        }
        ("timezone", oid::INTERVAL) => &["0", "-08:00", "05:30", "1 day", "infinity", "00:00:01.5", "1 mon"],
        ("timestamp" | "timestamptz" | "time" | "timetz", oid::INT4) => &["0", "1", "2", "3", "5", "6"],
        ("interval", oid::INT4) => &["-1", "2147418115", "458751", "327679", "201392127", "470286339"],
        ("make_date" | "make_timestamp" | "make_timestamptz", oid::INT4) => match argument {
            0 => &["2024", "0", "-44", "-4714", "294246", "5874897", "2147483647", "-2147483648"],
            1 => &["2", "1", "12", "0", "13", "-1"],
            2 => &["29", "1", "31", "0", "32"],
            3 => &["0", "23", "24", "-1", "25"],
            _ => &["0", "59", "60", "-1"],
        },
        ("make_time", oid::INT4) if argument == 0 => &["0", "23", "24", "-1", "25"],
        ("make_time", oid::INT4) => &["0", "59", "60", "-1"],
        ("make_date" | "make_time" | "make_timestamp" | "make_timestamptz", oid::FLOAT8) => {
            &["0", "59.9999996", "60", "60.1", "12.345678", "-1", "NaN", "Infinity", "1e-7"]
        }
        ("to_char", _) if argument == 1 => NUMBER_FORMATS,
        ("to_number", _) if argument == 0 => FORMATTED,
        ("to_number", _) => NUMBER_FORMATS,
        (name, oid::TEXT) if name.starts_with("regexp_") || name.contains("regex") => {
            let last = function.arguments.len() - 1;
            match argument {
                0 => REGEX_TEXTS,
                1 => REGEXES,
                2 if name == "regexp_replace" => &["<\\1>", "\\&\\&", "x\\\\y\\", "\\2ü", ""],
                _ if argument == last || argument == 5 || argument == 4 => {
                    &["", "g", "i", "gi", "n", "x", "q", "e", "b", "p", "w", "1", "ü"]
                }
                _ => return None,
            }
        }
        (name, oid::INT4) if name.starts_with("regexp_") => &["1", "2", "0", "3", "-1"],
        ("substring", oid::TEXT) if argument == 1 && function.arguments.len() == 2 => REGEXES,
        ("substring", oid::TEXT) if argument == 1 && function.arguments[2] == oid::TEXT => SIMILAR,
        ("similar_escape" | "similar_to_escape", oid::TEXT) if argument == 0 => SIMILAR,
        ("substring" | "like_escape" | "similar_escape" | "similar_to_escape", oid::TEXT) if argument > 0 => {
            &["#", "", "\\", "ü", "xx", "%"]
        }
        (name, oid::TEXT) if name.ends_with("like") && argument == 1 => LIKES,
        ("like_escape", oid::TEXT) => LIKES,
        (
            "substring" | "substr" | "left" | "right" | "overlay" | "split_part" | "repeat" | "lpad" | "rpad"
            | "get_byte" | "set_byte",
            oid::INT4,
        ) => &["0", "1", "2", "3", "-1", "-2", "7", "2147483647", "-2147483648"],
        // Long, and longer than can be; the empty text takes PostgreSQL a minute.
        ("repeat", oid::TEXT) => &["a", "Zürich", "ab "],
        ("get_bit" | "set_bit", oid::INT8) => &["0", "1", "8", "23", "-1", "2147483648"],
        ("get_bit" | "set_bit", oid::INT4) => &["0", "1", "2"],
        ("chr", _) => &["0", "-1", "65", "228", "8364", "55296", "128512", "1114112", "2147483647"],
        ("initcap" | "upper" | "lower" | "casefold", _) => CASES,
        ("normalize" | "is_normalized", oid::TEXT) if argument == 1 => &["NFC", "nfd", "NFKC", "NfKd", "xyz"],
        ("normalize" | "is_normalized", _) => {
            &["", "abc", "ä", "a\u{308}", "ﬁ", "Å", "\u{1e69}", "s\u{323}\u{307}", "한"]
        }
        ("unistr", _) => UNICODE_ESCAPES,
        ("parse_ident", oid::TEXT) => NAMES,
        ("name" | "varchar" | "bpchar", oid::INT4) => &["-1", "0", "3", "4", "5", "7", "9"],
        ("encode" | "decode", oid::TEXT) if argument == 1 => &["hex", "base64", "escape", "HEX", "base32", "base64url"],
        ("decode", oid::TEXT) => &[
            "",
            "00ff",
            "0G",
            "0",
            " 61 62\n63 ",
            "YWJj",
            "YWI=",
            "YQ==",
            "YQ=",
            "Y",
            "YW=j",
            "YQ==YQ==",
            "a\\\\b\\001\\377",
            "\\400",
            "\\",
            "ü",
            "-_-_",
            "+/+/",
            "YQ",
            "deadBEEF",
        ],
        ("convert_from" | "convert_to" | "convert" | "length", oid::NAME) => {
            &["UTF8", "utf-8", "LATIN1", "SQL_ASCII", "win1252", "iso_8859_15", "nonsense", "KOI8R"]
        }
        ("pg_size_bytes", _) => &[
            "1",
            "1kB",
            "1 MB",
            "1.5gb",
            "-3 tB",
            "1e3",
            "1 petabyte",
            " 5 ",
            "5 bytes",
            "",
            "kB",
            "1.2.3",
            "10 kb x",
            "1PB",
            "9223372036854775807",
            "9223372036854775808",
            ".5kB",
            "0x10",
        ],
        ("pg_encoding_to_char" | "pg_encoding_max_length", _) => &["-1", "0", "6", "8", "16", "35", "41", "42"],
        ("pg_char_to_encoding", _) => &["utf8", "UTF-8", "latin1", "sql_ascii", "sjis", "x", ""],
        (_, ty) => return samples(ty),
    })
}

#[rustfmt::skip]
const REGEX_TEXTS: &[&str] = &["", "foobar", "abcabc", "Zürich ZÜRICH", "a1b22c333", "line\nline two\n", "xyyyzz", "aaa", "a.b*c", "2024-02-29"];

/// Those that fail, and those whose matches are a matter of preference.
#[rustfmt::skip]
const REGEXES: &[&str] = &[
    "", "a", "a|ab|abc", "(a|ab)(c|bcd)(d*)", "b*", "(b)*", "^", "$", "^l", "e$", ".*", ".*?", "(.*?)b", "(.*)b", "a{2}",
    "a{1,2}?", "[[:digit:]]+", "\\d+", "\\D", "[^a-c]", "ü", "Ü", "(?i)ü", "\\mline\\M", "\\yt", "(?n)^l.*$", "(?=b)", "(?!f)o",
    "(?<=b)c", "(?<!a)b", "(a)(b)?(c)?", "(\\w)\\1", "((a)|(b))*", "y{0}z", "***=a.b*", "(?q)a.b", "(?x) a b # c", "(",
    ")", "[", "a**", "*a", "a{", "a{1", "a{2,1}", "a{256}", "\\", "\\q", "\\1", "[b-a]", "[[:foo:]]", "[[.x.]]", "(?z)a",
    "x(y+?)(y*)(z*)", "(?:x|(y))+", "\\u00fc", "\\x61", "\\141", "[\\w.]+", "(\\d+)-(\\d+)", "()", "a|", "(^a|b$)", "\\A\\Z",
];

#[rustfmt::skip]
const SIMILAR: &[&str] = &[
    "", "%", "_bc%", "a#\"%#\"c", "%#\"b_#\"%", "(a|b)+", "a.b", "#%", "a\\%", "[a-c]*", "[^]x]", "a#\"b#\"c#\"", "ü_", "a{1,2}",
    "^a$", "[[:alpha:]]#_", "#",
];

#[rustfmt::skip]
const LIKES: &[&str] = &["", "%", "a%", "%c", "_bc%", "ZÜR%", "z%", "a\\%\\_%", "a\\", "%\\", "abc_", "%ü%", "100", "#%", "a##", "ü%ü"];

#[rustfmt::skip]
const CASES: &[&str] = &[
    "", "abc DEF", "Straße", "ÀÉÎ àéî", "İıſK", "ΑΣ ας ὈΔΥΣΣΕΎΣ", "ǆ ǅ Ǆ", "ᾀ ᾳ ῼ ﬁ ŉ", "hello world-wide_web 1st 2Nd", "жЖ ҐґԱա", "a1b٣c",
];

#[rustfmt::skip]
const UNICODE_ESCAPES: &[&str] = &[
    "", "d\\0061t\\+000061", "\\u00e4\\U0001F600", "\\\\", "\\d83d\\de00", "\\d83d", "\\de00", "\\d83dx", "\\d83d\\\\", "\\0000",
    "\\+110000", "\\x", "\\12", "a\\", "\\U00110000", "\\d83d\\0061",
];

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "", "a", "A.b", "\"A\".\"b\"\"c\"", " a . b ", "a.", ".a", "a..b", "1a", "a b", "\"a", "\"\"", "ä$1", "a.b c", "Schéma.X_1",
];

fn functions() -> impl Iterator<Item = &'static Function> {
    let all = BUILT_IN.iter().copied().flatten().copied().flatten().filter(|function| !asks_others(function));
    all.map(of_its_collation)
}

/// What PostgreSQL calls without COLLATE: names have the collation `C`.
fn of_its_collation(function: &'static Function) -> &'static Function {
    let in_c = || BUILT_IN_IN_C.iter().copied().flatten().copied().flatten();
    let is_same = |other: &&Function| (other.name, other.arguments) == (function.name, function.arguments);
    match function.arguments.first() {
        Some(&oid::NAME) => in_c().find(is_same).unwrap_or(function),
        _ => function,
    }
}

/// Whether its answers are the session's or the catalog's: both are another's here.
fn asks_others(function: &Function) -> bool {
    let lists = [types::system::FUNCTIONS, types::privileges::FUNCTIONS, types::advisory::FUNCTIONS];
    let catalogs = [types::reg::FUNCTIONS, types::privileges::OF_COLUMNS_AND_ROLES, types::acl::FUNCTIONS];
    let single = catalogs.into_iter().chain([types::information_schema::FUNCTIONS, types::server::FUNCTIONS]);
    let mut all = lists.into_iter().flatten().copied().chain(single).flatten();
    all.any(|other| (other.name, other.arguments) == (function.name, function.arguments))
}

fn may_differ(function: &Function) -> bool {
    UNEQUAL.iter().any(|(name, _)| *name == signature(function))
}

fn signature(function: &Function) -> String {
    let arguments: Vec<String> = function.arguments.iter().map(Oid::to_string).collect();
    format!("{}({})", function.name, arguments.join(","))
}

/// The calls of a function that are recorded: every value of every argument, and as many combinations as there is room for.
fn calls(function: &Function) -> BTreeSet<Vec<Option<&'static str>>> {
    let Some(values) = (0..function.arguments.len()).map(|at| values(function, at)).collect::<Option<Vec<_>>>() else {
        return BTreeSet::new();
    };
    let combinations: usize = values.iter().map(|v| v.len()).product();
    // Patterns have many parts.
    let patterns = function.arguments.len() == 2 && (function.name.contains("regex") || function.name == "substring");
    let most = if patterns || matches!(function.name, "to_char" | "to_number") { 20 * MOST } else { MOST };
    // A stride that has no divisor in common with the numbers of samples reaches all of them.
    let stride = if combinations <= most { 1 } else { 7919 };
    let pick = |call: usize| {
        let mut rest = call * stride % combinations;
        let each = values.iter().map(|v| {
            let value = v[rest % v.len()];
            rest /= v.len();
            Some(value)
        });
        each.collect::<Vec<_>>()
    };
    let mut calls: BTreeSet<_> = (0..combinations.min(most)).map(pick).collect();
    for null in 0..values.len() {
        let mut call = pick(0);
        call[null] = None;
        calls.insert(call);
    }
    calls
}

/// What the function gives here.
fn answer(function: &Function, arguments: &[Option<&str>]) -> String {
    // 2026-11-23, so that zones have the offsets of these years.
    let context = Context { transaction_start: 1_795_392_000_000_000, ..Context::default() };
    let result = call(&context, function, arguments);
    match result {
        Ok(text) => text,
        Err(error) => format!("!{} {}", error.0.code, error.0.message),
    }
}

fn call(context: &Context, function: &Function, arguments: &[Option<&str>]) -> types::Result<String> {
    let column = |(text, ty): (&Option<&str>, &Oid)| {
        let value = match text {
            Some(text) => (base_type(*ty).input)(context, text, -1)?,
            None => Datum::Null,
        };
        // Two rows: the second one must not see anything of the first.
        let mut builder = ColumnBuilder::new(Repr::of(*ty, -1).expect("a type with values"), 2);
        builder.push(&value);
        builder.push(&value);
        Ok(Argument::column(builder.finish()))
    };
    let arguments: Vec<Argument> =
        arguments.iter().zip(function.arguments).map(column).collect::<types::Result<_>>()?;
    let call = Call { context, rows: 2, arguments: function.arguments, result: function.result, variadic: false };
    let result = (function.kernel)(&call, &arguments)?;
    let text = |row: usize| {
        if result.is_null(row) {
            return Ok("\\N".to_string());
        }
        let mut out = Vec::new();
        (base_type(function.result).output)(context, &result, row, &mut out)?;
        Ok(String::from_utf8(out).expect("texts are UTF-8"))
    };
    if !may_differ(function) {
        assert_eq!(text(0)?, text(1)?, "{}", signature(function));
    }
    text(0)
}

/// A call as a line of the file has it, without its answer.
fn line(function: &Function, arguments: &[Option<&str>]) -> String {
    let each = arguments.iter().map(|a| a.map_or("\\N".to_string(), escape));
    std::iter::once(signature(function)).chain(each).collect::<Vec<_>>().join("\t")
}

/// Asks a real server for all calls.
fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create function pg_temp.answer(query text) returns text language plpgsql as $$
         declare result text;
         begin
           execute query into result;
           return coalesce(replace(replace(replace(replace(result, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n'), e'\\r', '\\r'), '\\N');
         exception when others then return '!' || sqlstate || ' ' || replace(sqlerrm, e'\\n', '\\n');
         end $$;\n",
    );
    let mut lines = Vec::new();
    for function in functions() {
        for arguments in calls(function) {
            let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
            let each = arguments
                .iter()
                .zip(function.arguments)
                .map(|(text, ty)| format!("({})::{}", text.map_or("null".to_string(), quote), format_args!("%T{ty}%")));
            let each = each.collect::<Vec<_>>().join(",");
            // `format` asks the type's output function; a cast to text may give another text.
            let query = format!(
                "select case when r is not null then format('%s', r) end from pg_catalog.\"{}\"({each}) r",
                function.name
            );
            script.push_str(&format!("select pg_temp.answer({});\n", quote(&query)));
            lines.push(line(function, &arguments));
        }
    }
    // Types are written by their names.
    let names = ask(server, &[], "select oid || ' ' || oid::regtype from pg_type;\n");
    let names: BTreeMap<&str, &str> = names.lines().filter_map(|l| l.split_once(' ')).collect();
    for (ty, name) in names {
        // As SQL reads it, `character` is of one character.
        let name = if name == "character" { "bpchar" } else { name };
        script = script.replace(&format!("%T{ty}%"), name);
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len(), "an answer for each call");
    let all: String = lines.iter().zip(answers).map(|(l, a)| format!("{l}\t{a}\n")).collect();
    std::fs::write(ANSWERS, all).unwrap();
}

#[test]
fn functions_answer_as_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded.lines().filter_map(|l| l.rsplit_once('\t')).collect();
    let (mut same, mut nearly, mut wrong) = (0, 0, Vec::new());
    for function in functions() {
        let last_digits = LAST_DIGITS.contains(&signature(function).as_str());
        for arguments in calls(function) {
            let line = line(function, &arguments);
            let Some(expected) = recorded.get(line.as_str()) else {
                wrong.push(format!("{line}: not recorded"));
                continue;
            };
            let got = answer(function, &arguments);
            let got = if got.starts_with('!') || got == "\\N" { got.replace('\n', "\\n") } else { escape(&got) };
            if got == *expected {
                same += 1;
            } else if last_digits && near(&got, expected) {
                nearly += 1;
            } else if !may_differ(function) {
                wrong.push(format!("{line}: {got} instead of {expected}"));
            }
        }
    }
    println!("{same} answers are PostgreSQL's, {nearly} but for last digits");
    assert!(wrong.is_empty(), "{} answers are not PostgreSQL's:\n{}", wrong.len(), wrong.join("\n"));
}
