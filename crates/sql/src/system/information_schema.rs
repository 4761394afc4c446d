//! `information_schema`: its views as far as programs read them. `information_schema.tsv` has PostgreSQL 18's columns of
//! each; views of what does not exist here have no rows.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use engine::{ColumnDef, Identity, PgType, SequenceDef, TableDef};

use super::{Cell, Rows, SCHEMAS, columns, format_type, provider};
use crate::definition;
use crate::session::Shared;

/// The view of this name, as it is now.
pub fn view(shared: &Shared, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
    let views = include_str!("information_schema.tsv").lines().filter_map(|line| line.split_once('\t'));
    let Some((_, spec)) = views.into_iter().find(|(view, _)| *view == name) else { return Ok(None) };
    let catalog = shared.catalog();
    let mut view = View { database: shared.database.1.clone(), columns: columns(spec), rows: Rows::new() };
    if let Some(database) = catalog.database_by_oid(shared.database.0) {
        let tables: Vec<&TableDef> = database.tables.values().map(|table| &**table).collect();
        let sequences: Vec<&SequenceDef> = database.sequences.values().map(|sequence| &**sequence).collect();
        match name {
            "tables" => tables.iter().for_each(|table| view.table(table)),
            "columns" => tables.iter().for_each(|table| view.table_columns(table, &sequences)),
            "table_constraints" => tables.iter().for_each(|table| view.table_constraints(table)),
            "key_column_usage" => tables.iter().for_each(|table| view.key_columns(table)),
            "constraint_column_usage" => tables.iter().for_each(|table| view.constraint_columns(table)),
            "check_constraints" => tables.iter().for_each(|table| view.checks(table)),
            // An identity column's belongs to the column.
            "sequences" => {
                let own = |s: &&&SequenceDef| !tables.iter().any(|table| is_identity(table, s));
                sequences.iter().filter(own).for_each(|sequence| view.sequence(sequence));
            }
            "schemata" => SCHEMAS.iter().for_each(|(_, schema)| {
                let owner = if *schema == "public" { "pg_database_owner" } else { "postgres" };
                view.row(vec![
                    ("catalog_name", view.database.clone().into()),
                    ("schema_name", (*schema).into()),
                    ("schema_owner", owner.into()),
                ]);
            }),
            _ => {}
        }
    }
    provider(spec, view.rows).map(Some)
}

struct View<'a> {
    database: String,
    columns: Vec<(&'a str, &'a str)>,
    rows: Rows,
}

