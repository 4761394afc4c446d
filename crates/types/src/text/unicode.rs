//! Unicode: escapes, normal forms, which characters are assigned.

use error::sqlstate;
use unicode_normalization::{UnicodeNormalization, is_nfc, is_nfd, is_nfkc, is_nfkd};

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    unistr(text) -> text = unistr;
    normalize(text, text) -> text = |a: &str, form| Result::Ok(match normal_form(form)? {
        Form::Nfc => a.nfc().collect::<String>(),
        Form::Nfd => a.nfd().collect(),
        Form::Nfkc => a.nfkc().collect(),
        Form::Nfkd => a.nfkd().collect(),
    });
    is_normalized(text, text) -> boolean = |a, form| Result::Ok(match normal_form(form)? {
        Form::Nfc => is_nfc(a),
        Form::Nfd => is_nfd(a),
        Form::Nfkc => is_nfkc(a),
        Form::Nfkd => is_nfkd(a),
    });
};

enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

fn normal_form(name: &str) -> Result<Form> {
    match name.to_ascii_uppercase().as_str() {
        "NFC" => Ok(Form::Nfc),
        "NFD" => Ok(Form::Nfd),
        "NFKC" => Ok(Form::Nfkc),
        "NFKD" => Ok(Form::Nfkd),
        _ => Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid normalization form: {name}"))),
    }
}

/// A text whose characters may be written `\XXXX`, `\+XXXXXX`, `\uXXXX` and `\UXXXXXXXX`; two backslashes are one.
fn unistr(text: &str) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    // The first half of a pair of surrogates, which has to be followed by the second.
    let mut first: Option<u32> = None;
    let invalid_pair = || Error::new(sqlstate::SYNTAX_ERROR, "invalid Unicode surrogate pair");
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        if first.is_some() && at > 0 {
            return Err(invalid_pair());
        }
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('\\') {
            if first.is_some() {
                return Err(invalid_pair());
            }
            out.push('\\');
            rest = behind;
            continue;
        }
        let (code, behind) = escape(rest)?;
        rest = behind;
        let code = match (first.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            (Some(_), _) | (None, 0xdc00..=0xdfff) => return Err(invalid_pair()),
            (None, 0xd800..=0xdbff) => {
                first = Some(code);
                continue;
            }
            (None, _) => code,
        };
        let c = char::from_u32(code).filter(|c| *c != '\0');
        out.push(c.ok_or_else(|| {
            Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid Unicode code point: {code:04X}"))
        })?);
    }
    if first.is_some() {
        return Err(invalid_pair());
    }
    out.push_str(rest);
    Ok(out)
}

/// The code that follows a backslash, and what is behind it.
fn escape(text: &str) -> Result<(u32, &str)> {
    let digits = |at: usize, count: usize| {
        let digits = text.get(at..at + count).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        Some((u32::from_str_radix(digits, 16).ok()?, &text[at + count..]))
    };
    let found = match text.as_bytes().first() {
        Some(b'u') => digits(1, 4),
        Some(b'U') => digits(1, 8),
        Some(b'+') => digits(1, 6),
        _ => digits(0, 4),
    };
    found.ok_or_else(|| {
        Error::new(sqlstate::SYNTAX_ERROR, "invalid Unicode escape")
            .hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
    })
}
