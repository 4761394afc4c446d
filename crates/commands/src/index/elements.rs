//! What an index is on, as statements say it: columns and expressions with their order and operator classes, included columns
//! and the predicate (`ComputeIndexAttrs` and `CheckPredicate` of PostgreSQL's `indexcmds.c`).

use std::sync::Arc;

use ::error::sqlstate;
use access::index::Method;
use analyze::query::{Expr, TypeRef, Var};
use analyze::relations::Relation;
use analyze::{ExprKind, analyze_collation, analyze_condition, analyze_expression, expr_collation, figure_index_name};
use catalog::{Catalog, INDETERMINATE_COLLATION};
use engine::{ColumnType, Computed, EngineError, IndexColumn, IndexDef, IndexExpression, IndexKey, Result, TableDef};
use expression::clauses::contain_mutable_functions;
use expression::{Execution, Folding, fold};
use session::errors::reported;
use session::{Environment, ParsedStatement, Session};
use syntax::nodes::{CollateClause, IndexElem, IndexStmt, Node, SortByDir, SortByNulls};
use types::{Oid, oid};

use crate::object::stored;
use crate::table::create_like::LikeIndex;
use crate::table::{column, constraint};

/// Columns of an index (`INDEX_MAX_KEYS`).
const MAX_COLUMNS: usize = 32;

/// The name of an index's column that is an expression without a better one.
const UNNAMED: &str = "expr";

/// What an index has of a table.
#[derive(Clone, Debug)]
pub struct Elements {
    pub access_method: Oid,
    pub columns: Vec<IndexColumn>,
    /// Positions in the table.
    pub included: Vec<usize>,
    pub predicate: Option<Computed>,
    /// By column of the key; none where all are their types'.
    pub operator_classes: Vec<Oid>,
}

impl Elements {
    /// A key of columns.
    pub fn of_columns(columns: &[usize], included: Vec<usize>) -> Elements {
        let columns = columns.iter().map(|&column| IndexColumn::of(column)).collect();
        let access_method = Method::DEFAULT.oid();
        Elements { access_method, columns, included, predicate: None, operator_classes: vec![] }
    }

    /// Those of an index.
    pub fn of(index: &IndexDef) -> Elements {
        let IndexDef { access_method, columns, included, predicate, operator_classes, .. } = index.clone();
        Elements { access_method, columns, included, predicate, operator_classes }
    }

    /// What CREATE INDEX says.
    pub fn read(
        session: &mut Session,
        statement: &ParsedStatement,
        table: &TableDef,
        (create, method): (&IndexStmt, Method),
    ) -> Result<Elements> {
        let relation = session.relation(table.oid)?;
        let reading = Reading { statement, table, relation };
        let condition = create.where_clause.as_ref().map(|node| reading.condition(session, node)).transpose()?;
        let mut analyzed = Vec::new();
        for element in elements(&create.index_params) {
            let expression = element.expr.as_ref().map(|node| reading.expression(session, node));
            analyzed.push((element, expression.transpose()?));
        }
        let count = create.index_params.len() + create.index_including_params.len();
        if count > MAX_COLUMNS {
            return Err(EngineError::new(
                sqlstate::TOO_MANY_COLUMNS,
                format!("cannot use more than {MAX_COLUMNS} columns in an index"),
            ));
        }
        let predicate = condition.map(|condition| reading.predicate(session, condition)).transpose()?;
        let mut columns: Vec<IndexColumn> = Vec::new();
        let mut operator_classes = Vec::new();
        for (element, expression) in analyzed {
            let (key, collation) = reading.key(session, element, expression)?;
            if let Some(column) = key.column()
                && columns.iter().any(|known| known.key.column() == Some(column))
            {
                return Err(EngineError::unsupported("the same column twice in an index"));
            }
            columns.push(ordered(key, element, collation));
            let ty = columns[columns.len() - 1].ty(&table.columns).oid;
            operator_classes.push(operator_class(session.environment().catalog(), method.oid(), ty, element)?);
        }
        if elements(&create.index_params).all(|element| element.opclass.is_empty()) {
            operator_classes.clear();
        }
        let included = elements(&create.index_including_params).map(|element| included(table, element));
        let included = included.collect::<Result<_>>()?;
        Ok(Elements { access_method: method.oid(), columns, included, predicate, operator_classes })
    }

