//! A line of COPY FROM cut into its fields (`CopyReadAttributesText` and `CopyReadAttributesCSV` in PostgreSQL's
//! `copyfromparse.c`).

use std::ops::Range;

use engine::{EngineError, Result};
use error::sqlstate;
use types::encoding::utf8;

use crate::copy::format::CopyFormat;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    Null,
    /// The column's default is meant.
    Default,
    Value(&'a str),
}

/// The fields of a line; used again for the next one.
#[derive(Default)]
pub struct Fields {
    /// Values that do not stand in the line as they are.
    unescaped: Vec<u8>,
    places: Vec<Place>,
}

enum Place {
    Null,
    Default,
    Line(Range<usize>),
    Unescaped(Range<usize>),
}

/// A field on its way.
struct Reading {
    /// Where it begins in the line, and where what is not copied yet does.
    start: usize,
    from: usize,
    /// Where its copy begins, once there is one.
    copy: Option<usize>,
    /// What was unescaped may be no text.
    doubtful: bool,
}

impl Fields {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A field of the line that was cut last.
    pub fn get<'a>(&'a self, line: &'a str, index: usize) -> Option<Field<'a>> {
        let text = |bytes: Option<&'a [u8]>| std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        Some(match self.places.get(index)? {
            Place::Null => Field::Null,
            Place::Default => Field::Default,
            Place::Line(place) => Field::Value(line.get(place.clone()).unwrap_or_default()),
            Place::Unescaped(place) => Field::Value(text(self.unescaped.get(place.clone()))),
        })
    }

    /// Cuts a line. `columns` are those that are wanted.
    pub fn cut(&mut self, format: &CopyFormat, line: &str, columns: usize) -> Result<()> {
        self.unescaped.clear();
        self.places.clear();
        if columns == 0 {
            return match line.is_empty() {
                true => Ok(()),
                false => Err(EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, "extra data after last expected column")),
            };
        }
        match format.is_csv() {
            true => self.cut_csv(format, line.as_bytes()),
            false => self.cut_text(format, line.as_bytes()),
        }
    }

    fn cut_text(&mut self, format: &CopyFormat, line: &[u8]) -> Result<()> {
        let mut field = Reading::at(0);
        let mut at = 0;
        loop {
            let rest = line.get(at..).unwrap_or_default();
            let stop = memchr::memchr2(format.delimiter, b'\\', rest).map_or(line.len(), |found| at + found);
            if line.get(stop) == Some(&b'\\') {
                self.copy(&mut field, line, stop);
                at = stop + 1;
                at += self.unescape(line.get(at..).unwrap_or_default(), &mut field.doubtful);
                field.from = at;
                // A backslash at the end means nothing.
                if at > stop + 1 {
                    continue;
                }
            }
            // NULL is told by how it is written, not by what it means.
            let raw = line.get(field.start..stop).unwrap_or_default();
            self.end(format, field, line, stop, raw)?;
            if line.get(stop) != Some(&format.delimiter) {
                return Ok(());
            }
            at = stop + 1;
            field = Reading::at(at);
        }
    }

    /// Appends what was not copied yet up to a place.
    fn copy(&mut self, field: &mut Reading, line: &[u8], to: usize) {
        field.copy.get_or_insert(self.unescaped.len());
        self.unescaped.extend_from_slice(line.get(field.from..to).unwrap_or_default());
        field.from = to;
    }

    /// The field ends here. `raw` is how it is written, as far as it can be NULL.
    fn end(&mut self, format: &CopyFormat, mut field: Reading, line: &[u8], to: usize, raw: &[u8]) -> Result<()> {
        if raw == format.null.as_bytes() {
            self.places.push(Place::Null);
        } else if format.default.as_ref().is_some_and(|default| raw == default.as_bytes()) {
            self.places.push(Place::Default);
        } else if let Some(start) = field.copy {
            self.copy(&mut field, line, to);
            let place = start..self.unescaped.len();
            if field.doubtful {
                utf8(self.unescaped.get(place.clone()).unwrap_or_default())?;
            }
            self.places.push(Place::Unescaped(place));
        } else {
            self.places.push(Place::Line(field.start..to));
        }
        Ok(())
    }

    /// What stands behind a backslash; gives how many bytes it takes.
    fn unescape(&mut self, rest: &[u8], doubtful: &mut bool) -> usize {
        let number = |digits: &[u8], radix: u32, most: usize| {
            let digits = digits.iter().take(most).map_while(|&digit| char::from(digit).to_digit(radix));
            digits.fold((0, 0), |(number, count), digit| (number * radix + digit, count + 1))
        };
        let (byte, length) = match rest {
            [] => return 0,
            [b'b', ..] => (0x08, 1),
            [b'f', ..] => (0x0c, 1),
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b't', ..] => (b'\t', 1),
            [b'v', ..] => (0x0b, 1),
            [b'0'..=b'7', ..] => {
                let (number, digits) = number(rest, 8, 3);
                (number as u8, digits)
            }
            [b'x', digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => {
                let (number, count) = number(digits, 16, 2);
                (number as u8, count + 1)
            }
            [other, ..] => {
                self.unescaped.push(*other);
                return 1;
            }
        };
        *doubtful |= byte == 0 || byte >= 0x80;
        self.unescaped.push(byte);
        length
    }

    fn cut_csv(&mut self, format: &CopyFormat, line: &[u8]) -> Result<()> {
        let mut field = Reading::at(0);
        let (mut at, mut quoted) = (0, false);
        loop {
            let rest = line.get(at..).unwrap_or_default();
            let stop = memchr::memchr2(format.delimiter, format.quote, rest).map_or(line.len(), |found| at + found);
            if line.get(stop) == Some(&format.quote) {
                quoted = true;
                self.copy(&mut field, line, stop);
                at = self.cut_quoted(format, line, stop + 1)?;
                field.from = at;
                continue;
            }
            let raw = line.get(field.start..stop).unwrap_or_default();
            self.end_csv(format, field, line, stop, raw, quoted)?;
            if stop == line.len() {
                return Ok(());
            }
            at = stop + 1;
            (field, quoted) = (Reading::at(at), false);
        }
    }

    /// What is quoted is never NULL.
    fn end_csv(
        &mut self,
        format: &CopyFormat,
        field: Reading,
        line: &[u8],
        to: usize,
        raw: &[u8],
        quoted: bool,
    ) -> Result<()> {
        if !quoted {
            return self.end(format, field, line, to, raw);
        }
        let mut field = field;
        self.copy(&mut field, line, to);
        let start = field.copy.unwrap_or_default();
        self.places.push(Place::Unescaped(start..self.unescaped.len()));
        Ok(())
    }

    /// What stands between quotes; gives where it goes on behind them.
    fn cut_quoted(&mut self, format: &CopyFormat, line: &[u8], mut at: usize) -> Result<usize> {
        loop {
            let rest = line.get(at..).unwrap_or_default();
            let Some(found) = memchr::memchr2(format.quote, format.escape, rest) else {
                return Err(EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, "unterminated CSV quoted field"));
            };
            self.unescaped.extend_from_slice(rest.get(..found).unwrap_or_default());
            at += found;
            // Asked first, because the escape may be the quote itself.
            match (rest.get(found), rest.get(found + 1)) {
                (Some(byte), Some(&next))
                    if *byte == format.escape && [format.escape, format.quote].contains(&next) =>
                {
                    self.unescaped.push(next);
                    at += 2;
                }
                (Some(byte), _) if *byte == format.quote => return Ok(at + 1),
                _ => {
                    self.unescaped.push(format.escape);
                    at += 1;
                }
            }
        }
    }
}

