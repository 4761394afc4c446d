//! Tables, their columns and checks. What is in `pg_attribute` of a dropped column is its name, its width and how it is stored.

use access::Storage;
use catalog::FIRST_NORMAL_OBJECT_ID;
use catalog::catalogs::*;
use catalog::facts::Char;
use catalog::object_name::object_name;
use types::names::{PG_CLASS, PG_CONSTRAINT, PG_TYPE};
use types::{Oid, oid};

use super::prototype::*;
use super::{HEAP, PG_TOAST, Rows, needs_toast_table, statistic, toast_table};
use crate::catalog::reloptions;
use crate::catalog::{CheckDef, ColumnDef, Identity, Lies, TableDef};

/// `pg_attribute.attstorage`.
fn storage_code(storage: Storage) -> Char {
    match storage {
        Storage::Plain => b'p',
        Storage::External => b'e',
        Storage::Extended => b'x',
        Storage::Main => b'm',
    }
}

impl TableDef {
    /// A new table's columns may have been another's: what belongs to them has not the oids of what belongs to those.
    pub(crate) fn forget_oids(&mut self) {
        for column in &mut self.columns {
            (column.default_oid, column.not_null_constraint) = Default::default();
        }
    }

    /// What is new in it gets its oids, before it has rows.
    pub(crate) fn assign_oids(&mut self, mut new_oid: impl FnMut() -> Oid) {
        for column in &mut self.columns {
            let has_default = column.default.is_some() && column.identity.is_none();
            match column.default_oid {
                _ if !has_default => column.default_oid = oid::INVALID,
                oid::INVALID => column.default_oid = new_oid(),
                _ => {}
            }
            if column.not_null && column.not_null_constraint.0 == oid::INVALID {
                column.not_null_constraint = (new_oid(), object_name(&self.name, &column.name, "not_null"));
            }
        }
    }
}

impl Rows {
    pub(super) fn table(&mut self, table: &TableDef) {
        let has_toast = needs_toast_table(table);
        let row = PgClass {
            reltoastrelid: if has_toast { toast_table(table.oid) } else { oid::INVALID },
            reltype: table.row_type,
            relam: HEAP,
            relfilenode: table.file,
            reltablespace: table.tablespace,
            relpages: table.analyzed.as_ref().map_or(0, |analyzed| analyzed.pages as i32),
            reltuples: table.analyzed.as_ref().map_or(-1.0, |analyzed| analyzed.rows as f32),
            relallvisible: table.analyzed.as_ref().map_or(0, |analyzed| analyzed.all_visible as i32),
            relhasindex: !table.indexes.is_empty(),
            relpersistence: persistence(table.temporary, table.unlogged),
            relkind: b'r',
            relnatts: table.columns.len() as i16,
            relchecks: table.checks.len() as i16,
            relreplident: b'd',
            reloptions: reloptions::stored(&table.options),
            ..relation(table.oid, (table.namespace, &table.name), table.owner)
        };
        self.row_type(&row, table.array_type);
        if has_toast {
            let (oid, name) = (toast_table(table.oid), format!("pg_toast_{}", table.oid));
            self.push(PgClass {
                relam: HEAP,
                relfilenode: oid,
                reltablespace: table.tablespace,
                relkind: b't',
                relpersistence: row.relpersistence,
                ..relation(oid, (PG_TOAST, &name), row.relowner)
            });
            self.depend((PG_CLASS, oid, 0), (PG_CLASS, table.oid, 0), b'i');
        }
        self.relation(row);
        if table.moved_by != 0 {
            self.push(InflightRelation { relid: table.oid, moved_by: table.moved_by as i64 });
        }
        for (number, column) in (1..).zip(&table.columns) {
            self.column(table, number, column);
        }
        system_columns(table.oid).for_each(|column| self.push(column));
        table.indexes.iter().for_each(|index| self.index(table, index));
        for check in &table.checks {
            self.check(table, check);
        }
        statistic::rows(table).into_iter().for_each(|row| self.push(row));
    }

