//! Columns of set operations whose branches say no type. PostgreSQL resolves set operations two branches at a time: where both
//! have NULL or a constant in quotes the column is text, whatever a third branch has.

use datafusion::sql::sqlparser::ast::{CastKind, DataType, Expr, Query, Select, SelectItem, SetExpr, Value};

/// Casts the right branch's constant to text where the left one's has no type either; names are the left branch's.
pub fn resolve(body: &mut SetExpr) {
    let mut body = body;
    while let SetExpr::SetOperation { left, right, .. } = body {
        if let (Some(left), Some(right)) = (select_of(left), select_of(right)) {
            let pairs = left.projection.iter().zip(&mut right.projection);
            pairs.filter(|(left, _)| untyped(left)).for_each(|(_, right)| cast_to_text(right));
        }
        resolve(right);
        body = left;
    }
}

fn select_of(body: &mut SetExpr) -> Option<&mut Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::Query(query) => {
            let Query { body, .. } = &mut **query;
            select_of(body)
        }
        _ => None,
    }
}

fn constant(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => constant(inner),
        Expr::Value(value) => {
            matches!(value.value, Value::Null | Value::SingleQuotedString(_) | Value::EscapedStringLiteral(_))
        }
        _ => false,
    }
}

fn untyped(item: &SelectItem) -> bool {
    matches!(item, SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } if constant(expr))
}

fn cast_to_text(item: &mut SelectItem) {
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { return };
    if !constant(expr) {
        return;
    }
    let inner = std::mem::replace(expr, Expr::value(Value::Null));
    *expr = Expr::Cast {
        kind: CastKind::DoubleColon,
        expr: Box::new(inner),
        data_type: DataType::Text,
        array: false,
        format: None,
    };
}
