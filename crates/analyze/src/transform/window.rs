//! Windows (`transformWindowDefinitions` and `transformFrameOffset` of `parse_clause.c`).

use ::error::sqlstate;
use catalog::Scan;
use catalog::catalogs::PgAmproc;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Oid, Result, oid};

use super::state::{ExprKind, ParseState, PendingWindow};
use super::{error, unexpected};
use crate::parse_coerce::{CoercionContext, can_coerce_type};
use crate::query::*;

/// Bits of `frameOptions` (`parsenodes.h`).
mod frame_option {
    pub const RANGE: i32 = 0x00002;
    pub const ROWS: i32 = 0x00004;
    pub const GROUPS: i32 = 0x00008;
    pub const BETWEEN: i32 = 0x00010;
    pub const START_UNBOUNDED_PRECEDING: i32 = 0x00020;
    pub const END_UNBOUNDED_PRECEDING: i32 = 0x00040;
    pub const START_UNBOUNDED_FOLLOWING: i32 = 0x00080;
    pub const END_UNBOUNDED_FOLLOWING: i32 = 0x00100;
    pub const END_CURRENT_ROW: i32 = 0x00400;
    pub const START_OFFSET_PRECEDING: i32 = 0x00800;
    pub const END_OFFSET_PRECEDING: i32 = 0x01000;
    pub const START_OFFSET_FOLLOWING: i32 = 0x02000;
    pub const END_OFFSET_FOLLOWING: i32 = 0x04000;
    pub const EXCLUDE_CURRENT_ROW: i32 = 0x08000;
    pub const EXCLUDE_GROUP: i32 = 0x10000;
    pub const EXCLUDE_TIES: i32 = 0x20000;
}

/// What a window has where nothing is said of its frame.
const FRAME_DEFAULTS: i32 =
    frame_option::RANGE | frame_option::START_UNBOUNDED_PRECEDING | frame_option::END_CURRENT_ROW;

/// The number of `in_range` functions in operator families.
const IN_RANGE_PROC: i16 = 3;

