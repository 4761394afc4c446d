//! Statements as trees, which are written as SQL and made smaller.

use std::fmt::{Display, Formatter, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Big,
    Text,
    Bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Column {
        ty: Type,
        table: String,
        name: String,
    },
    /// `$` in the pattern is the next argument, `#` the query.
    Of {
        ty: Type,
        pattern: &'static str,
        arguments: Vec<Expr>,
        query: Option<Box<Select>>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum From {
    Table {
        table: String,
        alias: String,
    },
    Query {
        lateral: bool,
        query: Box<Select>,
        alias: String,
    },
    /// Of one column, `c1`.
    Function {
        call: Expr,
        alias: String,
    },
    Join {
        kind: &'static str,
        left: Box<From>,
        right: Box<From>,
        on: Vec<Expr>,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    pub by: Vec<Expr>,
    /// Positions in `by`; none: a plain GROUP BY.
    pub sets: Vec<Vec<usize>>,
    /// `ROLLUP` or `CUBE` of all.
    pub all: Option<&'static str>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    /// Names, and what they are materialized.
    pub with: Vec<(String, &'static str, Select)>,
    pub distinct: bool,
    /// DISTINCT ON: the first so many of the order.
    pub distinct_on: usize,
    /// Named `c1`, `c2` and so on.
    pub targets: Vec<Expr>,
    pub from: Vec<From>,
    pub conditions: Vec<Expr>,
    pub group: Option<Group>,
    pub having: Vec<Expr>,
    /// By all targets, the first so many from the other end.
    pub order: Option<usize>,
    pub limit: Option<usize>,
    pub offset: Option<usize>,
    /// UNION and its like with another one.
    pub with_other: Option<(&'static str, Box<Select>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Select(Select),
    Update {
        table: &'static str,
        set: (&'static str, Expr),
        from: Vec<From>,
        conditions: Vec<Expr>,
    },
    Delete {
        table: &'static str,
        using: Vec<From>,
        conditions: Vec<Expr>,
    },
    /// By the first of the source's columns, whose values are different.
    Merge {
        table: &'static str,
        source: Select,
        column: &'static str,
        actions: Vec<&'static str>,
    },
}

impl Expr {
    pub fn ty(&self) -> Type {
        match self {
            Expr::Column { ty, .. } | Expr::Of { ty, .. } => *ty,
        }
    }

    pub fn of(ty: Type, pattern: &'static str, arguments: Vec<Expr>) -> Expr {
        Expr::Of { ty, pattern, arguments, query: None }
    }

    pub fn with_query(ty: Type, pattern: &'static str, arguments: Vec<Expr>, query: Select) -> Expr {
        Expr::Of { ty, pattern, arguments, query: Some(Box::new(query)) }
    }
}

fn list<T: Display>(items: &[T], between: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

fn clause<T: Display>(f: &mut Formatter<'_>, before: &str, items: &[T], between: &str) -> Result {
    if items.is_empty() { Ok(()) } else { write!(f, " {before} {}", list(items, between)) }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expr::Column { table, name, .. } => write!(f, "{table}.{name}"),
            Expr::Of { pattern, arguments, query, .. } => {
                let mut next = arguments.iter();
                let composed = !arguments.is_empty() && pattern.contains(' ') && !pattern.starts_with("CASE");
                if composed {
                    f.write_str("(")?;
                }
                for c in pattern.chars() {
                    match c {
                        '$' => next.next().map_or(Ok(()), |argument| write!(f, "{argument}"))?,
                        '#' => query.as_ref().map_or(Ok(()), |query| write!(f, "{query}"))?,
                        c => write!(f, "{c}")?,
                    }
                }
                if composed { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}

impl Display for From {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            From::Table { table, alias } => write!(f, "{table} {alias}"),
            From::Query { lateral, query, alias } => {
                write!(f, "{}({query}) {alias}", if *lateral { "LATERAL " } else { "" })
            }
            From::Function { call, alias } => write!(f, "{call} {alias}(c1)"),
            From::Join { kind, left, right, on } => {
                // What is to the right of a join that stands by itself needs no parentheses, but may be read easily.
                match **right {
                    From::Join { .. } => write!(f, "{left} {kind} ({right})")?,
                    _ => write!(f, "{left} {kind} {right}")?,
                }
                match on.is_empty() {
                    true if *kind == "CROSS JOIN" => Ok(()),
                    true => f.write_str(" ON true"),
                    false => write!(f, " ON {}", list(on, " AND ")),
                }
            }
        }
    }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(kind) = self.all {
            return write!(f, "{kind}({})", list(&self.by, ", "));
        }
        if self.sets.is_empty() {
            return write!(f, "{}", list(&self.by, ", "));
        }
        let set = |set: &Vec<usize>| {
            let of = set.iter().filter_map(|at| self.by.get(*at)).map(Expr::to_string).collect::<Vec<_>>();
            format!("({})", of.join(", "))
        };
        write!(f, "GROUPING SETS ({})", self.sets.iter().map(set).collect::<Vec<_>>().join(", "))
    }
}

impl Select {
    fn body(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("SELECT ")?;
        if self.distinct {
            f.write_str("DISTINCT ")?;
        } else if self.distinct_on > 0 {
            let on = self.targets.iter().take(self.distinct_on).map(Expr::to_string).collect::<Vec<_>>();
            write!(f, "DISTINCT ON ({}) ", on.join(", "))?;
        }
        let targets = self.targets.iter().enumerate().map(|(at, expr)| format!("{expr} AS c{}", at + 1));
        f.write_str(&targets.collect::<Vec<_>>().join(", "))?;
        clause(f, "FROM", &self.from, ", ")?;
        clause(f, "WHERE", &self.conditions, " AND ")?;
        if let Some(group) = &self.group {
            write!(f, " GROUP BY {}", if group.by.is_empty() { "()".to_string() } else { group.to_string() })?;
        }
        clause(f, "HAVING", &self.having, " AND ")
    }
}

impl Display for Select {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if !self.with.is_empty() {
            let one = |(name, how, query): &(String, &str, Select)| format!("{name} AS {how}({query})");
            write!(f, "WITH {} ", self.with.iter().map(one).collect::<Vec<_>>().join(", "))?;
        }
        self.body(f)?;
        if let Some((how, other)) = &self.with_other {
            write!(f, " {how} ")?;
            other.body(f)?;
        }
        if let Some(descending) = self.order {
            let one = |at: usize| format!("{}{}", at + 1, if at < descending { " DESC" } else { "" });
            write!(f, " ORDER BY {}", (0..self.targets.len()).map(one).collect::<Vec<_>>().join(", "))?;
        }
        if let Some(limit) = self.limit {
            write!(f, " LIMIT {limit}")?;
        }
        self.offset.map_or(Ok(()), |offset| write!(f, " OFFSET {offset}"))
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Statement::Select(select) => write!(f, "{select}"),
            Statement::Update { table, set: (column, value), from, conditions } => {
                write!(f, "UPDATE {table} t SET {column} = {value}")?;
                clause(f, "FROM", from, ", ")?;
                clause(f, "WHERE", conditions, " AND ")?;
                f.write_str(" RETURNING t.*")
            }
            Statement::Delete { table, using, conditions } => {
                write!(f, "DELETE FROM {table} t")?;
                clause(f, "USING", using, ", ")?;
                clause(f, "WHERE", conditions, " AND ")?;
                f.write_str(" RETURNING t.*")
            }
            Statement::Merge { table, source, column, actions } => {
                write!(f, "MERGE INTO {table} t USING ({source}) s ON t.{column} = s.c1 {}", actions.join(" "))
            }
        }
    }
}

impl Statement {
    /// The table that it changes.
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Statement::Select(_) => None,
            Statement::Update { table, .. } | Statement::Delete { table, .. } | Statement::Merge { table, .. } => {
                Some(table)
            }
        }
    }

    /// Are its rows in one order only?
    pub fn is_ordered(&self) -> bool {
        matches!(self, Statement::Select(select) if select.order.is_some())
    }
}
