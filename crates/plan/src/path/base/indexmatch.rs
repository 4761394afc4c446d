//! Which conditions an index can look up (PostgreSQL's `match_clause_to_indexcol` and what it calls).

use access::index::Capabilities;
use analyze::query::*;
use catalog::strategy;
use types::{Datum, Oid, oid};

use crate::manip;
use crate::path::clauses::{contains_volatile, make_opclause, strip_relabel};
use crate::path::estimate::likesupport;
use crate::path::estimate::likesupport::Prefix;
use crate::path::estimate::values::known_value;
use crate::path::relset::{Rels, rels_of};
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// What a condition is for an index: [`IndexClause`] without the condition itself.
pub struct Matched {
    pub quals: Vec<IndexQual>,
    pub lossy: bool,
}

fn exact(quals: Vec<IndexQual>) -> Option<Matched> {
    Some(Matched { quals, lossy: false })
}

/// A condition and an index column.
pub struct Column<'i> {
    pub index: &'i IndexOptInfo,
    pub column: usize,
    pub rel: Rels,
}

impl Column<'_> {
    /// Is the expression what the column has (`match_index_to_operand`)?
    pub fn is(&self, expr: &Expr) -> bool {
        strip_relabel(expr) == strip_relabel(&self.index.columns[self.column])
    }

    fn family(&self) -> Oid {
        self.index.info.columns[self.column].family
    }

    /// A value that does not depend on the row.
    fn is_value(&self, root: &PlannerInfo, expr: &Expr) -> bool {
        !rels_of(expr).overlaps(self.rel) && !contains_volatile(root.planner.catalog, expr)
    }

    /// The operator's strategy in the column's family.
    pub fn strategy(&self, root: &PlannerInfo, operator: Oid) -> Option<i16> {
        let mut members = root.planner.catalog.amops_of_operator(operator);
        members.find(|row| row.amopfamily == self.family() && row.amoppurpose == b's').map(|row| row.amopstrategy)
    }

    /// `match_clause_to_indexcol`.
    pub fn matches(&self, root: &PlannerInfo, clause: &Expr) -> Option<Matched> {
        if let Some(matched) = self.match_boolean(root, clause) {
            return Some(matched);
        }
        match clause {
            clause if clause.is_indeterminate() => None,
            Expr::OpExpr(op) if op.arguments.len() == 2 => self.match_operator(root, clause, op),
            Expr::ScalarArrayOpExpr(op) => self.match_array(root, clause, op),
            Expr::RowCompare(compare) => self.match_row(root, compare),
            Expr::NullTest(test) if !test.row && self.is(&test.argument) && self.can().search_nulls => {
                let kind = QualKind::Null { column: self.column, is_null: test.is_null };
                exact(vec![IndexQual { expr: clause.clone(), kind }])
            }
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, arguments, .. }) => {
                self.match_or(root, clause, arguments)
            }
            _ => None,
        }
    }

    /// What the index's method can do.
    fn can(&self) -> &'static Capabilities {
        self.index.info.method.capabilities()
    }

    /// `x`, `NOT x`, `x IS TRUE`, `x IS FALSE` of a boolean column.
    fn match_boolean(&self, root: &PlannerInfo, clause: &Expr) -> Option<Matched> {
        if self.index.info.columns[self.column].class_type != oid::BOOL {
            return None;
        }
        let (argument, value) = match clause {
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments, .. }) => (&arguments[0], false),
            Expr::BooleanTest(test) if test.kind == BooleanTestKind::IsTrue => (&test.argument, true),
            Expr::BooleanTest(test) if test.kind == BooleanTestKind::IsFalse => (&test.argument, false),
            other => (other, true),
        };
        const BOOL_EQUAL: Oid = 91;
        const BOOLEQ: Oid = 60;
        if !self.is(argument) {
            return None;
        }
        let strategy = self.strategy(root, BOOL_EQUAL)?;
        let constant = manip::make_bool_const(value);
        let expr = Expr::OpExpr(OpExpr {
            operator: BOOL_EQUAL,
            function: BOOLEQ,
            result: oid::BOOL,
            collation: oid::INVALID,
            arguments: vec![argument.clone(), constant.clone()],
            location: Location::NONE,
        });
        let kind = QualKind::Compare { column: self.column, operator: BOOL_EQUAL, strategy, value: constant };
        exact(vec![IndexQual { expr, kind }])
    }

    fn match_operator(&self, root: &PlannerInfo, clause: &Expr, op: &OpExpr) -> Option<Matched> {
        let (left, right) = (&op.arguments[0], &op.arguments[1]);
        let on_left = self.is(left) && self.is_value(root, right);
        if on_left {
            if let Some(strategy) = self.strategy(root, op.operator) {
                let kind =
                    QualKind::Compare { column: self.column, operator: op.operator, strategy, value: right.clone() };
                return exact(vec![IndexQual { expr: clause.clone(), kind }]);
            }
            return self.match_pattern(root, op.function, left, right);
        }
        if self.is(right) && self.is_value(root, left) {
            let operator = root.planner.catalog.commutator(op.operator)?;
            let strategy = self.strategy(root, operator)?;
            let expr = make_opclause(root.planner.catalog, operator, right.clone(), left.clone());
            let kind = QualKind::Compare { column: self.column, operator, strategy, value: left.clone() };
            return exact(vec![IndexQual { expr, kind }]);
        }
        None
    }

    /// LIKE and regular expressions whose texts begin in a known way (`match_pattern_prefix`).
    fn match_pattern(&self, root: &PlannerInfo, function: Oid, left: &Expr, pattern: &Expr) -> Option<Matched> {
        let kind = likesupport::pattern_of_function(function)?;
        let info = &self.index.info.columns[self.column];
        if !self.can().can_order || !likesupport::is_text(info.class_type) {
            return None;
        }
        let constant = match strip_relabel(pattern) {
            Expr::Const(_) => known_value(root, pattern)?,
            Expr::Param(_) => known_value(root, pattern)?,
            _ => return None,
        };
        let Datum::Text(text) = &*constant.1 else { return None };
        let (prefix, _) = likesupport::fixed_prefix(text, kind);
        if prefix == Prefix::None {
            return None;
        }
        let catalog = root.planner.catalog;
        let ty = info.class_type;
        let mut quals = Vec::new();
        for (strategy, text) in likesupport::prefix_bounds(&prefix) {
            let operator = catalog.opfamily_member(info.family, ty, ty, strategy)?;
            let value = Expr::Const(Const {
                ty: TypeRef::of(if ty == oid::BPCHAR { oid::BPCHAR } else { ty }),
                value: Datum::text(text),
                location: Location::NONE,
            });
            quals.push(IndexQual {
                expr: make_opclause(catalog, operator, left.clone(), value.clone()),
                kind: QualKind::Compare { column: self.column, operator, strategy, value },
            });
        }
        Some(Matched { quals, lossy: true })
    }

    /// `column = ANY (array)`.
    fn match_array(&self, root: &PlannerInfo, clause: &Expr, op: &ScalarArrayOpExpr) -> Option<Matched> {
        if !op.any || !self.is(&op.scalar) || !self.is_value(root, &op.array) || !self.can().search_array {
            return None;
        }
        let strategy = self.strategy(root, op.operator)?;
        let kind = QualKind::Any { column: self.column, operator: op.operator, strategy, array: (*op.array).clone() };
        exact(vec![IndexQual { expr: clause.clone(), kind }])
    }

    /// `(column, …) < (value, …)`: as many columns as follow each other in the index (`expand_indexqual_rowcompare`).
    fn match_row(&self, root: &PlannerInfo, compare: &RowCompareExpr) -> Option<Matched> {
        if !self.can().can_order {
            return None;
        }
        let catalog = root.planner.catalog;
        let on_left = self.is(&compare.left[0]);
        let (columns, values) = if on_left { (&compare.left, &compare.right) } else { (&compare.right, &compare.left) };
        let mut operators = Vec::new();
        let mut first = None;
        for (at, operator) in compare.operators.iter().enumerate() {
            let column = Column { index: self.index, column: self.column + at, rel: self.rel };
            if column.column >= self.index.columns.len()
                || !column.is(&columns[at])
                || !self.is_value(root, &values[at])
            {
                break;
            }
            let operator = if on_left { *operator } else { catalog.commutator(*operator)? };
            let Some(strategy) = column.strategy(root, operator) else { break };
            // Columns that are ordered otherwise than the first one end it.
            let descending = self.index.info.columns[column.column].descending;
            if *first.get_or_insert((strategy, descending)) != (strategy, descending) {
                break;
            }
            operators.push(operator);
        }
        let (strategy, _) = first?;
        if operators.is_empty() || strategy == strategy::EQUAL {
            return None;
        }
        let count = operators.len();
        let whole = count == compare.operators.len();
        // Of a part only the rows before (or behind) are known: those with the same values have to be asked.
        let strategy = match strategy {
            _ if whole => strategy,
            strategy::LESS => strategy::LESS_EQUAL,
            strategy::GREATER => strategy::GREATER_EQUAL,
            same => same,
        };
        if !whole {
            for (at, operator) in operators.iter_mut().enumerate() {
                let row = catalog.operator(*operator)?;
                let family = self.index.info.columns[self.column + at].family;
                *operator = catalog.opfamily_member(family, row.oprleft, row.oprright, strategy)?;
            }
        }
        let values: Vec<Expr> = values[..count].to_vec();
        let expr = if count == 1 {
            make_opclause(catalog, operators[0], columns[0].clone(), values[0].clone())
        } else {
            let compare = match strategy {
                strategy::LESS => CompareType::Less,
                strategy::LESS_EQUAL => CompareType::LessEqual,
                strategy::GREATER => CompareType::Greater,
                _ => CompareType::GreaterEqual,
            };
            Expr::RowCompare(RowCompareExpr {
                compare,
                collations: vec![oid::INVALID; operators.len()],
                operators: operators.clone(),
                left: columns[..count].to_vec(),
                right: values.clone(),
            })
        };
        let kind = if count == 1 {
            QualKind::Compare { column: self.column, operator: operators[0], strategy, value: values[0].clone() }
        } else {
            QualKind::Row { column: self.column, strategy, operators, values }
        };
        Some(Matched { quals: vec![IndexQual { expr, kind }], lossy: !whole })
    }

    /// An OR each of whose parts bounds the column: ranges of one index, where the columns before it are equal to something.
    fn match_or(&self, root: &PlannerInfo, clause: &Expr, parts: &[Expr]) -> Option<Matched> {
        if self.can().search_array
            && let Some(matched) = self.match_or_of_equalities(root, parts)
        {
            return Some(matched);
        }
        if !self.can().can_order {
            return None;
        }
        let mut lossy = false;
        let mut alternatives = Vec::with_capacity(parts.len());
        for part in parts {
            let mut quals: Vec<IndexQual> = Vec::new();
            let mut bounded = false;
            for condition in manip::and_slice(part) {
                let mut found = None;
                for column in 0..self.index.columns.len() {
                    let at = Column { index: self.index, column, rel: self.rel };
                    if manip::is_or(condition) {
                        break;
                    }
                    if let Some(matched) = at.matches(root, condition) {
                        bounded |= column == self.column;
                        found = Some(matched);
                        break;
                    }
                }
                match found {
                    Some(matched) => {
                        lossy |= matched.lossy;
                        quals.extend(matched.quals);
                    }
                    None => lossy = true,
                }
            }
            if !bounded {
                return None;
            }
            alternatives.push(quals);
        }
        let kind = QualKind::Or(alternatives);
        Some(Matched { quals: vec![IndexQual { expr: clause.clone(), kind }], lossy })
    }

    /// `x = 1 OR x = 2`: as `x = ANY (…)` (`match_orclause_to_indexcol`).
    fn match_or_of_equalities(&self, root: &PlannerInfo, parts: &[Expr]) -> Option<Matched> {
        let mut operator = None;
        let mut column = None;
        let mut elements = Vec::with_capacity(parts.len());
        for part in parts {
            let Expr::OpExpr(op) = part else { return None };
            if part.is_indeterminate() {
                return None;
            }
            let [left, right] = op.arguments.as_slice() else { return None };
            let (mine, value, oper) = if self.is(left) && self.is_value(root, right) {
                (left, right, op.operator)
            } else if self.is(right) && self.is_value(root, left) {
                (right, left, root.planner.catalog.commutator(op.operator)?)
            } else {
                return None;
            };
            if *operator.get_or_insert(oper) != oper {
                return None;
            }
            column.get_or_insert(mine);
            elements.push(value.clone());
        }
        let (operator, column) = (operator?, column?.clone());
        let strategy = self.strategy(root, operator)?;
        let element = elements[0].ty().oid;
        if elements.iter().any(|value| value.ty().oid != element) {
            return None;
        }
        let mut array = Expr::Array(ArrayExpr {
            array: TypeRef::of(root.planner.catalog.array_type(element)?),
            element,
            elements,
            multidimensional: false,
            location: Location::NONE,
        });
        root.planner.fold(&mut array).ok()?;
        let function = root.planner.catalog.operator(operator)?.oprcode;
        let expr = Expr::ScalarArrayOpExpr(ScalarArrayOpExpr {
            operator,
            function,
            collation: oid::INVALID,
            any: true,
            scalar: Box::new(column),
            array: Box::new(array.clone()),
            location: Location::NONE,
        });
        exact(vec![IndexQual { expr, kind: QualKind::Any { column: self.column, operator, strategy, array } }])
    }
}
