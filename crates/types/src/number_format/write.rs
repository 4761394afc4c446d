//! Numbers to texts: `NUM_processor` as `to_char` has it.

use error::sqlstate;

use super::pattern::{Item, Key, Pattern, SignPlace};
use crate::error::{Error, Result};

/// What is written: digits and a point, or what stands for a number that does not fit.
pub struct Number {
    text: Vec<u8>,
    negative: bool,
    /// Places of the pattern that are in front of the first digit.
    blanks: i32,
}

impl Number {
    /// A text that is written as it is.
    pub fn whole(text: String) -> Number {
        Number { text: text.into_bytes(), negative: false, blanks: 0 }
    }

    /// A number's text in a pattern's places. Too many digits in front of the point leave none of them.
    pub fn fitted(text: &str, pattern: &Pattern) -> Number {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let before = text.find('.').unwrap_or(text.len()) as i32;
        if before > pattern.before {
            let mut text = vec![b'#'; (pattern.before + pattern.after + 1) as usize];
            text[pattern.before as usize] = b'.';
            return Number { text, negative, blanks: 0 };
        }
        Number { text: text.as_bytes().to_vec(), negative, blanks: pattern.before - before }
    }
}

/// As C's `%.*e`, with a blank for the sign of a number that has none.
pub fn exponential(value: f64, after: i32) -> String {
    let text = format!("{value:.0$e}", after as usize);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let blank = if value.is_sign_negative() { "" } else { " " };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{blank}{mantissa}e{sign}{exponent:0>2}")
}

