//! Spellings of PostgreSQL's that sqlparser does not know, and words that it swallows, put in tokens that it reads as meant.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::parse::{is_word, meaning};

pub fn respell(tokens: &mut Vec<TokenWithSpan>) {
    keep_words(tokens);
    at_local(tokens);
    similar_substrings(tokens);
}

/// sqlparser takes these words of other databases and forgets them. As words without a meaning they are names, and errors
/// where no name belongs.
fn keep_words(tokens: &mut [TokenWithSpan]) {
    for token in tokens {
        if let Token::Word(Word { keyword, .. }) = &mut token.token
            && matches!(keyword, Keyword::AUTO_INCREMENT | Keyword::AUTOINCREMENT)
        {
            *keyword = Keyword::NoKeyword;
        }
    }
}

/// `x AT LOCAL` means `x AT TIME ZONE current_setting('TimeZone')`.
fn at_local(tokens: &mut Vec<TokenWithSpan>) {
    let meaning: Vec<usize> = meaning(tokens).collect();
    for pair in meaning.windows(2).rev() {
        if is_word(&tokens[pair[0]], "AT") && is_word(&tokens[pair[1]], "LOCAL") {
            let span = tokens[pair[1]].span;
            let zone = [
                Token::make_keyword("TIME"),
                Token::make_keyword("ZONE"),
                Token::make_word("current_setting", None),
                Token::LParen,
                Token::SingleQuotedString("TimeZone".into()),
                Token::RParen,
            ];
            tokens.splice(pair[1]..=pair[1], zone.map(|token| TokenWithSpan { token, span }));
        }
    }
}

/// `substring(x SIMILAR p ESCAPE e)` means `substring(x, p, e)`.
fn similar_substrings(tokens: &mut [TokenWithSpan]) {
    let meaning: Vec<usize> = meaning(tokens).collect();
    for (at, pair) in meaning.windows(2).enumerate() {
        if !is_word(&tokens[pair[0]], "SUBSTRING") || tokens[pair[1]].token != Token::LParen {
            continue;
        }
        let (mut depth, mut similar) = (0, None);
        for &place in &meaning[at + 1..] {
            match tokens[place].token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ if depth == 1 && is_word(&tokens[place], "SIMILAR") => similar = Some(place),
                _ if depth == 1 && is_word(&tokens[place], "ESCAPE") => {
                    if let Some(similar) = similar {
                        tokens[similar].token = Token::Comma;
                        tokens[place].token = Token::Comma;
                    }
                    break;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
}
