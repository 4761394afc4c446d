//! What clocks and calendars show.

use crate::error::Result;

use super::calendar::{date_of, days_of, month_days};
use super::values::{DAY, HOUR, MINUTE, SECOND, to_timestamp};
use super::zone::Zone;

/// A day, and a time of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Since 1970.
    pub days: i64,
    /// Of the day.
    pub micros: i64,
}

impl Local {
    /// Of microseconds since 1970.
    pub fn of(micros: i64) -> Local {
        Local { days: micros.div_euclid(DAY), micros: micros.rem_euclid(DAY) }
    }

    /// What the clocks of a zone show at a time.
    pub fn at(utc: i64, zone: &Zone) -> Local {
        Local::of_offset(utc, zone.offset_at(utc.div_euclid(SECOND)))
    }

    /// What clocks so many seconds east of Greenwich show.
    pub fn of_offset(utc: i64, east: i32) -> Local {
        let Local { days, micros } = Local::of(utc);
        let micros = micros + i64::from(east) * SECOND;
        Local { days: days + micros.div_euclid(DAY), micros: micros.rem_euclid(DAY) }
    }

    /// Microseconds since 1970, which may be too many for a timestamp.
    pub fn total(self) -> i128 {
        i128::from(self.days) * i128::from(DAY) + i128::from(self.micros)
    }

    pub fn seconds(self) -> i64 {
        self.days * 86_400 + self.micros.div_euclid(SECOND)
    }

    /// When the clocks of a zone show this, in microseconds since 1970.
    pub fn utc(self, zone: &Zone) -> i128 {
        self.total() - i128::from(zone.offset_of_local(self.seconds())) * i128::from(SECOND)
    }

    /// The same as a timestamp.
    pub fn to_utc(self, zone: &Zone) -> Result<i64> {
        to_timestamp(self.utc(zone))
    }
}

/// A date and a time, in parts. Year 0 is 1 BC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tm {
    pub year: i32,
    pub month: i32,
    pub day: i32,
    pub hour: i32,
    pub minute: i32,
    pub second: i32,
    pub micros: i32,
}

impl From<Local> for Tm {
    fn from(local: Local) -> Tm {
        let (year, month, day) = date_of(local.days);
        let mut tm = Tm { year: year as i32, month: month as i32, day: day as i32, ..Tm::default() };
        tm.set_time(local.micros);
        tm
    }
}

impl Tm {
    pub fn set_date(&mut self, days: i64) {
        let (year, month, day) = date_of(days);
        (self.year, self.month, self.day) = (year as i32, month as i32, day as i32);
    }

    pub fn set_time(&mut self, micros: i64) {
        self.hour = (micros / HOUR) as i32;
        self.minute = (micros / MINUTE % 60) as i32;
        self.second = (micros / SECOND % 60) as i32;
        self.micros = (micros % SECOND) as i32;
    }

    /// Days since 1970.
    pub fn days(&self) -> i64 {
        days_of(self.year.into(), self.month.into(), self.day.into())
    }

    /// Microseconds of the day.
    pub fn time(&self) -> i64 {
        let seconds = (i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second);
        seconds * SECOND + i64::from(self.micros)
    }

    pub fn local(&self) -> Local {
        // 24:00 is the next day.
        let time = self.time();
        Local { days: self.days() + time.div_euclid(DAY), micros: time.rem_euclid(DAY) }
    }

    /// Whether the month has the day.
    pub fn has_day(&self) -> bool {
        i64::from(self.day) <= month_days(self.year.into(), self.month.into())
    }

    /// Whether the day is in the calendar that PostgreSQL computes with (`IS_VALID_JULIAN`).
    pub fn in_calendar(&self) -> bool {
        (self.year, self.month) >= (-4713, 11) && (self.year, self.month) < (5_874_898, 6)
    }

    /// 1 to 366.
    pub fn day_of_year(&self) -> i64 {
        self.days() - days_of(self.year.into(), 1, 1) + 1
    }
}

/// Whether there is no such time of the day; 24:00:00 and 23:59:60 are ones.
pub fn is_no_time(hour: i32, minute: i32, second: i32, micros: i32) -> bool {
    if !(0..=24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return true;
    }
    if !(0..=1_000_000).contains(&micros) {
        return true;
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    seconds * SECOND + i64::from(micros) > DAY
}
