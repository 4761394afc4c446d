//! Arrays from text: braces, quotes, escapes, NULL, and explicit bounds, as PostgreSQL's `array_in` reads them.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ListArray, StringArray};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, IntervalMonthDayNano};
use engine::{EngineError, Result};

use crate::cast::{Purpose, cast};
use crate::numeric::NUMERIC;

/// As many dimensions as PostgreSQL's arrays have (`MAXDIM`).
const MAX_DIMENSIONS: usize = 6;

/// What a text says: lengths of the dimensions, and the elements, the last dimension's next to each other.
#[derive(Debug, PartialEq)]
pub struct Parsed {
    pub dimensions: Vec<usize>,
    pub elements: Vec<Option<String>>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    parsed: Parsed,
    /// Once there is an element, no deeper braces may follow.
    depth: Option<usize>,
}

/// Reads an array's text.
pub fn parse(text: &str) -> Result<Parsed> {
    let mut reader = Reader { text, at: 0, parsed: Parsed { dimensions: vec![], elements: vec![] }, depth: None };
    reader.skip_space();
    let bounds = reader.bounds()?;
    if reader.peek() != Some(b'{') {
        return Err(match bounds.is_empty() {
            true => reader.malformed("Array value must start with \"{\" or dimension information."),
            false => reader.malformed("Array contents must start with \"{\"."),
        });
    }
    let mut lengths = Vec::new();
    reader.level(0, &mut lengths)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.malformed("Junk after closing right brace."));
    }
    let mut parsed = reader.parsed;
    parsed.dimensions = lengths.into_iter().map(Option::unwrap_or_default).collect();
    if parsed.elements.is_empty() {
        parsed.dimensions.clear();
    }
    if !bounds.is_empty() {
        let lengths: Vec<i64> = parsed.dimensions.iter().map(|length| *length as i64).collect();
        if lengths != bounds.iter().map(|(from, to)| to - from + 1).collect::<Vec<_>>() {
            let error = malformed(text, "Specified array dimensions do not match array contents.");
            return Err(error);
        }
        if bounds.iter().any(|(from, _)| *from != 1) {
            return Err(EngineError::unsupported("an array whose first subscript is not 1"));
        }
    }
    Ok(parsed)
}

fn malformed(text: &str, detail: &str) -> EngineError {
    EngineError::new("22P02", format!("malformed array literal: \"{text}\"")).detail(detail)
}

