//! Pictures of dates and times: what `to_char` writes and `to_date` and `to_timestamp` read (`YYYY-MM-DD HH24:MI`).

use crate::error::Result;
use crate::memory::claim_once;

/// What a part of a picture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// `AD`, `A.D.`, `BC`, `B.C.`
    Era,
    /// `AM`, `A.M.`, `PM`, `P.M.`
    Meridian,
    Century,
    /// `DAY`, `Day`, `day`
    DayName,
    /// `DY`, `Dy`, `dy`
    DayAbbreviation,
    DayOfYear,
    DayOfMonth,
    DayOfWeek,
    /// `FF1` to `FF6`
    Fraction(u8),
    Millisecond,
    Microsecond,
    /// `FX`: what follows is read as it stands.
    Exact,
    Hour24,
    Hour12,
    IsoDayOfYear,
    IsoDayOfWeek,
    IsoWeek,
    /// The last so many digits of the ISO year.
    IsoYear(u8),
    Julian,
    Minute,
    Month,
    MonthName,
    MonthAbbreviation,
    /// `OF`: the zone's hours, and minutes if there are any.
    Offset,
    Quarter,
    /// `RM`
    RomanMonth,
    SecondOfDay,
    Second,
    ZoneHour,
    ZoneMinute,
    Zone,
    Week,
    WeekOfMonth,
    /// `Y,YYY`
    YearWithComma,
    /// The last so many digits of the year.
    Year(u8),
}

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Upper,
    Title,
    Lower,
}

/// A part of a picture.
#[derive(Clone, Debug)]
pub enum Node<'a> {
    Field(Field<'a>),
    /// A character of no meaning: a text's, a sign, a space.
    Text(char),
    Separator(char),
    Space(char),
}

#[derive(Clone, Debug)]
pub struct Field<'a> {
    pub code: Code,
    /// As it stands in the picture.
    pub name: &'a str,
    pub case: Case,
    /// `FM`: no blanks and zeros before it.
    pub fill: bool,
    /// `TM`: in the words of lc_time, which is `C`, without blanks.
    pub translated: bool,
    /// `TH`, `th`: an ordinal number.
    pub ordinal: Option<Case>,
}

/// Those that begin alike stand in the order in which they are tried. Words of two cases only are here in upper case.
const FIELDS: &[(&str, Code)] = &[
    ("A.D.", Code::Era),
    ("A.M.", Code::Meridian),
    ("AD", Code::Era),
    ("AM", Code::Meridian),
    ("B.C.", Code::Era),
    ("BC", Code::Era),
    ("CC", Code::Century),
    ("DAY", Code::DayName),
    ("DDD", Code::DayOfYear),
    ("DD", Code::DayOfMonth),
    ("DY", Code::DayAbbreviation),
    ("Day", Code::DayName),
    ("Dy", Code::DayAbbreviation),
    ("D", Code::DayOfWeek),
    ("FF1", Code::Fraction(1)),
    ("FF2", Code::Fraction(2)),
    ("FF3", Code::Fraction(3)),
    ("FF4", Code::Fraction(4)),
    ("FF5", Code::Fraction(5)),
    ("FF6", Code::Fraction(6)),
    ("FX", Code::Exact),
    ("HH24", Code::Hour24),
    ("HH12", Code::Hour12),
    ("HH", Code::Hour12),
    ("IDDD", Code::IsoDayOfYear),
    ("ID", Code::IsoDayOfWeek),
    ("IW", Code::IsoWeek),
    ("IYYY", Code::IsoYear(4)),
    ("IYY", Code::IsoYear(3)),
    ("IY", Code::IsoYear(2)),
    ("I", Code::IsoYear(1)),
    ("J", Code::Julian),
    ("MI", Code::Minute),
    ("MM", Code::Month),
    ("MONTH", Code::MonthName),
    ("MON", Code::MonthAbbreviation),
    ("MS", Code::Millisecond),
    ("Month", Code::MonthName),
    ("Mon", Code::MonthAbbreviation),
    ("OF", Code::Offset),
    ("P.M.", Code::Meridian),
    ("PM", Code::Meridian),
    ("Q", Code::Quarter),
    ("RM", Code::RomanMonth),
    ("SSSSS", Code::SecondOfDay),
    ("SSSS", Code::SecondOfDay),
    ("SS", Code::Second),
    ("TZH", Code::ZoneHour),
    ("TZM", Code::ZoneMinute),
    ("TZ", Code::Zone),
    ("US", Code::Microsecond),
    ("WW", Code::Week),
    ("W", Code::WeekOfMonth),
    ("Y,YYY", Code::YearWithComma),
    ("YYYY", Code::Year(4)),
    ("YYY", Code::Year(3)),
    ("YY", Code::Year(2)),
    ("Y", Code::Year(1)),
];

