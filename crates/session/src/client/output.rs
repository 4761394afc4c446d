//! How values go to clients: by the output and send functions of their types (PostgreSQL's `printtup.c`).

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use types::base_type::writer;
use types::names::Names;
use types::{BaseType, Context, Oid, Repr, Result, oid};

/// How a value is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Binary,
}

/// How a column is written.
#[derive(Clone, Copy)]
pub struct Output {
    ty: &'static BaseType,
    repr: Repr,
}

impl Output {
    /// Fails with 0A000 for a type whose values cannot be written yet.
    pub fn new(names: &dyn Names, ty: Oid, repr: Repr) -> Result<Output> {
        // What is still unknown, a client reads as text; what has no type of its own is written as nothing.
        let ty = names.value_type(ty);
        let known = if matches!(ty, oid::UNKNOWN | oid::CSTRING | oid::VOID) { oid::TEXT } else { ty };
        Ok(Output { ty: writer(names, known, repr)?, repr })
    }

    /// Appends the text of a value; `false` (and nothing appended) for NULL.
    pub fn text(&self, context: &Context, column: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<bool> {
        if column.is_null(row) {
            return Ok(false);
        }
        if let Repr::Decimal { scale, .. } = self.repr {
            put_decimal(column.as_primitive::<Decimal128Type>().value(row), scale as usize, out);
        } else {
            (self.ty.output)(context, column, row, out)?;
        }
        Ok(true)
    }

    /// Appends the binary representation of a value; `false` (and nothing appended) for NULL.
    pub fn binary(&self, context: &Context, column: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<bool> {
        if column.is_null(row) {
            return Ok(false);
        }
        if let Repr::Decimal { .. } = self.repr {
            let one = column.slice(row, 1);
            let value = types::decimal::to_numeric(one.as_primitive::<Decimal128Type>());
            (self.ty.send)(context, &value, 0, out)?;
        } else {
            (self.ty.send)(context, column, row, out)?;
        }
        Ok(true)
    }

    pub fn repr(&self) -> Repr {
        self.repr
    }
}

/// The text of a number of so many digits after the point.
fn put_decimal(value: i128, scale: usize, out: &mut Vec<u8>) {
    if value == types::decimal::NAN {
        return out.extend_from_slice(b"NaN");
    }
    // 39 digits, and as many zeros before them as the scale asks for.
    let mut digits = [b'0'; 80];
    let (mut rest, mut at) = (value.unsigned_abs(), digits.len());
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    at = at.min(digits.len() - scale - 1);
    if value < 0 {
        out.push(b'-');
    }
    let point = digits.len() - scale;
    out.extend_from_slice(&digits[at..point]);
    if scale > 0 {
        out.push(b'.');
        out.extend_from_slice(&digits[point..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_show_their_scale() {
        for (value, scale, text) in [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (-5, 2, "-0.05"),
            (12345, 2, "123.45"),
            (i128::MIN + 1, 38, "-1.70141183460469231731687303715884105727"),
            (700, 0, "700"),
        ] {
            let mut out = Vec::new();
            put_decimal(value, scale, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
