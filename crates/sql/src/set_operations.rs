//! The types of set operations' columns. The branches of a UNION get one type for each column, as the alternatives of a
//! CASE do; INTERSECT and EXCEPT are joins to DataFusion, whose result has the left side's types.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{JoinType, Result, ScalarValue};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::{Expr, ExprSchemable, Join, LogicalPlan, LogicalPlanBuilder, Union};
use engine::{EngineError, PgType};

use crate::errors::wrap;
use crate::exact;
use crate::numeric::NUMERIC;
use crate::output::type_oid;
use crate::semantics::{CHAR, VARCHAR, category, is_padded, literal_text, mixed, pg_cast, refused, to, typed_literal};
use crate::tables::TYPE_KEY;

/// A UNION whose columns have the types that its narrowed branches have.
pub fn union(union: Union) -> Result<LogicalPlan> {
    let Union { mut inputs, schema } = union;
    let mut columns: Vec<Vec<Expr>> =
        inputs.iter().map(|input| input.schema().iter().map(|f| Expr::Column(f.into())).collect()).collect();
    for index in 0..schema.fields().len() {
        let known: Vec<DataType> = inputs
            .iter()
            .filter(|input| !constant_text(input, index))
            .map(|input| input.schema().field(index).data_type().clone())
            .filter(|ty| *ty != DataType::Null)
            .collect();
        let Some(first) = known.first() else { continue };
        if let Some(other) = known.iter().find(|ty| !is_alike(first, ty)) {
            if category(first) == 'A' && category(other) == 'A' {
                return Err(refused("a UNION of arrays of different types", "Cast them to one type."));
            }
            let (a, b) = (crate::output::type_name(first), crate::output::type_name(other));
            return Err(wrap(EngineError::new("42804", format!("UNION types {a} and {b} cannot be matched"))));
        }
        if category(first) != 'S' {
            inputs.iter_mut().try_for_each(|input| read_constant(input, index, first))?;
        }
        let change = Change::of(&known, &inputs, index)?;
        for (columns, input) in columns.iter_mut().zip(&inputs) {
            let name = input.schema().field(index).name().clone();
            let column = columns[index].clone();
            if let Some(changed) = change.made(column, input, first)? {
                columns[index] = changed.alias(name);
            }
        }
    }
    let inputs = inputs.into_iter().zip(columns).map(|(input, columns)| {
        if columns.iter().all(|column| matches!(column, Expr::Column(_))) {
            return Ok(input);
        }
        LogicalPlanBuilder::from(Arc::unwrap_or_clone(input)).project(columns)?.build().map(Arc::new)
    });
    Ok(LogicalPlan::Union(Union::try_new_with_loose_types(inputs.collect::<Result<_>>()?)?))
}

/// Do the types have a common one? Arrays are not converted by their elements.
fn is_alike(a: &DataType, b: &DataType) -> bool {
    let named = matches!(category(a), 'A' | 'U');
    category(a) == category(b) && (!named || type_oid(a) == type_oid(b))
}

/// A constant in quotes is read as a value of the type that the other branches have.
fn read_constant(input: &mut Arc<LogicalPlan>, index: usize, ty: &DataType) -> Result<()> {
    let LogicalPlan::Projection(projection) = &**input else { return Ok(()) };
    if !constant_text(input, index) {
        return Ok(());
    }
    let mut exprs = projection.expr.clone();
    let name = projection.schema.field(index).name().clone();
    exprs[index] = typed_literal(exprs[index].clone().unalias(), ty)?.alias(name);
    *input = Arc::new(LogicalPlanBuilder::from((*projection.input).clone()).project(exprs)?.build()?);
    Ok(())
}

/// What is to be done with a column of each branch.
enum Change {
    Nothing,
    /// Texts of several types are of the first one, without char(n)'s padding.
    Text(PgType),
    /// Numbers that show different numbers of digits.
    Numeric,
    Float(DataType),
    /// To the greatest integers, or to the timestamps among dates.
    To(DataType),
}

