//! Commands that are not planned: PostgreSQL's `commands`, a file each under its names.

pub mod copy;
mod copy_binary;
mod copy_fields;
pub mod copy_format;
pub mod copy_from;
mod copy_lines;
mod copy_rows;
pub mod copy_to;
pub mod def_elem;
pub mod discard;
pub mod explain;
pub mod lock;
pub mod portals;
pub mod prepare;
pub mod user;
pub mod vacuum;
pub mod variable;
