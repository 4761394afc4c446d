//! How the data of COPY looks: its options, checked as `ProcessCopyOptions` in PostgreSQL's `copy.c` does.

use ::error::sqlstate;
use engine::{EngineError, Result};
use session::def_elem;
use session::errors::at;
use syntax::nodes::{DefElem, Node};
use types::encoding::Encoding;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Text,
    Csv,
    Binary,
}

/// What the first line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    #[default]
    None,
    /// Anything.
    Line,
    /// The names of the columns.
    Match,
}

/// Columns that an option names.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Columns {
    #[default]
    None,
    All,
    Named(Vec<String>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub enum Verbosity {
    Silent,
    #[default]
    Default,
    Verbose,
}

/// The options of a COPY. The characters are ASCII.
#[derive(Clone, Debug)]
pub struct CopyFormat {
    pub kind: Kind,
    /// Rows may be seen by whoever looks at the table. They are not: only what a later VACUUM has to do would change.
    pub freeze: bool,
    pub delimiter: u8,
    pub null: String,
    /// What stands for a column's default.
    pub default: Option<String>,
    pub header: Header,
    pub quote: u8,
    pub escape: u8,
    pub force_quote: Columns,
    pub force_not_null: Columns,
    pub force_null: Columns,
    /// `None`: the client's.
    pub encoding: Option<&'static Encoding>,
    /// ON_ERROR ignore: rows with values that are none are left out.
    pub skips_errors: bool,
    pub verbosity: Verbosity,
    /// Rows that may be left out.
    pub reject_limit: Option<u64>,
}

/// The options as they are given.
#[derive(Default)]
struct Given {
    kind: Option<Kind>,
    freeze: Option<bool>,
    delimiter: Option<String>,
    null: Option<String>,
    default: Option<String>,
    header: Option<Header>,
    quote: Option<String>,
    escape: Option<String>,
    force_quote: Option<Columns>,
    force_not_null: Option<Columns>,
    force_null: Option<Columns>,
    encoding: Option<&'static Encoding>,
    skips_errors: Option<bool>,
    verbosity: Option<Verbosity>,
    reject_limit: Option<u64>,
}

fn invalid(message: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn unsupported(message: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
}

/// An option that the other direction has.
fn direction(option: &str, from: bool) -> String {
    format!("COPY {option} cannot be used with COPY {}", if from { "FROM" } else { "TO" })
}

impl CopyFormat {
    /// The options of COPY FROM, or else COPY TO. `text` is the query string.
    pub fn new(options: &[Node], from: bool, text: &str) -> Result<CopyFormat> {
        let mut given = Given::default();
        for option in options {
            let Node::DefElem(option) = option else { continue };
            given.option(option, from, text)?;
        }
        given.check_binary()?;
        let format = given.format()?;
        format.check_characters(&given)?;
        given.check_csv(&format, from)?;
        format.check_markers(&given, from)?;
        if given.skips_errors == Some(true) && format.kind == Kind::Binary {
            return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "only ON_ERROR STOP is allowed in BINARY mode"));
        }
        if format.reject_limit.is_some() && !format.skips_errors {
            return Err(invalid("COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"));
        }
        Ok(format)
    }

    pub fn is_csv(&self) -> bool {
        self.kind == Kind::Csv
    }

    /// Delimiter, quote and escape are what they may be.
    fn check_characters(&self, given: &Given) -> Result<()> {
        if matches!(self.delimiter, b'\n' | b'\r') {
            return Err(invalid("COPY delimiter cannot be newline or carriage return"));
        }
        if self.null.contains(['\n', '\r']) {
            return Err(invalid("COPY null representation cannot use newline or carriage return"));
        }
        if self.default.as_ref().is_some_and(|default| default.contains(['\n', '\r'])) {
            return Err(invalid("COPY default representation cannot use newline or carriage return"));
        }
        let letter = self.delimiter.is_ascii_lowercase() || self.delimiter.is_ascii_digit();
        if !self.is_csv() && (letter || matches!(self.delimiter, b'\\' | b'.')) {
            return Err(invalid(format!("COPY delimiter cannot be \"{}\"", char::from(self.delimiter))));
        }
        if self.kind == Kind::Binary && self.header != Header::None {
            return Err(unsupported("cannot specify HEADER in BINARY mode"));
        }
        if !self.is_csv() && given.quote.is_some() {
            return Err(unsupported("COPY QUOTE requires CSV mode"));
        }
        if self.is_csv() && self.delimiter == self.quote {
            return Err(invalid("COPY delimiter and quote must be different"));
        }
        if !self.is_csv() && given.escape.is_some() {
            return Err(unsupported("COPY ESCAPE requires CSV mode"));
        }
        Ok(())
    }

    /// What stands for NULL and for a default can be told from values, and from each other.
    fn check_markers(&self, given: &Given, from: bool) -> Result<()> {
        let has = |text: &str, byte: u8| text.as_bytes().contains(&byte);
        if has(&self.null, self.delimiter) {
            return Err(invalid("COPY delimiter character must not appear in the NULL specification"));
        }
        if self.is_csv() && has(&self.null, self.quote) {
            return Err(invalid("CSV quote character must not appear in the NULL specification"));
        }
        if given.freeze == Some(true) && !from {
            return Err(invalid(direction("FREEZE", from)));
        }
        let Some(default) = &self.default else { return Ok(()) };
        if !from {
            return Err(unsupported(direction("DEFAULT", from)));
        }
        if has(default, self.delimiter) {
            return Err(unsupported("COPY delimiter character must not appear in the DEFAULT specification"));
        }
        if self.is_csv() && has(default, self.quote) {
            return Err(unsupported("CSV quote character must not appear in the DEFAULT specification"));
        }
        if *default == self.null {
            return Err(unsupported("NULL specification and DEFAULT specification cannot be the same"));
        }
        Ok(())
    }
}

