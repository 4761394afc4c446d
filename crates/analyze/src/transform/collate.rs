//! The collations of expressions (`parse_collate.c`).
//!
//! All collations that there are have one order, that of bytes, so what goes by one are letters: their cases, and which characters
//! are some. Only functions that ask for these are given the collation of their arguments.
//!
//! A column has the collation that it was given where it comes from: it is looked for there, each time that it is asked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use catalog::DEFAULT_COLLATION;
use types::{Oid, Result, oid};

use super::state::{ParseState, Statement};
use super::{Analyzed, error};
use crate::query::*;
use crate::relations::RelationKind;

/// How much a collation is worth beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// Values have none.
    None,
    /// It is that of a column or a type.
    Implicit,
    /// Those of two columns, neither of which is the default.
    Conflict,
    /// COLLATE says it.
    Explicit,
}

/// The collation of an expression.
#[derive(Clone, Copy, Debug)]
struct Derived {
    strength: Strength,
    collation: Oid,
    location: Location,
}

impl Derived {
    const NONE: Derived = Derived { strength: Strength::None, collation: oid::INVALID, location: Location::NONE };

    fn implicit(collation: Option<Oid>, location: Location) -> Derived {
        match collation {
            Some(collation) => Derived { strength: Strength::Implicit, collation, location },
            None => Derived::NONE,
        }
    }

    /// As those see it who read it as a column.
    fn as_column(self, location: Location) -> Derived {
        match self.strength {
            Strength::None | Strength::Conflict => Derived::NONE,
            Strength::Implicit | Strength::Explicit => Derived::implicit(Some(self.collation), location),
        }
    }
}

/// A query that is being analyzed, or one in its range table, with those around it.
#[derive(Clone, Copy)]
enum Scope<'a> {
    Open(&'a ParseState<'a>),
    Closed(&'a Query, &'a Scope<'a>),
}

impl<'a> Scope<'a> {
    fn range_table(&self) -> &'a [RangeTableEntry] {
        match self {
            Scope::Open(state) => &state.range_table,
            Scope::Closed(query, _) => &query.range_table,
        }
    }

    fn cte(&self, name: &str) -> Option<&'a CommonTableExpr> {
        let ctes = match self {
            Scope::Open(state) => &state.ctes,
            Scope::Closed(query, _) => &query.ctes,
        };
        ctes.iter().find(|cte| cte.name == name)
    }

    /// The query so many further out.
    fn at(self, levels_up: u32) -> Option<Scope<'a>> {
        let mut scope = self;
        for _ in 0..levels_up {
            scope = match scope {
                Scope::Open(state) => Scope::Open(state.parent?),
                Scope::Closed(_, outer) => *outer,
            };
        }
        Some(scope)
    }
}

/// What is asked within one expression.
struct Asking<'a> {
    state: &'a ParseState<'a>,
    /// The columns of entries, which may be read many times.
    columns: RefCell<HashMap<(*const RangeTableEntry, i16), Derived>>,
    /// The views that were looked into: their entries stay where they are.
    views: RefCell<Vec<Arc<Analyzed>>>,
}

impl ParseState<'_> {
    /// By which collation a function goes, if it goes by one; 0: the default, or none. Fails with 42P21 where COLLATE says two, and
    /// with 42P22 where two columns say different ones.
    pub(crate) fn input_collation(&self, function: Oid, arguments: &mut dyn Iterator<Item = &Expr>) -> Result<Oid> {
        let follows = self.catalog().follows_collation(function);
        if !follows && !self.statement.collates.get() {
            return Ok(oid::INVALID);
        }
        let asking = Asking { state: self, columns: RefCell::default(), views: RefCell::default() };
        let mut all = Derived::NONE;
        for argument in arguments {
            asking.merge(&mut all, asking.derive(argument, Scope::Open(self))?)?;
        }
        match (follows, all.strength, all.collation) {
            (false, ..) | (_, Strength::Implicit | Strength::Explicit, DEFAULT_COLLATION) => Ok(oid::INVALID),
            // A column may have got two.
            (true, Strength::Conflict | Strength::None, _) => {
                let message = format!("could not determine which collation to use for {}", self.what_follows(function));
                Err(types::Error::new("42P22", message).hint("Use the COLLATE clause to set the collation explicitly."))
            }
            (true, _, collation) => Ok(collation),
        }
    }

    /// How messages call a function that goes by a collation.
    fn what_follows(&self, function: Oid) -> String {
        let name = self.catalog().function(function).map_or_else(String::new, |row| row.proname.to_string());
        match &*name {
            "lower" | "upper" | "initcap" | "casefold" => format!("{name}() function"),
            _ if name.contains("iclike") || name.contains("icnlike") => "ILIKE".to_string(),
            _ => "regular expression".to_string(),
        }
    }
}

