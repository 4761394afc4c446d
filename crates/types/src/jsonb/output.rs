//! The text of a value (`JsonbToCString`).

use super::layout::{Shape, Value, View, number};
use super::walk::{Step, Walk};
use crate::error::Result;
use crate::json::write::append_string;
use crate::memory::reserve;
use crate::numeric::text::write as write_number;

/// Bytes of what is no string or number, at most, with what stands between values.
const SHORT: usize = 16;

/// Appends a value's text on one line.
pub fn append(view: View<'_>, out: &mut Vec<u8>) -> Result<()> {
    Text { out, pretty: false }.append(view)
}

/// Appends a value's text with a line for each thing in it.
pub fn append_pretty(view: View<'_>, out: &mut Vec<u8>) -> Result<()> {
    Text { out, pretty: true }.append(view)
}

/// Appends the text of a value that is no container.
pub fn append_scalar(value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    reserve(out, SHORT)?;
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::String(text) => append_string(text, out)?,
        Value::Number(bytes) => write_number(&number(bytes), out),
        Value::Container(view) => append(view, out)?,
    }
    Ok(())
}

struct Text<'a> {
    out: &'a mut Vec<u8>,
    pretty: bool,
}

impl Text<'_> {
    fn line(&mut self, level: usize) -> Result<()> {
        if self.pretty {
            reserve(self.out, 4 * level + 1)?;
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 4 * level, b' ');
        }
        Ok(())
    }

    fn append(&mut self, view: View<'_>) -> Result<()> {
        let comma: &[u8] = if self.pretty { b"," } else { b", " };
        // Whether something is before what comes, in its container; whether it is the value of a key.
        let (mut behind, mut of_key, mut level) = (false, false, 0);
        for step in Walk::new(view) {
            reserve(self.out, SHORT)?;
            if behind && !matches!(step, Step::End(_)) {
                self.out.extend_from_slice(comma);
            }
            behind = !matches!(step, Step::Begin(..) | Step::Key(_));
            match step {
                Step::Begin(Shape::Scalar, _) | Step::End(Shape::Scalar) => {}
                Step::Begin(shape, _) => {
                    if level > 0 && !of_key {
                        self.line(level)?;
                    }
                    self.out.push(if shape == Shape::Object { b'{' } else { b'[' });
                    level += 1;
                }
                Step::End(shape) => {
                    level -= 1;
                    self.line(level)?;
                    self.out.push(if shape == Shape::Object { b'}' } else { b']' });
                }
                Step::Key(key) => {
                    self.line(level)?;
                    append_string(key, self.out)?;
                    self.out.extend_from_slice(b": ");
                }
                Step::Scalar(value) => {
                    if level > 0 && !of_key {
                        self.line(level)?;
                    }
                    append_scalar(value, self.out)?;
                }
            }
            of_key = matches!(step, Step::Key(_));
        }
        Ok(())
    }
}
