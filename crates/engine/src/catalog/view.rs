//! Views, and what objects refer to.

use serde::{Deserialize, Serialize};

use crate::column_type::ColumnType;

/// A view. CREATE VIEW analyzes the query, has it written again by `ruleutils` and keeps that text: every name in it has its
/// schema, so it is understood alike whatever the session's settings are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewDef {
    pub oid: u32,
    /// Of its rule `_RETURN`, a row of `pg_rewrite`.
    pub rule: u32,
    /// The type of its rows and that of arrays of them.
    pub row_type: u32,
    pub array_type: u32,
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub columns: Vec<ViewColumn>,
    /// Its query, written with no schema but `pg_catalog` in the search path. Whoever renames what it refers to has it
    /// written again.
    pub query: String,
    /// What the query refers to.
    pub references: Vec<ObjectAddress>,
    /// `check_option`, `security_barrier`, `security_invoker`, as they were given.
    pub options: Vec<(String, String)>,
    pub comment: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewColumn {
    pub name: String,
    pub ty: ColumnType,
    /// The DEFAULT expression of rows that are inserted through the view, as SQL.
    pub default: Option<String>,
    pub comment: Option<String>,
    /// Its collation, if that is not its type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<u32>,
}

/// An object as `pg_depend` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectAddress {
    /// The catalog that it is in.
    pub class: u32,
    pub oid: u32,
    /// The number of a column; 0 for all of it.
    pub column: i32,
}
