//! Tokens of expressions (`regc_lex.c`).

use super::Fault;
use super::flags::{Options, Syntax};
use crate::text::classes::{Class, is_space};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Nothing yet.
    Start,
    End,
    Char(u32),
    /// `.`
    Any,
    Bar,
    /// `*`, `+`, `?`: how often, at least and at most; and whether as often as can be.
    Repeat {
        least: u16,
        most: Option<u16>,
        greedy: bool,
    },
    /// `{`
    Brace,
    Open {
        captures: bool,
    },
    Close,
    Look {
        ahead: bool,
        positive: bool,
    },
    /// `[`; `[^`
    Bracket {
        negated: bool,
    },
    Caret,
    Dollar,
    TextBegin,
    TextEnd,
    WordBegin,
    WordEnd,
    WordBoundary,
    NoWordBoundary,
    Class {
        class: Class,
        negated: bool,
    },
    BackReference(usize),
}

/// The characters of an expression, and where reading is.
pub struct Lexer {
    chars: Vec<char>,
    at: usize,
    pub options: Options,
    /// The token that was read last.
    last: Token,
    /// Groups so far: what looks like a reference to one that is not there is a character.
    pub groups: usize,
}

impl Lexer {
    /// Reads what stands before the expression: `***:`, `***=`, `(?flags)`.
    pub fn new(pattern: &str, options: Options) -> Result<Lexer, Fault> {
        let chars: Vec<char> = pattern.chars().collect();
        let mut lexer = Lexer { chars, at: 0, options, last: Token::Start, groups: 0 };
        lexer.prefixes()?;
        Ok(lexer)
    }

