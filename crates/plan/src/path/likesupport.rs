//! Patterns of LIKE and of regular expressions: what they begin with, and how many rows they match (PostgreSQL's
//! `like_support.c`).

use catalog::strategy;
use types::{Datum, Oid, oid};

use super::selfuncs::{self, VariableStats, clamp};
use crate::planner::PlannerInfo;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatternType {
    Like,
    LikeIgnoreCase,
    Regex,
    RegexIgnoreCase,
    Prefix,
}

/// What a pattern says of the texts that match it.
#[derive(Clone, PartialEq, Debug)]
pub enum Prefix {
    None,
    /// They begin with it.
    Partial(String),
    /// They are it.
    Exact(String),
}

/// The functions of the pattern operators, by oid: `textlike` ….
pub fn pattern_of_function(function: Oid) -> Option<PatternType> {
    Some(match function {
        850 | 858 | 1631 => PatternType::Like,
        1633 | 1635 | 1660 => PatternType::LikeIgnoreCase,
        79 | 1254 | 1658 => PatternType::Regex,
        1238 | 1240 | 1656 => PatternType::RegexIgnoreCase,
        3696 => PatternType::Prefix,
        _ => return None,
    })
}

/// The fixed beginning of a pattern, and the selectivity of the rest (`pattern_fixed_prefix`).
pub fn fixed_prefix(pattern: &str, kind: PatternType) -> (Prefix, f64) {
    match kind {
        PatternType::Like => like_prefix(pattern, false),
        PatternType::LikeIgnoreCase => like_prefix(pattern, true),
        PatternType::Regex => regex_prefix(pattern, false),
        PatternType::RegexIgnoreCase => regex_prefix(pattern, true),
        PatternType::Prefix => (Prefix::Partial(pattern.to_string()), FULL_WILDCARD),
    }
}

const FIXED_CHAR: f64 = 0.20;
const CHAR_RANGE: f64 = 0.25;
const ANY_CHAR: f64 = 0.9;
const FULL_WILDCARD: f64 = 5.0;
const PARTIAL_WILDCARD: f64 = 2.0;

fn like_prefix(pattern: &str, ignore_case: bool) -> (Prefix, f64) {
    let mut prefix = String::new();
    let mut chars = pattern.char_indices();
    let mut exact = true;
    let mut rest = "";
    while let Some((at, char)) = chars.next() {
        let literal = match char {
            '%' | '_' => None,
            '\\' => match chars.next() {
                Some((_, escaped)) => Some(escaped),
                None => break,
            },
            c => Some(c),
        };
        match literal {
            Some(c) if !(ignore_case && c.is_alphabetic()) => prefix.push(c),
            _ => {
                exact = false;
                rest = &pattern[at..];
                break;
            }
        }
    }
    let selectivity = like_selectivity(rest);
    match (exact, prefix.is_empty()) {
        (true, _) => (Prefix::Exact(prefix), selectivity),
        (false, false) => (Prefix::Partial(prefix), selectivity),
        (false, true) => (Prefix::None, selectivity),
    }
}

fn like_selectivity(pattern: &str) -> f64 {
    let mut selectivity = 1.0;
    let mut chars = pattern.trim_start_matches(['%', '_']).chars();
    while let Some(char) = chars.next() {
        selectivity *= match char {
            '%' => FULL_WILDCARD,
            '_' => ANY_CHAR,
            '\\' => {
                chars.next();
                FIXED_CHAR
            }
            _ => FIXED_CHAR,
        };
    }
    selectivity.min(1.0)
}

/// Texts that a regular expression's beginning fixes. Only plain characters behind `^` are understood; anything else ends
/// the prefix, which is always right.
fn regex_prefix(pattern: &str, ignore_case: bool) -> (Prefix, f64) {
    let selectivity = regex_selectivity(pattern);
    let Some(anchored) = pattern.strip_prefix('^') else { return (Prefix::None, selectivity) };
    // An alternative at any place may be one to the whole.
    if pattern.contains('|') || anchored.starts_with("(?") || pattern.starts_with("***") {
        return (Prefix::None, selectivity);
    }
    let mut prefix = String::new();
    let chars: Vec<char> = anchored.chars().collect();
    let mut exact = false;
    for (at, &char) in chars.iter().enumerate() {
        let next = chars.get(at + 1);
        if char == '$' && next.is_none() {
            exact = true;
            break;
        }
        let plain = char.is_alphanumeric()
            || matches!(
                char,
                ' ' | '_'
                    | '-'
                    | '/'
                    | ':'
                    | ','
                    | '@'
                    | '#'
                    | '%'
                    | '&'
                    | '='
                    | '"'
                    | '\''
                    | ';'
                    | '<'
                    | '>'
                    | '~'
                    | '!'
            );
        if !plain || (ignore_case && char.is_alphabetic()) || next.is_some_and(|next| matches!(next, '*' | '?' | '{')) {
            break;
        }
        prefix.push(char);
        if next == Some(&'+') {
            break;
        }
    }
    let plain_length = prefix.chars().count() as i32;
    match (exact, prefix.is_empty()) {
        (true, false) => (Prefix::Exact(prefix), 1.0),
        (false, false) => (Prefix::Partial(prefix), (selectivity / FIXED_CHAR.powi(plain_length)).clamp(0.0, 1.0)),
        _ => (Prefix::None, selectivity),
    }
}

