//! The parameters, a line for each: `postgresql.tsv` has what PostgreSQL 18's `pg_settings` says of its own, `inflight.tsv` those
//! that PostgreSQL does not have, and the whole line of those that are different here.
//!
//! | column | meaning |
//! |---|---|
//! | name, type, context, unit, min, max, values, default, category, description, more | as in `pg_settings` (`boot_val`, `short_desc`, `extra_desc`); values are separated by a bar; `auto integer` and `auto blocks` may be `auto` instead |
//! | also | spellings of values that are accepted and not told: `spelling=value`, separated by bars |
//! | flags | L a list of names, Q its names are quoted where they need it, S only superusers may look at it, R cannot be reset, A left alone by RESET ALL, H not in `pg_settings`, O shown in octal, E shown by EXPLAIN (SETTINGS) |
//! | here | `honoured`; `none`: checked and kept, without an effect; `among a\|b`: likewise, and only these exist; `only a\|b`: what other values promise is not there; `for all a`: honoured, and whether it is `a` is the same for the whole server |

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::definition::{Context, Definition, Kind};
use crate::unit::Unit;

/// What is known of a parameter beside its definition.
#[derive(Debug, Default)]
pub struct Facts {
    /// Its value is a list of names.
    pub list: bool,
    pub quoted_list: bool,
    /// Only superusers may look at it.
    pub superuser_only: bool,
    pub no_reset: bool,
    pub no_reset_all: bool,
    /// Not in `pg_settings` and SHOW ALL.
    pub hidden: bool,
    pub octal: bool,
    /// EXPLAIN (SETTINGS) tells of it: plans depend on it.
    pub explained: bool,
    /// Spellings that are accepted for a value: `(spelling, value)`.
    pub also: Vec<(&'static str, &'static str)>,
    /// No other value is supported.
    pub only: Option<Vec<&'static str>>,
    /// Whether it has this value is the server's choice, not a session's.
    pub for_all: Option<&'static str>,
    /// No other value exists.
    pub among: Option<Vec<&'static str>>,
    /// `pg_settings.extra_desc`.
    pub more: &'static str,
}

/// All parameters in the order of their names, with what else is known of each.
pub static ALL: LazyLock<(Vec<Definition>, Vec<Facts>)> = LazyLock::new(|| {
    let lines =
        |file: &'static str| file.lines().skip(1).map(read).map(|line| (line.0.name.to_ascii_lowercase(), line));
    let mut all: BTreeMap<String, (Definition, Facts)> = lines(include_str!("postgresql.tsv")).collect();
    all.extend(lines(include_str!("inflight.tsv")));
    all.into_values().unzip()
});

/// A line of a file; they are ours, and a test reads all of it.
fn read(line: &'static str) -> (Definition, Facts) {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [name, ty, context, unit, min, max, values, also, default, flags, here, category, description, more] =
        fields[..]
    else {
        panic!("{line}: a parameter has 14 fields");
    };
    let has = |flag| flags.contains(flag);
    let facts = Facts {
        list: has('L'),
        quoted_list: has('Q'),
        superuser_only: has('S'),
        no_reset: has('R'),
        no_reset_all: has('A'),
        hidden: has('H'),
        octal: has('O'),
        explained: has('E'),
        also: also.split('|').filter_map(|pair| pair.split_once('=')).collect(),
        only: here.strip_prefix("only ").map(|values| values.split('|').collect()),
        for_all: here.strip_prefix("for all "),
        among: here.strip_prefix("among ").map(|values| values.split('|').collect()),
        more,
    };
    // Made once, for as long as the program runs.
    let description: &'static str = match (here, &facts.only) {
        ("honoured", _) => description,
        _ if facts.for_all.is_some() => description,
        (_, Some(only)) => {
            let only: Vec<_> = only.iter().map(|v| if v.is_empty() { "''" } else { v }).collect();
            format!("{description} (Inflight supports only {}.)", only.join(", ")).leak()
        }
        _ => format!("{description} (No effect in Inflight.)").leak(),
    };
    let kind = match ty {
        "bool" => Kind::Bool,
        "integer" => Kind::Integer { min: number(min), max: number(max), unit: Unit::of(unit) },
        "auto integer" => Kind::AutoInteger { min: number(min), max: number(max) },
        "auto blocks" => Kind::AutoBlocks { min: number(min), max: number(max) },
        "real" => Kind::Real { min: number(min), max: number(max), unit: Unit::of(unit) },
        "enum" => Kind::Enum(values.split('|').collect::<Vec<_>>().leak()),
        _ => Kind::String,
    };
    let context = Context::ALL.into_iter().find(|c| c.name() == context).expect("one of PostgreSQL's contexts");
    (Definition { name, kind, context, default, category, description }, facts)
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().ok().expect("numbers have a least and a greatest value")
}
