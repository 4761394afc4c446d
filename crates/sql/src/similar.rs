//! Patterns: `SIMILAR TO` as a regular expression, `LIKE … ESCAPE` as a LIKE whose escape is the backslash, PostgreSQL's
//! regular expressions as Rust's.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::Volatility;
use engine::{EngineError, Result};

use crate::function::Function;
use crate::output::text_array;

/// `pg_similar(pattern [, escape])`: what SIMILAR TO does with its pattern.
pub fn similar_to_escape() -> Function {
    of_patterns("pg_similar", regular_expression)
}

/// `like_escape(pattern, escape)`.
pub fn like_escape() -> Function {
    of_patterns("like_escape", backslashed)
}

/// `pg_regex(pattern)`.
pub fn pg_regex() -> Function {
    of_patterns("pg_regex", |pattern, _| advanced(pattern))
}

fn of_patterns(name: &'static str, f: fn(&str, Option<char>) -> Result<String>) -> Function {
    Function::new(name, usize::MAX, DataType::Utf8, Volatility::Immutable, move |call| {
        let patterns = text_array(&call.args[0])?;
        let escapes = call.args.get(1).map(|escapes| text_array(escapes)).transpose()?;
        let mut out = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let escape = match &escapes {
                None => Some(Some('\\')),
                Some(escapes) if escapes.is_null(row) => None,
                Some(escapes) => Some(escape_of(escapes.value(row))?),
            };
            let pattern = patterns.is_valid(row).then(|| patterns.value(row));
            out.push(pattern.zip(escape).map(|(pattern, escape)| f(pattern, escape)).transpose()?);
        }
        Ok(Arc::new(StringArray::from(out)) as ArrayRef)
    })
}

/// The escape character; none if it is empty.
fn escape_of(text: &str) -> Result<Option<char>> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (first, None) => Ok(first),
        _ => {
            Err(EngineError::new("22025", "invalid escape string")
                .hint("Escape string must be empty or one character."))
        }
    }
}

/// As PostgreSQL's `similar_escape_internal`: the whole text must match; `%` and `_` are wild, `|*+?{}()[]` as in regular
/// expressions, and everything else means itself.
fn regular_expression(pattern: &str, escape: Option<char>) -> Result<String> {
    // A wild character is any, also the end of a line.
    let mut out = String::from("(?s)^(?:");
    let (mut escaped, mut in_class, mut separators) = (false, false, 0);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' if escaped && !in_class => {
                // Separates the part that substring() takes out.
                out.push_str(match separators {
                    0 => "){1,1}?(",
                    1 => "){1,1}(?:",
                    _ => {
                        let message =
                            "SQL regular expression may not contain more than two escape-double-quote separators";
                        return Err(EngineError::new("2200C", message));
                    }
                });
                separators += 1;
                escaped = false;
            }
            c if escaped => {
                // Letters and digits behind the backslash are classes of characters.
                if c.is_ascii_punctuation() || c.is_ascii_alphanumeric() {
                    out.push('\\');
                }
                out.push(c);
                escaped = false;
            }
            c if Some(c) == escape => escaped = true,
            '[' if in_class && rest.as_str().starts_with(':') => out.push_str(&named_class(&mut rest)),
            c if in_class => {
                if matches!(c, '\\' | '&' | '~' | '[') {
                    out.push('\\');
                }
                in_class = c != ']';
                out.push(c);
            }
            '[' => {
                in_class = true;
                out.push('[');
            }
            '%' => out.push_str(".*"),
            '_' => out.push('.'),
            '(' => out.push_str("(?:"),
            '\\' | '.' | '^' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push_str(")$");
    Ok(out)
}

/// `[:alpha:]` inside of brackets, of which the first one has been taken.
fn named_class(rest: &mut std::str::Chars) -> String {
    let text = rest.as_str();
    let end = text.find(":]").map_or(text.len(), |end| end + 2);
    *rest = text[end..].chars();
    format!("[{}", &text[..end])
}

/// An advanced regular expression as Rust writes it: a point is any character, `\m`, `\M` and `\y` are the ends of words.
fn advanced(pattern: &str) -> Result<String> {
    let refused = |what: &str| Err(EngineError::unsupported(format!("{what} in a regular expression")));
    if pattern.starts_with("***") {
        return refused("a director");
    }
    let mut out = String::from(if pattern.contains('.') { "(?s)" } else { "" });
    let mut rest = pattern.chars();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('m') if !in_class => out.push_str(r"\b{start}"),
                Some('M') if !in_class => out.push_str(r"\b{end}"),
                Some('y') if !in_class => out.push_str(r"\b"),
                Some('Y') if !in_class => out.push_str(r"\B"),
                Some('Z') if !in_class => out.push_str(r"\z"),
                Some('b') => out.push_str(r"\x08"),
                Some('B') => out.push_str(r"\\"),
                Some('1'..='9') => return refused("a back reference"),
                Some(c) if c.is_alphanumeric() => out.extend(['\\', c]),
                Some(c) if c.is_ascii_punctuation() => out.extend(['\\', c]),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            '[' if in_class && rest.as_str().starts_with(':') => out.push_str(&named_class(&mut rest)),
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                // A bracket in front closes nothing.
                for first in ['^', ']'] {
                    if let Some(behind) = rest.as_str().strip_prefix(first) {
                        out.push_str(if first == ']' { r"\]" } else { "^" });
                        rest = behind.chars();
                    }
                }
            }
            '[' | '&' | '~' if in_class => out.extend(['\\', c]),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '(' if !in_class && rest.as_str().starts_with('?') => {
                let options = rest.as_str().starts_with("?i)") || rest.as_str().starts_with("?s)");
                if !options && !rest.as_str().starts_with("?:") {
                    return refused("a constraint or an option");
                }
                out.push('(');
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// As PostgreSQL's `do_like_escape`.
fn backslashed(pattern: &str, escape: Option<char>) -> Result<String> {
    if escape == Some('\\') {
        return Ok(pattern.to_string());
    }
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut escaped = false;
    for c in pattern.chars() {
        if Some(c) == escape && !escaped {
            out.push('\\');
            escaped = true;
            continue;
        }
        if c == '\\' && !escaped {
            out.push('\\');
        }
        out.push(c);
        escaped = false;
    }
    Ok(out)
}
