//! How a session reads and writes values: DateStyle, IntervalStyle, TimeZone, bytea_output and extra_float_digits.

use types::datetime::{DateOrder, DateStyle, IntervalStyle, Zone};

use crate::date_style::date_style;
use crate::settings::Settings;

#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    pub date: DateStyle,
    pub order: DateOrder,
    pub interval: IntervalStyle,
    pub zone: Zone,
    /// `bytea_output = escape`.
    pub escapes: bool,
    pub extra_float_digits: i32,
}

impl Style {
    pub fn of(settings: &Settings) -> Style {
        let (date, order) = date_style(settings.get("DateStyle"), "ISO, MDY").expect("checked when it was set");
        Style {
            date,
            order,
            interval: match settings.get("IntervalStyle") {
                "postgres_verbose" => IntervalStyle::PostgresVerbose,
                "sql_standard" => IntervalStyle::SqlStandard,
                "iso_8601" => IntervalStyle::Iso8601,
                _ => IntervalStyle::Postgres,
            },
            zone: Zone::parse(settings.get("TimeZone")).expect("checked when it was set"),
            escapes: settings.get("bytea_output") == "escape",
            extra_float_digits: settings.integer("extra_float_digits") as i32,
        }
    }
}
