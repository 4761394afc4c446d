//! What many figures of an experiment come to.

use std::collections::BTreeMap;

use super::{Variant, setting, settings_text};
use crate::experiments::Experiment;
use crate::record::Sample;

/// Titles and texts; of most experiments there are none.
pub fn of(experiment: &Experiment, variants: &[Variant], samples: &[&Sample]) -> Vec<(String, String)> {
    match experiment.id {
        "statements" | "application" | "migrations" => ratios(variants),
        "tpcc-hour" => minutes(samples),
        _ => Vec::new(),
    }
}

/// Inflight's times over those of each other system.
fn ratios(variants: &[Variant]) -> Vec<(String, String)> {
    let mut systems: BTreeMap<&str, Vec<(f64, &Variant)>> = BTreeMap::new();
    for variant in variants.iter().filter(|variant| !variant.system.starts_with("Inflight")) {
        if let Some(faster) = variant.ratio {
            systems.entry(&variant.system).or_default().push((1.0 / faster, variant));
        }
    }
    let text =
        |(system, ratios): (&str, Vec<_>)| (format!("Inflight's times over those of {system}"), ratios_text(ratios));
    systems.into_iter().map(text).collect()
}

fn ratios_text(mut ratios: Vec<(f64, &Variant)>) -> String {
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let slower = ratios.iter().filter(|(ratio, _)| *ratio > 1.25).count();
    let short = ratios.iter().filter(|(_, theirs)| theirs.figure.median < 1.0);
    let short_slower = short.clone().filter(|(ratio, _)| *ratio > 1.0).count();
    let mut text = format!(
        "{} statements, geometric mean {mean:.2}; {slower} above 1.25; {short_slower} above 1.0 of the {} that take less than 1 ms there",
        ratios.len(),
        short.count()
    );
    for (ratio, theirs) in &ratios[..slower] {
        text.push_str(&format!("\n{ratio:.2} {}", settings_text(&theirs.settings)));
    }
    text
}

/// What each minute was, and whether the last was as good as the second: the first one still warms up.
fn minutes(samples: &[&Sample]) -> Vec<(String, String)> {
    let mut runs: BTreeMap<(&str, u32), BTreeMap<u32, &Sample>> = BTreeMap::new();
    for sample in samples {
        if let Some(minute) = setting(&sample.settings, "minute").and_then(|minute| minute.parse().ok()) {
            runs.entry((&sample.system, sample.round)).or_default().insert(minute, sample);
        }
    }
    let text = |((system, round), minutes): ((&str, u32), BTreeMap<u32, &Sample>)| {
        let lines =
            minutes.iter().map(|(minute, sample)| format!("{minute}: {:.0} tpmC, {}\n", sample.value, sample.text));
        let lines: String = lines.collect();
        let ends = minutes.get(&2).zip(minutes.values().next_back());
        let change = ends.map_or(String::new(), |(second, last)| {
            format!("the last minute's rate over the second's: {:.2}", last.value / second.value)
        });
        (format!("{system}, round {}, minute by minute", round + 1), lines + &change)
    };
    runs.into_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Spread;

    fn variant(system: &str, statement: &str, ms: f64, ratio: f64) -> Variant {
        Variant {
            system: system.into(),
            settings: vec![("statement".into(), statement.into())],
            figure: Spread { min: ms, median: ms, max: ms },
            latency: None,
            depth: None,
            share: None,
            ratio: Some(ratio),
            table_mb: None,
            moved_mb: None,
        }
    }

    #[test]
    fn ratios_are_counted_and_the_worst_are_named() {
        let theirs = [("a", 0.5, 0.5), ("b", 0.5, 2.0), ("c", 2.0, 1.0), ("d", 4.0, 0.25), ("e", 0.9, 4.0)];
        let mut variants: Vec<_> = theirs.map(|(name, ms, faster)| variant("PostgreSQL 18", name, ms, faster)).into();
        variants.push(variant("Inflight", "a", 1.0, 1.0));
        let [(title, text)] = &ratios(&variants)[..] else { panic!("one other system") };
        assert_eq!(title, "Inflight's times over those of PostgreSQL 18");
        let lines: Vec<&str> = text.lines().collect();
        let first =
            "5 statements, geometric mean 1.00; 2 above 1.25; 1 above 1.0 of the 3 that take less than 1 ms there";
        assert_eq!(lines, [first, "4.00 statement = d", "2.00 statement = a"]);
    }
}
