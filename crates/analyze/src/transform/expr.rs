//! Expressions (`parse_expr.c`): raw trees to typed ones.
//!
//! Recursion: the raw tree's depth is known ([`syntax::RawStmt::depth`]), and the statement is analyzed on a stack for it.

use ::error::sqlstate;
use syntax::Constant;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Datum, Result, oid};

use super::coerce::Coercion;
use super::raw::strings;
use super::state::{ExprKind, ParseState, SetReturning};
use super::{error, required, unexpected, unsupported};
use crate::query::*;

impl ParseState<'_> {
    /// An expression in some part of a statement (`transformExpr`).
    pub fn transform_expr(&mut self, node: &Node, kind: ExprKind) -> Result<Expr> {
        let before = std::mem::replace(&mut self.expr_kind, kind);
        let expr = self.transform(node);
        self.expr_kind = before;
        expr
    }

    /// A condition (`transformWhereClause`); `what` is what messages call it.
    pub fn transform_boolean(&mut self, node: &Node, kind: ExprKind, what: &str) -> Result<Expr> {
        let expr = self.transform_expr(node, kind)?;
        self.coerce_to_boolean(expr, what)
    }

    /// `transformExprRecurse`.
    pub(crate) fn transform(&mut self, node: &Node) -> Result<Expr> {
        self.statement.count_expression()?;
        match node {
            Node::ColumnRef(e) => self.transform_column_ref(e),
            Node::ParamRef(e) => self.transform_param_ref(e),
            Node::A_Const(e) => constant(&e.val, e.location),
            Node::A_Indirection(e) => self.transform_indirection(e),
            Node::A_ArrayExpr(e) => self.transform_array(e, None),
            Node::TypeCast(e) => self.transform_type_cast(e),
            Node::CollateClause(e) => self.transform_collate(e),
            Node::A_Expr(e) => self.transform_a_expr(e),
            Node::BoolExpr(e) => self.transform_bool_expr(e),
            Node::FuncCall(e) => self.transform_func_call(e),
            Node::GroupingFunc(e) => self.transform_grouping_func(e),
            Node::SubLink(e) => self.transform_sublink(e),
            Node::CaseExpr(e) => self.transform_case(e),
            Node::RowExpr(e) => self.transform_row(e),
            Node::CoalesceExpr(e) => {
                let before = self.set_returning;
                let arguments = self.transform_all(&e.args)?;
                let (ty, arguments) = self.coerce_all(arguments, "COALESCE")?;
                self.no_sets_since(before, "COALESCE")?;
                Ok(Expr::Coalesce(CoalesceExpr { ty, arguments, location: Location(e.location) }))
            }
            Node::MinMaxExpr(e) => {
                let greatest = e.op == raw::MinMaxOp::IS_GREATEST;
                let arguments = self.transform_all(&e.args)?;
                let (ty, arguments) = self.coerce_all(arguments, if greatest { "GREATEST" } else { "LEAST" })?;
                let (collation, location) = (oid::INVALID, Location(e.location));
                Ok(Expr::MinMax(MinMaxExpr { greatest, ty, collation, arguments, location }))
            }
            Node::NullTest(e) => self.transform_null_test(e),
            Node::BooleanTest(e) => self.transform_boolean_test(e),
            Node::SQLValueFunction(e) => sql_value(e),
            Node::SetToDefault(e) => {
                Err(error(sqlstate::SYNTAX_ERROR, "DEFAULT is not allowed in this context", e.location))
            }
            Node::CurrentOfExpr(_) => Err(unsupported("WHERE CURRENT OF", -1)),
            Node::NamedArgExpr(e) => self.transform(required(&e.arg)?),
            Node::MergeSupportFunc(e) => self.transform_merge_action_call(e.location),
            other => Err(unsupported(kind_name(other), super::raw::location(other))),
        }
    }

    pub(crate) fn transform_all(&mut self, nodes: &[Node]) -> Result<Vec<Expr>> {
        nodes.iter().map(|node| self.transform(node)).collect()
    }

    /// `transformParamRef`.
    fn transform_param_ref(&mut self, param: &raw::ParamRef) -> Result<Expr> {
        let ty = self.statement.parameters.of(param.number, param.location)?;
        let number = param.number as u32;
        let location = Location(param.location);
        Ok(Expr::Param(Param { kind: ParamKind::External, number, ty: TypeRef::of(ty), location }))
    }

    /// `ARRAY[…]` (`transformArrayExpr`); `wanted` is the array type of a cast around.
    fn transform_array(&mut self, e: &raw::A_ArrayExpr, wanted: Option<TypeRef>) -> Result<Expr> {
        let mut elements = Vec::with_capacity(e.elements.len());
        let mut multidimensional = false;
        for node in &e.elements {
            let element = match node {
                // The elements of an inner ARRAY are of the same type, so the cast around is theirs too.
                Node::A_ArrayExpr(inner) => {
                    self.statement.count_expression()?;
                    multidimensional = true;
                    self.transform_array(inner, wanted)?
                }
                node => self.transform(node)?,
            };
            let ty = element.ty().oid;
            let vector = matches!(ty, oid::INT2VECTOR | oid::OIDVECTOR);
            multidimensional |= !vector && self.element_type(ty).is_some();
            elements.push(element);
        }
        match wanted {
            Some(array) => self.make_array_of(elements, multidimensional, array, e.location),
            None => self.make_array(elements, multidimensional, e.location),
        }
    }

    /// An array of the type that a cast says: its elements are cast.
    fn make_array_of(
        &mut self,
        elements: Vec<Expr>,
        multidimensional: bool,
        array: TypeRef,
        place: i32,
    ) -> Result<Expr> {
        let element = self.element_type(array.oid).ok_or_else(unexpected)?;
        let target = TypeRef { oid: if multidimensional { array.oid } else { element }, typmod: array.typmod };
        let mut cast = Vec::with_capacity(elements.len());
        for value in elements {
            let (source, at) = (value.ty().oid, value.location().0);
            let how = Coercion::explicit(CoercionForm::ExplicitCast, Location::NONE);
            let converted = self.coerce_to_target_type(value, target, how)?;
            cast.push(converted.ok_or_else(|| {
                let (from, to) = (self.type_text(source), self.type_text(target.oid));
                error(sqlstate::CANNOT_COERCE, format!("cannot cast type {from} to {to}"), at)
            })?);
        }
        Ok(array_expr(array.oid, element, target.oid, cast, multidimensional, place))
    }

    /// An array of the type that its elements have in common.
    fn make_array(&mut self, elements: Vec<Expr>, multidimensional: bool, place: i32) -> Result<Expr> {
        if elements.is_empty() {
            let hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[].";
            return Err(
                error(sqlstate::INDETERMINATE_DATATYPE, "cannot determine type of empty array", place).hint(hint)
            );
        }
        let common = self.common_type(&elements.iter().collect::<Vec<_>>(), "ARRAY")?.oid;
        let missing = |what: &str| {
            let message = format!("could not find {what} type for data type {}", self.type_text(common));
            error(sqlstate::UNDEFINED_OBJECT, message, place)
        };
        let (array, element) = match multidimensional {
            true => (common, self.element_type(common).ok_or_else(|| missing("element"))?),
            false => (self.array_type(common).ok_or_else(|| missing("array"))?, common),
        };
        let coerced = elements.into_iter().map(|value| self.coerce_to_common(value, TypeRef::of(common), "ARRAY"));
        let coerced = coerced.collect::<Result<_>>()?;
        Ok(array_expr(array, element, common, coerced, multidimensional, place))
    }

    /// `transformTypeCast`.
    fn transform_type_cast(&mut self, e: &raw::TypeCast) -> Result<Expr> {
        let name = required(&e.type_name)?;
        let target = self.type_name(name)?;
        let argument = required(&e.arg)?;
        let base = self.catalog().base_type(target.oid);
        let value = match argument {
            Node::A_ArrayExpr(array)
                if self.element_type(base).is_some() && (!self.statement.stored || array.elements.is_empty()) =>
            {
                self.transform_array(array, Some(TypeRef { oid: base, typmod: target.typmod }))?
            }
            argument => self.transform(argument)?,
        };
        let (source, at) = (value.ty().oid, value.location().0);
        let place = if e.location < 0 { name.location } else { e.location };
        let how = Coercion::explicit(CoercionForm::ExplicitCast, Location(place));
        let cast = self.coerce_to_target_type(value, target, how)?;
        cast.ok_or_else(|| {
            let (from, to) = (self.type_text(source), self.type_text(target.oid));
            error(
                sqlstate::CANNOT_COERCE,
                format!("cannot cast type {from} to {to}"),
                if place < 0 { at } else { place },
            )
        })
    }

    /// `transformCollateClause`: the collations that are bytes' order, which is every value's here. What they tell apart are letters.
    fn transform_collate(&mut self, e: &raw::CollateClause) -> Result<Expr> {
        let value = self.transform(required(&e.arg)?)?;
        let collation = self.named_collation(e, value.ty().oid)?;
        let (result, form) = (value.ty(), CoercionForm::ExplicitCast);
        let (collation, location) = (Some(collation), Location(e.location));
        Ok(Expr::RelabelType(Box::new(RelabelType { argument: value, result, collation, form, location })))
    }

    /// The collation that COLLATE names, for values of a type.
    pub(super) fn named_collation(&self, e: &raw::CollateClause, ty: types::Oid) -> Result<types::Oid> {
        let names = strings(&e.collname);
        if ty != oid::UNKNOWN && !self.is_collatable(ty) {
            let message = format!("collations are not supported by type {}", self.type_text(ty));
            return Err(error(sqlstate::DATATYPE_MISMATCH, message, e.location));
        }
        let name = self.qualified_name(&names, e.location)?;
        match self.catalog().collation_by_name(name).map_err(|e_| super::placed(e_, e.location))? {
            Some(found) if found.oid == catalog::DEFAULT_COLLATION || catalog::is_c(found.oid) => Ok(found.oid),
            Some(_) => Err(unsupported(format!("collation \"{name}\""), e.location)),
            None => {
                let message = format!("collation \"{name}\" for encoding \"UTF8\" does not exist");
                Err(error(sqlstate::UNDEFINED_OBJECT, message, e.location))
            }
        }
    }

    /// Fails if a set-returning function has been seen since.
    pub(crate) fn no_sets_since(&self, before: SetReturning, what: &str) -> Result<()> {
        if self.set_returning.count == before.count {
            return Ok(());
        }
        let message = format!("set-returning functions are not allowed in {what}");
        Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, self.set_returning.location)
            .hint("You might be able to move the set-returning function into a LATERAL FROM item."))
    }

    /// Operators and what the grammar writes as operators.
    fn transform_a_expr(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        use raw::A_Expr_Kind::*;
        match e.kind {
            AEXPR_OP => self.transform_operator(e),
            AEXPR_OP_ANY => self.transform_op_any(e, true),
            AEXPR_OP_ALL => self.transform_op_any(e, false),
            AEXPR_DISTINCT | AEXPR_NOT_DISTINCT => self.transform_distinct(e),
            AEXPR_NULLIF => self.transform_nullif(e),
            AEXPR_IN => self.transform_in(e),
            // The names of the operators are in the tree: ~~, ~~*, and for SIMILAR ~ with a function's result.
            AEXPR_LIKE | AEXPR_ILIKE | AEXPR_SIMILAR => self.transform_operator(e),
            AEXPR_BETWEEN | AEXPR_NOT_BETWEEN | AEXPR_BETWEEN_SYM | AEXPR_NOT_BETWEEN_SYM => self.transform_between(e),
        }
    }

    /// `transformAExprOp`.
    fn transform_operator(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        let right = required(&e.rexpr)?;
        let name = strings(&e.name);
        match (&e.lexpr, right) {
            // Comparing rows, and a row with a query's only row.
            (Some(Node::RowExpr(_)), Node::SubLink(link)) if link.sub_link_type == raw::SubLinkType::EXPR_SUBLINK => {
                let link = raw::SubLink {
                    sub_link_type: raw::SubLinkType::ROWCOMPARE_SUBLINK,
                    testexpr: e.lexpr.clone(),
                    oper_name: e.name.clone(),
                    location: e.location,
                    ..(**link).clone()
                };
                self.transform_sublink(&link)
            }
            (Some(Node::RowExpr(left)), Node::RowExpr(right)) => {
                let left = self.transform_row_fields(left)?;
                let right = self.transform_row_fields(right)?;
                self.compare_rows(&name, left, right, e.location)
            }
            (left, right) => {
                let left = left.as_ref().map(|left| self.transform(left)).transpose()?;
                let right = self.transform(right)?;
                self.make_operator(&name, left, right, e.location)
            }
        }
    }

    /// `a = ANY (array)`.
    fn transform_op_any(&mut self, e: &raw::A_Expr, any: bool) -> Result<Expr> {
        let scalar = self.transform(required(&e.lexpr)?)?;
        let array = self.transform(required(&e.rexpr)?)?;
        self.make_scalar_array_operator(&strings(&e.name), any, scalar, array, e.location)
    }

    /// `IS [NOT] DISTINCT FROM`.
    fn transform_distinct(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        let (left, right) = (required(&e.lexpr)?, required(&e.rexpr)?);
        let not = e.kind == raw::A_Expr_Kind::AEXPR_NOT_DISTINCT;
        // Compared with NULL it is a test for it.
        for (side, other) in [(left, right), (right, left)] {
            if let Node::A_Const(constant) = side
                && constant.val == Constant::Null
            {
                let argument = self.transform(other)?;
                let test = NullTest { row: false, argument, is_null: not, location: Location(e.location) };
                return Ok(Expr::NullTest(Box::new(test)));
            }
        }
        let result = match (left, right) {
            (Node::RowExpr(left), Node::RowExpr(right)) => {
                let left = self.transform_row_fields(left)?;
                let right = self.transform_row_fields(right)?;
                self.distinct_rows(left, right, e.location)?
            }
            _ => {
                let (left, right) = (self.transform(left)?, self.transform(right)?);
                self.make_distinct(&strings(&e.name), left, right, e.location)?
            }
        };
        Ok(if not { negated(result, Location(e.location)) } else { result })
    }

    fn transform_nullif(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        let left = self.transform(required(&e.lexpr)?)?;
        let right = self.transform(required(&e.rexpr)?)?;
        let Expr::OpExpr(equal) = self.make_operator(&strings(&e.name), Some(left), right, e.location)? else {
            return Err(unexpected());
        };
        if equal.result != oid::BOOL {
            return Err(error(sqlstate::DATATYPE_MISMATCH, "NULLIF requires = operator to yield boolean", e.location));
        }
        Ok(Expr::NullIfExpr(equal))
    }

    /// `a IN (1, 2, b)` (`transformAExprIn`): constants of one type become an array, what varies is compared one by one.
    fn transform_in(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        let name = strings(&e.name);
        let or = name != ["<>"];
        let left = self.transform(required(&e.lexpr)?)?;
        let Some(Node::List(list)) = &e.rexpr else { return Err(unexpected()) };
        let mut values = Vec::with_capacity(list.len());
        for node in list {
            values.push(self.transform(node)?);
        }
        let varies = |value: &Expr| super::level::column_of_level(value, 0).is_some();
        let mut tests = Vec::new();
        if values.iter().filter(|value| !varies(value)).count() > 1
            && let Some((common, array)) = self.array_of_in(&left, values.iter().filter(|value| !varies(value)))
        {
            let (constants, others) = values.into_iter().partition(|value| !varies(value));
            values = others;
            let constants: Vec<Expr> = constants;
            let coerce = |value| self.coerce_to_common(value, TypeRef::of(common), "IN");
            let elements = constants.into_iter().map(coerce).collect::<Result<_>>()?;
            let array = array_expr(array, common, common, elements, false, -1);
            tests.push(self.make_scalar_array_operator(&name, or, left.clone(), array, e.location)?);
        }
        for value in values {
            let test = match (&left, value) {
                (Expr::Row(row), Expr::Row(value)) => {
                    self.compare_rows(&name, row.fields.clone(), value.fields, e.location)?
                }
                (left, value) => self.make_operator(&name, Some(left.clone()), value, e.location)?,
            };
            tests.push(self.coerce_to_boolean(test, "IN")?);
        }
        let operator = if or { BoolOperator::Or } else { BoolOperator::And };
        Ok(joined(operator, tests, Location(e.location)))
    }

    /// The type that the values of IN and its left side have in common, and the array of it, if that will do.
    fn array_of_in<'e>(
        &self,
        left: &'e Expr,
        values: impl Iterator<Item = &'e Expr>,
    ) -> Option<(types::Oid, types::Oid)> {
        // The left side takes part, so that `1.5 IN (1, 2)` compares numerics.
        let all: Vec<&Expr> = std::iter::once(left).chain(values).collect();
        let common = self.common_type_or_none(&all).filter(|ty| *ty != oid::RECORD)?;
        Some((common, self.array_type(common)?))
    }

    /// `transformAExprBetween`.
    fn transform_between(&mut self, e: &raw::A_Expr) -> Result<Expr> {
        use raw::A_Expr_Kind::*;
        let Some(Node::List(bounds)) = &e.rexpr else { return Err(unexpected()) };
        let [low, high] = &bounds[..] else { return Err(unexpected()) };
        let value = required(&e.lexpr)?;
        let not = matches!(e.kind, AEXPR_NOT_BETWEEN | AEXPR_NOT_BETWEEN_SYM);
        let mut between = |low: &Node, high: &Node| {
            let (first, second, operator) =
                if not { ("<", ">", BoolOperator::Or) } else { (">=", "<=", BoolOperator::And) };
            let mut compare = |name: &str, bound: &Node| {
                let (value, bound) = (self.transform(value)?, self.transform(bound)?);
                match (value, bound) {
                    (Expr::Row(value), Expr::Row(bound)) => {
                        self.compare_rows(&[name], value.fields, bound.fields, e.location)
                    }
                    (value, bound) => self.make_operator(&[name], Some(value), bound, e.location),
                }
            };
            let tests = vec![compare(first, low)?, compare(second, high)?];
            Ok::<Expr, types::Error>(joined(operator, tests, Location(e.location)))
        };
        if matches!(e.kind, AEXPR_BETWEEN | AEXPR_NOT_BETWEEN) {
            return between(low, high);
        }
        let both = vec![between(low, high)?, between(high, low)?];
        let operator = if not { BoolOperator::And } else { BoolOperator::Or };
        Ok(joined(operator, both, Location(e.location)))
    }

    fn transform_bool_expr(&mut self, e: &raw::BoolExpr) -> Result<Expr> {
        let (operator, name) = match e.boolop {
            raw::BoolExprType::AND_EXPR => (BoolOperator::And, "AND"),
            raw::BoolExprType::OR_EXPR => (BoolOperator::Or, "OR"),
            raw::BoolExprType::NOT_EXPR => (BoolOperator::Not, "NOT"),
        };
        let mut arguments = Vec::with_capacity(e.args.len());
        for node in &e.args {
            let argument = self.transform(node)?;
            arguments.push(self.coerce_to_boolean(argument, name)?);
        }
        Ok(Expr::BoolExpr(BoolExpr { operator, arguments, location: Location(e.location) }))
    }

    /// `transformCaseExpr`.
    fn transform_case(&mut self, e: &raw::CaseExpr) -> Result<Expr> {
        let before = self.set_returning;
        let argument = match &e.arg {
            Some(node) => {
                let value = self.transform(node)?;
                // An unknown literal is a text here, as nothing else says what it is.
                let mut value = value;
                self.resolve_unknown(&mut value)?;
                Some(value)
            }
            None => None,
        };
        let (mut conditions, mut results) = (Vec::new(), Vec::new());
        for node in &e.args {
            let Node::CaseWhen(when) = node else { return Err(unexpected()) };
            let test = required(&when.expr)?;
            let condition = match &argument {
                Some(argument) => {
                    let value = self.transform(test)?;
                    self.make_operator(&["="], Some(Expr::CaseTest(argument.ty())), value, when.location)?
                }
                None => self.transform(test)?,
            };
            conditions.push(self.coerce_to_boolean(condition, "CASE/WHEN")?);
            results.push(self.transform(required(&when.result)?)?);
        }
        // ELSE decides first which type it is, as in PostgreSQL.
        let otherwise = match &e.defresult {
            Some(node) => self.transform(node)?,
            None => null(Location::NONE),
        };
        let mut all = vec![otherwise];
        all.extend(results);
        let (result, mut all) = self.coerce_case(all)?;
        self.no_sets_since(before, "CASE")?;
        let otherwise = all.remove(0);
        let when = conditions.into_iter().zip(all).map(|(condition, result)| CaseWhen { condition, result }).collect();
        let otherwise = Some(otherwise);
        Ok(Expr::Case(Box::new(CaseExpr { result, argument, when, otherwise, location: Location(e.location) })))
    }

    fn transform_row_fields(&mut self, e: &raw::RowExpr) -> Result<Vec<Expr>> {
        self.transform_expression_list(&e.args, self.expr_kind)
    }

    fn transform_row(&mut self, e: &raw::RowExpr) -> Result<Expr> {
        let fields = self.transform_row_fields(e)?;
        // Columns of rows are as many as a table's.
        if fields.len() > 1664 {
            return Err(error(sqlstate::TOO_MANY_COLUMNS, "ROW expressions can have at most 1664 entries", e.location));
        }
        let names = (1..=fields.len()).map(|number| format!("f{number}")).collect();
        Ok(Expr::Row(RowExpr { fields, ty: oid::RECORD, names, location: Location(e.location) }))
    }

    fn transform_null_test(&mut self, e: &raw::NullTest) -> Result<Expr> {
        let argument = self.transform(required(&e.arg)?)?;
        let row = self.is_row_type(argument.ty().oid);
        let is_null = e.nulltesttype == raw::NullTestType::IS_NULL;
        Ok(Expr::NullTest(Box::new(NullTest { argument, is_null, row, location: Location(e.location) })))
    }

    fn transform_boolean_test(&mut self, e: &raw::BooleanTest) -> Result<Expr> {
        use raw::BoolTestType::*;
        let (kind, name) = match e.booltesttype {
            IS_TRUE => (BooleanTestKind::IsTrue, "IS TRUE"),
            IS_NOT_TRUE => (BooleanTestKind::IsNotTrue, "IS NOT TRUE"),
            IS_FALSE => (BooleanTestKind::IsFalse, "IS FALSE"),
            IS_NOT_FALSE => (BooleanTestKind::IsNotFalse, "IS NOT FALSE"),
            IS_UNKNOWN => (BooleanTestKind::IsUnknown, "IS UNKNOWN"),
            IS_NOT_UNKNOWN => (BooleanTestKind::IsNotUnknown, "IS NOT UNKNOWN"),
        };
        let argument = self.transform(required(&e.arg)?)?;
        let argument = self.coerce_to_boolean(argument, name)?;
        Ok(Expr::BooleanTest(Box::new(BooleanTest { argument, kind, location: Location(e.location) })))
    }
}

