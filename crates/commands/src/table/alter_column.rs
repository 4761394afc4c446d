//! Columns that ALTER TABLE adds, drops and changes.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{Const, Expr, Location, TypeRef};
use analyze::relations::Relation;
use analyze::rewrite;
use analyze::{ExprKind, analyze_expression, coerce_for_assignment};
use catalog::catalogs::PgDepend;
use engine::{
    ColumnDef, EngineError, Identity, IndexKey, Lies, MAX_COLUMNS, NodeTree, ObjectAddress, Result, SequenceDef, Table,
    TableDef,
};
use session::errors::reported;
use session::{MAX_KEPT_LEVELS, ParsedStatement, Session, def_elem, spi};
use syntax::nodes::{ColumnDef as RawColumn, Constraint, DefElem, DropBehavior, Node};
use types::names::{PG_CLASS, PG_POLICY, PG_REWRITE};
use types::{Datum, oid};

use crate::object::stored;
use crate::object::{deletion, reloptions};
use crate::table::constraint::{self, Adding};
use crate::table::missing_value::{self, Missing};
use crate::table::{alter_type, column, rewrite_table};
use crate::r#type::composite;
use crate::{index, sequence};

/// The position of a column that must be there.
pub fn position(def: &TableDef, name: &str) -> Result<usize> {
    if column::is_system(name) {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot alter system column \"{name}\""),
        ));
    }
    def.column(name).ok_or_else(|| {
        EngineError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{name}\" of relation \"{}\" does not exist", def.name),
        )
    })
}

fn type_of(def: &TableDef, position: usize) -> TypeRef {
    let ty = def.columns[position].ty;
    TypeRef { oid: ty.oid, typmod: ty.typmod }
}

fn null(ty: TypeRef) -> Expr {
    Expr::Const(Const { ty, value: Datum::Null, location: Location::NONE })
}

