//! What the tables and columns of a query are called (`set_deparse_for_query`).

use std::borrow::Cow;
use std::collections::HashMap;

use error::sqlstate;
use types::{Error, Result};

use super::super::{Referent, VarNames, WindowReferent};
use crate::query::*;
use crate::relations::{Attribute, Relations};
use crate::transform::SYSTEM_COLUMNS;

/// The names in a query. They differ from those of the queries around it.
pub struct QueryNames<'q> {
    query: &'q Query,
    parent: Option<&'q dyn VarNames>,
    relations: Vec<Option<String>>,
    columns: Vec<EntryColumns>,
    /// Columns are written with their tables: there are several, or queries around.
    qualified: bool,
    /// Where USING merges columns into one that is none of them, as FULL JOIN does: the names that it gives, each once in the
    /// query, and the columns that must have them.
    using: Vec<String>,
    forced: HashMap<(RangeTableIndex, i16), String>,
    /// The columns that a join with a name hides, as the join has them.
    of_joins: HashMap<(RangeTableIndex, i16), (RangeTableIndex, i16)>,
}

/// The names of an entry's columns.
struct EntryColumns {
    names: Vec<String>,
    /// Those that the alias has to say; `None`: they are what they would be without.
    written: Option<Vec<String>>,
    /// The names that USING has merged.
    merged: Vec<String>,
}

/// A column that a part of FROM gives.
struct OutputColumn {
    /// The column of a table that it is, or those that USING has merged.
    of: Vec<(RangeTableIndex, i16)>,
    name: String,
}

