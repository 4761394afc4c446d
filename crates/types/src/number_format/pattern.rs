//! Patterns of numbers: their text, taken apart.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::memory::claim_once;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `9`
    Nine,
    /// `0`
    Zero,
    /// `.` and `D`
    Point,
    /// `,` and `G`
    Group,
    /// `B`
    Blank,
    /// `L`
    Currency,
    /// `EEEE`
    Exponent,
    /// `FM`
    Fill,
    /// `MI`
    Minus,
    /// `PL`
    Plus,
    /// `SG`
    PlusOrMinus,
    /// `S`
    Sign,
    /// `PR`
    Brackets,
    /// `RN`, and whether it is written small.
    Roman(bool),
    /// `TH`, and whether it is written small.
    Ordinal(bool),
    /// `V`
    Shift,
    /// What PostgreSQL knows and has no meaning for: `C`, `SP`.
    Nothing,
}

/// Those that begin alike stand longest first.
const KEYS: &[(&str, Key)] = &[
    (",", Key::Group),
    (".", Key::Point),
    ("0", Key::Zero),
    ("9", Key::Nine),
    ("B", Key::Blank),
    ("C", Key::Nothing),
    ("D", Key::Point),
    ("EEEE", Key::Exponent),
    ("FM", Key::Fill),
    ("G", Key::Group),
    ("L", Key::Currency),
    ("MI", Key::Minus),
    ("PL", Key::Plus),
    ("PR", Key::Brackets),
    ("RN", Key::Roman(false)),
    ("SG", Key::PlusOrMinus),
    ("SP", Key::Nothing),
    ("S", Key::Sign),
    ("TH", Key::Ordinal(false)),
    ("V", Key::Shift),
    ("b", Key::Blank),
    ("c", Key::Nothing),
    ("d", Key::Point),
    ("eeee", Key::Exponent),
    ("fm", Key::Fill),
    ("g", Key::Group),
    ("l", Key::Currency),
    ("mi", Key::Minus),
    ("pl", Key::Plus),
    ("pr", Key::Brackets),
    ("rn", Key::Roman(true)),
    ("sg", Key::PlusOrMinus),
    ("sp", Key::Nothing),
    ("s", Key::Sign),
    ("th", Key::Ordinal(true)),
    ("v", Key::Shift),
];

#[derive(Clone, Copy, Debug)]
pub enum Item {
    Key(Key),
    Text(char),
}

/// Where `S` has its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignPlace {
    Before,
    After,
}

/// `NUMDesc`, and the items.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    pub items: Vec<Item>,
    /// Digits in front of the point, after it, and behind `V`.
    pub before: i32,
    pub after: i32,
    pub shift: i32,
    /// There is a `0` in front of the point; digits before the first one, and up to the last one of all.
    pub zeros: bool,
    pub zero_start: i32,
    pub zero_end: i32,
    pub sign: Option<SignPlace>,
    /// Digits before `S`.
    pub before_sign: i32,
    pub point: bool,
    pub blank: bool,
    pub fill: bool,
    pub minus: bool,
    pub plus: bool,
    pub brackets: bool,
    pub roman: bool,
    pub shifts: bool,
    pub exponent: bool,
}

fn invalid(message: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, message)
}

impl Pattern {
    /// `None` for an empty one.
    pub fn parse(format: &str) -> Result<Option<Pattern>> {
        if format.is_empty() {
            return Ok(None);
        }
        let _room = claim_once(format.len() * size_of::<Item>())?;
        let mut pattern = Pattern::default();
        let mut rest = format;
        while let Some(first) = rest.chars().next() {
            if let Some((name, key)) = KEYS.iter().find(|(name, _)| rest.starts_with(name)) {
                pattern.take(*key)?;
                pattern.items.push(Item::Key(*key));
                rest = &rest[name.len()..];
            } else if first == '"' {
                rest = pattern.take_quoted(&rest[1..]);
            } else {
                // A backslash quotes nothing but a quote.
                rest = rest.strip_prefix('\\').filter(|rest| rest.starts_with('"')).unwrap_or(rest);
                rest = pattern.take_char(rest);
            }
        }
        Ok(Some(pattern))
    }

