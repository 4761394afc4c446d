//! Constants (`get_const_expr`).

use error::sqlstate;
use types::base_type::writer;
use types::{Datum, Error, Repr, Result, oid};

use super::Writer;
use crate::query::*;

/// Whether a constant shows its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Never,
    /// Where it would not be read as a value of its type.
    Needed,
    Always,
}

impl Writer<'_> {
    pub(super) fn constant(&mut self, constant: &Const, label: Label) -> Result<()> {
        let ty = constant.ty;
        let mut needed = !matches!(ty.oid, oid::BOOL | oid::UNKNOWN | oid::INT4 | oid::NUMERIC);
        if constant.value == Datum::Null {
            self.push("NULL");
            needed = true;
        } else {
            let text = self.text_of(constant)?;
            match ty.oid {
                oid::INT4 if !text.starts_with('-') => self.push(&text),
                oid::NUMERIC if is_float(&text) => {
                    self.push(&text);
                    needed |= ty.typmod >= 0;
                }
                oid::BOOL => self.push(if text == "t" { "true" } else { "false" }),
                _ => {
                    self.quoted(&text);
                    needed |= matches!(ty.oid, oid::INT4 | oid::NUMERIC);
                }
            }
        }
        if label == Label::Always || (needed && label == Label::Needed) {
            self.push("::");
            let shown = self.catalog().format_type_with_typmod(ty.oid, ty.typmod);
            self.push(&shown);
        }
        Ok(())
    }

    /// The text of a value that is not NULL.
    fn text_of(&self, constant: &Const) -> Result<String> {
        let ty = self.catalog().base_type(constant.ty.oid);
        if let (oid::UNKNOWN, Datum::Text(text)) = (ty, &constant.value) {
            return Ok(text.to_string());
        }
        let unsupported = || Error::unsupported(format_args!("type {}", self.catalog().format_type(ty)));
        let repr = match (self.catalog().repr(ty, constant.ty.typmod).ok_or_else(unsupported)?, &constant.value) {
            // The representation of a constant is that of its value, whatever its modifier would allow.
            (Repr::Decimal { .. }, Datum::Bytes(_)) => Repr::Numeric,
            (repr, _) => repr,
        };
        let output = writer(&*self.deparse.context.names, ty, repr)?.output;
        let mut text = Vec::new();
        output(self.deparse.context, &constant.value.to_array(repr), 0, &mut text)?;
        String::from_utf8(text).map_err(|_| Error::new(sqlstate::INTERNAL_ERROR, "the text of a value is not UTF-8"))
    }

    /// `simple_quote_literal`, of a server whose backslashes are no escapes.
    pub(super) fn quoted(&mut self, text: &str) {
        self.out.push('\'');
        for c in text.chars() {
            if c == '\'' {
                self.out.push('\'');
            }
            self.out.push(c);
        }
        self.out.push('\'');
    }
}

/// It is read as a `numeric`: no sign, a point or an exponent.
fn is_float(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(['e', 'E', '.'])
}
