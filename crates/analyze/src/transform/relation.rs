//! Names of tables and columns (`parse_relation.c`).
//!
//! A column's name is looked for in all that is visible of the nearest query, then in the queries around it. The nearest one
//! that knows it decides; two in the same query are ambiguous.

use std::sync::Arc;

use ::error::sqlstate;
use types::{Error, Result, oid};

use super::state::{ExprKind, NamespaceColumn, NamespaceItem, ParseState};
use super::{error, placed};
use crate::query::*;
use crate::relations::{Attribute, Relation, RelationKind};

/// The columns that every table has, by their (negative) numbers.
pub(crate) const SYSTEM_COLUMNS: [(&str, i16, types::Oid); 6] = [
    ("ctid", -1, oid::TID),
    ("xmin", -2, oid::XID),
    ("cmin", -3, oid::CID),
    ("xmax", -4, oid::XID),
    ("cmax", -5, oid::CID),
    ("tableoid", -6, oid::OID),
];

impl<'a> ParseState<'a> {
    /// The entry with an index.
    pub fn entry(&self, relation: RangeTableIndex) -> &RangeTableEntry {
        &self.range_table[relation.index()]
    }

    /// What `schema.name` or `name` means in front of a column (`refnameNamespaceItem`).
    pub fn find_item(&self, schema: Option<&str>, name: &str, location: i32) -> Result<Option<(&NamespaceItem, u32)>> {
        // A table that a schema is named for is the one that the catalog knows by it.
        let table = match schema {
            Some(schema) => match self.statement.relations.relation(Some(schema), name)? {
                Some(relation) => Some(relation.oid),
                None => return Ok(None),
            },
            None => None,
        };
        for (level, state) in self.levels() {
            let mut found = None;
            for item in state.namespace.iter().filter(|item| item.relation_visible) {
                // A lateral reference is possible, or the item is none for this place.
                if item.lateral_only && !state.lateral_active {
                    continue;
                }
                let same = match table {
                    Some(oid) => item.table == Some(oid),
                    None => item.name == name,
                };
                if !same {
                    continue;
                }
                if found.is_some() {
                    let message = match table {
                        Some(oid) => format!("table reference {oid} is ambiguous"),
                        None => format!("table reference \"{name}\" is ambiguous"),
                    };
                    return Err(error(sqlstate::AMBIGUOUS_ALIAS, message, location));
                }
                state.check_lateral(item, location)?;
                found = Some(item);
            }
            if let Some(item) = found {
                return Ok(Some((item, level)));
            }
        }
        Ok(None)
    }

    /// Fails for an item that a LATERAL part may not use (`check_lateral_ref_ok`).
    fn check_lateral(&self, item: &NamespaceItem, location: i32) -> Result<()> {
        if !item.lateral_only || item.lateral_ok {
            return Ok(());
        }
        let name = &item.name;
        let message = format!("invalid reference to FROM-clause entry for table \"{name}\"");
        let found = error(sqlstate::INVALID_COLUMN_REFERENCE, message, location);
        Err(match self.target_relation() == Some(item.relation) {
            true => found.hint(format!(
                "There is an entry for table \"{name}\", but it cannot be referenced from this part of the query."
            )),
            false => found.detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."),
        })
    }

    /// The table that is changed comes first.
    fn target_relation(&self) -> Option<RangeTableIndex> {
        self.has_target.then_some(RangeTableIndex(1))
    }

