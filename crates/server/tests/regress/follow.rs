//! What only follows from an earlier difference: where a statement failed here that PostgreSQL ran, the tables that it names
//! hold something else from then on, and what is read from them says nothing. Names are guessed from words, never to call
//! an answer right: what follows is counted apart.

use std::collections::BTreeSet;

use super::script::top_level_words;

#[derive(Default)]
pub struct Differences {
    /// Names whose contents or existence differ.
    names: BTreeSet<String>,
    /// All words of definitions that failed: what the catalogs would say of them is missing.
    defined: BTreeSet<String>,
    /// Names changed in the present transaction block.
    block: BTreeSet<String>,
    /// One is in a transaction block, or in a failed one, and the other is not.
    out_of_step: bool,
}

/// Verbs that only read.
const READS: &[&str] = &["select", "table", "values", "explain", "show", "fetch", "close", "move", "with"];

/// Words between a command's verb and the name of what it changes.
const BETWEEN: &[&str] = &[
    "into",
    "from",
    "only",
    "table",
    "sequence",
    "index",
    "view",
    "materialized",
    "unique",
    "concurrently",
    "if",
    "not",
    "exists",
    "temp",
    "temporary",
    "unlogged",
    "local",
    "global",
    "or",
    "replace",
    "function",
    "type",
    "domain",
    "schema",
    "role",
    "user",
    "to",
    "session",
    "trigger",
    "rule",
    "policy",
    "statistics",
    "procedure",
    "foreign",
    "aggregate",
    "operator",
    "class",
    "family",
    "cast",
    "collation",
    "recursive",
    "constraint",
    "on",
];

/// The names that a statement changes: what its verb is followed by, and what ON and the like name (the table of an index,
/// a trigger, a grant).
fn changed(sql: &str) -> Vec<String> {
    let words = top_level_words(sql);
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let names_after = |i: usize| {
        // The last part of a qualified name.
        let mut i = i;
        while rest.get(i + 1).is_some_and(|w| w == ".") && i + 2 < rest.len() {
            i += 2;
        }
        rest.get(i).cloned()
    };
    let mut names = Vec::new();
    if !READS.contains(&verb.as_str()) {
        let all = ["drop", "truncate"].contains(&verb.as_str());
        let first =
            rest.iter().enumerate().filter(|(_, w)| !BETWEEN.contains(&w.as_str()) && *w != ".").map(|(i, _)| i);
        names.extend(first.take(if all { usize::MAX } else { 1 }).filter_map(names_after));
    }
    for (i, word) in rest.iter().enumerate() {
        if ["on", "into", "update", "inherits"].contains(&word.as_str()) {
            names.extend(names_after(i + 1));
        }
    }
    names
}

fn all_words(sql: &str) -> impl Iterator<Item = String> + '_ {
    let words = sql.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|w| !w.is_empty()).map(str::to_ascii_lowercase)
}

/// The words of the literals of a query on the system catalogs.
fn catalog_literals(sql: &str) -> BTreeSet<String> {
    if !all_words(sql).any(|w| w.starts_with("pg_") || w == "information_schema") {
        return BTreeSet::new();
    }
    sql.split('\'').skip(1).step_by(2).flat_map(all_words).collect()
}

/// The names that a failed definition would have bound to others: referenced, inherited from, read by a view or a function,
/// so that statements on those would have done more.
fn bound(sql: &str) -> Vec<String> {
    let words: Vec<String> = all_words(sql).collect();
    let reads = ["view", "rule", "function", "procedure", "trigger", "publication", "policy"];
    let runs = words.iter().take(5).any(|w| reads.contains(&w.as_str()));
    let mut names = Vec::new();
    for pair in words.windows(2) {
        let binds = ["references", "inherits", "inherit", "of"].contains(&pair[0].as_str());
        let read = runs && ["from", "join", "into", "update", "table", "on", "to"].contains(&pair[0].as_str());
        if binds || read {
            names.push(pair[1].clone());
        }
    }
    names
}

/// What is shown otherwise when a setting could not be set.
fn shown_by(setting: &str) -> &'static [&'static str] {
    match setting {
        "timezone" | "time" | "datestyle" => &["date", "time", "timetz", "timestamp", "timestamptz", "to_timestamp"],
        "intervalstyle" => &["interval"],
        _ => &[],
    }
}

impl Differences {
    /// After a statement: whether it ran or failed on both alike, and the state of the transaction block in each.
    pub fn after(&mut self, sql: &str, alike: bool, theirs: u8, ours: u8) {
        let changed = changed(sql);
        if !alike && !changed.is_empty() {
            self.names.extend(changed.iter().cloned());
            self.names.extend(bound(sql));
            self.defined.extend(all_words(sql));
            let mut words = all_words(sql);
            if words.next().is_some_and(|verb| verb == "set") {
                let setting = words.find(|w| w != "local" && w != "session").unwrap_or_default();
                self.names.extend(shown_by(&setting).iter().map(|w| w.to_string()));
            }
        }
        self.block.extend(changed);
        self.out_of_step = theirs != ours;
        if self.out_of_step {
            self.names.extend(self.block.iter().cloned());
        }
        if theirs == b'I' && ours == b'I' {
            self.block.clear();
        }
    }

    /// Does an answer to this statement say nothing?
    pub fn reach(&self, sql: &str) -> bool {
        let words: BTreeSet<String> = all_words(sql).collect();
        let literals = catalog_literals(sql);
        self.out_of_step
            || self.names.iter().any(|name| words.contains(name))
            || literals.iter().any(|literal| self.defined.iter().any(|word| word == literal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failed_statement_names_differs() {
        let mut differences = Differences::default();
        differences.after("CREATE TABLE IF NOT EXISTS s.a (b int)", false, b'I', b'I');
        assert!(differences.reach("select * from A") && !differences.reach("select b from s.c"));
        differences.after("CREATE UNIQUE INDEX i ON t (x)", false, b'I', b'I');
        assert!(differences.reach("insert into t values (1)"));
        // In a block, a failure here takes back what was done before.
        differences.after("begin", true, b'T', b'T');
        differences.after("insert into u values (1)", true, b'T', b'T');
        assert!(!differences.reach("select * from u"));
        differences.after("select f()", false, b'T', b'E');
        assert!(differences.reach("select 1"));
        differences.after(
            "create table v (a int check (a > 1) references w, constraint z check (a < 2))",
            false,
            b'E',
            b'E',
        );
        differences.after("commit", true, b'I', b'I');
        assert!(!differences.reach("select 1") && differences.reach("select * from u"));
        assert!(differences.reach("drop table w"));
        assert!(!differences.reach("select q from k"));
        assert!(differences.reach("select 1 from pg_constraint where conname = 'z'"));
    }
}