/// The value of a literal (`make_const`).
fn constant(value: &Constant, place: i32) -> Result<Expr> {
    let (ty, value) = match value {
        Constant::Null => (oid::UNKNOWN, Datum::Null),
        Constant::Integer(number) => (oid::INT4, Datum::I32(*number)),
        Constant::Boolean(value) => (oid::BOOL, Datum::Bool(*value)),
        Constant::String(text) => (oid::UNKNOWN, Datum::text(&**text)),
        Constant::Float(text) => super::typmod::number(text).map_err(|e| super::placed(e, place))?,
        Constant::BitString(_) => return Err(unsupported("type bit", place)),
    };
    Ok(Expr::Const(Const { ty: TypeRef::of(ty), value, location: Location(place) }))
}

/// What SQL writes without parentheses (`transformSQLValueFunction`).
fn sql_value(e: &raw::SQLValueFunction) -> Result<Expr> {
    use raw::SQLValueFunctionOp::*;
    let (value, ty) = match e.op {
        SVFOP_CURRENT_DATE => (SqlValue::CurrentDate, oid::DATE),
        SVFOP_CURRENT_TIME | SVFOP_CURRENT_TIME_N => (SqlValue::CurrentTime, oid::TIMETZ),
        SVFOP_CURRENT_TIMESTAMP | SVFOP_CURRENT_TIMESTAMP_N => (SqlValue::CurrentTimestamp, oid::TIMESTAMPTZ),
        SVFOP_LOCALTIME | SVFOP_LOCALTIME_N => (SqlValue::LocalTime, oid::TIME),
        SVFOP_LOCALTIMESTAMP | SVFOP_LOCALTIMESTAMP_N => (SqlValue::LocalTimestamp, oid::TIMESTAMP),
        SVFOP_CURRENT_ROLE => (SqlValue::CurrentRole, oid::NAME),
        SVFOP_CURRENT_USER => (SqlValue::CurrentUser, oid::NAME),
        SVFOP_USER => (SqlValue::User, oid::NAME),
        SVFOP_SESSION_USER => (SqlValue::SessionUser, oid::NAME),
        SVFOP_CURRENT_CATALOG => (SqlValue::CurrentCatalog, oid::NAME),
        SVFOP_CURRENT_SCHEMA => (SqlValue::CurrentSchema, oid::NAME),
    };
    let typmod = if e.typmod < 0 { -1 } else { super::typmod::time_precision(ty, e.typmod)? };
    Ok(Expr::SqlValue(SqlValueFunction { value, ty: TypeRef { oid: ty, typmod }, location: Location(e.location) }))
}

