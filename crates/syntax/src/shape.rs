//! A statement's shape: what statements that differ in their constants have in common, so that they share one plan.
//!
//! ```text
//! select v from k where id = 77 order by 1      [`Cut`]: one look at the text, well under a microsecond
//! select v from k where id = $1 order by $1     its skeleton: `$1` stands for any `int4`
//! ```
//! The first statement of a skeleton is parsed, and [`Shape::of`] decides on its tree which of the constants may be
//! parameters (77: `ParamRef` stands there afterwards, with numbers from 1); the others are *fixed* (the 1, which is a
//! column). Statements are alike if their skeletons and their fixed constants are: [`Shape::key`]. What is kept is
//! therefore, first, a `Shape` for each skeleton, and second, what is made of it for each key. Parameters' values are
//! [`Shape::values`].
//!
//! A skeleton has everything but constants as it was written, names' case and blanks too, so all texts of one skeleton are
//! the same tokens, and have the same tree. Kinds of numbers are PostgreSQL's (`int4`, `int8`, `numeric`), since what an
//! operator means depends on them. Not cut out, that is part of the skeleton: NULL, TRUE and FALSE, strings with a letter
//! before the quote (`E'…'`, `b'…'`, `x'…'`, `n'…'`, `U&'…'`), dollar-quoted ones, numbers with letters or underscores.
//!
//! What is read here is read as with `standard_conforming_strings`; without it shapes must not be used.

mod cut;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

pub use cut::{Cut, Kind, Literal};

use crate::nodes::{A_Const, Node, ParamRef};
use crate::parse::{RawStmt, with_stack_for};
use crate::value::Constant;

/// What becomes of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It is part of what the statement is.
    Fixed,
    /// Its parameter's number.
    Parameter(i32),
    /// The same, and the minus before it belongs to it, as in the tree, where `-5` is one constant.
    Negated(i32),
}

/// Which constants of a skeleton are parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    roles: Box<[Role]>,
}

impl Shape {
    /// Replaces constants in a text's trees by parameters, numbered from 1 from left to right, where they may be any others
    /// of their kind. The trees are those of the text that was cut. Constants stay that stand
    ///
    /// * outside of SELECT, INSERT, UPDATE, DELETE, MERGE and VALUES (all of DDL, SET, EXPLAIN, PREPARE, COPY);
    /// * alone in ORDER BY, where they are columns, and in LIMIT;
    /// * in the columns, HAVING, ORDER BY and GROUP BY of a query that groups or makes distinct: `a + 1` is looked for in
    ///   other places, and `a + $1` is not `a + $2`; in windows, in ORDER BY of aggregates and in arguments of DISTINCT ones;
    /// * in ON CONFLICT's index expressions and predicates, which are compared with the index's;
    /// * before types with modifiers (`interval '1' day`);
    /// * in types (`numeric(10,2)`, `interval(3)`), definitions of columns, TABLESAMPLE, SEARCH and CYCLE, and in JSON's and
    ///   XML's own syntax.
    pub fn of(text: &str, cut: &Cut, statements: &mut [RawStmt]) -> Shape {
        let literals = cut.literals();
        let mut roles = vec![Role::Fixed; literals.len()];
        each_constant(statements, &mut |node| {
            if let Node::A_Const(constant) = node
                && let Some((at, role)) = found(text, literals, constant)
            {
                roles[at] = role;
            }
        });
        for (role, number) in roles.iter_mut().filter(|r| **r != Role::Fixed).zip(1..) {
            *role = if *role == Role::Negated(0) { Role::Negated(number) } else { Role::Parameter(number) };
        }
        each_constant(statements, &mut |node| {
            if let Node::A_Const(constant) = node
                && let Some((at, _)) = found(text, literals, constant)
                && let Role::Parameter(number) | Role::Negated(number) = roles[at]
            {
                *node = Node::ParamRef(Box::new(ParamRef { number, location: constant.location }));
            }
        });
        Shape { roles: roles.into() }
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.roles.iter().filter(|r| **r != Role::Fixed).count()
    }

    /// Is the constant with this number, from 0, no parameter?
    pub fn is_fixed(&self, literal: usize) -> bool {
        self.roles.get(literal).is_none_or(|r| *r == Role::Fixed)
    }

    /// What statements that are alike have in common: the skeleton, and the fixed constants behind it.
    pub fn key<'a>(&self, text: &str, cut: &'a Cut) -> Cow<'a, str> {
        let mut key = Cow::Borrowed(cut.skeleton());
        for (literal, _) in cut.literals().iter().zip(&self.roles).filter(|(_, r)| **r == Role::Fixed) {
            let key = key.to_mut();
            key.push('\0');
            key.push_str(&text[literal.range.clone()]);
        }
        key
    }

    /// The parameters' kinds and values, by number: numbers as they are written (with their minus), strings without quotes.
    pub fn values<'a>(&'a self, text: &'a str, cut: &'a Cut) -> impl Iterator<Item = (Kind, Cow<'a, str>)> {
        let parameters = cut.literals().iter().zip(&self.roles).filter(|(_, role)| **role != Role::Fixed);
        parameters.map(move |(literal, role)| {
            let value = literal.value(text);
            (literal.kind, if matches!(role, Role::Negated(_)) { format!("-{value}").into() } else { value })
        })
    }
}

fn each_constant(statements: &mut [RawStmt], visit: walk::Visit) {
    for statement in statements {
        let depth = statement.depth;
        with_stack_for(depth, || walk::statement(&mut statement.stmt, visit));
    }
}

/// The token of a constant and its role, if they say the same.
fn found(text: &str, literals: &[Literal], constant: &A_Const) -> Option<(usize, Role)> {
    let location = usize::try_from(constant.location).ok()?;
    let at = literals.partition_point(|l| l.range.start < location);
    let literal = literals.get(at)?;
    let negated = location < literal.range.start;
    // One minus, and the one that belongs to it: the zero of `- (- 0)` has none, but that of `- (- 1)` would be negated.
    if negated && (!text[location..].starts_with('-') || text[location..literal.range.start].matches('-').count() > 1) {
        return None;
    }
    let value = literal.value(text);
    let value = if negated { format!("-{value}").into() } else { value };
    let same = match (&constant.val, literal.kind) {
        (Constant::Integer(i), Kind::Int4) => value.parse() == Ok(*i),
        // A minus makes the least of them an `int4`.
        (Constant::Float(f), Kind::Int8) => !negated && **f == *value,
        (Constant::Float(f), Kind::Numeric) => **f == *value,
        (Constant::String(s), Kind::String) => **s == *value,
        _ => false,
    };
    same.then_some((at, if negated { Role::Negated(0) } else { Role::Parameter(0) }))
}