    /// Those of another table's index, over the columns of the same names.
    pub fn like(session: &mut Session, table: &TableDef, like: &LikeIndex) -> Result<Elements> {
        let LikeIndex { index, source } = like;
        let mut elements = Elements::of(index);
        let what = format!("Index \"{}\"", index.name);
        let mapped = |session: &mut Session, computed: &mut Computed| {
            let expr = source.mapped(table, &computed.tree, &what)?;
            let columns = constraint::columns_of(&expr);
            *computed = Computed { tree: stored::kept(session, &expr, table.oid)?, columns };
            Ok::<(), EngineError>(())
        };
        for column in &mut elements.columns {
            match &mut column.key {
                IndexKey::Column(column) => *column = source.position(table, *column)?,
                IndexKey::Expression(expression) => mapped(session, &mut expression.computed)?,
            }
        }
        if let Some(predicate) = &mut elements.predicate {
            mapped(session, predicate)?;
        }
        for column in &mut elements.included {
            *column = source.position(table, *column)?;
        }
        Ok(elements)
    }

    /// The columns' names, before those that are alike get numbers.
    pub fn names<'a>(&'a self, table: &'a TableDef) -> impl Iterator<Item = &'a str> {
        engine::index_column_names(table, &self.columns, &self.included)
    }

    /// Refuses keys of types without an order.
    pub fn check_order(&self, session: &mut Session, table: &TableDef) -> Result<()> {
        let environment = session.environment();
        let catalog = environment.catalog();
        for column in &self.columns {
            let ty = column.ty(&table.columns).oid;
            if self.operator_classes.is_empty() {
                default_operator_class(catalog, self.access_method, ty)?;
            }
            if let Some(expression) = column.key.expression() {
                check_type(catalog, expression)?;
            }
            // Arrays are compared as their elements are.
            if !types::compare::has_order(ty) {
                let element = catalog.format_type(types::array::element_type(ty).unwrap_or(ty));
                let message = format!("could not identify a comparison function for type {element}");
                return Err(EngineError::new(sqlstate::UNDEFINED_FUNCTION, message));
            }
            // Shorter ones are before longer ones, which is no array's order.
            if ty == oid::OIDVECTOR {
                return Err(EngineError::unsupported("an index of type oidvector"));
            }
        }
        Ok(())
    }
}

/// Rows of no type and of types without values cannot be keys (`CheckAttributeType`).
fn check_type(catalog: Catalog<'_>, expression: &IndexExpression) -> Result<()> {
    let ty = expression.ty.oid;
    if catalog.pg_type(ty).is_some_and(|row| row.typtype == b'p') {
        let message = format!("column \"{}\" has pseudo-type {}", expression.name, catalog.format_type(ty));
        return Err(EngineError::new(sqlstate::INVALID_TABLE_DEFINITION, message));
    }
    expression.repr().map(|_| ())
}

pub fn elements(params: &[Node]) -> impl Iterator<Item = &IndexElem> {
    params.iter().filter_map(|node| match node {
        Node::IndexElem(element) => Some(&**element),
        _ => None,
    })
}

fn ordered(key: IndexKey, element: &IndexElem, collation: Option<Oid>) -> IndexColumn {
    let descending = element.ordering == SortByDir::SORTBY_DESC;
    // NULLs are larger than everything.
    let nulls_first = match element.nulls_ordering {
        SortByNulls::SORTBY_NULLS_DEFAULT => descending,
        order => order == SortByNulls::SORTBY_NULLS_FIRST,
    };
    IndexColumn { key, descending, nulls_first, collation }
}

