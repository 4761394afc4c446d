//! Commands that are not planned: PostgreSQL's `commands`. Each works on a [`session::Session`], which knows them as a
//! [`session::Utility`] only: [`Commands`], which is given to a session when it is made. [`utility`] says which command does what.
//!
//! A folder is a kind of object, or what kinds have in common ([`object`]); kinds of one file lie beside them. A kind knows
//! [`object`]'s functions, and these know of a kind what it has to say besides.
//!
//! The server, which makes sessions, may call this crate, and so may tests. Nothing below may.

mod acl;
mod copy;
mod dbcommands;
mod explain;
mod extension;
mod index;
mod maintenance;
mod object;
mod policy;
mod role;
mod schema;
mod sequence;
mod table;
mod tablespace;
mod r#type;
mod utility;
mod view;

pub use maintenance::autovacuum;
pub use object::stored;
pub use role::db_role_setting::{apply as apply_role_settings, become_role};
pub use utility::Commands;
