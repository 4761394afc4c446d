//! Texts in which clients write values mean what they mean to PostgreSQL 18, or fail as there; and the values have its texts
//! and its bytes.
//!
//! `tests/texts.tsv` has them: type, text, and the value's text and bytes (hexadecimal), or `!` with SQLSTATE and message.
//! They are recorded as the answers of functions are (see `answers.rs`).

use std::collections::BTreeMap;

use types::{Context, Datum, Oid, Repr, oid};

mod server;

use server::{base_type, escape};
use testkit::ask;

const TEXTS: &str = "tests/texts.tsv";

/// Types by name, with type modifier and the texts of values.
const TYPES: &[(&str, Oid, i32, &[&str])] = &[
    ("numeric", oid::NUMERIC, -1, NUMBERS),
    ("numeric(5,2)", oid::NUMERIC, (5 << 16 | 2) + 4, NUMBERS),
    ("numeric(3,-2)", oid::NUMERIC, (3 << 16 | 0x7fe) + 4, NUMBERS),
    ("numeric(2,4)", oid::NUMERIC, (2 << 16 | 4) + 4, NUMBERS),
    ("numeric(50,0)", oid::NUMERIC, (50 << 16) + 4, NUMBERS),
    ("float4", oid::FLOAT4, -1, NUMBERS),
    ("float8", oid::FLOAT8, -1, NUMBERS),
    ("int2", oid::INT2, -1, INTEGERS),
    ("int4", oid::INT4, -1, INTEGERS),
    ("int8", oid::INT8, -1, INTEGERS),
    ("inet", oid::INET, -1, ADDRESSES),
];

/// Those of which something else follows digits: whether they are too large is seen first.
#[rustfmt::skip]
const INTEGERS: &[&str] = &[
    "0", "-0", "+7", " 12\t", "\x0b-5\x0c", "1_000", "0x1F", "-0x_f", "0b1010_1", "0o17", "", " ", "-", "+-1", "1.0", "1 2", "_1",
    "1__0", "1_", "0x", "0x_", "0x1__2", "0b2", "0o8", "0xg", "é", "\u{a0}1", "123456789012345678901234567890.1",
    "9223372036854775807 us", "99999999999,3", "99999,3", "32767", "32768", "-32768", "-32769", "32768x", "32770x", "-32770x",
    "2147483647", "2147483648", "-2147483648", "-2147483649", "2147483648x", "2147483649_", "2147483650x", "-2147483650 x",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9223372036854775808x",
    "9223372036854775810x", "0x7fff", "0x8000", "-0x8000", "-0x8001", "0x8000z", "0x80000z", "0x7fffffff", "0x80000000",
    "-0x80000000", "0x80000000z", "0x800000001z", "0x8000000000000000", "-0x8000000000000000", "0x80000000000000001z",
    "0b1000000000000000", "0b1111111111111111z", "0b100000000000000000z", "0o177777", "0o777777z", "99999999999_",
    "9999999999_9999__", "99999999999999999999999999999999999999999",
];

#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "1.2.3.4", "1.2.3.4/8", "1.2.3.4/32", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/a", "1.2.3.4/8 ", " 1.2.3.4", "1.2.3.4/24/8",
    "1.2.3.4/08", "1.2.3.4/032", "1.2.3.4/00", "0.0.0./0", "192.68.1./24", "1.2.3.4.", "1.2.3.4./32", "1.2.3.", "1.2.3.4.5", "1.2.3.4.5/8",
    "10/8", "10./8", "10", "1.2.3/20", "1.2/24", "1.2/16", "1..2/8", ".1/8", ".", "./0", "", "/8", "256.1.1.1", "01.02.003.0004", "1.2.3.4/-1",
    "::", "::1", "::2", "::c1", "::304", "::ffff", "::1:0", "::0.0.0.5", "::1.2.3.4", "::1.2.0.0", "::ffff:1.2.3.4", "::ffff:0:1",
    "::ffff:1.23.4", "::ffff:1.2", "::1.2/64", "::1./24", "::1..2", "::./8", "::.", "::1.", "::1.2.3.4.5", "::1.2.3.4./128",
    "::1.2.3.04", "::01.2.3.4", "::0.00.1.1", "::256.1.1.1", "::1/08", "::1/00", "::1/0", "::1/128", "::1/129", "::1/", "::2/64",
    "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
    "1:2:3:4::5:6:7:8", "1::2::3", "::1:", "::1:/64", "1:2:3:4:5:6:7:8:/64", "1:/64", ":/64", ":::/64", "1:::/64", ":", ":1", "1:", "1::",
    "1::/16", "::00001", "12345::", "fe80::1%eth0", "ABCD::EF", "1:0:0:2:0:0:0:3", "0:1:0:1:0:1:0:1", "1.2::", "64:ff9b::1.2.3.4",
];

