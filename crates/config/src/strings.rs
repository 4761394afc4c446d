//! Checks of settings whose values are words with a meaning.

use error::{Error, Result, sqlstate};
use types::text::truncated_name;

use crate::definition::Definition;

/// The key words of settings that are lists of them.
const KEY_WORDS: &[(&str, &[&str])] = &[
    ("createrole_self_grant", &["set", "inherit"]),
    ("restrict_nonsystem_relation_kind", &["view", "foreign-table"]),
    (
        "wal_consistency_checking",
        &[
            "all",
            "heap",
            "heap2",
            "btree",
            "hash",
            "gin",
            "gist",
            "spgist",
            "brin",
            "sequence",
            "generic",
            "logicalmsg",
            "xlog",
            "transaction",
            "storage",
            "clog",
            "database",
            "tablespace",
            "multixact",
            "relmap",
            "standby",
            "committs",
            "replicationorigin",
        ],
    ),
];

/// Checks the value of a setting that is text, and gives its canonical form.
pub fn check(definition: &Definition, value: &str) -> Result<String> {
    let invalid = |detail: String| Err(definition.invalid(value).detail(detail));
    match definition.name {
        // What others are shown of a client is ASCII.
        "application_name" => return Ok(ascii(truncated_name(value))),
        "cluster_name" => return Ok(ascii(value)),
        "search_path" if names(value).is_some_and(|names| names.iter().any(|name| name == "information_schema")) => {
            return Err(Error::unsupported("information_schema on search_path").hint("Qualify its names."));
        }
        _ => {}
    }
    if definition.facts().list {
        let Some(names) = names(value) else { return invalid("List syntax is invalid.".into()) };
        if let Some((_, known)) = KEY_WORDS.iter().find(|(name, _)| *name == definition.name)
            && let Some(wrong) = names.iter().find(|name| !known.contains(&name.as_str()))
        {
            return invalid(format!("Unrecognized key word: \"{wrong}\"."));
        }
    }
    Ok(value.to_string())
}

/// The error about a value that names nothing, where PostgreSQL says what is missing.
pub fn does_not_exist(setting: &str, value: &str) -> Option<Error> {
    let wrong = |what: &str| {
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid value for parameter \"{setting}\": \"{value}\""))
            .detail(format!("{what} \"{value}\" does not exist."))
    };
    match (setting, value) {
        ("default_table_access_method", "btree") => {
            Some(Error::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, "access method \"btree\" is not of type TABLE"))
        }
        ("default_table_access_method", _) => Some(wrong("Table access method")),
        _ => None,
    }
}

/// The names of a list, in lower case where they are not quoted; `None` if it is malformed.
pub fn names(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = list.trim();
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut name = String::new();
                let mut rest = quoted;
                loop {
                    let (before, after) = rest.split_once('"')?;
                    name.push_str(before);
                    match after.strip_prefix('"') {
                        Some(after) => {
                            name.push('"');
                            rest = after;
                        }
                        None => break (name, after),
                    }
                }
            }
            None => {
                let end = rest.find(|c: char| c == ',' || c.is_ascii_whitespace()).unwrap_or(rest.len());
                if end == 0 {
                    return None;
                }
                (rest[..end].to_ascii_lowercase(), &rest[end..])
            }
        };
        names.push(name);
        rest = match after.trim_start() {
            "" => return Some(names),
            after => after.strip_prefix(',')?.trim_start(),
        };
        if rest.is_empty() {
            return None;
        }
    }
    Some(names)
}

fn ascii(value: &str) -> String {
    let mut clean = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b' '..=b'~' => clean.push(char::from(byte)),
            _ => clean.push_str(&format!("\\x{byte:02x}")),
        }
    }
    clean
}
