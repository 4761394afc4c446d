//! What the texts of DateStyle mean.

use error::{Error, Result, sqlstate};
use types::datetime::{DateOrder, DateStyle};

/// What DateStyle means; what `text` leaves open is as in `now`.
pub(crate) fn date_style(text: &str, now: &str) -> Result<(DateStyle, DateOrder)> {
    let invalid = |detail: &str| {
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid value for parameter \"DateStyle\": \"{text}\""))
            .detail(detail)
    };
    let (mut style, mut order) = (None, None);
    let mut conflict = false;
    fn put<T: PartialEq + Copy>(place: &mut Option<T>, value: T, conflict: &mut bool) {
        *conflict |= place.is_some_and(|before| before != value);
        *place = Some(value);
    }
    let mut default = false;
    let none = text.trim().is_empty();
    for word in text.split(',').map(|word| word.trim().to_ascii_lowercase()).filter(|_| !none) {
        match word.as_str() {
            "iso" => put(&mut style, DateStyle::Iso, &mut conflict),
            "sql" => put(&mut style, DateStyle::Sql, &mut conflict),
            "german" => put(&mut style, DateStyle::German, &mut conflict),
            word if word.starts_with("postgres") => put(&mut style, DateStyle::Postgres, &mut conflict),
            "ymd" => put(&mut order, DateOrder::Ymd, &mut conflict),
            word if word == "dmy" || word.starts_with("euro") => put(&mut order, DateOrder::Dmy, &mut conflict),
            word if word == "mdy" || word == "us" || word.starts_with("noneuro") => {
                put(&mut order, DateOrder::Mdy, &mut conflict);
            }
            "default" => default = true,
            word => return Err(invalid(&format!("Unrecognized key word: \"{word}\"."))),
        }
    }
    if conflict {
        return Err(invalid("Conflicting \"DateStyle\" specifications."));
    }
    if style == Some(DateStyle::German) && order.is_none() {
        order = Some(DateOrder::Dmy);
    }
    if let (Some(style), Some(order)) = (style, order) {
        return Ok((style, order));
    }
    // Of what is in force both are known.
    let rest = if default { "ISO, MDY" } else { now };
    let (now_style, now_order) = date_style(rest, rest)?;
    Ok((style.unwrap_or(now_style), order.unwrap_or(now_order)))
}

/// DateStyle's canonical text.
pub(crate) fn date_style_text(text: &str, now: &str) -> Result<String> {
    let (style, order) = date_style(text, now)?;
    let style = match style {
        DateStyle::Iso => "ISO",
        DateStyle::Sql => "SQL",
        DateStyle::Postgres => "Postgres",
        DateStyle::German => "German",
    };
    let order = match order {
        DateOrder::Ymd => "YMD",
        DateOrder::Dmy => "DMY",
        DateOrder::Mdy => "MDY",
    };
    Ok(format!("{style}, {order}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_styles() {
        let text = |value: &str, now: &str| date_style_text(value, now).unwrap();
        assert_eq!(text("german", "ISO, MDY"), "German, DMY");
        assert_eq!(text("iso", "German, DMY"), "ISO, DMY");
        assert_eq!(text("postgres, ymd", "ISO, MDY"), "Postgres, YMD");
        assert_eq!(text("default", "SQL, DMY"), "ISO, MDY");
        for wrong in ["foo", "dmy,mdy", "sql, iso", "iso,,mdy"] {
            assert_eq!(date_style_text(wrong, "ISO, MDY").unwrap_err().code, "22023", "{wrong}");
        }
    }
}
