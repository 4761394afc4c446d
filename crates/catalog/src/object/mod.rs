//! What the catalogs say of any object, of whichever kind: PostgreSQL's `objectaddress.c`. An object's identity is its
//! [`ObjectAddress`]: its catalog, its oid, and a column's number.
//!
//! * [`property`]: a row for each kind of object, with the columns that its catalog has for what all kinds have (a name, a schema,
//!   an owner, rights). A command that asks this of an object of any kind asks the row; a new kind is one row more.
//! * [`kind`]: the kinds as commands and `pg_get_object_address` name them, each with its catalog.
//! * `description`: how messages call an object. `identity`: what identifies it among all others.
//! * [`address`]: the object of a kind and a name.
//! * [`dependency`]: what goes with an object that is dropped.
//! * `visibility`: whether a name alone finds an object.
//!
//! # Invariants
//! * Answers depend on the catalogs and the search path only, as all of this crate's.
//! * Each catalog that has objects has one row, and each kind's catalog is one of these (a test reads them all).
//! * What is described or identified as that of an address is what [`address`] finds by its identity.

pub mod address;
pub mod dependency;
mod description;
mod identity;
pub mod kind;
pub mod property;
mod visibility;

pub use kind::ObjectKind;
pub use property::{OBJECT_PROPERTIES, Object, ObjectChange, ObjectProperty};
pub use types::names::ObjectAddress;