/// The collations of a query's columns, where they are not those of their types.
pub fn result_collations(statement: &Statement<'_>, query: &Query) -> Result<Vec<Option<Oid>>> {
    let state = ParseState::new(statement, None);
    let asking = Asking { state: &state, columns: RefCell::default(), views: RefCell::default() };
    let own = |target: &TargetEntry| statement.catalog.type_collation(target.expr.ty().oid);
    let collation = |(at, target): (usize, &TargetEntry)| {
        let found = asking.target(query, at, &Scope::Open(&state))?;
        let has_one = matches!(found.strength, Strength::Implicit | Strength::Explicit);
        Ok(Some(found.collation).filter(|found| has_one && Some(*found) != own(target)))
    };
    query.visible_targets().enumerate().map(collation).collect()
}

impl<'a> Asking<'a> {
    /// `merge_collation_state`.
    fn merge(&self, all: &mut Derived, one: Derived) -> Result<()> {
        if one.strength > all.strength {
            *all = one;
            return Ok(());
        }
        if one.strength < all.strength || one.collation == all.collation {
            return Ok(());
        }
        match one.strength {
            Strength::None | Strength::Conflict => {}
            // Any other beats the default.
            Strength::Implicit if all.collation == DEFAULT_COLLATION => *all = one,
            Strength::Implicit if one.collation == DEFAULT_COLLATION => {}
            Strength::Implicit => all.strength = Strength::Conflict,
            Strength::Explicit => {
                let name = |collation| match self.state.catalog().collation(collation) {
                    Some(row) => row.collname.to_string(),
                    None => collation.to_string(),
                };
                let (a, b) = (name(all.collation), name(one.collation));
                let message = format!("collation mismatch between explicit collations \"{a}\" and \"{b}\"");
                return Err(error("42P21", message, one.location.0));
            }
        }
        Ok(())
    }

    /// `assign_collations_walker`.
    fn derive(&self, expr: &Expr, scope: Scope<'_>) -> Result<Derived> {
        /// Levels of [`syntax::with_stack_for`] that there must be room for.
        const ROOM: usize = 16;
        syntax::with_stack_for(ROOM, || self.derive_any(expr, scope))
    }

    fn derive_any(&self, expr: &Expr, scope: Scope<'_>) -> Result<Derived> {
        let own = || Derived::implicit(self.state.catalog().type_collation(expr.ty().oid), expr.location());
        if let Expr::RelabelType(e) = expr
            && let Some(collation) = e.collation
        {
            self.derive(&e.argument, scope)?;
            return Ok(Derived { strength: Strength::Explicit, collation, location: e.location });
        }
        let mut all = Derived::NONE;
        match expr {
            Expr::Var(var) => return self.variable(var, scope),
            // Its fields are apart, and a field has its own.
            Expr::Row(_) | Expr::FieldSelect(_) => {}
            Expr::SubLink(link) => {
                if let Some(first) = link.query.visible_targets().next() {
                    let inner = self.derive(&first.expr, Scope::Closed(&link.query, &scope))?;
                    all = inner.as_column(expr.location());
                }
            }
            Expr::Case(e) => {
                for result in e.when.iter().map(|when| &when.result).chain(&e.otherwise) {
                    self.merge(&mut all, self.derive(result, scope)?)?;
                }
            }
            Expr::SubscriptingRef(e) => all = self.derive(&e.array, scope)?,
            _ => {
                let mut failed = Ok(());
                let each = &mut |child: &Expr| {
                    failed = self.derive(child, scope).and_then(|one| self.merge(&mut all, one));
                    if failed.is_ok() { Walk::On } else { Walk::Stop }
                };
                expr.walk(each, &mut |_| Walk::On);
                failed?;
            }
        }
        match own() {
            Derived { strength: Strength::None, .. } => Ok(Derived::NONE),
            own if all.strength == Strength::None => Ok(own),
            _ => Ok(all),
        }
    }