/// ADD COLUMN: the rows that are there have its default, which is computed once where it is the same for all of them.
pub async fn add(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    raw: &RawColumn,
    if_not_exists: bool,
) -> Result<()> {
    let name = raw.colname.as_deref().unwrap_or_default();
    column::check_name(name)?;
    let mut def = TableDef::clone(&table.def);
    if def.column(name).is_some() {
        let message = format!("column \"{name}\" of relation \"{}\" already exists", def.name);
        if if_not_exists {
            session.notice("NOTICE", EngineError::new(sqlstate::DUPLICATE_COLUMN, message + ", skipping"));
            return Ok(());
        }
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    if def.columns.len() >= MAX_COLUMNS {
        return Err(EngineError::new(
            sqlstate::TOO_MANY_COLUMNS,
            format!("tables can have at most {MAX_COLUMNS} columns"),
        ));
    }
    let mut new = column::read(session, statement, &def.name, raw)?;
    refuse_default_of_domain(session, &new)?;
    composite::refuse_itself(session, new.column.ty.oid, (def.row_type, &def.name))?;
    column::require_usage(session, [new.column.ty.oid]).await?;
    column::complete(session, statement, (&def, def.columns.len() as i16 + 1), &mut new).await?;
    let wanted = new.constraints;
    def.columns.push(new.column);
    let oid = def.oid;
    put_new(session, table, def, &statement.text).await?;
    add_constraints(session, statement, oid, name, &wanted).await
}

/// Rows that are there would get the default of the column's domain.
fn refuse_default_of_domain(session: &mut Session, new: &column::NewColumn<'_>) -> Result<()> {
    let environment = session.environment();
    let ty = environment.catalog().pg_type(new.column.ty.oid);
    match new.default.is_none() && ty.is_some_and(|row| row.typtype == b'd' && row.typdefaultbin.is_some()) {
        true => Err(EngineError::unsupported("ADD COLUMN of a domain with a default")),
        false => Ok(()),
    }
}

/// Puts a definition with one more column.
async fn put_new(session: &mut Session, table: &Arc<Table>, def: TableDef, text: &Arc<str>) -> Result<()> {
    let last = def.columns.len() - 1;
    let ty = type_of(&def, last);
    let value = match (&def.columns[last].default, def.columns[last].identity) {
        (_, Some(_)) => Expr::NextValue { sequence: own_sequence(session, &def, last)?.oid, result: ty.oid },
        (Some(default), None) => {
            rewrite::stored::expression(&default.text, None).map_err(|error| reported(error, ""))?
        }
        (None, None) => null(ty),
    };
    let relation = session.relation(def.oid)?;
    let missing = match def.columns[last].identity {
        Some(_) => Missing::EachItsOwn,
        None => missing_value::of_default(session, &def.columns[last], &value, text)?,
    };
    let mut added = def.clone();
    added.columns[last].lies = Lies::Added(session.db().new_lasting_number(session.io()).await?);
    added.columns[last].missing = match missing {
        Missing::Null => None,
        Missing::Value(value) => Some(value),
        Missing::EachItsOwn => {
            let values = (0..last).map(|position| spi::column(&relation, position)).chain([value]).collect();
            return rewrite_table::rewrite(session, table, def, values, text).await;
        }
    };
    if let Some(known) = added.analyzed.as_mut().filter(|known| !known.columns.is_empty()) {
        known.columns.push(None);
    }
    if added.columns[last].not_null && added.columns[last].missing.is_none() && has_rows(session, &relation).await? {
        return Err(constraint::contains_nulls(&added, last));
    }
    match added.needs_new_file()? {
        false => std::mem::drop(session.put_table(&table.def, added)),
        true => {
            let values = (0..last).map(|position| spi::column(&relation, position)).chain([value]).collect();
            rewrite_table::rewrite(session, table, def, values, text).await?;
        }
    }
    Ok(())
}

async fn has_rows(session: &mut Session, relation: &Relation) -> Result<bool> {
    let value = Datum::Bool(true);
    let any = Expr::Const(Const { ty: TypeRef::of(oid::BOOL), value, location: Location::NONE });
    session.has_row(relation, any, 1, &"".into()).await
}

async fn add_constraints(
    session: &mut Session,
    statement: &ParsedStatement,
    table: u32,
    column: &str,
    wanted: &[&Constraint],
) -> Result<()> {
    use syntax::nodes::ConstrType::CONSTR_CHECK;
    for given in wanted.iter().filter(|given| given.contype == CONSTR_CHECK) {
        constraint::add_check(session, statement, table, given, Adding::Alter).await?;
    }
    for given in wanted.iter().filter(|given| given.contype != CONSTR_CHECK) {
        let table = session.table_of(table)?;
        let key = constraint::key(&table.def, given, Some(column), &statement.text)?;
        index::make(session, &table, key.into()).await?;
    }
    Ok(())
}

fn own_sequence(session: &Session, def: &TableDef, position: usize) -> Result<Arc<engine::SequenceDef>> {
    let name = &def.columns[position].name;
    let missing =
        || EngineError::new(sqlstate::INTERNAL_ERROR, format!("no owned sequence found for column \"{name}\""));
    sequence::of_identity(session, def.oid, position).ok_or_else(missing)
}

/// DROP COLUMN, with the indexes and checks that are over it.
pub async fn drop(
    session: &mut Session,
    table: &Arc<Table>,
    name: &str,
    if_exists: bool,
    behavior: DropBehavior,
) -> Result<()> {
    if column::is_system(name) {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot drop system column \"{name}\"")));
    }
    let position = match position(&table.def, name) {
        Ok(position) => position,
        Err(error) if if_exists && error.code == sqlstate::UNDEFINED_COLUMN => {
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let column = ObjectAddress { class: PG_CLASS, oid: table.def.oid, column: position as i32 + 1 };
    deletion::drop_all(session, &[column], behavior).await
}

/// Takes a column off a table that is locked; the indexes, checks and defaults over it are gone ([`deletion`]).
pub async fn remove(session: &mut Session, table: u32, number: i32) -> Result<()> {
    let table = session.table_of(table)?;
    let mut def = TableDef::clone(&table.def);
    let position = number as usize - 1;
    assert!(!def.indexes.iter().any(|index| index.names(position)), "indexes go before their columns");
    let by = session.transaction().writer().transaction.xid;
    def.columns[position].drop(position + 1, by);
    if let Some(known) = &mut def.analyzed {
        known.columns.iter_mut().skip(position).take(1).for_each(|column| *column = None);
    }
    match def.needs_new_file()? {
        false => std::mem::drop(session.put_table(&table.def, def)),
        true => {
            let put = session.put_table(&table.def, def.clone());
            let table = session.table_of(put.oid)?;
            rewrite_table::as_it_is(session, &table, def).await?;
        }
    }
    Ok(())
}

/// ALTER COLUMN … TYPE.
pub async fn change_type(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    name: &str,
    raw: &RawColumn,
) -> Result<()> {
    let position = position(&table.def, name)?;
    refuse_under_views(session, &table.def, position)?;
    let mut def = TableDef::clone(&table.def);
    let Some(type_name) = &raw.type_name else { return Err(EngineError::unsupported("this form of ALTER COLUMN")) };
    let ty = column::type_of(session, statement, name, type_name)?;
    column::require_usage(session, [ty.oid]).await?;
    let collation = column::collation_of(session, statement, raw, ty)?;
    let relation = session.relation(def.oid)?;
    let value = converted(session, statement, &relation, position, raw, TypeRef { oid: ty.oid, typmod: ty.typmod })?;
    let keeps_values = alter_type::keeps_values(&value, position, def.columns[position].ty, ty);
    // What was said about long values was said of the old type.
    def.columns[position] =
        ColumnDef { ty, collation, storage: None, compression: false, ..def.columns[position].clone() };
    if let Some(default) = &table.def.columns[position].default {
        def.columns[position].default = Some(converted_default(session, default, &def, position)?);
    }
    def.indexes = index::with_other_type(session, &table.def, &def, position)?;
    if def.columns[position].identity.is_some() {
        let found = own_sequence(session, &def, position)?;
        let options = sequence::Options::default();
        let Some(integer) = sequence::integer_type(ty.oid) else {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "identity column type must be smallint, integer, or bigint",
            ));
        };
        sequence::change(session, &found, &options.of_column(integer)?).await?;
    }
    let checks = conditions(session, &relation, &table.def, position)?;
    let oid = def.oid;
    if keeps_values {
        alter_type::put(session, table, def, position).await?;
    } else {
        let mut values: Vec<Expr> = (0..def.columns.len()).map(|column| spi::column(&relation, column)).collect();
        values[position] = value;
        rewrite_table::rewrite(session, table, def, values, &statement.text).await?;
    }
    recheck(session, statement, oid, checks).await
}

