//! Several rows of VALUES in an INSERT: PostgreSQL converts each of their expressions to its column's type by itself, the
//! planner wants them to be of one type. Where they are not written alike, those whose type is open get the column's.

use datafusion::sql::sqlparser::ast::{DataType as SqlType, Expr, UnaryOperator, Value, Values};
use engine::{PgType, Table};

use crate::session::typed;

/// How an expression is written, as far as that tells its type.
#[derive(PartialEq)]
enum Written<'a> {
    Null,
    /// A constant in quotes.
    Quoted,
    Number,
    Cast(&'a SqlType),
    Other,
}

fn written(expr: &Expr) -> Written<'_> {
    match expr {
        Expr::Nested(inner) => written(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if written(expr) == Written::Number => Written::Number,
        Expr::Cast { data_type, .. } => Written::Cast(data_type),
        Expr::Value(value) => match &value.value {
            Value::Null => Written::Null,
            Value::Number(..) => Written::Number,
            Value::SingleQuotedString(_) => Written::Quoted,
            _ => Written::Other,
        },
        _ => Written::Other,
    }
}

/// `columns` are the table's, in the order of the values.
pub fn agree(values: &mut Values, table: &Table, columns: &[usize]) {
    if values.rows.len() < 2 {
        return;
    }
    for (position, &column) in columns.iter().enumerate() {
        let alike = {
            let exprs = values.rows.iter().filter_map(|row| row.content.get(position));
            let mut written = exprs.map(written).filter(|written| *written != Written::Null);
            let first = written.next();
            first.is_none_or(|first| first != Written::Other && written.all(|other| other == first))
        };
        if alike {
            continue;
        }
        // Texts and numerics differ by their modifiers, which the column's own conversion looks at.
        let (name, all) = match table.def.columns[column].ty {
            PgType::Text | PgType::Varchar(_) | PgType::Char(_) => ("varchar".to_string(), true),
            PgType::Numeric(..) => ("numeric".to_string(), true),
            ty => (ty.name(), false),
        };
        for expr in values.rows.iter_mut().filter_map(|row| row.content.get_mut(position)) {
            if all || written(expr) == Written::Quoted {
                *expr = typed(std::mem::replace(expr, Expr::value(Value::Null)), &name);
            }
        }
    }
}
