//! Objects' definitions as SQL: what `pg_get_indexdef` and its sisters say (PostgreSQL's `ruleutils.c`).

use catalog::catalogs::{PgClass, PgConstraint, PgIndex};
use catalog::{Catalog, quote_identifier};
use types::names::Definition;
use types::{Error, Oid, Result};

use crate::function_definition::function_definition;

/// `indoption`'s bits.
const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

/// A definition; `None`: there is no such object.
pub fn definition(catalog: Catalog<'_>, what: Definition<'_>) -> Result<Option<String>> {
    match what {
        // Expressions are kept as SQL.
        Definition::Expression { text, .. } => Ok(Some(text.to_string())),
        Definition::Index { index, column: 0, pretty } => {
            Ok(catalog.index(index).and_then(|row| index_text(catalog, row, pretty)))
        }
        Definition::Index { index, column, .. } => {
            let Some(row) = catalog.index(index) else { return Ok(None) };
            let place = usize::try_from(column).ok().and_then(|column| column.checked_sub(1));
            let number = place.and_then(|place| row.indkey.get(place).copied());
            Ok(number.and_then(|number| column_name(catalog, row.indrelid, number)))
        }
        Definition::Constraint { constraint, .. } => {
            catalog.constraint(constraint).map(|row| constraint_text(catalog, row)).transpose()
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

fn column_name(catalog: Catalog<'_>, relation: Oid, number: i16) -> Option<String> {
    let found = catalog.attributes(relation).find(|column| column.attnum == number)?;
    Some(quote_identifier(&found.attname).into_owned())
}

fn column_names(catalog: Catalog<'_>, relation: Oid, numbers: &[i16]) -> String {
    let names: Vec<String> = numbers.iter().filter_map(|&number| column_name(catalog, relation, number)).collect();
    names.join(", ")
}

/// With its schema unless it is to be `short` and the search path finds it without.
fn table_name(catalog: Catalog<'_>, table: &PgClass, short: bool) -> Option<String> {
    let named = |schema: &Oid| catalog.relations_named(&table.relname).find(|row| row.relnamespace == *schema);
    let first = catalog.search_path.iter().find_map(named);
    let name = quote_identifier(&table.relname);
    if short && first.is_some_and(|first| first.oid == table.oid) {
        return Some(name.into_owned());
    }
    let schema = catalog.namespace(table.relnamespace)?;
    Some(format!("{}.{name}", quote_identifier(&schema.nspname)))
}

/// `CREATE INDEX …`, with the table's schema unless it is to be `short` and the search path finds the table without.
fn index_text(catalog: Catalog<'_>, index: &PgIndex, short: bool) -> Option<String> {
    let (relation, table) = (catalog.relation(index.indexrelid)?, catalog.relation(index.indrelid)?);
    let on = table_name(catalog, table, short)?;
    let method = catalog.access_method(relation.relam)?;
    let mut columns = Vec::new();
    for (place, &number) in index.indkey.iter().take(index.indnkeyatts as usize).enumerate() {
        let mut text = column_name(catalog, index.indrelid, number)?;
        let column = catalog.attributes(index.indrelid).find(|column| column.attnum == number)?;
        let class = index.indclass[place];
        if catalog.default_opclass(column.atttypid, relation.relam) != Some(class) {
            text.push(' ');
            text.push_str(&quote_identifier(&catalog.opclass(class)?.opcname));
        }
        text.push_str(match (index.indoption[place] & DESCENDING != 0, index.indoption[place] & NULLS_FIRST != 0) {
            (false, false) => "",
            (false, true) => " NULLS FIRST",
            (true, true) => " DESC",
            (true, false) => " DESC NULLS LAST",
        });
        columns.push(text);
    }
    let included = &index.indkey[index.indnkeyatts as usize..];
    let include = match included {
        [] => String::new(),
        included => format!(" INCLUDE ({})", column_names(catalog, index.indrelid, included)),
    };
    let options = relation.reloptions.as_ref().map(|options| format!(" WITH ({})", options_text(options)));
    Some(format!(
        "CREATE {}INDEX {} ON {on} USING {} ({}){include}{}{}",
        if index.indisunique { "UNIQUE " } else { "" },
        quote_identifier(&relation.relname),
        method.amname,
        columns.join(", "),
        if index.indnullsnotdistinct { " NULLS NOT DISTINCT" } else { "" },
        options.unwrap_or_default(),
    ))
}

/// Storage parameters as WITH has them: values that are no plain words in quotes.
fn options_text(options: &[catalog::facts::Name]) -> String {
    let option = |option: &catalog::facts::Name| match option.split_once('=') {
        Some((name, value)) => format!("{}='{}'", quote_identifier(name), value.replace('\'', "''")),
        None => option.to_string(),
    };
    options.iter().map(option).collect::<Vec<_>>().join(", ")
}

/// What stands behind CONSTRAINT and the name.
fn constraint_text(catalog: Catalog<'_>, constraint: &PgConstraint) -> Result<String> {
    let key = constraint.conkey.as_deref().unwrap_or_default();
    let columns = || column_names(catalog, constraint.conrelid, key);
    let text = match constraint.contype {
        b'p' => format!("PRIMARY KEY ({})", columns()),
        b'u' => {
            let index = catalog.index(constraint.conindid);
            let nulls = if index.is_some_and(|row| row.indnullsnotdistinct) { " NULLS NOT DISTINCT" } else { "" };
            format!("UNIQUE{nulls} ({})", columns())
        }
        b'c' => format!("CHECK (({}))", constraint.conbin.as_deref().unwrap_or_default()),
        b'n' => format!("NOT NULL {}", columns()),
        other => return Err(Error::unsupported(format_args!("a constraint of type \"{}\"", other as char))),
    };
    Ok(text)
}