const NUMBERS: &[&str] = &[
    // Spellings.
    "0",
    "-0",
    "+0",
    " 12 ",
    "\t1.5\n",
    "1.",
    ".5",
    "-.5",
    "1e3",
    "1E+3",
    "1.5e-3",
    "00012.3400",
    "1_000",
    "1_000.000_1",
    "1e1_0",
    "0x1F",
    "-0x1f",
    "0b1010_1",
    "0o17",
    "0x_ff",
    "0X1p3",
    "0x1.8p1",
    "0x.8",
    "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
    "NaN",
    "nan",
    " NaN ",
    "+NaN",
    "-nan",
    "Infinity",
    "-infinity",
    "+inf",
    "INF",
    "-Inf",
    // No numbers.
    "",
    " ",
    "-",
    "+",
    ".",
    "e5",
    "1e",
    "1e+",
    "1.2.3",
    "1 2",
    "1_",
    "_1",
    "1__0",
    "1_.5",
    "1._5",
    "1e_5",
    "1e5_",
    "0x",
    "0xg",
    "0x1.5e",
    "--1",
    "+-1",
    "infinit",
    "infinityx",
    "nano",
    "1,000",
    "abc",
    "1e5x",
    "é",
    "0b2",
    "0o8",
    "0x1_",
    "0x1__2",
    // What is too large, whatever follows it.
    "2147e48647.5",
    "1e400x",
    "-1e-400x",
    "1e39x",
    "1e400e5",
    "1e400.",
    "1e400 5",
    "1e400_",
    "0x1p5000z",
    "0x1p5000.5",
    "0x1.8p",
    "0e400x",
    "1.5.1",
    "-.x",
    // Sizes.
    "99999999999999999999.999",
    "1e20",
    "1e-20",
    "1e37",
    "1e38",
    "1e39",
    "-170141183460469231731687303715884105728",
    "170141183460469231731687303715884105728",
    "12345678901234567890123456789012345678901234567890.12345",
    "1e308",
    "1e309",
    "-1.7976931348623157e308",
    "1.7976931348623159e308",
    "4.9e-324",
    "2.4e-324",
    "2.5e-324",
    "1e-400",
    "3.4028235e38",
    "3.4028236e38",
    "1.4e-45",
    "7e-46",
    "1.1754943e-38",
    "1e-16383",
    "1e-16384",
    "0e-16384",
    "0e100000",
    "1e1073741824",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "1e131072",
    "0.00000",
    "0.000001",
    "123456789012345678",
    // Rounding.
    "0.005",
    "0.0049999",
    "999.994",
    "999.995",
    "-999.995",
    "1.005",
    "0.0099",
    "0.00995",
    "0.00994",
    "49",
    "50",
    "99949",
    "99950",
    "-150",
    "12345.5",
    "0.1",
    "0.3",
    "1e15",
    "1e14",
    "123456789",
    "999999999999999",
    "1e5",
    "1e6",
    "100000",
    "1000000",
    "0.0001",
    "0.00001",
    "16777217",
    "9007199254740993",
    "1e23",
    "5e-324",
    "2.2250738585072014e-308",
    "8.41e21",
    "2.0e-3",
    "9.5367431640625e-07",
    "5.960464477539063e-08",
    "33554432",
    "1.17549435e-38",
    "4503599627370497.5",
    "4503599627370496.5",
];

/// What a text gives here.
fn answer(ty: Oid, typmod: i32, text: &str) -> String {
    let context = Context::default();
    let base_type = base_type(ty);
    let value = match (base_type.input)(&context, text, typmod) {
        Ok(value) => value,
        Err(error) => return format!("!{} {}", error.0.code, escape(&error.0.message)),
    };
    let column = value.to_array(Repr::of(ty, -1).expect("a type with values"));
    let (mut text, mut bytes) = (Vec::new(), Vec::new());
    (base_type.output)(&context, &column, 0, &mut text).expect("a text");
    (base_type.send)(&context, &column, 0, &mut bytes).expect("bytes");
    let received = (base_type.receive)(&context, &bytes, typmod).expect("bytes that were sent");
    assert_eq!(Datum::of(&column, 0), received, "{value:?}");
    no_bytes_panic(ty, &bytes);
    let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}\t{hexadecimal}", escape(&String::from_utf8(text).expect("texts are UTF-8")))
}

