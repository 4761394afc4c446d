//! Trees as SQL, as PostgreSQL writes them (its `ruleutils.c`): what EXPLAIN shows and how views are stored.
//!
//! * [`deparse_expression`] for expressions of queries and plans. What a column is called, [`VarNames`] says: in a plan it
//!   may be one of a child's targets, which are shown instead.
//! * [`deparse_definition`] for expressions of definitions, [`deparse_view`] for queries.
//! * `expr`: expressions. `call`: functions, aggregates, windows, casts. `literal`: constants. `name`: names that find the
//!   object again.
//!
//! # Invariants
//! * What is written is read as the same tree again: operators stand in parentheses, constants have their types, names have
//!   their schemas where the search path does not find them.

mod call;
mod expr;
mod literal;
mod name;
mod query;

use std::borrow::Cow;

use catalog::Catalog;
use types::{Context, Result};

pub use query::{QueryNames, deparse_view};

use crate::query::*;
use crate::relations::Relations;

/// What is asked on the way.
#[derive(Clone, Copy)]
pub struct Deparse<'a> {
    /// With the search path that names are to be found with.
    pub catalog: Catalog<'a>,
    pub relations: &'a dyn Relations,
    /// How values are written.
    pub context: &'a Context,
    /// Without the parentheses that precedence makes superfluous (the `pretty` of `pg_get_expr` and its like).
    pub pretty: bool,
}

/// How columns, parameters and windows are called where an expression stands.
pub trait VarNames {
    fn var(&self, var: &Var) -> Result<Referent<'_>>;

    /// What a parameter stands for; `None`: it is shown as `$1`.
    fn param(&self, _: &Param) -> Result<Option<Referent<'_>>> {
        Ok(None)
    }

    fn window(&self, window: WindowIndex) -> Result<WindowReferent<'_>>;

    /// The name of a column of a row whose type does not say it.
    fn field(&self, _row: &Expr, _field: i16) -> Option<String> {
        None
    }

    /// What a subquery computes for a column.
    fn computed(&self, _column: &Var) -> Option<&Expr> {
        None
    }

    /// Names of tables that a query within must not give to its own.
    fn relation_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Is there a WITH query of this name?
    fn has_cte(&self, _name: &str) -> bool {
        false
    }

    /// The columns of a WITH query, so many queries further out.
    fn cte_columns(&self, _name: &str, _levels_up: u32) -> Option<Vec<String>> {
        None
    }
}

/// What stands for a column or a parameter.
pub enum Referent<'n> {
    /// The name of the table, if it has one; whether it is shown; the column's, or none for the whole row.
    Column { relation: Option<Cow<'n, str>>, qualified: bool, name: Option<Cow<'n, str>> },
    /// An expression that stands elsewhere, where columns have other names.
    Expression { expr: &'n Expr, names: Box<dyn VarNames + 'n> },
    /// As it is.
    Text(String),
}

/// What follows OVER.
pub enum WindowReferent<'n> {
    Name(Cow<'n, str>),
    Definition { window: &'n WindowClause, targets: &'n [TargetEntry] },
}

/// An expression as SQL. `implicit`: a conversion that is not written shows as a cast too.
pub fn deparse_expression(deparse: Deparse<'_>, expr: &Expr, names: &dyn VarNames, implicit: bool) -> Result<String> {
    let mut writer = Writer::new(deparse);
    writer.expr(expr, names, implicit)?;
    Ok(writer.out)
}

/// An expression of a definition as SQL, as `pg_get_expr` gives it: what has several lines is broken into them.
pub fn deparse_definition(deparse: Deparse<'_>, expr: &Expr, names: &dyn VarNames) -> Result<String> {
    let mut writer = Writer::new(deparse);
    writer.indent = Some(0);
    writer.expr(expr, names, false)?;
    Ok(writer.out)
}

/// Is it written as a call of a function (`looks_like_function`)?
pub fn looks_like_function(expr: &Expr) -> bool {
    match expr {
        Expr::FuncExpr(e) => matches!(e.form, CoercionForm::ExplicitCall | CoercionForm::SqlSyntax),
        Expr::NullIfExpr(_) | Expr::Coalesce(_) | Expr::MinMax(_) | Expr::SqlValue(_) => true,
        _ => false,
    }
}

/// As [`deparse_expression`]; a whole row that stands alone shows its type (a target, a sort key).
pub fn deparse_target(deparse: Deparse<'_>, expr: &Expr, names: &dyn VarNames) -> Result<String> {
    let mut writer = Writer::new(deparse);
    writer.top_level(expr, names, true)?;
    Ok(writer.out)
}

/// What is written, and how.
pub(crate) struct Writer<'a> {
    pub out: String,
    pub deparse: Deparse<'a>,
    /// Lines are broken and indented, as in views; by so many columns.
    pub indent: Option<i32>,
    /// Where lines that are broken end: 0 breaks behind each column, what is negative behind none.
    pub wrap: i32,
    /// GROUP BY, where `cube` and `rollup` are no functions.
    pub in_group_by: bool,
    /// The columns of subplans whose tests are being written: parameters, and what each is called.
    pub sub_plan_columns: Vec<(u32, String)>,
    /// The names of the query's result: a column that is sorted by must not be taken for another of its name.
    pub sort_conflicts: Vec<(String, Expr)>,
}

impl<'a> Writer<'a> {
    pub fn new(deparse: Deparse<'a>) -> Writer<'a> {
        Writer {
            out: String::new(),
            deparse,
            indent: None,
            wrap: 0,
            in_group_by: false,
            sub_plan_columns: Vec::new(),
            sort_conflicts: Vec::new(),
        }
    }

    pub fn catalog(&self) -> Catalog<'a> {
        self.deparse.catalog
    }

    pub fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn identifier(&mut self, name: &str) {
        self.out.push_str(&catalog::quote_identifier(name));
    }

    /// A word on a line of its own, where lines are broken (`appendContextKeyword`).
    pub fn keyword(&mut self, word: &str, before: i32, after: i32, plus: i32) {
        /// Further in, lines move less.
        const LIMIT: i32 = 40;
        const STEP: i32 = 8;
        let Some(level) = &mut self.indent else {
            self.out.push_str(word);
            return;
        };
        *level += before;
        let amount = match *level {
            level @ ..LIMIT => level.max(0),
            level => (LIMIT + (level - LIMIT) / (STEP / 2)) % LIMIT,
        };
        *level = (*level + after).max(0);
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', (amount + plus).max(0) as usize));
        self.out.push_str(word);
    }

    /// Appends what stands behind others in a list: on a new line if that goes beyond the end of this one, or `apart` is set
    /// (`wrapColumn`).
    pub fn wrapped_item(&mut self, text: &str, apart: bool) {
        if self.indent.is_some() && self.wrap >= 0 {
            let line = self.out.len() - self.out.rfind('\n').map_or(0, |end| end + 1);
            if text.starts_with('\n') {
                self.out.truncate(self.out.trim_end_matches(' ').len());
            } else if apart || line + text.len() > self.wrap as usize {
                self.keyword("", -query::STEP, query::STEP, 4);
            }
        }
        self.push(text);
    }

    /// All, with commas.
    pub fn list(&mut self, exprs: &[Expr], names: &dyn VarNames, implicit: bool) -> Result<()> {
        for (place, expr) in exprs.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.expr(expr, names, implicit)?;
        }
        Ok(())
    }
}
