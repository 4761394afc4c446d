//! Joins inside of joins without parentheses: `a LEFT JOIN b JOIN c ON … ON …`.
//!
//! A join that wants a condition takes the nearest one that no join behind it has taken; what stands between is its right
//! side. sqlparser wants that in parentheses, which are written here, into the tokens of one statement.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::parse::{is_word, meaning};

/// A join without its condition yet.
struct Open {
    /// Where its right side begins.
    right: usize,
    /// There are joins in it.
    joins: bool,
}

/// Writes parentheses around right sides that are joins.
pub fn respell(tokens: &mut Vec<TokenWithSpan>) {
    if !tokens.iter().any(|token| is_word(token, "JOIN")) {
        return;
    }
    // Before which tokens to write which parentheses, in order.
    let mut written: Vec<(usize, Token)> = vec![];
    // The open joins at each level of the statement's own parentheses.
    let mut levels: Vec<Vec<Open>> = vec![vec![]];
    let places: Vec<usize> = meaning(tokens).collect();
    for (at, &place) in places.iter().enumerate() {
        let token = &tokens[place];
        let word_before =
            |back: usize, word: &str| at.checked_sub(back).is_some_and(|at| is_word(&tokens[places[at]], word));
        let outermost = levels.len() == 1;
        let level = levels.last_mut().expect("the statement's own level stays");
        match &token.token {
            Token::LParen => levels.push(vec![]),
            Token::RParen if !outermost => drop(levels.pop()),
            Token::Comma => level.clear(),
            _ if is_word(token, "JOIN") => {
                level.iter_mut().for_each(|open| open.joins = true);
                let natural = (1..4).any(|back| {
                    word_before(back, "NATURAL")
                        && (1..back)
                            .all(|b| ["INNER", "OUTER", "LEFT", "RIGHT", "FULL"].iter().any(|w| word_before(b, w)))
                });
                if let (false, Some(&right)) = (natural || word_before(1, "CROSS"), places.get(at + 1)) {
                    level.push(Open { right, joins: false });
                }
            }
            _ if is_word(token, "ON") || is_word(token, "USING") => {
                if let Some(Open { right, joins: true }) = level.pop() {
                    written.push((right, Token::LParen));
                    written.push((place, Token::RParen));
                }
            }
            _ if ["WHERE", "GROUP", "ORDER", "UNION", "SELECT"].iter().any(|word| is_word(token, word)) => {
                level.clear()
            }
            _ => {}
        }
    }
    written.sort_by_key(|(place, _)| *place);
    for (place, token) in written.into_iter().rev() {
        let span = tokens[place].span;
        tokens.insert(place, TokenWithSpan { token, span });
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
    use datafusion::sql::sqlparser::tokenizer::Tokenizer;

    #[test]
    fn right_sides_get_parentheses() {
        for (written, expected) in [
            ("from a left join b join c on x on y", "from a left join (b join c on x )on y"),
            ("from a join b on x join c on y", "from a join b on x join c on y"),
            ("from a join b join c join d on x on y on z", "from a join (b join (c join d on x )on y )on z"),
            ("from a join b cross join c on x", "from a join (b cross join c )on x"),
            ("from a natural left join b join c on x", "from a natural left join b join c on x"),
            ("from a join (b join c using (x)) on y", "from a join (b join c using (x)) on y"),
            ("from a join b join c on x join d on y on z", "from a join (b join c on x join d on y )on z"),
        ] {
            let mut tokens = Tokenizer::new(&PostgreSqlDialect {}, written).tokenize_with_location().unwrap();
            super::respell(&mut tokens);
            let text: String = tokens.iter().map(|token| token.token.to_string()).collect();
            assert_eq!(text, expected);
        }
    }
}
