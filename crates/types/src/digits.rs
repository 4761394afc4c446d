//! Integers as text. What is sent to clients is mostly this, and `fmt` takes longer than all else about a value.

/// Appends a number.
pub fn put_integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a number that is not negative, with zeros before it where it has less than two digits.
pub fn put_two_digits(out: &mut Vec<u8>, value: i64) {
    debug_assert!(value >= 0);
    if value < 100 {
        out.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
    } else {
        put_integer(out, value);
    }
}

/// The same, where it has less than four digits.
pub fn put_four_digits(out: &mut Vec<u8>, value: i64) {
    debug_assert!(value >= 0);
    if value < 10_000 {
        put_two_digits(out, value / 100);
        put_two_digits(out, value % 100);
    } else {
        put_integer(out, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits() {
        for value in [0, 7, 10, 42, 99, 100, 123, 999, 1000, 2026, 9999, 10_000, 294_276] {
            let (mut two, mut four) = (Vec::new(), Vec::new());
            put_two_digits(&mut two, value);
            put_four_digits(&mut four, value);
            assert_eq!((two, four), (format!("{value:02}").into_bytes(), format!("{value:04}").into_bytes()));
        }
        let mut out = Vec::new();
        [i64::MIN, -1, 0, i64::MAX].into_iter().for_each(|value| put_integer(&mut out, value));
        assert_eq!(out, format!("{}{}{}{}", i64::MIN, -1, 0, i64::MAX).into_bytes());
    }
}
