//! Columns as CREATE TABLE and ALTER TABLE describe them: `transformColumnDefinition` of PostgreSQL's `parse_utilcmd.c`.

use ::error::sqlstate;
use access::Storage;
use analyze::query::{CoercionForm, Collation, Const, Expr, FuncExpr, Location, TypeRef};
use analyze::{analyze_collation, analyze_default, analyze_type_name, coerce_for_assignment};
use catalog::Catalog;
use engine::{ColumnDef, ColumnType, EngineError, Identity, NodeTree, Result, TableDef};
use session::errors::at;
pub use session::is_system_column as is_system;
use session::{ParsedStatement, Session};
use syntax::nodes::{ColumnDef as RawColumn, ConstrType, Constraint, Node, TypeName};
use types::acl::mode::USAGE;
use types::{Datum, Oid, oid};

use crate::object::alter::of_type;
use crate::object::dependency::hold_types;
use crate::object::names;
use crate::object::stored;
use crate::sequence::{self, Options};
use crate::table::constraint;

/// The function `nextval(regclass)`.
const NEXTVAL: Oid = 1574;

/// A column that is to be made, and what is to be made with it.
pub struct NewColumn<'n> {
    /// Without its default.
    pub column: ColumnDef,
    pub default: Option<&'n Node>,
    /// Keys and checks.
    pub constraints: Vec<&'n Constraint>,
    /// Of `serial` and identity columns.
    pub sequence: Option<Options>,
}

/// The collation of a column that a query gives, if that is not its type's; `None`: it could not be told.
pub fn collation_of_result(catalog: Catalog<'_>, (ty, collation): (Oid, Collation)) -> Option<Option<u32>> {
    let own = catalog.type_collation(ty);
    match collation {
        Collation(oid::INVALID) if own.is_some() => None,
        Collation(found) => Some(Some(found).filter(|found| own.is_some_and(|own| own != *found))),
    }
}

/// What COLLATE says of a column.
pub fn collation_of(
    session: &mut Session,
    statement: &ParsedStatement,
    raw: &RawColumn,
    ty: ColumnType,
) -> Result<Option<Oid>> {
    let found = match &raw.coll_clause {
        Some(clause) => Some(session.analyze(&statement.text, &[], |with| analyze_collation(with, clause, ty.oid))?),
        // A domain may have another one than its values.
        None => session.environment().catalog().type_collation(ty.oid),
    };
    let of_values = Catalog::BUILT_IN.type_collation(ty.value.0);
    Ok(found.filter(|found| of_values != Some(*found)))
}

/// Reads a column's definition. `table`: the name of its table, for messages.
pub fn read<'n>(
    session: &mut Session,
    statement: &ParsedStatement,
    table: &str,
    raw: &'n RawColumn,
) -> Result<NewColumn<'n>> {
    let name = raw.colname.as_deref().unwrap_or_default();
    check_name(name)?;
    let Some(type_name) = &raw.type_name else { return Err(EngineError::unsupported("a column without a type")) };
    let serial = serial_type(type_name)?;
    let ty = match serial {
        Some(ty) => ColumnType::of(ty),
        None => type_of(session, statement, name, type_name)?,
    };
    let collation = collation_of(session, statement, raw, ty)?;
    if !raw.fdwoptions.is_empty() {
        return Err(EngineError::unsupported("a column's OPTIONS"));
    }
    let mut column = ColumnDef { not_null: serial.is_some(), collation, ..ColumnDef::new(name, ty) };
    if let Some(storage) = &raw.storage_name {
        column.storage = storage_of(ty, storage)?;
    }
    if let Some(method) = &raw.compression {
        column.compression = compression_of(ty, method)?;
    }
    let sequence = serial.map(|ty| Options::default().of_column(ty)).transpose()?;
    let mut reader =
        Reader { new: NewColumn { column, default: None, constraints: vec![], sequence }, table, nullable: false };
    for (position, node) in raw.constraints.iter().enumerate() {
        let Node::Constraint(given) = node else { continue };
        let outcome = reader.constraint(session, statement, given, &raw.constraints[..position]);
        outcome.map_err(|error| match error.position {
            None => at(error, &statement.text, given.location),
            Some(_) => error,
        })?;
    }
    Ok(reader.new)
}

