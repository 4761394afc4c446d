//! The names that a statement mentions, each with its place in the statement's tree.

use std::collections::BTreeSet;

/// A name: the nodes and their fields down to it, and its last part.
#[derive(Debug, PartialEq)]
pub struct Mention {
    path: Vec<(String, String)>,
    pub name: String,
}

impl Mention {
    /// `Node.field` of the name itself, and of the node that has it.
    pub fn place(&self) -> (&str, &str) {
        self.path.last().map_or(("", ""), |(node, field)| (node, field))
    }

    pub fn above(&self) -> (&str, &str) {
        let above = self.path.len().checked_sub(2).and_then(|i| self.path.get(i));
        above.map_or(("", ""), |(node, field)| (node, field))
    }

    pub fn is_under(&self, node: &str) -> bool {
        self.path.iter().any(|(name, _)| name == node)
    }

    /// Is it the statement's own, not that of a part?
    pub fn is_of_root(&self) -> bool {
        self.path.len() == 1
    }
}

/// A statement of a query string.
pub struct Statement {
    pub root: String,
    pub mentions: Vec<Mention>,
    /// `field: true` anywhere.
    flags: BTreeSet<String>,
}

impl Statement {
    /// The statements of a text; none where it cannot be parsed. `escapes`: a backslash escapes in `'…'`.
    pub fn all(sql: &str, escapes: bool) -> Vec<Statement> {
        let settings = syntax::Settings { standard_conforming_strings: !escapes, ..syntax::Settings::default() };
        let parsed = syntax::parse_with(sql, syntax::RawParseMode::Default, settings).statements.unwrap_or_default();
        // A tree's Debug text has all its nodes, fields and names, which saves a visitor of 270 kinds of nodes.
        parsed.iter().map(|raw| Scanner::statement(&format!("{raw:?}"))).collect()
    }

    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }

    /// The relations, functions, types, cursors, prepared statements and other objects that it names, its own WITH queries
    /// left out.
    pub fn named(&self) -> BTreeSet<&str> {
        let own: BTreeSet<&str> =
            self.mentions.iter().filter(|m| m.place().1 == "ctename").map(|m| m.name.as_str()).collect();
        let names = self.mentions.iter().filter(|m| self.is_named(m)).map(|m| m.name.as_str());
        names.filter(|name| !own.contains(name)).collect()
    }

    fn is_named(&self, mention: &Mention) -> bool {
        let (node, field) = mention.place();
        match (node, field) {
            ("RangeVar", "relname") | ("FuncCall", "funcname") | ("TypeName", "names") => true,
            ("ObjectWithArgs", "objname") | ("DropStmt" | "CommentStmt", "objects" | "object") => true,
            // `'t'::regclass`, `nextval('s')`, `relname = 't'`.
            ("A_Const", "val") => self.asks_the_catalog(),
            ("RoleSpec", "rolename") => true,
            _ => mention.is_of_root() && names_itself(field) && self.root != "SelectStmt",
        }
    }

    fn asks_the_catalog(&self) -> bool {
        let catalog = |name: &str| {
            ["pg_", "reg", "has_"].iter().any(|prefix| name.starts_with(prefix))
                || ["nextval", "currval", "setval", "obj_description", "col_description", "set_config"].contains(&name)
        };
        self.mentions.iter().any(|m| {
            let (node, field) = m.place();
            let names = matches!(
                (node, field),
                ("RangeVar", "relname" | "schemaname") | ("FuncCall", "funcname") | ("TypeName", "names")
            );
            names && (catalog(&m.name) || m.name == "information_schema")
        })
    }
}

/// A field of a statement that has the name of what the statement is about.
pub fn names_itself(field: &str) -> bool {
    const OTHERS: &[&str] = &["tablespacename", "table_space_name", "subname", "catalogname", "access_method"];
    (field.ends_with("name") && !OTHERS.contains(&field))
        || ["objects", "object", "defnames", "role", "type_name", "conversion_name"].contains(&field)
}

/// Reads a tree's Debug text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The nodes that are open, each with the field that is read.
    path: Vec<(String, String)>,
    mentions: Vec<Mention>,
    flags: BTreeSet<String>,
}

impl<'a> Scanner<'a> {
    fn statement(text: &'a str) -> Statement {
        let inner = text.find("stmt: ").map_or(text, |at| &text[at + "stmt: ".len()..]);
        let mut scanner =
            Scanner { text: inner, at: 0, path: Vec::new(), mentions: Vec::new(), flags: BTreeSet::new() };
        let root = inner.split(['(', ' ']).next().unwrap_or_default().to_string();
        scanner.run();
        Statement { root, mentions: scanner.mentions, flags: scanner.flags }
    }

    fn run(&mut self) {
        let mut word = String::new();
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '"' => {
                    // The last part of a list of names stands for the name.
                    let string = self.string();
                    self.mention(string);
                    continue;
                }
                '{' => self.path.push((std::mem::take(&mut word), String::new())),
                '}' => drop(self.path.pop()),
                ':' => {
                    if let Some((_, field)) = self.path.last_mut() {
                        *field = std::mem::take(&mut word);
                    }
                }
                c if c.is_alphanumeric() || c == '_' => {
                    if !self.text[..self.at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                        word.clear();
                    }
                    word.push(c);
                }
                ',' | ' ' if word == "true" => {
                    word.clear();
                    self.flags.extend(self.path.last().map(|(_, field)| field.clone()));
                }
                _ => {}
            }
            self.at += c.len_utf8();
        }
    }

    /// A string in quotes, as Debug writes it.
    fn string(&mut self) -> String {
        let (mut out, mut escaped) = (String::new(), false);
        let rest = &self.text[self.at + 1..];
        for (i, c) in rest.char_indices() {
            match c {
                '"' if !escaped => {
                    self.at += i + 2;
                    return out;
                }
                '\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                c => out.push(c),
            }
            escaped = false;
        }
        self.at = self.text.len();
        out
    }

    fn mention(&mut self, string: String) {
        // A constant may be a qualified name, and a function's with its arguments.
        let last = |text: &str| {
            let name = text.split('(').next().unwrap_or_default();
            name.rsplit('.').next().unwrap_or_default().trim_matches('"').to_string()
        };
        let constant = self.path.last().is_some_and(|(node, field)| node == "A_Const" && field == "val");
        let name = if constant { last(&string) } else { string };
        // `[String("a"), String("b")]`: the part before is no name.
        let goes_on = self.text[self.at..].starts_with("), String(\"");
        if !goes_on || self.path.last().is_some_and(|(_, field)| field == "grantees") {
            self.mentions.push(Mention { path: self.path.clone(), name });
        }
    }
}
