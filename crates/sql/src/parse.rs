//! Cutting a query string into statements, and the statements that sqlparser does not know.

use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{
    ContextModifier, Expr, Ident, Insert, ObjectName, Reset, ResetStatement, Set, Setting, Statement,
};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};
use engine::{EngineError, Result};

use crate::planned::{self, Raw};
use crate::role_statement::{self, RoleStatement};
use crate::{depth, foreign_tokens, locking_clause, nested_joins, numeric_constants};

/// Nesting beyond this is refused, as PostgreSQL refuses what overflows its stack.
const RECURSION_LIMIT: usize = 250;
/// Tokens in one statement.
const MAX_TOKENS: usize = 1_000_000;
/// Bytes in a query string: 32 MiB. Planning takes up to 20 times that, and about 800 bytes a token, in memory.
const MAX_TEXT: usize = 32 << 20;

/// One statement of a query string.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Its own text.
    pub text: String,
    pub kind: ParsedKind,
}

#[derive(Clone, Debug)]
pub enum ParsedKind {
    /// What may go the new way.
    Query(Arc<Raw>),
    Sql(Box<Statement>),
    Checkpoint,
    /// `ALTER SYSTEM`; what follows is a SET or a RESET.
    AlterSystem(Box<Statement>),
    AlterSequence(Box<AlterSequence>),
    /// `CREATE ROLE` and the like.
    Role(Box<RoleStatement>),
    /// `VACUUM` or `ANALYZE`, of these tables or of all.
    Maintenance {
        vacuum: bool,
        analyze: bool,
        tables: Vec<String>,
    },
}

/// `ALTER SEQUENCE`.
#[derive(Clone, Debug)]
pub struct AlterSequence {
    pub if_exists: bool,
    /// As if the sequence was made with these options.
    pub create: Statement,
    /// `RESTART`, with a value or at its start.
    pub restart: Option<Option<i64>>,
}

/// Parses all statements; nothing is run if one of them is wrong, as in PostgreSQL.
pub fn parse(sql: &str) -> Result<Vec<Parsed>> {
    let mut statements = Vec::new();
    for (text, raw) in planned::split(sql)? {
        match raw {
            Some(raw) => statements.push(Parsed { text, kind: ParsedKind::Query(raw) }),
            None => statements.extend(parse_old(&text)?),
        }
    }
    Ok(statements)
}

/// Parses with sqlparser, for the old way.
pub fn parse_old(sql: &str) -> Result<Vec<Parsed>> {
    if sql.len() > MAX_TEXT {
        let error = EngineError::new("54000", format!("a query string of {} bytes is too long", sql.len()));
        return Err(error.hint(format!(
            "The limit is {MAX_TEXT} bytes. Give large values as parameters, and many rows with COPY."
        )));
    }
    let too_complex = || EngineError::new("54001", "statement is too complex");
    if sql.len() > MAX_TOKENS && depth::count(sql) > 2 * MAX_TOKENS {
        return Err(too_complex());
    }
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql)
        .tokenize_with_location()
        .map_err(|e| syntax_error(sql, &e.to_string()))?;
    let tokens = lexical(sql, tokens)?;
    let mut statements = Vec::new();
    for slice in tokens.split(|t| t.token == Token::SemiColon) {
        let meaning: Vec<_> = slice.iter().filter(|t| !matches!(t.token, Token::Whitespace(_))).collect();
        let (Some(first), Some(last)) = (meaning.first(), meaning.last()) else { continue };
        if meaning.len() > MAX_TOKENS {
            return Err(too_complex());
        }
        depth::check(meaning.iter().map(|t| &t.token))?;
        let text = text_between(sql, first.span.start, last.span.end);
        let words: Vec<String> = meaning.iter().take(8).map(|t| t.token.to_string().to_ascii_uppercase()).collect();
        let kind = match ours(&words, &meaning)? {
            Some(kind) => kind,
            None => sqlparser(sql, slice)?,
        };
        statements.push(Parsed { text, kind });
    }
    Ok(statements)
}