/// A column of the table that an index is on; system columns are not written to indexes.
fn position(table: &TableDef, name: &str) -> Result<usize> {
    if column::is_system(name) {
        return Err(system_column());
    }
    table
        .column(name)
        .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist")))
}

fn system_column() -> EngineError {
    EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "index creation on system columns is not supported")
}

/// A column behind the key: it has no order.
fn included(table: &TableDef, element: &IndexElem) -> Result<usize> {
    let Some(name) = element.name.as_deref() else {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "expressions are not supported in included columns",
        ));
    };
    let found = position(table, name)?;
    for (given, what) in [
        (!element.collation.is_empty(), "a collation"),
        (!element.opclass.is_empty(), "an operator class"),
        (element.ordering != SortByDir::SORTBY_DEFAULT, "ASC/DESC options"),
        (element.nulls_ordering != SortByNulls::SORTBY_NULLS_DEFAULT, "NULLS FIRST/LAST options"),
    ] {
        if given {
            return Err(EngineError::new(
                sqlstate::INVALID_OBJECT_DEFINITION,
                format!("including column does not support {what}"),
            ));
        }
    }
    Ok(found)
}

/// A statement that is being read, and its table.
struct Reading<'s> {
    statement: &'s ParsedStatement,
    table: &'s TableDef,
    relation: Arc<Relation>,
}

impl Reading<'_> {
    fn condition(&self, session: &mut Session, node: &Node) -> Result<Expr> {
        let (relation, kind) = (&self.relation, ExprKind::IndexPredicate);
        session.analyze_kept(self.statement, |with| analyze_condition(with, node, relation, kind, "WHERE"))
    }

    fn expression(&self, session: &mut Session, node: &Node) -> Result<Expr> {
        let (relation, kind) = (Some(&self.relation), ExprKind::IndexExpression);
        session.analyze_kept(self.statement, |with| analyze_expression(with, node, relation, kind))
    }

    fn predicate(&self, session: &mut Session, condition: Expr) -> Result<Computed> {
        kept(session, &self.relation, condition, ExprKind::IndexPredicate)
    }

    /// A column of the key, and the collation that is said for it, if that is another than its own; `expression` is its expression,
    /// if it has one.
    fn key(
        &self,
        session: &mut Session,
        element: &IndexElem,
        mut expression: Option<Expr>,
    ) -> Result<(IndexKey, Option<Oid>)> {
        // COLLATE around all of an expression is the index's.
        let mut said = None;
        while let Some(Expr::RelabelType(label)) = &mut expression
            && let Some(collation) = label.collation
        {
            said.get_or_insert(collation);
            expression = Some(std::mem::replace(&mut label.argument, Expr::MergeAction));
        }
        let key = self.key_of(session, element, expression)?;
        let column = IndexColumn { key, descending: false, nulls_first: false, collation: None };
        let ty = column.ty(&self.table.columns).oid;
        if !element.collation.is_empty() {
            let clause = CollateClause { arg: None, collname: element.collation.clone(), location: -1 };
            said = Some(session.analyze_kept(self.statement, |with| analyze_collation(with, &clause, ty))?);
        }
        let own = column.collation(&self.table.columns);
        let own = own.or_else(|| session.environment().catalog().type_collation(ty));
        if said.is_none() && own == Some(INDETERMINATE_COLLATION) {
            return Err(indeterminate());
        }
        Ok((column.key, said.filter(|said| own != Some(*said))))
    }

    fn key_of(&self, session: &mut Session, element: &IndexElem, expression: Option<Expr>) -> Result<IndexKey> {
        let Some(expression) = expression else {
            return position(self.table, element.name.as_deref().unwrap_or_default()).map(IndexKey::Column);
        };
        if let Expr::Var(Var { attribute, .. }) = expression
            && attribute != 0
        {
            let column = usize::try_from(attribute).ok().and_then(|number| number.checked_sub(1));
            return column.map(IndexKey::Column).ok_or_else(system_column);
        }
        let named = element.indexcolname.as_deref().map(str::to_string);
        let name = named.or_else(|| element.expr.as_ref().and_then(figure_index_name));
        let TypeRef { oid, typmod } = expression.ty();
        let collation = collation_of(session, &expression)?;
        let computed = kept(session, &self.relation, expression, ExprKind::IndexExpression)?;
        let ty = ColumnType::new(session.environment().catalog(), oid, typmod);
        let name = name.unwrap_or_else(|| UNNAMED.to_string());
        let expression = IndexExpression { name, computed, ty, collation, statistics_target: None };
        Ok(IndexKey::Expression(Box::new(expression)))
    }
}

