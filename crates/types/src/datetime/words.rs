//! The words of dates and times (PostgreSQL's `datetktbl`), and of units of time (`deltatktbl`).

/// A word of a date or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateWord {
    Infinity,
    NegativeInfinity,
    Epoch,
    Now,
    Today,
    Tomorrow,
    Yesterday,
    /// `allballs`: midnight at Greenwich.
    Zulu,
    /// `bc` and `ad`.
    Era {
        before_christ: bool,
    },
    Meridian {
        afternoon: bool,
    },
    Month(i32),
    Weekday,
    /// `dst` behind a zone.
    Summer,
    /// A Julian day follows.
    Julian,
    /// `t`: a time follows.
    Time,
    /// A unit in front of its number, which nothing takes.
    Unit,
    /// `at` and `on`.
    Filler,
}

/// Words are told apart by so many letters (`TOKMAXLEN`).
fn cut(word: &str) -> &str {
    word.get(..10).unwrap_or(word)
}

/// A word in lower case.
pub fn date_word(word: &str) -> Option<DateWord> {
    use DateWord::*;
    let cut = cut(word);
    Some(match cut {
        "infinity" | "+infinity" => Infinity,
        "-infinity" => NegativeInfinity,
        "epoch" => Epoch,
        "now" => Now,
        "today" => Today,
        "tomorrow" => Tomorrow,
        "yesterday" => Yesterday,
        "allballs" => Zulu,
        "ad" => Era { before_christ: false },
        "bc" => Era { before_christ: true },
        "am" => Meridian { afternoon: false },
        "pm" => Meridian { afternoon: true },
        "dst" => Summer,
        "j" | "jd" | "julian" => Julian,
        "t" => Time,
        "at" | "on" => Filler,
        "d" | "dow" | "doy" | "h" | "isodow" | "isoyear" | "m" | "mm" | "s" | "y" => Unit,
        "sun" | "sunday" | "mon" | "monday" | "tue" | "tues" | "tuesday" | "wed" | "weds" | "wednesday" | "thu"
        | "thur" | "thurs" | "thursday" | "fri" | "friday" | "sat" | "saturday" => Weekday,
        "sept" => Month(9),
        _ => {
            let found = MONTHS.iter().position(|month| cut == *month || cut == &month[..3]);
            Month(found? as i32 + 1)
        }
    })
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A unit of an interval, or a field of a date or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Timezone,
    TimezoneHour,
    TimezoneMinute,
}

/// A unit's name in lower case.
pub fn unit(word: &str) -> Option<Unit> {
    use Unit::*;
    Some(match cut(word) {
        "microsecon" | "us" | "usec" | "usecond" | "useconds" | "usecs" => Microsecond,
        "millisecon" | "ms" | "msec" | "msecond" | "mseconds" | "msecs" => Millisecond,
        "s" | "sec" | "second" | "seconds" | "secs" => Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Minute,
        "h" | "hour" | "hours" | "hr" | "hrs" => Hour,
        "d" | "day" | "days" => Day,
        "w" | "week" | "weeks" => Week,
        "mon" | "mons" | "month" | "months" => Month,
        "qtr" | "quarter" => Quarter,
        "y" | "year" | "years" | "yr" | "yrs" => Year,
        "dec" | "decade" | "decades" | "decs" => Decade,
        "c" | "cent" | "centuries" | "century" => Century,
        "mil" | "millennia" | "millennium" | "mils" => Millennium,
        "timezone" => Timezone,
        "timezone_h" => TimezoneHour,
        "timezone_m" => TimezoneMinute,
        _ => return None,
    })
}

/// What `date_part` and `extract` take out of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Unit(Unit),
    /// The weekday, 0 for Sunday.
    Dow,
    /// The weekday, 7 for Sunday.
    IsoDow,
    Doy,
    IsoYear,
    Julian,
    Epoch,
    /// A word that stands for a date, which no value has.
    Other,
}

/// A field's name in lower case.
pub fn field(word: &str) -> Option<Field> {
    if let Some(unit) = unit(word) {
        return Some(Field::Unit(unit));
    }
    Some(match (cut(word), date_word(word)?) {
        ("dow", _) => Field::Dow,
        ("doy", _) => Field::Doy,
        ("isodow", _) => Field::IsoDow,
        ("isoyear", _) => Field::IsoYear,
        ("mm", _) => Field::Unit(Unit::Minute),
        (_, DateWord::Julian) => Field::Julian,
        (_, DateWord::Epoch) => Field::Epoch,
        (_, DateWord::Infinity | DateWord::NegativeInfinity | DateWord::Now | DateWord::Zulu) => Field::Other,
        (_, DateWord::Today | DateWord::Tomorrow | DateWord::Yesterday) => Field::Other,
        _ => return None,
    })
}