/// The number in the pattern's shape.
pub fn write(number: Number, pattern: Pattern) -> Result<String> {
    if pattern.exponent {
        return Ok(String::from_utf8_lossy(&number.text).into_owned());
    }
    let mut writer = Writer::new(pattern, number);
    for at in 0..writer.pattern.items.len() {
        match writer.pattern.items[at] {
            Item::Key(key) => writer.key(key)?,
            Item::Text(text) => writer.out.extend_from_slice(text.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    // Where there are no more digits, PostgreSQL writes the end of its string.
    let end = writer.out.iter().position(|&byte| byte == 0).unwrap_or(writer.out.len());
    Ok(String::from_utf8_lossy(&writer.out[..end]).into_owned())
}

/// `NUMProc`
struct Writer {
    pattern: Pattern,
    number: Number,
    sign_written: bool,
    /// The last digit that `FM` leaves, or the point.
    last_relevant: Option<usize>,
    /// Places of digits in all.
    count: i32,
    /// The place, and the digit, that come next.
    place: i32,
    at: usize,
    /// A digit was written in the last place.
    in_number: bool,
    out: Vec<u8>,
}

impl Writer {
    fn new(mut pattern: Pattern, number: Number) -> Writer {
        if pattern.roman {
            (pattern.before, pattern.after) = (0, 0);
        }
        let signs = pattern.plus || pattern.minus;
        let sign_written = match signs {
            // MI, PL and SG write it in their places, but PL alone leaves a minus.
            true => pattern.minus,
            false => !number.negative && pattern.fill && pattern.sign.is_none(),
        };
        if !signs {
            pattern.brackets &= number.negative || !pattern.fill;
            if pattern.sign == Some(SignPlace::Before) && pattern.before == pattern.before_sign {
                pattern.sign = Some(SignPlace::After);
            }
        }
        let mut last_relevant = None;
        if pattern.fill && pattern.point {
            last_relevant = number.text.iter().position(|&b| b == b'.').map(|point| {
                let last = number.text[point..].iter().rposition(|&b| b != b'0').unwrap_or(0);
                point + last
            });
            // The digits of 0 stay.
            if let Some(last) = &mut last_relevant
                && pattern.zero_end > number.blanks
            {
                let zero = (pattern.zero_end - number.blanks) as usize;
                *last = (*last).max(zero.min(number.text.len() - 1));
            }
        }
        let count = pattern.after + pattern.before - 1 + i32::from(!sign_written && number.blanks == 0);
        let out = Vec::with_capacity(pattern.items.len() + 8);
        Writer { pattern, number, sign_written, last_relevant, count, place: 0, at: 0, in_number: false, out }
    }

    fn key(&mut self, key: Key) -> Result<()> {
        let (fill, negative) = (self.pattern.fill, self.number.negative);
        match key {
            Key::Nine | Key::Zero | Key::Point => self.place(key),
            Key::Group if self.in_number => self.out.push(b','),
            Key::Group if !fill => self.out.push(b' '),
            Key::Currency => self.out.push(b' '),
            Key::Roman(small) => {
                let width = if fill { 0 } else { 15usize.saturating_sub(self.number.text.len()) };
                self.out.extend(std::iter::repeat_n(b' ', width));
                let text = &self.number.text;
                self.out.extend(text.iter().map(|b| if small { b.to_ascii_lowercase() } else { *b }));
            }
            Key::Ordinal(small) => self.ordinal(small)?,
            Key::Minus if negative => self.out.push(b'-'),
            Key::Plus if !negative => self.out.push(b'+'),
            Key::Minus | Key::Plus if !fill => self.out.push(b' '),
            Key::PlusOrMinus => self.out.push(self.sign()),
            _ => {}
        }
        Ok(())
    }

    fn sign(&self) -> u8 {
        if self.number.negative { b'-' } else { b'+' }
    }

    /// `get_th`: teens have `th`.
    fn ordinal(&mut self, small: bool) -> Result<()> {
        let text = &self.number.text;
        if self.pattern.roman || text.first() == Some(&b'#') || self.number.negative || self.pattern.point {
            return Ok(());
        }
        let teen = text.len() > 1 && text[text.len() - 2] == b'1';
        let ending = match text.last() {
            Some(b'1') if !teen => b"st",
            Some(b'2') if !teen => b"nd",
            Some(b'3') if !teen => b"rd",
            Some(b'0'..=b'9') => b"th",
            _ => {
                let message = format!("\"{}\" is not a number", String::from_utf8_lossy(text));
                return Err(Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message));
            }
        };
        self.out.extend(ending.map(|b| if small { b } else { b.to_ascii_uppercase() }));
        Ok(())
    }

    /// The digit at hand is a zero in front of the point that is not written.
    fn is_hidden_zero(&self) -> bool {
        !self.pattern.zeros && self.at == 0 && self.number.text.first() == Some(&b'0') && self.pattern.after != 0
    }

    /// Nothing is left behind the point.
    fn ends_with_point(&self) -> bool {
        self.last_relevant.is_some_and(|last| self.number.text[last] == b'.')
    }

    /// `NUM_numpart_to_char`: a digit, or the point.
    fn place(&mut self, key: Key) {
        if self.pattern.roman {
            return;
        }
        self.in_number = false;
        let blanks = self.number.blanks;
        let begins = self.place >= blanks || (self.pattern.zeros && self.pattern.zero_start == self.place);
        if !self.sign_written && begins && (!self.is_hidden_zero() || self.ends_with_point()) {
            self.first_sign();
        }
        if self.place < blanks && (self.pattern.zero_start > self.place || !self.pattern.zeros) {
            if !self.pattern.fill {
                self.out.push(b' ');
            }
        } else if self.place < blanks {
            self.out.push(b'0');
            self.in_number = true;
        } else {
            self.digit(key);
        }
        self.last_sign();
        self.place += 1;
    }

    fn digit(&mut self, key: Key) {
        match self.number.text.get(self.at).copied() {
            Some(b'.') => self.out.push(b'.'),
            _ if key != Key::Zero && self.last_relevant.is_some_and(|last| self.at > last) => {}
            _ if self.is_hidden_zero() => {
                if !self.pattern.fill {
                    self.out.push(b' ');
                } else if self.ends_with_point() {
                    self.out.push(b'0');
                }
            }
            digit => {
                self.out.push(digit.unwrap_or(0));
                self.in_number = true;
            }
        }
        self.at = (self.at + 1).min(self.number.text.len());
    }

    /// The sign that is in front of the number.
    fn first_sign(&mut self) {
        match self.pattern.sign {
            Some(SignPlace::Before) => self.out.push(self.sign()),
            Some(SignPlace::After) => return,
            None if self.pattern.brackets => self.out.push(if self.number.negative { b'<' } else { b' ' }),
            None if self.number.negative => self.out.push(b'-'),
            None if !self.pattern.fill => self.out.push(b' '),
            None => {}
        }
        self.sign_written = true;
    }

    /// What is behind the last digit.
    fn last_sign(&mut self) {
        let mut end = self.count + i32::from(self.number.blanks > 0) + i32::from(self.pattern.point);
        if self.last_relevant == Some(self.at) {
            end = self.place;
        }
        if self.place + 1 != end {
            return;
        }
        if self.sign_written && self.pattern.brackets {
            self.out.push(if self.number.negative { b'>' } else { b' ' });
        } else if self.pattern.sign == Some(SignPlace::After) {
            self.out.push(self.sign());
        }
    }
}
