//! From the text of a path to the path (`jsonpath_gram.y`).

use error::sqlstate;

use super::lexer::{Lexer, Token, syntax_error};
use super::path::{DateMethod, Kind, LAST_LEVEL, Method, Node, Operator, Path, Pattern};
use crate::error::{Error, Result};
use crate::numeric::{Numeric, text};
use crate::regex::{Options, Syntax, compiled};

/// Levels of operations and filters in each other.
const MOST_LEVELS: usize = 2000;

pub fn parse(text: &str) -> Result<Path> {
    let mut lexer = Lexer::new(text);
    let token = lexer.token()?;
    if token == Token::End {
        let message = format!("invalid input syntax for type jsonpath: \"{text}\"");
        return Err(Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message));
    }
    let mut parser = Parser { lexer, token, level: 0 };
    let strict = parser.takes_word("strict")?;
    if !strict {
        parser.takes_word("lax")?;
    }
    let first = parser.or()?.node;
    if parser.token != Token::End {
        return Err(parser.unexpected());
    }
    check(&first, false, false)?;
    Ok(Path { lax: !strict, first })
}

/// Fails for `@` outside filters and `last` outside subscripts.
fn check(node: &Node, in_filter: bool, in_subscript: bool) -> Result<()> {
    let same = |node: &Node| check(node, in_filter, in_subscript);
    match &node.kind {
        Kind::Current if !in_filter => return Err(syntax_error("@ is not allowed in root expressions")),
        Kind::Last if !in_subscript => return Err(syntax_error("LAST is allowed only in array subscripts")),
        Kind::Filter(argument) => check(argument, true, in_subscript)?,
        Kind::Index(ranges) => {
            for (from, to) in ranges {
                check(from, in_filter, true)?;
                to.as_ref().map_or(Ok(()), |to| check(to, in_filter, true))?;
            }
        }
        Kind::Binary(_, left, right) => {
            same(left)?;
            same(right)?;
        }
        Kind::Signed(_, a) | Kind::Not(a) | Kind::IsUnknown(a) | Kind::Exists(a) | Kind::LikeRegex(a, _) => same(a)?,
        _ => {}
    }
    node.next.as_ref().map_or(Ok(()), |next| same(next))
}

/// What was read: a predicate is true, false or unknown, and is no operand of arithmetic.
struct Read {
    node: Node,
    predicate: bool,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    level: usize,
}

fn node(kind: Kind) -> Node {
    Node { kind, next: None }
}

/// Behind the last step.
fn append(node: &mut Node, kind: Kind) {
    let mut last = &mut node.next;
    while let Some(next) = last {
        last = &mut next.next;
    }
    *last = Some(Box::new(self::node(kind)));
}

