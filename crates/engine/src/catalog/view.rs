//! Views, expressions and queries as definitions keep them, and what these refer to.

use std::sync::Arc;

use types::names::ObjectAddress;

use crate::column_type::ColumnType;

/// A view.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewDef {
    pub oid: u32,
    /// Of its rule `_RETURN`, a row of `pg_rewrite`.
    pub rule: u32,
    /// The type of its rows and that of arrays of them.
    pub row_type: u32,
    pub array_type: u32,
    /// Its schema's oid.
    pub namespace: u32,
    /// The schema's name, for messages. The catalog knows it, and whether what is in the schema goes with a session.
    pub schema: String,
    pub temporary: bool,
    pub name: String,
    /// A role's oid.
    pub owner: u32,
    pub columns: Vec<ViewColumn>,
    pub query: NodeTree,
    /// `check_option`, `security_barrier`, `security_invoker`, as they were given.
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ViewColumn {
    pub name: String,
    pub ty: ColumnType,
    /// The DEFAULT expression of rows that are inserted through the view.
    pub default: Option<NodeTree>,
    /// Its oid (`pg_attrdef`); 0: it is new.
    pub default_oid: u32,
    /// Its collation, if that is not its type's.
    pub collation: Option<u32>,
}

/// An expression or a query as a definition keeps it (`pg_node_tree`): analysis writes and reads the text, in which everything
/// is an oid and nothing a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTree {
    pub text: Arc<str>,
    /// What it refers to, in order: an object, or columns of one.
    pub references: Vec<ObjectAddress>,
}