impl<'q> QueryNames<'q> {
    pub fn new(query: &'q Query, parent: Option<&'q dyn VarNames>, relations: &dyn Relations) -> QueryNames<'q> {
        let mut names = QueryNames {
            query,
            parent,
            relations: relation_names(query, parent, relations),
            columns: Vec::with_capacity(query.range_table.len()),
            qualified: parent.is_some() || query.range_table.len() != 1,
            using: Vec::new(),
            forced: HashMap::new(),
            of_joins: HashMap::new(),
        };
        if query.range_table.iter().any(merges_into_other) {
            query.join_tree.from.iter().for_each(|tree| names.force(tree));
        }
        for (number, entry) in (1..).zip(&query.range_table) {
            let columns = names.entry_columns(RangeTableIndex(number), entry, relations);
            names.columns.push(columns);
        }
        for tree in &query.join_tree.from {
            names.name_outputs(tree);
            names.hide(tree, None);
        }
        names
    }

    pub(super) fn relation_name(&self, entry: RangeTableIndex) -> Option<&str> {
        self.relations[entry.index()].as_deref()
    }

    /// The columns that the alias has to say.
    pub(super) fn written_columns(&self, entry: RangeTableIndex) -> Option<impl Iterator<Item = &str>> {
        let written = self.columns[entry.index()].written.as_ref()?;
        Some(written.iter().map(String::as_str).filter(|name| !name.is_empty()))
    }

    /// The names that USING has merged.
    pub(super) fn merged(&self, join: RangeTableIndex) -> &[String] {
        &self.columns[join.index()].merged
    }

    /// Says how what USING merges is called, on both sides, the outermost joins first (`set_using_names`).
    fn force(&mut self, tree: &JoinTree) {
        let join = match tree {
            JoinTree::Relation(_) => return,
            JoinTree::From(from) => return from.from.iter().for_each(|tree| self.force(tree)),
            JoinTree::Join(join) => join,
        };
        let entry = self.query.entry(join.relation);
        let merged = if let RangeTableKind::Join { merged, .. } = entry.kind { merged } else { 0 };
        for (number, column) in (1..).zip(&entry.columns[..merged]) {
            let known = self.forced.get(&(join.relation, number)).cloned();
            let name = known.unwrap_or_else(|| {
                let name = unique(&column.name, |name| self.using.iter().any(|used| used == name));
                self.using.push(name.clone());
                name
            });
            for side in [&join.left, &join.right] {
                if let Some(below) = self.named_in(side, &column.name) {
                    self.forced.insert(below, name.clone());
                }
            }
        }
        self.force(&join.left);
        self.force(&join.right);
    }

    /// The column of a side of a join that had this name when the query was read.
    fn named_in(&self, side: &JoinTree, name: &str) -> Option<(RangeTableIndex, i16)> {
        let entry = match side {
            JoinTree::Relation(entry) => *entry,
            JoinTree::Join(join) => join.relation,
            JoinTree::From(_) => return None,
        };
        let place = self.query.entry(entry).columns.iter().position(|column| column.name == name)?;
        Some((entry, place as i16 + 1))
    }

    fn entry_columns(
        &self,
        index: RangeTableIndex,
        entry: &RangeTableEntry,
        relations: &dyn Relations,
    ) -> EntryColumns {
        let real: Vec<String> = match &entry.kind {
            RangeTableKind::Relation { oid, .. } => {
                let relation = relations.relation_by_oid(*oid);
                let name = |column: &Attribute| column.column().name;
                relation.map_or(vec![], |relation| relation.columns.iter().map(name).collect())
            }
            RangeTableKind::Subquery(query) => query.visible_targets().map(|target| target.name.clone()).collect(),
            RangeTableKind::Values { rows } => {
                (1..=rows.first().map_or(0, Vec::len)).map(|number| format!("column{number}")).collect()
            }
            RangeTableKind::Cte { name, levels_up, .. } => self.cte_columns(name, *levels_up).unwrap_or_default(),
            RangeTableKind::Join { columns, .. } => columns.iter().map(|column| self.real_name(column)).collect(),
            RangeTableKind::Function { .. } | RangeTableKind::Result => vec![],
        };
        // A table may have got columns since the query was read.
        let count = match entry.kind {
            RangeTableKind::Relation { .. } => real.len().max(entry.columns.len()),
            _ => entry.columns.len(),
        };
        let mut names: Vec<String> = Vec::with_capacity(count);
        for position in 0..count {
            // A new column, or one with a new name, must not become one of those that USING merges.
            let known = entry.columns.get(position).map(|column| &*column.name);
            let free = known.is_none_or(|known| !self.is_merged(known));
            let is_join = matches!(entry.kind, RangeTableKind::Join { .. });
            let is_used = |name: &str| {
                let merged = free && self.is_merged(name) || !is_join && self.using.iter().any(|used| used == name);
                merged || names.iter().any(|known| known == name)
            };
            let forced = self.forced.get(&(index, position as i16 + 1)).filter(|_| !is_join);
            let name = match (forced, self.column_name(entry, position, real.get(position))) {
                (Some(forced), _) => forced.clone(),
                (None, "") => String::new(),
                (None, name) => unique(name, is_used),
            };
            names.push(name);
        }
        let changed = names.iter().zip(&real).any(|(name, real)| !name.is_empty() && name != real);
        let (written, merged) = match entry.kind {
            // Said by `name_outputs`.
            RangeTableKind::Join { merged, .. } => (false, real[..merged].to_vec()),
            RangeTableKind::Function { .. } => (true, Vec::new()),
            _ => (changed, Vec::new()),
        };
        EntryColumns { written: written.then(|| names.clone()), merged, names }
    }

    /// The columns that a part of FROM gives, with those that tables have got since the query was read. Joins that have a name
    /// say on the way how theirs are called, where that is not as below them.
    fn name_outputs(&mut self, tree: &JoinTree) -> Vec<OutputColumn> {
        match tree {
            JoinTree::Relation(entry) => {
                let named = (1..).zip(&self.columns[entry.index()].names).filter(|(_, name)| !name.is_empty());
                named.map(|(number, name)| OutputColumn { of: vec![(*entry, number)], name: name.clone() }).collect()
            }
            JoinTree::From(from) => from.from.iter().flat_map(|tree| self.name_outputs(tree)).collect(),
            JoinTree::Join(join) => {
                let (mut left, mut right) = (self.name_outputs(&join.left), self.name_outputs(&join.right));
                let mut outputs = Vec::with_capacity(left.len() + right.len());
                for name in &self.columns[join.relation.index()].merged {
                    let sides = [take_output(&mut left, name), take_output(&mut right, name)];
                    let of = sides.into_iter().flatten().flat_map(|side| side.of).collect();
                    outputs.push(OutputColumn { of, name: name.clone() });
                }
                outputs.append(&mut left);
                outputs.append(&mut right);
                if self.relations[join.relation.index()].is_some() {
                    self.name_join(join.relation, &mut outputs);
                }
                outputs
            }
        }
    }

    /// Gives what a join with a name gives the names that its columns have; others must not get them.
    fn name_join(&mut self, join: RangeTableIndex, outputs: &mut [OutputColumn]) {
        let RangeTableKind::Join { columns, .. } = &self.query.entry(join).kind else { return };
        let places: Vec<_> = columns.iter().map(|column| self.column_below(column)).collect();
        let known = &self.columns[join.index()].names;
        let mut names: Vec<String> = Vec::with_capacity(outputs.len());
        for output in &*outputs {
            let place = places.iter().position(|place| place.is_some_and(|place| output.of.contains(&place)));
            let used = |name: &str| known.iter().chain(&names).any(|other| other == name);
            names.push(place.map_or_else(|| unique(&output.name, used), |place| known[place].clone()));
        }
        let changed = outputs.iter().zip(&names).any(|(output, name)| output.name != *name);
        for (output, name) in outputs.iter_mut().zip(&names) {
            output.name.clone_from(name);
        }
        self.columns[join.index()].written = changed.then_some(names);
    }

    /// The column of a table that a join's column is; of those that USING has merged the first.
    fn column_below(&self, column: &Expr) -> Option<(RangeTableIndex, i16)> {
        match column {
            Expr::Var(var) => match &self.query.entry(var.relation).kind {
                RangeTableKind::Join { columns, .. } => self.column_below(columns.get(var.attribute as usize - 1)?),
                _ => Some((var.relation, var.attribute)),
            },
            Expr::Coalesce(e) => self.column_below(&e.arguments[0]),
            Expr::FuncExpr(e) => self.column_below(e.arguments.first()?),
            Expr::RelabelType(e) => self.column_below(&e.argument),
            Expr::CoerceViaIo(e) => self.column_below(&e.argument),
            _ => None,
        }
    }

    /// Does a USING merge columns of this name?
    fn is_merged(&self, name: &str) -> bool {
        self.query.range_table.iter().any(|entry| match entry.kind {
            RangeTableKind::Join { merged, .. } => entry.columns[..merged].iter().any(|column| column.name == name),
            _ => false,
        })
    }

    /// Which name a column is to have, if no other has it: the one that the statement gave it, or else its own, which may have
    /// changed since. What USING has merged must be called as it was, on both sides.
    fn column_name<'a>(&self, entry: &'a RangeTableEntry, position: usize, real: Option<&'a String>) -> &'a str {
        let known = entry.columns.get(position).map(|column| &*column.name);
        let real = real.map(String::as_str);
        let (own, has_name) = match &entry.kind {
            RangeTableKind::Relation { .. } => (known.is_none_or(|known| !self.is_merged(known)), true),
            // What is computed of those that USING merges has none by itself.
            RangeTableKind::Join { columns, .. } => {
                let column = &columns[position];
                (real != Some(""), self.column_below(column).is_some() || matches!(column, Expr::Const(_)))
            }
            _ => (false, false),
        };
        match (known, real) {
            // Of a column that is gone.
            (Some(""), _) => "",
            (_, Some("")) if has_name => "",
            (_, Some(real)) if own && position >= entry.aliased_columns => real,
            (known, _) => known.unwrap_or_default(),
        }
    }

    fn real_name(&self, column: &Expr) -> String {
        match column {
            Expr::Var(var) => {
                let columns = self.columns.get(var.relation.index());
                let name = columns.and_then(|columns| columns.names.get(var.attribute as usize - 1));
                name.cloned().unwrap_or_default()
            }
            Expr::Coalesce(e) => self.real_name(&e.arguments[0]),
            Expr::FuncExpr(e) => e.arguments.first().map_or(String::new(), |argument| self.real_name(argument)),
            Expr::RelabelType(e) => self.real_name(&e.argument),
            Expr::CoerceViaIo(e) => self.real_name(&e.argument),
            _ => String::new(),
        }
    }

    /// What is in a join with a name is seen through it alone.
    fn hide(&mut self, tree: &JoinTree, mut around: Option<RangeTableIndex>) {
        match tree {
            JoinTree::Relation(_) => {}
            JoinTree::Join(join) => {
                if around.is_none() && self.relations[join.relation.index()].is_some() {
                    around = Some(join.relation);
                    if let RangeTableKind::Join { columns, .. } = &self.query.entry(join.relation).kind {
                        for (number, column) in (1..).zip(columns) {
                            if let Expr::Var(var) = column {
                                let known = (var.relation, var.attribute);
                                self.of_joins.entry(known).or_insert((join.relation, number));
                            }
                        }
                    }
                }
                self.hide(&join.left, around);
                self.hide(&join.right, around);
            }
            JoinTree::From(from) => from.from.iter().for_each(|tree| self.hide(tree, around)),
        }
    }
}