/// What PostgreSQL's scanner does and sqlparser's does not: constants in quotes on several lines are one, and a number ends
/// where something else may begin.
fn lexical(sql: &str, tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        if let Token::SingleQuotedString(text) = &token.token {
            let gap = out.iter().rev().take_while(|t| matches!(t.token, Token::Whitespace(_))).count();
            let before = out.len() - gap;
            if gap > 0
                && let Some(Token::SingleQuotedString(first)) = before.checked_sub(1).map(|i| &out[i].token)
            {
                use datafusion::sql::sqlparser::tokenizer::Whitespace;
                let newline = |t: &TokenWithSpan| {
                    matches!(t.token, Token::Whitespace(Whitespace::Newline | Whitespace::SingleLineComment { .. }))
                };
                // Only comments to the end of a line may stand between.
                let block = |t: &TokenWithSpan| matches!(t.token, Token::Whitespace(Whitespace::MultiLineComment(_)));
                if !out[before..].iter().any(newline) || out[before..].iter().any(block) {
                    return Err(near(sql, &token.token, token.span.start));
                }
                let joined = format!("{first}{text}");
                out.truncate(before);
                let last = out.last_mut().expect("a constant was there");
                last.token = Token::SingleQuotedString(joined);
                last.span.end = token.span.end;
                continue;
            }
        }
        // A word that follows a number at once belongs to it.
        if let Token::Word(word) = &token.token
            && word.quote_style.is_none()
            && let Some(last) = out.last_mut()
            && let Token::Number(digits, _) = &last.token
            && last.span.end == token.span.start
        {
            last.token = number(sql, &format!("{digits}{}", word.value), last.span.start)?;
            last.span.end = token.span.end;
            continue;
        }
        // `==` and `<=>` are no operators of PostgreSQL's.
        if let Token::DoubleEq | Token::Spaceship = token.token {
            return Err(EngineError::new("42883", format!("operator does not exist: {}", token.token)));
        }
        if let Token::HexStringLiteral(digits) = &token.token
            && sql[offset_of(sql, token.span.start)..].starts_with('0')
        {
            if digits.contains('_') {
                token.token = number(sql, &format!("0x{digits}"), token.span.start)?;
                out.push(token);
                continue;
            }
            let number = u128::from_str_radix(digits, 16)
                .map_err(|_| EngineError::unsupported("a hexadecimal number of more than 128 bits"))?;
            token.token = Token::Number(number.to_string(), false);
        }
        out.push(token);
    }
    for token in &mut out {
        if let Token::Number(digits, _) = &token.token
            && digits.contains('_')
        {
            token.token = number(sql, digits, token.span.start)?;
        }
    }
    Ok(out)
}

/// `SET LOCAL SESSION AUTHORIZATION …`, which sqlparser knows without the first word.
fn session_authorization(local: bool, tokens: &[&TokenWithSpan]) -> Result<ParsedKind> {
    let tokens = tokens.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, token)| (*token).clone()).collect();
    let mut parser = Parser::new(&PostgreSqlDialect {}).with_tokens_with_locations(tokens);
    let failed = |_| EngineError::new("42601", "syntax error in SET SESSION AUTHORIZATION");
    let mut statement = parser.parse_statement().map_err(failed)?;
    if let Statement::Set(Set::SetSessionAuthorization(param)) = &mut statement
        && local
    {
        param.scope = ContextModifier::Local;
    }
    match parser.peek_token().token {
        Token::EOF => Ok(ParsedKind::Sql(Box::new(statement))),
        token => Err(EngineError::new("42601", format!("syntax error at or near \"{token}\""))),
    }
}

/// The number that is written so, at this place.
fn number(sql: &str, text: &str, start: Location) -> Result<Token> {
    if let Some(number) = numeric_constants::read(text) {
        return Ok(Token::Number(number, false));
    }
    let position = sql[..offset_of(sql, start)].chars().count() as u32 + 1;
    let message = format!("trailing junk after numeric literal at or near \"{text}\"");
    Err(EngineError { position: Some(position), ..EngineError::new("42601", message) })
}

