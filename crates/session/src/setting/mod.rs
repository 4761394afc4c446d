//! Settings of a session: PostgreSQL's `guc.c`.

pub mod discard;
pub mod guc;
pub mod tablespace;
pub mod variable;