impl ParseState<'_> {
    /// All windows of a query: those of WINDOW, then those of OVER (`transformWindowDefinitions`).
    pub fn transform_windows(&mut self, targets: &mut Vec<TargetEntry>) -> Result<Vec<WindowClause>> {
        let pending = std::mem::take(&mut self.windows);
        let mut windows: Vec<WindowClause> = Vec::with_capacity(pending.len());
        for PendingWindow { definition } in &pending {
            let place = definition.location;
            if let Some(name) = &definition.name
                && windows.iter().any(|window| window.name.as_deref() == Some(&**name))
            {
                return Err(error(sqlstate::WINDOWING_ERROR, format!("window \"{name}\" is already defined"), place));
            }
            let base = match &definition.refname {
                Some(name) => {
                    let found = windows.iter().find(|window| window.name.as_deref() == Some(&**name));
                    let missing =
                        || error(sqlstate::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist"), place);
                    Some(found.ok_or_else(missing)?.clone())
                }
                None => None,
            };
            let window = self.transform_window(definition, base.as_ref(), targets)?;
            windows.push(window);
        }
        Ok(windows)
    }

    fn transform_window(
        &mut self,
        definition: &raw::WindowDef,
        base: Option<&WindowClause>,
        targets: &mut Vec<TargetEntry>,
    ) -> Result<WindowClause> {
        let place = definition.location;
        let mut order = self.transform_sort_clause(&definition.order_clause, targets, ExprKind::WindowOrder, true)?;
        let kind = ExprKind::WindowPartition;
        let (mut partition, _) = self.transform_group_clause(&definition.partition_clause, targets, &order, kind)?;
        let written_order = !order.is_empty();
        let mut copied_order = false;
        if let Some(base) = base {
            let name = definition.refname.as_deref().unwrap_or_default();
            if !partition.is_empty() {
                let message = format!("cannot override PARTITION BY clause of window \"{name}\"");
                return Err(error(sqlstate::WINDOWING_ERROR, message, place));
            }
            partition = base.partition.clone();
            if !order.is_empty() && !base.order.is_empty() {
                let message = format!("cannot override ORDER BY clause of window \"{name}\"");
                return Err(error(sqlstate::WINDOWING_ERROR, message, place));
            }
            copied_order = order.is_empty() && !base.order.is_empty();
            if copied_order {
                order = base.order.clone();
            }
            if base.frame.written {
                return Err(copied_frame(definition, name, written_order));
            }
        }
        let frame = self.transform_frame(definition, &order, targets)?;
        let name = definition.name.as_deref().map(str::to_string);
        let base = definition.refname.as_deref().map(str::to_string);
        Ok(WindowClause { name, base, copied_order, partition, order, frame })
    }

    fn transform_frame(
        &mut self,
        definition: &raw::WindowDef,
        order: &[SortGroupClause],
        targets: &[TargetEntry],
    ) -> Result<WindowFrame> {
        use frame_option::*;
        let options = definition.frame_options;
        let mode = match options {
            o if o & ROWS != 0 => FrameMode::Rows,
            o if o & GROUPS != 0 => FrameMode::Groups,
            _ => FrameMode::Range,
        };
        let offsets = START_OFFSET_PRECEDING | START_OFFSET_FOLLOWING | END_OFFSET_PRECEDING | END_OFFSET_FOLLOWING;
        let place = definition.location;
        if mode == FrameMode::Groups && order.is_empty() {
            return Err(error(sqlstate::WINDOWING_ERROR, "GROUPS mode requires an ORDER BY clause", place));
        }
        let sorted_by = match (mode, options & offsets != 0, order) {
            (FrameMode::Range, true, [only]) => Some(self.sort_column(only, targets)?),
            (FrameMode::Range, true, _) => {
                let message = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
                return Err(error(sqlstate::WINDOWING_ERROR, message, place));
            }
            _ => None,
        };
        let (start, start_in_range) = self.transform_bound(definition.start_offset.as_ref(), mode, sorted_by)?;
        let (end, end_in_range) = self.transform_bound(definition.end_offset.as_ref(), mode, sorted_by)?;
        let offset = |value: Option<Expr>| value.ok_or_else(unexpected);
        let start = match options {
            o if o & START_UNBOUNDED_PRECEDING != 0 => FrameBound::UnboundedPreceding,
            o if o & START_UNBOUNDED_FOLLOWING != 0 => FrameBound::UnboundedFollowing,
            o if o & START_OFFSET_PRECEDING != 0 => FrameBound::Preceding(offset(start)?),
            o if o & START_OFFSET_FOLLOWING != 0 => FrameBound::Following(offset(start)?),
            _ => FrameBound::CurrentRow,
        };
        let end = match options {
            o if o & END_UNBOUNDED_PRECEDING != 0 => FrameBound::UnboundedPreceding,
            o if o & END_UNBOUNDED_FOLLOWING != 0 => FrameBound::UnboundedFollowing,
            o if o & END_OFFSET_PRECEDING != 0 => FrameBound::Preceding(offset(end)?),
            o if o & END_OFFSET_FOLLOWING != 0 => FrameBound::Following(offset(end)?),
            _ => FrameBound::CurrentRow,
        };
        let exclusion = match options {
            o if o & EXCLUDE_CURRENT_ROW != 0 => FrameExclusion::CurrentRow,
            o if o & EXCLUDE_GROUP != 0 => FrameExclusion::Group,
            o if o & EXCLUDE_TIES != 0 => FrameExclusion::Ties,
            _ => FrameExclusion::NoOthers,
        };
        let written = options != FRAME_DEFAULTS;
        let between = options & BETWEEN != 0;
        Ok(WindowFrame { mode, start, end, exclusion, written, between, start_in_range, end_in_range })
    }

    /// The type that the rows are sorted by, and whether an operator family knows offsets of it.
    fn sort_column(&self, clause: &SortGroupClause, targets: &[TargetEntry]) -> Result<(Oid, Oid)> {
        let target = targets.iter().find(|target| target.reference == clause.reference).ok_or_else(unexpected)?;
        Ok((target.expr.ty().oid, clause.sort))
    }

    /// `transformFrameOffset`: the offset, and `in_range` for RANGE.
    fn transform_bound(
        &mut self,
        node: Option<&Node>,
        mode: FrameMode,
        sorted_by: Option<(Oid, Oid)>,
    ) -> Result<(Option<Expr>, Oid)> {
        let Some(node) = node else { return Ok((None, oid::INVALID)) };
        let (kind, name) = match mode {
            FrameMode::Rows => (ExprKind::WindowFrameRows, "ROWS"),
            FrameMode::Groups => (ExprKind::WindowFrameGroups, "GROUPS"),
            FrameMode::Range => (ExprKind::WindowFrameRange, "RANGE"),
        };
        let value = self.transform_expr(node, kind)?;
        let (value, in_range) = match sorted_by {
            None => (self.coerce_to_specific_type(value, oid::INT8, name)?, oid::INVALID),
            Some((ty, sort)) => self.range_offset(value, ty, sort)?,
        };
        self.check_no_columns(&value, name)?;
        Ok((Some(value), in_range))
    }

    /// The offset of RANGE: an `in_range` function of the order's family decides what it may be.
    fn range_offset(&mut self, value: Expr, ty: Oid, sort: Oid) -> Result<(Expr, Oid)> {
        let place = value.location().0;
        let (column, given) = (self.type_text(ty), value.ty().oid);
        let order = self.catalog().ordering_properties(sort).ok_or_else(unexpected)?;
        let all: Vec<&PgAmproc> = PgAmproc::all()
            .iter()
            .filter(|row| row.amprocfamily == order.family && row.amprocnum == IN_RANGE_PROC)
            .filter(|row| row.amproclefttype == order.ty)
            .collect();
        let what = "RANGE with offset PRECEDING/FOLLOWING";
        if all.is_empty() {
            return Err(error(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("{what} is not supported for column type {column}"),
                place,
            ));
        }
        let fits = |row: &&&PgAmproc| {
            can_coerce_type(self.catalog(), &[given], &[row.amprocrighttype], CoercionContext::Implicit)
        };
        let fitting: Vec<&PgAmproc> = all.iter().filter(fits).copied().collect();
        let offset = self.type_text(given);
        let preferred = if given == oid::UNKNOWN { order.ty } else { given };
        let chosen = match fitting[..] {
            [] => {
                let message = format!("{what} is not supported for column type {column} and offset type {offset}");
                return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, place)
                    .hint("Cast the offset value to an appropriate type."));
            }
            [only] => only,
            _ => fitting.iter().copied().find(|row| row.amprocrighttype == preferred).ok_or_else(|| {
                let message =
                    format!("{what} has multiple interpretations for column type {column} and offset type {offset}");
                error(sqlstate::FEATURE_NOT_SUPPORTED, message, place)
                    .hint("Cast the offset value to the exact intended type.")
            })?,
        };
        let value = self.coerce_to_specific_type(value, chosen.amprocrighttype, "RANGE")?;
        Ok((value, chosen.amproc))
    }
}

/// A window with a frame can be named, but not extended.
fn copied_frame(definition: &raw::WindowDef, name: &str, ordered: bool) -> Error {
    let message = format!("cannot copy window \"{name}\" because it has a frame clause");
    let failed = error(sqlstate::WINDOWING_ERROR, message, definition.location);
    match definition.name.is_some() || ordered || definition.frame_options != FRAME_DEFAULTS {
        true => failed,
        false => failed.hint("Omit the parentheses in this OVER clause."),
    }
}
