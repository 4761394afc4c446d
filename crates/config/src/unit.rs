//! What settings' numbers count, and how numbers are read and written: with units, as C's `strtod` and `%g` have them.

/// What an integer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Kilobytes,
    Megabytes,
    /// Pages of 8 KiB.
    Blocks,
    Milliseconds,
    Seconds,
    Minutes,
}

impl Unit {
    const ALL: [Unit; 7] =
        [Unit::Bytes, Unit::Kilobytes, Unit::Megabytes, Unit::Blocks, Unit::Milliseconds, Unit::Seconds, Unit::Minutes];

    /// The unit of this name.
    pub fn of(name: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// `pg_settings.unit`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "B",
            Unit::Kilobytes => "kB",
            Unit::Megabytes => "MB",
            Unit::Blocks => "8kB",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::Minutes => "min",
        }
    }

    pub fn is_time(self) -> bool {
        matches!(self, Unit::Milliseconds | Unit::Seconds | Unit::Minutes)
    }

    /// Bytes, or microseconds.
    pub fn factor(self) -> f64 {
        match self {
            Unit::Bytes => 1.0,
            Unit::Kilobytes => 1024.0,
            Unit::Megabytes => 1024.0 * 1024.0,
            Unit::Blocks => 8192.0,
            Unit::Milliseconds => 1e3,
            Unit::Seconds => 1e6,
            Unit::Minutes => 60e6,
        }
    }
}

pub const MEMORY_UNITS: &[(&str, f64)] =
    &[("TB", 1099511627776.0), ("GB", 1073741824.0), ("MB", 1048576.0), ("kB", 1024.0), ("B", 1.0)];
pub const TIME_UNITS: &[(&str, f64)] =
    &[("d", 86400e6), ("h", 3600e6), ("min", 60e6), ("s", 1e6), ("ms", 1e3), ("us", 1.0)];

/// The number that a text begins with, as C's `strtol` (hexadecimal and octal too) or else `strtod` reads it, and what
/// follows.
pub fn leading_number(text: &str) -> Option<(f64, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hexadecimal.len());
        let value = i64::from_str_radix(&hexadecimal[..end], 16).ok()?;
        return Some((sign * value as f64, &hexadecimal[end..]));
    }
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if digits.starts_with('0') && end > 1 && !digits[end..].starts_with(['.', 'e', 'E']) {
        let end = digits.find(|c: char| !('0'..='7').contains(&c)).unwrap_or(digits.len());
        let value = i64::from_str_radix(&digits[..end], 8).ok()?;
        return Some((sign * value as f64, &digits[end..]));
    }
    let exponent = |rest: &str| {
        let rest = rest.strip_prefix(['e', 'E'])?;
        let unsigned = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
        (digits > 0).then(|| 1 + rest.len() - unsigned.len() + digits)
    };
    let mut end = end;
    if let Some(fraction) = digits[end..].strip_prefix('.') {
        end += 1 + fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    }
    end += exponent(&digits[end..]).unwrap_or(0);
    digits[..end].parse::<f64>().ok().map(|number| (sign * number, &digits[end..]))
}

/// A number as C's `%g` prints it: six digits.
pub fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let scientific = format!("{number:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("Rust prints an exponent");
    let exponent: i32 = exponent.parse().expect("Rust prints a number");
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

/// Whole numbers have all their digits.
pub fn general_or_whole(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { general(number) }
}

/// PostgreSQL's words for true and false, and their prefixes.
pub fn parse_bool(value: &str) -> Option<bool> {
    let value = value.trim().to_ascii_lowercase();
    let prefix = |word: &str, least: usize| value.len() >= least && word.starts_with(&value);
    if prefix("true", 1) || prefix("yes", 1) || value == "on" || value == "1" {
        Some(true)
    } else if prefix("false", 1) || prefix("no", 1) || prefix("off", 2) || value == "0" {
        Some(false)
    } else {
        None
    }
}