    fn take_char<'a>(&mut self, text: &'a str) -> &'a str {
        let mut chars = text.chars();
        self.items.extend(chars.next().map(Item::Text));
        chars.as_str()
    }

    /// Takes what is in quotes and gives what follows them.
    fn take_quoted<'a>(&mut self, text: &'a str) -> &'a str {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first == '"' {
                return &rest[1..];
            }
            rest = rest.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(rest);
            rest = self.take_char(rest);
        }
        rest
    }

    /// `NUMDesc_prepare`
    fn take(&mut self, key: Key) -> Result<()> {
        if self.exponent && key != Key::Exponent {
            return Err(invalid("\"EEEE\" must be the last pattern used"));
        }
        match key {
            Key::Nine if self.brackets => return Err(invalid("\"9\" must be ahead of \"PR\"")),
            Key::Nine if self.shifts => self.shift += 1,
            Key::Nine if self.point => self.after += 1,
            Key::Nine => self.before += 1,
            Key::Zero if self.brackets => return Err(invalid("\"0\" must be ahead of \"PR\"")),
            Key::Zero => {
                if !self.zeros && !self.point {
                    self.zeros = true;
                    self.zero_start = self.before;
                }
                *(if self.point { &mut self.after } else { &mut self.before }) += 1;
                self.zero_end = self.before + self.after;
            }
            Key::Blank => self.blank |= self.before == 0 && self.after == 0 && !self.zeros,
            Key::Point if self.point => return Err(invalid("multiple decimal points")),
            Key::Point if self.shifts => return Err(invalid("cannot use \"V\" and decimal point together")),
            Key::Point => self.point = true,
            Key::Shift if self.point => return Err(invalid("cannot use \"V\" and decimal point together")),
            Key::Shift => self.shifts = true,
            Key::Fill => self.fill = true,
            Key::Roman(_) if self.roman => return Err(invalid("cannot use \"RN\" twice")),
            Key::Roman(_) => self.roman = true,
            Key::Exponent => self.take_exponent()?,
            Key::Sign | Key::Minus | Key::Plus | Key::PlusOrMinus | Key::Brackets => self.take_sign(key)?,
            Key::Group | Key::Currency | Key::Ordinal(_) | Key::Nothing => {}
        }
        let others = self.point || self.zeros || self.blank || self.shifts || self.exponent;
        if self.roman && (others || self.sign.is_some() || self.minus || self.plus || self.brackets) {
            return Err(invalid("\"RN\" is incompatible with other formats")
                .detail("\"RN\" may only be used together with \"FM\"."));
        }
        Ok(())
    }

    fn take_exponent(&mut self) -> Result<()> {
        if self.exponent {
            return Err(invalid("cannot use \"EEEE\" twice"));
        }
        let signs = self.sign.is_some() || self.brackets || self.minus || self.plus;
        if self.blank || self.fill || signs || self.roman || self.shifts {
            return Err(invalid("\"EEEE\" is incompatible with other formats")
                .detail("\"EEEE\" may only be used together with digit and decimal point patterns."));
        }
        self.exponent = true;
        Ok(())
    }

    fn take_sign(&mut self, key: Key) -> Result<()> {
        let signs = self.plus || self.minus;
        match (key, self.sign.is_some()) {
            (Key::Sign, true) => return Err(invalid("cannot use \"S\" twice")),
            (Key::Sign, _) if signs || self.brackets => {
                return Err(invalid("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together"));
            }
            (Key::Minus, true) => return Err(invalid("cannot use \"S\" and \"MI\" together")),
            (Key::Plus, true) => return Err(invalid("cannot use \"S\" and \"PL\" together")),
            (Key::PlusOrMinus, true) => return Err(invalid("cannot use \"S\" and \"SG\" together")),
            (Key::Brackets, sign) if sign || signs => {
                return Err(invalid("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together"));
            }
            (Key::Sign, _) if self.point => self.sign = Some(SignPlace::After),
            (Key::Sign, _) => {
                self.sign = Some(SignPlace::Before);
                self.before_sign = self.before;
            }
            (Key::Brackets, _) => self.brackets = true,
            (key, _) => {
                self.minus |= key != Key::Plus;
                self.plus |= key != Key::Minus;
            }
        }
        Ok(())
    }

    /// Makes room in front of the point for the digits behind `V`; says whether there is one.
    pub fn shift_digits(&mut self) -> bool {
        if self.shifts {
            self.before += self.shift;
        }
        self.shifts
    }

    /// What is written with an exponent for what is no number.
    pub fn no_exponential(&self) -> String {
        let mut text = "#".repeat((self.before + self.after + 6) as usize).into_bytes();
        text[0] = b' ';
        text[self.before as usize + 1] = b'.';
        text.into_iter().map(char::from).collect()
    }
}
