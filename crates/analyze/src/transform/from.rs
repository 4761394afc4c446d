//! FROM (`transformFromClause` of `parse_clause.c`): each of its items becomes an entry of the range table, a part of the
//! join tree, and names that the rest of the query may use.

use error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result};

use super::coerce::Coercion;
use super::raw::strings;
use super::relation::Alias;
use super::state::{ExprKind, NamespaceColumn, NamespaceItem, ParseState};
use super::{placed, required, unexpected, unsupported};
use crate::query::*;

/// An item of FROM: its place in the join tree, its own name, and all names that it brings.
struct FromItem {
    tree: JoinTree,
    item: NamespaceItem,
    names: Vec<NamespaceItem>,
}

impl ParseState<'_> {
    /// Goes through FROM. The names stay in the namespace; the items are given.
    pub fn transform_from(&mut self, list: &[Node]) -> Result<Vec<JoinTree>> {
        let mut trees = Vec::with_capacity(list.len());
        for node in list {
            let FromItem { tree, mut names, .. } = self.transform_from_item(node)?;
            self.check_names(&names)?;
            // What comes later in FROM may use them where it is LATERAL.
            for item in &mut names {
                item.lateral_only = true;
                item.lateral_ok = true;
            }
            self.namespace.extend(names);
            trees.push(tree);
        }
        for item in &mut self.namespace {
            item.lateral_only = false;
            item.lateral_ok = true;
        }
        Ok(trees)
    }

    /// `transformFromClauseItem`.
    fn transform_from_item(&mut self, node: &Node) -> Result<FromItem> {
        let item = match node {
            Node::RangeVar(table) => self.transform_range_var(table)?,
            Node::RangeSubselect(subquery) => self.transform_range_subselect(subquery)?,
            Node::RangeFunction(function) => self.transform_range_function(function)?,
            Node::RangeTableSample(sample) => self.transform_table_sample(sample)?,
            Node::JoinExpr(join) => return self.transform_join(join),
            Node::RangeTableFunc(func) => {
                return Err(unsupported("XMLTABLE", func.location));
            }
            Node::JsonTable(table) => return Err(unsupported("JSON_TABLE", table.location)),
            _ => return Err(unexpected()),
        };
        Ok(FromItem { tree: JoinTree::Relation(item.relation), names: vec![item.clone()], item })
    }

    /// A table, a view, or what WITH calls so.
    fn transform_range_var(&mut self, table: &raw::RangeVar) -> Result<NamespaceItem> {
        let name = required(&table.relname)?;
        let alias = table.alias.as_deref().map(alias);
        if let Some(catalog) = &table.catalogname {
            self.check_relation_catalog(catalog, table)?;
        }
        if table.schemaname.is_none()
            && let Some(item) = self.add_cte(name, alias.as_ref(), table.location)?
        {
            return Ok(item);
        }
        let relation = self.open_table(table.schemaname.as_deref(), name, table.location)?;
        let item = self.add_relation(&relation, alias.as_ref())?;
        if let RangeTableKind::Relation { inherited, .. } = &mut self.range_table[item.relation.index()].kind {
            *inherited = table.inh;
        }
        Ok(item)
    }

    fn transform_range_subselect(&mut self, subquery: &raw::RangeSubselect) -> Result<NamespaceItem> {
        let select = required(&subquery.subquery)?;
        // Only a LATERAL one sees its neighbours, and nothing inside of FROM is a place for aggregates of this query.
        let before = (self.expr_kind, self.lateral_active);
        (self.expr_kind, self.lateral_active) = (ExprKind::FromSubselect, subquery.lateral);
        let query = self.analyze_subquery(select);
        (self.expr_kind, self.lateral_active) = before;
        let alias = subquery.alias.as_deref().map(alias);
        let mut item = self.add_subquery(query?, alias.as_ref(), subquery.lateral)?;
        // Without a name only its columns can be seen.
        item.relation_visible = alias.is_some();
        Ok(item)
    }

    fn transform_table_sample(&mut self, sample: &raw::RangeTableSample) -> Result<NamespaceItem> {
        let Some(Node::RangeVar(table)) = &sample.relation else { return Err(unexpected()) };
        self.transform_range_var(table)?;
        Err(unsupported("TABLESAMPLE", sample.location))
    }

    /// Other databases cannot be reached (`RangeVarGetRelid`).
    pub(crate) fn check_relation_catalog(&self, catalog: &str, table: &raw::RangeVar) -> Result<()> {
        if catalog == self.statement.database {
            return Ok(());
        }
        let (schema, name) = (table.schemaname.as_deref().unwrap_or(""), table.relname.as_deref().unwrap_or(""));
        let message = format!("cross-database references are not implemented: \"{catalog}.{schema}.{name}\"");
        Err(placed(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message), table.location))
    }

    /// `transformFromClauseItem` for JOIN.
    fn transform_join(&mut self, join: &raw::JoinExpr) -> Result<FromItem> {
        let kind = match join.jointype {
            raw::JoinType::JOIN_INNER => JoinType::Inner,
            raw::JoinType::JOIN_LEFT => JoinType::Left,
            raw::JoinType::JOIN_FULL => JoinType::Full,
            raw::JoinType::JOIN_RIGHT => JoinType::Right,
            _ => return Err(unexpected()),
        };
        let left = self.transform_from_item(required(&join.larg)?)?;
        // The right side may refer to the left one where that has all its rows already.
        let lateral_ok = matches!(kind, JoinType::Inner | JoinType::Left);
        let before = self.namespace.len();
        self.namespace.extend(left.names.iter().cloned().map(|mut item| {
            item.lateral_only = true;
            item.lateral_ok = lateral_ok;
            item
        }));
        let right = self.transform_from_item(required(&join.rarg)?);
        self.namespace.truncate(before);
        let right = right?;
        check_conflicts(&left.names, &right.names)?;

        let using = self.using_names(join, &left.item, &right.item)?;
        let mut merged = MergedColumns::default();
        for name in &using {
            self.merge_column(kind, name, &left.item, &right.item, &mut merged)?;
        }
        let condition = match (&join.quals, using.is_empty()) {
            (_, false) => Some(merged.condition()),
            (Some(quals), true) => Some(self.join_condition(quals, &left, &right)?),
            (None, true) => None,
        };
        self.finish_join(join, kind, left, right, merged, condition)
    }

    /// ON sees both sides, and nothing else of FROM.
    fn join_condition(&mut self, quals: &Node, left: &FromItem, right: &FromItem) -> Result<Expr> {
        let both = left.names.iter().chain(&right.names).cloned().collect();
        let before = std::mem::replace(&mut self.namespace, both);
        let condition = self.transform_boolean(quals, ExprKind::JoinOn, "JOIN/ON");
        self.namespace = before;
        condition
    }

    /// The columns that NATURAL and USING merge.
    fn using_names(&self, join: &raw::JoinExpr, left: &NamespaceItem, right: &NamespaceItem) -> Result<Vec<String>> {
        if join.is_natural {
            let names = left.columns.iter().filter(|l| !l.name.is_empty());
            let both = names.filter(|l| right.columns.iter().any(|r| r.name == l.name));
            return Ok(both.map(|l| l.name.clone()).collect());
        }
        let names: Vec<String> = strings(&join.using_clause).into_iter().map(str::to_string).collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                let message = format!("column name \"{name}\" appears more than once in USING clause");
                return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
            }
        }
        Ok(names)
    }

    /// `transformJoinUsingClause` and `buildMergedJoinVar` for a column.
    fn merge_column(
        &mut self,
        kind: JoinType,
        name: &str,
        left: &NamespaceItem,
        right: &NamespaceItem,
        merged: &mut MergedColumns,
    ) -> Result<()> {
        let find = |item: &NamespaceItem, side: &str| {
            let mut named = item.columns.iter().enumerate().filter(|(_, column)| column.name == name);
            let Some((index, column)) = named.next() else {
                let message = format!("column \"{name}\" specified in USING clause does not exist in {side} table");
                return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
            };
            if named.next().is_some() {
                let message = format!("common column name \"{name}\" appears more than once in {side} table");
                return Err(Error::new(sqlstate::AMBIGUOUS_COLUMN, message));
            }
            Ok((index, var_of(column)))
        };
        let (left_index, left_var) = find(left, "left")?;
        let (right_index, right_var) = find(right, "right")?;
        let equal = self.make_operator(&["="], Some(left_var.clone()), right_var.clone(), -1)?;
        merged.conditions.push(self.coerce_to_boolean(equal, "JOIN/USING")?);
        let common = self.common_type(&[&left_var, &right_var], "JOIN/USING")?;
        let typmod = self.common_typmod([&left_var, &right_var], common.oid);
        let common = TypeRef { oid: common.oid, typmod };
        let left_value = self.merged_value(left_var, common)?;
        let right_value = self.merged_value(right_var, common)?;
        let value = match kind {
            JoinType::Left => left_value,
            JoinType::Right => right_value,
            // Either will do; the one that is a plain column is better.
            JoinType::Inner if matches!(left_value, Expr::Var(_)) || !matches!(right_value, Expr::Var(_)) => left_value,
            JoinType::Inner | JoinType::Semi | JoinType::Anti => right_value,
            JoinType::Full => Expr::Coalesce(CoalesceExpr {
                ty: common,
                arguments: vec![left_value, right_value],
                location: Location::NONE,
            }),
        };
        merged.columns.push((name.to_string(), value));
        merged.left.push(left_index);
        merged.right.push(right_index);
        Ok(())
    }

    /// A side's column as the merged one (`buildMergedJoinVar`).
    fn merged_value(&mut self, value: Expr, common: TypeRef) -> Result<Expr> {
        let TypeRef { oid, typmod } = value.ty();
        if oid != common.oid {
            return self.coerce_type(value, common, Coercion::IMPLICIT);
        }
        if typmod == common.typmod {
            return Ok(value);
        }
        let (form, location) = (CoercionForm::ImplicitCast, Location::NONE);
        Ok(Expr::RelabelType(Box::new(RelabelType {
            argument: value,
            result: common,
            collation: None,
            form,
            location,
        })))
    }

    /// The entry of the join, and what it shows: merged columns first, then the others of both sides.
    fn finish_join(
        &mut self,
        join: &raw::JoinExpr,
        kind: JoinType,
        left: FromItem,
        right: FromItem,
        merged: MergedColumns,
        condition: Option<Expr>,
    ) -> Result<FromItem> {
        let relation = RangeTableIndex(self.range_table.len() as u32 + 1);
        let count = merged.columns.len();
        let mut values: Vec<(String, Expr)> = merged.columns;
        let rest = |item: &NamespaceItem, taken: &[usize]| -> Vec<(String, Expr)> {
            let columns = item
                .columns
                .iter()
                .enumerate()
                .filter(|(index, column)| !taken.contains(index) && !column.name.is_empty());
            columns.map(|(_, column)| (column.name.clone(), var_of(column))).collect()
        };
        values.extend(rest(&left.item, &merged.left));
        values.extend(rest(&right.item, &merged.right));

        let alias = join.alias.as_deref().map(alias);
        let mut columns = Vec::with_capacity(values.len());
        for ((name, value), attribute) in values.iter_mut().zip(1..) {
            let ty = value.ty();
            let (relation, attribute, collation) = match value {
                Expr::Var(var) => (var.relation, var.attribute, var.collation),
                // What is computed is the join's own.
                value => (relation, attribute, self.assign_collations(value)?),
            };
            columns.push(NamespaceColumn { name: name.clone(), relation, attribute, ty, collation });
        }
        if let Some(alias) = &alias {
            if alias.columns.len() > columns.len() {
                let (have, want) = (columns.len(), alias.columns.len());
                let message = format!(
                    "join expression \"{}\" has {have} columns available but {want} columns specified",
                    alias.name
                );
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
            for (column, name) in columns.iter_mut().zip(&alias.columns) {
                column.name.clone_from(name);
            }
        }
        let own: Vec<Column> = columns
            .iter()
            .map(|column| Column { name: column.name.clone(), ty: column.ty, collation: column.collation })
            .collect();
        let kind_of_entry = RangeTableKind::Join {
            kind,
            merged: count,
            columns: values.into_iter().map(|(_, value)| value).collect(),
            using_alias: join
                .join_using_alias
                .as_ref()
                .and_then(|using| using.aliasname.as_deref().map(str::to_string)),
        };
        let name = alias.as_ref().map_or("unnamed_join", |alias| &alias.name).to_string();
        let mut item = self.add_entry(kind_of_entry, name, alias.as_ref(), own, false);
        item.columns = columns.into();

        // A join without a name shows its sides; their columns are found by their names, the join's without. One with a name
        // hides all names in it.
        let mut names = Vec::new();
        if alias.is_none() {
            names.extend(left.names.into_iter().chain(right.names).map(|mut side| {
                side.columns_visible = false;
                side
            }));
            if let Some(using) = &join.join_using_alias {
                let using = self.using_alias(using, &item, count);
                check_conflicts(std::slice::from_ref(&using), &names)?;
                names.push(using);
            }
        }
        item.relation_visible = alias.is_some();
        check_conflicts(&names, std::slice::from_ref(&item))?;
        names.push(item.clone());
        let tree = JoinExpr { kind, left: left.tree, right: right.tree, condition, relation };
        Ok(FromItem { tree: JoinTree::Join(Box::new(tree)), item, names })
    }

    /// `JOIN … USING (a, b) AS j`: `j` has the merged columns.
    fn using_alias(&self, using: &raw::Alias, item: &NamespaceItem, merged: usize) -> NamespaceItem {
        NamespaceItem {
            name: using.aliasname.as_deref().unwrap_or_default().to_string(),
            columns: item.columns[..merged].into(),
            using_alias: true,
            relation_visible: true,
            columns_visible: false,
            ..item.clone()
        }
    }

    /// Names of FROM must differ (`checkNameSpaceConflicts`).
    fn check_names(&self, names: &[NamespaceItem]) -> Result<()> {
        check_conflicts(&self.namespace, names)
    }
}

