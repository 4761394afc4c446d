//! ALTER COLUMN … TYPE that leaves values as they are (`ATColumnChangeRequiresRewrite`): a type is binary coercible to the other, or a
//! length only grows, and both lie alike on pages. The table's rows and its indexes over columns stay; indexes that compute something
//! of the column are built anew.

use std::sync::Arc;

use analyze::query::{CoercionForm, Expr};
use engine::{ColumnType, Result, Table, TableDef};
use session::Session;
use storage::RelationId;
use types::{Repr, oid};

use crate::index::build::build;

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;
/// No time has more digits.
const MAX_TIME_PRECISION: i32 = 6;

/// Is a new value of a column, as an expression over the old ones, the old value to the byte?
pub fn keeps_values(value: &Expr, position: usize, old: ColumnType, new: ColumnType) -> bool {
    lies_alike(old, new) && is_column(value, position, old, new)
}

fn lies_alike(old: ColumnType, new: ColumnType) -> bool {
    match (old.repr(), new.repr()) {
        (Some(Repr::Decimal { precision, scale }), Some(Repr::Decimal { precision: most, scale: now })) => {
            scale == now && precision <= most
        }
        (old, new) => old.is_some() && old == new,
    }
}

fn is_column(value: &Expr, position: usize, old: ColumnType, new: ColumnType) -> bool {
    match value {
        Expr::Var(var) => usize::try_from(var.attribute) == Ok(position + 1) && var.levels_up == 0,
        Expr::RelabelType(relabel) => is_column(&relabel.argument, position, old, new),
        // A cast to a length of the same type.
        Expr::FuncExpr(call) => {
            let [argument, rest @ ..] = &call.arguments[..] else { return false };
            let is_length = matches!(call.form, CoercionForm::ExplicitCast | CoercionForm::ImplicitCast)
                && !rest.is_empty()
                && call.result.oid == new.oid;
            is_length && argument.ty().oid == new.oid && is_wider(old, new) && is_column(argument, position, old, new)
        }
        _ => false,
    }
}

/// Has every value of the old type the new length?
fn is_wider(old: ColumnType, new: ColumnType) -> bool {
    let (from, to) = (old.typmod, new.typmod);
    match new.oid {
        oid::VARCHAR | oid::VARBIT => to == -1 || old.oid == new.oid && from != -1 && from <= to,
        oid::NUMERIC => {
            let digits = |typmod: i32| ((typmod - VARHDRSZ) >> 16, (typmod - VARHDRSZ) & 0x7ff);
            let ((precision, scale), (most, now)) = (digits(from), digits(to));
            old.oid == new.oid && from != -1 && to != -1 && scale == now && precision <= most
        }
        oid::TIME | oid::TIMETZ | oid::TIMESTAMP | oid::TIMESTAMPTZ => {
            old.oid == new.oid && (to == -1 || to >= MAX_TIME_PRECISION || from != -1 && from <= to)
        }
        _ => false,
    }
}

/// Gives a table the definition in which the column has its new type.
pub async fn put(session: &mut Session, table: &Arc<Table>, mut def: TableDef, position: usize) -> Result<()> {
    if let Some(known) = def.analyzed.as_mut().and_then(|known| known.columns.get_mut(position)) {
        *known = None;
    }
    let indexes = def.indexes.clone();
    let is_stale = |index: &engine::IndexDef| index.is_computed() && index.names(position);
    def.indexes.retain(|index| !is_stale(index));
    let put = session.put_table(&table.def, def.clone());
    let widened = session.table_of(def.oid)?;
    def.indexes.clear();
    for mut index in indexes {
        if is_stale(&index) {
            session.transaction().drop_files(RelationId { database: table.database, file: index.file });
            index.file = session.db().new_oid();
            index.valid = true;
            index.made_after = session.transaction().mark();
            index.pages = build(session, &widened, &index).await?;
        }
        def.indexes.push(index);
    }
    if put.indexes.len() < def.indexes.len() {
        session.put_table(&put, def);
    }
    Ok(())
}
