//! Columns in expressions (`transformColumnRef` and `transformIndirection` of `parse_expr.c`): by name, a table's whole row,
//! elements of arrays.

use ::error::sqlstate;
use catalog::QualifiedName;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Datum, Oid, Result, oid};

use super::coerce::{Coercion, literal};
use super::raw::strings;
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected, unsupported};
use crate::parse_coerce::{CoercionContext, can_coerce_type};
use crate::query::*;

/// Subscripts of an array.
const MAX_DIMENSIONS: usize = 6;

impl ParseState<'_> {
    /// `transformColumnRef`: `a`, `t.a`, `s.t.a`, `t` as a row.
    pub(crate) fn transform_column_ref(&mut self, column: &raw::ColumnRef) -> Result<Expr> {
        let place = column.location;
        if let Some(what) = self.expr_kind.no_columns() {
            return Err(error(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("cannot use column reference in {what}"),
                place,
            ));
        }
        let (last, before) = column.fields.split_last().ok_or_else(unexpected)?;
        let table = strings(before);
        if let Node::A_Star(_) = last {
            let (item, level) = self.item_of_names(&column.fields, place)?;
            return Ok(self.whole_row(item, level, place));
        }
        let Node::String(name) = last else { return Err(unexpected()) };
        if table.is_empty() {
            return self.transform_column_name(name, place);
        }
        let (item, level) = self.item_of_names(&column.fields, place)?;
        if let Some(found) = self.column_of_item(item, level, name, place)? {
            return Ok(found);
        }
        // `t.f` may be `f(t)`: a function of the row.
        let row = self.whole_row(item, level, place);
        if let Some(call) = self.field_or_function(row, name, place)? {
            return Ok(call);
        }
        Err(self.missing_column(table.last().copied(), name, place))
    }

    fn transform_column_name(&mut self, name: &str, place: i32) -> Result<Expr> {
        if let Some(found) = self.find_column(name, false, place)? {
            return Ok(found);
        }
        // The name of a table stands for its row.
        if let Some((item, level)) = self.find_item(None, name, place)? {
            return Ok(self.whole_row(item, level, place));
        }
        Err(self.missing_column(None, name, place))
    }

    /// The item that the names in front of a column (or `*`) mean.
    pub(crate) fn item_of_names(&self, fields: &[Node], place: i32) -> Result<(&NamespaceItem, u32)> {
        let all = || {
            let shown = fields.iter().map(|field| super::raw::string(field).unwrap_or("*"));
            shown.collect::<Vec<_>>().join(".")
        };
        let table = strings(&fields[..fields.len() - 1]);
        let QualifiedName { schema, name } = self.qualified_name_shown(&table, all, place)?;
        match self.find_item(schema, name, place)? {
            Some(found) => Ok(found),
            None => Err(self.missing_table(schema, name, place)),
        }
    }

    /// A row as a value (`transformWholeRowRef`).
    fn whole_row(&self, item: &NamespaceItem, level: u32, place: i32) -> Expr {
        let location = Location(place);
        if item.using_alias {
            let fields = item.columns.iter().map(|column| column.var(level, place)).collect();
            let names = item.columns.iter().map(|column| column.name.clone()).collect();
            return Expr::Row(RowExpr { fields, ty: oid::RECORD, names, location });
        }
        let ty = match &self.at_level(level).entry(item.relation).kind {
            RangeTableKind::Relation { oid: relation, .. } => {
                let relation = self.statement.relations.relation_by_oid(*relation);
                relation.map_or(oid::RECORD, |relation| relation.row_type)
            }
            // The row of a function is what it returns.
            RangeTableKind::Function { functions, ordinality: false } => match &functions[..] {
                [only] => only.call.ty().oid,
                _ => oid::RECORD,
            },
            _ => oid::RECORD,
        };
        let scalar = !self.is_row_type(ty);
        let ty = TypeRef::of(if ty == oid::INVALID { oid::RECORD } else { ty });
        // A function of one value has this value for a row.
        let attribute = if scalar { 1 } else { 0 };
        let collation = item.columns.first().filter(|_| scalar).map_or(Collation::NONE, |column| column.collation);
        Expr::Var(Var { relation: item.relation, attribute, ty, collation, levels_up: level, location })
    }

    /// `a[1]`, `(row).field` (`transformIndirection`).
    pub(crate) fn transform_indirection(&mut self, e: &raw::A_Indirection) -> Result<Expr> {
        let argument = required(&e.arg)?;
        let place = super::raw::location(argument);
        let value = self.transform(argument)?;
        self.transform_steps(value, &e.indirection, place)
    }

    /// The row of `(…).*`.
    pub(crate) fn transform_row_of_star(&mut self, e: &raw::A_Indirection, kind: ExprKind) -> Result<Expr> {
        let argument = required(&e.arg)?;
        let place = super::raw::location(argument);
        let value = self.transform_expr(argument, kind)?;
        self.transform_steps(value, &e.indirection[..e.indirection.len() - 1], place)
    }

    fn transform_steps(&mut self, mut value: Expr, steps: &[Node], place: i32) -> Result<Expr> {
        let mut subscripts: Vec<&raw::A_Indices> = Vec::new();
        for step in steps {
            match step {
                Node::A_Indices(indices) => subscripts.push(indices),
                Node::String(field) => {
                    value = self.subscript(value, &std::mem::take(&mut subscripts))?;
                    let row = value.clone();
                    value = match self.field_or_function(value, field, place)? {
                        Some(found) => found,
                        None => return Err(self.unknown_attribute(&row, field, place)),
                    };
                }
                Node::A_Star(_) => return Err(unsupported("row expansion via \"*\"", place)),
                _ => return Err(unexpected()),
            }
        }
        self.subscript(value, &subscripts)
    }

    /// `unknown_attribute`.
    fn unknown_attribute(&self, row: &Expr, name: &str, place: i32) -> types::Error {
        if let Expr::Var(Var { attribute: 0, relation, levels_up, .. }) = row {
            let table = &self.at_level(*levels_up).entry(*relation).name;
            return error(sqlstate::UNDEFINED_COLUMN, format!("column {table}.{name} does not exist"), place);
        }
        let ty = row.ty();
        let shown = self.type_text(ty.oid);
        if self.catalog().is_complex(ty.oid) {
            return error(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" not found in data type {shown}"),
                place,
            );
        }
        if ty.oid == oid::RECORD && self.row_columns(row).is_none() {
            return unsupported("the columns of this record", place);
        }
        if ty.oid == oid::RECORD {
            return error(
                sqlstate::UNDEFINED_COLUMN,
                format!("could not identify column \"{name}\" in record data type"),
                place,
            );
        }
        let message = format!("column notation .{name} applied to type {shown}, which is not a composite type");
        error(sqlstate::WRONG_OBJECT_TYPE, message, place)
    }

    /// Elements and slices (`transformContainerSubscripts`).
    pub(super) fn subscript(&mut self, value: Expr, subscripts: &[&raw::A_Indices]) -> Result<Expr> {
        if subscripts.is_empty() {
            return Ok(value);
        }
        let (container, element) = self.subscripted(&value)?;
        if subscripts.len() > MAX_DIMENSIONS {
            let message = format!(
                "number of array dimensions ({}) exceeds the maximum allowed ({MAX_DIMENSIONS})",
                subscripts.len()
            );
            return Err(types::Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
        }
        if container == oid::JSONB {
            return self.jsonb_subscript(value, subscripts);
        }
        let slice = subscripts.iter().any(|indices| indices.is_slice);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for indices in subscripts {
            if slice {
                lower.push(match (&indices.lidx, indices.is_slice) {
                    (Some(bound), _) => Some(self.transform_subscript(bound)?),
                    (None, true) => None,
                    // `a[1:2][3]` is `a[1:2][1:3]`.
                    (None, false) => Some(literal(oid::INT4, Datum::I32(1))),
                });
            }
            upper.push(indices.uidx.as_ref().map(|bound| self.transform_subscript(bound)).transpose()?);
        }
        let typmod = value.ty().typmod;
        let result = TypeRef { oid: if slice { container } else { element }, typmod };
        let array = value;
        Ok(Expr::SubscriptingRef(Box::new(SubscriptingRef {
            container,
            element,
            result,
            array,
            lower,
            upper,
            assigned: None,
        })))
    }

    /// The array type of what is subscripted, and its elements' type (`transformContainerType`).
    fn subscripted(&self, value: &Expr) -> Result<(Oid, Oid)> {
        let container = match self.catalog().base_type(value.ty().oid) {
            oid::INT2VECTOR => oid::INT2_ARRAY,
            oid::OIDVECTOR => oid::OID_ARRAY,
            other => other,
        };
        match self.catalog().pg_type(container) {
            Some(row) if row.typsubscript != oid::INVALID && row.typelem != oid::INVALID => {
                Ok((container, row.typelem))
            }
            Some(_) if container == oid::JSONB => Ok((container, container)),
            Some(row) if row.typsubscript != oid::INVALID => {
                Err(unsupported(format!("subscripting of type {}", row.typname), value.location().0))
            }
            _ => {
                let shown = self.type_text(value.ty().oid);
                let message = format!("cannot subscript type {shown} because it does not support subscripting");
                Err(error(sqlstate::DATATYPE_MISMATCH, message, value.location().0))
            }
        }
    }

    /// Keys and numbers of elements (`jsonb_subscript_transform`).
    fn jsonb_subscript(&mut self, value: Expr, subscripts: &[&raw::A_Indices]) -> Result<Expr> {
        let mut upper = Vec::new();
        for indices in subscripts {
            let bound =
                indices.uidx.as_ref().or(indices.lidx.as_ref()).map(|bound| self.transform(bound)).transpose()?;
            let place = bound.as_ref().map_or(value.location().0, |bound| bound.location().0);
            let Some(bound) = bound.filter(|_| !indices.is_slice) else {
                return Err(error(sqlstate::DATATYPE_MISMATCH, "jsonb subscript does not support slices", place));
            };
            upper.push(Some(self.key_or_number(bound)?));
        }
        let (container, result) = (oid::JSONB, TypeRef::of(oid::JSONB));
        let (element, array, lower) = (container, value, Vec::new());
        Ok(Expr::SubscriptingRef(Box::new(SubscriptingRef {
            container,
            element,
            result,
            array,
            lower,
            upper,
            assigned: None,
        })))
    }

    /// A subscript of a `jsonb` as an integer or a text, whichever of both it can be.
    fn key_or_number(&mut self, bound: Expr) -> Result<Expr> {
        let (ty, place) = (bound.ty().oid, bound.location().0);
        let possible = |target: Oid| can_coerce_type(self.catalog(), &[ty], &[target], CoercionContext::Implicit);
        let target = match (ty, possible(oid::INT4), possible(oid::TEXT)) {
            (oid::UNKNOWN, ..) | (_, false, true) => oid::TEXT,
            (_, true, false) => oid::INT4,
            (_, both, _) => {
                let message = format!("subscript type {} is not supported", self.type_text(ty));
                let hint = match both {
                    true => "jsonb subscript must be coercible to only one type, integer or text.",
                    false => "jsonb subscript must be coercible to either integer or text.",
                };
                return Err(error(sqlstate::DATATYPE_MISMATCH, message, place).hint(hint));
            }
        };
        self.coerce_type(bound, TypeRef::of(target), Coercion::IMPLICIT)
    }

    fn transform_subscript(&mut self, node: &Node) -> Result<Expr> {
        let bound = self.transform(node)?;
        let place = bound.location().0;
        let converted = self.coerce_to_target_type(bound, TypeRef::of(oid::INT4), Coercion::ASSIGNMENT)?;
        converted.ok_or_else(|| error(sqlstate::DATATYPE_MISMATCH, "array subscript must have type integer", place))
    }
}

impl ExprKind {
    /// What a part of a statement where no column may be is called.
    fn no_columns(self) -> Option<&'static str> {
        match self {
            ExprKind::ColumnDefault => Some("DEFAULT expression"),
            _ => None,
        }
    }
}
