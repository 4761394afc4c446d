//! What a locking clause (`FOR UPDATE`, `FOR NO KEY UPDATE`, `FOR SHARE`, `FOR KEY SHARE`) asks for.
//!
//! sqlparser knows two of the four strengths, and one name behind OF. [`respell`] makes of the others what it takes: one
//! name of several parts, of which the first says that the weaker sister is meant and the others are the names. No name
//! of the user's is lost: PostgreSQL allows no qualified name behind OF.

use datafusion::sql::sqlparser::ast::{LockClause, LockType, NonBlock};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};
use txn::LockMode;

use crate::ddl::ident;
use crate::parse::{is_word, meaning};

/// First part of the name: the weaker lock.
const WEAK: &str = "?weak?";
/// First part of the name: the lock that is written.
const PLAIN: &str = "?plain?";

/// Locking clauses as sqlparser takes them, in the tokens of one statement.
pub fn respell(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    // Where the clauses that stand side by side begin, and where the last one ends.
    let mut run = 0..0;
    while let Some(start) = (at..tokens.len()).find(|&i| is_word(&tokens[i], "FOR")) {
        at = start + 1;
        let places: Vec<usize> = meaning(&tokens[start..]).map(|i| start + i).take(6).collect();
        let is = |n: usize, word: &str| places.get(n).is_some_and(|&i| is_word(&tokens[i], word));
        let (strength, word, weak) = if is(1, "NO") && is(2, "KEY") && is(3, "UPDATE") {
            (3, "UPDATE", true)
        } else if is(1, "KEY") && is(2, "SHARE") {
            (2, "SHARE", true)
        } else if is(1, "UPDATE") {
            (1, "UPDATE", false)
        } else if is(1, "SHARE") {
            (1, "SHARE", false)
        } else {
            continue;
        };
        let mut end = places[strength];
        let mut names = Vec::new();
        if is(strength + 1, "OF") {
            let mut rest = meaning(&tokens[places[strength + 1] + 1..]).map(|i| places[strength + 1] + 1 + i);
            while let Some(name) = rest.next().filter(|&i| matches!(tokens[i].token, Token::Word(_))) {
                names.push(tokens[name].token.clone());
                end = name;
                if rest.next().is_none_or(|i| tokens[i].token != Token::Comma) {
                    break;
                }
            }
            if names.is_empty() {
                // For the parser to say so.
                continue;
            }
        }
        let mut new = vec![Token::make_keyword(word)];
        if weak || !names.is_empty() {
            let mark = Token::make_word(if weak { WEAK } else { PLAIN }, Some('"'));
            new.extend([Token::make_keyword("OF"), mark]);
            new.extend(names.into_iter().flat_map(|name| [Token::Period, name]));
        }
        let span = tokens[start].span;
        let space = Token::Whitespace(Whitespace::Space);
        let spaced = new.into_iter().flat_map(|token| [token, space.clone()]);
        let spaced: Vec<_> = spaced.map(|token| TokenWithSpan { token, span }).collect();
        let behind = places[1] + spaced.len();
        tokens.splice(places[1]..=end, spaced);
        let beside = run.end > 0 && meaning(&tokens[run.end..start]).all(|i| is_wait(&tokens[run.end + i]));
        run = if beside { run.start } else { start }..behind;
        at = run.start + behind_limit(&mut tokens[run.start..], behind - run.start);
    }
}

/// NOWAIT and SKIP LOCKED.
fn is_wait(token: &TokenWithSpan) -> bool {
    ["NOWAIT", "SKIP", "LOCKED"].iter().any(|word| is_word(token, word))
}

/// PostgreSQL takes locking clauses before LIMIT, too; sqlparser takes them behind. The tokens begin with clauses, of which
/// the first `length` have been understood. Gives the number of those that need no further look.
fn behind_limit(tokens: &mut [TokenWithSpan], length: usize) -> usize {
    let is_any = |token: &TokenWithSpan, words: &[&str]| words.iter().any(|word| is_word(token, word));
    let mut rest = meaning(&tokens[length..]).map(|i| length + i);
    let limit = rest.find(|&i| !is_wait(&tokens[i])).unwrap_or(tokens.len());
    drop(rest);
    if limit == tokens.len() || !is_any(&tokens[limit], &["LIMIT", "OFFSET", "FETCH"]) {
        return length;
    }
    let mut depth = 0;
    let ends = |token: &TokenWithSpan| match &token.token {
        Token::LParen => {
            depth += 1;
            false
        }
        Token::RParen => {
            depth -= 1;
            depth < 0
        }
        Token::SemiColon | Token::EOF => true,
        _ => depth == 0 && is_any(token, &["FOR", "UNION", "INTERSECT", "EXCEPT", "ON", "RETURNING"]),
    };
    let end = limit + tokens[limit..].iter().position(ends).unwrap_or(tokens.len() - limit);
    tokens[..end].rotate_left(limit);
    end
}

