//! Comparisons of texts: by bytes, as in the collation `C`. Trailing blanks of `character` do not count.

use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

/// The comparisons of two types, of whose values `$a` and `$b` give what is compared.
macro_rules! comparisons {
    ($a:ident $trim_a:expr, $b:ident $trim_b:expr; $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident) => {
        functions! {
            $eq($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) == $trim_b(b));
            $ne($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) != $trim_b(b));
            $lt($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) < $trim_b(b));
            $le($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) <= $trim_b(b));
            $gt($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) > $trim_b(b));
            $ge($a, $b) -> boolean = |a, b| Result::Ok($trim_a(a) >= $trim_b(b));
        }
    };
}

pub const FUNCTIONS: &[&[Function]] = &[
    comparisons!(text whole, text whole; texteq textne text_lt text_le text_gt text_ge),
    comparisons!(name whole, name whole; nameeq namene namelt namele namegt namege),
    comparisons!(name whole, text whole; nameeqtext namenetext namelttext nameletext namegttext namegetext),
    comparisons!(text whole, name whole; texteqname textnename textltname textlename textgtname textgename),
    comparisons!(bpchar trimmed, bpchar trimmed; bpchareq bpcharne bpcharlt bpcharle bpchargt bpcharge),
    functions! {
        bttextcmp(text, text) -> int4 = |a, b| Result::Ok(strcmp(a, b));
        btnamecmp(name, name) -> int4 = |a, b| Result::Ok(strcmp(a, b));
        btnametextcmp(name, text) -> int4 = |a, b| Result::Ok(memcmp(a, b));
        bttextnamecmp(text, name) -> int4 = |a, b| Result::Ok(memcmp(a, b));
        bpcharcmp(bpchar, bpchar) -> int4 = |a, b| Result::Ok(strcmp(trimmed(a), trimmed(b)));
        text_larger(text, text) -> text = |a: &str, b: &str| Result::Ok(if a > b { a } else { b }.to_string());
        text_smaller(text, text) -> text = |a: &str, b: &str| Result::Ok(if a < b { a } else { b }.to_string());
        bpchar_larger(bpchar, bpchar) -> bpchar =
            |a: &str, b: &str| Result::Ok(if trimmed(a) >= trimmed(b) { a } else { b }.to_string());
        bpchar_smaller(bpchar, bpchar) -> bpchar =
            |a: &str, b: &str| Result::Ok(if trimmed(a) <= trimmed(b) { a } else { b }.to_string());
    },
    // The operators of pattern indexes, which are the same by bytes.
    functions! {
        text_pattern_lt(text, text) -> boolean = |a: &str, b: &str| Result::Ok(a < b);
        text_pattern_le(text, text) -> boolean = |a: &str, b: &str| Result::Ok(a <= b);
        text_pattern_gt(text, text) -> boolean = |a: &str, b: &str| Result::Ok(a > b);
        text_pattern_ge(text, text) -> boolean = |a: &str, b: &str| Result::Ok(a >= b);
        bttext_pattern_cmp(text, text) -> int4 = |a, b| Result::Ok(memcmp(a, b));
        bpchar_pattern_lt(bpchar, bpchar) -> boolean = |a, b| Result::Ok(trimmed(a) < trimmed(b));
        bpchar_pattern_le(bpchar, bpchar) -> boolean = |a, b| Result::Ok(trimmed(a) <= trimmed(b));
        bpchar_pattern_gt(bpchar, bpchar) -> boolean = |a, b| Result::Ok(trimmed(a) > trimmed(b));
        bpchar_pattern_ge(bpchar, bpchar) -> boolean = |a, b| Result::Ok(trimmed(a) >= trimmed(b));
        btbpchar_pattern_cmp(bpchar, bpchar) -> int4 = |a, b| Result::Ok(memcmp(trimmed(a), trimmed(b)));
        starts_with(text, text) -> boolean = |a: &str, b: &str| Result::Ok(a.starts_with(b));
    },
];

fn whole(text: &str) -> &str {
    text
}

/// A `character` without the blanks at its end.
pub fn trimmed(text: &str) -> &str {
    text.trim_end_matches(' ')
}

/// As C's `strcmp`: the difference of the first bytes that differ.
fn strcmp(a: &str, b: &str) -> i32 {
    let ended = |text: &str, at: usize| text.as_bytes().get(at).map_or(0, |&byte| i32::from(byte));
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    ended(a, same) - ended(b, same)
}

/// As C's `memcmp`, and by length where the shorter one begins the other.
pub fn memcmp(a: impl AsRef<[u8]>, b: impl AsRef<[u8]>) -> i32 {
    let (a, b) = (a.as_ref(), b.as_ref());
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => i32::from(*a) - i32::from(*b),
        None => a.len().cmp(&b.len()) as i32,
    }
}
