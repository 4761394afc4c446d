//! What a node of an expression says of the nodes right below it: arguments have the declared types, results those that the
//! declaration gives for these arguments, constants lie as their types do.

use catalog::catalogs::PgProc;
use catalog::{Catalog, INDETERMINATE_COLLATION};
use types::{Datum, Oid, Repr, oid};

use super::{Checked, holds};
use crate::polymorphic::{coerced_type, enforce_generic_type_consistency};
use crate::query::*;

/// Fails where a node does not fit the nodes right below it.
pub fn node(catalog: Catalog<'_>, expr: &Expr) -> Checked {
    match expr {
        Expr::Const(e) => constant(catalog, e),
        Expr::Aggref(e) => aggregate(catalog, e),
        Expr::WindowFunc(e) => window_function(catalog, e),
        Expr::GroupingFunc(e) => holds(e.arguments.len() == e.references.len(), || "a GROUPING without references"),
        Expr::SubscriptingRef(e) => subscripts(catalog, e),
        Expr::FuncExpr(e) => function(catalog, e),
        Expr::OpExpr(e) => operator_call(catalog, e),
        Expr::DistinctExpr(e) | Expr::NullIfExpr(e) => {
            operator_call(catalog, e)?;
            holds(e.arguments.len() == 2 && e.result == oid::BOOL, || "what compares is no comparison")
        }
        Expr::ScalarArrayOpExpr(e) => array_comparison(catalog, e),
        Expr::BoolExpr(e) => {
            let arguments = if e.operator == BoolOperator::Not { 1..=1 } else { 1..=usize::MAX };
            holds(arguments.contains(&e.arguments.len()), || {
                format!("{:?} of {} arguments", e.operator, e.arguments.len())
            })?;
            e.arguments.iter().try_for_each(|argument| boolean(argument, "an argument of AND, OR or NOT"))
        }
        Expr::SubLink(e) => sublink(catalog, e),
        Expr::SubPlan(e) => sub_plan(e),
        Expr::FieldSelect(e) => field(catalog, e),
        Expr::FieldStore(e) => field_store(catalog, e),
        Expr::RelabelType(e) => relabel(catalog, e),
        Expr::ArrayCoerce(e) => array_coercion(catalog, e),
        Expr::Case(e) => case(e),
        Expr::Array(e) => array(catalog, e),
        Expr::Row(e) => row(catalog, e),
        Expr::RowCompare(e) => row_comparison(catalog, e),
        Expr::Coalesce(e) => all_of_type(&e.arguments, e.ty.oid, "COALESCE"),
        Expr::MinMax(e) => all_of_type(&e.arguments, e.ty.oid, "GREATEST or LEAST"),
        Expr::BooleanTest(e) => boolean(&e.argument, "what IS TRUE asks"),
        Expr::Var(_) | Expr::Param(_) | Expr::CoerceViaIo(_) | Expr::CaseTest(_) | Expr::SetToDefault(_) => Ok(()),
        Expr::SqlValue(_) | Expr::NullTest(_) | Expr::NextValue { .. } | Expr::MergeAction => Ok(()),
    }
}

pub(super) fn boolean(expr: &Expr, what: &str) -> Checked {
    of_type(expr, oid::BOOL, what)
}

pub(super) fn of_type(expr: &Expr, ty: Oid, what: &str) -> Checked {
    holds(expr.ty().oid == ty, || format!("{what} is of type {}, not {ty}", expr.ty().oid))
}

fn all_of_type(exprs: &[Expr], ty: Oid, what: &str) -> Checked {
    holds(!exprs.is_empty(), || format!("{what} of nothing"))?;
    exprs.iter().try_for_each(|expr| of_type(expr, ty, what))
}

fn types(exprs: &[Expr]) -> Vec<Oid> {
    exprs.iter().map(|expr| expr.ty().oid).collect()
}