/// What to do about rows that others hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    Wait,
    Skip,
    Fail,
}

/// One clause.
#[derive(Clone, Debug)]
pub struct LockingClause {
    pub mode: LockMode,
    pub waiting: Waiting,
    /// Names behind OF; none: all tables.
    pub of: Vec<String>,
    /// As it is written, without OF.
    pub words: &'static str,
}

impl LockingClause {
    pub fn new(clause: &LockClause) -> LockingClause {
        let mut of: Vec<String> =
            clause.of.iter().flat_map(|name| &name.0).filter_map(|part| part.as_ident()).map(ident).collect();
        let weak = of.first().is_some_and(|mark| mark == WEAK);
        of.drain(..of.len().min(1));
        let (mode, words) = match (&clause.lock_type, weak) {
            (LockType::Update, false) => (LockMode::AccessExclusive, "FOR UPDATE"),
            (LockType::Update, true) => (LockMode::Exclusive, "FOR NO KEY UPDATE"),
            (LockType::Share, false) => (LockMode::RowShare, "FOR SHARE"),
            (LockType::Share, true) => (LockMode::AccessShare, "FOR KEY SHARE"),
        };
        let waiting = match clause.nonblock {
            None => Waiting::Wait,
            Some(NonBlock::SkipLocked) => Waiting::Skip,
            Some(NonBlock::Nowait) => Waiting::Fail,
        };
        LockingClause { mode, waiting, of, words }
    }

    /// Does it speak of the table that the query knows by this name?
    pub fn concerns(&self, name: &str) -> bool {
        self.of.is_empty() || self.of.iter().any(|of| of == name)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::ast::Statement;

    use super::*;
    use crate::parse::{ParsedKind, parse_old};

    fn clauses(sql: &str) -> Vec<(&'static str, Waiting, Vec<String>)> {
        let ParsedKind::Sql(statement) = parse_old(sql).unwrap().remove(0).kind else { panic!("{sql}") };
        let Statement::Query(query) = *statement else { panic!("{sql}") };
        let clauses = query.locks.iter().map(LockingClause::new);
        clauses.map(|clause| (clause.words, clause.waiting, clause.of)).collect()
    }

    #[test]
    fn all_strengths_names_and_ways_to_wait_are_understood() {
        let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(clauses("select 1 from t for update"), [("FOR UPDATE", Waiting::Wait, names(&[]))]);
        assert_eq!(
            clauses("select 1 from a, b as \"B\" for no key update of a, \"B\" nowait for share of b skip locked"),
            [("FOR NO KEY UPDATE", Waiting::Fail, names(&["a", "B"])), ("FOR SHARE", Waiting::Skip, names(&["b"])),]
        );
        assert_eq!(
            clauses("select 1 from t for update of t skip locked limit (2) offset 1"),
            [("FOR UPDATE", Waiting::Skip, names(&["t"]))]
        );
        assert_eq!(
            clauses("select 1 from t, u for update of t nowait for share of u limit 1"),
            [("FOR UPDATE", Waiting::Fail, names(&["t"])), ("FOR SHARE", Waiting::Wait, names(&["u"]))]
        );
        assert_eq!(
            clauses("select 1 from t for no key update limit 1;"),
            [("FOR NO KEY UPDATE", Waiting::Wait, vec![])]
        );
        assert!(parse_old("select (select 1 from t for update limit 1) from u for share fetch first row only").is_ok());
        assert_eq!(
            clauses("select substring('abc' for 2) from t for key share for update of A , b"),
            [("FOR KEY SHARE", Waiting::Wait, names(&[])), ("FOR UPDATE", Waiting::Wait, names(&["a", "b"]))]
        );
        for wrong in ["select 1 from t for update of", "select 1 from t for update of a,", "select 1 from t for no key"]
        {
            assert_eq!(parse_old(wrong).unwrap_err().code, "42601", "{wrong}");
        }
    }
}