/// What USING makes of the columns.
#[derive(Default)]
struct MergedColumns {
    columns: Vec<(String, Expr)>,
    conditions: Vec<Expr>,
    /// Where the columns are in the sides.
    left: Vec<usize>,
    right: Vec<usize>,
}

impl MergedColumns {
    fn condition(&self) -> Expr {
        match &self.conditions[..] {
            [one] => one.clone(),
            all => Expr::BoolExpr(BoolExpr {
                operator: BoolOperator::And,
                arguments: all.to_vec(),
                location: Location::NONE,
            }),
        }
    }
}

fn check_conflicts(left: &[NamespaceItem], right: &[NamespaceItem]) -> Result<()> {
    for a in left.iter().filter(|item| item.relation_visible) {
        for b in right.iter().filter(|item| item.relation_visible && item.name == a.name) {
            // Two tables of one name in different schemas are told apart by their schemas.
            if a.table.is_some() && b.table.is_some() && a.table != b.table {
                continue;
            }
            let message = format!("table name \"{}\" specified more than once", b.name);
            return Err(Error::new(sqlstate::DUPLICATE_ALIAS, message));
        }
    }
    Ok(())
}

fn var_of(column: &NamespaceColumn) -> Expr {
    column.var(0, -1)
}

/// An alias as the grammar has it.
pub fn alias(node: &raw::Alias) -> Alias {
    let name = node.aliasname.as_deref().unwrap_or_default().to_string();
    Alias { name, columns: strings(&node.colnames).into_iter().map(str::to_string).collect() }
}