fn constant(catalog: Catalog<'_>, constant: &Const) -> Checked {
    if constant.value.is_null() {
        return Ok(());
    }
    let (base, typmod) = catalog.base_type_and_typmod(constant.ty.oid, constant.ty.typmod);
    let repr = Repr::of(catalog.value_type(base), typmod);
    let fits = repr.is_some_and(|repr| lies_as(&constant.value, repr));
    holds(fits, || format!("{:?} is no value of type {}", constant.value, constant.ty.oid))
}

fn lies_as(value: &Datum, repr: Repr) -> bool {
    match repr {
        Repr::Bool => matches!(value, Datum::Bool(_)),
        Repr::Char => matches!(value, Datum::U8(_)),
        Repr::Int2 => matches!(value, Datum::I16(_)),
        Repr::Int4 | Repr::Date => matches!(value, Datum::I32(_)),
        Repr::Int8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => matches!(value, Datum::I64(_)),
        Repr::Oid => matches!(value, Datum::U32(_)),
        Repr::Xid8 => matches!(value, Datum::U64(_)),
        Repr::Float4 => matches!(value, Datum::F32(_)),
        Repr::Float8 => matches!(value, Datum::F64(_)),
        // Functions give `numeric` values whatever the modifier; columns have decimals.
        Repr::Decimal { .. } => matches!(value, Datum::I128(_) | Datum::Bytes(_)),
        Repr::Text | Repr::Bpchar => matches!(value, Datum::Text(_)),
        Repr::Numeric | Repr::Bytea | Repr::Uuid | Repr::TimeTz | Repr::Interval => matches!(value, Datum::Bytes(_)),
        Repr::Tid | Repr::Array | Repr::Record | Repr::Jsonb => matches!(value, Datum::Bytes(_)),
    }
}

/// What a function or an operator is declared to take and to give.
struct Declared<'d> {
    arguments: &'d [Oid],
    result: Oid,
    /// It takes any number of arguments of any type behind its others.
    any_more: bool,
    /// It came from a cast, which takes and gives what is of the declared type but for its name.
    cast: bool,
}

impl Declared<'_> {
    /// Fails where a call with arguments and a result of these types is none of it.
    fn called(&self, catalog: Catalog<'_>, actual: &[Oid], result: Oid) -> Checked {
        let count = self.arguments.len();
        holds(if self.any_more { actual.len() + 1 >= count } else { actual.len() == count }, || {
            format!("{} arguments where {count} are declared", actual.len())
        })?;
        let compared = count.min(actual.len());
        let mut wanted = self.arguments[..compared].to_vec();
        let actual = &actual[..compared];
        let found = enforce_generic_type_consistency(catalog, actual, &mut wanted, self.result);
        let found = found.map_err(|error| format!("{} ({actual:?} for {:?})", error.0.message, self.arguments))?;
        let same = |from: Oid, to: Oid| from == to || self.cast && catalog.is_binary_coercible(from, to);
        let takes = |actual: Oid, declared: Oid| {
            same(actual, coerced_type(catalog, actual, declared)) || is_row_as_record(catalog, actual, declared)
        };
        let fits = actual.iter().zip(&wanted).all(|(&actual, &declared)| takes(actual, declared));
        holds(fits, || format!("arguments of types {actual:?} where {wanted:?} are declared"))?;
        holds(same(found, result), || format!("a result of type {result} where {found} is declared"))
    }
}

/// A row of a known type is a record as it is.
fn is_row_as_record(catalog: Catalog<'_>, actual: Oid, declared: Oid) -> bool {
    match declared {
        oid::RECORD => catalog.is_complex(actual),
        oid::RECORDARRAY => catalog.is_complex_array(actual),
        _ => false,
    }
}

fn row_of_function<'a>(catalog: Catalog<'a>, function: Oid) -> std::result::Result<&'a PgProc, String> {
    catalog.function(function).ok_or_else(|| format!("no function {function}"))
}

