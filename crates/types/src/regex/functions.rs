//! The operators `~` and so on, and the functions named `regexp_…`: of the default collation, and once more of `C`, in which
//! letters are ASCII's only.

use error::sqlstate;

use super::matches::{self, Matches, characters, flags_without_global, groups, part, split};
use super::{Options, compiled};
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[&[Function]] = by_default::FUNCTIONS;
pub const FUNCTIONS_IN_C: &[&[Function]] = in_c::FUNCTIONS;

/// `substring(… SIMILAR … ESCAPE …)` is a function in SQL in PostgreSQL, whose parameters have the default collation.
pub const SIMILAR: &[Function] = functions! {
    substring(text, text, text) -> Option<text> =
        |text, pattern, escape| substring(text, &crate::text::like::similar(pattern, Some(escape))?, Options::ADVANCED);
};

fn matches_with(text: &str, pattern: &str, options: Options) -> Result<bool> {
    let regex = compiled(pattern, options)?;
    let chars = characters(text)?;
    regex.is_match(&chars)
}

/// A function's flags, if it was given some, and what they begin with.
type Flags<'a> = (Option<&'a str>, Options);

macro_rules! of_collation {
    ($module:ident, $base:expr) => {
        mod $module {
            use super::*;

            /// An expression without flags.
            const BASE: Options = $base;

            pub const FUNCTIONS: &[&[Function]] = &[OPERATORS, MATCHES, REPLACE, COUNT, SUBSTRING];

            const OPERATORS: &[Function] = functions! {
                textregexeq(text, text) -> boolean = |a, b| matches_with(a, b, BASE);
                textregexne(text, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE)?);
                texticregexeq(text, text) -> boolean = |a, b| matches_with(a, b, BASE.any_case());
                texticregexne(text, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE.any_case())?);
                nameregexeq(name, text) -> boolean = |a, b| matches_with(a, b, BASE);
                nameregexne(name, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE)?);
                nameicregexeq(name, text) -> boolean = |a, b| matches_with(a, b, BASE.any_case());
                nameicregexne(name, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE.any_case())?);
                bpcharregexeq(bpchar, text) -> boolean = |a, b| matches_with(a, b, BASE);
                bpcharregexne(bpchar, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE)?);
                bpcharicregexeq(bpchar, text) -> boolean = |a, b| matches_with(a, b, BASE.any_case());
                bpcharicregexne(bpchar, text) -> boolean = |a, b| Result::Ok(!matches_with(a, b, BASE.any_case())?);
                regexp_like(text, text) -> boolean = |a, b| matches_with(a, b, BASE);
                regexp_like(text, text, text) -> boolean =
                    |text, pattern, flags| matches_with(text, pattern, flags_without_global(flags, "regexp_like()", BASE)?);
            };

            const MATCHES: &[Function] = functions! {
                regexp_match(text, text) -> Option<text_array> = |text, pattern| first_groups(text, pattern, BASE);
                regexp_match(text, text, text) -> Option<text_array> = |text, pattern, flags| {
                    let hinted = |error: Error| error.hint("Use the regexp_matches function instead.");
                    let flags = matches::flags(flags, BASE)?;
                    first_groups(text, pattern, flags.without_global("regexp_match()").map_err(hinted)?)
                };
                regexp_split_to_array(text, text) -> text_array = |text, pattern| split(text, pattern, BASE);
                regexp_split_to_array(text, text, text) -> text_array =
                    |text, pattern, flags| split(text, pattern, flags_without_global(flags, "regexp_split_to_array()", BASE)?);
            };

            const REPLACE: &[Function] = functions! {
                regexp_replace(text, text, text) -> text =
                    |text, pattern, new| matches::replace(text, pattern, new, BASE, 0, 1);
                regexp_replace(text, text, text, text) -> text = |text, pattern, new, flags: &str| {
                    if flags.starts_with(|c: char| c.is_ascii_digit()) {
                        let message = format!("invalid regular expression option: \"{}\"", &flags[..1]);
                        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message).hint(
                            "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer \
                             explicitly.",
                        ));
                    }
                    let flags = matches::flags(flags, BASE)?;
                    matches::replace(text, pattern, new, flags.options, 0, usize::from(!flags.global))
                };
                regexp_replace(text, text, text, int4) -> text =
                    |text, pattern, new, start| matches::replace(text, pattern, new, BASE, at(start)?, 1);
                regexp_replace(text, text, text, int4, int4) -> text = |text, pattern, new, start, n| {
                    matches::replace(text, pattern, new, BASE, at(start)?, least("n", n, 0)?)
                };
                regexp_replace(text, text, text, int4, int4, text) -> text = |text, pattern, new, start, n, flags| {
                    let (start, n) = (at(start)?, least("n", n, 0)?);
                    matches::replace(text, pattern, new, matches::flags(flags, BASE)?.options, start, n)
                };
            };

            const COUNT: &[Function] = functions! {
                regexp_count(text, text) -> int4 = |text, pattern| count(text, pattern, 0, BASE);
                regexp_count(text, text, int4) -> int4 = |text, pattern, start| count(text, pattern, at(start)?, BASE);
                regexp_count(text, text, int4, text) -> int4 = |text, pattern, start, flags| {
                    let start = at(start)?;
                    count(text, pattern, start, flags_without_global(flags, "regexp_count()", BASE)?)
                };
                regexp_instr(text, text) -> int4 = |text, pattern| instr(text, pattern, 1, 1, 0, (None, BASE), 0);
                regexp_instr(text, text, int4) -> int4 = |text, pattern, start| instr(text, pattern, start, 1, 0, (None, BASE), 0);
                regexp_instr(text, text, int4, int4) -> int4 = |text, pattern, start, n| instr(text, pattern, start, n, 0, (None, BASE), 0);
                regexp_instr(text, text, int4, int4, int4) -> int4 =
                    |text, pattern, start, n, end| instr(text, pattern, start, n, end, (None, BASE), 0);
                regexp_instr(text, text, int4, int4, int4, text) -> int4 =
                    |text, pattern, start, n, end, flags| instr(text, pattern, start, n, end, (Some(flags), BASE), 0);
                regexp_instr(text, text, int4, int4, int4, text, int4) -> int4 =
                    |text, pattern, start, n, end, flags, group| instr(text, pattern, start, n, end, (Some(flags), BASE), group);
            };

            const SUBSTRING: &[Function] = functions! {
                substring(text, text) -> Option<text> = |text, pattern| substring(text, pattern, BASE);
                regexp_substr(text, text) -> Option<text> = |text, pattern| substr(text, pattern, 1, 1, (None, BASE), 0);
                regexp_substr(text, text, int4) -> Option<text> = |text, pattern, start| substr(text, pattern, start, 1, (None, BASE), 0);
                regexp_substr(text, text, int4, int4) -> Option<text> =
                    |text, pattern, start, n| substr(text, pattern, start, n, (None, BASE), 0);
                regexp_substr(text, text, int4, int4, text) -> Option<text> =
                    |text, pattern, start, n, flags| substr(text, pattern, start, n, (Some(flags), BASE), 0);
                regexp_substr(text, text, int4, int4, text, int4) -> Option<text> =
                    |text, pattern, start, n, flags, group| substr(text, pattern, start, n, (Some(flags), BASE), group);
            };
        }
    };
}