/// What STORAGE says (`GetAttributeStorage`); `None`: what the type says.
pub fn storage_of(ty: ColumnType, name: &str) -> Result<Option<Storage>> {
    let storage = match name.to_ascii_lowercase().as_str() {
        "plain" => Storage::Plain,
        "external" => Storage::External,
        "extended" => Storage::Extended,
        "main" => Storage::Main,
        "default" => return Ok(None),
        _ => {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("invalid storage type \"{name}\""),
            ));
        }
    };
    if storage != Storage::Plain && ty.storage() == Storage::Plain {
        let message = format!("column data type {} can only have storage PLAIN", Catalog::BUILT_IN.format_type(ty.oid));
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    Ok(Some(storage))
}

/// Does COMPRESSION name a method (`GetAttributeCompression`)? There is one.
pub fn compression_of(ty: ColumnType, name: &str) -> Result<bool> {
    if name == "default" {
        return Ok(false);
    }
    if ty.storage() == Storage::Plain {
        let message =
            format!("column data type {} does not support compression", Catalog::BUILT_IN.format_type(ty.oid));
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    match name {
        "lz4" => Ok(true),
        "pglz" => {
            Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "compression method pglz not supported")
                .hint("Use lz4."))
        }
        _ => Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid compression method \"{name}\""))),
    }
}

struct Reader<'n, 'a> {
    new: NewColumn<'n>,
    table: &'a str,
    /// NULL was written.
    nullable: bool,
}

impl<'n> Reader<'n, '_> {
    fn constraint(
        &mut self,
        session: &mut Session,
        statement: &ParsedStatement,
        given: &'n Constraint,
        before: &[Node],
    ) -> Result<()> {
        use ConstrType::*;
        match given.contype {
            CONSTR_NULL if self.allows_no_null() => return Err(self.conflicting_nulls()),
            CONSTR_NULL => self.nullable = true,
            CONSTR_NOTNULL => {
                constraint::check_not_null(given, self.table, &self.new.column.name)?;
                self.not_null()?;
            }
            CONSTR_DEFAULT if self.new.default.is_some() || self.is_serial() => {
                return Err(self.twice("default values specified"));
            }
            CONSTR_DEFAULT => self.new.default = given.raw_expr.as_ref(),
            CONSTR_IDENTITY if self.is_serial() => return Err(self.default_and_identity()),
            CONSTR_IDENTITY => self.identity(session, statement, given)?,
            CONSTR_GENERATED => return Err(EngineError::unsupported("a generated column")),
            CONSTR_PRIMARY => {
                if self.nullable {
                    return Err(self.conflicting_nulls());
                }
                self.new.constraints.push(given);
            }
            CONSTR_CHECK | CONSTR_UNIQUE => self.new.constraints.push(given),
            CONSTR_FOREIGN => return Err(EngineError::unsupported("REFERENCES")),
            CONSTR_EXCLUSION => return Err(EngineError::unsupported("EXCLUDE")),
            attribute => constraint::check_attribute(attribute, before)?,
        }
        if self.new.column.identity.is_some() && self.new.default.is_some() {
            return Err(self.default_and_identity());
        }
        Ok(())
    }

    fn default_and_identity(&self) -> EngineError {
        let (name, table) = (&self.new.column.name, self.table);
        let message = format!("both default and identity specified for column \"{name}\" of table \"{table}\"");
        EngineError::new(sqlstate::SYNTAX_ERROR, message)
    }

    /// Does what was said before rule NULL out?
    fn allows_no_null(&self) -> bool {
        let is_key = |given: &&Constraint| given.contype == ConstrType::CONSTR_PRIMARY;
        self.new.column.not_null || self.is_serial() || self.new.constraints.iter().any(is_key)
    }

    fn is_serial(&self) -> bool {
        self.new.sequence.is_some() && self.new.column.identity.is_none()
    }

    fn not_null(&mut self) -> Result<()> {
        if self.nullable {
            return Err(self.conflicting_nulls());
        }
        self.new.column.not_null = true;
        Ok(())
    }

    fn identity(&mut self, session: &mut Session, statement: &ParsedStatement, given: &Constraint) -> Result<()> {
        if self.new.column.identity.is_some() {
            return Err(self.twice("identity specifications"));
        }
        self.not_null()?;
        self.new.column.identity =
            Some(if given.generated_when == 'a' { Identity::Always } else { Identity::ByDefault });
        if !self.is_serial() && self.new.sequence.is_none() {
            self.new.sequence = Some(identity_options(session, statement, self.new.column.ty, &given.options)?);
        }
        Ok(())
    }

    fn twice(&self, what: &str) -> EngineError {
        let (name, table) = (&self.new.column.name, self.table);
        EngineError::new(sqlstate::SYNTAX_ERROR, format!("multiple {what} for column \"{name}\" of table \"{table}\""))
    }

    fn conflicting_nulls(&self) -> EngineError {
        let (name, table) = (&self.new.column.name, self.table);
        let message = format!("conflicting NULL/NOT NULL declarations for column \"{name}\" of table \"{table}\"");
        EngineError::new(sqlstate::SYNTAX_ERROR, message)
    }
}