impl VarNames for QueryNames<'_> {
    fn var(&self, var: &Var) -> Result<Referent<'_>> {
        if var.levels_up > 0 {
            let parent = self.parent.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "bogus varlevelsup"))?;
            let mut referent = parent.var(&Var { levels_up: var.levels_up - 1, ..*var })?;
            if let Referent::Column { qualified, .. } = &mut referent {
                *qualified = self.qualified;
            }
            return Ok(referent);
        }
        let hidden = self.of_joins.get(&(var.relation, var.attribute));
        let (relation, attribute) = hidden.copied().unwrap_or((var.relation, var.attribute));
        let name = match attribute {
            0 => None,
            1.. => match self.columns[relation.index()].names.get(attribute as usize - 1).map(String::as_str) {
                None | Some("") => Some(Cow::Borrowed("?dropped?column?")),
                Some(name) => Some(Cow::Borrowed(name)),
            },
            _ => {
                SYSTEM_COLUMNS.iter().find(|(_, number, _)| *number == attribute).map(|(name, ..)| Cow::Borrowed(*name))
            }
        };
        let qualified = self.qualified || name.is_none();
        Ok(Referent::Column { relation: self.relation_name(relation).map(Cow::Borrowed), qualified, name })
    }

    fn window(&self, window: WindowIndex) -> Result<WindowReferent<'_>> {
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, "could not find window clause");
        let window = self.query.windows.get(window.0 as usize).ok_or_else(missing)?;
        Ok(WindowReferent::Definition { window, targets: &self.query.targets })
    }

    fn field(&self, row: &Expr, field: i16) -> Option<String> {
        let Expr::Var(Var { relation, attribute: 0, levels_up: 0, .. }) = row else { return None };
        self.columns[relation.index()].names.get(field as usize - 1).cloned()
    }

    fn computed(&self, column: &Var) -> Option<&Expr> {
        let place = usize::try_from(column.attribute).ok()?.checked_sub(1)?;
        match &self.query.entry(column.relation).kind {
            RangeTableKind::Subquery(query) if column.levels_up == 0 => {
                query.visible_targets().nth(place).map(|target| &target.expr)
            }
            _ => None,
        }
    }

    fn relation_names(&self) -> Vec<String> {
        let own = self.relations.iter().flatten().cloned();
        own.chain(self.parent.map_or(vec![], |parent| parent.relation_names())).collect()
    }

    fn has_cte(&self, name: &str) -> bool {
        self.query.ctes.iter().any(|cte| cte.name == name) || self.parent.is_some_and(|parent| parent.has_cte(name))
    }

    fn cte_columns(&self, name: &str, levels_up: u32) -> Option<Vec<String>> {
        if levels_up > 0 {
            return self.parent?.cte_columns(name, levels_up - 1);
        }
        let cte = self.query.ctes.iter().find(|cte| cte.name == name)?;
        Some(cte.columns.iter().map(|column| column.name.clone()).collect())
    }
}

