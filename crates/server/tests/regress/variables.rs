//! psql's variables, and putting them into statements and arguments.

use std::collections::BTreeMap;

use super::script::{in_word, quoted};

#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_string(), value.into());
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// `\set`: the first argument's name gets the others, one behind the other.
    pub fn set_from(&mut self, arguments: &str) {
        let arguments = self.arguments(arguments);
        if let Some((name, values)) = arguments.split_first() {
            self.set(name, values.concat());
        }
    }

    /// A statement with the variables put in: `:name`, `:'name'`, `:"name"`, `:{?name}`. What is not set stays as it is.
    pub fn expand(&self, text: &str, escapes: bool) -> String {
        let (bytes, mut out, mut at) = (text.as_bytes(), String::new(), 0);
        while at < bytes.len() {
            let copied = if let Some(end) = quoted(text, at, escapes) {
                end
            } else if bytes[at] == b':' {
                if let Some((value, length)) = self.reference(&text[at..]) {
                    out.push_str(&value);
                    at += length;
                    continue;
                }
                // `::` is a cast, and no variable begins behind it.
                at + if bytes.get(at + 1) == Some(&b':') { 2 } else { 1 }
            } else {
                at + text[at..].chars().next().map_or(1, char::len_utf8)
            };
            out.push_str(&text[at..copied]);
            at = copied;
        }
        out
    }

    /// The value of the reference at the beginning of `text`, and how long the reference is.
    fn reference(&self, text: &str) -> Option<(String, usize)> {
        let rest = &text[1..];
        let name = |text: &str| text.bytes().take_while(|b| in_word(*b)).count();
        let quote = rest.chars().next()?;
        match quote {
            '\'' | '"' => {
                let length = name(&rest[1..]);
                let value = self.get(&rest[1..=length]).filter(|_| rest[length + 1..].starts_with(quote))?;
                let doubled = value.replace(quote, &quote.to_string().repeat(2));
                let (mark, doubled) = match quote == '\'' && doubled.contains('\\') {
                    true => (" E", doubled.replace('\\', "\\\\")),
                    false => ("", doubled),
                };
                Some((format!("{mark}{quote}{doubled}{quote}"), length + 3))
            }
            '{' => {
                let name = rest.strip_prefix("{?")?.split_once('}')?.0;
                let set = if self.0.contains_key(name) { "TRUE" } else { "FALSE" };
                Some((set.to_string(), name.len() + 4))
            }
            _ => {
                let length = name(rest);
                Some((self.get(&rest[..length])?.to_string(), length + 1))
            }
        }
    }

    /// A command's arguments: parts between spaces, variables put in, quotes taken off.
    pub fn arguments(&self, text: &str) -> Vec<String> {
        let (mut arguments, mut current, mut at): (Vec<String>, Option<String>, usize) = (Vec::new(), None, 0);
        while let Some(c) = text[at..].chars().next() {
            if c.is_whitespace() {
                arguments.extend(current.take());
                at += c.len_utf8();
                continue;
            }
            let argument = current.get_or_insert_default();
            if c == ':'
                && let Some((value, length)) = self.reference(&text[at..])
            {
                argument.push_str(&value);
                at += length;
            } else if c == '\'' {
                let end = quoted(text, at, true).unwrap_or(text.len());
                argument.push_str(&unescaped(text[at + 1..end].trim_end_matches('\'')));
                at = end;
            } else {
                argument.push(c);
                at += c.len_utf8();
            }
        }
        arguments.extend(current);
        arguments
    }
}

fn unescaped(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                c => c,
            })),
            '\'' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

/// Is an argument of `\if` true? psql takes any beginning of these words.
pub fn is_true(argument: &str) -> bool {
    let argument = argument.to_ascii_lowercase();
    !argument.is_empty()
        && (argument == "1" || argument == "on" || ["true", "yes"].iter().any(|t| t.starts_with(&argument)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_put_in_outside_of_quotes() {
        let mut variables = Variables::default();
        variables.set("a", "it's");
        variables.set("n", "5");
        let text = "select :n, ':n', :'a', :\"a\", x::n, a[1:n], :b, :{?b} -- :n";
        let expected = "select 5, ':n', 'it''s', \"it's\", x::n, a[15], :b, FALSE -- :n";
        assert_eq!(variables.expand(text, false), expected);
        assert_eq!(variables.arguments("file :n'/x y' z"), ["file", "5/x y", "z"]);
    }
}
