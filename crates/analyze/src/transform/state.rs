//! What analysis knows while it goes through a query (`parse_node.c`): the range table so far, the names that can be seen,
//! and the query around.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ::error::sqlstate;
use catalog::Catalog;
use syntax::nodes as raw;
use types::{Error, Oid, Result, oid};

use super::error;
use crate::query::{
    Collation, Column, CommonTableExpr, Expr, Location, RangeTableEntry, RangeTableIndex, TypeRef, Var,
};
use crate::relations::Relations;

/// In which part of a statement an expression stands: what may be in it, and how it is called in messages
/// (`ParseExprKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprKind {
    Other,
    JoinOn,
    JoinUsing,
    FromSubselect,
    FromFunction,
    Where,
    Having,
    Filter,
    WindowPartition,
    WindowOrder,
    WindowFrameRange,
    WindowFrameRows,
    WindowFrameGroups,
    SelectTarget,
    InsertTarget,
    UpdateSource,
    UpdateTarget,
    MergeWhen,
    GroupBy,
    OrderBy,
    DistinctOn,
    Limit,
    Offset,
    Returning,
    MergeReturning,
    Values,
    ValuesSingle,
    CheckConstraint,
    ColumnDefault,
    IndexExpression,
    IndexPredicate,
    Execute,
    Policy,
    CycleMark,
    GeneratedColumn,
    AlterColumnTransform,
    CallArgument,
    CopyWhere,
}

impl ExprKind {
    /// As messages call it (`ParseExprKindName`).
    pub fn name(self) -> &'static str {
        match self {
            ExprKind::Other => "invalid expression context",
            ExprKind::JoinOn => "JOIN/ON",
            ExprKind::JoinUsing => "JOIN/USING",
            ExprKind::FromSubselect => "sub-SELECT in FROM",
            ExprKind::FromFunction => "function in FROM",
            ExprKind::Where | ExprKind::CopyWhere => "WHERE",
            ExprKind::Having => "HAVING",
            ExprKind::Filter => "FILTER",
            ExprKind::WindowPartition => "window PARTITION BY",
            ExprKind::WindowOrder => "window ORDER BY",
            ExprKind::WindowFrameRange => "window RANGE",
            ExprKind::WindowFrameRows => "window ROWS",
            ExprKind::WindowFrameGroups => "window GROUPS",
            ExprKind::SelectTarget => "SELECT",
            ExprKind::InsertTarget => "INSERT",
            ExprKind::UpdateSource | ExprKind::UpdateTarget => "UPDATE",
            ExprKind::MergeWhen => "MERGE WHEN",
            ExprKind::GroupBy => "GROUP BY",
            ExprKind::OrderBy => "ORDER BY",
            ExprKind::DistinctOn => "DISTINCT ON",
            ExprKind::Limit => "LIMIT",
            ExprKind::Offset => "OFFSET",
            ExprKind::Returning | ExprKind::MergeReturning => "RETURNING",
            ExprKind::Values | ExprKind::ValuesSingle => "VALUES",
            ExprKind::CheckConstraint => "CHECK",
            ExprKind::ColumnDefault => "DEFAULT",
            ExprKind::IndexExpression => "index expression",
            ExprKind::IndexPredicate => "index predicate",
            ExprKind::Execute => "EXECUTE",
            ExprKind::Policy => "POLICY",
            ExprKind::CycleMark => "CYCLE",
            ExprKind::GeneratedColumn => "GENERATED AS",
            ExprKind::AlterColumnTransform => "USING",
            ExprKind::CallArgument => "CALL",
        }
    }
}

/// What is the same for a whole statement.
pub struct Statement<'a> {
    pub catalog: Catalog<'a>,
    pub relations: &'a dyn Relations,
    pub context: &'a types::Context,
    /// The name of the database: `database.schema.table` may say it.
    pub database: &'a str,
    pub parameters: Parameters,
    /// What is converted to a domain need not be checked.
    pub(crate) trusted: bool,
    /// Policies count; otherwise what they would change is refused (the setting `row_security`).
    pub row_security: bool,
    /// It was written from a tree: an array's cast is not its elements'.
    pub(crate) stored: bool,
    /// How many expressions have been looked at. Some are looked at twice (BETWEEN), and those in them four times.
    pub(crate) expressions: Cell<u32>,
}