fn sqlparser(sql: &str, slice: &[TokenWithSpan]) -> Result<ParsedKind> {
    let (tokens, overriding) = respelled(slice);
    if let Some(clause) = exclusion(&tokens) {
        return Err(EngineError::unsupported(clause));
    }
    let mut parser =
        Parser::new(&PostgreSqlDialect {}).with_recursion_limit(RECURSION_LIMIT).with_tokens_with_locations(tokens);
    let mut statement = parser.parse_statement().map_err(|e| match e {
        datafusion::sql::sqlparser::parser::ParserError::RecursionLimitExceeded => {
            EngineError::new("54001", "stack depth limit exceeded")
        }
        e => syntax_error(sql, &e.to_string()),
    })?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        return Err(near(sql, &rest.token, rest.span.start));
    }
    if let (Some(overriding), Statement::Insert(insert)) = (overriding, &mut statement) {
        let value = Expr::Identifier(Ident::new(overriding.word()));
        insert.settings = Some(vec![Setting { key: Ident::new(OVERRIDING), value }]);
    }
    crate::dialect::check(&statement)?;
    depth::flatten(&mut statement);
    Ok(ParsedKind::Sql(Box::new(statement)))
}

/// The places of what is no white space.
pub fn meaning(tokens: &[TokenWithSpan]) -> impl Iterator<Item = usize> {
    (0..tokens.len()).filter(|&i| !matches!(tokens[i].token, Token::Whitespace(_)))
}

pub fn is_word(token: &TokenWithSpan, word: &str) -> bool {
    matches!(&token.token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word))
}

/// `OVERRIDING SYSTEM VALUE` and `OVERRIDING USER VALUE`, which sqlparser does not know, become a setting of INSERT.
const OVERRIDING: &str = "overriding";

/// Which values an INSERT prefers in identity columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// Its own, also where they are always generated.
    System,
    /// Generated ones; its own are ignored.
    User,
}

impl Overriding {
    fn word(self) -> &'static str {
        match self {
            Overriding::System => "SYSTEM",
            Overriding::User => "USER",
        }
    }

    pub fn of(insert: &Insert) -> Option<Overriding> {
        let setting = insert.settings.iter().flatten().find(|setting| setting.key.value == OVERRIDING)?;
        let Expr::Identifier(what) = &setting.value else { return None };
        [Overriding::System, Overriding::User].into_iter().find(|o| o.word() == what.value)
    }

    /// Takes the clause out of an INSERT's tokens. It stands in front of the rows, outside of parentheses.
    fn take(tokens: &mut Vec<TokenWithSpan>) -> Option<Overriding> {
        let (range, found) = Overriding::find(tokens)?;
        tokens.drain(range);
        Some(found)
    }

    fn find(tokens: &[TokenWithSpan]) -> Option<(std::ops::RangeInclusive<usize>, Overriding)> {
        let (mut last, mut depth) = ([0; 3], 0);
        for at in meaning(tokens) {
            last = [last[1], last[2], at];
            match tokens[at].token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ if depth > 0 => {}
                _ if is_word(&tokens[at], "VALUES") || is_word(&tokens[at], "SELECT") => return None,
                _ if is_word(&tokens[last[0]], OVERRIDING) && is_word(&tokens[at], "VALUE") => {
                    let both = [Overriding::System, Overriding::User];
                    let found = both.into_iter().find(|o| is_word(&tokens[last[1]], o.word()))?;
                    return Some((last[0]..=at, found));
                }
                _ => {}
            }
        }
        None
    }
}

