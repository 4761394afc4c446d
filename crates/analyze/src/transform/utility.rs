//! Utility commands that hold a query: it is analyzed as one of its own (`transformStmt` of `analyze.c`).

use syntax::nodes as raw;
use syntax::nodes::Node;

/// The query of EXPLAIN, DECLARE CURSOR, CREATE TABLE AS, CREATE VIEW, PREPARE and COPY (query).
pub fn query_of_utility(utility: &Node) -> Option<&Node> {
    match utility {
        Node::ExplainStmt(e) => e.query.as_ref(),
        Node::DeclareCursorStmt(e) => e.query.as_ref(),
        Node::CreateTableAsStmt(e) => e.query.as_ref(),
        Node::ViewStmt(e) => e.query.as_ref(),
        Node::PrepareStmt(e) => e.query.as_ref(),
        Node::CopyStmt(e) => e.query.as_ref(),
        _ => None,
    }
}

/// Takes the INTO out of a SELECT, which is CREATE TABLE AS then (`transformOptionalSelectInto`): the first arm of a set
/// operation has it.
pub fn take_into(query: &mut Node) -> Option<Box<raw::IntoClause>> {
    let Node::SelectStmt(select) = query else { return None };
    let mut first = &mut **select;
    while first.op != raw::SetOperation::SETOP_NONE {
        first = first.larg.as_deref_mut()?;
    }
    first.into_clause.take()
}

/// Is it SELECT INTO?
pub fn has_into(select: &raw::SelectStmt) -> bool {
    let mut first = select;
    while first.op != raw::SetOperation::SETOP_NONE {
        match &first.larg {
            Some(left) => first = left,
            None => return false,
        }
    }
    first.into_clause.is_some()
}
