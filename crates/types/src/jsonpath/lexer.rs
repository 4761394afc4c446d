//! The tokens of a path (`jsonpath_scan.l`).

use error::sqlstate;

use crate::error::{Error, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    End,
    /// An operator, or a character that has a meaning.
    Sign(&'static str),
    /// A name, with its meaning if it is a word of the language.
    Word(String),
    String(String),
    Variable(String),
    /// A whole number, as it is written.
    Integer(String),
    Number(String),
}

pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Where the last token begins.
    pub begin: usize,
}

/// Those of several characters first.
const SIGNS: &[&str] = &[
    "&&", "||", "**", "<=", "==", "<>", "!=", ">=", "!", "<", ">", "?", "%", "$", ".", "[", "]", "{", "}", "(", ")",
    "|", "&", "=", "@", "#", ",", "*", ":", "-", "+", "/",
];

pub fn syntax_error(message: impl Into<String>) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, message)
}

/// The text is no path.
pub fn invalid(detail: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type jsonpath").detail(detail)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

/// A character of a name.
fn is_other(c: char) -> bool {
    !is_blank(c) && !"?%$.[]{}()|&!=<>@#,*:-+/\\\"".contains(c)
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, begin: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error at a token's text, or at the end.
    fn error_at(&self, message: &str, token: &str) -> Error {
        syntax_error(match token {
            "" => format!("{message} at end of jsonpath input"),
            token => format!("{message} at or near \"{token}\" of jsonpath input"),
        })
    }

    /// An error at the last token.
    pub fn error(&self, message: &str) -> Error {
        self.error_at(message, &self.text[self.begin..self.at])
    }

    pub fn token(&mut self) -> Result<Token> {
        self.skip_blanks()?;
        self.begin = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        let mut behind = rest.chars().skip(1);
        let second = behind.next().unwrap_or(' ');
        match first {
            '"' => {
                self.at += 1;
                Ok(Token::String(self.quoted()?))
            }
            '$' if second == '"' => {
                self.at += 2;
                Ok(Token::Variable(self.quoted()?))
            }
            '$' if is_other(second) || second == '\\' => {
                self.at += 1;
                Ok(Token::Variable(self.name()?))
            }
            '0'..='9' => self.number(),
            '.' if second.is_ascii_digit() => self.number(),
            c if is_other(c) || c == '\\' => Ok(Token::Word(self.name()?)),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).copied().unwrap_or("/");
                self.at += sign.len();
                Ok(Token::Sign(if sign == "<>" { "!=" } else { sign }))
            }
        }
    }

    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            self.at = self.text.len() - self.rest().trim_start_matches(is_blank).len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            match self.rest()[2..].find("*/") {
                Some(end) => self.at += end + 4,
                None => return Err(self.error_at("unexpected end of comment", "")),
            }
        }
    }

    /// The text up to the quote at its end.
    fn quoted(&mut self) -> Result<String> {
        let mut out = String::new();
        loop {
            match self.rest().chars().next() {
                None => return Err(self.error_at("unterminated quoted string", "")),
                Some('"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some('\\') => self.escape(&mut out)?,
                Some(c) => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn name(&mut self) -> Result<String> {
        let mut out = String::new();
        loop {
            match self.rest().chars().next() {
                Some('\\') => self.escape(&mut out)?,
                Some(c) if is_other(c) => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
                _ => return Ok(out),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let Some(letter) = self.rest().chars().nth(1) else {
            return Err(self.error_at("unexpected end after backslash", ""));
        };
        let plain = match letter {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'u' | 'x' => {
                let code = self.code()?;
                let c = self.character(code)?;
                out.push(c);
                return Ok(());
            }
            other => other,
        };
        self.at += 1 + letter.len_utf8();
        out.push(plain);
        Ok(())
    }

    /// The number of an escape `\uXXXX`, `\u{X…}` or `\xXX`, which is passed.
    fn code(&mut self) -> Result<u32> {
        let rest = self.rest();
        let hex = |text: &str, most: usize| text.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
        let (digits, length, message) = match rest.as_bytes()[1] {
            b'x' => {
                let count = hex(&rest[2..], 2);
                (
                    &rest[2..2 + count],
                    if count == 2 { Ok(4) } else { Err(2 + count) },
                    "invalid hexadecimal character sequence",
                )
            }
            _ if rest[2..].starts_with('{') => {
                let count = hex(&rest[3..], 6);
                let closed = count > 0 && rest[3 + count..].starts_with('}');
                (
                    &rest[3..3 + count],
                    if closed { Ok(4 + count) } else { Err(3 + count) },
                    "invalid Unicode escape sequence",
                )
            }
            _ => {
                let count = hex(&rest[2..], 4);
                (
                    &rest[2..2 + count],
                    if count == 4 { Ok(6) } else { Err(2 + count) },
                    "invalid Unicode escape sequence",
                )
            }
        };
        match length {
            Ok(length) => {
                self.at += length;
                Ok(u32::from_str_radix(digits, 16).unwrap_or(0))
            }
            Err(length) => Err(self.error_at(message, &rest[..length])),
        }
    }

    /// The character of a number, with that of the escape behind it where two are one.
    fn character(&mut self, code: u32) -> Result<char> {
        let low_expected = || invalid("Unicode low surrogate must follow a high surrogate.");
        match code {
            0 => Err(Error::new(sqlstate::UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                .detail("\\u0000 cannot be converted to text.")),
            high @ 0xd800..0xdc00 if self.rest().starts_with("\\u") => match self.code()? {
                low @ 0xdc00..0xe000 => {
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
                }
                0xd800..0xdc00 => Err(invalid("Unicode high surrogate must not follow a high surrogate.")),
                _ => Err(low_expected()),
            },
            0xd800..0xe000 => Err(low_expected()),
            code => char::from_u32(code).ok_or_else(|| self.error_at("invalid Unicode escape sequence", "")),
        }
    }

    fn number(&mut self) -> Result<Token> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize, is_digit: fn(&u8) -> bool| {
            let mut at = from;
            while bytes.get(at).is_some_and(is_digit)
                || at > from && bytes.get(at) == Some(&b'_') && bytes.get(at + 1).is_some_and(is_digit)
            {
                at += 1;
            }
            at
        };
        let of_radix = match bytes {
            [b'0', b'x' | b'X', ..] => Some(digits(2, u8::is_ascii_hexdigit)),
            [b'0', b'o' | b'O', ..] => Some(digits(2, |b| matches!(b, b'0'..=b'7'))),
            [b'0', b'b' | b'B', ..] => Some(digits(2, |b| matches!(b, b'0' | b'1'))),
            _ => None,
        };
        let (mut end, mut whole) = match of_radix {
            Some(end) if end > 2 => (end, true),
            // A zero is the whole number.
            _ => (if bytes[0] == b'0' { 1 } else { digits(0, u8::is_ascii_digit) }, true),
        };
        let decimal = of_radix.is_none_or(|end| end <= 2);
        if decimal && bytes.get(end) == Some(&b'.') {
            end = digits(end + 1, u8::is_ascii_digit);
            whole = false;
        }
        if decimal && matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let behind = digits(end + 1 + sign, u8::is_ascii_digit);
            if behind == end + 1 + sign && sign == 1 {
                self.at += behind;
                return Err(self.error("invalid numeric literal"));
            }
            if behind > end + 1 + sign {
                (end, whole) = (behind, false);
            }
        }
        let text = &self.rest()[..end];
        self.at += end;
        if let Some(junk) = self.rest().chars().next().filter(|&c| is_other(c)) {
            self.at += junk.len_utf8();
            return Err(self.error("trailing junk after numeric literal"));
        }
        Ok(if whole { Token::Integer(text.to_string()) } else { Token::Number(text.to_string()) })
    }
}
