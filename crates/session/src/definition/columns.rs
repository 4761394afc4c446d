//! The names of one table's columns, for expressions that its definition keeps when they are written as SQL.

use std::borrow::Cow;

use analyze::query::{Var, WindowIndex};
use analyze::relations::Relation;
use analyze::ruleutils::{Referent, VarNames, WindowReferent};
use error::sqlstate;

/// The number of the column `tableoid`.
const TABLE_OID: i16 = -6;

/// The columns of one table, by their names alone.
pub struct Columns<'a>(pub Option<&'a Relation>);

impl VarNames for Columns<'_> {
    fn var(&self, var: &Var) -> types::Result<Referent<'_>> {
        let relation = self.0.ok_or_else(|| types::Error::new(sqlstate::INTERNAL_ERROR, "a column of no table"))?;
        let name = match var.attribute {
            0 => None,
            number => Some(column_name(relation, number)?),
        };
        // Queries within say whose the column is.
        Ok(Referent::Column { relation: Some(Cow::Borrowed(&*relation.name)), qualified: name.is_none(), name })
    }

    fn relation_names(&self) -> Vec<String> {
        self.0.iter().map(|relation| relation.name.clone()).collect()
    }

    fn window(&self, _: WindowIndex) -> types::Result<WindowReferent<'_>> {
        Err(types::Error::new(sqlstate::INTERNAL_ERROR, "a window outside of a query"))
    }
}

fn column_name(relation: &Relation, number: i16) -> types::Result<Cow<'_, str>> {
    let own = usize::try_from(number).ok().and_then(|number| relation.columns.get(number - 1));
    match own {
        Some(column) => Ok(Cow::Borrowed(&*column.name)),
        // No other system column may be in an expression that is kept.
        None if number == TABLE_OID => Ok(Cow::Borrowed("tableoid")),
        None => Err(types::Error::new(sqlstate::INTERNAL_ERROR, format!("a table without column {number}"))),
    }
}

/// Is it the name of a column that every table has?
pub fn is_system_column(name: &str) -> bool {
    ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"].contains(&name)
}
