//! Sizes for people: `pg_size_pretty` and `pg_size_bytes`.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::numeric::Numeric;
use crate::numeric::text::parse;
use crate::quote::is_space;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    pg_size_pretty(int8) -> text = |size| Result::Ok(pretty(size));
    pg_size_bytes(text) -> int8 = bytes;
};

/// A unit, below what number of halves of it a size is given in it, and its bits. The first one has no halves.
const UNITS: [(&str, u64, u32); 6] = [
    ("bytes", 10 * 1024, 0),
    ("kB", 20 * 1024 - 1, 10),
    ("MB", 20 * 1024 - 1, 20),
    ("GB", 20 * 1024 - 1, 30),
    ("TB", 20 * 1024 - 1, 40),
    ("PB", 20 * 1024 - 1, 50),
];

fn pretty(mut size: i64) -> String {
    for (at, (name, limit, bits)) in UNITS.into_iter().enumerate() {
        let halves = at > 0;
        let next = UNITS.get(at + 1);
        if next.is_none() || size.unsigned_abs() < limit {
            if halves {
                // Away from zero.
                size = (size + size.signum()) / 2;
            }
            return format!("{size} {name}");
        }
        let (_, _, next_bits) = next.expect("there is one");
        // The next unit is counted in halves.
        size /= 1 << (next_bits - bits - 1 + u32::from(halves));
    }
    unreachable!("the last unit takes all")
}

/// A number with a unit.
fn bytes(text: &str) -> Result<i64> {
    let rest = text.trim_start_matches(is_space);
    let invalid = || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid size: \"{text}\""));
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = usize::from(rest.starts_with(['-', '+']));
    let whole = digits(end);
    end += whole;
    let mut has_digits = whole > 0;
    if rest[end..].starts_with('.') {
        let fraction = digits(end + 1);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if !has_digits {
        return Err(invalid());
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['-', '+']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = parse(&rest[..end])?;
    let unit = rest[end..].trim_matches(is_space);
    let number = match unit {
        "" => number,
        _ => {
            let name = if unit.eq_ignore_ascii_case("B") { "bytes" } else { unit };
            let found = UNITS.into_iter().find(|(known, _, _)| known.eq_ignore_ascii_case(name));
            let (_, _, bits) = found.ok_or_else(|| {
                invalid()
                    .detail(format!("Invalid size unit: \"{unit}\"."))
                    .hint("Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
            })?;
            Numeric::from(1i64 << bits).multiply(&number)?
        }
    };
    crate::numeric::functions::whole(number, "bigint")
}
