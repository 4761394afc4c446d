//! The settings, PostgreSQL's `guc.c`: what there are ([`all`], a line each in `postgresql.tsv` and `inflight.tsv`), what values
//! they take, what `SHOW` says of them, and one value for each ([`Settings`]).
//!
//! What a setting brings about is with the code that reads it; nothing here opens a file or knows a session.

mod custom;
mod date_style;
mod declared;
mod definition;
mod file;
mod settings;
mod source;
mod strings;
mod style;
mod unit;

pub use custom::{Custom, check_name as check_custom_name};
pub use declared::Facts;
pub use definition::{Context, Definition, Kind, all, find, unknown};
pub use file::entries;
pub use settings::{EachStatement, Settings};
pub use source::Source;
pub use strings::names;
pub use style::Style;
pub use unit::{Unit, general, parse_bool};
