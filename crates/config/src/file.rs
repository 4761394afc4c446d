//! Configuration files: lines in postgresql.conf's syntax.

use error::{Error, Result, sqlstate};

/// The entries of a configuration file: the number of a line, and its name and value, or what is wrong with it.
pub fn entries(text: &str) -> impl Iterator<Item = (usize, Result<(String, String)>)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, parse_line(line).transpose()?)))
}

/// One line of a configuration file: `name = 'value'  # comment`.
fn parse_line(line: &str) -> Result<Option<(String, String)>> {
    let syntax = || Error::new(sqlstate::CONFIG_FILE_ERROR, "syntax error");
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    if name.is_empty() || rest.is_empty() {
        return Err(syntax());
    }
    let Some(quoted) = rest.strip_prefix('\'') else {
        let value = rest.split('#').next().unwrap_or("").trim();
        return if value.is_empty() || value.contains(char::is_whitespace) {
            Err(syntax())
        } else {
            Ok(Some((name.into(), value.into())))
        };
    };
    let mut value = String::new();
    let mut chars = quoted.chars().peekable();
    loop {
        match chars.next() {
            None => return Err(syntax()),
            Some('\'') if chars.peek() == Some(&'\'') => {
                chars.next();
                value.push('\'');
            }
            Some('\'') => break,
            Some('\\') => value.push(chars.next().ok_or_else(syntax)?),
            Some(c) => value.push(c),
        }
    }
    let rest: String = chars.collect();
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') { Ok(Some((name.into(), value))) } else { Err(syntax()) }
}
