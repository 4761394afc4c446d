//! Aggregates (`parse_agg.c`): to which query one belongs, and where there may be one; the same for window functions.

use std::ops::ControlFlow;

use ::error::sqlstate;
use syntax::is_same_window;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result};

use super::level::{aggregate_of_level, visit};
use super::state::{ExprKind, ParseState, PendingWindow};
use super::{error, required};
use crate::query::*;

/// What is called how in messages.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Aggregate,
    Grouping,
}

/// How far out what is in some expressions belongs.
#[derive(Default)]
struct Levels {
    column: Option<u32>,
    aggregate: Option<u32>,
}

impl ParseState<'_> {
    /// Marks the query that an aggregate belongs to and gives its distance: the nearest that its arguments have something
    /// of (`check_agglevels_and_constraints`).
    pub(crate) fn aggregate_level(
        &self,
        direct: &[Expr],
        arguments: &[Expr],
        filter: Option<&Expr>,
        place: i32,
    ) -> Result<u32> {
        let all = || arguments.iter().chain(filter);
        let levels = check_arguments(all())?;
        let level = match (levels.column, levels.aggregate) {
            (Some(column), Some(aggregate)) => column.min(aggregate),
            (one, other) => one.or(other).unwrap_or(0),
        };
        if levels.aggregate == Some(level) {
            return Err(nested(all(), level));
        }
        let inner = check_arguments(direct.iter())?;
        if let Some(column) = inner.column.filter(|column| *column < level) {
            let found = direct.iter().find_map(|e| super::level::column_of_level(e, column));
            let message = "outer-level aggregate cannot contain a lower-level variable in its direct arguments";
            return Err(error(sqlstate::GROUPING_ERROR, message, found.unwrap_or(Location::NONE).0));
        }
        if let Some(aggregate) = inner.aggregate.filter(|aggregate| *aggregate <= level) {
            return Err(nested(direct.iter(), aggregate));
        }
        self.mark_aggregate(What::Aggregate, level, place)?;
        Ok(level)
    }

    fn mark_aggregate(&self, what: What, level: u32, place: i32) -> Result<()> {
        let owner = self.at_level(level);
        owner.check_aggregate_place(what, place)?;
        owner.has_aggregates.set(true);
        Ok(())
    }

    /// `transformGroupingFunc`. What its arguments are grouped by is found when the query's groups are known.
    pub(crate) fn transform_grouping_func(&mut self, e: &raw::GroupingFunc) -> Result<Expr> {
        if e.args.len() > 31 {
            return Err(error(sqlstate::TOO_MANY_ARGUMENTS, "GROUPING must have fewer than 32 arguments", e.location));
        }
        let mut arguments = Vec::with_capacity(e.args.len());
        for node in &e.args {
            arguments.push(self.transform(node)?);
        }
        let levels = check_arguments(arguments.iter())?;
        let levels_up = levels.column.unwrap_or(0);
        if let Some(aggregate) = levels.aggregate.filter(|aggregate| *aggregate <= levels_up) {
            return Err(nested(arguments.iter(), aggregate));
        }
        self.mark_aggregate(What::Grouping, levels_up, e.location)?;
        let location = Location(e.location);
        Ok(Expr::GroupingFunc(GroupingFunc { arguments, references: vec![], levels_up, location }))
    }

    /// May there be an aggregate in this part of the query?
    fn check_aggregate_place(&self, what: What, place: i32) -> Result<()> {
        let where_ = match self.expr_kind {
            ExprKind::Other | ExprKind::Having | ExprKind::SelectTarget | ExprKind::OrderBy => return Ok(()),
            ExprKind::DistinctOn | ExprKind::WindowPartition | ExprKind::WindowOrder => return Ok(()),
            ExprKind::FromSubselect => "FROM clause of their own query level",
            kind => kind.place(),
        };
        let plural = if what == What::Grouping { "grouping operations" } else { "aggregate functions" };
        Err(error(sqlstate::GROUPING_ERROR, format!("{plural} are not allowed in {where_}"), place))
    }

    /// May there be a window function (`transformWindowFuncCall`)?
    pub(crate) fn check_window_place(&self, place: i32) -> Result<()> {
        let where_ = match self.expr_kind {
            ExprKind::Other | ExprKind::SelectTarget | ExprKind::OrderBy | ExprKind::DistinctOn => return Ok(()),
            ExprKind::WindowPartition | ExprKind::WindowOrder => "window definitions",
            ExprKind::WindowFrameRange | ExprKind::WindowFrameRows | ExprKind::WindowFrameGroups => {
                "window definitions"
            }
            kind => kind.place(),
        };
        Err(error(sqlstate::WINDOWING_ERROR, format!("window functions are not allowed in {where_}"), place))
    }

    /// The windows of WINDOW, which all that follows may name.
    pub(crate) fn define_windows(&mut self, list: &[Node]) -> Result<()> {
        for node in list {
            let Node::WindowDef(definition) = node else { return Err(super::unexpected()) };
            self.windows.push(PendingWindow { definition: (**definition).clone() });
        }
        Ok(())
    }

    /// The number of the window of an OVER: one that is named, or a new one.
    pub(crate) fn window_index(&mut self, over: &raw::WindowDef) -> Result<WindowIndex> {
        if over.name.is_some() {
            let name = required(&over.name)?;
            let found = self.windows.iter().position(|window| window.definition.name.as_ref() == Some(name));
            let missing =
                || error(sqlstate::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist"), over.location);
            return found.map(|index| WindowIndex(index as u32)).ok_or_else(missing);
        }
        let same = |window: &PendingWindow| is_same_window(&window.definition, over);
        if let Some(known) = self.windows.iter().position(same) {
            return Ok(WindowIndex(known as u32));
        }
        self.windows.push(PendingWindow { definition: over.clone() });
        Ok(WindowIndex(self.windows.len() as u32 - 1))
    }
}

