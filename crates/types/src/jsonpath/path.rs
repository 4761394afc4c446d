//! What a path is, and its text.

use crate::error::Result;
use crate::json::write::append_string;
use crate::numeric::Numeric;
use crate::numeric::text::write as write_number;
use crate::regex::Options;

/// A path as a whole.
#[derive(Debug)]
pub struct Path {
    pub lax: bool,
    pub first: Node,
}

/// A step, and what is done with what it gives.
#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    pub next: Option<Box<Node>>,
}

#[derive(Debug)]
pub enum Kind {
    Null,
    Bool(bool),
    Number(Numeric),
    String(String),
    Variable(String),
    Root,
    Current,
    Last,
    AnyArray,
    AnyKey,
    /// `.**{first to last}`
    Any(u32, u32),
    Index(Vec<(Node, Option<Node>)>),
    Key(String),
    Filter(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    /// The sign: minus if it is true.
    Signed(bool, Box<Node>),
    Not(Box<Node>),
    IsUnknown(Box<Node>),
    Exists(Box<Node>),
    LikeRegex(Box<Node>, Pattern),
    Method(Method),
    Decimal(Vec<Numeric>),
    /// With its template or its precision.
    Datetime(DateMethod, Option<Box<Node>>),
}

/// A level of `.**` that stands for the last.
pub const LAST_LEVEL: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    StartsWith,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Operator {
    pub fn text(self) -> &'static str {
        match self {
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            Operator::StartsWith => "starts with",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
        }
    }

    pub fn is_arithmetic(self) -> bool {
        self.priority() >= 3
    }

    fn priority(self) -> u8 {
        match self {
            Operator::Or => 0,
            Operator::And => 1,
            Operator::Add | Operator::Subtract => 3,
            Operator::Multiply | Operator::Divide | Operator::Modulo => 4,
            _ => 2,
        }
    }
}

/// The expression of a `like_regex`.
#[derive(Debug)]
pub struct Pattern {
    pub text: String,
    /// The flags `ismxq` that it has, as they are written.
    pub flags: String,
    pub options: Options,
}

macro_rules! names {
    ($of:ident $($name:ident $text:literal)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $of { $($name,)* }

        impl $of {
            pub fn name(self) -> &'static str {
                match self { $($of::$name => $text,)* }
            }

            pub fn named(text: &str) -> Option<$of> {
                Some(match text { $($text => $of::$name,)* _ => return None })
            }
        }
    };
}

names! {
    Method Type "type" Size "size" Abs "abs" Floor "floor" Ceiling "ceiling" Double "double" KeyValue "keyvalue" Bigint "bigint"
    Boolean "boolean" Integer "integer" Number "number" StringFunc "string" Date "date"
}

names! {
    DateMethod Datetime "datetime" Time "time" TimeTz "time_tz" Timestamp "timestamp" TimestampTz "timestamp_tz"
}

impl Kind {
    fn priority(&self) -> u8 {
        match self {
            Kind::Binary(operator, ..) => operator.priority(),
            Kind::Signed(..) => 5,
            _ => 6,
        }
    }
}

impl Path {
    pub fn text(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if !self.lax {
            out.extend_from_slice(b"strict ");
        }
        self.first.write(&mut out, false, true)?;
        Ok(out)
    }
}

