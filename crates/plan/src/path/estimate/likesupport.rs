//! Patterns of LIKE and of regular expressions: what they begin with, and how many rows they match (PostgreSQL's
//! `like_support.c`).

use catalog::strategy;
use types::{Argument, Call, ColumnBuilder, Datum, Oid, Repr, oid};

use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::{VariableStats, clamp};
use crate::plancat::ColumnStatistics;
use crate::planner_info::PlannerInfo;

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
    let chars: Vec<char> = match in_parentheses(anchored) {
        Some(inner) => inner.chars().chain(['$']).collect(),
        None => anchored.chars().collect(),
    };
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

/// The inner of a pattern that is in parentheses as a whole, to the end of the text: psql writes `^(name)$`.
fn in_parentheses(anchored: &str) -> Option<&str> {
    let inner = anchored.strip_prefix('(')?.strip_suffix(")$")?;
    (!inner.contains(['(', ')', '[', '\\'])).then_some(inner)
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
    operator: Oid,
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
    let matching = match (&prefix, &found.statistics) {
        (Prefix::Exact(exact), _) => selfuncs::eq_const(found, (found.ty, &Datum::text(exact.as_str())), false),
        (_, Some(statistics)) => {
            let guessed = || match &prefix {
                Prefix::Partial(prefix) => prefix_selectivity(root, found, prefix) * rest,
                _ => rest,
            };
            let matches = |values: &[&Datum]| matches(root, operator, estimator, values, &Datum::text(text.clone()));
            matching_of_sample(statistics, matches, guessed)
        }
        // As PostgreSQL, which needs a histogram for more.
        (Prefix::Partial(_), None) => clamp(rest * selfuncs::DEFAULT_RANGE).max(selfuncs::DEFAULT_MATCH.min(1.0)),
        (Prefix::None, None) => return default,
    };
    negate(estimator, matching, null_fraction)
}

/// The part of the rows that match as far as the values tell that statistics have; `guessed`: what the pattern alone tells, for the
/// rest, where they are few.
fn matching_of_sample(
    statistics: &ColumnStatistics,
    matches: impl Fn(&[&Datum]) -> Option<Vec<bool>>,
    guessed: impl Fn() -> f64,
) -> f64 {
    // The least and the greatest value are no sample (`histogram_selectivity`).
    let histogram = statistics.histogram.get(1..statistics.histogram.len().saturating_sub(1)).unwrap_or_default();
    let inner: Vec<&Datum> = histogram.iter().collect();
    let size = statistics.histogram.len() as f64;
    let counted = (size >= 10.0).then(|| matches(&inner)).flatten();
    let counted = counted.map(|each| each.iter().filter(|matches| **matches).count() as f64 / inner.len() as f64);
    let part = match counted {
        Some(counted) if size >= 100.0 => counted,
        Some(counted) => counted * (size / 100.0) + guessed() * (1.0 - size / 100.0),
        None => guessed(),
    };
    // Nothing is quite impossible, nor certain.
    let part = part.clamp(0.0001, 0.9999);
    let values: Vec<&Datum> = statistics.most_common.iter().map(|(value, _)| value).collect();
    let common: f64 = statistics.most_common.iter().map(|(_, frequency)| frequency).sum();
    let each = matches(&values).unwrap_or_default();
    let matching = statistics.most_common.iter().zip(each).filter(|(_, matches)| *matches);
    let matching: f64 = matching.map(|((_, frequency), _)| frequency).sum();
    clamp(part * (1.0 - statistics.null_fraction - common) + matching)
}

/// Which of these values match a pattern, by the operator itself, or by the one that it negates; `None`: it is not here, or fails.
fn matches(root: &PlannerInfo, operator: Oid, estimator: Oid, values: &[&Datum], pattern: &Datum) -> Option<Vec<bool>> {
    let catalog = root.planner.catalog;
    let operator = catalog.operator(operator)?;
    let positive = if is_negated(estimator) { catalog.operator(operator.oprnegate)? } else { operator };
    let function = catalog.implementation(positive.oprcode)?;
    let mut texts = ColumnBuilder::new(Repr::Text, values.len());
    for value in values {
        matches!(value, Datum::Text(_)).then(|| texts.push(value))?;
    }
    let arguments = [Argument::column(texts.finish()), Argument::constant(pattern.to_array(Repr::Text))];
    let types = [positive.oprleft, positive.oprright];
    let context = root.planner.context;
    let call = Call { context, rows: values.len(), arguments: &types, result: oid::BOOL, variadic: false };
    let answers = (function.kernel)(&call, &arguments).ok()?;
    Some((0..values.len()).map(|at| Datum::of(&answers, at) == Datum::Bool(true)).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_regular_expressions_begin_with() {
        let prefix = |pattern: &str| fixed_prefix(pattern, PatternType::Regex).0;
        let exact = |text: &str| Prefix::Exact(text.into());
        let partial = |text: &str| Prefix::Partial(text.into());
        assert_eq!([prefix("^t1$"), prefix("^(t1)$")], [exact("t1"), exact("t1")]);
        assert_eq!(
            [prefix("^(ab.*)$"), prefix("^(abc*)$"), prefix("^(ab+)$")],
            [partial("ab"), partial("ab"), partial("ab")]
        );
        for none in ["^(a|b)$", "^(a)*$", "^(a(b))$", "^(a)(b)$", "^(.*)$", "^(\\d)$", "(a)$", "^(?i)a$"] {
            assert_eq!(prefix(none), Prefix::None, "{none}");
        }
    }
}
