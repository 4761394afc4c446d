//! Expressions after analysis: PostgreSQL's `primnodes.h`. Every function and operator is an oid, every conversion is a node,
//! every column is a position in a range table.

use catalog::INDETERMINATE_COLLATION;
use serde::{Deserialize, Serialize};
use types::{Datum, Oid, oid};

use crate::nodes::constant;

use super::{Query, RangeTableIndex, SortGroupClause, WindowIndex};

/// A type with its modifier; -1 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypeRef {
    pub oid: Oid,
    pub typmod: i32,
}

impl TypeRef {
    pub const fn of(oid: Oid) -> TypeRef {
        TypeRef { oid, typmod: -1 }
    }
}

/// Where something stands: bytes from the start of the text, -1 for what the text does not have. All are equal, as two
/// expressions are the same wherever they were written.
#[derive(Clone, Copy)]
pub struct Location(pub i32);

impl Default for Location {
    fn default() -> Location {
        Location::NONE
    }
}

/// Expressions that are the same look the same.
impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Location")
    }
}

impl Location {
    pub const NONE: Location = Location(-1);

    /// The one further left; what is not in the text does not count.
    pub fn left(self, other: Location) -> Location {
        match (self.0, other.0) {
            (_, ..0) => self,
            (..0, _) => other,
            (a, b) => Location(a.min(b)),
        }
    }
}

impl PartialEq for Location {
    fn eq(&self, _: &Location) -> bool {
        true
    }
}

/// The collation of an expression's values (`varcollid` and its like); 0: they have none, or it could not be told. It follows
/// from what is read, so all are equal.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Collation(pub Oid);

impl Collation {
    pub const NONE: Collation = Collation(oid::INVALID);
}

/// Expressions that are the same look the same.
impl std::fmt::Debug for Collation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collation")
    }
}

impl PartialEq for Collation {
    fn eq(&self, _: &Collation) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    Var(Var),
    Const(Const),
    Param(Param),
    Aggref(Box<Aggref>),
    GroupingFunc(GroupingFunc),
    WindowFunc(Box<WindowFunc>),
    SubscriptingRef(Box<SubscriptingRef>),
    FuncExpr(FuncExpr),
    OpExpr(OpExpr),
    /// `IS DISTINCT FROM`: the operator is `=`, and NULLs are equal.
    DistinctExpr(OpExpr),
    /// `NULLIF`: the operator is `=`; the result has the first argument's type.
    NullIfExpr(OpExpr),
    ScalarArrayOpExpr(ScalarArrayOpExpr),
    BoolExpr(BoolExpr),
    SubLink(Box<SubLink>),
    FieldSelect(Box<FieldSelect>),
    /// A composite value with another field.
    FieldStore(Box<FieldStore>),
    /// Another type with the same representation, or another collation: `COLLATE`.
    RelabelType(Box<RelabelType>),
    /// A conversion through the types' texts.
    CoerceViaIo(Box<CoerceViaIo>),
    ArrayCoerce(Box<ArrayCoerce>),
    Case(Box<CaseExpr>),
    /// The argument of the `CASE` around, or the element of the `ArrayCoerce` around.
    CaseTest(TypeRef),
    Array(ArrayExpr),
    Row(RowExpr),
    RowCompare(RowCompareExpr),
    Coalesce(CoalesceExpr),
    MinMax(MinMaxExpr),
    SqlValue(SqlValueFunction),
    NullTest(Box<NullTest>),
    BooleanTest(Box<BooleanTest>),
    /// `DEFAULT` in a list of values, until the rewriting puts the column's in its place.
    SetToDefault(SetToDefault),
    /// The next value of an identity column's sequence.
    NextValue {
        sequence: Oid,
        result: Oid,
    },
    /// `merge_action()`.
    MergeAction,
    /// A subquery that has a plan: the planner's, in the place of a [`SubLink`].
    #[serde(skip)]
    SubPlan(Box<SubPlan>),
}

