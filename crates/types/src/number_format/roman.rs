//! Roman numerals: 1 to 3999.

/// The longest one.
const MOST: usize = 15;

const DIGITS: [(i32, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

pub fn write(number: i32) -> String {
    if !(1..=3999).contains(&number) {
        return "#".repeat(MOST);
    }
    let mut rest = number;
    let mut text = String::new();
    for (value, digit) in DIGITS {
        while rest >= value {
            text.push_str(digit);
            rest -= value;
        }
    }
    text
}

fn value(letter: u8) -> i32 {
    match letter {
        b'I' => 1,
        b'V' => 5,
        b'X' => 10,
        b'L' => 50,
        b'C' => 100,
        b'D' => 500,
        b'M' => 1000,
        _ => 0,
    }
}

/// The number at the beginning of a text, behind blanks (`roman_to_int`); `None`: there is none.
pub fn read(text: &[u8]) -> Option<i32> {
    let letters = text.trim_ascii_start().iter().map(u8::to_ascii_uppercase).take(MOST);
    let letters: Vec<u8> = letters.take_while(|&letter| value(letter) > 0).collect();
    if letters.is_empty() {
        return None;
    }
    let (mut total, mut repeated, mut subtracted, mut at) = (0, 1, i32::MAX, 0);
    let mut least_five = i32::MAX;
    // Behind V, L and D are only lesser numerals.
    let mut in_order = |letter: u8| {
        let lesser = value(letter) < least_five;
        if matches!(letter, b'V' | b'L' | b'D') {
            least_five = value(letter);
        }
        lesser
    };
    while let Some(&letter) = letters.get(at) {
        at += 1;
        let current = value(letter);
        // What follows a subtraction is less than what it has subtracted.
        if current >= subtracted || !in_order(letter) {
            return None;
        }
        match letters.get(at).map(|&next| (next, value(next))) {
            Some((next, greater)) if current < greater => {
                let pair = matches!((letter, next), (b'I', b'V' | b'X') | (b'X', b'L' | b'C') | (b'C', b'D' | b'M'));
                if !pair || repeated > 1 || !in_order(next) {
                    return None;
                }
                at += 1;
                (repeated, subtracted) = (1, current);
                total += greater - current;
            }
            Some((next, _)) => {
                repeated = if next == letter { repeated + 1 } else { 1 };
                if repeated > 3 {
                    return None;
                }
                total += current;
            }
            None => total += current,
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_read_as_written() {
        for number in 1..4000 {
            assert_eq!(read(write(number).as_bytes()), Some(number));
        }
        assert_eq!(write(1994), "MCMXCIV");
        assert_eq!(read(b" mcmxciv."), Some(1994));
        for wrong in ["", "A", "IIII", "VV", "IC", "XXL", "IXI", "LIL", "VIX", "LXC", "DCM", "CLXC"] {
            assert_eq!(read(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