/// A statement has at most so many expressions.
const MAX_EXPRESSIONS: u32 = 20_000_000;

impl<'a> Statement<'a> {
    pub fn new(
        catalog: Catalog<'a>,
        relations: &'a dyn Relations,
        context: &'a types::Context,
        database: &'a str,
        parameters: Parameters,
    ) -> Statement<'a> {
        let (trusted, row_security, stored) = (false, true, false);
        let expressions = Cell::new(0);
        Statement { catalog, relations, context, database, parameters, trusted, row_security, stored, expressions }
    }

    pub(crate) fn count_expression(&self) -> Result<()> {
        self.expressions.set(self.expressions.get() + 1);
        if self.expressions.get() > MAX_EXPRESSIONS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "statement too complex"));
        }
        Ok(())
    }
}

/// The types of `$1`, `$2` …: given, or found where they are used (`parse_param.c`).
#[derive(Debug, Default)]
pub struct Parameters {
    /// By number from 1; `None` until one is found.
    types: RefCell<Vec<Option<Oid>>>,
    /// Those without a type get one where they are used. Otherwise `$3` of two parameters is an error.
    variable: bool,
}

/// The highest number of a parameter: PostgreSQL has no room for more of them. (Bind counts them in 16 bits.)
const MAX_PARAMETERS: i32 = 0x3fff_ffff / 4;
/// No statement has so many parameters: where there is one of a higher number, there is one that nothing is said of.
const MOST_PARAMETERS: i32 = 1 << 20;

impl Parameters {
    /// No parameter but these.
    pub fn fixed(types: &[Oid]) -> Parameters {
        Parameters { types: RefCell::new(types.iter().map(|&ty| Some(ty)).collect()), variable: false }
    }

    /// These have types already (0: not yet); there may be more.
    pub fn variable(types: &[Oid]) -> Parameters {
        let known = types.iter().map(|&ty| (ty != oid::INVALID && ty != oid::UNKNOWN).then_some(ty));
        Parameters { types: RefCell::new(known.collect()), variable: true }
    }

    /// The type of a parameter; `unknown` for one that has none yet.
    pub fn of(&self, number: i32, location: i32) -> Result<Oid> {
        let missing = || error(sqlstate::UNDEFINED_PARAMETER, format!("there is no parameter ${number}"), location);
        let mut types = self.types.borrow_mut();
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).ok_or_else(missing)?;
        if index >= types.len() {
            if !self.variable || number > MAX_PARAMETERS {
                return Err(missing());
            }
            if number > MOST_PARAMETERS {
                let unknown = types.iter().position(Option::is_none).unwrap_or(types.len()) + 1;
                return Err(Error::new(
                    sqlstate::INDETERMINATE_DATATYPE,
                    format!("could not determine data type of parameter ${unknown}"),
                ));
            }
            types.resize(index + 1, None);
        }
        Ok(types[index].unwrap_or(oid::UNKNOWN))
    }

    /// A use says what an unknown parameter is. Gives the type it has, which may be another, found before.
    pub fn decide(&self, number: u32, ty: Oid) -> Oid {
        let mut types = self.types.borrow_mut();
        match types.get_mut(number as usize - 1) {
            Some(known) => *known.get_or_insert(ty),
            None => ty,
        }
    }

    /// The type that a parameter has got.
    pub(crate) fn decided(&self, number: u32) -> Option<Oid> {
        self.types.borrow().get(number as usize - 1).copied().flatten()
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.types.borrow().is_empty()
    }

    /// All of them; 0 for those that nothing says the type of.
    pub fn types(&self) -> Vec<Oid> {
        self.types.borrow().iter().map(|ty| ty.unwrap_or(oid::INVALID)).collect()
    }
}

/// A column of a [`NamespaceItem`].
#[derive(Clone, Debug)]
pub struct NamespaceColumn {
    /// Empty for a dropped one.
    pub name: String,
    /// Where its values come from: the item's own entry, or for a join's column the entry of one of its sides.
    pub relation: RangeTableIndex,
    pub attribute: i16,
    pub ty: TypeRef,
    pub collation: Collation,
}

impl NamespaceColumn {
    pub fn var(&self, levels_up: u32, location: i32) -> Expr {
        let NamespaceColumn { relation, attribute, ty, collation, .. } = *self;
        Expr::Var(Var { relation, attribute, ty, collation, levels_up, location: Location(location) })
    }
}