fn called(catalog: Catalog<'_>, row: &PgProc, cast: bool, actual: &[Oid], result: Oid) -> Checked {
    let any_more = row.provariadic == oid::ANY;
    let declared = Declared { arguments: &row.proargtypes, result: row.prorettype, any_more, cast };
    declared.called(catalog, actual, result).map_err(|finding| format!("function {}: {finding}", row.proname))
}

fn function(catalog: Catalog<'_>, call: &FuncExpr) -> Checked {
    let row = row_of_function(catalog, call.function)?;
    holds(matches!(row.prokind, b'f' | b'p'), || format!("{} is called as a plain function", row.proname))?;
    holds(row.proretset == call.returns_set, || format!("whether {} returns a set", row.proname))?;
    let cast = matches!(call.form, CoercionForm::ExplicitCast | CoercionForm::ImplicitCast);
    called(catalog, row, cast, &types(&call.arguments), call.result.oid)
}

fn aggregate(catalog: Catalog<'_>, call: &Aggref) -> Checked {
    let row = row_of_function(catalog, call.function)?;
    holds(row.prokind == b'a', || format!("{} is no aggregate", row.proname))?;
    let arguments = call.arguments.get(..call.arguments_shown);
    let arguments = arguments.ok_or_else(|| format!("{} has not {} arguments", row.proname, call.arguments_shown))?;
    let sorted = call.order.iter().all(|order| order.argument < call.arguments.len());
    holds(sorted && call.order_written <= call.order.len(), || format!("the order of {}", row.proname))?;
    call.filter.iter().try_for_each(|filter| boolean(filter, "a FILTER"))?;
    let actual: Vec<Oid> = types(&call.direct_arguments).into_iter().chain(types(arguments)).collect();
    called(catalog, row, false, &actual, call.result.oid)
}

fn window_function(catalog: Catalog<'_>, call: &WindowFunc) -> Checked {
    let row = row_of_function(catalog, call.function)?;
    let kind = if call.aggregate { b'a' } else { b'w' };
    holds(row.prokind == kind, || format!("{} is called as a window function", row.proname))?;
    call.filter.iter().try_for_each(|filter| boolean(filter, "a FILTER"))?;
    called(catalog, row, false, &types(&call.arguments), call.result.oid)
}

/// Fails where an operator does not take operands of these types and give a result of this one.
pub fn operator(catalog: Catalog<'_>, operator: Oid, operands: &[Oid], result: Oid) -> Checked {
    let row = catalog.operator(operator).ok_or_else(|| format!("no operator {operator}"))?;
    let both = [row.oprleft, row.oprright];
    let arguments = if row.oprleft == oid::INVALID { &both[1..] } else { &both };
    let declared = Declared { arguments, result: row.oprresult, any_more: false, cast: false };
    declared.called(catalog, operands, result).map_err(|finding| format!("operator {}: {finding}", row.oprname))
}

/// Fails where an operator does not compare values of a type, which may be of the operator's type but for its name.
pub fn comparison(catalog: Catalog<'_>, operator: Oid, ty: Oid) -> Checked {
    let row = catalog.operator(operator).ok_or_else(|| format!("no operator {operator}"))?;
    let compares = row.oprresult == oid::BOOL
        && catalog.is_binary_coercible(ty, row.oprleft)
        && catalog.is_binary_coercible(ty, row.oprright);
    holds(compares, || format!("operator {operator} does not compare values of type {ty}"))
}

fn operator_call(catalog: Catalog<'_>, call: &OpExpr) -> Checked {
    // A comparison whose collation is not known fails, by what function the planner says.
    if call.collation != INDETERMINATE_COLLATION {
        is_function_of(catalog, call.operator, call.function)?;
    }
    operator(catalog, call.operator, &types(&call.arguments), call.result)
}

fn is_function_of(catalog: Catalog<'_>, operator: Oid, function: Oid) -> Checked {
    let called = catalog.operator(operator).map(|row| row.oprcode);
    holds(called == Some(function), || format!("operator {operator} does not call function {function}"))
}