/// What GENERATED … AS IDENTITY (…) says of the sequence.
pub fn identity_options(
    session: &mut Session,
    statement: &ParsedStatement,
    ty: ColumnType,
    options: &[Node],
) -> Result<Options> {
    if sequence::integer_type(ty.oid).is_none() {
        return Err(EngineError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "identity column type must be smallint, integer, or bigint",
        ));
    }
    Options::read(session, statement, options)?.of_column(ty.oid)
}

/// `serial` and its sisters.
fn serial_type(name: &TypeName) -> Result<Option<Oid>> {
    let [Node::String(word)] = &name.names[..] else { return Ok(None) };
    let ty = match &**word {
        _ if name.pct_type || !name.typmods.is_empty() => return Ok(None),
        "smallserial" | "serial2" => oid::INT2,
        "serial" | "serial4" => oid::INT4,
        "bigserial" | "serial8" => oid::INT8,
        _ => return Ok(None),
    };
    if !name.array_bounds.is_empty() {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "array of serial is not implemented"));
    }
    Ok(Some(ty))
}

/// The type that a column's definition names.
pub fn type_of(
    session: &mut Session,
    statement: &ParsedStatement,
    column: &str,
    name: &TypeName,
) -> Result<ColumnType> {
    if name.setof {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{column}\" cannot be declared SETOF"),
        ));
    }
    let ty = session.analyze(&statement.text, &[], |with| analyze_type_name(with, name))?;
    column_type(session, column, ty)
}

/// A type as columns have it: one whose values can be stored.
pub fn column_type(session: &mut Session, column: &str, ty: TypeRef) -> Result<ColumnType> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let text = || catalog.format_type_with_typmod(ty.oid, ty.typmod);
    if catalog.pg_type(ty.oid).is_some_and(|row| row.typtype == b'p') {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{column}\" has pseudo-type {}", text()),
        ));
    }
    let stored = ColumnType::new(catalog, ty.oid, ty.typmod);
    match stored.repr() {
        Some(_) => Ok(stored),
        None => Err(EngineError::unsupported(format!("type {}", text()))),
    }
}

