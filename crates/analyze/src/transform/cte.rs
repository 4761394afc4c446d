//! WITH (`parse_cte.c`).
//!
//! A recursive WITH query is analyzed in two steps: its first arm, which must not refer to it, gives the columns; then the
//! whole.

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Result, oid};

use super::raw::strings;
use super::recursion::{check_well_formed, dependency_order};
use super::relation::{Alias, aliased_columns};
use super::state::{NamespaceItem, OpenCte, ParseState};
use super::{error, required, unexpected, unsupported};
use crate::query::*;

impl ParseState<'_> {
    /// Goes through WITH. Gives whether it is WITH RECURSIVE (`transformWithClause`).
    pub(crate) fn transform_with(&mut self, with: Option<&raw::WithClause>) -> Result<bool> {
        let Some(with) = with else { return Ok(false) };
        let mut all: Vec<&raw::CommonTableExpr> = Vec::with_capacity(with.ctes.len());
        for node in &with.ctes {
            let Node::CommonTableExpr(cte) = node else { return Err(unexpected()) };
            if all.iter().any(|before| before.ctename == cte.ctename) {
                let name = required(&cte.ctename)?;
                let message = format!("WITH query name \"{name}\" specified more than once");
                return Err(error(sqlstate::DUPLICATE_ALIAS, message, cte.location));
            }
            all.push(cte);
        }
        let ordered = match with.recursive {
            true => dependency_order(&all)?,
            false => all.into_iter().map(|cte| (cte, false)).collect(),
        };
        for (cte, _) in ordered.iter().filter(|(_, recursive)| *recursive) {
            check_well_formed(cte)?;
        }
        self.future_ctes = ordered.iter().filter_map(|(cte, _)| cte.ctename.as_deref().map(str::to_string)).collect();
        for (cte, recursive) in ordered {
            if cte.search_clause.is_some() || cte.cycle_clause.is_some() {
                return Err(unsupported("SEARCH and CYCLE of a WITH query", cte.location));
            }
            self.has_modifying_cte |= !matches!(cte.ctequery, Some(Node::SelectStmt(_)));
            let analyzed = self.analyze_cte(cte, recursive)?;
            self.future_ctes.retain(|name| *name != analyzed.name);
            self.ctes.push(analyzed);
            self.cte_references.borrow_mut().push(0);
        }
        Ok(with.recursive)
    }

    /// `analyzeCTE`.
    fn analyze_cte(&mut self, cte: &raw::CommonTableExpr, recursive: bool) -> Result<CommonTableExpr> {
        let name = required(&cte.ctename)?.to_string();
        if recursive {
            let aliases = strings(&cte.aliascolnames).into_iter().map(str::to_string).collect();
            let open = OpenCte { name: name.clone(), aliases, columns: None, location: cte.location };
            *self.open_cte.borrow_mut() = Some(open);
        }
        let mut state = ParseState::new(self.statement, Some(self));
        state.is_open_cte = recursive;
        let query = state.transform_statement(required(&cte.ctequery)?)?;
        let open = self.open_cte.borrow_mut().take();
        if query.command != CommandType::Select && self.parent.is_some() {
            let message = "WITH clause containing a data-modifying statement must be at the top level";
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, cte.location));
        }
        let columns = match open.and_then(|open| open.columns) {
            Some(columns) => {
                self.check_recursive_columns(&name, &columns, &query)?;
                columns
            }
            None => cte_columns(&name, &strings(&cte.aliascolnames), query.visible_columns(), cte.location)?,
        };
        Ok(self.common_table_expr(cte, query, columns, recursive))
    }

    /// What the first arm says of the columns of a recursive query is what they are.
    fn check_recursive_columns(&self, name: &str, columns: &[Column], query: &Query) -> Result<()> {
        for ((column, target), number) in columns.iter().zip(query.visible_targets()).zip(1..) {
            let found = target.expr.ty();
            if column.ty == found {
                self.check_recursive_collation(name, number, column.collation, target)?;
                continue;
            }
            let shown = |ty: TypeRef| self.catalog().format_type_with_typmod(ty.oid, ty.typmod);
            let message = format!(
                "recursive query \"{name}\" column {number} has type {} in non-recursive term but type {} overall",
                shown(column.ty),
                shown(found)
            );
            let hint = "Cast the output of the non-recursive term to the correct type.";
            return Err(error(sqlstate::DATATYPE_MISMATCH, message, target.expr.location().0).hint(hint));
        }
        Ok(())
    }

    fn check_recursive_collation(&self, name: &str, number: u32, own: Collation, target: &TargetEntry) -> Result<()> {
        let overall = target.collation;
        if own.0 == overall.0 {
            return Ok(());
        }
        let shown = |collation: Collation| {
            self.catalog().collation(collation.0).map_or_else(|| "(null)".to_string(), |row| row.collname.to_string())
        };
        let message = format!(
            "recursive query \"{name}\" column {number} has collation \"{}\" in non-recursive term but collation \"{}\" overall",
            shown(own),
            shown(overall)
        );
        let hint = "Use the COLLATE clause to set the collation of the non-recursive term.";
        Err(error(sqlstate::COLLATION_MISMATCH, message, target.expr.location().0).hint(hint))
    }

    /// The columns of the recursive query whose first arm is known (`determineRecursiveColTypes`).
    pub(crate) fn determine_recursive_columns(&self, own: Vec<Column>) -> Result<()> {
        let Some(parent) = self.parent.filter(|_| self.is_open_cte) else { return Ok(()) };
        let mut open = parent.open_cte.borrow_mut();
        if let Some(open) = open.as_mut() {
            let aliases: Vec<&str> = open.aliases.iter().map(String::as_str).collect();
            open.columns = Some(cte_columns(&open.name, &aliases, own, open.location)?);
        }
        Ok(())
    }

    fn common_table_expr(
        &self,
        cte: &raw::CommonTableExpr,
        query: Query,
        columns: Vec<Column>,
        recursive: bool,
    ) -> CommonTableExpr {
        let materialized = match cte.ctematerialized {
            raw::CTEMaterialize::CTEMaterializeDefault => Materialized::Default,
            raw::CTEMaterialize::CTEMaterializeAlways => Materialized::Always,
            raw::CTEMaterialize::CTEMaterializeNever => Materialized::Never,
        };
        let name = cte.ctename.as_deref().unwrap_or_default().to_string();
        CommonTableExpr { name, materialized, query, columns, recursive, references: 0 }
    }

    /// Adds an entry for a WITH query, if the name is one's (`addRangeTableEntryForCTE`).
    pub(crate) fn add_cte(&mut self, name: &str, alias: Option<&Alias>, place: i32) -> Result<Option<NamespaceItem>> {
        let mut found = None;
        for (level, state) in self.levels() {
            let open = state.open_cte.borrow();
            if let Some(open) = open.as_ref().filter(|open| open.name == name) {
                let columns = open.columns.clone().ok_or_else(unexpected)?;
                found = Some((level, columns, true));
                break;
            }
            if let Some(index) = state.ctes.iter().position(|cte| cte.name == name) {
                let cte = &state.ctes[index];
                if cte.query.command != CommandType::Select && cte.query.returning.is_empty() {
                    let message = format!("WITH query \"{name}\" does not have a RETURNING clause");
                    return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, place));
                }
                if let Some(count) = state.cte_references.borrow_mut().get_mut(index) {
                    *count += 1;
                }
                found = Some((level, cte.columns.clone(), false));
                break;
            }
        }
        let Some((levels_up, columns, self_reference)) = found else { return Ok(None) };
        let kind = RangeTableKind::Cte { name: name.to_string(), levels_up, self_reference };
        let shown = alias.map_or(name, |alias| &alias.name).to_string();
        let columns = aliased_columns(columns, alias, &shown)?;
        Ok(Some(self.add_entry(kind, shown, alias, columns, false)))
    }
}

/// The columns of a WITH query under the names that it gives them (`analyzeCTETargetList`).
fn cte_columns(name: &str, names: &[&str], mut own: Vec<Column>, place: i32) -> Result<Vec<Column>> {
    if names.len() > own.len() {
        let message =
            format!("WITH query \"{name}\" has {} columns available but {} columns specified", own.len(), names.len());
        return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, place));
    }
    for (column, name) in own.iter_mut().zip(names) {
        column.name = name.to_string();
    }
    for column in own.iter_mut().filter(|column| column.ty.oid == oid::UNKNOWN) {
        column.ty = TypeRef::of(oid::TEXT);
        if column.collation.0 == oid::INVALID {
            column.collation = Collation(catalog::DEFAULT_COLLATION);
        }
    }
    Ok(own)
}
