//! Tables, the list of what is known to be wrong, and details for mending it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::compare::{CLASSES, Class, Verdict};

pub struct Played {
    pub name: String,
    pub skipped: usize,
    pub verdicts: Vec<Verdict>,
    pub seconds: f64,
}

/// A table by file, and totals.
pub fn table(played: &[Played]) -> String {
    let mut out = format!("{:<22}", "file");
    for class in CLASSES {
        write!(out, " {:>13}", class.name()).unwrap();
    }
    out.push_str("       s\n");
    let mut total = BTreeMap::new();
    for file in played {
        let mut counts = BTreeMap::new();
        for verdict in &file.verdicts {
            *counts.entry(verdict.class).or_insert(0) += 1;
            *total.entry(verdict.class).or_insert(0) += 1;
        }
        line(&mut out, &file.name, &counts, file.seconds);
    }
    line(&mut out, "all", &total, played.iter().map(|f| f.seconds).sum());
    let all: usize = total.values().sum();
    let same = total.get(&Class::Same).copied().unwrap_or(0);
    let absent: usize = [Class::Absent, Class::Follows].iter().filter_map(|c| total.get(c)).sum();
    let share = |of: usize| 100.0 * same as f64 / of.max(1) as f64;
    let skipped: usize = played.iter().map(|f| f.skipped).sum();
    writeln!(
        out,
        "{all} statements of {} files, {same} the same ({:.1} %, {:.1} % of those whose objects exist); {skipped} \
         statements and commands that only psql knows left out",
        played.len(),
        share(all),
        share(all - absent)
    )
    .unwrap();
    out
}

fn line(out: &mut String, name: &str, counts: &BTreeMap<Class, usize>, seconds: f64) {
    write!(out, "{name:<22}").unwrap();
    for class in CLASSES {
        match counts.get(&class) {
            Some(count) => write!(out, " {count:>13}"),
            None => write!(out, " {:>13}", "."),
        }
        .unwrap();
    }
    writeln!(out, " {seconds:>7.1}").unwrap();
}

/// All statements of a class that is not plainly right, with both answers.
pub fn details(played: &[Played]) -> String {
    let mut out = String::new();
    for class in CLASSES.iter().rev().filter(|c| !matches!(c, Class::Same | Class::NotCompared)) {
        writeln!(out, "# {}", class.name()).unwrap();
        for file in played {
            for verdict in file.verdicts.iter().filter(|v| v.class == *class) {
                let Verdict { line, sql, kind, theirs, ours, .. } = verdict;
                writeln!(
                    out,
                    "## {}.sql:{line} {} {kind}\n{sql}\nPostgreSQL: {theirs}ours: {ours}",
                    file.name,
                    class.name()
                )
                .unwrap();
            }
        }
    }
    out
}

/// What the list names a verdict by.
pub fn key(file: &str, verdict: &Verdict) -> String {
    let text: String = verdict.sql.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
    format!("{file}.sql:{} {} | {text}", verdict.line, verdict.class.name())
}

/// Is it something that only the list may hold?
pub fn must_be_listed(class: Class) -> bool {
    matches!(class, Class::Wrong | Class::MissingError | Class::Internal)
}

/// Is it something that may not be at all?
pub fn may_not_be(class: Class) -> bool {
    matches!(class, Class::Hang | Class::Panic | Class::Lost)
}
