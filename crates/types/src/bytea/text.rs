//! Bytes as text: `bytea`'s own two formats, and those of `encode` and `decode`.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::memory::{claim, reserve};
use crate::sql::{bytea, text};
use crate::text::{MOST, too_long};

pub const FUNCTIONS: &[Function] = functions! {
    encode(bytea, text) -> text = |bytes, format| format_named(format)?.encode(bytes);
    decode(text, text) -> bytea = |text, format| format_named(format)?.decode(text);
};

fn invalid() -> Error {
    Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea")
}

/// A value as `\x0061…` or with escapes.
pub fn parse(text: &str) -> Result<Vec<u8>> {
    match text.strip_prefix("\\x") {
        Some(digits) => from_hex(digits),
        None => from_escapes(text),
    }
}

pub fn write(bytes: &[u8], escape: bool, out: &mut Vec<u8>) -> Result<()> {
    if !escape {
        reserve(out, 2 + 2 * bytes.len())?;
        out.extend_from_slice(b"\\x");
        to_hex(bytes, out);
        return Ok(());
    }
    reserve(out, 4 * bytes.len())?;
    for &byte in bytes {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7e => out.push(byte),
            _ => octal(byte, out),
        }
    }
    Ok(())
}

fn octal(byte: u8, out: &mut Vec<u8>) {
    out.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
}

fn to_hex(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
    bytes.iter().for_each(|byte| out.extend([digit(byte >> 4), digit(byte & 15)]));
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r')
}

/// Pairs of digits; blanks may stand between pairs.
fn from_hex(text: &str) -> Result<Vec<u8>> {
    let digit = |c: char| {
        let invalid = || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid hexadecimal digit: \"{c}\""));
        c.to_digit(16).map(|digit| digit as u8).ok_or_else(invalid)
    };
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut chars = text.chars();
    while let Some(first) = chars.next() {
        if is_blank(first) {
            continue;
        }
        let first = digit(first)?;
        let second = chars.next();
        let second = second.ok_or_else(|| {
            Error::new(sqlstate::INVALID_PARAMETER_VALUE, "invalid hexadecimal data: odd number of digits")
        })?;
        bytes.push(first << 4 | digit(second)?);
    }
    Ok(bytes)
}

/// `\ooo` is a byte, `\\` a backslash.
fn from_escapes(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return Ok(bytes),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest
            }
            [b'\\', b'\\', rest @ ..] => {
                bytes.push(b'\\');
                rest
            }
            [b'\\', ..] => return Err(invalid()),
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

#[derive(Clone, Copy)]
enum Format {
    Hex,
    Base64,
    Escape,
}

fn format_named(name: &str) -> Result<Format> {
    match name.to_ascii_lowercase().as_str() {
        "hex" => Ok(Format::Hex),
        "base64" => Ok(Format::Base64),
        "escape" => Ok(Format::Escape),
        _ => Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unrecognized encoding: \"{name}\""))),
    }
}

/// Bytes of a byte that is written as `escape` has it.
fn escaped_bytes(byte: u8) -> usize {
    match byte {
        b'\\' => 2,
        0 | 0x80.. => 4,
        _ => 1,
    }
}

impl Format {
    fn encode(self, bytes: &[u8]) -> Result<String> {
        if bytes.len() > MOST / 4 {
            return Err(too_long());
        }
        let size = match self {
            Format::Escape => bytes.iter().map(|&byte| escaped_bytes(byte)).sum(),
            _ => bytes.len() * 2,
        };
        let _room = claim(size)?;
        let mut out = Vec::with_capacity(size);
        match self {
            Format::Hex => to_hex(bytes, &mut out),
            Format::Base64 => to_base64(bytes, &mut out),
            Format::Escape => bytes.iter().for_each(|&byte| match byte {
                b'\\' => out.extend_from_slice(b"\\\\"),
                0 | 0x80.. => octal(byte, &mut out),
                _ => out.push(byte),
            }),
        }
        Ok(String::from_utf8(out).expect("all of it is ASCII"))
    }

    fn decode(self, text: &str) -> Result<Vec<u8>> {
        match self {
            Format::Hex => from_hex(text),
            Format::Base64 => from_base64(text),
            Format::Escape => from_escapes(text),
        }
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Lines of 76 characters.
fn to_base64(bytes: &[u8], out: &mut Vec<u8>) {
    for (number, group) in bytes.chunks(3).enumerate() {
        if number > 0 && number % 19 == 0 {
            out.push(b'\n');
        }
        let mut bits = 0;
        (0..3).for_each(|at| bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > group.len() { b'=' } else { digit });
        }
    }
    // A line that is full ends there, also the last one.
    if !bytes.is_empty() && bytes.len().is_multiple_of(57) {
        out.push(b'\n');
    }
}

fn from_base64(text: &str) -> Result<Vec<u8>> {
    let invalid = |message: String| Error::new(sqlstate::INVALID_PARAMETER_VALUE, message);
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    // How many bytes the group has that ends with `=`.
    let mut last = None;
    for c in text.chars().filter(|c| !is_blank(*c)) {
        let digit = if c == '=' {
            if last.is_none() {
                last = Some(match count {
                    2 => 1,
                    3 => 2,
                    _ => return Err(invalid("unexpected \"=\" while decoding base64 sequence".to_string())),
                });
            }
            0
        } else {
            let digit = BASE64.iter().position(|known| char::from(*known) == c);
            digit.ok_or_else(|| invalid(format!("invalid symbol \"{c}\" found while decoding base64 sequence")))?
        };
        bits = bits << 6 | digit as u32;
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..][..last.unwrap_or(3)]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        0 => Ok(bytes),
        _ => Err(invalid("invalid base64 end sequence".to_string())
            .hint("Input data is missing padding, is truncated, or is otherwise corrupted.")),
    }
}