/// The collation of an expression's values, if that is not their type's; [`INDETERMINATE_COLLATION`]: it could not be told.
fn collation_of(session: &mut Session, expression: &Expr) -> Result<Option<Oid>> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let found = expr_collation(catalog, expression).map_err(|error| reported(error, ""))?;
    Ok(match catalog.type_collation(expression.ty().oid) {
        None => None,
        Some(_) if found == oid::INVALID => Some(INDETERMINATE_COLLATION),
        Some(own) => Some(found).filter(|found| *found != own),
    })
}

fn indeterminate() -> EngineError {
    EngineError::new(
        sqlstate::INDETERMINATE_COLLATION,
        "could not determine which collation to use for index expression",
    )
    .hint("Use the COLLATE clause to set the collation explicitly.")
}

/// An expression as an index's definition keeps it. Its values must depend on the row alone.
fn kept(session: &mut Session, relation: &Arc<Relation>, expr: Expr, kind: ExprKind) -> Result<Computed> {
    let environment = session.environment();
    check_immutable(&environment, &expr, kind)?;
    let mut of_system = false;
    expr.contains(&mut |inner| {
        of_system |= matches!(inner, Expr::Var(var) if var.attribute < 0);
        false
    });
    if of_system {
        return Err(system_column());
    }
    if expr.contains(&mut |inner| matches!(inner, Expr::Var(var) if var.attribute == 0)) {
        return Err(EngineError::unsupported("an index on whole rows"));
    }
    let columns = constraint::columns_of(&expr);
    Ok(Computed { tree: stored::kept(session, &expr, relation.oid)?, columns })
}

/// `contain_mutable_functions_after_planning`: what is computed beforehand may be whatever it is.
fn check_immutable(environment: &Environment, expr: &Expr, kind: ExprKind) -> Result<()> {
    let catalog = environment.catalog();
    let execution = Execution::new(Arc::new(environment.stored.clone()));
    let folding = Folding { catalog, execution: &execution, bound: false, estimate: false };
    let folded = fold(expr.clone(), &folding).map_err(|error| reported(error, ""))?;
    if contain_mutable_functions(catalog, &folded) {
        let what = if kind == ExprKind::IndexPredicate { "predicate" } else { "expression" };
        let message = format!("functions in index {what} must be marked IMMUTABLE");
        return Err(EngineError::new(sqlstate::INVALID_OBJECT_DEFINITION, message));
    }
    Ok(())
}

/// An expression of an index whose table's columns have other types now: what this SQL means.
pub fn reread_key(
    session: &mut Session,
    relation: &Arc<Relation>,
    expression: &mut IndexExpression,
    text: &str,
) -> Result<()> {
    let expr = stored::read_again(session, text, relation, ExprKind::IndexExpression)?;
    let TypeRef { oid, typmod } = expr.ty();
    expression.ty = ColumnType::new(session.environment().catalog(), oid, typmod);
    expression.collation = collation_of(session, &expr)?;
    expression.computed = kept(session, relation, expr, ExprKind::IndexExpression)?;
    Ok(())
}