impl Parser<'_> {
    fn unexpected(&self) -> Error {
        self.lexer.error("syntax error")
    }

    fn advance(&mut self) -> Result<()> {
        self.token = self.lexer.token()?;
        Ok(())
    }

    fn takes(&mut self, sign: &str) -> Result<bool> {
        let taken = matches!(&self.token, Token::Sign(found) if *found == sign);
        if taken {
            self.advance()?;
        }
        Ok(taken)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign)? { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Words of the language are so in any case of letters.
    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn takes_word(&mut self, word: &str) -> Result<bool> {
        let taken = self.is_word(word);
        if taken {
            self.advance()?;
        }
        Ok(taken)
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.takes_word(word)? { Ok(()) } else { Err(self.unexpected()) }
    }

    fn or(&mut self) -> Result<Read> {
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
        }
        let mut left = self.and()?;
        while self.token == Token::Sign("||") {
            left = self.connected(left, Operator::Or, Self::and)?;
        }
        self.level -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Result<Read> {
        let mut left = self.comparison()?;
        while self.token == Token::Sign("&&") {
            left = self.connected(left, Operator::And, Self::comparison)?;
        }
        Ok(left)
    }

    fn connected(&mut self, left: Read, operator: Operator, next: fn(&mut Self) -> Result<Read>) -> Result<Read> {
        let left = self.predicate(left)?;
        self.advance()?;
        let right = next(self)?;
        let right = self.predicate(right)?;
        Ok(Read { node: node(Kind::Binary(operator, left.into(), right.into())), predicate: true })
    }

    /// What was read, as a predicate that ends before the token that is next.
    fn predicate(&self, read: Read) -> Result<Node> {
        if read.predicate { Ok(read.node) } else { Err(self.unexpected()) }
    }

    fn expression(&self, read: Read) -> Result<Node> {
        if read.predicate { Err(self.unexpected()) } else { Ok(read.node) }
    }

    fn comparison(&mut self) -> Result<Read> {
        if self.takes("!")? {
            let argument = match self.token {
                Token::Sign("(") => {
                    self.advance()?;
                    let inner = self.or()?;
                    let inner = self.predicate(inner)?;
                    self.expect(")")?;
                    inner
                }
                _ if self.is_word("exists") => self.exists()?,
                _ => return Err(self.unexpected()),
            };
            return Ok(Read { node: node(Kind::Not(argument.into())), predicate: true });
        }
        let left = self.sum()?;
        let operator = match &self.token {
            Token::Sign(sign) => match *sign {
                "==" => Operator::Equal,
                "!=" => Operator::NotEqual,
                "<" => Operator::Less,
                "<=" => Operator::LessEqual,
                ">" => Operator::Greater,
                ">=" => Operator::GreaterEqual,
                _ => return Ok(left),
            },
            _ if self.is_word("starts") => Operator::StartsWith,
            _ if self.is_word("like_regex") => {
                let left = self.expression(left)?;
                return self.like_regex(left);
            }
            _ => return Ok(left),
        };
        let left = self.expression(left)?;
        self.advance()?;
        let right = match operator {
            Operator::StartsWith => {
                self.expect_word("with")?;
                self.text_or_variable()?
            }
            _ => {
                let right = self.sum()?;
                self.expression(right)?
            }
        };
        Ok(Read { node: node(Kind::Binary(operator, left.into(), right.into())), predicate: true })
    }

    fn text_or_variable(&mut self) -> Result<Node> {
        let kind = match &self.token {
            Token::String(text) => Kind::String(text.clone()),
            Token::Variable(name) => Kind::Variable(name.clone()),
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        Ok(node(kind))
    }

    fn string(&mut self) -> Result<String> {
        match &self.token {
            Token::String(text) => {
                let text = text.clone();
                self.advance()?;
                Ok(text)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn like_regex(&mut self, left: Node) -> Result<Read> {
        self.advance()?;
        let text = self.string()?;
        let flags = if self.takes_word("flag")? { self.string()? } else { String::new() };
        let pattern = pattern(text, &flags)?;
        Ok(Read { node: node(Kind::LikeRegex(left.into(), pattern)), predicate: true })
    }

    fn sum(&mut self) -> Result<Read> {
        let mut left = self.product()?;
        loop {
            let operator = match self.token {
                Token::Sign("+") => Operator::Add,
                Token::Sign("-") => Operator::Subtract,
                _ => return Ok(left),
            };
            left = self.computed(left, operator, Self::product)?;
        }
    }

    fn product(&mut self) -> Result<Read> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.token {
                Token::Sign("*") => Operator::Multiply,
                Token::Sign("/") => Operator::Divide,
                Token::Sign("%") => Operator::Modulo,
                _ => return Ok(left),
            };
            left = self.computed(left, operator, Self::signed)?;
        }
    }

    fn computed(&mut self, left: Read, operator: Operator, next: fn(&mut Self) -> Result<Read>) -> Result<Read> {
        let left = self.expression(left)?;
        self.advance()?;
        let right = next(self)?;
        let right = self.expression(right)?;
        Ok(Read { node: node(Kind::Binary(operator, left.into(), right.into())), predicate: false })
    }

    fn signed(&mut self) -> Result<Read> {
        let mut signs = Vec::new();
        loop {
            match self.token {
                Token::Sign("+") => signs.push(false),
                Token::Sign("-") => signs.push(true),
                _ => break,
            }
            self.advance()?;
        }
        let read = self.accessor()?;
        if signs.is_empty() {
            return Ok(read);
        }
        if signs.len() > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
        }
        let mut operand = self.expression(read)?;
        for minus in signs.into_iter().rev() {
            operand = match operand {
                // A number has its sign itself.
                Node { kind: Kind::Number(value), next: None } => {
                    node(Kind::Number(if minus { value.negate() } else { value }))
                }
                operand => node(Kind::Signed(minus, operand.into())),
            };
        }
        Ok(Read { node: operand, predicate: false })
    }

    fn exists(&mut self) -> Result<Node> {
        self.expect_word("exists")?;
        self.expect("(")?;
        let argument = self.sum()?;
        let argument = self.expression(argument)?;
        self.expect(")")?;
        Ok(node(Kind::Exists(argument.into())))
    }

    fn accessor(&mut self) -> Result<Read> {
        let mut read = match &self.token {
            Token::Sign("(") => {
                self.advance()?;
                let inner = self.or()?;
                self.expect(")")?;
                if inner.predicate && self.is_word("is") {
                    self.advance()?;
                    self.expect_word("unknown")?;
                    return Ok(Read { node: node(Kind::IsUnknown(inner.node.into())), predicate: true });
                }
                inner
            }
            Token::Word(word) if word.eq_ignore_ascii_case("exists") => {
                return Ok(Read { node: self.exists()?, predicate: true });
            }
            _ => Read { node: self.primary()?, predicate: false },
        };
        while let Some(step) = self.step()? {
            append(&mut read.node, step);
            read.predicate = false;
        }
        Ok(read)
    }

    fn primary(&mut self) -> Result<Node> {
        let kind = match &self.token {
            Token::Sign("$") => Kind::Root,
            Token::Sign("@") => Kind::Current,
            Token::String(text) => Kind::String(text.clone()),
            Token::Variable(name) => Kind::Variable(name.clone()),
            Token::Integer(digits) | Token::Number(digits) => Kind::Number(text::parse(digits)?),
            Token::Word(word) => match word.as_str() {
                "null" => Kind::Null,
                "true" => Kind::Bool(true),
                "false" => Kind::Bool(false),
                word if word.eq_ignore_ascii_case("last") => Kind::Last,
                _ => return Err(self.unexpected()),
            },
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        Ok(node(kind))
    }

    /// A step behind what was read, if there is one.
    fn step(&mut self) -> Result<Option<Kind>> {
        if self.takes(".")? {
            return self.member().map(Some);
        }
        if self.takes("[")? {
            if self.takes("*")? {
                self.expect("]")?;
                return Ok(Some(Kind::AnyArray));
            }
            return self.subscripts().map(Some);
        }
        if self.takes("?")? {
            self.expect("(")?;
            let argument = self.or()?;
            let argument = self.predicate(argument)?;
            self.expect(")")?;
            return Ok(Some(Kind::Filter(argument.into())));
        }
        Ok(None)
    }

    fn subscripts(&mut self) -> Result<Kind> {
        let mut ranges = Vec::new();
        loop {
            let from = self.or()?;
            let from = self.expression(from)?;
            let to = match self.takes_word("to")? {
                true => {
                    let to = self.or()?;
                    Some(self.expression(to)?)
                }
                false => None,
            };
            ranges.push((from, to));
            if !self.takes(",")? {
                self.expect("]")?;
                return Ok(Kind::Index(ranges));
            }
        }
    }

    /// What is behind a point.
    fn member(&mut self) -> Result<Kind> {
        if self.takes("*")? {
            return Ok(Kind::AnyKey);
        }
        if self.takes("**")? {
            return self.any();
        }
        let name = match &self.token {
            Token::String(name) => {
                let name = name.clone();
                self.advance()?;
                return Ok(Kind::Key(name));
            }
            Token::Word(name) => name.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        if self.token != Token::Sign("(") {
            return Ok(Kind::Key(name));
        }
        let word = name.to_ascii_lowercase();
        if let Some(method) = Method::named(&word) {
            self.advance()?;
            self.expect(")")?;
            return Ok(Kind::Method(method));
        }
        if word == "decimal" {
            self.advance()?;
            return self.decimal();
        }
        let Some(method) = DateMethod::named(&word) else { return Err(self.unexpected()) };
        self.advance()?;
        let argument = match &self.token {
            Token::String(template) if method == DateMethod::Datetime => Some(Kind::String(template.clone())),
            Token::Integer(digits) if method != DateMethod::Datetime => Some(Kind::Number(text::parse(digits)?)),
            _ => None,
        };
        if argument.is_some() {
            self.advance()?;
        }
        self.expect(")")?;
        Ok(Kind::Datetime(method, argument.map(|kind| node(kind).into())))
    }

    fn decimal(&mut self) -> Result<Kind> {
        let mut arguments: Vec<Numeric> = Vec::new();
        if self.takes(")")? {
            return Ok(Kind::Decimal(arguments));
        }
        loop {
            let minus = self.takes("-")?;
            if !minus {
                self.takes("+")?;
            }
            let Token::Integer(digits) = &self.token else { return Err(self.unexpected()) };
            let value = text::parse(digits)?;
            arguments.push(if minus { value.negate() } else { value });
            self.advance()?;
            if !self.takes(",")? {
                self.expect(")")?;
                break;
            }
        }
        if arguments.len() > 2 {
            return Err(syntax_error("invalid input syntax for type jsonpath")
                .detail(".decimal() can only have an optional precision[,scale]."));
        }
        Ok(Kind::Decimal(arguments))
    }

    fn any(&mut self) -> Result<Kind> {
        if !self.takes("{")? {
            return Ok(Kind::Any(0, LAST_LEVEL));
        }
        let first = self.any_level()?;
        let last = if self.takes_word("to")? { self.any_level()? } else { first };
        self.expect("}")?;
        Ok(Kind::Any(first, last))
    }

    fn any_level(&mut self) -> Result<u32> {
        let level = match &self.token {
            Token::Integer(digits) => digits.parse().map_err(|_| self.unexpected())?,
            _ if self.is_word("last") => LAST_LEVEL,
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        Ok(level)
    }
}

/// An expression with its flags (`makeItemLikeRegex`).
fn pattern(text: String, flags: &str) -> Result<Pattern> {
    if let Some(flag) = flags.chars().find(|flag| !"ismxq".contains(*flag)) {
        return Err(syntax_error("invalid input syntax for type jsonpath")
            .detail(format!("Unrecognized flag character \"{flag}\" in LIKE_REGEX predicate.")));
    }
    let has = |flag: char| flags.contains(flag);
    let options = match has('q') {
        true => Options { syntax: Syntax::Literal, any_case: has('i'), ..Options::ADVANCED },
        false if has('x') => {
            let message = "XQuery \"x\" flag (expanded regular expressions) is not implemented";
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        false => {
            Options { any_case: has('i'), newline_stops: !has('s'), newline_anchors: has('m'), ..Options::ADVANCED }
        }
    };
    compiled(&text, options)?;
    Ok(Pattern { text, flags: "ismxq".chars().filter(|flag| has(*flag)).collect(), options })
}
