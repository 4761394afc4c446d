//! Casts of the constants of many rows (`INSERT … VALUES`), computed a column at a time: to compile and to run each of them by
//! itself took a fifth of the time of a load.

use analyze::query::*;
use arrow_array::ArrayRef;
use types::{ColumnBuilder, Datum, Repr, Result, oid};

use super::{Folder, Folding, is_const, is_null_const};
use crate::compile::{Input, compile, constant_repr};
use crate::frame::Frame;
use crate::state::to_column;

/// Fewer rows are folded one by one.
const MANY: usize = 16;
/// Rows that are computed at once.
const ROWS: usize = 1024;

/// Computes the casts of rows of equal width that are the same in their column. The others stay as they are, and so does
/// what fails: [`super::fold`] comes to them row by row, and the first error is that of the first row.
pub fn fold_columns(rows: &mut [Vec<Expr>], folding: &Folding<'_>) {
    if rows.len() < MANY {
        return;
    }
    let folder = Folder { folding, case_value: None };
    for rows in rows.chunks_mut(ROWS) {
        for column in 0..rows.first().map_or(0, Vec::len) {
            folder.fold_column(rows, column);
        }
    }
}

/// The one column that a cast is computed of.
struct OneColumn(Repr);

impl Input for OneColumn {
    fn variable(&self, _: &Var) -> Result<(usize, Repr)> {
        Ok((0, self.0))
    }
}

impl Folder<'_> {
    /// `None`: the column stays as it is.
    fn fold_column(&self, rows: &mut [Vec<Expr>], column: usize) -> Option<()> {
        let cast = rows.iter().map(|row| &row[column]).find(|value| !is_const(value))?.clone();
        let repr = constant_repr(self.cast_constant(&cast)?, self.catalog()).ok()?;
        let mut constants = ColumnBuilder::new(repr, rows.len());
        let mut alike = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            if let Some(constant) = same_cast(&cast, &row[column]) {
                constants.push(&constant.value);
                alike.push(at);
            }
        }
        constants.check().ok()?;
        let ty = cast.ty();
        let values = self.cast_column(cast, constants.finish(), repr, alike.len())?;
        for (value, at) in alike.into_iter().enumerate() {
            let location = rows[at][column].location();
            rows[at][column] = Expr::Const(Const { ty, value: Datum::of(&values, value), location });
        }
        Some(())
    }

    /// The constant that a chain of casts begins with, if all of them may be computed now.
    fn cast_constant<'e>(&self, expr: &'e Expr) -> Option<&'e Const> {
        match expr {
            Expr::Const(constant) if !constant.value.is_null() => Some(constant),
            Expr::RelabelType(e) => self.cast_constant(&e.argument),
            Expr::FuncExpr(call) => {
                let (value, others) = call.arguments.split_first()?;
                let row = self.catalog().function(call.function)?;
                let gives_a_value = !row.proretset && row.prorettype != oid::RECORD && self.is_safe(call.function);
                let is_known = |argument: &Expr| is_const(argument) && !is_null_const(argument);
                (gives_a_value && others.iter().all(is_known)).then(|| self.cast_constant(value))?
            }
            _ => None,
        }
    }

    /// The values of a cast whose constant is a column.
    fn cast_column(&self, mut cast: Expr, constants: ArrayRef, repr: Repr, rows: usize) -> Option<ArrayRef> {
        replace_constant(&mut cast);
        let state = compile(&cast, &OneColumn(repr), self.catalog()).ok()?;
        if state.waits() {
            return None;
        }
        let frame = Frame::new(std::slice::from_ref(&constants), rows, self.folding.execution);
        to_column(&state.node.evaluate(&frame).ok()?, rows).ok()
    }
}

/// The constant of a chain of casts, if it is the same chain but for that.
fn same_cast<'e>(cast: &Expr, other: &'e Expr) -> Option<&'e Const> {
    match (cast, other) {
        (Expr::Const(a), Expr::Const(b)) => {
            let is_held_alike = std::mem::discriminant(&a.value) == std::mem::discriminant(&b.value);
            (a.ty == b.ty && is_held_alike).then_some(b)
        }
        (Expr::RelabelType(a), Expr::RelabelType(b)) if a.result == b.result => same_cast(&a.argument, &b.argument),
        (Expr::FuncExpr(a), Expr::FuncExpr(b)) => {
            let is_same = a.function == b.function && a.result == b.result && a.collation == b.collation;
            let is_same = is_same && a.variadic == b.variadic && a.arguments[1..] == b.arguments[1..];
            is_same.then(|| same_cast(&a.arguments[0], &b.arguments[0]))?
        }
        _ => None,
    }
}

fn replace_constant(cast: &mut Expr) {
    match cast {
        Expr::RelabelType(e) => replace_constant(&mut e.argument),
        Expr::FuncExpr(call) => replace_constant(&mut call.arguments[0]),
        value => {
            let ty = value.ty();
            let (relation, collation, location) = (RangeTableIndex(1), Collation::NONE, Location::NONE);
            *value = Expr::Var(Var { relation, attribute: 1, ty, collation, levels_up: 0, location });
        }
    }
}
