//! Texts to numbers: `NUM_processor` as `to_number` has it.

use error::sqlstate;

use super::pattern::{Item, Key, Pattern, SignPlace};
use super::roman;
use crate::error::{Error, Result};

/// The number's text, its digits in front of the point as the pattern has them, and those that were read after it.
pub fn read(text: &str, pattern: Pattern) -> Result<(String, i32, i32)> {
    if pattern.exponent {
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "\"EEEE\" not supported for input"));
    }
    let digits = Vec::with_capacity(pattern.items.len());
    let text = text.as_bytes();
    let mut reader = Reader { text, at: 0, pattern, sign: b' ', digits, before: 0, after: 0, point: false };
    for item in reader.pattern.items.clone() {
        if reader.is_at_end() {
            break;
        }
        match item {
            Item::Key(key) => reader.key(key)?,
            // Whatever stands there.
            Item::Text(_) => reader.skip(),
        }
    }
    if reader.digits.last() == Some(&b'.') {
        reader.digits.pop();
    }
    let number = std::iter::once(reader.sign).chain(reader.digits).map(char::from).collect();
    Ok((number, reader.pattern.before, reader.after))
}

/// `NUMProc`
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    pattern: Pattern,
    /// A blank while there is none.
    sign: u8,
    digits: Vec<u8>,
    /// Digits read.
    before: i32,
    after: i32,
    point: bool,
}

impl Reader<'_> {
    fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Passes a character.
    fn skip(&mut self) {
        self.at += match self.peek() {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
    }

    /// Passes so many characters, as far as they cannot be part of a number.
    fn skip_others(&mut self, most: usize) {
        for _ in 0..most {
            if self.is_at_end() || b"0123456789.,+-".contains(&self.peek()) {
                return;
            }
            self.skip();
        }
    }

    fn key(&mut self, key: Key) -> Result<()> {
        match key {
            Key::Nine | Key::Zero | Key::Point => self.place(key),
            // `FM` means that there are none.
            Key::Group if !self.pattern.fill && self.peek() == b',' => self.at += 1,
            Key::Currency => self.skip_others(1),
            Key::Ordinal(_) if !self.pattern.roman && !self.pattern.point => self.skip_others(2),
            Key::Minus => self.explicit_sign(b"-"),
            Key::Plus => self.explicit_sign(b"+"),
            Key::PlusOrMinus => self.explicit_sign(b"+-"),
            Key::Roman(_) => {
                let rest = &self.text[self.at..];
                let value = roman::read(rest)
                    .ok_or_else(|| Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid Roman numeral"))?;
                self.digits = value.to_string().into_bytes();
                (self.pattern.before, self.pattern.after) = (self.digits.len() as i32, 0);
                let blanks = rest.len() - rest.trim_ascii_start().len();
                let letters = rest[blanks..].iter().take_while(|b| b"IVXLCDMivxlcdm".contains(b)).count();
                self.at += blanks + letters.min(15);
            }
            _ => {}
        }
        Ok(())
    }

    fn explicit_sign(&mut self, signs: &[u8]) {
        if signs.contains(&self.peek()) {
            self.sign = self.peek();
            self.at += 1;
        } else {
            self.skip_others(1);
        }
    }

    /// `NUM_numpart_from_char`, and a step on.
    fn place(&mut self, key: Key) {
        self.number_part(key);
        self.at += 1;
    }

    fn number_part(&mut self, key: Key) {
        if self.peek() == b' ' {
            self.at += 1;
        }
        if self.is_at_end() {
            return;
        }
        if self.sign == b' ' && key != Key::Point && self.before + self.after == 0 {
            self.first_sign();
        }
        if self.is_at_end() {
            return;
        }
        let mut read = false;
        let byte = self.peek();
        if byte.is_ascii_digit() {
            if self.point && self.after == self.pattern.after {
                return;
            }
            self.digits.push(byte);
            *(if self.point { &mut self.after } else { &mut self.before }) += 1;
            read = true;
        } else if self.pattern.point && !self.point && byte == b'.' {
            self.digits.push(b'.');
            self.point = true;
            read = true;
        }
        if self.sign == b' ' && self.before + self.after > 0 {
            self.last_sign(read);
        }
    }

    fn first_sign(&mut self) {
        let byte = self.peek();
        let sign = match self.pattern.sign {
            Some(SignPlace::Before) if matches!(byte, b'-' | b'+') => byte,
            Some(SignPlace::Before) => return,
            _ if byte == b'-' || (self.pattern.brackets && byte == b'<') => b'-',
            _ if byte == b'+' => b'+',
            _ => return,
        };
        self.sign = sign;
        self.at += 1;
    }

    /// `S` has its sign right behind the last digit; the other signs may stand in a digit's place.
    fn last_sign(&mut self, read: bool) {
        let next = self.text.get(self.at + 1).copied();
        if self.pattern.sign.is_some() && read && next.is_some_and(|b| !b.is_ascii_digit()) {
            if let Some(sign @ (b'-' | b'+')) = next {
                self.sign = sign;
                self.at += 1;
            }
        } else if !read
            && self.pattern.sign.is_none()
            && (self.pattern.plus || self.pattern.minus)
            && matches!(self.peek(), b'-' | b'+')
        {
            self.sign = self.peek();
        }
    }
}