impl ExprKind {
    /// As messages say what is not allowed there.
    fn place(self) -> &'static str {
        match self {
            ExprKind::JoinOn | ExprKind::JoinUsing => "JOIN conditions",
            ExprKind::FromFunction => "functions in FROM",
            ExprKind::MergeWhen => "MERGE WHEN conditions",
            ExprKind::CheckConstraint => "check constraints",
            ExprKind::ColumnDefault => "DEFAULT expressions",
            ExprKind::IndexExpression => "index expressions",
            ExprKind::IndexPredicate => "index predicates",
            ExprKind::Execute => "EXECUTE parameters",
            ExprKind::Policy => "policy expressions",
            ExprKind::GeneratedColumn => "column generation expressions",
            ExprKind::AlterColumnTransform => "transform expressions",
            ExprKind::CallArgument => "CALL arguments",
            ExprKind::CopyWhere => "COPY FROM WHERE conditions",
            kind => kind.name(),
        }
    }
}

fn nested<'e>(mut all: impl Iterator<Item = &'e Expr>, level: u32) -> Error {
    let place = all.find_map(|expr| aggregate_of_level(expr, level)).unwrap_or(Location::NONE);
    error(sqlstate::GROUPING_ERROR, "aggregate function calls cannot be nested", place.0)
}

/// `check_agg_arguments_walker`.
fn check_arguments<'e>(all: impl Iterator<Item = &'e Expr>) -> Result<Levels> {
    fn least(known: &mut Option<u32>, level: u32) {
        *known = Some(known.map_or(level, |known| known.min(level)));
    }
    let mut found = Levels::default();
    let mut wrong = None;
    let mut each = |expr: &Expr, depth: u32| {
        match expr {
            Expr::Var(var) => {
                if let Some(level) = var.levels_up.checked_sub(depth) {
                    least(&mut found.column, level);
                }
            }
            Expr::Aggref(aggregate) if aggregate.levels_up >= depth => {
                least(&mut found.aggregate, aggregate.levels_up - depth);
            }
            Expr::GroupingFunc(grouping) if grouping.levels_up >= depth => {
                least(&mut found.aggregate, grouping.levels_up - depth);
            }
            Expr::FuncExpr(call) if depth == 0 && call.returns_set => {
                let message = "aggregate function calls cannot contain set-returning function calls";
                let hint = "You might be able to move the set-returning function into a LATERAL FROM item.";
                wrong = Some(error(sqlstate::FEATURE_NOT_SUPPORTED, message, expr.location().0).hint(hint));
                return ControlFlow::Break(());
            }
            Expr::WindowFunc(window) if depth == 0 => {
                let message = "aggregate function calls cannot contain window function calls";
                wrong = Some(error(sqlstate::GROUPING_ERROR, message, window.location.0));
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    };
    for expr in all {
        if visit(expr, 0, &mut each).is_break() {
            break;
        }
    }
    wrong.map_or(Ok(found), Err)
}
