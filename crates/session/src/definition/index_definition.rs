//! Indexes' definitions as SQL (`pg_get_indexdef` of PostgreSQL's `ruleutils.c`).

use analyze::expr_collation;
use analyze::query::Expr;
use analyze::relations::{Relation, Relations};
use analyze::ruleutils::{Deparse, deparse_definition, looks_like_function};
use catalog::catalogs::PgIndex;
use catalog::{Catalog, quote_identifier};
use types::{Oid, Result, oid};

use crate::definition::columns::Columns;
use crate::definition::definitions::{Writing, column_name, column_names, options_text, table_name};

/// `indoption`'s bits.
const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

/// What an index's column has, from 1; 0: `CREATE INDEX …`, with the table's schema unless it is to be `pretty` and the search
/// path finds the table without.
pub fn index_definition(writing: &Writing<'_>, index: &PgIndex, column: i32) -> Result<Option<String>> {
    let catalog = writing.catalog;
    let keys = keys(writing, index)?;
    if column == 0 {
        let predicate = predicate(writing, index)?;
        return Ok(index_text(catalog, index, &keys, predicate, writing.pretty));
    }
    let Some(place) = usize::try_from(column).ok().and_then(|column| column.checked_sub(1)) else { return Ok(None) };
    match keys.into_iter().nth(place) {
        Some(key) => Ok(Some(key.text)),
        None => Ok(index.indkey.get(place).and_then(|&number| column_name(catalog, index.indrelid, number))),
    }
}

/// A column of a key.
struct Key {
    text: String,
    /// That of an expression's values.
    collation: Oid,
}

/// The columns of the key, without their order.
fn keys(writing: &Writing<'_>, index: &PgIndex) -> Result<Vec<Key>> {
    let catalog = writing.catalog;
    let stored = catalog.index_expressions(index.indexrelid)?;
    let relation = catalog.relation_by_oid(index.indrelid);
    let mut expressions = stored.keys.iter();
    let mut keys = Vec::new();
    for &number in index.indkey.iter().take(index.indnkeyatts as usize) {
        keys.push(match (number, if number == 0 { expressions.next() } else { None }) {
            (0, Some(expression)) => Key {
                text: index_key(writing.deparse(), expression, relation.as_deref())?,
                collation: expr_collation(catalog, expression)?,
            },
            _ => {
                Key { text: column_name(catalog, index.indrelid, number).unwrap_or_default(), collation: oid::INVALID }
            }
        });
    }
    Ok(keys)
}

/// An expression in a key: in parentheses unless it is a call.
pub fn index_key(deparse: Deparse<'_>, expr: &Expr, relation: Option<&Relation>) -> Result<String> {
    let text = deparse_definition(deparse, expr, &Columns(relation))?;
    Ok(if looks_like_function(expr) { text } else { format!("({text})") })
}

fn predicate(writing: &Writing<'_>, index: &PgIndex) -> Result<Option<String>> {
    let stored = writing.catalog.index_expressions(index.indexrelid)?;
    let relation = writing.catalog.relation_by_oid(index.indrelid);
    stored.predicate.as_ref().map(|predicate| writing.expression(predicate, relation.as_deref())).transpose()
}

fn index_text(
    catalog: Catalog<'_>,
    index: &PgIndex,
    keys: &[Key],
    predicate: Option<String>,
    short: bool,
) -> Option<String> {
    let (relation, table) = (catalog.relation(index.indexrelid)?, catalog.relation(index.indrelid)?);
    let on = table_name(catalog, table, short)?;
    let method = catalog.access_method(relation.relam)?;
    let mut columns = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let mut text = key.text.clone();
        // A column's own type: the index may keep another, as it does for names.
        let (of, number) = match index.indkey[place] {
            0 => (index.indexrelid, place as i16 + 1),
            number => (index.indrelid, number),
        };
        let column = catalog.attributes(of).find(|column| column.attnum == number)?;
        let own = if index.indkey[place] == 0 { key.collation } else { column.attcollation };
        let collation = index.indcollation[place];
        if collation != own
            && let Some(row) = catalog.collation(collation)
        {
            text.push_str(" COLLATE ");
            text.push_str(&quote_identifier(&row.collname));
        }
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
    let options = relation.reloptions.as_ref().map(|options| format!(" WITH ({})", options_text(options)));
    Some(format!(
        "CREATE {}INDEX {} ON {on} USING {} ({}){}{}{}{}",
        if index.indisunique { "UNIQUE " } else { "" },
        quote_identifier(&relation.relname),
        method.amname,
        columns.join(", "),
        included(catalog, index.indexrelid),
        if index.indnullsnotdistinct { " NULLS NOT DISTINCT" } else { "" },
        options.unwrap_or_default(),
        predicate.map(|predicate| format!(" WHERE {predicate}")).unwrap_or_default(),
    ))
}

/// The columns behind an index's key.
pub fn included(catalog: Catalog<'_>, index: Oid) -> String {
    let Some(row) = catalog.index(index) else { return String::new() };
    match &row.indkey[row.indnkeyatts as usize..] {
        [] => String::new(),
        included => format!(" INCLUDE ({})", column_names(catalog, row.indrelid, included)),
    }
}