    fn variable(&self, var: &Var, scope: Scope<'_>) -> Result<Derived> {
        let ty = || Derived::implicit(self.state.catalog().type_collation(var.ty.oid), var.location);
        let Some(scope) = scope.at(var.levels_up) else { return Ok(ty()) };
        let Some(entry) = scope.range_table().get(var.relation.index()) else { return Ok(ty()) };
        // The whole row has none, and system columns neither.
        let Some(column) = usize::try_from(var.attribute - 1).ok() else { return Ok(Derived::NONE) };
        let key = (std::ptr::from_ref(entry), var.attribute);
        if let Some(known) = self.columns.borrow().get(&key) {
            return Ok(Derived { location: var.location, ..*known });
        }
        let found = self.column(entry, column, scope)?.map_or_else(ty, |found| found.as_column(var.location));
        self.columns.borrow_mut().insert(key, found);
        Ok(found)
    }

    /// A column of an entry of a query; `None`: it is that of its type.
    fn column(&self, entry: &RangeTableEntry, column: usize, scope: Scope<'_>) -> Result<Option<Derived>> {
        match &entry.kind {
            RangeTableKind::Relation { oid, .. } => {
                let relations = self.state.statement.relations;
                let Some(relation) = relations.relation_by_oid(*oid) else { return Ok(None) };
                if relation.kind == RelationKind::View {
                    let view = relations.view_query(*oid)?;
                    self.views.borrow_mut().push(view.clone());
                    return self.target(&view.query, column, &scope).map(Some);
                }
                let collation = relation.columns.get(column).map(|column| column.collation);
                Ok(collation.map(|found| Derived::implicit((found != oid::INVALID).then_some(found), Location::NONE)))
            }
            RangeTableKind::Subquery(query) => self.target(query, column, &scope).map(Some),
            RangeTableKind::Join { columns, .. } => {
                columns.get(column).map(|value| self.derive(value, scope)).transpose()
            }
            RangeTableKind::Values { rows } => {
                let mut all = Derived::NONE;
                for value in rows.iter().filter_map(|row| row.get(column)) {
                    self.merge(&mut all, self.derive(value, scope)?)?;
                }
                Ok(Some(all))
            }
            // A recursive query's own rows have the collation of those that it begins with: that of the type, as a rule.
            RangeTableKind::Cte { self_reference: true, .. } => Ok(None),
            RangeTableKind::Cte { name, levels_up, .. } => {
                let Some(scope) = scope.at(*levels_up) else { return Ok(None) };
                scope.cte(name).map(|cte| self.target(&cte.query, column, &scope)).transpose()
            }
            RangeTableKind::Function { .. } | RangeTableKind::Result => Ok(None),
        }
    }

    /// A column of the result of a query.
    fn target(&self, query: &Query, column: usize, outer: &Scope<'_>) -> Result<Derived> {
        let inner = Scope::Closed(query, outer);
        let mut all = Derived::NONE;
        if query.set_operations.is_some() {
            // All its arms are subqueries, and nothing else is in its range table.
            for arm in &query.range_table {
                let one = self.column(arm, column, inner)?.unwrap_or(Derived::NONE);
                self.merge(&mut all, one.as_column(one.location))?;
            }
        } else if let Some(target) = query.visible_targets().nth(column) {
            all = self.derive(&target.expr, inner)?;
        }
        Ok(all)
    }
}