    fn prefixes(&mut self) -> Result<(), Fault> {
        if self.options.syntax == Syntax::Literal {
            return Ok(());
        }
        if self.chars.len() >= 4 && self.chars[..3] == ['*'; 3] {
            match self.chars[3] {
                '?' => return Err(Fault::BadPattern),
                '=' => {
                    self.options.syntax = Syntax::Literal;
                    self.options.expanded = false;
                    (self.options.newline_stops, self.options.newline_anchors) = (false, false);
                    self.at = 4;
                    return Ok(());
                }
                ':' => {
                    self.options.syntax = Syntax::Advanced;
                    self.at = 4;
                }
                _ => return Err(Fault::Operand),
            }
        }
        if self.options.syntax != Syntax::Advanced {
            return Ok(());
        }
        let rest = &self.chars[self.at..];
        if !(rest.len() >= 3 && rest[..2] == ['(', '?'] && rest[2].is_ascii_alphabetic()) {
            return Ok(());
        }
        self.at += 2;
        while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
            if !self.options.letter(letter) {
                return Err(Fault::Option);
            }
            self.at += 1;
        }
        if !self.eat(')') {
            return Err(Fault::Option);
        }
        if self.options.syntax == Syntax::Literal {
            self.options.expanded = false;
            (self.options.newline_stops, self.options.newline_anchors) = (false, false);
        }
        Ok(())
    }

    pub fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Takes a character if it comes next.
    pub fn eat(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn comes(&self, text: &str) -> bool {
        text.chars().eq(self.chars[self.at..].iter().copied().take(text.len()))
    }

    fn is_advanced(&self) -> bool {
        self.options.syntax == Syntax::Advanced
    }

    /// White space, `# …` and `(?#…)` of the expanded syntax.
    fn skip(&mut self) {
        loop {
            while self.peek().is_some_and(is_space) {
                self.at += 1;
            }
            if self.peek() != Some('#') {
                break;
            }
            while self.peek().is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        }
    }

    pub fn next(&mut self) -> Result<Token, Fault> {
        let token = loop {
            if self.options.expanded && self.options.syntax != Syntax::Literal {
                self.skip();
            }
            let Some(c) = self.take() else { break Token::End };
            let token = match self.options.syntax {
                Syntax::Literal => Some(Token::Char(c as u32)),
                Syntax::Basic => Some(self.basic(c)?),
                _ => self.extended(c)?,
            };
            // None: a comment.
            if let Some(token) = token {
                break token;
            }
        };
        self.last = token;
        Ok(token)
    }

    fn repeat(&mut self, least: u16, most: Option<u16>) -> Token {
        Token::Repeat { least, most, greedy: !(self.is_advanced() && self.eat('?')) }
    }

    fn extended(&mut self, c: char) -> Result<Option<Token>, Fault> {
        Ok(Some(match c {
            '|' => Token::Bar,
            '*' => self.repeat(0, None),
            '+' => self.repeat(1, None),
            '?' => self.repeat(0, Some(1)),
            '{' => {
                if self.options.expanded {
                    self.skip();
                }
                match self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    true => Token::Brace,
                    false => Token::Char(c as u32),
                }
            }
            '(' if self.is_advanced() && self.eat('?') => return self.group(),
            '(' => Token::Open { captures: true },
            ')' => Token::Close,
            '[' => self.bracket(),
            '.' => Token::Any,
            '^' => Token::Caret,
            '$' => Token::Dollar,
            '\\' => match self.peek() {
                None => return Err(Fault::Escape),
                Some(_) if self.is_advanced() => self.escape()?,
                Some(c) => {
                    self.at += 1;
                    Token::Char(c as u32)
                }
            },
            c => Token::Char(c as u32),
        }))
    }

    /// Behind `(?`.
    fn group(&mut self) -> Result<Option<Token>, Fault> {
        let look = |ahead, positive| Ok(Some(Token::Look { ahead, positive }));
        match self.take() {
            Some(':') => Ok(Some(Token::Open { captures: false })),
            Some('#') => {
                while self.take().is_some_and(|c| c != ')') {}
                Ok(None)
            }
            Some('=') => look(true, true),
            Some('!') => look(true, false),
            Some('<') => match self.take() {
                Some('=') => look(false, true),
                Some('!') => look(false, false),
                _ => Err(Fault::Operand),
            },
            _ => Err(Fault::Operand),
        }
    }

    /// Behind `[`. `[[:<:]]` and `[[:>:]]` are words' ends.
    fn bracket(&mut self) -> Token {
        for (text, token) in [("[:<:]]", Token::WordBegin), ("[:>:]]", Token::WordEnd)] {
            if self.comes(text) {
                self.at += text.len();
                return token;
            }
        }
        Token::Bracket { negated: self.eat('^') }
    }

    fn basic(&mut self, c: char) -> Result<Token, Fault> {
        let first = matches!(self.last, Token::Start | Token::Open { .. });
        Ok(match c {
            '*' if first || self.last == Token::Caret => Token::Char(c as u32),
            '*' => Token::Repeat { least: 0, most: None, greedy: true },
            '[' => self.bracket(),
            '.' => Token::Any,
            '^' if first => Token::Caret,
            '$' => {
                if self.options.expanded {
                    self.skip();
                }
                match self.peek().is_none() || self.comes("\\)") {
                    true => Token::Dollar,
                    false => Token::Char(c as u32),
                }
            }
            '\\' => match self.take().ok_or(Fault::Escape)? {
                '{' => Token::Brace,
                '(' => Token::Open { captures: true },
                ')' => Token::Close,
                '<' => Token::WordBegin,
                '>' => Token::WordEnd,
                digit @ '1'..='9' => Token::BackReference(digit as usize - '0' as usize),
                other => Token::Char(other as u32),
            },
            c => Token::Char(c as u32),
        })
    }

    /// Digits of a base, at least and at most so many.
    fn digits(&mut self, base: u32, least: usize, most: usize) -> Result<u32, Fault> {
        let (mut value, mut count) = (0u32, 0);
        while let Some(digit) = self.peek().filter(|_| count < most).and_then(|c| c.to_digit(base)) {
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
            count += 1;
        }
        if count < least { Err(Fault::Escape) } else { Ok(value) }
    }

    fn code(&mut self, least: usize, most: usize) -> Result<Token, Fault> {
        match self.digits(16, least, most)? {
            code @ ..=0x7fff_fffe => Ok(Token::Char(code)),
            _ => Err(Fault::Escape),
        }
    }

    /// What follows a backslash, in the advanced syntax.
    pub fn escape(&mut self) -> Result<Token, Fault> {
        let c = self.take().ok_or(Fault::Escape)?;
        let class = |class, negated| Ok(Token::Class { class, negated });
        let character = |c: u8| Ok(Token::Char(u32::from(c)));
        match c {
            'a' => character(7),
            'A' => Ok(Token::TextBegin),
            'b' => character(8),
            'B' => character(b'\\'),
            'c' => Ok(Token::Char(self.take().ok_or(Fault::Escape)? as u32 & 0x1f)),
            'd' => class(Class::Digit, false),
            'D' => class(Class::Digit, true),
            'e' => character(0x1b),
            'f' => character(0x0c),
            'm' => Ok(Token::WordBegin),
            'M' => Ok(Token::WordEnd),
            'n' => character(b'\n'),
            'r' => character(b'\r'),
            's' => class(Class::Space, false),
            'S' => class(Class::Space, true),
            't' => character(b'\t'),
            'u' => self.code(4, 4),
            'U' => self.code(8, 8),
            'v' => character(0x0b),
            'w' => class(Class::Word, false),
            'W' => class(Class::Word, true),
            'x' => self.code(1, 255),
            'y' => Ok(Token::WordBoundary),
            'Y' => Ok(Token::NoWordBoundary),
            'Z' => Ok(Token::TextEnd),
            '1'..='9' => {
                let behind = self.at;
                self.at -= 1;
                let number = self.digits(10, 1, 255)? as i32;
                if self.at == behind || (number > 0 && number as usize <= self.groups) {
                    return Ok(Token::BackReference(number as usize));
                }
                self.at = behind;
                self.octal()
            }
            '0' => self.octal(),
            c if c.is_ascii_alphabetic() => Err(Fault::Escape),
            c => Ok(Token::Char(c as u32)),
        }
    }

    /// Up to three digits, of which the first one has been taken, for a number below 256.
    fn octal(&mut self) -> Result<Token, Fault> {
        self.at -= 1;
        let mut value = self.digits(8, 1, 3)?;
        if value > 0xff {
            self.at -= 1;
            value >>= 3;
        }
        Ok(Token::Char(value))
    }

    /// A number of a bound.
    pub fn number(&mut self) -> Result<Option<u16>, Fault> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0) * 10 + digit as u16);
            if value > Some(255) {
                return Err(Fault::Repetition);
            }
        }
        Ok(value)
    }

    /// Behind `{`: the bound, to its end.
    pub fn bound(&mut self) -> Result<Bound, Fault> {
        let least = self.number_in_bound()?.ok_or(Fault::Repetition)?;
        let (most, is_range) = match self.eat(',') {
            true => (self.number_in_bound()?, true),
            false => (Some(least), false),
        };
        if most.is_some_and(|most| least > most) {
            return Err(Fault::Repetition);
        }
        let closed = match self.options.syntax {
            Syntax::Basic => self.eat('\\') && self.eat('}'),
            _ => self.eat('}'),
        };
        match (closed, self.peek()) {
            (true, _) => {}
            (false, None) => return Err(Fault::Brace),
            (false, Some(_)) => return Err(Fault::Repetition),
        }
        let greedy = !(self.is_advanced() && self.eat('?'));
        Ok(Bound { least, most, greedy: is_range.then_some(greedy) })
    }

    fn number_in_bound(&mut self) -> Result<Option<u16>, Fault> {
        if self.options.expanded {
            self.skip();
        }
        let number = self.number()?;
        if self.options.expanded {
            self.skip();
        }
        match self.peek() {
            None => Err(Fault::Brace),
            Some(_) => Ok(number),
        }
    }

    /// Whether `-` comes, and is not the last one within brackets.
    pub fn at_range(&self) -> bool {
        self.peek() == Some('-') && self.chars.get(self.at + 1) != Some(&']')
    }

    /// The name within `[:…:]` and its like, which ends with `mark` and `]`.
    pub fn element(&mut self, mark: char) -> Result<Vec<char>, Fault> {
        let mut name = Vec::new();
        loop {
            match self.take().ok_or(Fault::Bracket)? {
                c if c == mark && self.peek() == Some(']') => {
                    self.at += 1;
                    return Ok(name);
                }
                c => name.push(c),
            }
        }
    }
}

/// `{least,most}`.
pub struct Bound {
    pub least: u16,
    pub most: Option<u16>,
    /// `None`: `{n}`, which prefers what it repeats does.
    pub greedy: Option<bool>,
}
