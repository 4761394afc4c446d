//! How deep a statement may be. Planning and execution walk expressions recursively; what would overflow the stack (or take
//! planning minutes: its cost grows with the cube of the depth) is refused beforehand, as PostgreSQL refuses what exceeds
//! `max_stack_depth`. Long chains of AND and OR, which programs write, are made flat trees instead.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Statement, Value, VisitMut, VisitorMut};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::Token;
use engine::{EngineError, Result};

/// Operators on the way from a statement's root to a leaf, AND and OR aside.
const MAX_OPERATORS: usize = 250;
/// Joins and set operations on that way.
const MAX_RELATIONS: usize = 1000;
/// Queries inside expressions inside queries: each level doubles the time that DataFusion's type coercion takes.
const MAX_SUBQUERIES: usize = 14;
/// Chains of AND and OR up to this stay as they were written.
const FLAT: usize = 16;

/// Operators seen at one level of parentheses since something that starts a new expression.
#[derive(Clone, Copy, Default)]
struct Level {
    operators: usize,
    relations: usize,
    /// A query that is a value: it stands where no table can.
    subqueries: usize,
}

/// Refuses statements that are too deep. The parser has its own limit for parentheses.
pub fn check<'a>(tokens: impl IntoIterator<Item = &'a Token>) -> Result<()> {
    // What the levels around the current one add up to, and the current one; and both of those levels.
    let (mut around, mut level) = (Level::default(), Level::default());
    let mut outer = Vec::new();
    let mut before = [&Token::EOF; 2];
    for token in tokens {
        if let [opener, Token::LParen] = before
            && let Token::Word(word) = token
            && word.keyword == Keyword::SELECT
        {
            let is = |keyword| matches!(opener, Token::Word(word) if word.keyword == keyword);
            let table = [Keyword::FROM, Keyword::JOIN, Keyword::LATERAL, Keyword::AS].into_iter().any(is);
            level.subqueries = usize::from(!table);
        }
        before = [before[1], token];
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                level.operators += usize::from(*token == Token::LBracket);
                outer.push((around, level));
                around.operators += level.operators;
                around.relations += level.relations;
                around.subqueries += level.subqueries;
                level = Level::default();
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                if let Some(left) = outer.pop() {
                    (around, level) = left;
                }
            }
            Token::Comma => level.operators = 0,
            Token::Word(word) => match word.keyword {
                Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT => {
                    level = Level { operators: 0, relations: level.relations + 1, ..level };
                }
                Keyword::JOIN => level.relations += 1,
                Keyword::IS
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::SIMILAR
                | Keyword::IN
                | Keyword::BETWEEN
                | Keyword::COLLATE
                | Keyword::AT => level.operators += 1,
                Keyword::AND
                | Keyword::OR
                | Keyword::SELECT
                | Keyword::FROM
                | Keyword::WHERE
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::ORDER
                | Keyword::ON
                | Keyword::WHEN
                | Keyword::THEN
                | Keyword::ELSE
                | Keyword::RETURNING => level.operators = 0,
                _ => {}
            },
            Token::Number(..)
            | Token::Char(_)
            | Token::SingleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::HexStringLiteral(_)
            | Token::Placeholder(_)
            | Token::Period
            | Token::Whitespace(_)
            | Token::EOF => {}
            _ => level.operators += 1,
        }
        if around.operators + level.operators > MAX_OPERATORS
            || around.relations + level.relations > MAX_RELATIONS
            || around.subqueries + level.subqueries > MAX_SUBQUERIES
        {
            let hint = "Write fewer operators one behind the other, or cut the statement into several.";
            return Err(EngineError::new("54001", "stack depth limit exceeded").hint(hint));
        }
    }
    Ok(())
}

/// About how many tokens a text has, without making them.
pub fn count(text: &str) -> usize {
    let (mut count, mut quoted, mut word) = (0, false, false);
    for byte in text.bytes() {
        let letter = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        quoted ^= byte == b'\'';
        count += usize::from(!(quoted || letter && word));
        word = letter;
    }
    count
}

