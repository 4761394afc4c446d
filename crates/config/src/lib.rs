//! The settings, PostgreSQL's `guc.c`: what there are ([`all`], a line each in `postgresql.tsv` and `inflight.tsv`), what values
//! they take, what `SHOW` says of them, and one value for each ([`Settings`]).
//!
//! What a setting brings about is with those who ask for it; nothing here opens a file or knows a session.

mod custom;
mod declared;
mod settings;
mod strings;
mod style;

pub use custom::{Custom, check_name as check_custom_name};
pub use declared::Facts;
pub use settings::{
    Context, Definition, EachStatement, Kind, Settings, Source, Unit, all, entries, find, general, parse_bool, unknown,
};
pub use strings::names;
pub use style::Style;
