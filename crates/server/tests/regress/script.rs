//! Takes a psql script apart as psql does (`psqlscan.l`): statements end at a semicolon outside of quotes, comments,
//! parentheses and `BEGIN ATOMIC` bodies; a backslash outside of quotes begins a command.

/// What comes next in a script.
#[derive(Debug, PartialEq)]
pub enum Item {
    /// A statement, or several with `\;` between them, without its semicolon; variables are not put in yet.
    Statement { line: usize, text: String },
    /// A backslash command: its name, the rest of its line as it stands, and the query typed before it, which is kept for
    /// what follows unless [`Script::forget`] is called.
    Command { line: usize, name: String, rest: String, query: String },
}

pub struct Script<'a> {
    text: &'a str,
    at: usize,
    /// The statement being read, and the line on which it began.
    query: String,
    began: usize,
    nesting: Nesting,
}

/// What keeps a semicolon from ending a statement.
#[derive(Default)]
struct Nesting {
    parentheses: usize,
    /// BEGIN and CASE inside of CREATE FUNCTION … BEGIN ATOMIC.
    blocks: usize,
    /// First letters of the statement's first words, of those that matter; see `word`.
    words: Vec<u8>,
}

impl Nesting {
    fn word(&mut self, word: &str) {
        let word = word.to_ascii_lowercase();
        if self.words.len() < 4 {
            let matters = ["create", "function", "procedure", "or", "replace"].contains(&word.as_str());
            self.words.push(if matters { word.as_bytes()[0] } else { b' ' });
        }
        let routine = |kind: Option<&u8>| matches!(kind, Some(b'f' | b'p'));
        let words = &self.words;
        let creates =
            words[0] == b'c' && (routine(words.get(1)) || (words.get(1..3) == Some(b"or") && routine(words.get(3))));
        if creates && self.parentheses == 0 {
            match word.as_str() {
                "begin" => self.blocks += 1,
                "case" if self.blocks > 0 => self.blocks += 1,
                "end" => self.blocks = self.blocks.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// May the byte stand in an identifier (or a variable's name)? All of UTF-8 beyond ASCII may.
pub fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// If a comment or something quoted begins at `at`, where it ends. `escapes`: in `'…'` a backslash escapes
/// (`standard_conforming_strings = off`).
pub fn quoted(text: &str, at: usize, escapes: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = |found: Option<usize>| Some(found.unwrap_or(text.len()));
    match bytes[at] {
        b'-' if bytes.get(at + 1) == Some(&b'-') => end(text[at..].find('\n').map(|n| at + n)),
        b'/' if bytes.get(at + 1) == Some(&b'*') => {
            let (mut depth, mut i) = (1, at + 2);
            while i < bytes.len() && depth > 0 {
                let step = match &bytes[i..(i + 2).min(bytes.len())] {
                    b"/*" => 1,
                    b"*/" => -1,
                    _ => 0,
                };
                depth += step;
                i += if step == 0 { 1 } else { 2 };
            }
            Some(i)
        }
        quote @ (b'\'' | b'"') => {
            // E'…' is the one whose letter stands alone before the quote.
            let letter = at.checked_sub(1).map(|i| bytes[i]);
            let alone = at < 2 || !in_word(bytes[at - 2]);
            let escapes = quote == b'\'' && (escapes || (matches!(letter, Some(b'e' | b'E')) && alone));
            let mut i = at + 1;
            while i < bytes.len() {
                match bytes[i] {
                    b'\\' if escapes => i += 1,
                    b if b == quote && bytes.get(i + 1) == Some(&quote) => i += 1,
                    b if b == quote => return Some(i + 1),
                    _ => {}
                }
                i += 1;
            }
            Some(bytes.len())
        }
        b'$' if at == 0 || !(in_word(bytes[at - 1]) || bytes[at - 1] == b'$') => {
            let tag = bytes[at + 1..].iter().take_while(|b| in_word(**b)).count();
            let close = at + 1 + tag;
            if bytes.get(close) != Some(&b'$') || bytes[at + 1].is_ascii_digit() {
                return None;
            }
            let mark = &text[at..=close];
            end(text[close + 1..].find(mark).map(|n| close + 1 + n + mark.len()))
        }
        _ => None,
    }
}

impl<'a> Script<'a> {
    pub fn new(text: &'a str) -> Script<'a> {
        Script { text, at: 0, query: String::new(), began: 0, nesting: Nesting::default() }
    }

    /// Drops the query typed so far.
    pub fn forget(&mut self) {
        self.query.clear();
        self.nesting = Nesting::default();
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count()
    }

    fn take(&mut self, to: usize) {
        self.query.push_str(&self.text[self.at..to]);
        self.at = to;
    }

    fn statement(&mut self) -> Item {
        let text = std::mem::take(&mut self.query).trim().to_string();
        self.forget();
        Item::Statement { line: self.began, text }
    }

    /// The next statement or command; `escapes` as in [`quoted`].
    pub fn next(&mut self, escapes: bool) -> Option<Item> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if let Some(end) = quoted(self.text, self.at, escapes) {
                let comment = matches!(byte, b'-' | b'/');
                if comment && self.query.is_empty() {
                    self.at = end;
                    continue;
                }
                self.begin();
                self.take(end);
                continue;
            }
            match byte {
                b'\\' if bytes.get(self.at + 1) == Some(&b';') => {
                    self.query.push(';');
                    self.at += 2;
                }
                b'\\' => return Some(self.command()),
                b';' if self.nesting.parentheses == 0 && self.nesting.blocks == 0 => {
                    self.at += 1;
                    if !self.query.is_empty() {
                        return Some(self.statement());
                    }
                }
                _ if byte.is_ascii_whitespace() && self.query.is_empty() => self.at += 1,
                _ => {
                    self.begin();
                    self.code(byte);
                }
            }
        }
        (!self.query.trim().is_empty()).then(|| self.statement())
    }

    fn begin(&mut self) {
        if self.query.is_empty() {
            self.began = self.line(self.at);
        }
    }

    /// Takes what is neither quoted nor a command: a word, or one character.
    fn code(&mut self, byte: u8) {
        let rest = &self.text.as_bytes()[self.at..];
        if in_word(byte) && !byte.is_ascii_digit() {
            let length = rest.iter().take_while(|b| in_word(**b) || **b == b'$').count();
            // The letter of E'…' belongs to its quote, and is no word.
            self.nesting.word(&self.text[self.at..self.at + length]);
            self.take(self.at + length);
            return;
        }
        match byte {
            b'(' => self.nesting.parentheses += 1,
            b')' => self.nesting.parentheses = self.nesting.parentheses.saturating_sub(1),
            _ => {}
        }
        let length = if byte.is_ascii_digit() { rest.iter().take_while(|b| in_word(**b)).count() } else { 1 };
        self.take(self.at + length);
    }

    fn command(&mut self) -> Item {
        let line = self.line(self.at);
        let rest = &self.text[self.at + 1..];
        let mut name = rest.find(|c: char| c.is_whitespace() || c == '\\').unwrap_or(rest.len());
        if rest.starts_with(['\\', '!', '?']) {
            name = 1;
        }
        let name = rest[..name].to_string();
        let arguments = &rest[name.len()..];
        let length = match name.as_str() {
            "copy" | "!" => arguments.find('\n').unwrap_or(arguments.len()),
            // It only ends the command before it.
            "\\" => 0,
            _ => end_of_arguments(arguments),
        };
        self.at += 1 + name.len() + length;
        let query = self.query.trim().to_string();
        Item::Command { line, name, rest: arguments[..length].trim().to_string(), query }
    }

    /// The data of `COPY … FROM STDIN`: the lines behind the present one up to `\.`.
    pub fn copy_data(&mut self) -> String {
        let mut rest = &self.text[self.at..];
        rest = rest.find('\n').map_or("", |n| &rest[n + 1..]);
        let mut data = String::new();
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            if line == "\\." {
                break;
            }
            data.push_str(line);
            data.push('\n');
        }
        self.at = self.text.len() - rest.len();
        data
    }
}

/// Where a command's arguments end: at the line's end or an unquoted backslash.
fn end_of_arguments(text: &str) -> usize {
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (_, '\n') | (None, '\\') => return i,
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// A query's words and punctuation outside of quotes, comments and parentheses, in lower case.
pub fn top_level_words(query: &str) -> Vec<String> {
    let bytes = query.as_bytes();
    let (mut words, mut depth, mut at) = (Vec::new(), 0usize, 0);
    while at < bytes.len() {
        if let Some(end) = quoted(query, at, false) {
            at = end;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| in_word(**b)).count();
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ if length > 0 && depth == 0 => words.push(query[at..at + length].to_ascii_lowercase()),
            b'.' | b';' if depth == 0 => words.push(char::from(bytes[at]).into()),
            _ => {}
        }
        at += length.max(1);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<(usize, String)> {
        let mut script = Script::new(text);
        let mut found = Vec::new();
        while let Some(item) = script.next(false) {
            if let Item::Statement { line, text } = item {
                found.push((line, text));
            }
        }
        found
    }

    #[test]
    fn semicolons_end_statements_outside_of_quotes_only() {
        let text = "-- a; b\nselect ';', \";\" /* ; /* ; */ ; */, E'\\';', 'a\\';\n\n\
                    select $$;$$, $a$ ; $$ ; $a$, x$1;\nselect (1;2), 1\\; select 2;;\nselect 'left";
        let expected = [
            (2, "select ';', \";\" /* ; /* ; */ ; */, E'\\';', 'a\\'"),
            (4, "select $$;$$, $a$ ; $$ ; $a$, x$1"),
            (5, "select (1;2), 1; select 2"),
            (6, "select 'left"),
        ];
        assert_eq!(statements(text), expected.map(|(line, s)| (line, s.to_string())));
    }

    #[test]
    fn bodies_of_routines_are_one_statement() {
        let function =
            "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC select case when a then 1 end; select 2; END";
        assert_eq!(statements(&format!("{function}; begin; end;")).len(), 3);
        assert_eq!(statements(&format!("{function}; begin; end;"))[0].1, function);
    }

    #[test]
    fn commands_see_the_query_before_them() {
        let mut script =
            Script::new("select 1 as a \\gset x_\n\\if :x_a \\\\ select 2;\ncopy t from stdin;\n1;\n\\.\nselect 3;");
        let command = |item| match item {
            Some(Item::Command { line, name, rest, query }) => (line, name, rest, query),
            other => panic!("{other:?}"),
        };
        assert_eq!(command(script.next(false)), (1, "gset".into(), "x_".into(), "select 1 as a".into()));
        script.forget();
        assert_eq!(command(script.next(false)), (2, "if".into(), ":x_a".into(), String::new()));
        assert_eq!(command(script.next(false)).1, "\\");
        assert_eq!(script.next(false), Some(Item::Statement { line: 2, text: "select 2".into() }));
        assert_eq!(script.next(false), Some(Item::Statement { line: 3, text: "copy t from stdin".into() }));
        assert_eq!(script.copy_data(), "1;\n");
        assert_eq!(script.next(false), Some(Item::Statement { line: 6, text: "select 3".into() }));
        assert_eq!(script.next(false), None);
    }

    #[test]
    fn words_inside_parentheses_are_not_top_level() {
        assert_eq!(
            top_level_words("select (a order by b) from \"order\" -- by\nlimit 1"),
            ["select", "from", "limit", "1"]
        );
    }
}