impl Reader<'_> {
    fn malformed(&self, detail: &str) -> EngineError {
        malformed(self.text, detail)
    }

    fn unexpected(&self) -> EngineError {
        match self.peek() {
            None => self.malformed("Unexpected end of input."),
            Some(byte) => self.malformed(&format!("Unexpected \"{}\" character.", char::from(byte))),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// `[1:2][0:3]=`
    fn bounds(&mut self) -> Result<Vec<(i64, i64)>> {
        let mut bounds = Vec::new();
        while self.peek() == Some(b'[') {
            let end = self.text[self.at..]
                .find(']')
                .ok_or_else(|| self.malformed("Missing \"]\" after array dimensions."))?;
            let inner = &self.text[self.at + 1..self.at + end];
            let number = |text: &str| {
                text.trim()
                    .parse::<i64>()
                    .map_err(|_| self.malformed("\"[\" must introduce explicitly-specified array dimensions."))
            };
            let (from, to) = match inner.split_once(':') {
                Some((from, to)) => (number(from)?, number(to)?),
                None => (1, number(inner)?),
            };
            if to < from {
                return Err(EngineError::new("2202E", "upper bound cannot be less than lower bound"));
            }
            bounds.push((from, to));
            self.at += end + 1;
            self.skip_space();
        }
        if !bounds.is_empty() {
            if self.peek() != Some(b'=') {
                return Err(self.malformed("Missing \"=\" after array dimensions."));
            }
            self.at += 1;
            self.skip_space();
        }
        Ok(bounds)
    }

    /// What stands between two braces.
    fn level(&mut self, depth: usize, lengths: &mut Vec<Option<usize>>) -> Result<()> {
        let mismatch = "Multidimensional arrays must have sub-arrays with matching dimensions.";
        if depth == MAX_DIMENSIONS {
            return Err(EngineError::new("54000", "number of array dimensions exceeds the maximum allowed (6)"));
        }
        if lengths.len() == depth {
            if self.depth.is_some_and(|frozen| frozen <= depth) {
                return Err(self.malformed(mismatch));
            }
            lengths.push(None);
        }
        self.at += 1;
        let mut count = 0;
        loop {
            self.skip_space();
            match self.peek() {
                None => return Err(self.unexpected()),
                Some(b'}') if count == 0 => break,
                Some(b'}' | b',') => return Err(self.unexpected()),
                Some(b'{') => self.level(depth + 1, lengths)?,
                Some(_) => {
                    if *self.depth.get_or_insert(depth + 1) != depth + 1 || lengths.len() != depth + 1 {
                        return Err(self.malformed(mismatch));
                    }
                    let element = self.element()?;
                    self.parsed.elements.push(element);
                }
            }
            count += 1;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                Some(b'{') | None => return Err(self.unexpected()),
                Some(_) => return Err(self.malformed("Unexpected array element.")),
            }
            self.skip_space();
            if self.peek() == Some(b'}') {
                return Err(self.unexpected());
            }
        }
        self.at += 1;
        match lengths[depth] {
            None => lengths[depth] = Some(count),
            Some(length) if length != count => return Err(self.malformed(mismatch)),
            Some(_) => {}
        }
        Ok(())
    }

    fn element(&mut self) -> Result<Option<String>> {
        let mut value = String::new();
        if self.peek() == Some(b'"') {
            self.at += 1;
            loop {
                let c = self.text[self.at..].chars().next().ok_or_else(|| self.unexpected())?;
                self.at += c.len_utf8();
                match c {
                    '"' => break,
                    '\\' => value.push(self.escaped()?),
                    c => value.push(c),
                }
            }
            self.skip_space();
            return match self.peek() {
                Some(b',' | b'}') => Ok(Some(value)),
                None => Err(self.unexpected()),
                Some(_) => Err(self.malformed("Incorrectly quoted array element.")),
            };
        }
        // Space at the end is none of it, unless it was escaped.
        let (mut end, mut escapes) = (0, false);
        loop {
            match self.text[self.at..].chars().next() {
                None => return Err(self.unexpected()),
                Some(',' | '}') => break,
                Some('{') => return Err(self.unexpected()),
                Some('"') => return Err(self.malformed("Incorrectly quoted array element.")),
                Some('\\') => {
                    self.at += 1;
                    value.push(self.escaped()?);
                    (end, escapes) = (value.len(), true);
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    value.push(c);
                    if !(c.is_ascii() && is_space(c as u8)) {
                        end = value.len();
                    }
                }
            }
        }
        value.truncate(end);
        Ok((escapes || !value.eq_ignore_ascii_case("null")).then_some(value))
    }

    fn escaped(&mut self) -> Result<char> {
        let c = self.text[self.at..].chars().next().ok_or_else(|| self.unexpected())?;
        self.at += c.len_utf8();
        Ok(c)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Elements as the element type reads them.
pub fn elements(texts: &StringArray, element: &Field) -> Result<ArrayRef> {
    let array: ArrayRef = Arc::new(texts.clone());
    if crate::semantics::is_bare_numeric(element) || *element.data_type() == NUMERIC {
        return crate::numeric::to_array((0..texts.len()).map(|row| crate::numeric::read(&array, row)));
    }
    if matches!(element.data_type(), DataType::Interval(_)) {
        let values = texts.iter().map(|t| t.map(|t| crate::interval::parse(t, None)).transpose());
        let values = values.collect::<Result<Vec<Option<IntervalMonthDayNano>>>>()?;
        return Ok(Arc::new(datafusion::arrow::array::IntervalMonthDayNanoArray::from(values)));
    }
    if *element.data_type() == DataType::UInt32 {
        let oid = |text: &str| {
            let oid = text.trim().parse::<u32>().or_else(|_| text.trim().parse::<i32>().map(|signed| signed as u32));
            oid.map_err(|_| EngineError::new("22P02", format!("invalid input syntax for type oid: \"{text}\"")))
        };
        let oids = texts.iter().map(|text| text.map(oid).transpose());
        return Ok(Arc::new(oids.collect::<Result<datafusion::arrow::array::UInt32Array>>()?));
    }
    match crate::semantics::target(&DataType::Binary, element) {
        Some(ty) => cast(&array, ty, Purpose::Explicit),
        None => Err(EngineError::unsupported(format!("arrays of {}", crate::output::type_name(element.data_type())))),
    }
}

/// A list of lists of as many dimensions, one row.
pub fn nested(values: ArrayRef, dimensions: &[usize]) -> ListArray {
    let mut inner = values;
    let item = |array: &ArrayRef| Arc::new(Field::new_list_field(array.data_type().clone(), true));
    for length in dimensions.iter().skip(1).rev() {
        let rows = inner.len() / length;
        let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(*length, rows));
        inner = Arc::new(ListArray::new(item(&inner), offsets, inner, None));
    }
    ListArray::new(item(&inner), OffsetBuffer::from_lengths([inner.len()]), inner, None)
}

/// One text as an array of elements of this type.
pub fn read(text: &str, element: &Field) -> Result<ListArray> {
    let parsed = parse(text)?;
    let texts = StringArray::from_iter(parsed.elements);
    Ok(nested(elements(&texts, element)?, &parsed.dimensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_postgresql_does() {
        let flat = |text: &str| parse(text).map(|p| (p.dimensions, p.elements));
        let some = |items: &[&str]| items.iter().map(|i| Some(i.to_string())).collect::<Vec<_>>();
        assert_eq!(flat("{}").unwrap(), (vec![], vec![]));
        assert_eq!(flat(" { a , b\\ ,\"c,\\\"d\" } ").unwrap(), (vec![3], some(&["a", "b ", "c,\"d"])));
        assert_eq!(flat("{null,\"null\",\\null}").unwrap().1, vec![None, Some("null".into()), Some("null".into())]);
        assert_eq!(flat("{{1,2},{3,4}}").unwrap(), (vec![2, 2], some(&["1", "2", "3", "4"])));
        assert_eq!(flat("[1:2]={1,2}").unwrap(), (vec![2], some(&["1", "2"])));
        assert_eq!(flat("{{},{}}").unwrap(), (vec![], vec![]));
        assert_eq!(flat("[2:3]={1,2}").unwrap_err().code, "0A000");
        for bad in [
            "",
            "a",
            "{",
            "{a",
            "{a,}",
            "{,a}",
            "{a}b",
            "{a\"b\"}",
            "{\"a\"b}",
            "{{1},{2,3}}",
            "{{1},2}",
            "{1,{2}}",
            "{a}}",
            "[1:3]={1,2}",
            "{{1},{}}",
            "{a{b}",
            "{\"a}",
        ] {
            assert_eq!(flat(bad).unwrap_err().code, "22P02", "{bad}");
        }
    }
}
