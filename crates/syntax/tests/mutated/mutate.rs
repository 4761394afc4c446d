//! Statements are damaged, token by token.

use serde_json::Value;

const RECORDING: &[u8] = include_bytes!("../../../server/tests/regress/postgresql18.jsonl.zst");

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What is put in: words and marks that mean something to scanner or grammar, whole or broken.
const TOKENS: &[&str] = &[
    "select",
    "from",
    "where",
    "not",
    "and",
    "or",
    "in",
    "between",
    "like",
    "is",
    "null",
    "nulls",
    "first",
    "with",
    "without",
    "time",
    "zone",
    "ordinality",
    "format",
    "json",
    "as",
    "on",
    "using",
    "join",
    "left",
    "natural",
    "cross",
    "lateral",
    "union",
    "all",
    "except",
    "distinct",
    "group",
    "by",
    "order",
    "limit",
    "fetch",
    "ties",
    "rows",
    "only",
    "for",
    "update",
    "values",
    "default",
    "returning",
    "insert",
    "into",
    "conflict",
    "do",
    "set",
    "delete",
    "merge",
    "create",
    "table",
    "index",
    "view",
    "function",
    "returns",
    "setof",
    "alter",
    "drop",
    "cascade",
    "type",
    "cast",
    "case",
    "when",
    "then",
    "else",
    "end",
    "array",
    "row",
    "interval",
    "numeric",
    "double",
    "precision",
    "char",
    "collate",
    "over",
    "partition",
    "window",
    "filter",
    "within",
    "exists",
    "any",
    "some",
    "extract",
    "overlay",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ".",
    ":",
    "::",
    ":=",
    "=>",
    "..",
    "*",
    "+",
    "-",
    "/",
    "%",
    "^",
    "<",
    ">",
    "=",
    "<=",
    ">=",
    "<>",
    "!=",
    "||",
    "@",
    "&&",
    "?",
    "->",
    "->>",
    "#",
    "~",
    "!",
    "|/",
    "$",
    "$1",
    "$0",
    "$99999999999",
    "$1a",
    "1",
    "0",
    "1.",
    ".5",
    "1e",
    "1e10",
    "1.5e-3",
    "1_000",
    "1_",
    "0x",
    "0x1f",
    "0b2",
    "0o17",
    "12abc",
    "2147483648",
    "99999999999999999999",
    "'",
    "''",
    "'x'",
    "'x''y'",
    "E'\\n'",
    "E'\\x",
    "E'\\u00e9'",
    "E'\\ud800'",
    "E'\\777'",
    "e'\\'",
    "U&'\\0041'",
    "U&'\\d83d\\de00'",
    "U&'\\zz'",
    "U&\"d\\0061t\"",
    "uescape",
    "uescape '!'",
    "b'01'",
    "b'2'",
    "x'1f'",
    "x'g'",
    "n'x'",
    "$$x$$",
    "$a$x$a$",
    "$a$",
    "\"x\"",
    "\"\"",
    "\"",
    "--",
    "--\n",
    "/*",
    "*/",
    "/* /* */ */",
    "\\",
    "é",
    "\u{1f600}",
    "\u{a0}",
    "\t",
    "\n",
    "\r\n",
    "\u{b}",
    "`",
    "{",
    "}",
    "a_name_that_is_longer_than_the_sixty_three_bytes_that_a_name_may_have",
];

/// All statements of the regression files.
pub fn seeds() -> Vec<String> {
    let text = zstd::decode_all(RECORDING).unwrap();
    let mut seeds = Vec::new();
    for line in std::str::from_utf8(&text).unwrap().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let Some(script) = entry.get("script") else { continue };
        let queries = script["steps"].as_array().unwrap().iter().filter_map(|s| s.get("query"));
        seeds.extend(queries.map(|q| q["sql"].as_str().unwrap().to_string()));
    }
    seeds
}

/// Words, blanks, and single characters of any other kind.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (at, c) in text.char_indices() {
        if at > start && (kind(c) != last || last == 0) {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = kind(c);
    }
    tokens.push(&text[start..]);
    tokens
}

pub fn mutated(seeds: &[String], random: &mut Random) -> String {
    let seed = &seeds[random.below(seeds.len())];
    let mut parts: Vec<String> = tokens(seed).into_iter().map(str::to_string).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(parts.len());
        match random.below(8) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, TOKENS[random.below(TOKENS.len())].to_string()),
            2 => parts.insert(at, format!(" {} ", TOKENS[random.below(TOKENS.len())])),
            3 => parts[at] = TOKENS[random.below(TOKENS.len())].to_string(),
            4 => parts.truncate(at),
            5 => {
                let other = random.below(parts.len());
                parts.swap(at, other);
            }
            6 => {
                let again = parts[at].clone();
                parts.extend(std::iter::repeat_n(again, if random.one_in(50) { 20_000 } else { 1 }));
            }
            _ => {
                let other =
                    tokens(&seeds[random.below(seeds.len())]).into_iter().map(str::to_string).collect::<Vec<_>>();
                let from = random.below(other.len());
                parts.truncate(at);
                parts.extend_from_slice(&other[from..]);
            }
        }
        if parts.is_empty() {
            return String::new();
        }
    }
    parts.concat()
}
