//! INSERT (`transformInsertStmt` of `analyze.c`).

use std::sync::Arc;

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result, oid};

use super::raw::{location_of_list, strings};
use super::relation::Alias;
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected, unsupported};
use crate::query::*;
use crate::relations::Relation;

/// A column that INSERT fills, with its name in the statement.
pub(super) type InsertColumn<'n> = (i16, Option<&'n raw::ResTarget>);

impl ParseState<'_> {
    pub(crate) fn transform_insert(&mut self, insert: &raw::InsertStmt) -> Result<Query> {
        let recursive = self.transform_with(insert.with_clause.as_deref())?;
        let (relation, item) = self.open_target(required(&insert.relation)?)?;
        self.inserting = true;
        let columns = self.insert_columns(&relation, &insert.cols)?;
        let source = match &insert.select_stmt {
            Some(Node::SelectStmt(select)) => Some(&**select),
            Some(_) => return Err(unexpected()),
            None => None,
        };
        let (targets, from) = match source {
            None => (vec![], vec![]),
            Some(select) if is_one_row(select) => {
                let Some(Node::List(row)) = select.values_lists.first() else { return Err(unexpected()) };
                let row = self.transform_insert_values(row, ExprKind::ValuesSingle)?;
                (self.insert_row(&relation, &columns, row)?, vec![])
            }
            Some(select) if is_plain_values(select) => self.insert_values(&relation, &columns, select)?,
            Some(select) => self.insert_select(&relation, &columns, select)?,
        };
        self.inserting = false;
        let on_conflict = match &insert.on_conflict_clause {
            Some(clause) => Some(self.transform_on_conflict(clause, &relation, &item)?),
            None => None,
        };
        // RETURNING sees the table alone.
        self.namespace = vec![NamespaceItem { columns_visible: true, relation_visible: true, ..item.clone() }];
        let clause = insert.returning_clause.as_deref();
        let (returning, rows) = self.transform_returning(clause, &item, ExprKind::Returning)?;
        let mut query = Query {
            targets,
            join_tree: FromExpr { from, condition: None },
            result_relation: Some(item.relation),
            on_conflict,
            returning,
            returning_rows: rows,
            recursive,
            overriding: overriding(insert.r#override),
            ..self.query(CommandType::Insert)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    /// The table that is changed (`setTargetTable`); nothing sees it by name yet.
    pub(crate) fn open_target(&mut self, table: &raw::RangeVar) -> Result<(Arc<Relation>, NamespaceItem)> {
        if let Some(catalog) = &table.catalogname {
            self.check_relation_catalog(catalog, table)?;
        }
        let relation = self.open_table(table.schemaname.as_deref(), required(&table.relname)?, table.location)?;
        let alias = table.alias.as_deref().map(super::from::alias);
        let item = self.add_relation(&relation, alias.as_ref())?;
        self.range_table[item.relation.index()].in_from = false;
        self.has_target = true;
        Ok((relation, item))
    }

    /// The columns that INSERT names, or all (`checkInsertTargets`).
    pub(super) fn insert_columns<'n>(&self, relation: &Relation, named: &'n [Node]) -> Result<Vec<InsertColumn<'n>>> {
        if named.is_empty() {
            let live = relation.columns.iter().zip(1..).filter(|(column, _)| !column.dropped);
            return Ok(live.map(|(_, attribute)| (attribute, None)).collect());
        }
        let mut columns: Vec<InsertColumn<'_>> = Vec::with_capacity(named.len());
        for node in named {
            let Node::ResTarget(target) = node else { return Err(unexpected()) };
            let name = required(&target.name)?;
            let attribute = relation.attribute(name).ok_or_else(|| {
                let message = format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
                error(sqlstate::UNDEFINED_COLUMN, message, target.location)
            })?;
            // A column may come several times where each assigns to a part of it.
            let whole = target.indirection.is_empty();
            let again = columns.iter().any(|(known, node)| {
                *known == attribute && (whole || node.is_some_and(|node| node.indirection.is_empty()))
            });
            if again {
                let message = format!("column \"{name}\" specified more than once");
                return Err(error(sqlstate::DUPLICATE_COLUMN, message, target.location));
            }
            columns.push((attribute, Some(target)));
        }
        Ok(columns)
    }

    pub(super) fn transform_insert_values(&mut self, row: &[Node], kind: ExprKind) -> Result<Vec<Expr>> {
        let mut values = Vec::with_capacity(row.len());
        for node in row {
            match node {
                Node::SetToDefault(e) => values.push(unknown_default(e.location)),
                node => values.extend(self.transform_expression_list(std::slice::from_ref(node), kind)?),
            }
        }
        Ok(values)
    }

    /// A row of values for the columns (`transformInsertRow`).
    pub(super) fn insert_row(
        &mut self,
        relation: &Relation,
        columns: &[InsertColumn<'_>],
        row: Vec<Expr>,
    ) -> Result<Vec<TargetEntry>> {
        if row.len() > columns.len() {
            let place = row[columns.len()].location().0;
            return Err(error(sqlstate::SYNTAX_ERROR, "INSERT has more expressions than target columns", place));
        }
        let named = columns.first().is_some_and(|(_, node)| node.is_some());
        if named && row.len() < columns.len() {
            let place = columns[row.len()].1.map_or(-1, |node| node.location);
            let wrong = error(sqlstate::SYNTAX_ERROR, "INSERT has more target columns than expressions", place);
            return Err(match &row[..] {
                [Expr::Row(value)] if value.fields.len() == columns.len() => wrong.hint(
                    "The insertion source is a row expression containing the same number of columns expected by the \
                     INSERT. Did you accidentally use extra parentheses?",
                ),
                _ => wrong,
            });
        }
        let mut targets = Vec::with_capacity(row.len());
        for (value, (attribute, node)) in row.into_iter().zip(columns) {
            let place = node.map_or(-1, |node| node.location);
            let indirection = node.map_or(&[][..], |node| &node.indirection);
            let expr = self.assignment(relation, *attribute, indirection, value, place)?;
            let name = relation.columns[*attribute as usize - 1].name.clone();
            targets.push(TargetEntry::new(expr, *attribute, name));
        }
        Ok(targets)
    }

    /// VALUES of several rows: an entry of the range table, and a target for each of its columns.
    fn insert_values(
        &mut self,
        relation: &Relation,
        columns: &[InsertColumn<'_>],
        select: &raw::SelectStmt,
    ) -> Result<(Vec<TargetEntry>, Vec<JoinTree>)> {
        if let Some(part) = columns.iter().find_map(|(_, node)| node.filter(|node| !node.indirection.is_empty())) {
            return Err(unsupported("assignment to parts of columns in several rows", part.location));
        }
        let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(select.values_lists.len());
        for list in &select.values_lists {
            let Node::List(list) = list else { return Err(unexpected()) };
            let row = self.transform_insert_values(list, ExprKind::Values)?;
            if rows.first().is_some_and(|first| first.len() != row.len()) {
                let place = location_of_list(list);
                return Err(error(sqlstate::SYNTAX_ERROR, "VALUES lists must all be the same length", place));
            }
            // Each row is converted to the columns' types by itself, as PostgreSQL does: no common type is looked for.
            let targets = self.insert_row(relation, columns, row)?;
            let mut row: Vec<Expr> = targets.into_iter().map(|target| target.expr).collect();
            // The rows' collations are nothing to each other, and the columns of the table have their own.
            for value in &mut row {
                self.assign_collations(value)?;
            }
            rows.push(row);
        }
        let width = rows[0].len();
        let column = |index: usize| Column {
            name: format!("column{}", index + 1),
            ty: rows[0][index].ty(),
            collation: Collation::NONE,
        };
        let shown: Vec<Column> = (0..width).map(column).collect();
        let item = self.add_entry(RangeTableKind::Values { rows }, "*VALUES*".to_string(), None, shown, false);
        let targets = item.columns.iter().zip(columns).map(|(column, (attribute, _))| {
            let name = relation.columns[*attribute as usize - 1].name.clone();
            TargetEntry::new(column.var(0, -1), *attribute, name)
        });
        Ok((targets.collect(), vec![JoinTree::Relation(item.relation)]))
    }

    fn insert_select(
        &mut self,
        relation: &Relation,
        columns: &[InsertColumn<'_>],
        select: &raw::SelectStmt,
    ) -> Result<(Vec<TargetEntry>, Vec<JoinTree>)> {
        // Literals of the query are of the columns' types: nothing is decided inside.
        let mut state = ParseState::new(self.statement, Some(self));
        state.resolve_unknowns = false;
        let query = state.transform_select_statement(select)?;
        let values: Vec<Expr> = query.visible_targets().map(|target| target.expr.clone()).collect();
        let own = query.visible_columns();
        let item = self.add_entry(RangeTableKind::Subquery(Box::new(query)), "*SELECT*".to_string(), None, own, false);
        let row = values.into_iter().zip(item.columns.iter()).map(|(value, column)| match value {
            Expr::Const(constant) if constant.ty.oid == oid::UNKNOWN => Expr::Const(constant),
            Expr::Param(param) if param.ty.oid == oid::UNKNOWN => Expr::Param(param),
            value => column.var(0, value.location().0),
        });
        let row = row.collect();
        let targets = self.insert_row(relation, columns, row)?;
        // A parameter that a column has decided is of that type in the query too.
        if let RangeTableKind::Subquery(query) = &mut self.range_table[item.relation.index()].kind {
            for target in &mut query.targets {
                if let Expr::Param(param) = &mut target.expr
                    && let Some(decided) = self.statement.parameters.decided(param.number)
                {
                    param.ty = TypeRef::of(decided);
                }
            }
        }
        Ok((targets, vec![JoinTree::Relation(item.relation)]))
    }

    /// ON CONFLICT (`transformOnConflictClause`).
    fn transform_on_conflict(
        &mut self,
        clause: &raw::OnConflictClause,
        relation: &Arc<Relation>,
        item: &NamespaceItem,
    ) -> Result<OnConflict> {
        let update = clause.action == raw::OnConflictAction::ONCONFLICT_UPDATE;
        if update && clause.infer.is_none() {
            let message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
            return Err(
                error(sqlstate::SYNTAX_ERROR, message, clause.location).hint("For example, ON CONFLICT (column_name).")
            );
        }
        let before = std::mem::replace(
            &mut self.namespace,
            vec![NamespaceItem { columns_visible: true, relation_visible: false, ..item.clone() }],
        );
        let (inference, arbiters) = match clause.infer.as_deref() {
            None => (None, None),
            Some(raw::InferClause { conname: Some(name), .. }) => (None, Some(arbiter_of_constraint(name, relation)?)),
            Some(infer) => (Some(self.transform_inference(infer)?), None),
        };
        self.namespace = before;
        if !update {
            return Ok(OnConflict { inference, arbiters, action: ConflictAction::Nothing });
        }
        let excluded = self.add_relation(relation, Some(&Alias { name: "excluded".to_string(), columns: vec![] }))?;
        let relation_of = excluded.relation;
        self.namespace = vec![
            NamespaceItem { columns_visible: true, relation_visible: true, ..item.clone() },
            NamespaceItem { columns_visible: true, relation_visible: true, ..excluded },
        ];
        // A name alone is ambiguous between the two in expressions; targets are the table's.
        let targets = self.transform_update_targets(relation, &item.name, &clause.target_list)?;
        let condition = self.transform_condition(clause.where_clause.as_ref(), ExprKind::Where, "WHERE")?;
        self.namespace = vec![];
        Ok(OnConflict {
            inference,
            arbiters,
            action: ConflictAction::Update { targets, condition, excluded: relation_of },
        })
    }

    /// What ON CONFLICT (…) says is unique (`resolve_unique_index_expr`).
    fn transform_inference(&mut self, infer: &raw::InferClause) -> Result<Inference> {
        let mut keys = Vec::with_capacity(infer.index_elems.len());
        for node in &infer.index_elems {
            let Node::IndexElem(element) = node else { return Err(unexpected()) };
            let not_allowed = match () {
                _ if element.ordering != raw::SortByDir::SORTBY_DEFAULT => Some("ASC/DESC"),
                _ if element.nulls_ordering != raw::SortByNulls::SORTBY_NULLS_DEFAULT => Some("NULLS FIRST/LAST"),
                _ => None,
            };
            if let Some(what) = not_allowed {
                return Err(error(
                    sqlstate::INVALID_COLUMN_REFERENCE,
                    format!("{what} is not allowed in ON CONFLICT clause"),
                    infer.location,
                ));
            }
            if !strings(&element.opclass).is_empty() {
                return Err(unsupported("ON CONFLICT with an operator class", infer.location));
            }
            let node = match (&element.name, &element.expr) {
                (Some(name), _) => {
                    let fields = vec![Node::String(name.clone())];
                    Node::ColumnRef(Box::new(raw::ColumnRef { fields, location: infer.location }))
                }
                (None, expr) => required(expr)?.clone(),
            };
            let expr = self.transform_expr(&node, ExprKind::IndexExpression)?;
            let collation = match element.collation.is_empty() {
                true => oid::INVALID,
                false => {
                    let collname = element.collation.clone();
                    let clause = raw::CollateClause { arg: None, collname, location: infer.location };
                    self.named_collation(&clause, expr.ty().oid)?
                }
            };
            keys.push(InferenceElement { expr, collation });
        }
        let predicate = self.transform_condition(infer.where_clause.as_ref(), ExprKind::IndexPredicate, "WHERE")?;
        Ok(Inference { keys, predicate })
    }
}

/// ON CONFLICT ON CONSTRAINT.
fn arbiter_of_constraint(name: &str, relation: &Relation) -> Result<Vec<types::Oid>> {
    let found = relation.unique_indexes.iter().find(|index| index.constraint.as_deref() == Some(name));
    let missing = || {
        let message = format!("constraint \"{name}\" for table \"{}\" does not exist", relation.name);
        Error::new(sqlstate::UNDEFINED_OBJECT, message)
    };
    found.map(|index| vec![index.oid]).ok_or_else(missing)
}

pub(super) fn overriding(kind: raw::OverridingKind) -> Overriding {
    match kind {
        raw::OverridingKind::OVERRIDING_NOT_SET => Overriding::NotSet,
        raw::OverridingKind::OVERRIDING_USER_VALUE => Overriding::UserValue,
        raw::OverridingKind::OVERRIDING_SYSTEM_VALUE => Overriding::SystemValue,
    }
}

/// DEFAULT, before the column is known.
pub(crate) fn unknown_default(place: i32) -> Expr {
    let (ty, collation) = (TypeRef::of(oid::UNKNOWN), Collation::NONE);
    Expr::SetToDefault(SetToDefault { ty, collation, location: Location(place) })
}

/// `VALUES (…)` with nothing behind it.
fn is_plain_values(select: &raw::SelectStmt) -> bool {
    !select.values_lists.is_empty()
        && select.sort_clause.is_empty()
        && select.limit_offset.is_none()
        && select.limit_count.is_none()
        && select.locking_clause.is_empty()
        && select.with_clause.is_none()
}

fn is_one_row(select: &raw::SelectStmt) -> bool {
    is_plain_values(select) && select.values_lists.len() == 1
}
