//! `date`, `time`, `timetz`, `timestamp`, `timestamptz` and `interval`.
//!
//! Days and microseconds count from 1970, as in Arrow; the greatest and the least number are the infinities. `timestamptz`
//! is an instant; what clocks show then depends on the session's zone, which functions find in the [`crate::Context`] with
//! the styles in which values are read and written.
//!
//! * [`values`]: the types as functions see them, and their limits; [`interval`]: the value of that type.
//! * [`calendar`], [`zone`], [`local`]: days and dates, the zones of the IANA database, what clocks show.
//! * [`fields`], [`words`], [`decode`], [`input`], [`interval_input`]: from text; [`output`], [`interval_output`]: to
//!   text; [`wire`]: both, and bytes.
//! * The others: the functions, by what they do.

mod abbreviations;
pub(crate) mod arithmetic;
mod at_zone;
mod calendar;
pub(crate) mod casts;
mod compare;
mod decode;
mod fields;
mod from_char;
mod in_range;
mod input;
mod interval;
mod interval_input;
mod interval_output;
mod interval_typmod;
mod local;
mod make;
mod output;
mod overlaps;
mod part;
mod picture;
mod posix;
mod style;
mod to_char;
mod truncate;
pub mod values;
mod wire;
mod words;
mod zone;
mod zone_lists;

pub(crate) use arithmetic::plus_in;
pub use compare::{place_of_date, place_of_local};
pub use interval::Interval;
pub use interval_input::parse as parse_interval;
pub use output::{put_date, put_xml_timestamp};
pub use style::{DateOrder, DateStyle, IntervalStyle};
pub use values::{TimeTz, timestamptz};
pub use wire::TYPES;
pub use zone::Zone;
pub use zone_lists::SET_FUNCTIONS;

use crate::function::Function;

pub const FUNCTIONS: &[&[Function]] = &[
    compare::SAME,
    compare::MIXED,
    compare::FINITE,
    casts::FUNCTIONS,
    arithmetic::FUNCTIONS,
    interval::FUNCTIONS,
    at_zone::FUNCTIONS,
    truncate::FUNCTIONS,
    part::FUNCTIONS,
    make::FUNCTIONS,
    overlaps::FUNCTIONS,
    to_char::FUNCTIONS,
    from_char::FUNCTIONS,
    in_range::FUNCTIONS,
];