fn regex_selectivity(pattern: &str) -> f64 {
    let mut selectivity = 1.0;
    let mut in_brackets = false;
    for char in pattern.chars() {
        if in_brackets {
            if char == ']' {
                in_brackets = false;
                selectivity *= CHAR_RANGE;
            }
            continue;
        }
        match char {
            '[' => in_brackets = true,
            '.' => selectivity *= ANY_CHAR,
            '*' | '?' | '+' => selectivity *= PARTIAL_WILDCARD,
            '^' | '$' | '(' | ')' | '|' | '\\' | '{' | '}' => {}
            _ => selectivity *= FIXED_CHAR,
        }
    }
    if !pattern.ends_with('$') {
        selectivity *= FULL_WILDCARD;
    }
    selectivity.min(1.0)
}

/// The least text that is greater than all that begin with a prefix, by their bytes (`make_greater_string`). `None`: there is
/// none.
pub fn greater_string(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

// `oprrest` of the pattern operators.
const NEGATED: [Oid; 4] = [1815, 1821, 1822, 1823];

fn pattern_of_estimator(estimator: Oid) -> Option<PatternType> {
    Some(match estimator {
        1819 | 1822 => PatternType::Like,
        1814 | 1815 => PatternType::LikeIgnoreCase,
        1818 | 1821 => PatternType::Regex,
        1820 | 1823 => PatternType::RegexIgnoreCase,
        3437 => PatternType::Prefix,
        _ => return None,
    })
}

fn is_negated(estimator: Oid) -> bool {
    NEGATED.contains(&estimator)
}

pub fn default_selectivity(estimator: Oid) -> f64 {
    if is_negated(estimator) { 1.0 - selfuncs::DEFAULT_MATCH } else { selfuncs::DEFAULT_MATCH }
}

/// How many rows match a pattern (`patternsel`).
pub fn pattern_selectivity(
    root: &PlannerInfo,
    _operator: Oid,
    estimator: Oid,
    found: &VariableStats,
    pattern: Option<(Oid, &Datum)>,
) -> f64 {
    let default = default_selectivity(estimator);
    let Some(kind) = pattern_of_estimator(estimator) else { return default };
    let text = match pattern {
        Some((_, Datum::Null)) => return 0.0,
        Some((_, Datum::Text(text))) => text,
        _ => return default,
    };
    let null_fraction = found.statistics.as_ref().map_or(0.0, |statistics| statistics.null_fraction);
    let (prefix, rest) = fixed_prefix(text, kind);
    let ty = found.ty;
    let matching = match &prefix {
        Prefix::Exact(exact) => selfuncs::eq_const(found, (ty, &Datum::text(exact.as_str())), false),
        _ => {
            let Some(statistics) = &found.statistics else {
                return match &prefix {
                    // As PostgreSQL, which needs a histogram for more.
                    Prefix::Partial(_) => negate(
                        estimator,
                        clamp(rest * selfuncs::DEFAULT_RANGE).max(selfuncs::DEFAULT_MATCH.min(1.0)),
                        0.0,
                    ),
                    _ => default,
                };
            };
            let starts = |value: &Datum, prefix: &str| matches!(value, Datum::Text(value) if value.starts_with(prefix));
            let part = match &prefix {
                Prefix::Partial(prefix) => prefix_selectivity(root, found, prefix) * rest,
                _ => rest,
            };
            let mut common = 0.0;
            let mut matched = 0.0;
            for (value, frequency) in &statistics.most_common {
                common += frequency;
                if let Prefix::Partial(prefix) = &prefix
                    && starts(value, prefix)
                {
                    matched += frequency * rest.max(0.5);
                }
            }
            let part = part.clamp(0.0001, 0.9999);
            clamp(part * (1.0 - null_fraction - common) + matched)
        }
    };
    negate(estimator, matching, null_fraction)
}

fn negate(estimator: Oid, matching: f64, null_fraction: f64) -> f64 {
    clamp(if is_negated(estimator) { 1.0 - matching - null_fraction } else { matching })
}

/// Rows that begin with a prefix, of those in the histogram (`prefix_selectivity`).
fn prefix_selectivity(_root: &PlannerInfo, found: &VariableStats, prefix: &str) -> f64 {
    let value = Datum::text(prefix);
    let mut selectivity = selfuncs::inequality(found, (found.ty, &value), true, true);
    if let Some(greater) = greater_string(prefix) {
        let above = selfuncs::inequality(found, (found.ty, &Datum::text(greater)), false, false);
        selectivity = above + selectivity - 1.0;
    }
    let equal = selfuncs::eq_const(found, (found.ty, &value), false);
    clamp(selectivity.max(equal))
}

/// What index comparisons a prefix is: strategies and texts.
pub fn prefix_bounds(prefix: &Prefix) -> Vec<(i16, String)> {
    match prefix {
        Prefix::None => Vec::new(),
        Prefix::Exact(text) => vec![(strategy::EQUAL, text.clone())],
        Prefix::Partial(text) => {
            let mut bounds = vec![(strategy::GREATER_EQUAL, text.clone())];
            bounds.extend(greater_string(text).map(|greater| (strategy::LESS, greater)));
            bounds
        }
    }
}

/// Types whose values are texts.
pub fn is_text(ty: Oid) -> bool {
    matches!(ty, oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME)
}
