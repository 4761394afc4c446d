//! Objects' definitions as SQL: what `pg_get_indexdef` and its sisters say (PostgreSQL's `ruleutils.c`), and how the catalog
//! keeps queries.

use std::sync::Arc;

use analyze::ExprKind;
use analyze::query::{Query, Var, WindowIndex};
use analyze::relations::{CatalogRelations, Relation, Relations};
use analyze::rewrite::stored::{StoredTrees, check_condition, domain_condition, index_expression};
use analyze::ruleutils::{Deparse, Referent, VarNames, WindowReferent, deparse_expression, deparse_view};
use catalog::catalogs::{PgClass, PgConstraint};
use catalog::{Catalog, PG_CATALOG, PUBLIC, quote_identifier};
use types::names::Definition;
use types::{Context, Error, Oid, Result, oid};

use crate::environment::{Environment, stored_context};
use crate::names::CatalogNames;
use crate::stored::{Columns, WithoutColumn};

use crate::function_definition::function_definition;
use crate::index_definition::{included, index_definition};

/// A definition; `None`: there is no such object.
pub fn definition(catalog: Catalog<'_>, what: Definition<'_>) -> Result<Option<String>> {
    match what {
        Definition::Index { index, column, pretty } => {
            let Some(row) = catalog.index(index) else { return Ok(None) };
            index_definition(catalog, row, column, pretty)
        }
        Definition::Constraint { constraint, pretty } => {
            catalog.constraint(constraint).map(|row| constraint_text(catalog, row, pretty)).transpose()
        }
        Definition::View { view, .. } => Ok(catalog.view_definition(view).map(str::to_string)),
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

/// A view's query as its definition keeps it ([`engine::ViewDef::query`]): all names but those of `pg_catalog` have their
/// schemas. The view's columns have these names. A view that refers to what is renamed is written again: its query as the
/// environment before has it ([`Environment::relations`]), in the one after. `without` is a table one of whose columns is
/// about to be dropped, where that has no name.
pub fn stored_query(
    environment: &Environment,
    without: Option<&Arc<Relation>>,
    query: &Query,
    columns: &[String],
) -> Result<String> {
    let names = CatalogNames {
        objects: environment.objects.clone(),
        search_path: Arc::new([PG_CATALOG]),
        database: environment.database.clone(),
    };
    deparsed(names, without, query, columns, false)
}

/// `pg_get_viewdef` of a user's view; `None`: there is none.
pub fn view_text(names: &CatalogNames, view: Oid, pretty: bool) -> Result<Option<String>> {
    let catalog = names.catalog();
    if catalog.relation(view).is_none_or(|row| row.relkind != b'v') {
        return Ok(None);
    }
    let trees = StoredTrees::new(stored_context(&names.objects, &names.database));
    let analyzed = CatalogRelations { catalog, trees: &trees }.view_query(view)?;
    let mut columns: Vec<_> = catalog.attributes(view).filter(|column| column.attnum > 0).collect();
    columns.sort_by_key(|column| column.attnum);
    let columns: Vec<String> = columns.iter().map(|column| column.attname.to_string()).collect();
    deparsed(names.clone(), None, &analyzed.query, &columns, pretty).map(Some)
}

/// `pg_get_expr`. Expressions are kept as SQL: one is read and written again where names of objects in it may need their schemas
/// now, or parentheses are to go.
pub fn expression_text(names: &CatalogNames, text: &str, relation: Oid, pretty: bool) -> Option<String> {
    let Some(relation) = names.catalog().relation_by_oid(relation) else {
        return (relation == types::oid::INVALID).then(|| text.to_string());
    };
    if text == "<>" {
        // The condition that a view's rule has not.
        return Some(String::new());
    }
    if !pretty && !text.contains("::reg") {
        return Some(text.to_string());
    }
    // What cannot be read any more is shown as it is kept.
    Some(written_again(names, text, &relation, pretty).unwrap_or_else(|_| text.to_string()))
}

fn written_again(names: &CatalogNames, text: &str, relation: &Arc<Relation>, pretty: bool) -> Result<String> {
    let catalog = names.catalog();
    let reading = stored_context(&names.objects, &names.database);
    let stored = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: Some(&names.objects) };
    let exprs = index_expression(stored, &reading, relation, text, ExprKind::IndexExpression)?;
    let context = Context { names: Arc::new(names.clone()), ..Context::default() };
    let deparse = Deparse { catalog, relations: &catalog, context: &context, pretty };
    let texts = exprs.iter().map(|expr| deparse_expression(deparse, expr, &Columns(Some(relation)), false));
    Ok(texts.collect::<Result<Vec<_>>>()?.join(", "))
}

fn deparsed(
    names: CatalogNames,
    without: Option<&Arc<Relation>>,
    query: &Query,
    columns: &[String],
    pretty: bool,
) -> Result<String> {
    let names = Arc::new(names);
    let catalog = names.catalog();
    let context = Context { names: names.clone(), ..Context::default() };
    let relations: &dyn Relations = match without {
        Some(without) => &WithoutColumn { catalog, without },
        None => &catalog,
    };
    deparse_view(Deparse { catalog, relations, context: &context, pretty }, query, columns)
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
    let schema = catalog.namespace(table.relnamespace)?;
    Some(format!("{}.{name}", quote_identifier(&schema.nspname)))
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
fn constraint_text(catalog: Catalog<'_>, constraint: &PgConstraint, pretty: bool) -> Result<String> {
    let key = constraint.conkey.as_deref().unwrap_or_default();
    let columns = || column_names(catalog, constraint.conrelid, key);
    let text = match constraint.contype {
        b'p' => format!("PRIMARY KEY ({}){}", columns(), included(catalog, constraint.conindid)),
        b'u' => {
            let index = catalog.index(constraint.conindid);
            let nulls = if index.is_some_and(|row| row.indnullsnotdistinct) { " NULLS NOT DISTINCT" } else { "" };
            format!("UNIQUE{nulls} ({}){}", columns(), included(catalog, constraint.conindid))
        }
        b'c' => {
            let kept = constraint.conbin.as_deref().unwrap_or_default();
            match pretty {
                true => format!("CHECK ({})", pretty_condition(catalog, constraint, kept)?),
                false => format!("CHECK ({kept})"),
            }
        }
        b'n' => format!("NOT NULL {}", columns()),
        other => return Err(Error::unsupported(format_args!("a constraint of type \"{}\"", other as char))),
    };
    Ok(text)
}

/// A CHECK condition, which is kept with all its parentheses, without those that need not be.
fn pretty_condition(catalog: Catalog<'_>, constraint: &PgConstraint, kept: &str) -> Result<String> {
    let context = Context::default();
    let deparse = Deparse { catalog, relations: &catalog, context: &context, pretty: true };
    if constraint.contypid != oid::INVALID {
        let condition = domain_condition(catalog, &context, constraint.contypid, kept)?;
        return deparse_expression(deparse, &condition, &DomainValue, false);
    }
    let condition = check_condition(catalog, &context, constraint.conrelid, kept)?;
    let relation = catalog.relation_by_oid(constraint.conrelid);
    deparse_expression(deparse, &condition, &Columns(relation.as_deref()), false)
}

/// A domain's condition is one over a column that is written VALUE.
struct DomainValue;

impl VarNames for DomainValue {
    fn var(&self, _: &Var) -> Result<Referent<'_>> {
        Ok(Referent::Text("VALUE".into()))
    }

    fn window(&self, _: WindowIndex) -> Result<WindowReferent<'_>> {
        Err(Error::new("XX000", "a window outside of a query"))
    }
}
