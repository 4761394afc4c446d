//! What the catalog's objects are called and how they are defined, as functions ask for it ([`names`]): PostgreSQL's `ruleutils.c`
//! and its neighbours.

pub mod catalog_names;
pub mod columns;
pub mod definitions;
pub mod function_definition;
pub mod index_compiler;
pub mod index_definition;
pub mod index_properties;
pub mod names;
pub mod object_description;