/// What is called what in refusals.
fn kind_name(node: &Node) -> &'static str {
    match node {
        Node::XmlExpr(_) | Node::XmlSerialize(_) => "XML",
        Node::JsonFuncExpr(_) | Node::JsonObjectConstructor(_) | Node::JsonArrayConstructor(_) => "SQL/JSON",
        Node::JsonArrayQueryConstructor(_) | Node::JsonObjectAgg(_) | Node::JsonArrayAgg(_) => "SQL/JSON",
        Node::JsonParseExpr(_) | Node::JsonScalarExpr(_) | Node::JsonSerializeExpr(_) => "SQL/JSON",
        Node::JsonIsPredicate(_) => "IS JSON",
        _ => "this expression",
    }
}

fn array_expr(
    array: types::Oid,
    element: types::Oid,
    common: types::Oid,
    elements: Vec<Expr>,
    multidimensional: bool,
    place: i32,
) -> Expr {
    let typmods: Vec<_> = elements.iter().map(|e| (e.ty().oid, e.ty().typmod)).collect();
    let array = TypeRef { oid: array, typmod: crate::parse_coerce::select_common_typmod(common, &typmods) };
    Expr::Array(ArrayExpr { array, element, elements, multidimensional, location: Location(place) })
}

pub fn null(location: Location) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(oid::UNKNOWN), value: Datum::Null, location })
}

pub fn negated(argument: Expr, location: Location) -> Expr {
    Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments: vec![argument], location })
}

/// An AND or OR of conditions; the only one alone.
pub fn joined(operator: BoolOperator, mut arguments: Vec<Expr>, location: Location) -> Expr {
    if arguments.len() == 1 {
        return arguments.remove(0);
    }
    Expr::BoolExpr(BoolExpr { operator, arguments, location })
}
