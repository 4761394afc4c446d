//! Indexes, and the constraints that they are for.

use catalog::Catalog;
use catalog::catalogs::*;
use catalog::object_name::index_column_names as with_numbers;
use types::names::{PG_CLASS, PG_CONSTRAINT};
use types::{Oid, oid};

use super::Rows;
use super::prototype::*;
use crate::catalog::reloptions;
use crate::catalog::{IndexColumn, IndexDef, IndexExpression, TableDef, index_column_names, tree_list};

impl Rows {
    pub(super) fn index(&mut self, table: &TableDef, index: &IndexDef) {
        let columns = index.columns.len() + index.included.len();
        self.push(PgClass {
            relam: index.access_method,
            relfilenode: index.file,
            reltablespace: index.tablespace,
            relpages: index.pages as i32,
            reltuples: table.analyzed.as_ref().map_or(-1.0, |analyzed| {
                let part = analyzed.index(index.oid).map_or(1.0, |index| index.part);
                (analyzed.rows * part) as f32
            }),
            relpersistence: persistence(table.temporary, table.unlogged),
            relkind: b'i',
            relnatts: columns as i16,
            relreplident: b'n',
            reloptions: reloptions::stored(&index.options),
            ..relation(index.oid, (table.namespace, &index.name), table.owner)
        });
        self.index_columns(table, index);
        self.index_row(table, index);
        if index.constraint {
            let key: Box<[i16]> = index.columns.iter().map(|column| number(column.key.column())).collect();
            self.push(PgConstraint {
                contype: if index.primary { b'p' } else { b'u' },
                conindid: index.oid,
                connoinherit: true,
                conkey: Some(key),
                ..constraint(index.oid, &index.name, table)
            });
            self.depend((PG_CLASS, index.oid, 0), (PG_CONSTRAINT, index.oid, 0), b'i');
        }
    }

    /// The index's own columns, and the columns of the table that it goes with.
    fn index_columns(&mut self, table: &TableDef, index: &IndexDef) {
        let types = index.columns.iter().map(|column| column.ty(&table.columns));
        let types = types.chain(index.included.iter().map(|&column| table.columns[column].ty));
        let names = with_numbers(index_column_names(table, &index.columns, &index.included));
        for ((number, name), ty) in (1..).zip(&names).zip(types) {
            let column = index.columns.get(number as usize - 1);
            let target = column.and_then(|column| column.key.expression()?.statistics_target);
            let row = attribute(index.oid, name, number, ty);
            // What goes along is not compared.
            let attcollation =
                column.map_or(oid::INVALID, |column| column.collation(&table.columns).unwrap_or(row.attcollation));
            self.push(PgAttribute { attstattarget: target.map(|target| target as i16), attcollation, ..row });
        }
        // An index of a constraint goes with that.
        let dependent = if index.constraint { PG_CONSTRAINT } else { PG_CLASS };
        let plain = index.columns.iter().filter_map(|column| column.key.column()).chain(index.included.iter().copied());
        let mut columns: Vec<usize> = plain.collect();
        // Without a column of its own it goes with the whole table.
        if columns.is_empty() {
            self.depend((dependent, index.oid, 0), (PG_CLASS, table.oid, 0), b'a');
        }
        let expressions = index.expressions().flat_map(|expression| &expression.computed.columns);
        let mut named: Vec<usize> = expressions.copied().collect();
        named.sort_unstable();
        named.dedup();
        columns.extend(named);
        columns.extend(index.predicate.iter().flat_map(|predicate| &predicate.columns));
        for column in columns {
            self.depend((dependent, index.oid, 0), (PG_CLASS, table.oid, column as i32 + 1), b'a');
        }
        let references = index.computed().flat_map(|computed| computed.tree.references.iter().copied());
        let others = references.filter(|object| (object.class, object.oid) != (PG_CLASS, table.oid));
        self.refer((PG_CLASS, index.oid, 0), &others.collect::<Vec<_>>());
    }

    fn index_row(&mut self, table: &TableDef, index: &IndexDef) {
        let types: Vec<Oid> = index.columns.iter().map(|column| column.ty(&table.columns).value.0).collect();
        let class = |(position, &ty): (usize, &Oid)| {
            let given = index.operator_classes.get(position).copied();
            given.or_else(|| Catalog::BUILT_IN.default_opclass(ty, index.access_method)).unwrap_or(oid::INVALID)
        };
        let of_column =
            |(column, &ty): (&IndexColumn, &Oid)| column.collation(&table.columns).unwrap_or_else(|| collation(ty));
        let keys = index.columns.iter().map(|column| number(column.key.column()));
        let key: Box<[i16]> = keys.chain(index.included.iter().map(|&column| number(Some(column)))).collect();
        let expressions: Vec<&str> = index.expressions().map(|expression| &*expression.computed.tree.text).collect();
        let expressions_are_none = expressions.is_empty();
        self.push(PgIndex {
            indexrelid: index.oid,
            indrelid: table.oid,
            indnatts: key.len() as i16,
            indnkeyatts: index.columns.len() as i16,
            indisunique: index.unique,
            indnullsnotdistinct: index.nulls_not_distinct,
            indisprimary: index.primary,
            indisexclusion: false,
            indimmediate: true,
            indisclustered: index.clustered,
            indisvalid: index.valid,
            indcheckxmin: false,
            indisready: true,
            indislive: true,
            indisreplident: false,
            indkey: key,
            indcollation: index.columns.iter().zip(&types).map(of_column).collect(),
            indclass: types.iter().enumerate().map(class).collect(),
            indoption: index.columns.iter().map(|c| i16::from(c.descending) | i16::from(c.nulls_first) << 1).collect(),
            indexprs: (!expressions.is_empty()).then(|| owned(&tree_list::join(expressions))),
            indpred: index.predicate.as_ref().map(|predicate| owned(&predicate.tree.text)),
        });
        let numbers = |columns: &[usize]| columns.iter().map(|&column| number(Some(column))).collect::<Vec<i16>>();
        let of_expressions =
            index.expressions().map(|expression| [numbers(&expression.computed.columns), vec![0]].concat());
        self.push(InflightIndex {
            indexrelid: index.oid,
            made_after: index.made_after as i64,
            compressed_keys: index.compressed_keys,
            indexprcols: (!expressions_are_none).then(|| of_expressions.collect::<Vec<_>>().concat().into()),
            indexprcollations: (!expressions_are_none).then(|| index.expressions().map(own_collation).collect()),
            indpredcols: index.predicate.as_ref().map(|predicate| numbers(&predicate.columns).into()),
        });
    }
}

/// A column of the table, by its number; 0: an expression.
fn number(column: Option<usize>) -> i16 {
    column.map_or(0, |column| column as i16 + 1)
}

/// That of an expression's values, which may not be the key's.
fn own_collation(expression: &IndexExpression) -> Oid {
    expression.collation.unwrap_or_else(|| collation(expression.ty.value.0))
}