impl Given {
    fn option(&mut self, option: &DefElem, from: bool, text: &str) -> Result<()> {
        let here = |error| at(error, text, option.location);
        let once = |given: bool| match given {
            true => Err(here(EngineError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options"))),
            false => Ok(()),
        };
        let value = || def_elem::string(option);
        let columns = || named_columns(option).map_err(here);
        macro_rules! set {
            ($field:ident = $value:expr) => {{
                once(self.$field.is_some())?;
                self.$field = Some($value);
            }};
        }
        match def_elem::name(option) {
            "format" => set!(kind = kind(&value()?).map_err(here)?),
            "freeze" => set!(freeze = def_elem::boolean(option)?),
            "delimiter" => set!(delimiter = value()?),
            "null" => set!(null = value()?),
            "default" => set!(default = value()?),
            "header" => set!(header = header(option, from)?),
            "quote" => set!(quote = value()?),
            "escape" => set!(escape = value()?),
            "force_quote" => set!(force_quote = columns()?),
            "force_not_null" => set!(force_not_null = columns()?),
            "force_null" => set!(force_null = columns()?),
            "encoding" => set!(encoding = encoding(option).map_err(here)?),
            "on_error" => set!(skips_errors = on_error(&value()?, from).map_err(here)?),
            "log_verbosity" => set!(verbosity = verbosity(&value()?).map_err(here)?),
            "reject_limit" => set!(reject_limit = reject_limit(option)?),
            other => {
                return Err(here(EngineError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("option \"{other}\" not recognized"),
                )));
            }
        }
        Ok(())
    }

    fn check_binary(&self) -> Result<()> {
        let texts = [("DELIMITER", &self.delimiter), ("NULL", &self.null), ("DEFAULT", &self.default)];
        match texts.iter().find(|(_, given)| given.is_some()) {
            Some((name, _)) if self.kind == Some(Kind::Binary) => {
                Err(EngineError::new(sqlstate::SYNTAX_ERROR, format!("cannot specify {name} in BINARY mode")))
            }
            _ => Ok(()),
        }
    }

    /// With what holds where nothing is given.
    fn format(&self) -> Result<CopyFormat> {
        let kind = self.kind.unwrap_or_default();
        let csv = kind == Kind::Csv;
        let one = |given: &Option<String>, what: &str, other: u8| match given.as_deref().map(str::as_bytes) {
            None => Ok(other),
            Some([byte]) => Ok(*byte),
            Some(_) => Err(unsupported(format!("COPY {what} must be a single one-byte character"))),
        };
        let delimiter = one(&self.delimiter, "delimiter", if csv { b',' } else { b'\t' })?;
        let quote = if csv { one(&self.quote, "quote", b'"')? } else { b'"' };
        let escape = if csv { one(&self.escape, "escape", quote)? } else { quote };
        Ok(CopyFormat {
            kind,
            freeze: self.freeze.unwrap_or_default(),
            delimiter,
            null: self.null.clone().unwrap_or_else(|| if csv { String::new() } else { "\\N".into() }),
            default: self.default.clone(),
            header: self.header.unwrap_or_default(),
            quote,
            escape,
            force_quote: self.force_quote.clone().unwrap_or_default(),
            force_not_null: self.force_not_null.clone().unwrap_or_default(),
            force_null: self.force_null.clone().unwrap_or_default(),
            encoding: self.encoding,
            skips_errors: self.skips_errors.unwrap_or_default(),
            verbosity: self.verbosity.unwrap_or_default(),
            reject_limit: self.reject_limit,
        })
    }

    fn check_csv(&self, format: &CopyFormat, from: bool) -> Result<()> {
        let requires_csv = |name: &str| Err(unsupported(format!("COPY {name} requires CSV mode")));
        if self.force_quote.is_some() {
            if !format.is_csv() {
                return requires_csv("FORCE_QUOTE");
            }
            if from {
                return Err(unsupported(direction("FORCE_QUOTE", from)));
            }
        }
        for (name, given) in [("FORCE_NOT_NULL", &self.force_not_null), ("FORCE_NULL", &self.force_null)] {
            if given.is_none() {
                continue;
            }
            if !format.is_csv() {
                return requires_csv(name);
            }
            if !from {
                return Err(invalid(direction(name, from)));
            }
        }
        Ok(())
    }
}

fn kind(name: &str) -> Result<Kind> {
    match name {
        "text" => Ok(Kind::Text),
        "csv" => Ok(Kind::Csv),
        "binary" => Ok(Kind::Binary),
        other => Err(invalid(format!("COPY format \"{other}\" not recognized"))),
    }
}

/// `defGetCopyHeaderChoice`.
fn header(option: &DefElem, from: bool) -> Result<Header> {
    let wrong = || EngineError::new(sqlstate::SYNTAX_ERROR, "header requires a Boolean value or \"match\"");
    match &option.arg {
        None => return Ok(Header::Line),
        Some(Node::Integer(0)) => return Ok(Header::None),
        Some(Node::Integer(1)) => return Ok(Header::Line),
        Some(Node::Integer(_)) => return Err(wrong()),
        Some(_) => {}
    }
    let value = def_elem::string(option)?;
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" => Ok(Header::Line),
        "false" | "off" => Ok(Header::None),
        "match" if from => Ok(Header::Match),
        "match" => Err(unsupported(format!("cannot use \"{value}\" with HEADER in COPY TO"))),
        _ => Err(wrong()),
    }
}

