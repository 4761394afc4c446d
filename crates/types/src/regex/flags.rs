//! How an expression is read and matched, and what its parts prefer.

use crate::text::lower;

/// How an expression is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    pub syntax: Syntax,
    pub any_case: bool,
    /// Letters are ASCII's only: as in the collation `C`, which values of type `name` have.
    pub ascii: bool,
    /// White space and comments do not count.
    pub expanded: bool,
    /// `.` and `[^…]` do not match the end of a line.
    pub newline_stops: bool,
    /// `^` and `$` match at lines.
    pub newline_anchors: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    Advanced,
    Extended,
    Basic,
    Literal,
}

impl Options {
    pub const ADVANCED: Options = Options {
        syntax: Syntax::Advanced,
        any_case: false,
        ascii: false,
        expanded: false,
        newline_stops: false,
        newline_anchors: false,
    };

    pub const fn ascii(self) -> Options {
        Options { ascii: true, ..self }
    }

    pub fn any_case(self) -> Options {
        Options { any_case: true, ..self }
    }

    /// Whether a character stands for its other case, too.
    pub fn has_cases(self, c: char) -> bool {
        self.any_case && (c.is_ascii() || !self.ascii)
    }

    /// Are texts of the same length the same (`casecmp`)?
    pub fn are_alike(self, a: &[char], b: &[char]) -> bool {
        let folded = |c: char| if self.has_cases(c) { lower(c) } else { c };
        a == b || (self.any_case && a.iter().zip(b).all(|(&a, &b)| folded(a) == folded(b)))
    }

    /// Follows a letter of an embedded option or of a function's flags. Says whether there is such a letter.
    pub fn letter(&mut self, letter: char) -> bool {
        let newline = match letter {
            'm' | 'n' => Some((true, true)),
            'p' => Some((true, false)),
            's' => Some((false, false)),
            'w' => Some((false, true)),
            _ => None,
        };
        match letter {
            _ if newline.is_some() => {
                (self.newline_stops, self.newline_anchors) = newline.unwrap_or_default();
            }
            'b' => self.syntax = Syntax::Basic,
            'c' => self.any_case = false,
            'e' => self.syntax = Syntax::Extended,
            'i' => self.any_case = true,
            'q' => self.syntax = Syntax::Literal,
            't' => self.expanded = false,
            'x' => self.expanded = true,
            _ => return false,
        }
        true
    }
}

/// What a part of an expression prefers and has. As in `regguts.h`: a part that is messy is taken apart after the match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    pub const NONE: Flags = Flags(0);
    pub const LONGER: Flags = Flags(1);
    pub const SHORTER: Flags = Flags(2);
    /// There are both preferences below.
    pub const MIXED: Flags = Flags(4);
    pub const CAPTURE: Flags = Flags(8);
    pub const BACK_REFERENCE: Flags = Flags(16);

    const PREFERENCE: u8 = 3;

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub fn and(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }

    pub fn is_messy(self) -> bool {
        self.has(Flags(4 | 8 | 16))
    }

    pub fn preference(self) -> Flags {
        Flags(self.0 & Flags::PREFERENCE)
    }

    /// What a part tells the one around it.
    pub fn up(self) -> Flags {
        let mixed = if self.0 & Flags::PREFERENCE == Flags::PREFERENCE { Flags::MIXED.0 } else { 0 };
        Flags(self.0 & !Flags::PREFERENCE | mixed)
    }

    /// Of two parts, one behind the other: the first preference counts.
    pub fn combine(self, other: Flags) -> Flags {
        let preference = if self.preference() == Flags::NONE { other.preference() } else { self.preference() };
        self.or(other).up().or(preference)
    }
}
