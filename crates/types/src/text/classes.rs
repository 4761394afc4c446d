//! Classes of characters, as C's `iswalpha` and its like have them in the locale `C.UTF-8` (glibc's, of Unicode 17).
//!
//! `classes.tsv` has those that are long: recorded from a real server, which was asked for each character whether it matches
//! `[[:alpha:]]` and so on. The others follow from these, which was asked too.

use std::sync::LazyLock;

/// A class by its name in regular expressions; `None`: there is no such class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Word,
    Ascii,
}

impl Class {
    pub fn named(name: &str) -> Option<Class> {
        Some(match name {
            "alnum" => Class::Alnum,
            "alpha" => Class::Alpha,
            "ascii" => Class::Ascii,
            "blank" => Class::Blank,
            "cntrl" => Class::Cntrl,
            "digit" => Class::Digit,
            "graph" => Class::Graph,
            "lower" => Class::Lower,
            "print" => Class::Print,
            "punct" => Class::Punct,
            "space" => Class::Space,
            "upper" => Class::Upper,
            "xdigit" => Class::Xdigit,
            "word" => Class::Word,
            _ => return None,
        })
    }

    /// All its characters, in ranges that are not in order.
    pub fn ranges(self) -> Vec<(u32, u32)> {
        let with = |class: Class, others: &[(u32, u32)]| [&class.ranges(), others].concat();
        match self {
            Class::Alpha => TABLES.alpha.0.clone(),
            Class::Punct => TABLES.punct.0.clone(),
            Class::Upper => TABLES.upper.0.clone(),
            Class::Lower => TABLES.lower.0.clone(),
            Class::Alnum => with(Class::Alpha, &[(0x30, 0x39)]),
            Class::Word => with(Class::Alnum, &[(0x5f, 0x5f)]),
            Class::Graph => with(Class::Alnum, &TABLES.punct.0),
            Class::Print => with(Class::Graph, &SPACES[1..]),
            Class::Space => [SPACES, SEPARATORS].concat(),
            Class::Digit => vec![(0x30, 0x39)],
            Class::Xdigit => vec![(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
            Class::Blank => vec![(9, 9), (0x20, 0x20)],
            Class::Cntrl => vec![(0, 0x1f), (0x7f, 0x9f)],
            Class::Ascii => vec![(0, 0x7f)],
        }
    }
}

fn is_alpha(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { TABLES.alpha.has(c) }
}

/// Letters and digits.
pub fn is_alnum(c: char) -> bool {
    c.is_ascii_digit() || is_alpha(c)
}

/// Control characters that are blank, and blanks that are printed: not those that keep words together.
const SPACES: &[(u32, u32)] =
    &[(9, 13), (0x20, 0x20), (0x1680, 0x1680), (0x2000, 0x2006), (0x2008, 0x200a), (0x205f, 0x205f), (0x3000, 0x3000)];

/// The ends of lines and paragraphs.
const SEPARATORS: &[(u32, u32)] = &[(0x2028, 0x2029)];

/// What is blank in an expression that may have blanks.
pub fn is_space(c: char) -> bool {
    let within = |&(begin, end): &(u32, u32)| (begin..=end).contains(&u32::from(c));
    SPACES.iter().chain(SEPARATORS).any(within)
}

/// Ranges of characters, in their order.
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn has(&self, c: char) -> bool {
        let c = u32::from(c);
        let behind = self.0.partition_point(|(begin, _)| *begin <= c);
        behind > 0 && c <= self.0[behind - 1].1
    }
}

struct Tables {
    alpha: Ranges,
    punct: Ranges,
    upper: Ranges,
    lower: Ranges,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let number = |text: &str| u32::from_str_radix(text, 16).expect("a number");
    let range = |text: &str| {
        let (begin, end) = text.split_once('-').unwrap_or((text, text));
        (number(begin), number(end))
    };
    let class = |name: &str| {
        let line = include_str!("classes.tsv").lines().find_map(|line| line.strip_prefix(name));
        Ranges(line.expect("the class is there").split_ascii_whitespace().map(range).collect())
    };
    Tables { alpha: class("alpha"), punct: class("punct"), upper: class("upper"), lower: class("lower") }
});
