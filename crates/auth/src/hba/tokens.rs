//! Lines and words of PostgreSQL's authentication files: quotes, comments, lists, continued lines, files that include others.

use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;
use std::sync::Arc;

/// Files that include each other, and bytes of one. (PostgreSQL's depth is the same; it knows no limit on the size.)
const MAX_DEPTH: usize = 10;
const MAX_BYTES: u64 = 16 << 20;

/// A word of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Written in quotes: no keyword.
    pub quoted: bool,
}

impl Word {
    /// Is it this word, as a keyword?
    pub fn is(&self, keyword: &str) -> bool {
        !self.quoted && self.text == keyword
    }
}

/// A list of words.
pub type FieldWords = Vec<Word>;

/// A line with something on it, or with what is wrong with it.
#[derive(Clone, Debug)]
pub struct RawLine {
    pub file: Arc<Path>,
    /// From 1; of a continued line, where it begins.
    pub number: usize,
    pub text: String,
    pub fields: Result<Vec<FieldWords>, String>,
}

/// All lines of a file and of those that it includes. `Err`: the file itself cannot be read.
pub fn read(path: &Path) -> Result<Vec<RawLine>, String> {
    let mut lines = Vec::new();
    read_into(path, 0, &mut lines)?;
    Ok(lines)
}

fn open(path: &Path, depth: usize) -> Result<String, String> {
    if depth > MAX_DEPTH {
        return Err(format!("could not open file \"{}\": maximum nesting depth exceeded", path.display()));
    }
    let failed = |e: std::io::Error| format!("could not open file \"{}\": {}", path.display(), plain(&e));
    let size = fs::metadata(path).map_err(failed)?.len();
    if size > MAX_BYTES {
        return Err(format!("could not open file \"{}\": it is larger than {MAX_BYTES} bytes", path.display()));
    }
    let bytes = fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| format!("file \"{}\" is not in UTF-8", path.display()))
}

/// The system's words, without Rust's number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}

fn read_into(path: &Path, depth: usize, lines: &mut Vec<RawLine>) -> Result<(), String> {
    let text = open(path, depth)?;
    let file: Arc<Path> = path.into();
    let mut physical = text.lines().enumerate();
    while let Some((index, line)) = physical.next() {
        let mut line = line.to_string();
        while line.ends_with('\\') {
            line.pop();
            let Some((_, next)) = physical.next() else { break };
            line.push_str(next);
        }
        let fields = fields(&line, path, depth);
        match &fields {
            Ok(fields) if fields.is_empty() => continue,
            Ok(fields) => {
                if let Some(included) = include(fields, path, depth, lines) {
                    if let Err(error) = included {
                        lines.push(RawLine { file: file.clone(), number: index + 1, text: line, fields: Err(error) });
                    }
                    continue;
                }
            }
            Err(_) => {}
        }
        lines.push(RawLine { file: file.clone(), number: index + 1, text: line, fields });
    }
    Ok(())
}

/// `include FILE`, `include_if_exists FILE`, `include_dir DIRECTORY`. `None`: the line is something else.
fn include(fields: &[FieldWords], from: &Path, depth: usize, lines: &mut Vec<RawLine>) -> Option<Result<(), String>> {
    let [directive, name] = fields else { return None };
    let ([directive], [name]) = (directive.as_slice(), name.as_slice()) else { return None };
    let path = beside(from, &name.text);
    match directive.text.as_str() {
        "include" => Some(read_into(&path, depth + 1, lines)),
        "include_if_exists" if !path.exists() => Some(Ok(())),
        "include_if_exists" => Some(read_into(&path, depth + 1, lines)),
        "include_dir" => Some(include_directory(&path, depth, lines)),
        _ => None,
    }
}

fn include_directory(path: &Path, depth: usize, lines: &mut Vec<RawLine>) -> Result<(), String> {
    let entries =
        fs::read_dir(path).map_err(|e| format!("could not open directory \"{}\": {}", path.display(), plain(&e)))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        name.ends_with(b".conf") && !name.starts_with(b".") && file.is_file()
    });
    files.sort();
    files.iter().try_for_each(|file| read_into(file, depth + 1, lines))
}

/// A path as it is meant in a file.
fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(name)
}