/// The field with which a picture begins: its code, its length and its case. All of a field is of one case.
fn leading_field(picture: &str) -> Option<(Code, usize, Case)> {
    let first = *picture.as_bytes().first()?;
    let starts = |name: &str| {
        let begin = picture.as_bytes().get(..name.len())?;
        if begin == name.as_bytes() {
            let title = name.as_bytes().iter().any(u8::is_ascii_lowercase);
            return Some(if title { Case::Title } else { Case::Upper });
        }
        let lower = name.bytes().map(|b| b.to_ascii_lowercase()).eq(begin.iter().copied());
        lower.then_some(Case::Lower)
    };
    let alike = FIELDS.iter().filter(|(name, _)| name.as_bytes()[0] == first.to_ascii_uppercase());
    alike.clone().find_map(|(name, code)| Some((*code, name.len(), starts(name)?)))
}

/// Cuts a picture into its parts.
pub fn parse(picture: &str) -> Result<Vec<Node<'_>>> {
    let _room = claim_once(picture.len() * size_of::<Node<'_>>())?;
    let mut nodes = Vec::with_capacity(picture.len());
    let mut rest = picture;
    while !rest.is_empty() {
        let prefix = ["FM", "fm", "TM", "tm"].into_iter().find(|prefix| rest.starts_with(prefix));
        rest = &rest[prefix.map_or(0, str::len)..];
        if let Some((code, len, case)) = leading_field(rest) {
            let (name, behind) = rest.split_at(len);
            let (fill, translated) = match prefix {
                Some("FM" | "fm") => (true, false),
                Some(_) => (false, true),
                None => (false, false),
            };
            let (ordinal, len) = match behind.get(..2) {
                Some("TH") => (Some(Case::Upper), 2),
                Some("th") => (Some(Case::Lower), 2),
                // Spelled out, which it never is.
                Some("SP") => (None, 2),
                _ => (None, 0),
            };
            rest = &behind[len..];
            nodes.push(Node::Field(Field { code, name, case, fill, translated, ordinal }));
        } else if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted_text(quoted, &mut nodes);
        } else {
            if rest.starts_with("\\\"") {
                rest = &rest[1..];
            }
            let Some(char) = rest.chars().next() else { break };
            rest = &rest[char.len_utf8()..];
            nodes.push(if is_separator(char) {
                Node::Separator(char)
            } else if is_space(char) {
                Node::Space(char)
            } else {
                Node::Text(char)
            });
        }
    }
    Ok(nodes)
}

/// Up to the closing quote; gives what stands behind it.
fn quoted_text<'a>(quoted: &'a str, nodes: &mut Vec<Node<'a>>) -> &'a str {
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => break,
            // The next character, if there is one.
            '\\' => nodes.push(Node::Text(chars.next().unwrap_or('\\'))),
            char => nodes.push(Node::Text(char)),
        }
    }
    chars.as_str()
}

/// A sign of ASCII.
pub fn is_separator(char: char) -> bool {
    char.is_ascii_punctuation()
}

/// What C calls a space.
pub fn is_space(char: char) -> bool {
    char == ' ' || ('\t'..='\r').contains(&char)
}

impl Code {
    /// Whether digits stand for it.
    pub fn is_digits(self) -> bool {
        !matches!(
            self,
            Code::Era
                | Code::Meridian
                | Code::DayName
                | Code::DayAbbreviation
                | Code::Exact
                | Code::MonthName
                | Code::MonthAbbreviation
                | Code::Offset
                | Code::RomanMonth
                | Code::ZoneHour
                | Code::Zone
        )
    }

    /// Whether it is of the ISO calendar of weeks (`Some(true)`) or of months and days (`Some(false)`).
    pub fn of_weeks(self) -> Option<bool> {
        match self {
            Code::IsoDayOfYear | Code::IsoDayOfWeek | Code::IsoWeek | Code::IsoYear(_) => Some(true),
            Code::DayOfYear | Code::DayOfMonth | Code::DayOfWeek | Code::Month | Code::MonthName => Some(false),
            Code::MonthAbbreviation | Code::RomanMonth | Code::Week | Code::WeekOfMonth => Some(false),
            Code::YearWithComma | Code::Year(_) => Some(false),
            _ => None,
        }
    }
}

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// From December on, so that none begins with one that is tried before.
pub const ROMAN_MONTHS: [&str; 12] = ["XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"];