/// The tokens as sqlparser takes them, and what had to be taken out. `CREATE UNLOGGED TABLE` is `CREATE TABLE` here:
/// everything is logged.
fn respelled(slice: &[TokenWithSpan]) -> (Vec<TokenWithSpan>, Option<Overriding>) {
    let first_two: Vec<usize> = meaning(slice).take(2).collect();
    let is = |i: usize, word: &str| slice[i].token.to_string().eq_ignore_ascii_case(word);
    let mut tokens = slice.to_vec();
    if let [create, unlogged] = first_two[..]
        && is(create, "CREATE")
        && is(unlogged, "UNLOGGED")
    {
        tokens.remove(unlogged);
    }
    // sqlparser knows the options of COPY without a value, or with FALSE.
    if let Some(&first) = first_two.first()
        && is(first, "COPY")
    {
        let all: Vec<usize> = meaning(slice).collect();
        for pair in all.windows(2).rev() {
            if !is(pair[0], "FREEZE") && !is(pair[0], "HEADER") {
                continue;
            }
            if ["ON", "TRUE", "1"].iter().any(|on| is(pair[1], on)) {
                tokens.remove(pair[1]);
            } else if ["OFF", "0"].iter().any(|off| is(pair[1], off)) {
                tokens[pair[1]].token = Token::make_keyword("FALSE");
            }
        }
    }
    foreign_tokens::respell(&mut tokens);
    locking_clause::respell(&mut tokens);
    precision_of_intervals(&mut tokens);
    nested_joins::respell(&mut tokens);
    let begins = |word: &str| first_two.first().is_some_and(|&first| is(first, word));
    let overriding = if begins("INSERT") { Overriding::take(&mut tokens) } else { None };
    if begins("CREATE") || begins("ALTER") {
        order_sequence_options(&mut tokens);
    }
    // `TABLE t` is `SELECT * FROM t`.
    if let [table, _] = first_two[..]
        && is(table, "TABLE")
    {
        let start = tokens[table].span;
        let word = |token: Token| TokenWithSpan { token, span: start };
        let select = [word(Token::make_keyword("SELECT")), word(Token::Mul), word(Token::make_keyword("FROM"))];
        tokens.splice(table..=table, select);
    }
    (tokens, overriding)
}

/// `INTERVAL(3) '…'`, whose precision sqlparser loses, means `INTERVAL '…' SECOND(3)`.
fn precision_of_intervals(tokens: &mut Vec<TokenWithSpan>) {
    let meaning: Vec<usize> = meaning(tokens).collect();
    for window in meaning.windows(5).rev() {
        let shape = matches!(
            [1, 2, 3, 4].map(|at| &tokens[window[at]].token),
            [Token::LParen, Token::Number(..), Token::RParen, Token::SingleQuotedString(_)]
        );
        if shape && is_word(&tokens[window[0]], "INTERVAL") {
            let [open, digits, close, text] = [1, 2, 3, 4].map(|at| tokens[window[at]].clone());
            let second = TokenWithSpan { token: Token::make_keyword("SECOND"), span: text.span };
            tokens.splice(window[1]..=window[4], [text, second, open, digits, close]);
        }
    }
}

/// A window frame's EXCLUDE clause, which sqlparser does not know.
fn exclusion(tokens: &[TokenWithSpan]) -> Option<String> {
    let places: Vec<usize> = meaning(tokens).collect();
    let excluded = places.windows(2).find_map(|pair| {
        let what = ["CURRENT", "GROUP", "TIES", "NO"].into_iter().find(|what| is_word(&tokens[pair[1]], what))?;
        is_word(&tokens[pair[0]], "EXCLUDE").then_some(what)
    })?;
    Some(format!("EXCLUDE {excluded} in a window frame"))
}

/// In the order in which sqlparser takes them.
const SEQUENCE_OPTIONS: [&str; 7] = ["INCREMENT", "MINVALUE", "MAXVALUE", "START", "CACHE", "CYCLE", "OWNED"];

