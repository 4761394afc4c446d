//! `CREATE`, `ALTER` and `DROP` of `ROLE`, `USER` and `GROUP`, in PostgreSQL's grammar: the options come in any order.

use datafusion::sql::sqlparser::ast::Ident;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use engine::{EngineError, Result};

use crate::ddl::ident;
use crate::parse::is_word;

#[derive(Clone)]
pub enum RoleStatement {
    Create { name: String, options: RoleOptions },
    Alter { name: RoleName, options: RoleOptions },
    Rename { name: String, to: String },
    Drop { names: Vec<RoleName>, if_exists: bool },
}

/// A role by its name, or by what it is to the session.
#[derive(Clone, Debug)]
pub enum RoleName {
    Name(String),
    CurrentUser,
    SessionUser,
}

/// What a statement says of a role; `None` is what it does not say.
#[derive(Clone, Default)]
pub struct RoleOptions {
    pub superuser: Option<bool>,
    pub inherit: Option<bool>,
    pub create_role: Option<bool>,
    pub create_db: Option<bool>,
    pub login: Option<bool>,
    pub replication: Option<bool>,
    pub bypass_rls: Option<bool>,
    /// -1: any number.
    pub connection_limit: Option<i64>,
    /// `Some(None)`: PASSWORD NULL.
    pub password: Option<Option<String>>,
    pub valid_until: Option<String>,
}

impl std::fmt::Debug for RoleStatement {
    /// Without the password: this may get into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RoleStatement::Create { .. } => "CREATE ROLE",
            RoleStatement::Alter { .. } | RoleStatement::Rename { .. } => "ALTER ROLE",
            RoleStatement::Drop { .. } => "DROP ROLE",
        })
    }
}

struct Reader<'a> {
    tokens: &'a [&'a TokenWithSpan],
    at: usize,
}