/// Holds the types of a new relation's columns. Fails where the session may not use them (`BuildDescForRelation`).
pub async fn require_usage(session: &mut Session, types: impl IntoIterator<Item = Oid>) -> Result<()> {
    let types: Vec<Oid> = types.into_iter().collect();
    types.iter().try_for_each(|ty| session.shared.require(of_type(*ty), USAGE))?;
    hold_types(session, types).await
}

/// Fails for the names that every table has already.
pub fn check_name(name: &str) -> Result<()> {
    if is_system(name) {
        let message = format!("column name \"{name}\" conflicts with a system column name");
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    Ok(())
}

/// Makes a column's sequence and gives the column its default. `table`: what its sequence is to belong to, under the column's
/// number; it need not be there yet.
pub async fn complete(
    session: &mut Session,
    statement: &ParsedStatement,
    (table, number): (&TableDef, i16),
    new: &mut NewColumn<'_>,
) -> Result<()> {
    if let Some(options) = &new.sequence {
        let default = make_sequence(session, (table, number), &new.column, options).await?;
        new.column.default = (new.column.identity.is_none()).then_some(default);
    }
    if let Some(node) = new.default {
        new.column.default = default_of(session, statement, node, &new.column)?;
    }
    Ok(())
}

/// Makes the sequence of a column; gives the call that draws from it.
pub async fn make_sequence(
    session: &mut Session,
    (table, number): (&TableDef, i16),
    column: &ColumnDef,
    options: &Options,
) -> Result<NodeTree> {
    let (schema, name) = match options.name.as_deref() {
        None => {
            let name = names::choose(session, table.namespace, &table.name, &column.name, "seq").await?;
            (session.schema_name(table.namespace), name)
        }
        Some(parts) => {
            let name = parts.last().cloned().unwrap_or_default();
            let schema = session.schema_name(table.namespace);
            if parts.len() > 1 && parts[parts.len() - 2] != schema {
                return Err(EngineError::unsupported("a sequence in another schema than its table"));
            }
            names::claim_in(session, table.namespace, &name).await?;
            (schema, name)
        }
    };
    let command = if session.table_of(table.oid).is_ok() { "ALTER TABLE" } else { "CREATE TABLE" };
    let (of, column_name) = (&table.name, &column.name);
    let message =
        format!("{command} will create implicit sequence \"{name}\" for serial column \"{of}.{column_name}\"");
    session.notice("DEBUG1", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    let owner = Some((table.oid, number));
    let made = sequence::create_named(session, (&schema, &name), options, owner, column.identity.is_some()).await?;
    let regclass = Const { ty: TypeRef::of(oid::REGCLASS), value: Datum::U32(made.oid), location: Location::NONE };
    let call = Expr::FuncExpr(FuncExpr {
        function: NEXTVAL,
        result: TypeRef::of(oid::INT8),
        returns_set: false,
        variadic: false,
        form: CoercionForm::ExplicitCall,
        collation: oid::INVALID,
        arguments: vec![Expr::Const(regclass)],
        location: Location::NONE,
    });
    let ty = TypeRef { oid: column.ty.oid, typmod: column.ty.typmod };
    let value = session.analyze(&"".into(), &[], |with| coerce_for_assignment(with, call, ty))?;
    let refused = || {
        EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, "identity column type must be smallint, integer, or bigint")
    };
    stored::kept(session, &value.ok_or_else(refused)?, oid::INVALID)
}

/// A default as it is kept; `None`: it is NULL.
pub fn default_of(
    session: &mut Session,
    statement: &ParsedStatement,
    node: &Node,
    column: &ColumnDef,
) -> Result<Option<NodeTree>> {
    let ty = TypeRef { oid: column.ty.oid, typmod: column.ty.typmod };
    let value = session.analyze_kept(statement, |with| analyze_default(with, node, &column.name, ty))?;
    if matches!(&value, Expr::Const(Const { value: Datum::Null, .. })) {
        return Ok(None);
    }
    stored::kept(session, &value, oid::INVALID).map(Some)
}