/// What a name in FROM stands for (`ParseNamespaceItem`).
#[derive(Clone, Debug)]
pub struct NamespaceItem {
    pub name: String,
    /// The table behind a name that is no alias: `schema.table.column` may mean it.
    pub table: Option<Oid>,
    pub relation: RangeTableIndex,
    pub columns: Rc<[NamespaceColumn]>,
    /// The name of a JOIN USING: it has the merged columns and no row.
    pub using_alias: bool,
    /// Can `name.column` find it?
    pub relation_visible: bool,
    /// Can `column` find its columns?
    pub columns_visible: bool,
    /// Only a LATERAL part of FROM sees it for now …
    pub lateral_only: bool,
    /// … and may: the join is neither RIGHT nor FULL.
    pub lateral_ok: bool,
}

/// A window definition that a function or WINDOW has brought; analyzed when the targets are known.
pub struct PendingWindow {
    pub definition: raw::WindowDef,
}

/// A recursive WITH query that is being analyzed: what it sees of itself.
pub struct OpenCte {
    pub name: String,
    pub aliases: Vec<String>,
    /// Known when its first arm is.
    pub columns: Option<Vec<Column>>,
    pub location: i32,
}

/// Set-returning functions so far: how many, and where the last one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetReturning {
    pub count: u32,
    pub location: i32,
}

/// A query that is being analyzed (`ParseState`).
pub struct ParseState<'a> {
    pub statement: &'a Statement<'a>,
    pub parent: Option<&'a ParseState<'a>>,
    pub range_table: Vec<RangeTableEntry>,
    pub namespace: Vec<NamespaceItem>,
    /// What WITH has defined so far, and how often each has been read.
    pub ctes: Vec<CommonTableExpr>,
    pub cte_references: RefCell<Vec<u32>>,
    /// The names of what it defines later.
    pub future_ctes: Vec<String>,
    pub open_cte: RefCell<Option<OpenCte>>,
    /// It is the query of the one around's `open_cte`.
    pub is_open_cte: bool,
    pub expr_kind: ExprKind,
    pub lateral_active: bool,
    /// Values are for a new row: parts of its columns are assigned into NULL.
    pub inserting: bool,
    /// Literals of unknown type in the result become texts.
    pub resolve_unknowns: bool,
    pub windows: Vec<PendingWindow>,
    pub set_returning: SetReturning,
    /// The names of scalar subqueries' columns, by the raw nodes.
    pub sublink_names: Vec<(*const raw::SubLink, String)>,
    /// UPDATE's subqueries for several columns.
    pub multi_sublinks: Vec<Expr>,
    /// Subqueries mark the query that an aggregate of theirs belongs to.
    pub has_aggregates: Cell<bool>,
    /// The first entry of the range table is what is changed.
    pub has_target: bool,
    pub has_window_functions: bool,
    pub has_target_sets: bool,
    pub has_sublinks: bool,
    pub has_modifying_cte: bool,
}

impl<'a> ParseState<'a> {
    pub fn new(statement: &'a Statement<'a>, parent: Option<&'a ParseState<'a>>) -> ParseState<'a> {
        ParseState {
            statement,
            parent,
            range_table: Vec::new(),
            namespace: Vec::new(),
            ctes: Vec::new(),
            cte_references: RefCell::default(),
            future_ctes: Vec::new(),
            open_cte: RefCell::new(None),
            is_open_cte: false,
            expr_kind: ExprKind::Other,
            lateral_active: false,
            inserting: false,
            resolve_unknowns: true,
            windows: Vec::new(),
            set_returning: SetReturning { count: 0, location: -1 },
            sublink_names: Vec::new(),
            multi_sublinks: Vec::new(),
            has_aggregates: Cell::new(false),
            has_target: false,
            has_window_functions: false,
            has_target_sets: false,
            has_sublinks: false,
            has_modifying_cte: false,
        }
    }

    /// This query and those around it, with their distances.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (u32, &ParseState<'a>)> {
        let mut next = Some(self);
        let mut level = 0;
        std::iter::from_fn(move || {
            let state = next?;
            next = state.parent;
            level += 1;
            Some((level - 1, state))
        })
    }

    /// The query so many further out.
    pub(crate) fn at_level(&self, level: u32) -> &ParseState<'a> {
        self.levels().nth(level as usize).map_or(self, |(_, state)| state)
    }
}
