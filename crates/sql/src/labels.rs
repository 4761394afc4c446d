//! Column labels as PostgreSQL's parser chooses them (`FigureColname`): from the statement's text, not from the plan.

use datafusion::common::DFSchema;
use datafusion::sql::sqlparser::ast::{AccessExpr, Expr, SelectItem, SetExpr, Statement};

use crate::ddl::ident;

/// A label for each item of the SELECT list; `None` for a wildcard.
pub fn of(statement: &Statement) -> Vec<Option<String>> {
    match statement {
        Statement::Query(query) => of_body(&query.body),
        _ => vec![None],
    }
}

fn of_body(body: &SetExpr) -> Vec<Option<String>> {
    match body {
        SetExpr::Select(select) => select
            .projection
            .iter()
            .map(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(ident(alias)),
                SelectItem::UnnamedExpr(expr) => Some(label(expr).unwrap_or_else(|| "?column?".into())),
                _ => None,
            })
            .collect(),
        SetExpr::Query(query) => of_body(&query.body),
        SetExpr::SetOperation { left, .. } => of_body(left),
        _ => vec![None],
    }
}

/// Fills the wildcards' labels in from the plan.
pub fn complete(labels: Vec<Option<String>>, schema: &DFSchema) -> Vec<String> {
    let names: Vec<String> = schema.fields().iter().map(|f| crate::rewrite::visible(f.name()).to_string()).collect();
    let wildcards = labels.iter().filter(|l| l.is_none()).count();
    if wildcards == 0 && labels.len() == names.len() {
        return labels.into_iter().flatten().collect();
    }
    let front = labels.iter().take_while(|l| l.is_some()).count();
    let back = labels.iter().rev().take_while(|l| l.is_some()).count();
    let mut result = names;
    // Between two wildcards nothing tells which columns are whose; the plan's own names are the columns' there.
    if wildcards > 0 && front + back <= result.len() {
        let len = result.len();
        for (index, label) in labels.iter().take(front).enumerate() {
            result[index] = label.clone().expect("before the first wildcard");
        }
        for (index, label) in labels.iter().rev().take(back).enumerate() {
            result[len - 1 - index] = label.clone().expect("behind the last wildcard");
        }
    }
    result
}

/// The label of an expression; `None` where PostgreSQL says `?column?`.
pub fn label(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(ident(name)),
        Expr::CompoundIdentifier(parts) => parts.last().map(ident),
        Expr::Function(function) => {
            let name = function.name.0.last().and_then(|p| p.as_ident()).map(ident)?;
            Some(name)
        }
        // The name of a column or function is stronger than the type's, which is stronger than an inner type's.
        Expr::Cast { expr, data_type, .. } => Some(named(expr).unwrap_or_else(|| type_label(&data_type.to_string()))),
        Expr::TypedString(string) => Some(type_label(&string.data_type.to_string())),
        Expr::Case { else_result, .. } => {
            Some(
                else_result
                    .as_deref()
                    .and_then(|e| match e {
                        // Only a name gives CASE its label, not a function or a constant.
                        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => label(e),
                        _ => None,
                    })
                    .unwrap_or_else(|| "case".into()),
            )
        }
        Expr::Exists { .. } => Some("exists".into()),
        Expr::Array(_) => Some("array".into()),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => label(inner),
        // The last field's name: `t.a[1]` is `a`.
        Expr::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|access| match access {
                AccessExpr::Dot(field) => Some(field),
                AccessExpr::Subscript(_) => None,
            });
            label(field.unwrap_or(root))
        }
        Expr::Subquery(query) => of_body(&query.body).into_iter().next().flatten(),
        Expr::Substring { shorthand: true, .. } => Some("substr".into()),
        Expr::Extract { .. } => Some("extract".into()),
        Expr::Substring { .. } => Some("substring".into()),
        Expr::Position { .. } => Some("position".into()),
        Expr::Overlay { .. } => Some("overlay".into()),
        Expr::Ceil { .. } => Some("ceil".into()),
        Expr::Floor { .. } => Some("floor".into()),
        Expr::AtTimeZone { .. } => Some("timezone".into()),
        Expr::Interval(_) => Some("interval".into()),
        Expr::Trim { trim_where, .. } => Some(
            match trim_where {
                Some(datafusion::sql::sqlparser::ast::TrimWhereField::Leading) => "ltrim",
                Some(datafusion::sql::sqlparser::ast::TrimWhereField::Trailing) => "rtrim",
                _ => "btrim",
            }
            .into(),
        ),
        _ => None,
    }
}

/// A label that a cast around the expression does not replace.
fn named(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Cast { expr, .. } | Expr::Nested(expr) => named(expr),
        Expr::TypedString(_) | Expr::Interval(_) | Expr::Case { .. } => None,
        other => label(other),
    }
}

/// The internal name of a type, which labels a cast constant.
fn type_label(ty: &str) -> String {
    let lower = ty.to_lowercase();
    // An array is called as its elements.
    let base = lower.split(['(', '[']).next().unwrap_or(&lower).trim();
    match base {
        "int" | "integer" => "int4",
        "bigint" => "int8",
        "smallint" => "int2",
        "real" => "float4",
        "double precision" | "float" | "double" => "float8",
        "boolean" => "bool",
        "decimal" | "dec" => "numeric",
        "character varying" => "varchar",
        "char" | "character" => "bpchar",
        "timestamp without time zone" => "timestamp",
        "timestamp with time zone" => "timestamptz",
        "\"char\"" => "char",
        interval if interval.starts_with("interval ") => "interval",
        other => other.rsplit('.').next().unwrap_or(other),
    }
    .to_string()
}