of_collation!(by_default, Options::ADVANCED);
of_collation!(in_c, Options::ADVANCED.ascii());

fn first_groups(text: &str, pattern: &str, options: Options) -> Result<Option<Vec<u8>>> {
    let regex = compiled(pattern, options)?;
    let chars = characters(text)?;
    let first = Matches::new(&regex, &chars, 0, false).next().transpose()?;
    first.map(|captures| groups(&chars, &captures)).transpose()
}

/// A number that an argument gives, which has to be that much.
fn least(name: &str, value: i32, least: usize) -> Result<usize> {
    let invalid =
        || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid value for parameter \"{name}\": {value}"));
    usize::try_from(value).ok().filter(|value| *value >= least).ok_or_else(invalid)
}

/// Where to begin, from 0.
fn at(start: i32) -> Result<usize> {
    Ok(least("start", start, 1)? - 1)
}

fn count(text: &str, pattern: &str, start: usize, options: Options) -> Result<i32> {
    let regex = compiled(pattern, options)?;
    let chars = characters(text)?;
    let mut count = 0;
    for captures in Matches::new(&regex, &chars, start, false) {
        captures?;
        count += 1;
    }
    Ok(count)
}

/// Where the group of a match is, in the text's characters.
fn group_of_match(
    text: &[char],
    pattern: &str,
    options: Options,
    start: usize,
    n: usize,
    group: usize,
) -> Result<Option<(usize, usize)>> {
    let regex = compiled(pattern, options)?;
    let captures = Matches::new(&regex, text, start, false).nth(n - 1).transpose()?;
    // Without groups, the first one is the match.
    Ok(captures.and_then(|captures| match group {
        1 if captures.len() == 1 => captures[0],
        _ => captures.get(group).copied().flatten(),
    }))
}

fn instr(text: &str, pattern: &str, start: i32, n: i32, end: i32, flags: Flags<'_>, group: i32) -> Result<i32> {
    let (start, n) = (at(start)?, least("n", n, 1)?);
    if !matches!(end, 0 | 1) {
        return Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"endoption\": {end}"),
        ));
    }
    let group = least("subexpr", group, 0)?;
    let options = flags_without_global(flags.0.unwrap_or(""), "regexp_instr()", flags.1)?;
    let chars = characters(text)?;
    let found = group_of_match(&chars, pattern, options, start, n, group)?;
    Ok(found.map_or(0, |(from, to)| if end == 1 { to } else { from } as i32 + 1))
}

/// The first group, or the match where there is none.
fn substring(text: &str, pattern: &str, options: Options) -> Result<Option<String>> {
    let chars = characters(text)?;
    let found = group_of_match(&chars, pattern, options, 0, 1, 1)?;
    Ok(found.map(|found| part(&chars, found)))
}

fn substr(text: &str, pattern: &str, start: i32, n: i32, flags: Flags<'_>, group: i32) -> Result<Option<String>> {
    let (start, n, group) = (at(start)?, least("n", n, 1)?, least("subexpr", group, 0)?);
    let options = flags_without_global(flags.0.unwrap_or(""), "regexp_substr()", flags.1)?;
    let chars = characters(text)?;
    let found = group_of_match(&chars, pattern, options, start, n, group)?;
    Ok(found.map(|found| part(&chars, found)))
}
