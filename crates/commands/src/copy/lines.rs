//! The data of COPY FROM cut into lines (`CopyReadLine` in PostgreSQL's `copyfromparse.c`). A message may end anywhere.

use std::ops::Range;

use engine::{EngineError, Result};
use error::sqlstate;
use types::memory::reserve;

use crate::copy::format::CopyFormat;

/// Longer rows are refused, as PostgreSQL refuses more than a gigabyte; ours may not fill the memory.
pub const MAX_ROW: usize = 256 << 20;

/// How lines end. The first line says it for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Newline,
    Return,
    ReturnNewline,
}

/// What has come of the data, in UTF-8, and where in it we are.
pub struct Lines {
    /// The quote and the escape; `None`: it is no CSV.
    quotes: Option<(u8, u8)>,
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// What was looked at of it.
    scanned: usize,
    /// Inside of quotes there.
    quoted: bool,
    /// What was looked at last is an escape that nothing has escaped.
    escaped: bool,
    ends: LineEnd,
    /// The end of the data has come, or the marker of it.
    complete: bool,
    /// The number of the line that was cut last. What is quoted may have lines of its own.
    pub number: u64,
    /// The number of the next line, as far as it was looked at.
    next: u64,
}

/// What was found where a line might end.
enum Found {
    /// The line ends here; so many bytes end it.
    End(usize),
    /// The line is the marker of the end of the data.
    Marker,
    /// Only what comes next tells.
    More,
    /// The line goes on behind these bytes.
    Goes(usize),
}

fn malformed(message: &str) -> EngineError {
    EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, message)
}

impl Lines {
    pub fn new(format: &CopyFormat) -> Lines {
        Lines {
            quotes: format.is_csv().then_some((format.quote, format.escape)),
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            quoted: false,
            escaped: false,
            ends: LineEnd::Unknown,
            complete: false,
            number: 0,
            next: 1,
        }
    }

    /// The number of the line that is read.
    pub fn reading(&self) -> u64 {
        self.next
    }

