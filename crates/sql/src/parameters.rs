//! Parameters (`$1` and so on) in syntax trees: how many there are, and what is put in their places.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::sql::sqlparser::ast::{self, Expr as AstExpr, SelectItem, Statement, Value, VisitMut, VisitorMut};
use engine::{EngineError, PgType, Result};

use crate::cast::{Purpose, cast};
use crate::infer::type_of_cast;
use crate::numeric;
use crate::session::typed;

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The OID of its type.
    pub ty: u32,
    /// As text; `None` is NULL.
    pub text: Option<String>,
}

/// The type of what nothing gives a type: described as text, it stands as a constant in quotes.
pub const UNKNOWN: u32 = 705;

/// Parameters that a statement may have; the protocol counts them in 16 bits.
const MAX: usize = 65_535;

/// The arrays: OID, and the elements' OID.
const ARRAYS: &[(u32, u32)] = &[
    (1000, 16),
    (1001, 17),
    (1003, 19),
    (1005, 21),
    (1007, 23),
    (1009, 25),
    (1014, 1042),
    (1015, 1043),
    (1016, 20),
    (1021, 700),
    (1022, 701),
    (1028, 26),
    (1115, 1114),
    (1182, 1082),
    (1185, 1184),
    (1187, 1186),
    (1231, 1700),
    (2951, 2950),
];

/// Types that PostgreSQL writes in a form of its own and we do not have: a value would come back as it was given.
const ABSENT: &[(u32, &str)] = &[
    (650, "cidr"),
    (790, "money"),
    (829, "macaddr"),
    (869, "inet"),
    (1083, "time"),
    (1266, "time with time zone"),
    (1560, "bit"),
    (1562, "bit varying"),
    (3802, "jsonb"),
];

/// Fails where a parameter is declared to be of a type that we do not have.
pub fn check_declared(types: &[u32]) -> Result<()> {
    let absent = ABSENT.iter().find(|(oid, _)| types.contains(oid));
    absent.map_or(Ok(()), |(_, name)| Err(EngineError::unsupported(format!("type {name}"))))
}

/// The type of an array's elements.
pub fn element_of(array: u32) -> Option<u32> {
    ARRAYS.iter().find(|(oid, _)| *oid == array).map(|(_, element)| *element)
}

/// The type of an array of such elements.
pub fn array_of(element: u32) -> Option<u32> {
    ARRAYS.iter().find(|(_, e)| *e == element).map(|(oid, _)| *oid)
}

/// The type of a parameter that the client declared or the server inferred, where columns can have it.
pub fn column_type(oid: u32) -> Option<PgType> {
    Some(match oid {
        16 => PgType::Bool,
        17 => PgType::Bytea,
        20 => PgType::Int8,
        21 => PgType::Int2,
        23 => PgType::Int4,
        25 => PgType::Text,
        700 => PgType::Float4,
        701 => PgType::Float8,
        1043 => PgType::Varchar(None),
        1082 => PgType::Date,
        1114 => PgType::Timestamp,
        1184 => PgType::Timestamptz,
        2950 => PgType::Uuid,
        _ => return None,
    })
}

/// The name to cast a parameter's text by; `None`: it stands as it is.
fn type_name(oid: u32) -> Option<String> {
    match oid {
        19 => Some("name".into()),
        26 => Some("oid".into()),
        1042 => Some("bpchar".into()),
        1186 => Some("interval".into()),
        1700 => Some("numeric".into()),
        oid => match element_of(oid) {
            // Arrays of those that are held as others stand as they are.
            Some(19 | 26 | 1042) => None,
            Some(element) => type_name(element).map(|name| format!("{name}[]")),
            None => column_type(oid).map(PgType::name),
        },
    }
}

impl Parameter {
    /// Can it be told without the session's settings that the value is one of its type?
    pub(crate) fn is_plain(&self) -> bool {
        let Some(text) = &self.text else { return true };
        match self.ty {
            21 => text.parse::<i16>().is_ok(),
            23 => text.parse::<i32>().is_ok(),
            20 => text.parse::<i64>().is_ok(),
            ty => matches!(column_type(ty), Some(PgType::Text | PgType::Varchar(_))),
        }
    }

    /// Fails where a value is none of its type, as that is to be said when it is given.
    pub(crate) fn check(&self) -> Result<()> {
        let array: ArrayRef = Arc::new(StringArray::from(vec![self.text.as_deref()]));
        match (column_type(self.ty), self.ty) {
            (Some(ty), _) => cast(&array, ty, Purpose::Explicit).map(drop),
            (None, 1700) => numeric::to_array(std::iter::once(numeric::read(&array, 0))).map(drop),
            _ => Ok(()),
        }
    }
}

/// The number of a placeholder, from 1.
pub fn number(placeholder: &str) -> Result<usize> {
    let number = placeholder.strip_prefix('$').and_then(|n| n.parse::<usize>().ok());
    let number = number.filter(|n| (1..=MAX).contains(n));
    number.ok_or_else(|| EngineError::new("42P02", format!("there is no parameter {placeholder}")))
}