/// Bytes that are none of a value fail, or are those of another one.
fn no_bytes_panic(ty: Oid, bytes: &[u8]) {
    let context = Context::default();
    let receive = base_type(ty).receive;
    for at in 0..bytes.len().min(16) {
        let _ = receive(&context, &bytes[..at], -1);
        for flip in [0x01, 0xff] {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= flip;
            let _ = receive(&context, &bytes, -1);
        }
    }
}

/// Asks a real server for all texts.
fn record(server: &str) {
    let mut script = String::from(
        "set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set client_min_messages = error;
         create function pg_temp.answer(value text, type text) returns text language plpgsql as $$
         declare result text; send text;
         begin
           select typsend into send from pg_type where oid = substring(type from '^[a-z0-9_]+')::regtype;
           execute format('select format(''%%s'', %1$L::%2$s) || e''\\t'' || encode(%3$s(%1$L::%2$s), ''hex'')', value, type, send)
             into result;
           return result;
         exception when others then return '!' || sqlstate || ' ' ||
           replace(replace(replace(sqlerrm, '\\', '\\\\'), e'\\t', '\\t'), e'\\n', '\\n');
         end $$;\n",
    );
    let mut lines = Vec::new();
    for (name, _, _, texts) in TYPES {
        for text in *texts {
            let quoted = text.replace('\'', "''");
            script.push_str(&format!("select pg_temp.answer('{quoted}', '{name}');\n"));
            lines.push(format!("{name}\t{}", escape(text)));
        }
    }
    let answers = ask(server, &[], &script);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len(), "an answer for each text");
    let all: String = lines.iter().zip(answers).map(|(l, a)| format!("{l}\t{a}\n")).collect();
    std::fs::write(TEXTS, all).unwrap();
}

#[test]
fn texts_mean_what_they_mean_to_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(TEXTS).unwrap();
    let fields = |line: &'static str| line.splitn(3, '\t').collect::<Vec<_>>();
    let recorded: BTreeMap<_, _> =
        recorded.leak().lines().map(fields).map(|fields| ((fields[0], fields[1]), fields[2])).collect();
    let (mut same, mut wrong) = (0, Vec::new());
    for (name, ty, typmod, texts) in TYPES {
        for text in *texts {
            let got = answer(*ty, *typmod, text);
            match recorded.get(&(*name, escape(text).as_str())) {
                Some(expected) if *expected == got => same += 1,
                expected => wrong.push(format!("{name} {text:?}: {got} instead of {expected:?}")),
            }
        }
    }
    println!("{same} texts mean what they mean to PostgreSQL");
    assert!(wrong.is_empty(), "{} texts do not mean what they mean there:\n{}", wrong.len(), wrong.join("\n"));
}

/// Messages of a real server's receive functions.
#[test]
fn bytes_of_no_value_are_refused() {
    let receive = |ty: Oid, bytes: &[u8]| {
        let received = (base_type(ty).receive)(&Context::default(), bytes, -1);
        received.map_err(|error| (error.0.code, error.0.message.clone()))
    };
    let wrong = |code, message: &str| Err((code, message.to_string()));
    for ty in [oid::BOOL, oid::CHAR, oid::INET] {
        assert_eq!(receive(ty, &[]), wrong("08P01", "no data left in message"));
    }
    assert_eq!(receive(oid::BOOL, &[1, 1]), wrong("22P03", "incorrect binary data format"));
    assert_eq!(receive(oid::INET, &[9]), wrong("22P03", "invalid address family in external \"inet\" value"));
    assert_eq!(receive(oid::INET, &[2, 33]), wrong("22P03", "invalid bits in external \"inet\" value"));
    assert_eq!(receive(oid::INET, &[2, 32, 0, 4, 1, 2, 3]), wrong("08P01", "no data left in message"));
    assert_eq!(receive(oid::INET, &[2, 32, 0, 4, 1, 2, 3, 4, 5]), wrong("22P03", "incorrect binary data format"));
    for (ty, element, name) in [(oid::OIDVECTOR, oid::OID, "oidvector"), (oid::INT2VECTOR, oid::INT2, "int2vector")] {
        let no_dimensions = [[0; 8].as_slice(), &element.to_be_bytes()].concat();
        assert_eq!(receive(ty, &no_dimensions), wrong("22P03", &format!("invalid {name} data")));
    }
}