    /// A column of an item (`scanNSItemForColumn`).
    pub fn column_of_item(&self, item: &NamespaceItem, level: u32, name: &str, location: i32) -> Result<Option<Expr>> {
        let state = self.at_level(level);
        let mut named = item.columns.iter().filter(|column| column.name == name);
        if let Some(column) = named.next() {
            if named.next().is_some() {
                return Err(error(
                    sqlstate::AMBIGUOUS_COLUMN,
                    format!("column reference \"{name}\" is ambiguous"),
                    location,
                ));
            }
            return Ok(Some(column.var(level, location)));
        }
        if item.using_alias {
            return Ok(None);
        }
        let Some((_, attribute, ty)) = SYSTEM_COLUMNS.iter().find(|(system, ..)| *system == name) else {
            return Ok(None);
        };
        if !self.has_system_columns(state.entry(item.relation)) {
            return Ok(None);
        }
        if state.expr_kind == ExprKind::GeneratedColumn && name != "tableoid" {
            let message = format!("cannot use system column \"{name}\" in column generation expression");
            return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, location));
        }
        if state.expr_kind == ExprKind::CheckConstraint && name != "tableoid" {
            let message = format!("system column \"{name}\" reference in check constraint is invalid");
            return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, location));
        }
        let column = NamespaceColumn {
            name: String::new(),
            relation: item.relation,
            attribute: *attribute,
            ty: TypeRef::of(*ty),
            collation: Collation::NONE,
        };
        Ok(Some(column.var(level, location)))
    }

    /// Tables have them, and views have none.
    pub(crate) fn has_system_columns(&self, entry: &RangeTableEntry) -> bool {
        let RangeTableKind::Relation { oid, .. } = entry.kind else { return false };
        let relation = self.statement.relations.relation_by_oid(oid);
        relation.is_none_or(|relation| relation.kind != RelationKind::View)
    }

    /// A column by its name alone (`colNameToVar`); in queries around too, unless `local`.
    pub fn find_column(&self, name: &str, local: bool, location: i32) -> Result<Option<Expr>> {
        for (level, state) in self.levels().take(if local { 1 } else { usize::MAX }) {
            let mut found = None;
            for item in state.namespace.iter().filter(|item| item.columns_visible) {
                if item.lateral_only && !state.lateral_active {
                    continue;
                }
                let Some(column) = self.column_of_item(item, level, name, location)? else { continue };
                if found.is_some() {
                    return Err(error(
                        sqlstate::AMBIGUOUS_COLUMN,
                        format!("column reference \"{name}\" is ambiguous"),
                        location,
                    ));
                }
                state.check_lateral(item, location)?;
                found = Some(column);
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Adds an entry for a table or a view (`addRangeTableEntryForRelation`).
    pub fn add_relation(&mut self, relation: &Arc<Relation>, alias: Option<&Alias>) -> Result<NamespaceItem> {
        let own: Vec<Column> = relation.columns.iter().map(Attribute::column).collect();
        let name = alias.map_or(&relation.name, |alias| &alias.name).clone();
        let columns = aliased_columns(own, alias, &name)?;
        let kind = RangeTableKind::Relation { oid: relation.oid, inherited: true, sample: None };
        let mut item = self.add_entry(kind, name, alias, columns, false);
        item.table = alias.is_none().then_some(relation.oid);
        Ok(item)
    }

    /// Adds an entry for a query in FROM (`addRangeTableEntryForSubquery`).
    pub fn add_subquery(&mut self, query: Query, alias: Option<&Alias>, lateral: bool) -> Result<NamespaceItem> {
        let own = query.visible_columns();
        let name = alias.map_or("unnamed_subquery", |alias| &alias.name).to_string();
        let columns = aliased_columns(own, alias, &name)?;
        Ok(self.add_entry(RangeTableKind::Subquery(Box::new(query)), name, alias, columns, lateral))
    }

    /// Adds an entry of any kind whose columns are known.
    pub fn add_entry(
        &mut self,
        kind: RangeTableKind,
        name: String,
        alias: Option<&Alias>,
        columns: impl Into<Arc<[Column]>>,
        lateral: bool,
    ) -> NamespaceItem {
        let columns = columns.into();
        let relation = RangeTableIndex(self.range_table.len() as u32 + 1);
        let numbered = columns.iter().zip(1..).map(|(column, attribute)| NamespaceColumn {
            name: column.name.clone(),
            relation,
            attribute,
            ty: column.ty,
            collation: column.collation,
        });
        let item = NamespaceItem {
            name: name.clone(),
            table: None,
            relation,
            columns: numbered.collect(),
            using_alias: false,
            relation_visible: true,
            columns_visible: true,
            lateral_only: false,
            lateral_ok: true,
        };
        let (aliased, named) = (alias.is_some(), alias.map_or(0, |alias| alias.columns.len()));
        // Dropped columns among them have no names.
        let live = (1..).zip(columns.iter()).filter(|(_, column)| !column.name.is_empty());
        let aliased_columns = live.map(|(count, _)| count).take(named).last().unwrap_or(0);
        let entry = RangeTableEntry {
            kind,
            name,
            aliased,
            columns,
            aliased_columns,
            lateral,
            in_from: true,
            ..Default::default()
        };
        self.range_table.push(entry);
        item
    }

    /// What FROM says when a table is not there (`parserOpenTable`).
    pub fn open_table(&self, schema: Option<&str>, name: &str, location: i32) -> Result<Arc<Relation>> {
        let found = self.statement.relations.relation(schema, name);
        let Some(relation) = found.map_err(|error| placed(error, location))? else {
            let full = schema.map_or(name.to_string(), |schema| format!("{schema}.{name}"));
            let missing = error(sqlstate::UNDEFINED_TABLE, format!("relation \"{full}\" does not exist"), location);
            // The statement may mean a WITH query that is defined later.
            let future =
                schema.is_none() && self.levels().any(|(_, state)| state.future_ctes.iter().any(|cte| cte == name));
            return Err(match future {
                true => missing
                    .detail(format!(
                        "There is a WITH item named \"{name}\", but it cannot be referenced from this part of the query."
                    ))
                    .hint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references."),
                false => missing,
            });
        };
        let what = match relation.kind {
            RelationKind::Index => "indexes",
            RelationKind::CompositeType => "composite types",
            _ => return Ok(relation),
        };
        let wrong = error(sqlstate::WRONG_OBJECT_TYPE, format!("cannot open relation \"{name}\""), location);
        Err(wrong.detail(format!("This operation is not supported for {what}.")))
    }
}

/// `AS name (columns)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    pub name: String,
    pub columns: Vec<String>,
}

/// Columns under the names that an alias gives them (`buildRelationAliases`).
pub(crate) fn aliased_columns(mut own: Vec<Column>, alias: Option<&Alias>, name: &str) -> Result<Vec<Column>> {
    let Some(alias) = alias else { return Ok(own) };
    let live = own.iter().filter(|column| !column.name.is_empty()).count();
    if alias.columns.len() > live {
        let specified = alias.columns.len();
        let message = format!("table \"{name}\" has {live} columns available but {specified} columns specified");
        return Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
    }
    for (column, name) in own.iter_mut().filter(|column| !column.name.is_empty()).zip(&alias.columns) {
        column.name.clone_from(name);
    }
    Ok(own)
}