/// The columns of views and policies keep their types.
fn refuse_under_views(session: &mut Session, def: &TableDef, position: usize) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let of_column =
        |row: &&PgDepend| row.refobjsubid == position as i32 + 1 && matches!(row.classid, PG_REWRITE | PG_POLICY);
    // The oldest is told of.
    let oldest = catalog.dependents((PG_CLASS, def.oid)).filter(of_column).min_by_key(|row| row.objid);
    let Some(row) = oldest else { return Ok(()) };
    let what = if row.classid == PG_POLICY { "in a policy definition" } else { "by a view or rule" };
    let object = ObjectAddress { class: row.classid, oid: row.objid, column: 0 };
    let object = catalog.describe(object)?.unwrap_or_default();
    let detail = format!("{object} depends on column \"{}\"", def.columns[position].name);
    let message = format!("cannot alter type of a column used {what}");
    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail))
}

/// The column's values as the new type has them.
fn converted(
    session: &mut Session,
    statement: &ParsedStatement,
    relation: &Arc<Relation>,
    position: usize,
    raw: &RawColumn,
    ty: TypeRef,
) -> Result<Expr> {
    let name = &relation.columns[position].name;
    let environment = session.environment();
    let text = environment.catalog().format_type_with_typmod(ty.oid, ty.typmod);
    let failed = |code: &'static str, message: String| types::Error::new(code, message);
    session.analyze_kept(statement, |with| {
        let value = match &raw.raw_default {
            Some(node) => analyze_expression(with, node, Some(relation), ExprKind::AlterColumnTransform)?,
            None => spi::column(relation, position),
        };
        coerce_for_assignment(with, value, ty)?.ok_or_else(|| match raw.raw_default {
            Some(_) => {
                let what = format!("result of USING clause for column \"{name}\"");
                failed(
                    sqlstate::DATATYPE_MISMATCH,
                    format!("{what} cannot be cast automatically to type {}", with.catalog.format_type(ty.oid)),
                )
                .hint("You might need to add an explicit cast.")
            }
            None => {
                let short = with.catalog.format_type(ty.oid);
                let column = catalog::quote_identifier(name);
                failed(
                    sqlstate::DATATYPE_MISMATCH,
                    format!("column \"{name}\" cannot be cast automatically to type {short}"),
                )
                .hint(format!("You might need to specify \"USING {column}::{text}\"."))
            }
        })
    })
}