/// Puts the options of `CREATE SEQUENCE` and of identity columns, which may come in any order, into sqlparser's. The
/// statement is a CREATE or an ALTER.
fn order_sequence_options(tokens: &mut [TokenWithSpan]) {
    let meaning: Vec<usize> = meaning(tokens).collect();
    let word = |tokens: &[TokenWithSpan], at: usize| match meaning.get(at).map(|&i| &tokens[i].token) {
        Some(Token::Word(w)) if w.quote_style.is_none() => w.value.to_ascii_uppercase(),
        Some(Token::LParen) => "(".into(),
        Some(Token::RParen) => ")".into(),
        Some(Token::Period) => ".".into(),
        _ => String::new(),
    };
    // Where options are: behind a sequence's name, and in the parentheses behind AS IDENTITY.
    let mut ranges = Vec::new();
    if let Some(at) = (1..3).find(|&at| word(tokens, at) == "SEQUENCE")
        && word(tokens, 0) == "CREATE"
    {
        let mut start = at + 1 + if word(tokens, at + 1) == "IF" { 3 } else { 0 } + 1;
        while word(tokens, start) == "." {
            start += 2;
        }
        start += if word(tokens, start) == "AS" { 2 } else { 0 };
        ranges.push(start.min(meaning.len())..meaning.len());
    }
    for at in 0..meaning.len() {
        if word(tokens, at) == "AS" && word(tokens, at + 1) == "IDENTITY" && word(tokens, at + 2) == "(" {
            let end = (at + 3..meaning.len()).find(|&end| word(tokens, end) == ")").unwrap_or(at + 3);
            ranges.push(at + 3..end);
        }
    }
    for range in ranges {
        let mut options: Vec<(usize, Vec<TokenWithSpan>)> = Vec::new();
        let mut after_no = false;
        for at in range.clone() {
            let token = tokens[meaning[at]].clone();
            let text = word(tokens, at);
            // Behind a point it is a column's name, of OWNED BY.
            let rank = SEQUENCE_OPTIONS.iter().position(|option| *option == text && word(tokens, at - 1) != ".");
            match (options.last_mut(), rank) {
                (Some((unranked, option)), Some(rank)) if after_no => {
                    *unranked = rank;
                    option.push(token);
                }
                (_, Some(rank)) => options.push((rank, vec![token])),
                (_, None) if text == "NO" => options.push((usize::MAX, vec![token])),
                (Some((_, option)), None) => option.push(token),
                // Not an option: for the parser to say so.
                (None, None) => options.push((0, vec![token])),
            }
            after_no = text == "NO";
        }
        options.sort_by_key(|(rank, _)| *rank);
        for (at, token) in range.zip(options.into_iter().flat_map(|(_, option)| option)) {
            tokens[meaning[at]] = token;
        }
    }
}

/// sqlparser knows CREATE SEQUENCE, which takes the same options but for RESTART.
fn alter_sequence(tokens: &[&TokenWithSpan]) -> Result<ParsedKind> {
    let failed = |at: usize| match tokens.get(at) {
        Some(token) => EngineError::new("42601", format!("syntax error at or near \"{}\"", token.token)),
        None => EngineError::new("42601", "syntax error at end of input"),
    };
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| is_word(token, word));
    let if_exists = is(2, "IF") && is(3, "EXISTS");
    let name = if if_exists { 4 } else { 2 };
    let (mut restart, mut skipped) = (None, 0..0);
    for at in name + 1..tokens.len() {
        if let Some(what) = ["RENAME", "OWNER", "SET"].into_iter().find(|what| is(at, what)) {
            return Err(EngineError::unsupported(format!("ALTER SEQUENCE ... {what}")));
        }
        // Behind a point it is a name.
        if !is(at, "RESTART") || tokens[at - 1].token == Token::Period {
            continue;
        }
        let value = at + 1 + usize::from(is(at + 1, "WITH"));
        let sign = usize::from(tokens.get(value).is_some_and(|token| token.token == Token::Minus));
        let number = match tokens.get(value + sign).map(|token| &token.token) {
            Some(Token::Number(digits, _)) => Some(format!("{}{digits}", if sign > 0 { "-" } else { "" })),
            _ => None,
        };
        let end = match &number {
            Some(_) => value + sign + 1,
            None if value + sign == at + 1 => at + 1,
            None => return Err(failed(value + sign)),
        };
        if restart.is_some() {
            return Err(EngineError::new("42601", "conflicting or redundant options"));
        }
        let parsed = number.map(|text| {
            let range = || EngineError::new("22003", format!("value \"{text}\" is out of range for type bigint"));
            text.parse::<i64>().map_err(|_| range())
        });
        (restart, skipped) = (Some(parsed.transpose()?), at..end);
    }
    let mut rest = vec![tokens[0].clone(), tokens[1].clone()];
    rest[0].token = Token::make_keyword("CREATE");
    rest.extend((name..tokens.len()).filter(|at| !skipped.contains(at)).map(|at| tokens[at].clone()));
    if rest.len() < 3 || (rest.len() == 3 && restart.is_none()) {
        return Err(failed(tokens.len()));
    }
    order_sequence_options(&mut rest);
    let mut parser = Parser::new(&PostgreSqlDialect {}).with_tokens_with_locations(rest);
    let create = parser.parse_statement().map_err(|_| failed(1))?;
    let left = parser.peek_token();
    match left.token {
        Token::EOF => Ok(ParsedKind::AlterSequence(Box::new(AlterSequence { if_exists, create, restart }))),
        token => Err(EngineError::new("42601", format!("syntax error at or near \"{token}\""))),
    }
}