fn array_comparison(catalog: Catalog<'_>, call: &ScalarArrayOpExpr) -> Checked {
    is_function_of(catalog, call.operator, call.function)?;
    let array = call.array.ty().oid;
    let element = catalog.base_element_type(array).ok_or_else(|| format!("type {array} is no array"))?;
    operator(catalog, call.operator, &[call.scalar.ty().oid, element], oid::BOOL)
}

fn row_comparison(catalog: Catalog<'_>, row: &RowCompareExpr) -> Checked {
    let columns = row.operators.len();
    let same = [row.left.len(), row.right.len(), row.collations.len()] == [columns; 3] && columns > 0;
    holds(same, || "rows of different lengths are compared")?;
    let mut pairs = row.operators.iter().zip(row.left.iter().zip(&row.right));
    pairs.try_for_each(|(&compares, (left, right))| {
        operator(catalog, compares, &[left.ty().oid, right.ty().oid], oid::BOOL)
    })
}

fn subscripts(catalog: Catalog<'_>, part: &SubscriptingRef) -> Checked {
    let array = catalog.base_type(part.array.ty().oid);
    let same = array == catalog.base_type(part.container) || is_vector_of(array, part.container);
    holds(same, || format!("type {} is subscripted as {}", part.array.ty().oid, part.container))?;
    holds(!part.upper.is_empty(), || "no subscript")?;
    holds(part.lower.is_empty() || part.lower.len() == part.upper.len(), || "bounds of different dimensions")?;
    let bounds = part.lower.iter().chain(&part.upper).flatten();
    bounds.into_iter().try_for_each(|bound| match (part.container, bound.ty().oid) {
        (oid::JSONB, oid::TEXT) => Ok(()),
        _ => of_type(bound, oid::INT4, "a subscript"),
    })?;
    let read = if part.lower.is_empty() { part.element } else { part.container };
    match &part.assigned {
        None => holds(part.result.oid == read, || format!("a part of type {read} is of type {}", part.result.oid)),
        Some(assigned) => {
            of_type(assigned, read, "what is assigned to a part")?;
            holds(part.result.oid == part.container, || "an assignment to a part gives another type")
        }
    }
}

/// Vectors are subscripted as the arrays that they look like (`transformContainerType`).
fn is_vector_of(vector: Oid, array: Oid) -> bool {
    matches!((vector, array), (oid::INT2VECTOR, oid::INT2_ARRAY) | (oid::OIDVECTOR, oid::OID_ARRAY))
}

fn sublink(catalog: Catalog<'_>, link: &SubLink) -> Checked {
    use SubLinkKind::*;
    let tested = matches!(link.kind, All | Any | RowCompare);
    holds(link.test.is_some() == tested, || format!("whether a sublink of kind {:?} has a test", link.kind))?;
    link.test.iter().try_for_each(|test| boolean(test, "the test of a sublink"))?;
    let columns: Vec<TypeRef> = link.query.visible_targets().map(|target| target.expr.ty()).collect();
    let wanted = match (link.kind, &columns[..]) {
        (Exists | All | Any | RowCompare, _) => oid::BOOL,
        (MultiExpr, _) => oid::RECORD,
        (Scalar, [only]) => only.oid,
        (Array, [only]) => array_of(catalog, only.oid),
        _ => return Err(format!("a sublink of kind {:?} of {} columns", link.kind, columns.len())),
    };
    holds(link.result.oid == wanted, || format!("a sublink is of type {}, not {wanted}", link.result.oid))
}

/// The array that values of a type make: of arrays it is one of more dimensions.
fn array_of(catalog: Catalog<'_>, ty: Oid) -> Oid {
    catalog.array_type(ty).unwrap_or(ty)
}

fn sub_plan(plan: &SubPlan) -> Checked {
    plan.test.iter().try_for_each(|test| boolean(test, "the test of a subplan"))?;
    holds(plan.parameters.len() == plan.arguments.len(), || format!("{} has parameters without values", plan.name))?;
    holds(!plan.hashed || plan.test.is_some() && plan.parameters.is_empty(), || format!("{} is hashed", plan.name))
}