/// The number of the parameter that stands alone here.
pub fn alone(expr: &AstExpr) -> Option<usize> {
    match expr {
        AstExpr::Nested(inner) => alone(inner),
        AstExpr::Value(value) => match &value.value {
            Value::Placeholder(name) => number(name).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Which parameters a statement has, by their numbers less one.
pub fn used(statement: &Statement) -> Result<Vec<bool>> {
    let mut used = Vec::new();
    let failed = ast::visit_expressions(statement, |expr| {
        let AstExpr::Value(value) = expr else { return ControlFlow::Continue(()) };
        let Value::Placeholder(name) = &value.value else { return ControlFlow::Continue(()) };
        match number(name) {
            Ok(number) => {
                used.resize(used.len().max(number), false);
                used[number - 1] = true;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    });
    match failed {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(used),
    }
}

/// Replaces placeholders by values of their types.
struct Replace<F> {
    /// A parameter's type and its value; without one it stays.
    value: F,
    /// `x = ANY ($1)`, for a parameter that stays: an element of it takes its place ([`element_number`]).
    elements: bool,
}

impl<F: FnMut(usize) -> Result<(u32, Option<Value>)>> Replace<F> {
    /// What stands for a parameter; `cast`: in a cast to its type, which need not be named twice.
    fn replacement(&mut self, number: usize, cast: bool) -> Result<Option<AstExpr>> {
        let (ty, Some(value)) = (self.value)(number)? else { return Ok(None) };
        let value = AstExpr::value(value);
        Ok(Some(match type_name(ty) {
            Some(name) if !cast => typed(value, &name),
            _ => value,
        }))
    }

    fn replace(&mut self, expr: &mut AstExpr) -> Result<()> {
        match expr {
            AstExpr::Value(value) => {
                let Value::Placeholder(name) = &value.value else { return Ok(()) };
                if element_number(name).is_none()
                    && let Some(new) = self.replacement(number(name)?, false)?
                {
                    *expr = new;
                }
            }
            AstExpr::AnyOp { left, compare_op, right, .. } | AstExpr::AllOp { left, compare_op, right }
                if self.elements =>
            {
                if let Some(number) = alone(right) {
                    let element = AstExpr::value(Value::Placeholder(format!("${}", number + MAX)));
                    let (left, op) = (left.clone(), compare_op.clone());
                    *expr = AstExpr::BinaryOp { left, op, right: Box::new(element) };
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn replace_in_cast(&mut self, expr: &mut AstExpr) -> Result<()> {
        if let AstExpr::Cast { expr: inner, data_type, .. } = expr
            && let Some(number) = alone(inner)
            && type_of_cast(data_type).ok() == Some((self.value)(number)?.0)
            && let Some(new) = self.replacement(number, true)?
        {
            **inner = new;
        }
        Ok(())
    }
}

impl<F: FnMut(usize) -> Result<(u32, Option<Value>)>> VisitorMut for Replace<F> {
    type Break = EngineError;

    /// A parameter among the results has no name, whatever stands for it.
    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<EngineError> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && alone(expr).is_some()
            {
                let alias = ast::Ident::with_quote('"', "?column?");
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut AstExpr) -> ControlFlow<EngineError> {
        self.replace_in_cast(expr).map_or_else(ControlFlow::Break, ControlFlow::Continue)
    }

    fn post_visit_expr(&mut self, expr: &mut AstExpr) -> ControlFlow<EngineError> {
        self.replace(expr).map_or_else(ControlFlow::Break, ControlFlow::Continue)
    }
}

fn replace(
    statement: &Statement,
    elements: bool,
    value: impl FnMut(usize) -> Result<(u32, Option<Value>)>,
) -> Result<Statement> {
    let mut statement = statement.clone();
    match statement.visit(&mut Replace { value, elements }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(statement),
    }
}

/// The parameter, by its number less one, that a placeholder in a plan stands for an element of.
pub fn element_number(placeholder: &str) -> Option<usize> {
    let number = placeholder.strip_prefix('$')?.parse::<usize>().ok()?;
    number.checked_sub(MAX + 1)
}

/// For planning: a parameter of a known type stands as a NULL of that type.
pub fn with_types(statement: &Statement, parameters: &[u32]) -> Result<Statement> {
    replace(statement, true, |number| {
        let ty = parameters.get(number - 1).copied().unwrap_or(0);
        Ok((ty, type_name(ty).map(|_| Value::Null)))
    })
}

/// Puts the values in.
pub fn bind(statement: &Statement, parameters: &[Parameter]) -> Result<Statement> {
    if parameters.is_empty() && used(statement)?.is_empty() {
        return Ok(statement.clone());
    }
    replace(statement, false, |number| {
        let parameter = parameters.get(number - 1);
        let parameter =
            parameter.ok_or_else(|| EngineError::new("42P02", format!("there is no parameter ${number}")))?;
        Ok((parameter.ty, Some(parameter.text.clone().map_or(Value::Null, Value::SingleQuotedString))))
    })
}