impl Change {
    fn of(known: &[DataType], inputs: &[Arc<LogicalPlan>], index: usize) -> Result<Change> {
        let types: Vec<&DataType> = known.iter().collect();
        let differ = known.iter().any(|ty| *ty != known[0]);
        let same = |ty: DataType| if known.contains(&ty) { Some(ty) } else { None };
        Ok(match category(&known[0]) {
            'S' => {
                let typed = inputs.iter().filter(|input| !constant_text(input, index));
                let tags: Vec<_> = typed.map(|input| input.schema().field(index).metadata().get(TYPE_KEY)).collect();
                let first = tags.first().copied().flatten();
                if tags.len() == inputs.len() && tags.iter().all(|tag| *tag == first) {
                    return Ok(Change::Nothing);
                }
                match first {
                    Some(tag) if tag.starts_with(CHAR) => {
                        return Err(refused("a UNION of char(n) values and others", "Cast them to text."));
                    }
                    Some(tag) if tag.starts_with(VARCHAR) => Change::Text(PgType::Varchar(None)),
                    _ => Change::Text(PgType::Text),
                }
            }
            'N' if known.iter().any(DataType::is_floating) => {
                Change::Float(same(DataType::Float64).unwrap_or(DataType::Float32))
            }
            'N' if mixed(&types) => Change::Numeric,
            'N' if differ && known.iter().all(DataType::is_integer) => {
                Change::To(same(DataType::Int64).unwrap_or(DataType::Int32))
            }
            'D' if differ => crate::arrays::common(known).map_or(Change::Nothing, Change::To),
            _ => Change::Nothing,
        })
    }

    /// The column changed; `None` if it stays.
    /// `first` is the first branch's type, which all have that need no change.
    fn made(&self, column: Expr, input: &LogicalPlan, first: &DataType) -> Result<Option<Expr>> {
        let ty = column.get_type(input.schema())?;
        if ty == DataType::Null {
            // The union must not take its type from a branch of NULLs.
            let wanted = match self {
                Change::Nothing => first,
                Change::Text(_) => &DataType::Utf8,
                Change::Numeric => &NUMERIC,
                Change::Float(wanted) | Change::To(wanted) => wanted,
            };
            return Ok(Some(Expr::Literal(ScalarValue::try_from(wanted)?, None)));
        }
        Ok(match self {
            Change::Nothing => None,
            Change::Text(text) if is_padded(&column, input.schema()) => {
                Some(pg_cast(*text).call(vec![rtrim(vec![column])]))
            }
            Change::Text(text) => Some(pg_cast(*text).call(vec![column])),
            Change::Numeric => Some(exact::to_numeric(column)),
            Change::Float(float) if ty == NUMERIC => Some(to(exact::to_float(column), float.clone())),
            Change::Float(wanted) | Change::To(wanted) => (ty != *wanted).then(|| to(column, wanted.clone())),
        })
    }
}

/// INTERSECT or EXCEPT, the only semi joins that there are before DataFusion's optimizer: its columns are the left side's,
/// which get the type that both sides have in common.
pub fn intersection(mut join: Join) -> Result<LogicalPlan> {
    if !matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti) {
        return Ok(LogicalPlan::Join(join));
    }
    let mut columns: Vec<Expr> = vec![];
    let mut changed = false;
    for (left, right) in join.left.schema().iter().zip(join.right.schema().fields()) {
        let column = Expr::Column(left.into());
        let (lt, rt) = (left.1.data_type(), right.data_type());
        let wider = match (lt, rt) {
            (DataType::Null, ty) => Some(ty),
            (DataType::Int16 | DataType::Int32, DataType::Int32 | DataType::Int64) if lt != rt => Some(rt),
            (DataType::Int32 | DataType::Int64, DataType::Int16 | DataType::Int32) => None,
            (DataType::Decimal128(_, _), DataType::Decimal128(_, _)) => None,
            _ if lt == rt || *rt == DataType::Null => None,
            // A constant in quotes among them would take the other's type.
            _ if is_alike(lt, rt) || category(lt) == 'S' || category(rt) == 'S' => {
                return Err(refused("INTERSECT and EXCEPT of columns of different types", "Cast them to one type."));
            }
            _ => {
                let (a, b) = (crate::output::type_name(lt), crate::output::type_name(rt));
                let what = if join.join_type == JoinType::LeftSemi { "INTERSECT" } else { "EXCEPT" };
                let message = format!("{what} types {a} and {b} cannot be matched");
                return Err(wrap(EngineError::new("42804", message)));
            }
        };
        changed |= wider.is_some();
        columns.push(match wider {
            Some(ty) => to(column, ty.clone()).alias_qualified(left.0.cloned(), left.1.name()),
            None => column,
        });
    }
    if changed {
        let left = LogicalPlanBuilder::from(Arc::unwrap_or_clone(join.left)).project(columns)?.build()?;
        join.left = Arc::new(left);
    }
    LogicalPlan::Join(join).recompute_schema()
}

/// Is the column a constant in quotes?
pub fn constant_text(plan: &LogicalPlan, index: usize) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => projection.expr.get(index).is_some_and(literal_text),
        _ => false,
    }
}
