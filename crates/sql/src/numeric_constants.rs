//! Numbers as they are written: what PostgreSQL's scanner takes for one. sqlparser's is more liberal with underscores.

/// The number in the form that sqlparser has for it; `None` where the text is no number of PostgreSQL's.
pub fn read(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            // An underscore may stand before the first digit, too.
            let digits = digits.strip_prefix('_').unwrap_or(digits);
            let plain = separated(digits, radix)?;
            return u128::from_str_radix(&plain, radix).ok().map(|n| n.to_string());
        }
    }
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (lower.as_str(), None),
    };
    let mut plain = match mantissa.split_once('.') {
        None => separated(mantissa, 10)?,
        Some(("", fraction)) => format!(".{}", separated(fraction, 10)?),
        Some((whole, "")) => format!("{}.", separated(whole, 10)?),
        Some((whole, fraction)) => format!("{}.{}", separated(whole, 10)?, separated(fraction, 10)?),
    };
    if let Some(exponent) = exponent {
        let sign = exponent.chars().next().filter(|c| matches!(c, '+' | '-'));
        let digits = &exponent[sign.map_or(0, char::len_utf8)..];
        plain.push('e');
        plain.extend(sign);
        plain.push_str(&separated(digits, 10)?);
    }
    Some(plain)
}

/// Digits without the single underscores between them.
fn separated(text: &str, radix: u32) -> Option<String> {
    let parts: Vec<&str> = text.split('_').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_digit(radix));
    parts.iter().all(digits).then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn underscores_stand_between_digits() {
        for (text, number) in [
            ("1_000", Some("1000")),
            ("1_000.5_0e1_0", Some("1000.50e10")),
            ("1.", Some("1.")),
            (".5_5", Some(".55")),
            ("0x_ff", Some("255")),
            ("0b1_0", Some("2")),
            ("1e-1_0", Some("1e-10")),
            ("1_000._5", None),
            ("1_.5", None),
            ("1__0", None),
            ("1_e10", None),
            ("1e_10", None),
            ("1_", None),
            ("0xff_", None),
            ("0o8", None),
            (".", None),
            ("1e", None),
        ] {
            assert_eq!(read(text).as_deref(), number, "{text}");
        }
    }
}