/// The column's default as the new type has it.
fn converted_default(session: &mut Session, default: &NodeTree, new: &TableDef, position: usize) -> Result<NodeTree> {
    let environment = session.environment();
    let value = rewrite::stored::expression(&default.text, None).map_err(|error| reported(error, ""))?;
    let ty = type_of(new, position);
    let name = &new.columns[position].name;
    let coerced =
        session.analyze(&"".into(), &[], |with| coerce_for_assignment(with, without_conversion(value), ty))?;
    let coerced = coerced.ok_or_else(|| {
        let text = environment.catalog().format_type(ty.oid);
        let message = format!("default for column \"{name}\" cannot be cast automatically to type {text}");
        EngineError::new(sqlstate::DATATYPE_MISMATCH, message)
    })?;
    stored::kept(session, &coerced, oid::INVALID)
}

/// A default before it was made one of the column's type (`strip_implicit_coercions`).
fn without_conversion(value: Expr) -> Expr {
    use analyze::query::CoercionForm::ImplicitCast;
    match value {
        Expr::FuncExpr(mut call) if call.form == ImplicitCast && !call.arguments.is_empty() => {
            without_conversion(call.arguments.swap_remove(0))
        }
        Expr::RelabelType(relabel) if relabel.form == ImplicitCast => without_conversion(relabel.argument),
        Expr::CoerceViaIo(io) if io.form == ImplicitCast => without_conversion(io.argument),
        other => other,
    }
}

/// The names of a table's checks over a column, and their conditions as SQL.
fn conditions(
    session: &mut Session,
    relation: &Relation,
    def: &TableDef,
    position: usize,
) -> Result<Vec<(String, String)>> {
    let column = ObjectAddress { class: PG_CLASS, oid: def.oid, column: position as i32 + 1 };
    let over = def.checks.iter().filter(|check| check.condition.references.contains(&column));
    over.map(|check| Ok((check.name.clone(), stored::written(session, &check.condition, relation)?))).collect()
}

/// Checks over a column that has another type mean something else: they are read again, and the rows must satisfy them.
async fn recheck(
    session: &mut Session,
    statement: &ParsedStatement,
    table: u32,
    checks: Vec<(String, String)>,
) -> Result<()> {
    for (name, text) in checks {
        let before = session.table_of(table)?.def.clone();
        let mut def = TableDef::clone(&before);
        let relation = session.relation(table)?;
        let Some(at) = def.checks.iter().position(|check| check.name == name) else { continue };
        let condition = stored::read_again(session, &text, &relation, ExprKind::CheckConstraint)?;
        def.checks[at].condition = stored::kept(session, &condition, table)?;
        let depth = MAX_KEPT_LEVELS;
        constraint::verify(session, &relation, &def, &name, condition, depth, &statement.text).await?;
        session.put_table(&before, def);
    }
    Ok(())
}

/// Refuses what an identity column must not become.
pub fn identity_column(def: &TableDef, position: usize) -> Result<()> {
    let column = &def.columns[position];
    if column.identity.is_some() {
        let message = format!("column \"{}\" of relation \"{}\" is an identity column", column.name, def.name);
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, message));
    }
    Ok(())
}

