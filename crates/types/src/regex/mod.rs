//! Regular expressions: PostgreSQL's advanced ones (Henry Spencer's), with its rules of which match is taken.
//!
//! Other libraries take the first alternative that matches; here the match is the longest one, or the shortest one where the
//! expression says so, and what its parts match follows from their own preferences, those on the left first. What this does
//! not match in time that is linear in the text are back references only.
//!
//! * [`lex`], [`parse`]: from text to a tree; its preferences are in [`flags`]. [`set`]: characters.
//! * [`program`]: states for each part of the tree; [`dfa`]: whether and where a part matches, by sets of states that are
//!   made when they are needed and kept. [`search`]: the match in a text, and what its parts match.
//! * [`cache`]: expressions that were compiled. [`functions`]: what is declared; [`matches`]: all matches in a text.

mod cache;
mod dfa;
mod flags;
mod functions;
mod lex;
pub mod matches;
mod parse;
mod program;
mod search;
mod set;

use error::sqlstate;

use crate::error::Error;

pub use cache::compiled;
pub use flags::{Options, Syntax};
pub use functions::{FUNCTIONS, FUNCTIONS_IN_C, SIMILAR};
pub use search::{Captures, Regex};

/// What is wrong with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    BadPattern,
    Collation,
    Class,
    Escape,
    BackReference,
    Bracket,
    Parenthesis,
    Brace,
    Repetition,
    Range,
    Operand,
    Option,
    TooBig,
    /// Names of collating elements.
    Unsupported,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        let what = match fault {
            Fault::BadPattern => "invalid regexp (reg version 0.8)",
            Fault::Collation => "invalid collating element",
            Fault::Class => "invalid character class",
            Fault::Escape => "invalid escape \\ sequence",
            Fault::BackReference => "invalid backreference number",
            Fault::Bracket => "brackets [] not balanced",
            Fault::Parenthesis => "parentheses () not balanced",
            Fault::Brace => "braces {} not balanced",
            Fault::Repetition => "invalid repetition count(s)",
            Fault::Range => "invalid character range",
            Fault::Operand => "quantifier operand invalid",
            Fault::Option => "invalid embedded option",
            Fault::TooBig => "regular expression is too complex",
            Fault::Unsupported => return Error::unsupported("a named collating element in a regular expression"),
        };
        Error::new(sqlstate::INVALID_REGULAR_EXPRESSION, format!("invalid regular expression: {what}"))
    }
}