/// Statements that sqlparser does not parse.
fn ours(words: &[String], tokens: &[&TokenWithSpan]) -> Result<Option<ParsedKind>> {
    let word = |i: usize| words.get(i).map(String::as_str).unwrap_or_default();
    let name_of = |token: &Token| match token {
        Token::Word(w) if w.quote_style.is_some() => w.value.clone(),
        Token::Word(w) => w.value.to_ascii_lowercase(),
        Token::SingleQuotedString(s) => s.clone(),
        other => other.to_string(),
    };
    match word(0) {
        "CHECKPOINT" if tokens.len() == 1 => Ok(Some(ParsedKind::Checkpoint)),
        "CREATE" | "ALTER" | "DROP" if matches!(word(1), "ROLE" | "USER" | "GROUP") => {
            Ok(Some(ParsedKind::Role(Box::new(role_statement::parse(tokens)?))))
        }
        "SET" if matches!(word(1), "LOCAL" | "SESSION") && word(2) == "SESSION" && word(3) == "AUTHORIZATION" => {
            session_authorization(word(1) == "LOCAL", tokens).map(Some)
        }
        "ALTER" if word(1) == "SEQUENCE" => alter_sequence(tokens).map(Some),
        "ALTER" if word(1) == "SYSTEM" && matches!(word(2), "SET" | "RESET") => {
            let change = tokens[2..].iter().map(|token| (*token).clone()).collect();
            let mut parser = Parser::new(&PostgreSqlDialect {}).with_tokens_with_locations(change);
            let failed = |_| EngineError::new("42601", "syntax error in ALTER SYSTEM");
            let change = parser.parse_statement().map_err(failed)?;
            match parser.peek_token().token {
                Token::EOF => Ok(Some(ParsedKind::AlterSystem(Box::new(change)))),
                token => Err(EngineError::new("42601", format!("syntax error at or near \"{token}\""))),
            }
        }
        // Settings whose names are several words.
        "RESET" if tokens.len() > 2 => {
            let name = match words[1..].join(" ").as_str() {
                "SESSION AUTHORIZATION" => "session_authorization",
                "TIME ZONE" => "TimeZone",
                "TRANSACTION ISOLATION LEVEL" => "transaction_isolation",
                _ => return Ok(None),
            };
            let reset = Reset::ConfigurationParameter(ObjectName::from(vec![Ident::new(name)]));
            Ok(Some(ParsedKind::Sql(Box::new(Statement::Reset(ResetStatement { reset })))))
        }
        tag @ ("VACUUM" | "ANALYZE" | "ANALYSE") => {
            let (vacuum, mut analyze) = (tag == "VACUUM", tag != "VACUUM");
            let upper = |token: &Token| token.to_string().to_ascii_uppercase();
            let analyzes = |token: &Token| matches!(upper(token).as_str(), "ANALYZE" | "ANALYSE");
            let mut rest = &tokens[1..];
            if rest.first().is_some_and(|t| t.token == Token::LParen) {
                let end = rest.iter().position(|t| t.token == Token::RParen);
                let end = end.ok_or_else(|| EngineError::new("42601", "syntax error at end of input"))?;
                // Each option may have a value.
                for option in rest[1..end].split(|t| t.token == Token::Comma) {
                    let off = option.get(1).is_some_and(|t| matches!(upper(&t.token).as_str(), "FALSE" | "OFF" | "0"));
                    if option.first().is_some_and(|t| analyzes(&t.token)) {
                        analyze = !off;
                    }
                }
                rest = &rest[end + 1..];
            }
            let options = ["FULL", "FREEZE", "VERBOSE", "ANALYZE", "ANALYSE"];
            while let Some(token) = rest.first()
                && options.contains(&upper(&token.token).as_str())
            {
                analyze |= analyzes(&token.token);
                rest = &rest[1..];
            }
            // A schema may come before a table's name, a list of columns behind it.
            let mut tables: Vec<String> = Vec::new();
            let (mut depth, mut fresh) = (0, true);
            for token in rest {
                match &token.token {
                    Token::LParen => depth += 1,
                    Token::RParen => depth -= 1,
                    Token::Comma if depth == 0 => fresh = true,
                    Token::Period => {
                        tables.pop();
                        fresh = true;
                    }
                    word @ Token::Word(_) if depth == 0 && fresh => {
                        tables.push(name_of(word));
                        fresh = false;
                    }
                    _ if depth > 0 => {}
                    other => {
                        return Err(EngineError::new("42601", format!("syntax error at or near \"{other}\"")));
                    }
                }
            }
            Ok(Some(ParsedKind::Maintenance { vacuum, analyze, tables }))
        }
        _ => Ok(None),
    }
}