/// A column of a range table entry of this query, or of one around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Var {
    pub relation: RangeTableIndex,
    /// From 1; 0 is the whole row; system columns are negative.
    pub attribute: i16,
    pub ty: TypeRef,
    pub collation: Collation,
    /// How many queries further out: 0 is this one.
    pub levels_up: u32,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetToDefault {
    pub ty: TypeRef,
    pub collation: Collation,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Const {
    pub ty: TypeRef,
    #[serde(with = "constant")]
    pub value: Datum,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    /// `$1` from outside.
    External,
    /// A column of the subquery of the [`SubLink`] around.
    SubLink,
    /// A column of the [`SubLinkKind::MultiExpr`] of the same UPDATE: its number in the upper 16 bits, from 1, and the
    /// column's.
    MultiExpr,
    /// A value that one part of a plan gives another: the planner's.
    Exec,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub kind: ParamKind,
    /// From 1; of `Exec` from 0.
    pub number: u32,
    pub ty: TypeRef,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggref {
    pub function: Oid,
    pub result: TypeRef,
    /// Those of an ordered-set aggregate that stand before WITHIN GROUP.
    pub direct_arguments: Vec<Expr>,
    /// What it aggregates; those behind `arguments_shown` are only sorted by.
    pub arguments: Vec<Expr>,
    pub arguments_shown: usize,
    pub order: Vec<AggregateOrder>,
    /// So many of them ORDER BY has said; DISTINCT sorts by the rest too.
    pub order_written: usize,
    pub distinct: bool,
    /// The planner's: an order of all rows was found that serves it. The plan's Agg node says whether they come so.
    pub presorted: bool,
    pub filter: Option<Expr>,
    /// `count(*)`.
    pub star: bool,
    pub variadic: bool,
    /// It belongs to a query so many levels further out.
    pub levels_up: u32,
    #[serde(skip)]
    pub location: Location,
}

/// By what an aggregate's rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AggregateOrder {
    /// A position in its arguments.
    pub argument: usize,
    pub clause: SortGroupClause,
}

/// `GROUPING(a, b)`: bits of the grouping expressions that a row is not grouped by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupingFunc {
    pub arguments: Vec<Expr>,
    /// The arguments' `SortGroupClause::reference`s.
    pub references: Vec<u32>,
    pub levels_up: u32,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowFunc {
    pub function: Oid,
    pub result: TypeRef,
    pub arguments: Vec<Expr>,
    pub filter: Option<Expr>,
    pub window: WindowIndex,
    pub star: bool,
    /// It is an aggregate.
    pub aggregate: bool,
    pub ignore_nulls: bool,
    #[serde(skip)]
    pub location: Location,
}

/// `a[1][2:3]`, of an array to read or to assign to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubscriptingRef {
    pub container: Oid,
    pub element: Oid,
    pub result: TypeRef,
    pub array: Expr,
    /// A lower bound for each dimension of a slice; empty for an element.
    pub lower: Vec<Option<Expr>>,
    pub upper: Vec<Option<Expr>>,
    /// What is stored there.
    pub assigned: Option<Expr>,
}

/// How a function call came into the query: views and EXPLAIN print it so. Expressions that differ in it are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoercionForm {
    ExplicitCall,
    ExplicitCast,
    ImplicitCast,
    /// SQL's own syntax: `EXTRACT(…)`, `SUBSTRING(… FROM …)`.
    SqlSyntax,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FuncExpr {
    pub function: Oid,
    pub result: TypeRef,
    pub returns_set: bool,
    /// The last argument is an array that was written with VARIADIC or made of several.
    pub variadic: bool,
    pub form: CoercionForm,
    /// By which it goes (`inputcollid`), where it goes by one and that is not the default; else 0.
    /// [`INDETERMINATE_COLLATION`]: it goes by one, and its arguments have several.
    pub collation: Oid,
    pub arguments: Vec<Expr>,
    #[serde(skip)]
    pub location: Location,
}