fn field(catalog: Catalog<'_>, select: &FieldSelect) -> Checked {
    let row = select.row.ty().oid;
    let Some(relation) = catalog.type_relation(row) else {
        return holds(row == oid::RECORD, || format!("a field of type {row}, which is no row"));
    };
    let column = catalog.attributes(relation).find(|column| column.attnum == select.field);
    let same = column.is_some_and(|column| column.attisdropped || column.atttypid == select.result.oid);
    holds(same, || format!("type {row} has no field {} of type {}", select.field, select.result.oid))
}

fn field_store(catalog: Catalog<'_>, store: &FieldStore) -> Checked {
    of_type(&store.row, store.result.oid, "what a field is stored into")?;
    let relation = catalog.type_relation(store.result.oid);
    let relation = relation.ok_or_else(|| format!("a field of type {}, which is no row", store.result.oid))?;
    let column = catalog.attributes(relation).find(|column| column.attnum == store.field && !column.attisdropped);
    let column = column.ok_or_else(|| format!("type {} has no field {}", store.result.oid, store.field))?;
    of_type(&store.value, column.atttypid, "a field")
}

fn relabel(catalog: Catalog<'_>, label: &RelabelType) -> Checked {
    let (from, to) = (label.argument.ty().oid, label.result.oid);
    let lies = |ty: Oid| Repr::of(catalog.value_type(ty), -1).map(Repr::arrow);
    let same = catalog.base_type(from) == catalog.base_type(to)
        || lies(from).is_some() && lies(from) == lies(to)
        || catalog.cast((from, to)).is_some_and(|cast| cast.castmethod == b'b');
    holds(same, || format!("values of type {from} are taken for values of type {to}"))
}

fn array_coercion(catalog: Catalog<'_>, cast: &ArrayCoerce) -> Checked {
    let from = cast.argument.ty().oid;
    holds(catalog.base_element_type(from).is_some(), || format!("type {from} has no elements"))?;
    let element = catalog.base_element_type(cast.result.oid);
    let element = element.ok_or_else(|| format!("type {} has no elements", cast.result.oid))?;
    of_type(&cast.element, element, "an element")
}

fn case(case: &CaseExpr) -> Checked {
    holds(!case.when.is_empty() && case.otherwise.is_some(), || "a CASE without WHEN or ELSE")?;
    case.when.iter().try_for_each(|when| boolean(&when.condition, "the condition of a WHEN"))?;
    let mut results = case.when.iter().map(|when| &when.result).chain(&case.otherwise);
    results.try_for_each(|result| of_type(result, case.result.oid, "the result of a CASE"))
}

fn array(catalog: Catalog<'_>, array: &ArrayExpr) -> Checked {
    let made = array_of(catalog, array.element);
    let same = array.array.oid == made || is_vector_of(array.array.oid, made) || array.element == oid::UNKNOWN;
    holds(same, || format!("elements of type {} make type {}, not {}", array.element, made, array.array.oid))?;
    let element = if array.multidimensional { array.array.oid } else { array.element };
    array.elements.iter().try_for_each(|each| of_type(each, element, "an element of an array"))
}

fn row(catalog: Catalog<'_>, row: &RowExpr) -> Checked {
    let Some(relation) = catalog.type_relation(row.ty) else {
        return holds(row.ty == oid::RECORD, || format!("a row of type {}, which is none", row.ty));
    };
    let columns = catalog.attributes(relation).filter(|column| column.attnum > 0);
    let mut columns: Vec<_> = columns.collect();
    columns.sort_by_key(|column| column.attnum);
    holds(row.fields.len() <= columns.len(), || format!("a row of {} fields", row.fields.len()))?;
    let mut fields = row.fields.iter().zip(columns).filter(|(_, column)| !column.attisdropped);
    fields.try_for_each(|(field, column)| of_type(field, column.atttypid, "a field of a row"))
}
