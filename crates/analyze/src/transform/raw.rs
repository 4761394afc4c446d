//! Simple questions about raw trees.

use syntax::nodes as raw;
use syntax::nodes::Node;

/// The strings of a list of names.
pub fn strings(nodes: &[Node]) -> Vec<&str> {
    nodes.iter().filter_map(string).collect()
}

pub fn string(node: &Node) -> Option<&str> {
    if let Node::String(text) = node { Some(text) } else { None }
}

fn left(a: i32, b: i32) -> i32 {
    match (a, b) {
        (a, ..0) => a,
        (..0, b) => b,
        (a, b) => a.min(b),
    }
}

fn of(node: &Option<Node>) -> i32 {
    node.as_ref().map_or(-1, location)
}

/// Where a list begins: its first element that is somewhere.
pub fn location_of_list(nodes: &[Node]) -> i32 {
    nodes.iter().map(location).find(|location| *location >= 0).unwrap_or(-1)
}

/// Where a raw expression begins (`exprLocation`); -1 where nothing says.
pub fn location(node: &Node) -> i32 {
    match node {
        Node::ColumnRef(e) => e.location,
        Node::ParamRef(e) => e.location,
        Node::A_Const(e) => e.location,
        Node::FuncCall(e) => left(e.location, location_of_list(&e.args)),
        Node::A_ArrayExpr(e) => e.location,
        Node::A_Indirection(e) => of(&e.arg),
        Node::ResTarget(e) => e.location,
        Node::MultiAssignRef(e) => of(&e.source),
        Node::TypeCast(e) => {
            let name = e.type_name.as_ref().map_or(-1, |name| name.location);
            left(left(of(&e.arg), name), e.location)
        }
        Node::CollateClause(e) => of(&e.arg),
        Node::SortBy(e) => of(&e.node),
        Node::A_Expr(e) => left(e.location, of(&e.lexpr)),
        Node::BoolExpr(e) => left(e.location, location_of_list(&e.args)),
        Node::SubLink(e) => left(of(&e.testexpr), e.location),
        Node::CaseExpr(e) => e.location,
        Node::RowExpr(e) => e.location,
        Node::CoalesceExpr(e) => e.location,
        Node::MinMaxExpr(e) => e.location,
        Node::SQLValueFunction(e) => e.location,
        Node::NullTest(e) => left(e.location, of(&e.arg)),
        Node::BooleanTest(e) => left(e.location, of(&e.arg)),
        Node::SetToDefault(e) => e.location,
        Node::GroupingFunc(e) => e.location,
        Node::GroupingSet(e) => e.location,
        Node::MergeSupportFunc(e) => e.location,
        Node::NamedArgExpr(e) => left(e.location, of(&e.arg)),
        Node::WindowDef(e) => e.location,
        Node::RangeVar(e) => e.location,
        Node::XmlExpr(e) => left(e.location, location_of_list(&e.args)),
        Node::XmlSerialize(e) => e.location,
        Node::JsonFuncExpr(e) => e.location,
        Node::JsonObjectConstructor(e) => e.location,
        Node::JsonArrayConstructor(e) => e.location,
        Node::JsonArrayQueryConstructor(e) => e.location,
        Node::JsonParseExpr(e) => e.location,
        Node::JsonScalarExpr(e) => e.location,
        Node::JsonSerializeExpr(e) => e.location,
        Node::JsonIsPredicate(e) => e.location,
        Node::List(list) => location_of_list(list),
        _ => -1,
    }
}

/// Where a name of INTO stands.
pub fn location_of_into(into: &raw::IntoClause) -> i32 {
    into.rel.as_ref().map_or(-1, |rel| rel.location)
}
