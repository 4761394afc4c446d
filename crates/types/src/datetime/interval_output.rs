//! Intervals as text, in the session's IntervalStyle.

use super::interval::Interval;
use super::output::{put, put_fraction};
use super::style::IntervalStyle;

pub fn put_interval(out: &mut Vec<u8>, value: Interval, style: IntervalStyle) {
    match value {
        Interval::INFINITY => return put(out, "infinity"),
        Interval::MINUS_INFINITY => return put(out, "-infinity"),
        _ => {}
    }
    let Interval { months, days, micros } = value;
    let parts = Parts { years: months / 12, months: months % 12, days, micros };
    match style {
        IntervalStyle::Postgres => parts.postgres(out),
        IntervalStyle::PostgresVerbose => parts.verbose(out),
        IntervalStyle::SqlStandard => parts.sql_standard(out),
        IntervalStyle::Iso8601 => parts.iso_8601(out),
    }
}
/// An interval's parts, each with its own sign.
struct Parts {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

impl Parts {
    /// Hours, minutes, seconds and microseconds, without the sign.
    fn clock(&self) -> (u64, u64, u64, u64) {
        let micros = self.micros.unsigned_abs();
        let seconds = micros / 1_000_000;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, micros % 1_000_000)
    }

    /// Behind a negative part, a positive one has a plus.
    fn postgres(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut negative = false;
        for (value, name) in [(self.years, "year"), (self.months, "mon"), (self.days, "day")] {
            if value != 0 {
                let space = if out.len() > start { " " } else { "" };
                let plus = if negative && value > 0 { "+" } else { "" };
                put(out, format_args!("{space}{plus}{value} {name}{}", if value == 1 { "" } else { "s" }));
                negative = value < 0;
            }
        }
        if self.micros != 0 || out.len() == start {
            if out.len() > start {
                out.push(b' ');
            }
            if self.micros < 0 {
                out.push(b'-');
            } else if negative {
                out.push(b'+');
            }
            let (hours, minutes, seconds, micros) = self.clock();
            put(out, format_args!("{hours:02}:{minutes:02}:{seconds:02}"));
            put_fraction(out, micros as i64);
        }
    }

    /// `@ 1 year 2 mons -3 days 4 hours ago`: the first part is positive, `ago` turns all round.
    fn verbose(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let sign = self.micros.signum();
        out.push(b'@');
        let mut ago = None;
        let whole = [
            (i64::from(self.years), "year"),
            (i64::from(self.months), "mon"),
            (i64::from(self.days), "day"),
            (hours as i64 * sign, "hour"),
            (minutes as i64 * sign, "min"),
        ];
        for (value, name) in whole.into_iter().filter(|(value, _)| *value != 0) {
            let value = if *ago.get_or_insert(value < 0) { -value } else { value };
            put(out, format_args!(" {value} {name}{}", if value == 1 { "" } else { "s" }));
        }
        if seconds != 0 || micros != 0 {
            let minus = if *ago.get_or_insert(sign < 0) != (sign < 0) { "-" } else { "" };
            put(out, format_args!(" {minus}{seconds}"));
            put_fraction(out, micros as i64);
            put(out, if seconds == 1 && micros == 0 { " sec" } else { " secs" });
        }
        match ago {
            None => put(out, " 0"),
            Some(true) => put(out, " ago"),
            Some(false) => {}
        }
    }

    fn sql_standard(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let all = [i64::from(self.years), i64::from(self.months), i64::from(self.days), self.micros];
        let (negative, positive) = (all.iter().any(|v| *v < 0), all.iter().any(|v| *v > 0));
        let year_month = self.years != 0 || self.months != 0;
        let day_time = self.days != 0 || self.micros != 0;
        let sign = |negative: bool| if negative { '-' } else { '+' };
        if !negative && !positive {
            return put(out, "0");
        }
        if negative && positive || year_month && day_time {
            // No value of the standard's: every part has its sign.
            put(
                out,
                format_args!(
                    "{}{}-{} {}{} {}{hours}:{minutes:02}:{seconds:02}",
                    sign(self.years < 0 || self.months < 0),
                    self.years.unsigned_abs(),
                    self.months.unsigned_abs(),
                    sign(self.days < 0),
                    self.days.unsigned_abs(),
                    sign(self.micros < 0)
                ),
            );
            return put_fraction(out, micros as i64);
        }
        if negative {
            out.push(b'-');
        }
        if year_month {
            return put(out, format_args!("{}-{}", self.years.unsigned_abs(), self.months.unsigned_abs()));
        }
        if self.days != 0 {
            put(out, format_args!("{} ", self.days.unsigned_abs()));
        }
        put(out, format_args!("{hours}:{minutes:02}:{seconds:02}"));
        put_fraction(out, micros as i64);
    }

    fn iso_8601(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let minus = if self.micros < 0 { "-" } else { "" };
        if self.years == 0 && self.months == 0 && self.days == 0 && self.micros == 0 {
            return put(out, "PT0S");
        }
        out.push(b'P');
        for (value, unit) in [(self.years, 'Y'), (self.months, 'M'), (self.days, 'D')] {
            if value != 0 {
                put(out, format_args!("{value}{unit}"));
            }
        }
        if self.micros != 0 {
            out.push(b'T');
        }
        for (value, unit) in [(hours, 'H'), (minutes, 'M')] {
            if value != 0 {
                put(out, format_args!("{minus}{value}{unit}"));
            }
        }
        if seconds != 0 || micros != 0 {
            put(out, format_args!("{minus}{seconds}"));
            put_fraction(out, micros as i64);
            out.push(b'S');
        }
    }
}
