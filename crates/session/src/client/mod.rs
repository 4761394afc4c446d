//! How values come from clients and go to them.

pub mod client_encoding;
pub mod output;
pub mod parameters;