impl<'a> Reader<'a> {
    fn is(&self, word: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| is_word(token, word))
    }

    /// Takes a word, if it is the next.
    fn take(&mut self, word: &str) -> bool {
        let taken = self.is(word);
        self.at += usize::from(taken);
        taken
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at).map(|token| &token.token);
        self.at += 1;
        token
    }

    /// What stands here does not belong here.
    fn wrong(&self) -> EngineError {
        match self.tokens.get(self.at) {
            Some(token) => EngineError::new("42601", format!("syntax error at or near \"{}\"", token.token)),
            None => EngineError::new("42601", "syntax error at end of input"),
        }
    }

    fn wrong_before(&mut self) -> EngineError {
        self.at -= 1;
        self.wrong()
    }

    fn role(&mut self) -> Result<RoleName> {
        let Some(Token::Word(word)) = self.next() else { return Err(self.wrong_before()) };
        if word.quote_style.is_none() {
            match word.value.to_ascii_lowercase().as_str() {
                "current_user" | "current_role" => return Ok(RoleName::CurrentUser),
                "session_user" => return Ok(RoleName::SessionUser),
                reserved @ ("public" | "none") => return Err(reserved_name(reserved)),
                _ => {}
            }
        }
        let name =
            Ident { value: word.value.clone(), quote_style: word.quote_style, span: self.tokens[self.at - 1].span };
        let name = ident(&name);
        if matches!(name.as_str(), "public" | "none") { Err(reserved_name(&name)) } else { Ok(RoleName::Name(name)) }
    }

    /// The name of a role that is made or renamed.
    fn name(&mut self) -> Result<String> {
        let (start, role) = (self.at, self.role()?);
        let RoleName::Name(name) = role else {
            let word = self.tokens[start].token.to_string().to_uppercase();
            return Err(EngineError::new("42939", format!("{word} cannot be used as a role name here")));
        };
        if name.starts_with("pg_") {
            return Err(reserved_name(&name).detail("Role names starting with \"pg_\" are reserved."));
        }
        Ok(name)
    }

    fn text(&mut self) -> Result<String> {
        match self.next() {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => Ok(text.clone()),
            Some(Token::UnicodeStringLiteral(text)) => Ok(text.clone()),
            Some(Token::DollarQuotedString(text)) => Ok(text.value.clone()),
            _ => Err(self.wrong_before()),
        }
    }

    fn number(&mut self) -> Result<i64> {
        let negative = matches!(self.tokens.get(self.at), Some(token) if token.token == Token::Minus);
        self.at += usize::from(negative);
        let digits = match self.next() {
            Some(Token::Number(digits, _)) => digits.parse::<i32>().ok(),
            _ => None,
        };
        let number = i64::from(digits.ok_or_else(|| self.wrong_before())?);
        Ok(if negative { -number } else { number })
    }

    fn options(&mut self, creates: bool) -> Result<RoleOptions> {
        let mut options = RoleOptions::default();
        self.take("WITH");
        while self.at < self.tokens.len() {
            self.option(&mut options, creates)?;
        }
        Ok(options)
    }

    fn option(&mut self, options: &mut RoleOptions, creates: bool) -> Result<()> {
        let Some(Token::Word(word)) = self.next() else { return Err(self.wrong_before()) };
        let word =
            if word.quote_style.is_none() { word.value.to_ascii_lowercase() } else { return Err(self.wrong_before()) };
        let (flag, on) = match word.strip_prefix("no") {
            Some(rest) => (rest, false),
            None => (word.as_str(), true),
        };
        let flags = [
            ("superuser", &mut options.superuser),
            ("inherit", &mut options.inherit),
            ("createrole", &mut options.create_role),
            ("createdb", &mut options.create_db),
            ("login", &mut options.login),
            ("replication", &mut options.replication),
            ("bypassrls", &mut options.bypass_rls),
        ];
        if let Some((_, kept)) = flags.into_iter().find(|(name, _)| *name == flag) {
            return once(kept, on);
        }
        match word.as_str() {
            "connection" if self.take("LIMIT") => {
                let limit = self.number()?;
                if limit < -1 {
                    return Err(EngineError::new("22023", format!("invalid connection limit: {limit}")));
                }
                once(&mut options.connection_limit, limit)
            }
            "encrypted" if self.take("PASSWORD") => {
                let password = self.text()?;
                once(&mut options.password, Some(password))
            }
            "unencrypted" if self.take("PASSWORD") => {
                Err(EngineError::new("0A000", "UNENCRYPTED PASSWORD is no longer supported")
                    .hint("Remove UNENCRYPTED to store the password in encrypted form instead."))
            }
            "password" if self.take("NULL") => once(&mut options.password, None),
            "password" => {
                let password = self.text()?;
                once(&mut options.password, Some(password))
            }
            "valid" if self.take("UNTIL") => {
                let until = self.text()?;
                once(&mut options.valid_until, until)
            }
            "in" | "role" | "user" | "admin" if creates => {
                Err(EngineError::unsupported("membership in roles (IN ROLE, ROLE, ADMIN)"))
            }
            "connection" | "encrypted" | "unencrypted" | "valid" | "in" | "user" => Err(self.wrong()),
            _ => Err(EngineError::new("42601", format!("unrecognized role option \"{word}\""))),
        }
    }
}

fn once<T>(kept: &mut Option<T>, value: T) -> Result<()> {
    match kept.replace(value) {
        None => Ok(()),
        Some(_) => Err(EngineError::new("42601", "conflicting or redundant options")),
    }
}

fn reserved_name(name: &str) -> EngineError {
    EngineError::new("42939", format!("role name \"{name}\" is reserved"))
}