impl PartialEq for FuncExpr {
    fn eq(&self, other: &FuncExpr) -> bool {
        (self.function, self.result, self.returns_set, self.variadic, self.collation)
            == (other.function, other.result, other.returns_set, other.variadic, other.collation)
            && self.arguments == other.arguments
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpExpr {
    pub operator: Oid,
    /// What it calls.
    pub function: Oid,
    pub result: Oid,
    /// As [`FuncExpr::collation`].
    pub collation: Oid,
    /// One or two.
    pub arguments: Vec<Expr>,
    #[serde(skip)]
    pub location: Location,
}

/// `a = ANY (b)`, `a IN (…)`, `a <> ALL (b)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalarArrayOpExpr {
    pub operator: Oid,
    pub function: Oid,
    /// As [`FuncExpr::collation`].
    pub collation: Oid,
    /// ANY; or ALL.
    pub any: bool,
    pub scalar: Box<Expr>,
    pub array: Box<Expr>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoolOperator {
    And,
    Or,
    Not,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoolExpr {
    pub operator: BoolOperator,
    pub arguments: Vec<Expr>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubLinkKind {
    Exists,
    /// `test` holds for each row: `x < ALL (SELECT …)`.
    All,
    Any,
    /// `(a, b) < (SELECT …)`: the comparison of a row with the only row.
    RowCompare,
    /// The only value.
    Scalar,
    /// `(a, b) = (SELECT …)` in UPDATE's SET: several columns.
    MultiExpr,
    Array,
    /// A WITH query: the planner's, of a [`SubPlan`].
    Cte,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubLink {
    pub kind: SubLinkKind,
    /// What is compared, with [`ParamKind::SubLink`] for the subquery's columns: an AND of comparisons, an OR, or a
    /// `RowCompare`.
    pub test: Option<Expr>,
    /// As it was written, for views and EXPLAIN.
    pub operator_name: String,
    pub query: Query,
    pub result: TypeRef,
    #[serde(skip)]
    pub location: Location,
}

/// A subquery with its plan (PostgreSQL's `SubPlan`). The planner makes them; analysis and rewriting never see one.
#[derive(Clone, Debug, PartialEq)]
pub struct SubPlan {
    pub kind: SubLinkKind,
    /// What is compared, over `Exec` parameters for the subquery's columns: those in `columns`, in their order.
    pub test: Option<Expr>,
    pub columns: Vec<u32>,
    /// Its plan: a position in the planned statement's list.
    pub plan: usize,
    /// As EXPLAIN names it: `SubPlan 1`, `InitPlan 1`, `CTE x`.
    pub name: String,
    pub result: TypeRef,
    /// It does not depend on the row, and its rows are kept in a hash table that `test` looks into.
    pub hashed: bool,
    /// An init plan runs once, when its first parameter is asked for: these are set.
    pub set_parameters: Vec<u32>,
    /// What the subquery takes from the row: parameters, and what is put into each.
    pub parameters: Vec<u32>,
    pub arguments: Vec<Expr>,
    /// What the planner believes: once, and for each call, in its units.
    pub startup_cost: f64,
    pub per_call_cost: f64,
    /// Another way to the same result (PostgreSQL's `AlternativeSubPlan`). The planner takes one of both when it knows how many
    /// rows ask; a finished plan has none.
    pub alternative: Option<Expr>,
}

/// A field of a composite value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldSelect {
    pub row: Expr,
    /// From 1.
    pub field: i16,
    pub result: TypeRef,
    pub collation: Collation,
}

/// A composite value in which a field has another value. NULL has NULLs in the other fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldStore {
    pub row: Expr,
    /// From 1.
    pub field: i16,
    pub value: Expr,
    pub result: TypeRef,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RelabelType {
    pub argument: Expr,
    pub result: TypeRef,
    /// What COLLATE says.
    pub collation: Option<Oid>,
    pub form: CoercionForm,
    #[serde(skip)]
    pub location: Location,
}

impl Expr {
    /// What a part is assigned into (`get_assignment_input`); `None`: it is no such assignment.
    pub fn assigned_into(&self) -> Option<&Expr> {
        match self {
            Expr::SubscriptingRef(part) if part.assigned.is_some() => Some(&part.array),
            Expr::FieldStore(part) => Some(&part.row),
            _ => None,
        }
    }
}

impl PartialEq for RelabelType {
    fn eq(&self, other: &RelabelType) -> bool {
        (self.result, self.collation) == (other.result, other.collation) && self.argument == other.argument
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CoerceViaIo {
    pub argument: Expr,
    pub result: Oid,
    pub form: CoercionForm,
    #[serde(skip)]
    pub location: Location,
}

impl PartialEq for CoerceViaIo {
    fn eq(&self, other: &CoerceViaIo) -> bool {
        self.result == other.result && self.argument == other.argument
    }
}

/// A cast of each element of an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArrayCoerce {
    pub argument: Expr,
    /// Over an [`Expr::CaseTest`], which is the element.
    pub element: Expr,
    pub result: TypeRef,
    pub form: CoercionForm,
    #[serde(skip)]
    pub location: Location,
}

impl PartialEq for ArrayCoerce {
    fn eq(&self, other: &ArrayCoerce) -> bool {
        self.result == other.result && self.argument == other.argument && self.element == other.element
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseExpr {
    pub result: TypeRef,
    /// `CASE argument WHEN …`: the conditions compare an [`Expr::CaseTest`].
    pub argument: Option<Expr>,
    pub when: Vec<CaseWhen>,
    pub otherwise: Option<Expr>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseWhen {
    pub condition: Expr,
    pub result: Expr,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArrayExpr {
    pub array: TypeRef,
    pub element: Oid,
    pub elements: Vec<Expr>,
    /// The elements are arrays, and the result has a dimension more.
    pub multidimensional: bool,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowExpr {
    pub fields: Vec<Expr>,
    /// `record`, or a table's type.
    pub ty: Oid,
    pub names: Vec<String>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareType {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
    NotEqual,
}

/// `(a, b) < (c, d)`: an ordering of rows. Equality of rows is an AND of equalities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowCompareExpr {
    pub compare: CompareType,
    /// One for each pair of columns.
    pub operators: Vec<Oid>,
    /// As [`FuncExpr::collation`], of each pair.
    pub collations: Vec<Oid>,
    pub left: Vec<Expr>,
    pub right: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoalesceExpr {
    pub ty: TypeRef,
    pub arguments: Vec<Expr>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinMaxExpr {
    pub greatest: bool,
    pub ty: TypeRef,
    /// As [`FuncExpr::collation`], of the comparison.
    pub collation: Oid,
    pub arguments: Vec<Expr>,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SqlValue {
    CurrentDate,
    CurrentTime,
    CurrentTimestamp,
    LocalTime,
    LocalTimestamp,
    CurrentRole,
    CurrentUser,
    User,
    SessionUser,
    CurrentCatalog,
    CurrentSchema,
}

/// What SQL writes without parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SqlValueFunction {
    pub value: SqlValue,
    pub ty: TypeRef,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NullTest {
    pub argument: Expr,
    pub is_null: bool,
    /// The argument is a row: each of its fields is asked.
    pub row: bool,
    #[serde(skip)]
    pub location: Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BooleanTestKind {
    IsTrue,
    IsNotTrue,
    IsFalse,
    IsNotFalse,
    IsUnknown,
    IsNotUnknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BooleanTest {
    pub argument: Expr,
    pub kind: BooleanTestKind,
    #[serde(skip)]
    pub location: Location,
}

impl Expr {
    /// What values it gives (`exprType`, `exprTypmod`).
    pub fn ty(&self) -> TypeRef {
        match self {
            Expr::Var(e) => e.ty,
            Expr::Const(e) => e.ty,
            Expr::Param(e) => e.ty,
            Expr::Aggref(e) => e.result,
            Expr::GroupingFunc(_) => TypeRef::of(oid::INT4),
            Expr::WindowFunc(e) => e.result,
            Expr::SubscriptingRef(e) => e.result,
            Expr::FuncExpr(e) => e.result,
            Expr::OpExpr(e) => TypeRef::of(e.result),
            Expr::NullIfExpr(e) => e.arguments[0].ty(),
            Expr::DistinctExpr(_) | Expr::ScalarArrayOpExpr(_) | Expr::BoolExpr(_) => TypeRef::of(oid::BOOL),
            Expr::RowCompare(_) | Expr::NullTest(_) | Expr::BooleanTest(_) => TypeRef::of(oid::BOOL),
            Expr::SubLink(e) => e.result,
            Expr::FieldSelect(e) => e.result,
            Expr::FieldStore(e) => e.result,
            Expr::RelabelType(e) => e.result,
            Expr::CoerceViaIo(e) => TypeRef::of(e.result),
            Expr::ArrayCoerce(e) => e.result,
            Expr::Case(e) => e.result,
            Expr::CaseTest(ty) => *ty,
            Expr::SetToDefault(e) => e.ty,
            Expr::Array(e) => e.array,
            Expr::Row(e) => TypeRef::of(e.ty),
            Expr::Coalesce(e) => e.ty,
            Expr::MinMax(e) => e.ty,
            Expr::SqlValue(e) => e.ty,
            Expr::NextValue { result, .. } => TypeRef::of(*result),
            Expr::MergeAction => TypeRef::of(oid::TEXT),
            Expr::SubPlan(e) => e.result,
        }
    }

    /// Where it begins in the text: the leftmost of what it is made of, where that is written (`exprLocation`).
    pub fn location(&self) -> Location {
        let leftmost =
            |own: Location, parts: &[Expr]| parts.iter().fold(own, |least, part| least.left(part.location()));
        match self {
            Expr::Var(e) => e.location,
            Expr::Const(e) => e.location,
            Expr::Param(e) => e.location,
            Expr::Aggref(e) => e.location,
            Expr::GroupingFunc(e) => e.location,
            Expr::WindowFunc(e) => e.location,
            Expr::SubscriptingRef(e) => e.array.location(),
            Expr::FuncExpr(e) => leftmost(e.location, &e.arguments),
            Expr::OpExpr(e) | Expr::DistinctExpr(e) | Expr::NullIfExpr(e) => leftmost(e.location, &e.arguments),
            Expr::ScalarArrayOpExpr(e) => e.location.left(e.scalar.location()).left(e.array.location()),
            Expr::BoolExpr(e) => leftmost(e.location, &e.arguments),
            Expr::SubLink(e) => e.test.as_ref().map_or(Location::NONE, Expr::location).left(e.location),
            Expr::FieldSelect(e) => e.row.location(),
            Expr::FieldStore(e) => e.row.location(),
            Expr::RelabelType(e) => e.location.left(e.argument.location()),
            Expr::CoerceViaIo(e) => e.location.left(e.argument.location()),
            Expr::ArrayCoerce(e) => e.location.left(e.argument.location()),
            Expr::Case(e) => e.location,
            Expr::CaseTest(_) | Expr::NextValue { .. } | Expr::MergeAction | Expr::SubPlan(_) => Location::NONE,
            Expr::SetToDefault(e) => e.location,
            Expr::Array(e) => e.location,
            Expr::Row(e) => e.location,
            Expr::RowCompare(e) => leftmost(Location::NONE, &e.left),
            Expr::Coalesce(e) => e.location,
            Expr::MinMax(e) => e.location,
            Expr::SqlValue(e) => e.location,
            Expr::NullTest(e) => e.location.left(e.argument.location()),
            Expr::BooleanTest(e) => e.location.left(e.argument.location()),
        }
    }

    /// Is it a comparison by a collation that could not be told? It fails when it is made, so nothing may stand for it.
    pub fn is_indeterminate(&self) -> bool {
        match self {
            Expr::OpExpr(e) => e.collation == INDETERMINATE_COLLATION,
            Expr::ScalarArrayOpExpr(e) => e.collation == INDETERMINATE_COLLATION,
            Expr::RowCompare(e) => e.collations.contains(&INDETERMINATE_COLLATION),
            _ => false,
        }
    }

    /// Does it call a function that returns a set, outside of subqueries (`expression_returns_set`)?
    pub fn returns_set(&self) -> bool {
        self.contains(&mut |e| matches!(e, Expr::FuncExpr(call) if call.returns_set))
    }
}
