//! Prepared queries as short texts.

use analyze::query::*;
use catalog::Catalog;
use types::Datum;

pub struct Show<'a> {
    pub catalog: Catalog<'a>,
    pub query: &'a Query,
}

impl Show<'_> {
    /// FROM, WHERE, targets, GROUP BY and HAVING.
    pub fn query(&self) -> String {
        let query = self.query;
        let mut text = format!("{} from {}", self.targets(), self.from(&query.join_tree));
        if !query.group_clause.is_empty() {
            let targets = query.group_clause.iter().filter_map(|clause| query.target_of(clause.reference));
            let groups: Vec<String> = targets.map(|target| self.expr(&target.expr)).collect();
            text += &format!(" group by {}", groups.join(", "));
        }
        if let Some(having) = &query.having {
            text += &format!(" having {}", self.expr(having));
        }
        text
    }

    pub fn targets(&self) -> String {
        let shown = |target: &TargetEntry| match target.junk {
            true => format!("[{}]", self.expr(&target.expr)),
            false => self.expr(&target.expr),
        };
        self.query.targets.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    fn from(&self, from: &FromExpr) -> String {
        let parts: Vec<String> = from.from.iter().map(|part| self.tree(part)).collect();
        let condition = from.condition.as_ref().map(|condition| format!(" where {}", self.expr(condition)));
        format!("{{{}{}}}", parts.join(", "), condition.unwrap_or_default())
    }

    fn tree(&self, tree: &JoinTree) -> String {
        match tree {
            JoinTree::Relation(relation) => self.entry(*relation),
            JoinTree::From(from) => self.from(from),
            JoinTree::Join(join) => {
                let kind = format!("{:?}", join.kind).to_lowercase();
                let condition = join.condition.as_ref().map(|condition| format!(" on {}", self.expr(condition)));
                format!(
                    "({} {kind} {}{})",
                    self.tree(&join.left),
                    self.tree(&join.right),
                    condition.unwrap_or_default()
                )
            }
        }
    }

    fn entry(&self, relation: RangeTableIndex) -> String {
        let entry = self.query.entry(relation);
        let lateral = if entry.lateral { "lateral " } else { "" };
        match &entry.kind {
            RangeTableKind::Relation { .. } => format!("{lateral}{}", self.name(relation)),
            RangeTableKind::Subquery(query) => {
                let inner = Show { catalog: self.catalog, query };
                match query.set_operations {
                    Some(_) => format!("{lateral}setop {}", self.name(relation)),
                    None => format!("{lateral}<{}> {}", inner.query(), self.name(relation)),
                }
            }
            RangeTableKind::Function { .. } => format!("{lateral}function {}", self.name(relation)),
            RangeTableKind::Values { .. } => format!("values {}", self.name(relation)),
            RangeTableKind::Cte { name, .. } => format!("cte {name}"),
            RangeTableKind::Result => "result".to_string(),
            RangeTableKind::Join { .. } => "join".to_string(),
        }
    }

    /// The entry's name, with its number where there are several.
    fn name(&self, relation: RangeTableIndex) -> String {
        let name = &self.query.entry(relation).name;
        let same = |entry: &&RangeTableEntry| entry.name == *name;
        match self.query.range_table.iter().filter(same).count() {
            1 => name.clone(),
            _ => format!("{name}_{}", relation.0),
        }
    }

    pub fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    pub fn expr(&self, expr: &Expr) -> String {
        let operator = |operator| self.catalog.operator(operator).map_or("?", |row| &row.oprname);
        match expr {
            Expr::Var(var) if var.levels_up > 0 => format!("{}^{}.{}", var.relation.0, var.levels_up, var.attribute),
            Expr::Var(var) => {
                let entry = self.query.entry(var.relation);
                let column = entry.columns.get(var.attribute as usize - 1);
                let attribute = || var.attribute.to_string();
                format!("{}.{}", self.name(var.relation), column.map_or_else(attribute, |c| c.name.clone()))
            }
            Expr::Const(constant) => match &constant.value {
                Datum::Null => "null".to_string(),
                Datum::I32(value) => value.to_string(),
                Datum::I64(value) => value.to_string(),
                Datum::Bool(value) => value.to_string(),
                Datum::Text(value) => format!("'{value}'"),
                other => format!("{other:?}"),
            },
            Expr::Param(param) => format!("${:?}{}", param.kind, param.number),
            Expr::OpExpr(op) if op.arguments.len() == 2 => {
                format!("({} {} {})", self.expr(&op.arguments[0]), operator(op.operator), self.expr(&op.arguments[1]))
            }
            Expr::BoolExpr(e) => {
                let word = format!("{:?}", e.operator).to_lowercase();
                format!("{word}({})", self.list(&e.arguments))
            }
            Expr::FuncExpr(call) => {
                let name = self.catalog.function(call.function).map_or("?", |row| &row.proname);
                format!("{name}({})", self.list(&call.arguments))
            }
            Expr::Aggref(call) => {
                let name = self.catalog.function(call.function).map_or("?", |row| &row.proname);
                format!("{name}({})", self.list(&call.arguments))
            }
            Expr::Coalesce(e) => format!("coalesce({})", self.list(&e.arguments)),
            Expr::NullTest(e) => format!("({} is {}null)", self.expr(&e.argument), if e.is_null { "" } else { "not " }),
            Expr::RelabelType(e) => self.expr(&e.argument),
            Expr::SubLink(link) => format!("sublink {:?}", link.kind),
            Expr::Row(row) => format!("row({})", self.list(&row.fields)),
            other => {
                let text = format!("{other:?}");
                text.split(['(', ' ']).next().unwrap_or_default().to_string()
            }
        }
    }
}