/// SET and DROP DEFAULT.
pub fn set_default(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Table,
    name: &str,
    default: Option<&Node>,
) -> Result<()> {
    let position = position(&table.def, name)?;
    let hint = "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.";
    identity_column(&table.def, position).map_err(|e| if default.is_none() { e.hint(hint) } else { e })?;
    let mut def = TableDef::clone(&table.def);
    let kept = default.map(|node| column::default_of(session, statement, node, &def.columns[position])).transpose()?;
    def.columns[position].default = kept.flatten();
    session.put_table(&table.def, def);
    Ok(())
}

/// SET STORAGE: of the values that come.
pub fn set_storage(session: &mut Session, table: &Table, name: &str, storage: &str) -> Result<()> {
    change(session, table, name, |column| {
        column.storage = column::storage_of(column.ty, storage)?;
        Ok(())
    })
}

/// SET COMPRESSION.
pub fn set_compression(session: &mut Session, table: &Table, name: &str, method: &str) -> Result<()> {
    change(session, table, name, |column| {
        column.compression = column::compression_of(column.ty, method)?;
        Ok(())
    })
}

/// The greatest statistics target.
const MOST_STATISTICS: i32 = 10_000;

/// The value of SET STATISTICS; `None`: the default.
fn statistics_target(session: &mut Session, value: Option<&Node>) -> Result<Option<u16>> {
    let Some(Node::Integer(target)) = value else { return Ok(None) };
    match *target {
        -1 => return Ok(None),
        ..-1 => {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("statistics target {target} is too low"),
            ));
        }
        0..=MOST_STATISTICS => {}
        _ => {
            let message = format!("lowering statistics target to {MOST_STATISTICS}");
            session.notice("WARNING", EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
    }
    Ok(Some(*target.min(&MOST_STATISTICS) as u16))
}

/// SET STATISTICS.
pub fn set_statistics(session: &mut Session, table: &Table, name: &str, value: Option<&Node>) -> Result<()> {
    if name.is_empty() {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot refer to non-index column by number"));
    }
    let target = statistics_target(session, value)?;
    change(session, table, name, |column| {
        column.statistics_target = target;
        Ok(())
    })
}

/// The same for what an index computes, which may be named by its number.
pub fn set_index_statistics(
    session: &mut Session,
    table: &Table,
    position: usize,
    (name, number): (&str, i32),
    value: Option<&Node>,
) -> Result<()> {
    let target = statistics_target(session, value)?;
    let mut def = TableDef::clone(&table.def);
    let index = &mut def.indexes[position];
    let refused = |code: &'static str, message: String| EngineError::new(code, message);
    let missing = |what: String| {
        refused(sqlstate::UNDEFINED_COLUMN, format!("{what} of relation \"{}\" does not exist", index.name))
    };
    let environment = session.environment();
    let mut columns: Vec<_> = environment.catalog().attributes(index.oid).collect();
    columns.sort_by_key(|column| column.attnum);
    let found = match name.is_empty() {
        true => columns.iter().find(|column| i32::from(column.attnum) == number),
        false => columns.iter().find(|column| *column.attname == *name),
    };
    let column = found.ok_or_else(|| match name.is_empty() {
        true => missing(format!("column number {number}")),
        false => missing(format!("column \"{name}\"")),
    })?;
    let cannot = |what: &str| {
        let message = format!("cannot alter statistics on {what} \"{}\" of index \"{}\"", column.attname, index.name);
        refused(sqlstate::FEATURE_NOT_SUPPORTED, message)
    };
    match index.columns.get(column.attnum as usize - 1).map(|column| column.key.column()) {
        None => return Err(cannot("included column")),
        Some(Some(_)) => {
            return Err(cannot("non-expression column").hint("Alter statistics on table column instead."));
        }
        Some(None) => {}
    }
    if let Some(IndexKey::Expression(expression)) =
        index.columns.get_mut(column.attnum as usize - 1).map(|column| &mut column.key)
    {
        expression.statistics_target = target;
    }
    session.put_table(&table.def, def);
    Ok(())
}

/// SET and RESET of a column's parameters.
pub fn set_options(session: &mut Session, table: &Table, name: &str, options: &[Node], reset: bool) -> Result<()> {
    change(session, table, name, |column| match reset {
        true => reloptions::reset(reloptions::Of::Attribute, &mut column.options, options),
        false => reloptions::set(reloptions::Of::Attribute, &mut column.options, options),
    })
}