impl Node {
    /// Appends its text (`printJsonPathItem`).
    fn write(&self, out: &mut Vec<u8>, behind: bool, brackets: bool) -> Result<()> {
        let put = |out: &mut Vec<u8>, text: &str| out.extend_from_slice(text.as_bytes());
        match &self.kind {
            Kind::Null => put(out, "null"),
            Kind::Bool(value) => put(out, if *value { "true" } else { "false" }),
            Kind::Number(value) => {
                let (open, close) = if self.next.is_some() { ("(", ")") } else { ("", "") };
                put(out, open);
                write_number(value, out);
                put(out, close);
            }
            Kind::String(text) => append_string(text.as_bytes(), out)?,
            Kind::Variable(name) => {
                put(out, "$");
                append_string(name.as_bytes(), out)?;
            }
            Kind::Root => put(out, "$"),
            Kind::Current => put(out, "@"),
            Kind::Last => put(out, "last"),
            Kind::AnyArray => put(out, "[*]"),
            Kind::AnyKey => put(out, if behind { ".*" } else { "*" }),
            Kind::Any(first, last) => {
                put(out, if behind { ".**" } else { "**" });
                put(out, &levels(*first, *last));
            }
            Kind::Index(ranges) => write_ranges(ranges, out)?,
            Kind::Key(name) => {
                put(out, if behind { "." } else { "" });
                append_string(name.as_bytes(), out)?;
            }
            Kind::Filter(argument) => argument.write_within(out, "?(", ")")?,
            Kind::Not(argument) => argument.write_within(out, "!(", ")")?,
            Kind::IsUnknown(argument) => argument.write_within(out, "(", ") is unknown")?,
            Kind::Exists(argument) => argument.write_within(out, "exists (", ")")?,
            Kind::Binary(..) | Kind::Signed(..) | Kind::LikeRegex(..) => self.write_operation(out, brackets)?,
            Kind::Method(method) => put(out, &format!(".{}()", method.name())),
            Kind::Decimal(arguments) => {
                let texts: Vec<String> = arguments.iter().map(Numeric::to_string).collect();
                put(out, &format!(".decimal({})", texts.join(",")));
            }
            Kind::Datetime(method, argument) => {
                put(out, &format!(".{}(", method.name()));
                if let Some(argument) = argument {
                    argument.write(out, false, false)?;
                }
                put(out, ")");
            }
        }
        match &self.next {
            Some(next) => next.write(out, true, true),
            None => Ok(()),
        }
    }

    fn write_within(&self, out: &mut Vec<u8>, before: &str, behind: &str) -> Result<()> {
        out.extend_from_slice(before.as_bytes());
        self.write(out, false, false)?;
        out.extend_from_slice(behind.as_bytes());
        Ok(())
    }

    /// An operand of an operation stands in brackets unless it binds more strongly.
    fn write_operand(&self, out: &mut Vec<u8>, priority: u8) -> Result<()> {
        self.write(out, false, self.kind.priority() <= priority)
    }

    fn write_operation(&self, out: &mut Vec<u8>, brackets: bool) -> Result<()> {
        if brackets {
            out.push(b'(');
        }
        let priority = self.kind.priority();
        match &self.kind {
            Kind::Binary(operator, left, right) => {
                left.write_operand(out, priority)?;
                out.extend_from_slice(format!(" {} ", operator.text()).as_bytes());
                right.write_operand(out, priority)?;
            }
            Kind::Signed(minus, operand) => {
                out.push(if *minus { b'-' } else { b'+' });
                operand.write_operand(out, priority)?;
            }
            Kind::LikeRegex(operand, pattern) => {
                operand.write_operand(out, priority)?;
                out.extend_from_slice(b" like_regex ");
                append_string(pattern.text.as_bytes(), out)?;
                if !pattern.flags.is_empty() {
                    out.extend_from_slice(format!(" flag \"{}\"", pattern.flags).as_bytes());
                }
            }
            _ => {}
        }
        if brackets {
            out.push(b')');
        }
        Ok(())
    }
}

fn levels(first: u32, last: u32) -> String {
    match (first, last) {
        (0, LAST_LEVEL) => String::new(),
        (LAST_LEVEL, LAST_LEVEL) => "{last}".into(),
        (first, last) if first == last => format!("{{{first}}}"),
        (LAST_LEVEL, last) => format!("{{last to {last}}}"),
        (first, LAST_LEVEL) => format!("{{{first} to last}}"),
        (first, last) => format!("{{{first} to {last}}}"),
    }
}

fn write_ranges(ranges: &[(Node, Option<Node>)], out: &mut Vec<u8>) -> Result<()> {
    out.push(b'[');
    for (number, (from, to)) in ranges.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        from.write(out, false, false)?;
        if let Some(to) = to {
            to.write_within(out, " to ", "")?;
        }
    }
    out.push(b']');
    Ok(())
}