    fn check(&mut self, table: &TableDef, check: &CheckDef) {
        let references = &check.condition.references;
        let own = references.iter().filter(|object| (object.class, object.oid) == (PG_CLASS, table.oid));
        let key: Box<[i16]> = own.map(|object| object.column as i16).filter(|number| *number != 0).collect();
        let object = (PG_CONSTRAINT, check.oid, 0);
        for &number in &key {
            self.depend(object, (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
        // Without a column it goes with the whole table.
        if key.is_empty() {
            self.depend(object, (PG_CLASS, table.oid, 0), b'a');
        }
        self.refer(object, references);
        self.push(PgConstraint {
            conbin: Some(owned(&check.condition.text)),
            conkey: (!key.is_empty()).then_some(key),
            ..constraint(check.oid, &check.name, table)
        });
    }

    fn column(&mut self, table: &TableDef, number: i16, column: &ColumnDef) {
        self.column_storage(table, number, column);
        let row = attribute(table.oid, &column.name, number, column.ty);
        let row = PgAttribute {
            attcollation: column.collation.unwrap_or(row.attcollation),
            attstorage: storage_code(column.storage()),
            ..row
        };
        if column.dropped {
            // What it takes is known without its type.
            self.push(PgAttribute { atttypid: oid::INVALID, attisdropped: true, ..row });
            return;
        }
        let default = column.default.as_ref().filter(|_| column.identity.is_none());
        let identity = column.identity.map_or(0, |identity| match identity {
            Identity::Always => b'a',
            Identity::ByDefault => b'd',
        });
        self.push(PgAttribute {
            attnotnull: column.not_null,
            atthasdef: default.is_some(),
            attidentity: identity,
            attcompression: if column.compression { b'l' } else { 0 },
            attstattarget: column.statistics_target.map(|target| target as i16),
            attoptions: reloptions::stored(&column.options),
            atthasmissing: column.missing.is_some(),
            attmissingval: column
                .missing
                .as_ref()
                .map(|missing| AnyArray { element: column.ty.oid, values: [owned(&missing.text)].into() }),
            ..row
        });
        if column.ty.oid >= FIRST_NORMAL_OBJECT_ID {
            self.depend((PG_CLASS, table.oid, i32::from(number)), (PG_TYPE, column.ty.oid, 0), b'n');
        }
        if let Some(default) = default {
            self.column_default(table.oid, number, (column.default_oid, default));
        }
        if column.not_null {
            let (oid, name) = &column.not_null_constraint;
            assert_ne!(*oid, oid::INVALID, "a constraint has an oid before it has a row");
            self.push(PgConstraint { contype: b'n', conkey: Some([number].into()), ..constraint(*oid, name, table) });
            self.depend((PG_CONSTRAINT, *oid, 0), (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
    }

    /// How the column lies, where PostgreSQL's rows do not say it.
    fn column_storage(&mut self, table: &TableDef, number: i16, column: &ColumnDef) {
        let (lies, added) = match column.lies {
            Lies::AsDeclared => (0, 0),
            Lies::First { nullable: true } => (b'n', 0),
            Lies::First { nullable: false } => (b'v', 0),
            Lies::Added(number) => (b'a', number as i32),
            Lies::Nowhere => (b'x', 0),
        };
        let row = InflightAttribute {
            attrelid: table.oid,
            attnum: number,
            lies,
            added,
            droppedtype: if column.dropped { column.ty.oid } else { oid::INVALID },
            dropped_by: column.dropped_by as i64,
            missing: column.missing.as_ref().map(|missing| missing.bytes.clone().into()),
        };
        let is_told = (lies, row.droppedtype) != (0, oid::INVALID) || row.missing.is_some();
        if is_told {
            self.push(row);
        }
    }
}