/// The statement, whose first two words were looked at: `CREATE ROLE`, say.
pub fn parse(tokens: &[&TokenWithSpan]) -> Result<RoleStatement> {
    let mut reader = Reader { tokens, at: 2 };
    let is_group = is_word(tokens[1], "GROUP");
    if reader.is("MAPPING") {
        return Err(EngineError::unsupported("a user mapping"));
    }
    if is_word(tokens[0], "DROP") {
        let if_exists = reader.take("IF");
        if if_exists && !reader.take("EXISTS") {
            return Err(reader.wrong());
        }
        let mut names = vec![reader.role()?];
        while tokens.get(reader.at).is_some_and(|token| token.token == Token::Comma) {
            reader.at += 1;
            names.push(reader.role()?);
        }
        return if reader.at == tokens.len() {
            Ok(RoleStatement::Drop { names, if_exists })
        } else {
            Err(reader.wrong())
        };
    }
    if is_word(tokens[0], "CREATE") {
        let name = reader.name()?;
        let mut options = reader.options(true)?;
        if is_word(tokens[1], "USER") {
            options.login.get_or_insert(true);
        }
        return Ok(RoleStatement::Create { name, options });
    }
    if reader.is("ALL") {
        return Err(EngineError::unsupported("ALTER ROLE ALL"));
    }
    let start = reader.at;
    let name = reader.role()?;
    if reader.take("RENAME") {
        if !reader.take("TO") {
            return Err(reader.wrong());
        }
        let to = reader.name()?;
        if reader.at < tokens.len() {
            return Err(reader.wrong());
        }
        let name = Reader { tokens, at: start }.name()?;
        return Ok(RoleStatement::Rename { name, to });
    }
    if is_group || reader.is("ADD") {
        return Err(EngineError::unsupported("membership in roles (ALTER GROUP)"));
    }
    if ["SET", "RESET", "IN"].iter().any(|word| reader.is(word)) {
        return Err(EngineError::unsupported("ALTER ROLE ... SET"));
    }
    let options = reader.options(false)?;
    Ok(RoleStatement::Alter { name, options })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::ParsedKind;

    fn statement(sql: &str) -> Result<RoleStatement> {
        match crate::parse::parse_old(sql)?.remove(0).kind {
            ParsedKind::Role(statement) => Ok(*statement),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_come_in_any_order() {
        let sql = "create user \"A\" nosuperuser createdb connection limit -1 valid until '2030-01-01' encrypted password E'x' noinherit";
        let RoleStatement::Create { name, options } = statement(sql).unwrap() else { panic!() };
        assert_eq!((name.as_str(), options.superuser, options.create_db), ("A", Some(false), Some(true)));
        assert_eq!((options.login, options.inherit, options.connection_limit), (Some(true), Some(false), Some(-1)));
        assert_eq!(options.password, Some(Some("x".into())));
        let RoleStatement::Alter { name, options } = statement("alter role current_user with password null").unwrap()
        else {
            panic!()
        };
        assert!(matches!(name, RoleName::CurrentUser) && options.password == Some(None));
        assert!(
            matches!(statement("drop role if exists a, b").unwrap(), RoleStatement::Drop { names, if_exists: true } if names.len() == 2)
        );
        assert!(matches!(statement("alter user a rename to b").unwrap(), RoleStatement::Rename { .. }));
    }

    // Codes from PostgreSQL 18.
    #[test]
    fn what_is_wrong_is_refused() {
        for (sql, code) in [
            ("create role", "42601"),
            ("create role a login nologin", "42601"),
            ("create role a foo", "42601"),
            ("create role a password", "42601"),
            ("create role a connection limit -2", "22023"),
            ("create role a unencrypted password 'x'", "0A000"),
            ("create role public", "42939"),
            ("create role pg_a", "42939"),
            ("create role current_user", "42939"),
            ("create role a in role b", "0A000"),
            ("alter role a set work_mem = 1", "0A000"),
            ("alter role a rename b", "42601"),
            ("drop role a b", "42601"),
        ] {
            assert_eq!(statement(sql).unwrap_err().code, code, "{sql}");
        }
    }
}