/// A query of our own making.
pub fn query(sql: &str) -> Result<datafusion::sql::sqlparser::ast::Query> {
    match parse_old(sql)?.pop().map(|parsed| parsed.kind) {
        Some(ParsedKind::Sql(statement)) => match *statement {
            Statement::Query(query) => Ok(*query),
            _ => Err(EngineError::new("XX000", format!("not a query: {sql}"))),
        },
        _ => Err(EngineError::new("XX000", format!("not a query: {sql}"))),
    }
}

/// An expression that the catalog keeps as text.
pub fn expression(text: &str) -> Result<datafusion::sql::sqlparser::ast::Expr> {
    let parsed = Parser::new(&PostgreSqlDialect {}).try_with_sql(text).and_then(|mut p| p.parse_expr());
    parsed.map_err(|e| EngineError::new("XX000", format!("invalid expression \"{text}\": {e}")))
}

fn offset_of(sql: &str, location: Location) -> usize {
    let mut line = 1;
    let mut column = 1;
    for (offset, c) in sql.char_indices() {
        if (line, column) >= (location.line, location.column) {
            return offset;
        }
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    sql.len()
}

fn text_between(sql: &str, start: Location, end: Location) -> String {
    sql[offset_of(sql, start)..offset_of(sql, end).max(offset_of(sql, start))].to_string()
}

/// PostgreSQL's syntax error, with the place of the offending token.
fn near(sql: &str, token: &Token, location: Location) -> EngineError {
    let message = match token {
        Token::EOF => "syntax error at end of input".to_string(),
        token => format!("syntax error at or near \"{token}\""),
    };
    let position = sql[..offset_of(sql, location)].chars().count() as u32 + 1;
    EngineError { position: Some(position), ..EngineError::new("42601", message) }
}

/// sqlparser says "Expected: …, found: TOKEN at Line: 1, Column: 8".
fn syntax_error(sql: &str, message: &str) -> EngineError {
    let place = message.rsplit_once(" at Line: ").and_then(|(before, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        let digits = |s: &str| s.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok();
        Some((before, Location { line: digits(line)?, column: digits(column)? }))
    });
    let Some((before, location)) = place else {
        if message.contains("found: EOF") {
            return near(sql, &Token::EOF, Location { line: u64::MAX, column: 1 });
        }
        let text = message.trim_start_matches("sql parser error: ");
        return EngineError::new("42601", format!("syntax error: {text}"));
    };
    let position = Some(sql[..offset_of(sql, location)].chars().count() as u32 + 1);
    let message = match before.rsplit_once("found: ") {
        Some((_, "EOF")) => "syntax error at end of input".to_string(),
        Some((_, token)) => format!("syntax error at or near \"{token}\""),
        None if before.contains("Unterminated") => "unterminated quoted string".to_string(),
        None => format!("syntax error: {}", before.trim_start_matches("sql parser error: ")),
    };
    EngineError { position, ..EngineError::new("42601", message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_cut_with_their_text() {
        let parsed = parse_old("select 1; ;-- nothing\n insert into t values (';') ; ").unwrap();
        let texts: Vec<_> = parsed.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["select 1", "insert into t values (';')"]);
        assert!(parse_old(" -- only a comment").unwrap().is_empty());
    }

    #[test]
    fn what_sqlparser_does_not_know_is_ours() {
        let kind = |sql: &str| parse_old(sql).unwrap().remove(0).kind;
        assert!(matches!(kind("checkpoint"), ParsedKind::Checkpoint));
        match kind("ALTER SYSTEM SET work_mem = '8MB'") {
            ParsedKind::AlterSystem(change) => assert_eq!(change.to_string(), "SET work_mem = '8MB'"),
            other => panic!("{other:?}"),
        }
        match kind("vacuum (verbose, analyze) public.\"T\", u (a, b)") {
            ParsedKind::Maintenance { vacuum, analyze, tables } => {
                assert_eq!((vacuum, analyze, tables), (true, true, vec!["T".into(), "u".into()]))
            }
            other => panic!("{other:?}"),
        }
        for (sql, expected) in [
            ("vacuum", (true, false)),
            ("analyze t", (false, true)),
            ("vacuum analyze t", (true, true)),
            ("vacuum (analyze off, verbose) t", (true, false)),
        ] {
            let ParsedKind::Maintenance { vacuum, analyze, .. } = kind(sql) else { panic!("{sql}") };
            assert_eq!((vacuum, analyze), expected, "{sql}");
        }
        assert!(matches!(kind("create unlogged table t (a int)"), ParsedKind::Sql(_)));
    }

    #[test]
    fn options_of_sequences_come_in_any_order() {
        for (written, ordered) in [
            (
                "create sequence if not exists public.start as int start with 5 no cycle increment by -2 owned by t.start no minvalue",
                "create sequence if not exists public.start as int increment by -2 no minvalue start with 5 no cycle owned by t.start",
            ),
            (
                "create table t (start int, id int generated always as identity (start with 5 increment by 2), cycle int)",
                "create table t (start int, id int generated always as identity (increment by 2 start with 5), cycle int)",
            ),
        ] {
            let statement = |sql: &str| match parse_old(sql).unwrap().remove(0).kind {
                ParsedKind::Sql(statement) => statement.to_string(),
                other => panic!("{other:?}"),
            };
            assert_eq!(statement(written), statement(ordered));
        }
        for wrong in
            ["create sequence s start 1 nonsense", "create sequence s cache 1 cache 2", "create sequence s no no"]
        {
            assert_eq!(parse_old(wrong).unwrap_err().code, "42601", "{wrong}");
        }
    }

    #[test]
    fn overriding_is_a_setting_of_insert() {
        let found = |sql: &str| match parse_old(sql).unwrap().remove(0).kind {
            ParsedKind::Sql(statement) => match *statement {
                Statement::Insert(insert) => Overriding::of(&insert),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        assert_eq!(found("insert into t (a) overriding system value values (1)"), Some(Overriding::System));
        assert_eq!(found("INSERT INTO t OVERRIDING USER VALUE SELECT 1"), Some(Overriding::User));
        assert_eq!(found("insert into t (overriding, system, value) values (1, 2, 3)"), None);
        assert_eq!(parse_old("insert into t overriding nothing value values (1)").unwrap_err().code, "42601");
    }

    #[test]
    fn syntax_errors_say_where() {
        let error = parse_old("select 1; selec 2").unwrap_err();
        assert_eq!((error.code, error.position), ("42601", Some(11)));
        assert_eq!(error.message, "syntax error at or near \"selec\"");
        assert_eq!(parse_old("select * from").unwrap_err().message, "syntax error at end of input");
    }

    #[test]
    fn constants_are_scanned_as_postgresql_does() {
        let text = |sql: &str| match parse_old(sql).unwrap().remove(0).kind {
            ParsedKind::Sql(statement) => statement.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text("select 'a'\n  'b' -- c\n 'd'"), "SELECT 'abd'");
        assert_eq!(parse_old("select 'a' 'b'").unwrap_err().code, "42601");
        assert_eq!(text("select 0x1F, 1_000, 0b11, 0o17"), "SELECT 31, 1000, 3, 15");
        assert_eq!(parse_old("select 1a").unwrap_err().code, "42601");
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let sql = format!("select {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(parse_old(&sql).unwrap_err().code, "54001");
    }
}
