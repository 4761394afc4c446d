//! Views, expressions and queries as definitions keep them, and what these refer to.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use types::names::ObjectAddress;

use crate::column_type::ColumnType;

/// A view.
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
    pub query: NodeTree,
    /// `check_option`, `security_barrier`, `security_invoker`, as they were given.
    pub options: Vec<(String, String)>,
    pub comment: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewColumn {
    pub name: String,
    pub ty: ColumnType,
    /// The DEFAULT expression of rows that are inserted through the view.
    pub default: Option<NodeTree>,
    pub comment: Option<String>,
    /// Its collation, if that is not its type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<u32>,
}

/// An expression or a query as a definition keeps it (`pg_node_tree`): analysis writes and reads the text, in which everything
/// is an oid and nothing a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeTree {
    pub text: Arc<str>,
    /// What it refers to, in order: an object, or columns of one.
    pub references: Vec<ObjectAddress>,
}
