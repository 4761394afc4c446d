//! `format`: `%s`, `%I` and `%L` with positions and widths.

use arrow_array::{Array, ArrayRef};
use error::sqlstate;

use super::any::{Texts, Values, Variadic};
use super::concat::texts;
use super::functions::{MOST, characters, too_long};
use crate::base_type::base_type;
use crate::column::Argument;
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::memory::claim;
use crate::oid;
use crate::quote::{quote_identifier, quote_literal};
use crate::sql::text;

pub const FUNCTIONS: &[Function] = &[
    Function { name: "format", arguments: &[oid::TEXT, oid::ANY], result: oid::TEXT, strict: false, kernel },
    Function { name: "format", arguments: &[oid::TEXT], result: oid::TEXT, strict: false, kernel },
];

fn kernel(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let values = Variadic::of(call, arguments, 1)?;
    let formats = arguments[0].of::<text>();
    texts(call.rows, |row| {
        let index = arguments[0].index(row);
        if formats.is_null(index) {
            return Ok(None);
        }
        let format = formats.value(index);
        match values.row(row, |values| formatted(call.context, format, values))? {
            Some(text) => Ok(Some(text)),
            // An array that is NULL has no elements.
            None => formatted(call.context, format, &Nothing).map(Some),
        }
    })
}

struct Nothing;

impl Values for Nothing {
    fn count(&self) -> usize {
        0
    }
    fn get(&self, _: usize) -> (&Texts<'_>, usize) {
        unreachable!("there are none")
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// What stands between `%` and the letter.
#[derive(Default)]
struct Specifier {
    /// The argument's number from 1.
    argument: Option<usize>,
    left: bool,
    width: i32,
    /// The width is an argument's value: the next one's, or that of a number.
    width_argument: Option<Option<usize>>,
}

/// The rest of a format.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    /// Leaves a character behind. Fails where the format ends with it.
    fn advance(&mut self) -> Result<()> {
        let mut chars = self.0.chars();
        chars.next();
        self.0 = chars.as_str();
        match self.0 {
            "" => Err(invalid("unterminated format() type specifier").hint("For a single \"%\" use \"%%\".")),
            _ => Ok(()),
        }
    }

    fn digits(&mut self) -> Result<Option<i32>> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let next = value.unwrap_or(0i32).checked_mul(10).and_then(|v| v.checked_add(digit as i32));
            value =
                Some(next.ok_or_else(|| Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range"))?);
            self.advance()?;
        }
        Ok(value)
    }

    fn specifier(&mut self) -> Result<Specifier> {
        let mut specifier = Specifier::default();
        if let Some(number) = self.digits()? {
            if self.peek() != Some('$') {
                return Ok(Specifier { width: number, ..specifier });
            }
            specifier.argument = Some(position(number)?);
            self.advance()?;
        }
        while self.peek() == Some('-') {
            specifier.left = true;
            self.advance()?;
        }
        if self.peek() == Some('*') {
            self.advance()?;
            specifier.width_argument = Some(match self.digits()? {
                None => None,
                Some(_) if self.peek() != Some('$') => {
                    return Err(invalid("width argument position must be ended by \"$\""));
                }
                Some(number) => {
                    let position = position(number)?;
                    self.advance()?;
                    Some(position)
                }
            });
        } else if let Some(width) = self.digits()? {
            specifier.width = width;
        }
        Ok(specifier)
    }
}

fn position(number: i32) -> Result<usize> {
    match number {
        0 => Err(invalid("format specifies argument 0, but arguments are numbered from 1")),
        _ => Ok(number as usize),
    }
}

/// A value by its number from 1.
fn argument(values: &dyn Values, number: usize) -> Result<(&Texts<'_>, usize)> {
    match number <= values.count() {
        true => Ok(values.get(number - 1)),
        false => Err(invalid("too few arguments for format()")),
    }
}

fn formatted(context: &Context, format: &str, values: &dyn Values) -> Result<String> {
    let mut out = String::with_capacity(format.len());
    let mut rest = Rest(format);
    let mut next = 1;
    while let Some(at) = rest.0.find('%') {
        out.push_str(&rest.0[..at]);
        rest = Rest(&rest.0[at..]);
        rest.advance()?;
        if rest.peek() == Some('%') {
            out.push('%');
            rest = Rest(&rest.0[1..]);
            continue;
        }
        let specifier = rest.specifier()?;
        let kind = rest.peek().expect("advance leaves one");
        if !matches!(kind, 's' | 'I' | 'L') {
            return Err(invalid(format!("unrecognized format() type specifier \"{kind}\""))
                .hint("For a single \"%\" use \"%%\"."));
        }
        let mut width = specifier.width;
        if let Some(from) = specifier.width_argument {
            let number = from.unwrap_or(next);
            let (column, row) = argument(values, number)?;
            width = width_of(context, column, row)?;
            next = number + 1;
        }
        let number = specifier.argument.unwrap_or(next);
        let (column, row) = argument(values, number)?;
        next = number + 1;
        let value = match (kind, column.is_null(row)) {
            ('s', true) => String::new(),
            ('L', true) => "NULL".to_string(),
            (_, true) => {
                return Err(Error::new(
                    sqlstate::NULL_VALUE_NOT_ALLOWED,
                    "null values cannot be formatted as an SQL identifier",
                ));
            }
            ('I', _) => quote_identifier(&column.text(row)?).into_owned(),
            ('L', _) => quote_literal(&column.text(row)?),
            _ => column.text(row)?,
        };
        append(&mut out, &value, specifier.left, width)?;
        rest = Rest(&rest.0[1..]);
    }
    out.push_str(rest.0);
    Ok(out)
}

/// A width that is a value; a value of another type is read as an integer.
fn width_of(context: &Context, column: &Texts<'_>, row: usize) -> Result<i32> {
    if column.is_null(row) {
        return Ok(0);
    }
    let integer = base_type(oid::INT4).expect("integer is here");
    match (integer.input)(context, &column.text(row)?, -1)? {
        Datum::I32(width) => Ok(width),
        other => unreachable!("{other:?} is no integer"),
    }
}

/// With blanks before it, or behind it if `left` or the width is negative.
fn append(out: &mut String, value: &str, left: bool, width: i32) -> Result<()> {
    let left = left || width < 0;
    if width == i32::MIN {
        return Err(Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range"));
    }
    let blanks = (width.unsigned_abs() as usize).saturating_sub(characters(value) as usize);
    if out.len() + value.len() + blanks > MOST {
        return Err(too_long());
    }
    let _room = claim(value.len() + blanks)?;
    if !left {
        out.extend(std::iter::repeat_n(' ', blanks));
    }
    out.push_str(value);
    if left {
        out.extend(std::iter::repeat_n(' ', blanks));
    }
    Ok(())
}
