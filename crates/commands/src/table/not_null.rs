//! SET and DROP NOT NULL. Rows stay as they are: pages with NULL bits keep them, and others get some when a row is to be NULL.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{BoolOperator, Expr};
use analyze::rewrite::stored;
use engine::{EngineError, Result, Table, TableDef};
use session::Session;
use session::errors::reported;

use crate::table::alter_column::{identity_column, position};
use crate::table::constraint;

pub async fn set(session: &mut Session, table: &Arc<Table>, name: &str) -> Result<()> {
    let position = position(&table.def, name)?;
    if table.def.columns[position].not_null {
        return Ok(());
    }
    if is_implied(session, &table.def, position)? {
        let message = format!(
            "existing constraints on column \"{}.{name}\" are sufficient to prove that it does not contain nulls",
            table.def.name
        );
        session.notice("DEBUG1", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    } else {
        constraint::forbid_nulls(session, table.def.oid, &[position]).await?;
    }
    put(session, table, position, true);
    Ok(())
}

pub fn drop(session: &mut Session, table: &Arc<Table>, name: &str) -> Result<()> {
    let position = position(&table.def, name)?;
    identity_column(&table.def, position)?;
    if table.def.primary_key().is_some_and(|key| key.keys().any(|column| column == position)) {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{name}\" is in a primary key"),
        ));
    }
    put(session, table, position, false);
    Ok(())
}

fn put(session: &mut Session, table: &Table, position: usize, not_null: bool) {
    if table.def.columns[position].not_null != not_null {
        let mut def = TableDef::clone(&table.def);
        def.columns[position].set_not_null(not_null);
        session.put_table(&table.def, def);
    }
}

/// Do the table's checks, all of which its rows satisfy, rule NULL out (`NotNullImpliedByRelConstraints`)?
fn is_implied(session: &mut Session, def: &TableDef, position: usize) -> Result<bool> {
    let relation = session.relation(def.oid)?;
    for check in &def.checks {
        let read = stored::expression(&check.condition.text, Some(&relation));
        if rules_null_out(&read.map_err(|error| reported(error, ""))?, position, true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Is a condition false where the column is NULL? A check lets pass what is unknown, so that a comparison says nothing. `holds`: the
/// condition, or (`false`) its negation.
fn rules_null_out(condition: &Expr, position: usize, holds: bool) -> bool {
    match condition {
        Expr::NullTest(test) => {
            let is_column =
                matches!(&test.argument, Expr::Var(var) if usize::try_from(var.attribute) == Ok(position + 1));
            is_column && !test.row && test.is_null != holds
        }
        Expr::BoolExpr(expr) => {
            let mut arguments = expr.arguments.iter();
            let mut each = |all: bool, holds: bool| match all {
                true => arguments.all(|argument| rules_null_out(argument, position, holds)),
                false => arguments.any(|argument| rules_null_out(argument, position, holds)),
            };
            match expr.operator {
                BoolOperator::And => each(!holds, holds),
                BoolOperator::Or => each(holds, holds),
                BoolOperator::Not => each(true, !holds),
            }
        }
        _ => false,
    }
}