    /// Takes the next bytes of the data.
    pub fn push(&mut self, data: &[u8]) -> Result<()> {
        if self.complete {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.len() + data.len() > MAX_ROW {
            return Err(EngineError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("a row of COPY is longer than {MAX_ROW} bytes"),
            ));
        }
        reserve(&mut self.buffer, data.len())?;
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    /// The line at a place, without its end.
    pub fn line(&self, place: Range<usize>) -> &[u8] {
        self.buffer.get(place).unwrap_or_default()
    }

    /// The line at a place with the first byte of its end, which an incomplete character in front of it takes for its own.
    pub fn with_end(&self, place: Range<usize>) -> &[u8] {
        &self.buffer[place.start..self.buffer.len().min(place.end + 1)]
    }

    /// The next line; `None`: it is not complete. `at_end`: nothing comes any more, which ends the last line.
    pub fn next(&mut self, at_end: bool) -> Result<Option<Range<usize>>> {
        if self.complete {
            return Ok(None);
        }
        loop {
            let Some(at) = self.find() else {
                self.scanned = self.buffer.len();
                return Ok(if at_end { self.last() } else { None });
            };
            match self.look(at, at_end)? {
                Found::End(length) => return Ok(Some(self.cut(at, length))),
                Found::Goes(length) => self.scanned = at + length,
                Found::Marker => {
                    self.complete = true;
                    return Ok(None);
                }
                Found::More => {
                    self.scanned = at;
                    return Ok(None);
                }
            }
        }
    }

    fn cut(&mut self, at: usize, length: usize) -> Range<usize> {
        let line = self.start..at;
        self.start = at + length;
        self.scanned = self.start;
        (self.quoted, self.escaped) = (false, false);
        self.number = self.next;
        self.next += 1;
        line
    }

    /// What is left at the end, if that is anything.
    fn last(&mut self) -> Option<Range<usize>> {
        self.complete = true;
        let left = self.start < self.buffer.len();
        left.then(|| self.cut(self.buffer.len(), 0))
    }

    /// The next byte that may mean something.
    fn find(&self) -> Option<usize> {
        let rest = self.buffer.get(self.scanned..)?;
        let found = match self.quotes {
            None => memchr::memchr3(b'\n', b'\r', b'\\', rest),
            // Whatever an escape stands before.
            Some(_) if self.escaped => (!rest.is_empty()).then_some(0),
            Some((quote, _)) if !self.quoted => memchr::memchr3(b'\n', b'\r', quote, rest),
            Some((quote, escape)) => {
                let inner = if self.ends == LineEnd::Newline { b'\n' } else { b'\r' };
                memchr::memchr3(quote, escape, inner, rest)
            }
        };
        found.map(|found| self.scanned + found)
    }

    /// What a byte means.
    fn look(&mut self, at: usize, at_end: bool) -> Result<Found> {
        let byte = self.buffer[at];
        if let Some((quote, escape)) = self.quotes {
            // The byte after a carriage return is asked for before anything is changed.
            if byte == b'\r' && at + 1 == self.buffer.len() && !at_end {
                return Ok(Found::More);
            }
            self.look_at_quotes(byte, quote, escape);
            if self.quoted {
                let inner = if self.ends == LineEnd::Newline { b'\n' } else { b'\r' };
                self.next += u64::from(byte == inner);
            }
        }
        match byte {
            _ if self.quoted => Ok(Found::Goes(1)),
            b'\r' => self.look_at_return(at, at_end),
            b'\n' => {
                if matches!(self.ends, LineEnd::Return | LineEnd::ReturnNewline) {
                    return Err(self.literal("newline", "\\n"));
                }
                self.ends = LineEnd::Newline;
                Ok(Found::End(1))
            }
            b'\\' if self.quotes.is_none() => self.look_at_backslash(at, at_end),
            _ => Ok(Found::Goes(1)),
        }
    }

    /// A doubled quote closes and opens again; an escaped one inside of quotes does not count.
    fn look_at_quotes(&mut self, byte: u8, quote: u8, escape: u8) {
        let escape = (quote != escape).then_some(escape);
        if self.quoted && Some(byte) == escape {
            self.escaped = !self.escaped;
        }
        if byte == quote && !self.escaped {
            self.quoted = !self.quoted;
        }
        if Some(byte) != escape {
            self.escaped = false;
        }
    }

    fn look_at_return(&mut self, at: usize, at_end: bool) -> Result<Found> {
        match self.ends {
            LineEnd::Return => return Ok(Found::End(1)),
            LineEnd::Newline => return Err(self.literal("carriage return", "\\r")),
            LineEnd::Unknown | LineEnd::ReturnNewline => {}
        }
        match self.buffer.get(at + 1) {
            None if !at_end => Ok(Found::More),
            Some(b'\n') => {
                self.ends = LineEnd::ReturnNewline;
                Ok(Found::End(2))
            }
            _ if self.ends == LineEnd::ReturnNewline => Err(self.literal("carriage return", "\\r")),
            _ => {
                self.ends = LineEnd::Return;
                Ok(Found::End(1))
            }
        }
    }

    /// A backslash makes what it stands before a part of the value, unless both are the marker of the end.
    fn look_at_backslash(&self, at: usize, at_end: bool) -> Result<Found> {
        match self.buffer.get(at + 1) {
            None if at_end => Ok(Found::Goes(1)),
            None => Ok(Found::More),
            Some(b'.') => self.look_at_marker(at, at_end),
            Some(_) => Ok(Found::Goes(2)),
        }
    }

    fn look_at_marker(&self, at: usize, at_end: bool) -> Result<Found> {
        let alone = || malformed("end-of-copy marker is not alone on its line");
        let style = || malformed("end-of-copy marker does not match previous newline style");
        let mut behind = at + 2;
        if self.ends == LineEnd::ReturnNewline {
            match self.buffer.get(behind) {
                None if !at_end => return Ok(Found::More),
                Some(b'\n') => return Err(style()),
                Some(b'\r') => behind += 1,
                _ => return Err(alone()),
            }
        }
        let byte = match self.buffer.get(behind) {
            None if !at_end => return Ok(Found::More),
            Some(byte @ (b'\r' | b'\n')) => *byte,
            _ => return Err(alone()),
        };
        let wanted = match self.ends {
            LineEnd::Unknown => byte,
            LineEnd::Newline | LineEnd::ReturnNewline => b'\n',
            LineEnd::Return => b'\r',
        };
        if byte != wanted {
            return Err(style());
        }
        if at > self.start {
            return Err(alone());
        }
        Ok(Found::Marker)
    }

    fn literal(&self, what: &str, written: &str) -> EngineError {
        match self.quotes {
            None => malformed(&format!("literal {what} found in data"))
                .hint(format!("Use \"{written}\" to represent {what}.")),
            Some(_) => malformed(&format!("unquoted {what} found in data"))
                .hint(format!("Use quoted CSV field to represent {what}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::format::CopyFormat;
    use super::*;

    fn format(options: &str) -> CopyFormat {
        let parsed = syntax::parse(&format!("copy t from stdin ({options})")).unwrap();
        let syntax::nodes::Node::CopyStmt(copy) = &parsed[0].stmt else { panic!("it is a COPY") };
        CopyFormat::new(&copy.options, true, "").unwrap()
    }

    /// The lines of data that comes in these pieces, with their numbers, and what ended them.
    fn lines<'a>(format: &CopyFormat, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<(u64, String)>, Option<String>) {
        let mut lines = Lines::new(format);
        let mut all = Vec::new();
        let mut take = |lines: &mut Lines, at_end| -> Result<()> {
            while let Some(place) = lines.next(at_end)? {
                all.push((lines.number, String::from_utf8_lossy(lines.line(place)).into_owned()));
            }
            Ok(())
        };
        let read = || {
            for piece in pieces {
                lines.push(piece)?;
                take(&mut lines, false)?;
            }
            take(&mut lines, true)
        };
        let outcome: Result<()> = read();
        (all, outcome.err().map(|error| error.message))
    }

    fn whole(options: &str, data: &str) -> (Vec<(u64, String)>, Option<String>) {
        lines(&format(options), [data.as_bytes()].into_iter())
    }

    fn numbered(all: &[(u64, &str)]) -> Vec<(u64, String)> {
        all.iter().map(|(number, line)| (*number, line.to_string())).collect()
    }

    #[test]
    fn lines_end_as_the_first_one() {
        let text = "format text";
        assert_eq!(whole(text, "a\nb\\\nc\n\nd").0, numbered(&[(1, "a"), (2, "b\\\nc"), (3, ""), (4, "d")]));
        assert_eq!(whole(text, "a\r\nb\r\n").0, numbered(&[(1, "a"), (2, "b")]));
        assert_eq!(whole(text, "a\rb\r").0, numbered(&[(1, "a"), (2, "b")]));
        for (data, message) in [
            ("a\nb\rc\n", "literal carriage return found in data"),
            ("a\r\nb\rc\n", "literal carriage return found in data"),
            ("a\r\nb\n", "literal newline found in data"),
            ("a\rb\n", "literal newline found in data"),
            ("a\nx\\.\n", "end-of-copy marker is not alone on its line"),
            ("a\n\\.x\n", "end-of-copy marker is not alone on its line"),
            ("a\n\\.", "end-of-copy marker is not alone on its line"),
            ("a\n\\.\r\n", "end-of-copy marker does not match previous newline style"),
            ("a\r\n\\.\n", "end-of-copy marker does not match previous newline style"),
        ] {
            assert_eq!(whole(text, data).1.as_deref(), Some(message), "{data:?}");
        }
        assert_eq!(whole(text, "a\n\\.\nb\rc\n"), (numbered(&[(1, "a")]), None));
    }

    #[test]
    fn quotes_hold_lines_together() {
        let csv = "format csv";
        assert_eq!(whole(csv, "a\n\"b\nc\"\nd\n").0, numbered(&[(1, "a"), (3, "\"b\nc\""), (4, "d")]));
        assert_eq!(whole(csv, "\"a\"\"\n\"\nb\n").0, numbered(&[(1, "\"a\"\"\n\""), (2, "b")]));
        assert_eq!(whole(csv, "x\n\\.\ny\n").0, numbered(&[(1, "x"), (2, "\\."), (3, "y")]));
        let escape = "format csv, escape '\\'";
        assert_eq!(whole(escape, "\"a\\\\\"\n\"b\\\"\nc\"\n").0.len(), 2);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_messages_end(
            data in "[ab\"',\\\\.\r\n]{0,24}",
            csv in 0..3usize,
            cuts in prop::collection::vec(1..5usize, 1..8),
        ) {
            let format = format(["format text", "format csv", "format csv, escape ''''"][csv]);
            let mut rest = data.as_bytes();
            let mut cuts = cuts.iter().cycle();
            let pieces = std::iter::from_fn(|| {
                let length = rest.len().min(*cuts.next()?);
                let (piece, behind) = rest.split_at(length);
                rest = behind;
                (length > 0).then_some(piece)
            });
            prop_assert_eq!(lines(&format, pieces), lines(&format, [data.as_bytes()].into_iter()));
        }
    }
}
