//! Regular expressions made by chance match as in PostgreSQL 18: the match, its groups, how many there are, and what
//! `regexp_replace` and `regexp_split_to_array` make of them.
//!
//! `tests/regexes.tsv` has expression, text, and the answer or `!` with SQLSTATE and message, recorded as the answers of
//! functions are (see `answers.rs`). The same numbers make the same expressions each time.

use types::regex::{Options, Regex, compiled, matches};

mod server;

use server::{base_type, escape};
use testkit::ask;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regexes.tsv");

const CASES: usize = 3000;

/// Numbers that look like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn pattern(&mut self, depth: usize, groups: &mut usize) -> String {
        let branches = if self.below(3) == 0 { 1 + self.below(3) } else { 1 };
        (0..branches).map(|_| self.branch(depth, groups)).collect::<Vec<_>>().join("|")
    }

    fn branch(&mut self, depth: usize, groups: &mut usize) -> String {
        let pieces = self.below(4) + usize::from(self.below(8) > 0);
        (0..pieces).map(|_| self.piece(depth, groups)).collect()
    }

    fn piece(&mut self, depth: usize, groups: &mut usize) -> String {
        let atom = match self.below(20) {
            0..5 if depth > 0 => {
                *groups += 1;
                format!("({})", self.pattern(depth - 1, groups))
            }
            5..7 if depth > 0 => format!("(?:{})", self.pattern(depth - 1, groups)),
            7 if depth > 0 => {
                let look = self.one(&["(?=", "(?!", "(?<=", "(?<!"]);
                // Groups within are none.
                return format!("{look}{})", self.pattern(depth - 1, &mut 9));
            }
            8 => return self.one(&["^", "$", "\\m", "\\M", "\\y", "\\Y", "\\A", "\\Z"]).to_string(),
            9 if *groups > 0 => format!("\\{}", 1 + self.below(*groups)),
            _ => self.one(&["a", "b", "c", "ü", ".", "[ab]", "[^a]", "\\w", "\\W", "\\s", "[a-c]", "ab"]).to_string(),
        };
        let quantifier = self
            .one(&["", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "{2}?"]);
        atom + quantifier
    }

    fn text(&mut self) -> String {
        let length = self.below(12);
        (0..length).map(|_| self.one(&["a", "a", "b", "b", "c", "ü", "_", " ", "\n", "A"])).collect()
    }
}

fn cases() -> Vec<(String, String)> {
    let mut chance = Chance(20_261_123);
    let mut all = Vec::new();
    for _ in 0..CASES {
        let options = match chance.below(10) {
            0 => chance.one(&["(?i)", "(?n)", "(?in)", "(?p)", "(?w)", "(?x)"]),
            _ => "",
        };
        let depth = chance.below(3);
        let pattern = chance.pattern(depth, &mut 0);
        all.push((format!("{options}{pattern}"), chance.text()));
    }
    all
}

/// What is asked of a case, as SQL.
const QUESTION: &str = "select format('%s %s %s-%s %s %s', regexp_count($1, $2), regexp_match($1, $2), \
    regexp_instr($1, $2, 1, 1, 0), regexp_instr($1, $2, 1, 1, 1), regexp_replace($1, $2, '<\\1>', 'g'), \
    regexp_split_to_array($1, $2))";

/// The array of texts as PostgreSQL writes it.
fn array(bytes: &[u8]) -> String {
    let base = base_type(types::oid::TEXT_ARRAY);
    let column = types::Datum::bytes(bytes).to_array(types::Repr::Array);
    let mut out = Vec::new();
    (base.output)(&types::Context::default(), &column, 0, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn answer(pattern: &str, text: &str) -> types::Result<String> {
    let options = matches::flags("", Options::ADVANCED)?.options;
    let regex = compiled(pattern, options)?;
    let chars: Vec<char> = text.chars().collect();
    let all = matches::Matches::new(&regex, &chars, 0, false).collect::<types::Result<Vec<_>>>()?;
    assert_eq!(regex.is_match(&chars)?, !all.is_empty(), "{pattern} {text}");
    let (groups, from, to) = match all.first() {
        Some(first) => {
            let (from, to) = first[0].unwrap();
            (array(&matches::groups(&chars, first)?), from + 1, to + 1)
        }
        None => (String::new(), 0, 0),
    };
    let replaced = matches::replace(text, pattern, "<\\1>", options, 0, 0)?;
    let parts = array(&matches::split(text, pattern, options)?);
    Ok(format!("{} {groups} {from}-{to} {replaced} {parts}", all.len()))
}

fn record(server: &str) {
    let mut script = "set client_min_messages = error;
         create function pg_temp.answer(t text, p text) returns text language plpgsql as $$
         declare result text;
         begin
           execute $q$QUESTION$q$ into result using t, p;
           return replace(replace(result, '\\', '\\\\'), e'\\n', '\\n');
         exception when others then return '!' || sqlstate || ' ' || sqlerrm;
         end $$;\n"
        .replace("QUESTION", QUESTION);
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    for (pattern, text) in cases() {
        script.push_str(&format!("select pg_temp.answer({}, {});\n", quote(&text), quote(&pattern)));
    }
    let answers = ask(server, &[], &script);
    let line = |((pattern, text), answer): ((String, String), &str)| {
        format!("{}\t{}\t{answer}\n", escape(&pattern), escape(&text))
    };
    std::fs::write(ANSWERS, cases().into_iter().zip(answers.lines()).map(line).collect::<String>()).unwrap();
}

#[test]
fn expressions_match_as_in_postgresql() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let mut wrong = Vec::new();
    for ((pattern, text), line) in cases().iter().zip(recorded.lines()) {
        let expected = line.rsplit_once('\t').map_or("", |(_, answer)| answer);
        let got = match answer(pattern, text) {
            Ok(answer) => escape(&answer),
            Err(error) => format!("!{} {}", error.0.code, error.0.message),
        };
        if got != expected {
            wrong.push(format!("{}\t{}: {got} instead of {expected}", escape(pattern), escape(text)));
        }
    }
    assert_eq!(recorded.lines().count(), CASES);
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// Whatever an expression is, it is bounded.
#[test]
fn large_expressions_are_refused() {
    let options = matches::flags("", Options::ADVANCED).unwrap().options;
    for pattern in
        ["((a{200}){200}){200}".to_string(), "(".repeat(100_000), format!("{}a{}", "(".repeat(300), ")".repeat(300))]
    {
        assert_eq!(Regex::new(&pattern, options).unwrap_err().0.code, "2201B");
    }
    // Long texts take time that is linear.
    let regex = Regex::new("(a|ab|b)*c", options).unwrap();
    let text: Vec<char> = "ab".repeat(20_000).chars().collect();
    assert!(!regex.is_match(&text).unwrap());
}
