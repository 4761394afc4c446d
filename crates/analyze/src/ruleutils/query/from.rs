//! FROM (`get_from_clause`).

use error::sqlstate;
use types::{Error, Result};

use super::super::Writer;
use super::{QueryNames, STEP};
use crate::query::*;
use crate::ruleutils::{VarNames, looks_like_function};

impl Writer<'_> {
    pub(super) fn write_from(&mut self, query: &Query, names: &QueryNames<'_>) -> Result<()> {
        let shown = |tree: &&JoinTree| match tree {
            JoinTree::Relation(entry) => query.entry(*entry).in_from,
            _ => true,
        };
        for (place, tree) in query.join_tree.from.iter().filter(shown).enumerate() {
            if place == 0 {
                self.keyword(" FROM ", -STEP, STEP, 2);
                self.write_from_item(tree, query, names)?;
                continue;
            }
            self.push(", ");
            let outer = std::mem::take(&mut self.out);
            let written = self.write_from_item(tree, query, names);
            let text = std::mem::replace(&mut self.out, outer);
            written?;
            self.wrapped_item(&text, false);
        }
        Ok(())
    }

    fn write_from_item(&mut self, tree: &JoinTree, query: &Query, names: &QueryNames<'_>) -> Result<()> {
        match tree {
            JoinTree::Relation(entry) => self.write_entry(*entry, query, names),
            JoinTree::Join(join) => self.write_join(join, query, names),
            JoinTree::From(from) => from.from.iter().try_for_each(|tree| self.write_from_item(tree, query, names)),
        }
    }

    fn write_entry(&mut self, index: RangeTableIndex, query: &Query, names: &QueryNames<'_>) -> Result<()> {
        let entry = query.entry(index);
        if entry.lateral {
            self.push("LATERAL ");
        }
        let own = match &entry.kind {
            RangeTableKind::Relation { oid, inherited, .. } => {
                self.push(if *inherited { "" } else { "ONLY " });
                let own = self.catalog().relation(*oid).map(|row| row.relname.to_string());
                // The name alone would mean the WITH query.
                let name = match own.as_deref().is_some_and(|own| names.has_cte(own)) {
                    true => self.qualified_relation_name(*oid)?,
                    false => self.relation_name(*oid)?,
                };
                self.push(&name);
                own
            }
            RangeTableKind::Subquery(inner) => {
                self.push("(");
                self.query(inner, Some(names), None, true)?;
                self.push(")");
                None
            }
            RangeTableKind::Function { functions, ordinality } => {
                self.write_functions(functions, names)?;
                self.push(if *ordinality { " WITH ORDINALITY" } else { "" });
                None
            }
            RangeTableKind::Values { rows } => {
                self.push("(");
                self.values(rows, names)?;
                self.push(")");
                None
            }
            RangeTableKind::Cte { name, .. } => {
                self.identifier(name);
                Some(name.clone())
            }
            RangeTableKind::Join { .. } | RangeTableKind::Result => None,
        };
        let written = names.written_columns(index);
        let name = names.relation_name(index).unwrap_or_default();
        if entry.aliased || written.is_some() || own.as_deref() != Some(name) {
            self.push(" ");
            self.identifier(name);
        }
        if let Some(columns) = written {
            self.push("(");
            self.identifiers(columns);
            self.push(")");
        }
        if let RangeTableKind::Relation { sample: Some(sample), .. } = &entry.kind {
            self.table_sample(sample, names)?;
        }
        Ok(())
    }

    fn write_functions(&mut self, functions: &[FunctionColumns], names: &QueryNames<'_>) -> Result<()> {
        if let [only] = functions {
            return self.function_in_from(&only.call, names);
        }
        let unnest = |function: &FunctionColumns| match &function.call {
            Expr::FuncExpr(call)
                if self.catalog().function(call.function).is_some_and(|row| row.proname == "unnest") =>
            {
                Some(call.arguments.clone())
            }
            _ => None,
        };
        if let Some(arguments) = functions.iter().map(unnest).collect::<Option<Vec<_>>>() {
            return self.call_of("UNNEST", &arguments.concat(), names);
        }
        self.push("ROWS FROM(");
        for (place, function) in functions.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.function_in_from(&function.call, names)?;
        }
        self.push(")");
        Ok(())
    }

    /// What does not look like a function is written as a cast (`get_rule_expr_funccall`).
    fn function_in_from(&mut self, call: &Expr, names: &QueryNames<'_>) -> Result<()> {
        if looks_like_function(call) {
            return self.expr(call, names, true);
        }
        self.push("CAST(");
        self.expr(call, names, false)?;
        let ty = call.ty();
        let shown = self.catalog().format_type_with_typmod(ty.oid, ty.typmod);
        self.push(&format!(" AS {shown})"));
        Ok(())
    }

    fn table_sample(&mut self, sample: &TableSample, names: &QueryNames<'_>) -> Result<()> {
        let name = self.function_name(sample.method, &[types::oid::INTERNAL], false)?;
        self.push(&format!(" TABLESAMPLE {name} ("));
        self.list(&sample.arguments, names, false)?;
        self.push(")");
        if let Some(seed) = &sample.repeatable {
            self.push(" REPEATABLE (");
            self.expr(seed, names, false)?;
            self.push(")");
        }
        Ok(())
    }

    fn write_join(&mut self, join: &JoinExpr, query: &Query, names: &QueryNames<'_>) -> Result<()> {
        let name = names.relation_name(join.relation);
        let pretty = self.deparse.pretty;
        let named = |tree: &JoinTree| match tree {
            JoinTree::Relation(_) => true,
            JoinTree::Join(join) => names.relation_name(join.relation).is_some(),
            JoinTree::From(_) => false,
        };
        self.wrapped(!pretty || name.is_some(), |writer| {
            writer.write_from_item(&join.left, query, names)?;
            let word = match join.kind {
                JoinType::Inner if join.condition.is_none() => " CROSS JOIN ",
                JoinType::Inner => " JOIN ",
                JoinType::Left => " LEFT JOIN ",
                JoinType::Full => " FULL JOIN ",
                JoinType::Right => " RIGHT JOIN ",
                JoinType::Semi | JoinType::Anti => {
                    return Err(Error::new(sqlstate::INTERNAL_ERROR, "a join of the planner's"));
                }
            };
            writer.keyword(word, -STEP, STEP, 4);
            writer
                .wrapped(pretty && !named(&join.right), |writer| writer.write_from_item(&join.right, query, names))?;
            let using = names.merged(join.relation);
            match &join.condition {
                _ if !using.is_empty() => {
                    writer.push(" USING (");
                    writer.identifiers(using.iter().map(String::as_str));
                    writer.push(")");
                    if let RangeTableKind::Join { using_alias: Some(alias), .. } = &query.entry(join.relation).kind {
                        writer.push(" AS ");
                        writer.identifier(alias);
                    }
                }
                Some(condition) => {
                    writer.push(" ON ");
                    writer.own_parens(|writer| writer.expr(condition, names, false))?;
                }
                None if join.kind != JoinType::Inner => writer.push(" ON TRUE"),
                None => {}
            }
            Ok(())
        })?;
        let Some(name) = name else { return Ok(()) };
        self.push(" ");
        self.identifier(name);
        if let Some(columns) = names.written_columns(join.relation) {
            self.push("(");
            self.identifiers(columns);
            self.push(")");
        }
        Ok(())
    }
}
