//! Objects' definitions as SQL, with the names of the moment: what `pg_get_indexdef` and its sisters say (PostgreSQL's
//! `ruleutils.c`).

use std::sync::Arc;

use analyze::nodes;
use analyze::query::{Expr, Var, WindowIndex};
use analyze::relations::{CatalogRelations, Relation, Relations};
use analyze::rewrite::recorded::domain_condition;
use analyze::rewrite::stored::{self, StoredTrees};
use analyze::ruleutils::{Deparse, Referent, VarNames, WindowReferent, deparse_definition, deparse_view};
use catalog::catalogs::{PgClass, PgConstraint};
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID, quote_identifier};
use error::sqlstate;
use types::names::Definition;
use types::{Context, Error, Oid, Result, oid};

use crate::definition::catalog_names::CatalogNames;
use crate::definition::columns::Columns;
use crate::environment::search_path::PG_TEMP;
use crate::environment::stored_context;

use crate::definition::function_definition::function_definition;
use crate::definition::index_definition::{included, index_definition};

/// With what definitions are written.
pub(crate) struct Writing<'a> {
    pub catalog: Catalog<'a>,
    context: Context,
    pub pretty: bool,
}

impl<'a> Writing<'a> {
    fn new(names: &'a CatalogNames, pretty: bool) -> Writing<'a> {
        let context = Context { names: Arc::new(names.clone()), ..Context::default() };
        Writing { catalog: names.catalog(), context, pretty }
    }

    pub fn deparse(&self) -> Deparse<'_> {
        Deparse { catalog: self.catalog, relations: &self.catalog, context: &self.context, pretty: self.pretty }
    }

    /// An expression over a relation's columns.
    pub fn expression(&self, expr: &Expr, relation: Option<&Relation>) -> Result<String> {
        deparse_definition(self.deparse(), expr, &Columns(relation))
    }
}

/// A definition; `None`: there is no such object.
pub fn definition(names: &CatalogNames, what: Definition<'_>) -> Result<Option<String>> {
    let catalog = names.catalog();
    match what {
        Definition::Index { index, column, pretty } => {
            let Some(row) = catalog.index(index) else { return Ok(None) };
            index_definition(&Writing::new(names, pretty), row, column)
        }
        Definition::Constraint { constraint, pretty } => {
            let writing = Writing::new(names, pretty);
            catalog.constraint(constraint).map(|row| constraint_text(&writing, row)).transpose()
        }
        Definition::View { view, pretty, wrap } => view_text(names, view, pretty, wrap),
        Definition::Expression { text, relation, pretty } => expression_text(names, text, relation, pretty),
        Definition::Function { .. }
        | Definition::FunctionArguments { .. }
        | Definition::FunctionIdentityArguments { .. }
        | Definition::FunctionResult { .. }
        | Definition::FunctionArgumentDefault { .. }
        | Definition::FunctionBody { .. } => function_definition(catalog, what),
        // There are no such objects.
        Definition::Trigger { .. }
        | Definition::PartitionKey { .. }
        | Definition::PartitionConstraint { .. }
        | Definition::Statistics { .. } => Ok(None),
        other => Err(Error::unsupported(format_args!("the definition of {other:?}"))),
    }
}

/// `pg_get_viewdef`; `None`: there is no such view.
fn view_text(names: &CatalogNames, view: Oid, pretty: bool, wrap: i32) -> Result<Option<String>> {
    let catalog = names.catalog();
    // Those of the system are recorded as they are written with all parentheses.
    if view < FIRST_NORMAL_OBJECT_ID && !pretty {
        return Ok(catalog.view_definition(view).map(str::to_string));
    }
    if catalog.relation(view).is_none_or(|row| row.relkind != b'v') {
        return Ok(None);
    }
    let trees = StoredTrees::new(stored_context(&names.objects, &names.database));
    let analyzed = CatalogRelations { catalog, trees: &trees }.view_query(view)?;
    let mut columns: Vec<_> = catalog.attributes(view).filter(|column| column.attnum > 0).collect();
    columns.sort_by_key(|column| column.attnum);
    let columns: Vec<String> = columns.iter().map(|column| column.attname.to_string()).collect();
    let wrap = if pretty { wrap } else { 0 };
    deparse_view(Writing::new(names, pretty).deparse(), &analyzed.query, &columns, wrap).map(Some)
}