/// Makes long chains of AND and OR as flat as they can be. They mean the same, and are evaluated in the same order.
pub fn flatten(statement: &mut Statement) {
    struct Flatten;

    impl VisitorMut for Flatten {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            flatten_chain(expr);
            ControlFlow::Continue(())
        }
    }

    let _ = statement.visit(&mut Flatten);
}

fn flatten_chain(expr: &mut Expr) {
    let Expr::BinaryOp { op: chained @ (BinaryOperator::And | BinaryOperator::Or), .. } = &*expr else { return };
    let chained = chained.clone();
    let mut links = 0;
    let mut at = &*expr;
    while let Expr::BinaryOp { left, op, .. } = at
        && *op == chained
    {
        links += 1;
        at = left;
    }
    if links <= FLAT {
        return;
    }
    let mut terms = Vec::with_capacity(links + 1);
    let mut rest = std::mem::replace(expr, Expr::Value(Value::Null.into()));
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if op == chained => {
                terms.push(*right);
                rest = *left;
            }
            first => {
                terms.push(first);
                break;
            }
        }
    }
    terms.reverse();
    // Neighbours are joined until one is left.
    while terms.len() > 1 {
        let mut joined = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => Expr::BinaryOp { left: left.into(), op: chained.clone(), right: right.into() },
                None => left,
            });
        }
        terms = joined;
    }
    *expr = terms.pop().expect("a chain has terms");
}

#[cfg(test)]
mod tests {
    use crate::parse::parse_old;

    fn depth_of(sql: &str) -> std::result::Result<usize, &'static str> {
        match parse_old(sql) {
            Ok(parsed) => Ok(parsed.len()),
            Err(error) => Err(error.code),
        }
    }

    #[test]
    fn what_is_too_deep_is_refused_and_what_is_only_long_is_not() {
        let refused = [
            format!("select 1{}", "+1".repeat(500)),
            format!("select 1{}", "::int".repeat(500)),
            format!("select a[1]{}", "[1]".repeat(500)),
            format!("select true{}", " is null".repeat(500)),
            format!("select {}1{}", "(1 + 1 + 1 + ".repeat(200), ")".repeat(200)),
            format!("select 1{}", " union all select 1".repeat(1001)),
            format!("select 1 from a {}", " join a using (id)".repeat(1001)),
            format!("select {}1{}", "(".repeat(5000), ")".repeat(5000)),
            format!("select {}1{}", "(select ".repeat(15), ")".repeat(15)),
            format!("select 1{}", ", 1".repeat(1_000_000)),
        ];
        for sql in refused {
            assert_eq!(depth_of(&sql), Err("54001"), "{}", &sql[..60]);
        }
        let taken = [
            format!("select 1{}", "+1".repeat(240)),
            format!("select 1{}", ", 1 + 1".repeat(2000)),
            format!("insert into t values (1){}", ", (-1)".repeat(20_000)),
            format!("select 1 where 1 = 2{}", " or 1 = 1 and 2 = 2".repeat(20_000)),
            format!("select 1 where a in (1{})", ", 1".repeat(20_000)),
            format!("select {}1{}", "(select ".repeat(14), ")".repeat(14)),
            format!("select 1 {}", ", (select 1)".repeat(100)),
            format!("select * {} t {}", " from (select *".repeat(30), ") x".repeat(30)),
            format!("select '{}'", " ,".repeat(1_000_000)),
        ];
        for sql in taken {
            assert_eq!(depth_of(&sql), Ok(1), "{}", &sql[..60]);
        }
    }

    #[test]
    fn a_flat_chain_keeps_its_order() {
        let terms = |count: usize| (0..count).map(|i| format!("a = {i}")).collect::<Vec<_>>().join(" OR ");
        let parsed = parse_old(&format!("SELECT 1 WHERE {}", terms(100))).unwrap();
        let crate::parse::ParsedKind::Sql(statement) = &parsed[0].kind else { panic!("it is SQL") };
        assert_eq!(statement.to_string(), format!("SELECT 1 WHERE {}", terms(100)));
    }
}
