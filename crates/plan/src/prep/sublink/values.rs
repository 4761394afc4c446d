//! `x IN (VALUES (1), (2))` as `x = ANY (ARRAY[1, 2])`: PostgreSQL's `convert_VALUES_to_ANY`.

use analyze::query::*;
use types::Result;

use crate::planner_info::Planner;
use crate::prep::sublink::simplify::convert_test;

/// The comparison with an array, if all values are constant.
pub fn values_to_any(planner: &Planner, link: &SubLink) -> Result<Option<Expr>> {
    let (Some(Expr::OpExpr(test)), Some(rows)) = (&link.test, plain_values(&link.query)) else {
        return Ok(None);
    };
    let [left, right] = &test.arguments[..] else {
        return Ok(None);
    };
    let element = right.ty();
    let Some(array) = planner.catalog.array_type(element.oid) else {
        return Ok(None);
    };
    let mut elements = Vec::with_capacity(rows.len());
    for row in rows {
        let [value] = &row[..] else {
            return Ok(None);
        };
        let mut value = convert_test(right.clone(), std::slice::from_ref(value));
        planner.fold(&mut value)?;
        if !matches!(value, Expr::Const(_)) {
            return Ok(None);
        }
        elements.push(value);
    }
    let array = Expr::Array(ArrayExpr {
        array: TypeRef::of(array),
        element: element.oid,
        elements,
        multidimensional: false,
        location: Location::NONE,
    });
    Ok(Some(Expr::ScalarArrayOpExpr(ScalarArrayOpExpr {
        operator: test.operator,
        function: test.function,
        collation: test.collation,
        any: true,
        scalar: Box::new(left.clone()),
        array: Box::new(array),
        location: link.location,
    })))
}

/// The rows of a query that is nothing but VALUES.
fn plain_values(query: &Query) -> Option<&[Vec<Expr>]> {
    let [RangeTableEntry { kind: RangeTableKind::Values { rows }, .. }] = &query.range_table[..] else {
        return None;
    };
    let [TargetEntry { expr: Expr::Var(var), .. }] = &query.targets[..] else {
        return None;
    };
    let plain = var.levels_up == 0
        && query.command == CommandType::Select
        && query.join_tree.condition.is_none()
        && query.sort_clause.is_empty()
        && query.distinct == Distinct::None
        && query.group_clause.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && query.ctes.is_empty();
    plain.then_some(rows)
}
