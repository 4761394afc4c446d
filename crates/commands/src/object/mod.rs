//! What commands do to objects of all kinds: find them by their names ([`object_address`]), take new names ([`names`],
//! [`namespace`]), know what depends on them ([`dependency`], [`stored`]), drop, rename, comment on them, give them to another
//! role or schema. What a kind has to say besides is in that kind's own room.

pub mod alter;
pub mod comment;
pub mod deletion;
pub mod dependency;
pub mod drop;
pub mod names;
pub mod namespace;
pub mod object_address;
pub mod owner;
pub mod reloptions;
pub mod rename;
pub mod set_schema;
pub mod stored;