/// `pg_get_expr`; `None`: there is no such relation.
fn expression_text(names: &CatalogNames, text: &str, relation: Oid, pretty: bool) -> Result<Option<String>> {
    let writing = Writing::new(names, pretty);
    let over = writing.catalog.relation_by_oid(relation);
    if over.is_none() && relation != oid::INVALID {
        return Ok(None);
    }
    // What a view's rule has for a condition.
    if text == "<>" {
        return Ok(Some(String::new()));
    }
    // What PostgreSQL's own objects are recorded with.
    if !nodes::is_tree(text) {
        return Ok(Some(text.to_string()));
    }
    let wrong = |message: &str| Error::new(sqlstate::INVALID_PARAMETER_VALUE, message);
    let exprs: Vec<Expr> = match nodes::kind(text) {
        nodes::Kind::Node => vec![nodes::read(text)?],
        nodes::Kind::List => nodes::read(text)?,
        nodes::Kind::Structure => return Err(wrong("input is a query, not an expression")),
    };
    let has_columns = |expr: &Expr| expr.contains(&mut |inner| matches!(inner, Expr::Var(_)));
    if over.is_none() && exprs.iter().any(has_columns) {
        return Err(wrong("expression contains variables"));
    }
    exprs.iter().try_for_each(|expr| stored::verified(expr, over.as_deref()))?;
    let texts = exprs.iter().map(|expr| writing.expression(expr, over.as_deref()));
    Ok(Some(texts.collect::<Result<Vec<_>>>()?.join(", ")))
}

pub(crate) fn column_name(catalog: Catalog<'_>, relation: Oid, number: i16) -> Option<String> {
    let found = catalog.attributes(relation).find(|column| column.attnum == number)?;
    Some(quote_identifier(&found.attname).into_owned())
}

pub(crate) fn column_names(catalog: Catalog<'_>, relation: Oid, numbers: &[i16]) -> String {
    let names: Vec<String> = numbers.iter().filter_map(|&number| column_name(catalog, relation, number)).collect();
    names.join(", ")
}

/// With its schema unless it is to be `short` and the search path finds it without.
pub(crate) fn table_name(catalog: Catalog<'_>, table: &PgClass, short: bool) -> Option<String> {
    let named = |schema: &Oid| catalog.relations_named(&table.relname).find(|row| row.relnamespace == *schema);
    let first = catalog.search_path.iter().find_map(named);
    let name = quote_identifier(&table.relname);
    if short && first.is_some_and(|first| first.oid == table.oid) {
        return Some(name.into_owned());
    }
    let schema = &*catalog.namespace(table.relnamespace)?.nspname;
    // The session's own schema of temporary objects is the one that it searches.
    let own = schema.starts_with("pg_temp_") && catalog.search_path.contains(&table.relnamespace);
    Some(format!("{}.{name}", if own { PG_TEMP.into() } else { quote_identifier(schema) }))
}

/// Storage parameters as WITH has them: values that are no plain words in quotes.
pub(crate) fn options_text(options: &[catalog::facts::Name]) -> String {
    let option = |option: &catalog::facts::Name| match option.split_once('=') {
        Some((name, value)) if quote_identifier(value) == value => format!("{}={value}", quote_identifier(name)),
        Some((name, value)) => format!("{}='{}'", quote_identifier(name), value.replace('\'', "''")),
        None => option.to_string(),
    };
    options.iter().map(option).collect::<Vec<_>>().join(", ")
}

/// What stands behind CONSTRAINT and the name.
fn constraint_text(writing: &Writing<'_>, constraint: &PgConstraint) -> Result<String> {
    let catalog = writing.catalog;
    let key = constraint.conkey.as_deref().unwrap_or_default();
    let columns = || column_names(catalog, constraint.conrelid, key);
    let text = match constraint.contype {
        b'p' => format!("PRIMARY KEY ({}){}", columns(), included(catalog, constraint.conindid)),
        b'u' => {
            let index = catalog.index(constraint.conindid);
            let nulls = if index.is_some_and(|row| row.indnullsnotdistinct) { " NULLS NOT DISTINCT" } else { "" };
            format!("UNIQUE{nulls} ({}){}", columns(), included(catalog, constraint.conindid))
        }
        b'c' => format!("CHECK ({})", condition(writing, constraint)?),
        b'n' => format!("NOT NULL {}", columns()),
        other => return Err(Error::unsupported(format_args!("a constraint of type \"{}\"", other as char))),
    };
    Ok(text)
}

fn condition(writing: &Writing<'_>, constraint: &PgConstraint) -> Result<String> {
    let catalog = writing.catalog;
    let kept = constraint.conbin.as_deref().unwrap_or_default();
    // Domains are PostgreSQL's own, whose conditions are recorded with all parentheses.
    if constraint.contypid != oid::INVALID {
        if !writing.pretty {
            return Ok(kept.to_string());
        }
        let condition = domain_condition(catalog, &Context::default(), constraint.contypid, kept)?;
        return deparse_definition(writing.deparse(), &condition, &DomainValue);
    }
    let relation = catalog.relation_by_oid(constraint.conrelid);
    writing.expression(&stored::expression(kept, relation.as_deref())?, relation.as_deref())
}

/// A domain's condition is one over a column that is written VALUE.
struct DomainValue;

impl VarNames for DomainValue {
    fn var(&self, _: &Var) -> Result<Referent<'_>> {
        Ok(Referent::Text("VALUE".into()))
    }

    fn window(&self, _: WindowIndex) -> Result<WindowReferent<'_>> {
        Err(Error::new(sqlstate::INTERNAL_ERROR, "a window outside of a query"))
    }
}
