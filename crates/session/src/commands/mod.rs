//! Commands that are not planned: PostgreSQL's `commands`, a file each under its names.

pub mod def_elem;
pub mod discard;
pub mod explain;
pub mod lock;
pub mod prepare;
pub mod user;
pub mod vacuum;
pub mod variable;