/// The same for a predicate.
pub fn reread_predicate(
    session: &mut Session,
    relation: &Arc<Relation>,
    predicate: &mut Computed,
    text: &str,
) -> Result<()> {
    let expr = stored::read_again(session, text, relation, ExprKind::IndexPredicate)?;
    *predicate = kept(session, relation, expr, ExprKind::IndexPredicate)?;
    Ok(())
}

/// The operator class of a column (`ResolveOpClass`).
fn operator_class(catalog: Catalog<'_>, access_method: Oid, ty: Oid, element: &IndexElem) -> Result<Oid> {
    if !element.opclassopts.is_empty() {
        return Err(EngineError::unsupported("options of an operator class"));
    }
    let parts: Vec<&str> = element
        .opclass
        .iter()
        .filter_map(|part| match part {
            Node::String(part) => Some(&**part),
            _ => None,
        })
        .collect();
    let Some(&name) = parts.last() else {
        return default_operator_class(catalog, access_method, ty);
    };
    let shown = parts.join(".");
    let schema = match parts[..] {
        [schema, _] => Some(catalog.namespace_oid(schema).map_err(|error| reported(error, ""))?),
        _ => None,
    };
    let mut named = catalog
        .opclasses_named(name)
        .filter(|class| class.opcmethod == access_method && schema.is_none_or(|schema| class.opcnamespace == schema))
        .peekable();
    if named.peek().is_none() {
        let method = shown_method(catalog, access_method);
        let message = format!("operator class \"{shown}\" does not exist for access method \"{method}\"");
        return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, message));
    }
    let fits = |class: Oid| class == ty || catalog.is_binary_coercible(ty, class);
    let class = named.find(|class| fits(class.opcintype)).map(|class| class.oid);
    class.ok_or_else(|| refuses_type(catalog, &shown, ty))
}

/// Fails where a collation or an operator class that was named for an index is not good for its column's type any more.
pub fn check_types(session: &mut Session, def: &TableDef, index: &IndexDef) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    for column in index.columns.iter().filter(|column| column.collation.is_some()) {
        let ty = column.ty(&def.columns).oid;
        if catalog.type_collation(ty).is_none() {
            let message = format!("collations are not supported by type {}", catalog.format_type(ty));
            return Err(EngineError::new(sqlstate::DATATYPE_MISMATCH, message));
        }
    }
    if index.columns.iter().any(|column| column.collation(&def.columns) == Some(INDETERMINATE_COLLATION)) {
        return Err(indeterminate());
    }
    for (column, &class) in index.columns.iter().zip(&index.operator_classes) {
        let (ty, class) = (column.ty(&def.columns).oid, catalog.opclass(class));
        let fits = class.is_none_or(|class| class.opcintype == ty || catalog.is_binary_coercible(ty, class.opcintype));
        if let Some(class) = class.filter(|_| !fits) {
            return Err(refuses_type(catalog, &class.opcname, ty));
        }
    }
    Ok(())
}

fn refuses_type(catalog: Catalog<'_>, class: &str, ty: Oid) -> EngineError {
    let ty = catalog.format_type(ty);
    EngineError::new(sqlstate::DATATYPE_MISMATCH, format!("operator class \"{class}\" does not accept data type {ty}"))
}

fn shown_method(catalog: Catalog<'_>, access_method: Oid) -> String {
    catalog.access_method(access_method).map_or_else(|| access_method.to_string(), |row| row.amname.to_string())
}

fn default_operator_class(catalog: Catalog<'_>, access_method: Oid, ty: Oid) -> Result<Oid> {
    catalog.default_opclass(ty, access_method).ok_or_else(|| {
        let (ty, method) = (catalog.format_type(ty), shown_method(catalog, access_method));
        let message = format!("data type {ty} has no default operator class for access method \"{method}\"");
        EngineError::new(sqlstate::UNDEFINED_OBJECT, message).hint(
            "You must specify an operator class for the index or define a default operator class for the data type.",
        )
    })
}
