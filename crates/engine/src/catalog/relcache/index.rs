//! Indexes.

use catalog::Catalog;
use catalog::catalogs::{PgAttribute, PgIndex};
use types::Oid;
use types::names::PG_CLASS;

use super::tree;
use crate::catalog::reloptions;
use crate::catalog::rows::collation;
use crate::catalog::{ColumnDef, Computed, IndexColumn, IndexDef, IndexExpression, IndexKey, NodeTree, tree_list};
use crate::column_type::ColumnType;

pub fn index(catalog: Catalog<'_>, oid: Oid, columns: &[ColumnDef]) -> Option<IndexDef> {
    let (relation, row) = (catalog.relation(oid)?, catalog.index(oid)?);
    let stored = catalog.index_storage_of(oid);
    let keys = usize::try_from(row.indnkeyatts).ok()?;
    let own: Vec<&PgAttribute> = catalog.attributes(oid).filter(|column| column.attnum > 0).collect();
    let ty = |own: &&PgAttribute| ColumnType::new(catalog, own.atttypid, own.atttypmod);
    let types: Vec<(&PgAttribute, ColumnType)> = own.iter().map(|own| (*own, ty(own))).collect();
    let mut expressions = expressions(catalog, row).into_iter();
    let key = |position: usize| index_column(row, (position, types.get(position)?), &mut expressions, columns);
    let columns = (0..keys).map(key).collect::<Option<Vec<_>>>()?;
    let included = row.indkey.get(keys..)?.iter().map(|number| place(*number)).collect::<Option<_>>()?;
    let constraint = catalog.constraint(oid).filter(|constraint| constraint.conindid == oid);
    Some(IndexDef {
        file: relation.relfilenode,
        tablespace: relation.reltablespace,
        access_method: relation.relam,
        included,
        predicate: row.indpred.as_ref().map(|text| Computed {
            tree: NodeTree { text: (&**text).into(), references: vec![] },
            columns: places(stored.and_then(|stored| stored.indpredcols.as_deref())),
        }),
        unique: row.indisunique,
        compressed_keys: stored.is_some_and(|stored| stored.compressed_keys),
        nulls_not_distinct: row.indnullsnotdistinct,
        primary: row.indisprimary,
        constraint: constraint.is_some(),
        clustered: row.indisclustered,
        made_after: stored.map_or(0, |stored| stored.made_after as u64),
        valid: row.indisvalid,
        pages: relation.relpages as u32,
        options: reloptions::given(relation.reloptions.as_deref()),
        operator_classes: operator_classes(row, &types, relation.relam),
        ..IndexDef::new(oid, &relation.relname, columns)
    })
    .map(|index| with_references(catalog, index))
}

/// The position of a column of the table.
fn place(number: i16) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

fn places(numbers: Option<&[i16]>) -> Vec<usize> {
    numbers.unwrap_or_default().iter().filter_map(|number| place(*number)).collect()
}

/// The expressions of its key, with the columns that each is made of, and the collation of its values.
fn expressions(catalog: Catalog<'_>, row: &PgIndex) -> Vec<(Computed, Oid)> {
    let texts = row.indexprs.as_deref().map(tree_list::split).unwrap_or_default();
    let stored = catalog.index_storage_of(row.indexrelid);
    let columns = stored.and_then(|stored| stored.indexprcols.as_deref());
    let mut columns = columns.unwrap_or_default().split(|number| *number == 0);
    let mut collations = stored.into_iter().flat_map(|stored| stored.indexprcollations.as_deref().unwrap_or_default());
    let computed = |text: String| {
        let tree = NodeTree { text: text.into(), references: vec![] };
        (Computed { tree, columns: places(columns.next()) }, collations.next().copied().unwrap_or_default())
    };
    texts.into_iter().map(computed).collect()
}

/// What it refers to beside its table is known of the whole index: its first tree has it.
fn with_references(catalog: Catalog<'_>, mut index: IndexDef) -> IndexDef {
    let references = tree(catalog, &"".into(), (PG_CLASS, index.oid)).references;
    let key = index.columns.iter_mut().find_map(|column| match &mut column.key {
        IndexKey::Expression(expression) => Some(&mut expression.computed),
        IndexKey::Column(_) => None,
    });
    if let Some(first) = key.or(index.predicate.as_mut()) {
        first.tree.references = references;
    }
    index
}

fn index_column(
    row: &PgIndex,
    (position, (own, ty)): (usize, &(&PgAttribute, ColumnType)),
    expressions: &mut impl Iterator<Item = (Computed, Oid)>,
    columns: &[ColumnDef],
) -> Option<IndexColumn> {
    let of_index = row.indcollation.get(position).copied()?;
    let (key, of_key) = match place(*row.indkey.get(position)?) {
        Some(place) => {
            let column = columns.get(place)?;
            (IndexKey::Column(place), column.collation.unwrap_or_else(|| collation(column.ty.value.0)))
        }
        None => {
            let (computed, of_values) = expressions.next()?;
            let expression = IndexExpression {
                name: own.attname.to_string(),
                computed,
                ty: *ty,
                collation: Some(of_values).filter(|of_values| *of_values != collation(ty.value.0)),
                statistics_target: own.attstattarget.map(|target| target as u16),
            };
            (IndexKey::Expression(Box::new(expression)), of_values)
        }
    };
    let option = *row.indoption.get(position)?;
    Some(IndexColumn {
        key,
        descending: option & 1 != 0,
        nulls_first: option & 2 != 0,
        collation: Some(of_index).filter(|of_index| *of_index != of_key),
    })
}

/// None where all are their types'.
fn operator_classes(row: &PgIndex, own: &[(&PgAttribute, ColumnType)], method: Oid) -> Vec<Oid> {
    let default = |(_, ty): &(&PgAttribute, ColumnType)| {
        Catalog::BUILT_IN.default_opclass(ty.value.0, method).unwrap_or_default()
    };
    let are_defaults = own.iter().zip(&row.indclass).all(|(column, class)| default(column) == *class);
    if are_defaults { vec![] } else { row.indclass.to_vec() }
}
