//! The figures as a table: few tables, many tables, how many times as much that is, PostgreSQL's beside them, and ours over
//! PostgreSQL's with many tables.

use super::{EXPERIMENT, REFUSED};
use crate::record::Sample;

/// One line for each thing that was measured, in the order of the measurements.
pub fn table(samples: &[Sample], few: u32, many: u32) -> String {
    let samples: Vec<&Sample> = samples.iter().filter(|sample| sample.experiment == EXPERIMENT).collect();
    let mut systems: Vec<&str> = Vec::new();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for sample in &samples {
        if !systems.contains(&sample.system.as_str()) {
            systems.push(&sample.system);
        }
        let unit = if sample.unit == REFUSED { "ms" } else { &sample.unit };
        let name = (setting(sample, "statement"), unit);
        if !names.iter().any(|(known, _)| *known == name.0) {
            names.push(name);
        }
    }
    let find = |system: &str, name: &str, tables: u32| {
        let tables = tables.to_string();
        let same =
            |s: &&&Sample| s.system == system && setting(s, "statement") == name && setting(s, "tables") == tables;
        samples.iter().find(same).copied()
    };
    let ours = systems.first().copied().unwrap_or_default();
    let theirs = systems.get(1).copied();
    let heads = systems.iter().map(|system| format!(" {system}, {few} tables | {many} tables | times |"));
    let mut text = format!("| |{} {} / {} |\n|---|", heads.collect::<String>(), ours, theirs.unwrap_or("-"));
    text.push_str(&"---|---|---|".repeat(systems.len()));
    text.push_str("---|\n");
    let mut refused = String::new();
    for (name, unit) in names {
        text.push_str(&format!("| {name}, {unit} |"));
        for system in &systems {
            let pair = [few, many].map(|tables| find(system, name, tables));
            text.push_str(&format!(" {} | {} | {} |", figure(pair[0]), figure(pair[1]), ratio(pair)));
            if let Some(sample) = pair.into_iter().flatten().find(|sample| sample.unit == REFUSED) {
                refused.push_str(&format!("* {system}, {name}: {}\n", sample.text));
            }
        }
        let beside = theirs.map_or([None; 2], |theirs| [find(theirs, name, many), find(ours, name, many)]);
        text.push_str(&format!(" {} |\n", ratio(beside)));
    }
    if !refused.is_empty() {
        text.push_str(&format!("\nRefused:\n{refused}"));
    }
    text
}

fn setting<'a>(sample: &'a Sample, name: &str) -> &'a str {
    sample.settings.iter().find(|(setting, _)| setting == name).map_or("", |(_, value)| value)
}

fn figure(sample: Option<&Sample>) -> String {
    match sample {
        None => "-".into(),
        Some(sample) if sample.unit == REFUSED => "refused".into(),
        Some(sample) if sample.value < 10.0 => format!("{:.3}", sample.value),
        Some(sample) => format!("{:.1}", sample.value),
    }
}

/// The second over the first.
fn ratio(pair: [Option<&Sample>; 2]) -> String {
    match pair.map(|sample| sample.filter(|sample| sample.unit != REFUSED)) {
        [Some(few), Some(many)] if few.value > 0.0 => format!("{:.2}", many.value / few.value),
        _ => "-".into(),
    }
}