impl Reading {
    fn at(start: usize) -> Reading {
        Reading { start, from: start, copy: None, doubtful: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(options: &str, line: &str) -> std::result::Result<Vec<String>, String> {
        let parsed = syntax::parse(&format!("copy t from stdin ({options})")).unwrap();
        let syntax::nodes::Node::CopyStmt(copy) = &parsed[0].stmt else { panic!("it is a COPY") };
        let format = CopyFormat::new(&copy.options, true, "").unwrap();
        let mut fields = Fields::default();
        fields.cut(&format, line, 9).map_err(|error| error.message)?;
        let shown = |field| match field {
            Field::Null => "NULL".into(),
            Field::Default => "DEFAULT".into(),
            Field::Value(text) => format!("<{text}>"),
        };
        Ok((0..fields.len()).map(|at| shown(fields.get(line, at).unwrap())).collect())
    }

    #[test]
    fn backslashes_are_undone() {
        let text = |line: &str| fields("format text, default 'D'", line).unwrap().join(" ");
        assert_eq!(text("1\t\\N\ta\\tb\\\\\\x41\\101"), "<1> NULL <a\tb\\AA>");
        assert_eq!(text("\t\\\\N\tD\tDD"), "<> <\\N> DEFAULT <DD>");
        assert_eq!(text("\\xg\\8\\.\\\tx"), "<xg8.\tx>");
        assert_eq!(text("a\\303\\244\\x"), "<aäx>");
        assert_eq!(text("a\\"), "<a>");
        assert_eq!(text("\\0011"), "<\u{1}1>");
        for (line, message) in [
            ("\\xff", "invalid byte sequence for encoding \"UTF8\": 0xff"),
            ("a\\0", "invalid byte sequence for encoding \"UTF8\": 0x00"),
        ] {
            assert_eq!(fields("format text", line).unwrap_err(), message);
        }
    }

    #[test]
    fn quotes_are_undone() {
        let csv = |line: &str| fields("format csv, default 'D'", line).unwrap().join(" ");
        assert_eq!(csv("1,,\"\",\"D\",D"), "<1> NULL <> <D> DEFAULT");
        assert_eq!(csv("\"a,\"\"b\"\"\nc\",x,"), "<a,\"b\"\nc> <x> NULL");
        assert_eq!(csv("a\"b,c\"d,\\N"), "<ab,cd> <\\N>");
        assert_eq!(fields("format csv", "\"open").unwrap_err(), "unterminated CSV quoted field");
        let escape = |line: &str| fields("format csv, escape '\\', null 'x'", line).unwrap().join(" ");
        assert_eq!(escape("\"a\\\\\\\"\\b\",\"x\",x,"), "<a\\\"\\b> <x> NULL <>");
    }
}