fn named_columns(option: &DefElem) -> Result<Columns> {
    match &option.arg {
        Some(Node::A_Star(_)) => Ok(Columns::All),
        Some(Node::List(names)) => {
            let name = |node: &Node| match node {
                Node::String(name) => name.to_string(),
                _ => String::new(),
            };
            Ok(Columns::Named(names.iter().map(name).collect()))
        }
        _ => {
            let name = def_elem::name(option);
            Err(invalid(format!("argument to option \"{name}\" must be a list of column names")))
        }
    }
}

fn encoding(option: &DefElem) -> Result<&'static Encoding> {
    Encoding::find(&def_elem::string(option)?).unwrap_or_else(|| {
        let name = def_elem::name(option);
        Err(invalid(format!("argument to option \"{name}\" must be a valid encoding name")))
    })
}

fn on_error(value: &str, from: bool) -> Result<bool> {
    if !from {
        return Err(invalid(direction("ON_ERROR", from)));
    }
    match value.to_ascii_lowercase().as_str() {
        "stop" => Ok(false),
        "ignore" => Ok(true),
        _ => Err(invalid(format!("COPY ON_ERROR \"{value}\" not recognized"))),
    }
}

fn verbosity(value: &str) -> Result<Verbosity> {
    match value.to_ascii_lowercase().as_str() {
        "silent" => Ok(Verbosity::Silent),
        "default" => Ok(Verbosity::Default),
        "verbose" => Ok(Verbosity::Verbose),
        _ => Err(invalid(format!("COPY LOG_VERBOSITY \"{value}\" not recognized"))),
    }
}

fn reject_limit(option: &DefElem) -> Result<u64> {
    let limit = def_elem::integer(option)?;
    match u64::try_from(limit) {
        Ok(limit @ 1..) => Ok(limit),
        _ => Err(invalid(format!("REJECT_LIMIT ({limit}) must be greater than zero"))),
    }
}