type Named = Vec<(&'static str, Cell)>;

impl View<'_> {
    /// A row with these values; the others are NULL.
    fn row(&mut self, values: Named) {
        let mut row = vec![Cell::Null; self.columns.len()];
        for (name, value) in values {
            let at = self.columns.iter().position(|(column, _)| *column == name);
            row[at.expect("the view has the column")] = value;
        }
        self.rows.push(row);
    }

    fn place(&self, table: &TableDef) -> Named {
        vec![
            ("table_catalog", self.database.clone().into()),
            ("table_schema", table.schema.clone().into()),
            ("table_name", table.name.clone().into()),
        ]
    }

    fn constraint(&self, table: &TableDef, name: &str) -> Named {
        vec![
            ("constraint_catalog", self.database.clone().into()),
            ("constraint_schema", table.schema.clone().into()),
            ("constraint_name", name.into()),
        ]
    }

    fn table(&mut self, table: &TableDef) {
        let mut row = self.place(table);
        row.extend([
            ("table_type", "BASE TABLE".into()),
            ("is_insertable_into", "YES".into()),
            ("is_typed", "NO".into()),
        ]);
        self.row(row);
    }

    fn table_columns(&mut self, table: &TableDef, sequences: &[&SequenceDef]) {
        for (index, column) in table.columns.iter().enumerate() {
            let mut row = self.place(table);
            row.extend([
                ("column_name", column.name.clone().into()),
                ("ordinal_position", (index + 1).into()),
                ("is_nullable", if column.not_null { "NO" } else { "YES" }.into()),
                ("data_type", format_type(column.ty.oid(), -1).into()),
                ("udt_catalog", self.database.clone().into()),
                ("udt_schema", "pg_catalog".into()),
                ("udt_name", super::internal_name(column.ty.oid()).into()),
                ("dtd_identifier", (index + 1).to_string().into()),
                ("is_self_referencing", "NO".into()),
                ("is_generated", "NEVER".into()),
                ("is_updatable", "YES".into()),
                ("identity_cycle", "NO".into()),
                ("is_identity", if column.identity.is_some() { "YES" } else { "NO" }.into()),
            ]);
            if column.identity.is_none() {
                row.push(("column_default", super::relations::shown_default(column).into()));
            }
            row.extend(type_facts(column.ty));
            let owned = |s: &&&SequenceDef| {
                s.owned_by.as_ref().is_some_and(|(oid, name)| *oid == table.oid && *name == column.name)
            };
            if column.identity.is_some() {
                row.extend(identity(column, sequences.iter().find(owned).copied()));
            }
            self.row(row);
        }
    }

    fn table_constraints(&mut self, table: &TableDef) {
        let keys = table.indexes.iter().filter(|index| index.constraint).map(|index| {
            let distinct = if index.nulls_not_distinct { "NO" } else { "YES" };
            let kind = if index.primary { "PRIMARY KEY" } else { "UNIQUE" };
            (index.name.clone(), kind, (!index.primary).then_some(distinct))
        });
        let checks = table.checks.iter().map(|check| (check.name.clone(), "CHECK", None));
        for (name, kind, distinct) in checks.chain(keys) {
            let mut row = self.constraint(table, &name);
            row.extend(self.place(table));
            row.extend([
                ("constraint_type", kind.into()),
                ("is_deferrable", "NO".into()),
                ("initially_deferred", "NO".into()),
                ("enforced", "YES".into()),
                ("nulls_distinct", distinct.into()),
            ]);
            self.row(row);
        }
    }

    fn key_columns(&mut self, table: &TableDef) {
        for index in table.indexes.iter().filter(|index| index.constraint) {
            for (position, column) in index.columns.iter().enumerate() {
                let mut row = self.constraint(table, &index.name);
                row.extend(self.place(table));
                row.push(("column_name", table.columns[column.column].name.clone().into()));
                row.push(("ordinal_position", (position + 1).into()));
                self.row(row);
            }
        }
    }

    fn constraint_columns(&mut self, table: &TableDef) {
        let keys = table.indexes.iter().filter(|index| index.constraint);
        let keys = keys.map(|index| (index.name.clone(), index.columns.iter().map(|c| c.column).collect::<Vec<_>>()));
        let checks = table.checks.iter().map(|check| (check.name.clone(), definition::columns_of(table, check)));
        for (name, columns) in checks.chain(keys) {
            for column in columns {
                let mut row = self.place(table);
                row.extend(self.constraint(table, &name));
                row.push(("column_name", table.columns[column].name.clone().into()));
                self.row(row);
            }
        }
    }

    fn checks(&mut self, table: &TableDef) {
        for check in &table.checks {
            let mut row = self.constraint(table, &check.name);
            row.push(("check_clause", format!("({})", check.condition).into()));
            self.row(row);
        }
    }

    fn sequence(&mut self, sequence: &SequenceDef) {
        let bits = sequence.ty.type_len() as usize * 8;
        self.row(vec![
            ("sequence_catalog", self.database.clone().into()),
            ("sequence_schema", sequence.schema.clone().into()),
            ("sequence_name", sequence.name.clone().into()),
            ("data_type", format_type(sequence.ty.oid(), -1).into()),
            ("numeric_precision", bits.into()),
            ("numeric_precision_radix", 2.into()),
            ("numeric_scale", 0.into()),
            ("start_value", sequence.start.to_string().into()),
            ("minimum_value", sequence.min.to_string().into()),
            ("maximum_value", sequence.max.to_string().into()),
            ("increment", sequence.increment.to_string().into()),
            ("cycle_option", if sequence.cycle { "YES" } else { "NO" }.into()),
        ]);
    }
}

/// Does the sequence belong to an identity column of the table?
fn is_identity(table: &TableDef, sequence: &SequenceDef) -> bool {
    let Some((oid, column)) = &sequence.owned_by else { return false };
    *oid == table.oid && table.column(column).is_some_and(|at| table.columns[at].identity.is_some())
}

/// Lengths and precisions of a type.
fn type_facts(ty: PgType) -> Named {
    let numeric = |precision: i32, radix: i32, scale: Option<i32>| {
        vec![
            ("numeric_precision", precision.into()),
            ("numeric_precision_radix", radix.into()),
            ("numeric_scale", scale.into()),
        ]
    };
    let characters = |length: Option<u32>| {
        let octets = length.map_or(1 << 30, |length| length.saturating_mul(4));
        vec![("character_maximum_length", length.into()), ("character_octet_length", octets.into())]
    };
    match ty {
        PgType::Int2 => numeric(16, 2, Some(0)),
        PgType::Int4 => numeric(32, 2, Some(0)),
        PgType::Int8 => numeric(64, 2, Some(0)),
        PgType::Float4 => numeric(24, 2, None),
        PgType::Float8 => numeric(53, 2, None),
        PgType::Numeric(precision, scale) => numeric(precision.into(), 10, Some(scale.into())),
        PgType::Text => vec![("character_octet_length", (1 << 30).into())],
        PgType::Varchar(length) => characters(length),
        PgType::Char(length) => characters(Some(length)),
        PgType::Date => vec![("datetime_precision", 0.into())],
        PgType::Timestamp | PgType::Timestamptz => vec![("datetime_precision", 6.into())],
        _ => vec![],
    }
}

fn identity(column: &ColumnDef, sequence: Option<&SequenceDef>) -> Named {
    let generation = match column.identity {
        Some(Identity::Always) => "ALWAYS",
        _ => "BY DEFAULT",
    };
    let value = |of: fn(&SequenceDef) -> i64| Cell::from(sequence.map(|s| of(s).to_string()));
    vec![
        ("identity_generation", generation.into()),
        ("identity_start", value(|s| s.start)),
        ("identity_increment", value(|s| s.increment)),
        ("identity_maximum", value(|s| s.max)),
        ("identity_minimum", value(|s| s.min)),
    ]
}