/// Changes what is said of a column and of none of its values.
fn change(
    session: &mut Session,
    table: &Table,
    name: &str,
    change: impl FnOnce(&mut ColumnDef) -> Result<()>,
) -> Result<()> {
    let position = position(&table.def, name)?;
    let mut def = TableDef::clone(&table.def);
    change(&mut def.columns[position])?;
    session.put_table(&table.def, def);
    Ok(())
}

pub async fn add_identity(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    name: &str,
    given: &Constraint,
) -> Result<()> {
    let position = position(&table.def, name)?;
    let mut def = TableDef::clone(&table.def);
    let column = &def.columns[position];
    let options = column::identity_options(session, statement, column.ty, &given.options)?;
    let refused = |what: &str| {
        let message = format!("column \"{name}\" of relation \"{}\" {what}", table.def.name);
        Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message))
    };
    if !column.not_null {
        return refused("must be declared NOT NULL before identity can be added");
    }
    if column.identity.is_some() {
        return refused("is already an identity column");
    }
    if column.default.is_some() {
        return refused("already has a default value");
    }
    def.columns[position].identity =
        Some(if given.generated_when == 'a' { Identity::Always } else { Identity::ByDefault });
    let column = def.columns[position].clone();
    column::make_sequence(session, (&def, position as i16 + 1), &column, &options).await?;
    session.put_table(&table.def, def);
    Ok(())
}

fn not_identity(def: &TableDef, name: &str) -> EngineError {
    let message = format!("column \"{name}\" of relation \"{}\" is not an identity column", def.name);
    EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
}

/// ALTER COLUMN … SET GENERATED, SET INCREMENT and their like, RESTART.
pub async fn set_identity(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &Arc<Table>,
    name: &str,
    options: &[Node],
) -> Result<()> {
    let position = position(&table.def, name)?;
    let mut def = TableDef::clone(&table.def);
    if def.columns[position].identity.is_none() {
        return Err(not_identity(&def, name));
    }
    let generated = |node: &Node| match node {
        Node::DefElem(option) if def_elem::name(option) == "generated" => Some(identity_of(option)),
        _ => None,
    };
    if let Some(identity) = options.iter().find_map(generated) {
        def.columns[position].identity = Some(identity?);
        session.put_table(&table.def, def.clone());
    }
    let rest: Vec<Node> = options.iter().filter(|node| generated(node).is_none()).cloned().collect();
    if !rest.is_empty() {
        let found = own_sequence(session, &def, position)?;
        let options = sequence::Options::read(session, statement, &rest)?;
        let found = sequence::lock(session, &found).await?;
        sequence::change(session, &found, &options).await?;
    }
    Ok(())
}

/// The grammar gives the letter of `pg_attribute.attidentity`, as a number.
fn identity_of(option: &DefElem) -> Result<Identity> {
    match def_elem::integer(option)? {
        number if number == i64::from(b'a') => Ok(Identity::Always),
        number if number == i64::from(b'd') => Ok(Identity::ByDefault),
        _ => Err(EngineError::unsupported("this form of GENERATED")),
    }
}

pub async fn drop_identity(session: &mut Session, table: &Arc<Table>, name: &str, if_exists: bool) -> Result<()> {
    let position = position(&table.def, name)?;
    let mut def = TableDef::clone(&table.def);
    if def.columns[position].identity.is_none() {
        let error = not_identity(&def, name);
        if if_exists {
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
            return Ok(());
        }
        return Err(error);
    }
    let found = own_sequence(session, &def, position)?;
    def.columns[position].identity = None;
    session.put_table(&table.def, def);
    // It is no part of the column any more, without which it could not be dropped.
    sequence::put(session, SequenceDef { owned_by: None, identity: false, ..SequenceDef::clone(&found) });
    let sequence = ObjectAddress { class: PG_CLASS, oid: found.oid, column: 0 };
    deletion::drop_all(session, &[sequence], DropBehavior::DROP_RESTRICT).await
}
