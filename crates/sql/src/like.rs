//! LIKE and ILIKE with patterns that are not known to be complete: a pattern that ends in its escape character is an error
//! (22025) where matching comes to it, as in PostgreSQL's `MatchText`.

use std::sync::Arc;

use datafusion::arrow::array::{Array, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::Like;
use datafusion::logical_expr::{Expr, Volatility, not};
use engine::{EngineError, Result};

use crate::function::Function;
use crate::output::text_array;

/// May the pattern end in its escape character?
pub fn differs(like: &Like) -> bool {
    match &*like.pattern {
        Expr::Literal(ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text), _) => {
            text.as_ref().is_some_and(|text| text.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1)
        }
        Expr::Literal(..) => false,
        _ => true,
    }
}

/// The call that does it.
pub fn call(like: Like) -> Expr {
    let matched = function(like.case_insensitive).call(vec![*like.expr, *like.pattern]);
    if like.negated { not(matched) } else { matched }
}

fn function(any_case: bool) -> Function {
    let function = Function::new("pg_like", 2, DataType::Boolean, Volatility::Immutable, move |call| {
        let (texts, patterns) = (text_array(&call.args[0])?, text_array(&call.args[1])?);
        let mut out = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let pair = (texts.is_valid(row) && patterns.is_valid(row)).then(|| (texts.value(row), patterns.value(row)));
            out.push(match pair {
                None => None,
                Some((text, pattern)) if any_case => {
                    Some(matches(text.to_lowercase().as_bytes(), pattern.to_lowercase().as_bytes())?)
                }
                Some((text, pattern)) => Some(matches(text.as_bytes(), pattern.as_bytes())?),
            });
        }
        Ok(Arc::new(BooleanArray::from(out)))
    });
    function.variant(any_case)
}

/// Where the character ends that begins here.
fn next(text: &[u8], at: usize) -> usize {
    let rest = text[at + 1..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    at + 1 + rest
}

/// Texts are UTF-8, in which no character contains another's bytes: so bytes are compared, and only `_` takes characters.
fn matches(text: &[u8], pattern: &[u8]) -> Result<bool> {
    let incomplete = || EngineError::new("22025", "LIKE pattern must not end with escape character");
    let (mut t, mut p) = (0, 0);
    // Where to go on after the last `%`, when it takes a character more.
    let mut again: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&b'%') {
            while let Some(wild @ (b'%' | b'_')) = pattern.get(p) {
                if *wild == b'_' {
                    if t == text.len() {
                        return Ok(false);
                    }
                    t = next(text, t);
                }
                p += 1;
            }
            match pattern.get(p..) {
                None | Some([]) => return Ok(true),
                Some([b'\\']) => return Err(incomplete()),
                Some(_) => again = Some((t, p)),
            }
            continue;
        }
        let step = match (text.get(t), pattern.get(p)) {
            (None, None) => return Ok(true),
            // The rest of the text is too short for the pattern, and gets only shorter.
            (None, Some(_)) => return Ok(false),
            (Some(_), Some(b'_')) => Some((next(text, t), p + 1)),
            (Some(_), Some(b'\\')) if p + 1 == pattern.len() => return Err(incomplete()),
            (Some(byte), Some(b'\\')) => (pattern[p + 1] == *byte).then_some((t + 1, p + 2)),
            (Some(byte), Some(wanted)) => (wanted == byte).then_some((t + 1, p + 1)),
            (Some(_), None) => None,
        };
        (t, p) = match (step, again) {
            (Some(step), _) => step,
            (None, Some((from, behind))) if from < text.len() => {
                let from = next(text, from);
                again = Some((from, behind));
                (from, behind)
            }
            (None, _) => return Ok(false),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_in_postgresql() {
        for (text, pattern, answer) in [
            ("abc", "a%", Some(true)),
            ("abc", "%c", Some(true)),
            ("abc", "%b", Some(false)),
            ("abcbc", "%bc", Some(true)),
            ("aXbXc", "a%X_", Some(true)),
            ("äöü", "_ö_", Some(true)),
            ("äöü", "__", Some(false)),
            ("", "%", Some(true)),
            ("", "_", Some(false)),
            ("", "\\", Some(false)),
            ("a", "b\\", Some(false)),
            ("a", "a\\", Some(false)),
            ("ab", "a\\", None),
            ("a%", "a\\%", Some(true)),
            ("ab", "a\\%", Some(false)),
            ("abc", "%\\", None),
            ("abcd", "%_d", Some(true)),
            ("d", "%_d", Some(false)),
            ("", "%_", Some(false)),
        ] {
            assert_eq!(matches(text.as_bytes(), pattern.as_bytes()).ok(), answer, "{text} {pattern}");
        }
    }
}