/// `set_rtable_names`: a name for each entry, none of them twice.
fn relation_names(query: &Query, parent: Option<&dyn VarNames>, relations: &dyn Relations) -> Vec<Option<String>> {
    let mut used = parent.map_or(vec![], |parent| parent.relation_names());
    let mut names = Vec::with_capacity(query.range_table.len());
    for entry in &query.range_table {
        let own = match &entry.kind {
            _ if entry.aliased => entry.name.clone(),
            RangeTableKind::Relation { oid, .. } => {
                relations.relation_by_oid(*oid).map_or_else(|| entry.name.clone(), |relation| relation.name.clone())
            }
            RangeTableKind::Join { .. } => {
                names.push(None);
                continue;
            }
            _ => entry.name.clone(),
        };
        let name = unique(&own, |name| used.iter().any(|known| known == name));
        used.push(name.clone());
        names.push(Some(name));
    }
    names
}

/// Does USING make a column of several, which has no name but that of the join?
fn merges_into_other(entry: &RangeTableEntry) -> bool {
    match &entry.kind {
        RangeTableKind::Join { merged, columns, .. } => {
            columns[..*merged].iter().any(|column| !matches!(column, Expr::Var(_)))
        }
        _ => false,
    }
}

fn take_output(outputs: &mut Vec<OutputColumn>, name: &str) -> Option<OutputColumn> {
    let place = outputs.iter().position(|output| output.name == name)?;
    Some(outputs.remove(place))
}

/// A name, with a number behind it if it is there already.
fn unique(name: &str, is_used: impl Fn(&str) -> bool) -> String {
    if !is_used(name) {
        return name.to_string();
    }
    (1..).map(|number| format!("{name}_{number}")).find(|name| !is_used(name)).unwrap_or_default()
}