/// The fields of a line: lists of words.
fn fields(line: &str, file: &Path, depth: usize) -> Result<Vec<FieldWords>, String> {
    let mut chars = line.chars().peekable();
    let mut fields = Vec::new();
    loop {
        let mut field = FieldWords::new();
        let mut more = true;
        while more {
            let Some((word, comma)) = next_word(&mut chars) else { break };
            more = comma;
            match word.text.strip_prefix('@') {
                Some(name) if !word.quoted && !name.is_empty() => {
                    field.extend(words_of(&beside(file, name), depth + 1)?);
                }
                _ => field.push(word),
            }
        }
        if field.is_empty() {
            // A file in `@file` may have no words.
            if chars.peek().is_none() {
                return Ok(fields);
            }
            continue;
        }
        fields.push(field);
    }
}

/// All words of a file that stands for them.
fn words_of(path: &Path, depth: usize) -> Result<FieldWords, String> {
    let text = open(path, depth)?;
    let mut words = FieldWords::new();
    for line in text.lines() {
        words.extend(fields(line, path, depth)?.into_iter().flatten());
    }
    Ok(words)
}

/// The next word, and whether a comma ends it. As PostgreSQL's `next_token`.
fn next_word(chars: &mut Peekable<Chars<'_>>) -> Option<(Word, bool)> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r');
    while chars.next_if(|&c| blank(c) || c == ',').is_some() {}
    let mut text = String::new();
    let (mut begins_quoted, mut saw_quote, mut in_quote, mut was_quote) = (false, false, false, false);
    let mut comma = false;
    while let Some(&c) = chars.peek() {
        if blank(c) && !in_quote {
            break;
        }
        chars.next();
        if c == '#' && !in_quote {
            for _ in chars.by_ref() {}
            break;
        }
        if c == ',' && !in_quote {
            comma = true;
            break;
        }
        if c != '"' || was_quote {
            text.push(c);
        }
        // Two quotes inside of quotes are one.
        was_quote = in_quote && c == '"' && !was_quote;
        if c == '"' {
            begins_quoted |= text.is_empty() && !saw_quote;
            in_quote = !in_quote;
            saw_quote = true;
        }
    }
    (saw_quote || !text.is_empty()).then_some((Word { text, quoted: begins_quoted }, comma))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_postgresql_does() {
        let cut = |line: &str| -> Vec<Vec<(String, bool)>> {
            let fields = fields(line, Path::new("x"), 0).unwrap();
            fields.into_iter().map(|f| f.into_iter().map(|w| (w.text, w.quoted)).collect()).collect()
        };
        let word = |text: &str| (text.to_string(), false);
        let quoted = |text: &str| (text.to_string(), true);
        assert_eq!(
            cut("local all,  \"all\" trust # no"),
            [vec![word("local")], vec![word("all"), quoted("all")], vec![word("trust")]]
        );
        assert_eq!(cut("a ,b"), [vec![word("a")], vec![word("b")]]);
        assert_eq!(cut("\"a b\"\"c\" x=\"y z\""), [vec![quoted("a b\"c")], vec![word("x=y z")]]);
        assert_eq!(cut("\"\""), [vec![quoted("")]]);
        assert!(cut("  # all,b").is_empty());
    }

    #[test]
    fn files_include_others() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        put("main", "a @names \\\nb\ninclude one\ninclude_if_exists nothing\ninclude_dir d\ninclude nothing\nz");
        put("names", "x, y\nz # w\n");
        put("one", "one");
        put("d/2.conf", "second");
        put("d/1.conf", "first");
        put("d/3.txt", "no");
        let lines = read(&dir.path().join("main")).unwrap();
        let shown: Vec<String> = lines
            .iter()
            .map(|l| match &l.fields {
                Ok(f) => {
                    let words: Vec<_> = f.iter().flatten().map(|w| w.text.as_str()).collect();
                    format!("{} {}", l.number, words.join(" "))
                }
                Err(e) => format!("{} error {}", l.number, e.starts_with("could not open file")),
            })
            .collect();
        assert_eq!(shown, ["1 a x y z b", "1 one", "1 first", "1 second", "6 error true", "7 z"]);
        put("loop", "include loop");
        let lines = read(&dir.path().join("loop")).unwrap();
        assert!(lines[0].fields.as_ref().unwrap_err().contains("nesting depth"));
    }
}
