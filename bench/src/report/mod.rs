//! From raw figures to what people look at: one HTML file that needs nothing else, and the same in Markdown.

mod chart;
mod html;
mod markdown;
mod summary;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Context, Result};
use crate::experiments::{self, Experiment};
use crate::peers::cluster::Settings;
use crate::record::{Plan, Records, Sample};

/// Minimum, median and maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => return None,
            n if n % 2 == 1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
        };
        Some(Spread { min: sorted[0], median, max: sorted[sorted.len() - 1] })
    }
}

/// One system with one group of settings.
pub struct Variant {
    pub system: String,
    pub settings: Settings,
    pub figure: Spread,
    /// Milliseconds of transactions: the 50th, 95th and 99th percentile.
    pub latency: Option<[f64; 3]>,
    /// Mean and peak operations under way at the volume.
    pub depth: Option<(f64, u64)>,
    /// Bytes of the table a second, as a share of what fio gets.
    pub share: Option<f64>,
    /// How many times faster Inflight is, by medians: at the same value of the knob, without one at its best.
    pub ratio: Option<f64>,
    /// Megabytes of the table, and that the volume moved for a measurement.
    pub table_mb: Option<f64>,
    pub moved_mb: Option<f64>,
}

/// A system's figures over the values of a knob.
pub type Line = (String, Vec<(f64, f64)>);

/// An experiment on a volume.
pub struct Section {
    pub experiment: &'static Experiment,
    pub profile: String,
    pub limit: Option<String>,
    pub variants: Vec<Variant>,
    /// Text samples, or what the figures come to: title and text.
    pub texts: Vec<(String, String)>,
}

impl Section {
    /// Of each system the fastest variant, which is what is compared.
    pub fn best(&self) -> Vec<&Variant> {
        let mut best: Vec<&Variant> = Vec::new();
        for variant in &self.variants {
            match best.iter_mut().find(|b| b.system == variant.system) {
                Some(b) if self.experiment.is_better(variant.figure.median, b.figure.median) => *b = variant,
                Some(_) => {}
                None => best.push(variant),
            }
        }
        best
    }

    /// Lines over a knob, where the experiment turns one: its name, and for each system the points.
    pub fn lines(&self) -> Option<(&'static str, Vec<Line>)> {
        let knob = knob(self.experiment)?;
        let mut lines: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for variant in &self.variants {
            let value = setting(&variant.settings, knob).and_then(|value| value.parse().ok());
            if let Some(value) = value {
                lines.entry(variant.system.clone()).or_default().push((value, variant.figure.median));
            }
        }
        for points in lines.values_mut() {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        // A system that turns the knob by itself is a level line.
        let ends = |pick: fn(f64, f64) -> f64, from: f64| lines.values().flatten().map(|p| p.0).fold(from, pick);
        let (left, right) = (ends(f64::min, f64::MAX), ends(f64::max, 0.0));
        for variant in self.variants.iter().filter(|v| v.system.ends_with("auto") && right > 0.0) {
            let level = variant.figure.median;
            lines.insert(variant.system.clone(), vec![(left, level), (right, level)]);
        }
        Some((knob, lines.into_iter().collect()))
    }
}

/// The setting that an experiment turns.
fn knob(experiment: &Experiment) -> Option<&'static str> {
    match experiment.id {
        "e2" => Some("effective_io_concurrency"),
        "e11" => Some("max_parallel_workers_per_gather"),
        "e7" => Some("commit_delay"),
        "tpcc-hour" => Some("minute"),
        _ => None,
    }
}

pub fn settings_text(settings: &Settings) -> String {
    let shown = settings.iter().map(|(n, v)| format!("{n} = {v}"));
    let text = shown.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "defaults".into() } else { text }
}

fn sections(plan: &Plan, samples: &[Sample]) -> Vec<Section> {
    let mut sections = Vec::new();
    for experiment in experiments::ALL {
        for profile in &plan.profiles {
            let here: Vec<&Sample> =
                samples.iter().filter(|s| s.experiment == experiment.id && s.profile == *profile).collect();
            if !here.is_empty() {
                sections.push(section(experiment, profile, &here));
            }
        }
    }
    sections
}

fn section(experiment: &'static Experiment, profile: &str, samples: &[&Sample]) -> Section {
    let fio: Vec<&&Sample> = samples.iter().filter(|s| s.system == "fio").collect();
    let limit = Spread::of(&fio.iter().map(|s| s.value).collect::<Vec<_>>()).map(|s| s.median);
    let mut groups: Vec<(&str, &Settings, Vec<&Sample>)> = Vec::new();
    for sample in samples.iter().filter(|s| s.system != "fio" && experiment.compares) {
        match groups.iter_mut().find(|(system, settings, _)| *system == sample.system && *settings == &sample.settings)
        {
            Some((_, _, group)) => group.push(sample),
            None => groups.push((&sample.system, &sample.settings, vec![sample])),
        }
    }
    let mut variants: Vec<Variant> = Vec::new();
    for (system, settings, group) in groups {
        let values: Vec<f64> = group.iter().map(|s| s.value).collect();
        let Some(figure) = Spread::of(&values) else { continue };
        let latencies: Vec<[f64; 3]> = group.iter().filter_map(|s| s.latency).collect();
        let part = |at: usize| Spread::of(&latencies.iter().map(|l| l[at]).collect::<Vec<_>>()).map(|s| s.median);
        let latency = part(0).zip(part(1)).zip(part(2)).map(|((p50, p95), p99)| [p50, p95, p99]);
        let observed: Vec<_> = group.iter().filter_map(|s| s.observed).collect();
        let depth = (!observed.is_empty()).then(|| {
            let mean = observed.iter().map(|o| o.mean_depth).sum::<f64>() / observed.len() as f64;
            (mean, observed.iter().map(|o| o.peak_depth).max().unwrap_or(0))
        });
        let bytes = group.iter().find_map(|s| s.bytes);
        let table_mb = bytes.map(|bytes| bytes as f64 / 1e6);
        let share = table_mb.zip(limit).map(|(mb, limit)| mb / (figure.median / 1e3) / limit);
        let moved = |o: &crate::volume::Observed| (o.read_bytes + o.write_bytes) as f64 / 1e6;
        let moved_mb = Spread::of(&observed.iter().map(moved).collect::<Vec<_>>()).map(|s| s.median);
        let (system, settings) = (system.to_string(), settings.clone());
        variants.push(Variant { system, settings, figure, latency, depth, share, ratio: None, table_mb, moved_mb });
    }
    let ours: Vec<(Settings, bool, f64)> = variants
        .iter()
        .filter(|v| v.system.starts_with("Inflight"))
        .map(|v| (v.settings.clone(), as_it_comes(v), v.figure.median))
        .collect();
    for variant in &mut variants {
        // As they come is compared with as they come, where both were measured so.
        let alike = as_it_comes(variant) && ours.iter().any(|(_, as_it_comes, _)| *as_it_comes);
        let comparable = ours.iter().filter(|(_, as_it_comes, _)| !alike || *as_it_comes);
        let same = comparable.filter(|(settings, _, _)| are_alike(experiment, settings, &variant.settings));
        let best = same.map(|(_, _, figure)| *figure).reduce(|a, b| if experiment.is_better(b, a) { b } else { a });
        let theirs = variant.figure.median;
        variant.ratio = best.map(|ours| if experiment.more_is_better() { ours / theirs } else { theirs / ours });
    }
    let texts = match experiment.compares {
        true => summary::of(experiment, &variants, samples),
        false => samples.iter().filter(|s| !s.text.is_empty()).map(|s| (s.system.clone(), s.text.clone())).collect(),
    };
    Section { experiment, profile: profile.into(), limit: fio.first().map(|f| f.text.clone()), variants, texts }
}

/// Are our figures with these settings those to compare with? A system that finds the knob's value is compared with every value.
fn are_alike(experiment: &Experiment, ours: &Settings, theirs: &Settings) -> bool {
    let names = knob(experiment).map_or(experiment.like_with_like.to_vec(), |knob| vec![knob]);
    names.into_iter().all(|name| setting(ours, name).is_none_or(|ours| setting(theirs, name) == Some(ours)))
}

fn setting<'a>(settings: &'a Settings, name: &str) -> Option<&'a str> {
    settings.iter().find(|(setting, _)| setting == name).map(|(_, value)| value.as_str())
}

/// A figure with the digits that it needs.
pub fn figure_text(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}

/// A server with nothing set.
fn as_it_comes(variant: &Variant) -> bool {
    variant.system.ends_with(&format!(" {}", crate::run::DEFAULTS))
}

/// Writes `report.html` and `report.md` into `dir` from what lies there.
pub fn write(dir: &Path) -> Result<()> {
    let (plan, samples) = Records::read(dir)?;
    let sections = sections(&plan, &samples);
    let mut charts = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        if let Some(svg) = chart::of(section)? {
            charts.push((index, svg));
        }
    }
    for (name, text) in
        [("report.html", html::page(&plan, &sections, &charts)), ("report.md", markdown::page(&plan, &sections))]
    {
        let file = dir.join(name);
        std::fs::write(&file, text).context(|| format!("writing {}", file.display()))?;
        println!("{}", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(system: &str, settings: &[(&str, &str)], value: f64) -> Sample {
        Sample {
            experiment: "e1".into(),
            profile: "io2".into(),
            system: system.into(),
            settings: settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
            round: 0,
            value,
            unit: "ms".into(),
            answer: "1".into(),
            latency: None,
            bytes: Some(100_000_000),
            server: String::new(),
            observed: None,
            text: String::new(),
        }
    }

    #[test]
    fn the_best_settings_of_each_system_are_compared() {
        let samples = [
            Sample { value: 1000.0, ..sample("fio", &[], 0.0) },
            sample("Inflight", &[], 110.0),
            sample("Inflight", &[], 100.0),
            sample("Inflight", &[], 130.0),
            sample("PostgreSQL 18 io_uring", &[], 900.0),
            sample("PostgreSQL 18 io_uring", &[("effective_io_concurrency", "128")], 500.0),
        ];
        let section = section(experiments::find("e1").unwrap(), "io2", &samples.iter().collect::<Vec<_>>());
        let best = section.best();
        assert_eq!(best.len(), 2);
        assert_eq!(best[0].figure, Spread { min: 100.0, median: 110.0, max: 130.0 });
        assert_eq!((best[1].figure.median, best[1].settings.len()), (500.0, 1));
        assert!((best[1].ratio.unwrap() - 500.0 / 110.0).abs() < 1e-9);
        // 100 MB in 110 ms are 909 MB/s, of fio's 1000.
        assert!((best[0].share.unwrap() - 0.909).abs() < 0.001);
    }

    #[test]
    fn servers_as_they_come_are_compared_with_each_other() {
        let samples = [
            sample("Inflight", &[], 100.0),
            sample("Inflight defaults", &[], 200.0),
            sample("PostgreSQL 18 io_uring", &[], 300.0),
            sample("PostgreSQL 18 defaults", &[], 800.0),
        ];
        let section = section(experiments::find("e1").unwrap(), "io2", &samples.iter().collect::<Vec<_>>());
        let ratio = |system: &str| section.variants.iter().find(|v| v.system == system).unwrap().ratio.unwrap();
        assert_eq!((ratio("PostgreSQL 18 io_uring"), ratio("PostgreSQL 18 defaults")), (3.0, 4.0));
    }

    #[test]
    fn pages_hold_every_system_and_escape_what_is_not_theirs() {
        let plan = Plan {
            experiments: vec!["e1".into()],
            profiles: vec!["io2".into()],
            scale: 0.1,
            repeat: 1,
            seconds: None,
            machine: vec![("Processor".into(), "<x> & y".into())],
        };
        let samples = [sample("Inflight", &[], 100.0), sample("PostgreSQL 17", &[], 700.0)];
        let sections = sections(&plan, &samples);
        let svg = chart::of(&sections[0]).unwrap().expect("a comparison has a chart");
        let html = html::page(&plan, &sections, &[(0, svg)]);
        assert!(html.contains("PostgreSQL 17") && html.contains("<svg") && html.contains("&lt;x&gt; &amp; y"));
        let markdown = markdown::page(&plan, &sections);
        assert!(markdown.contains("| PostgreSQL 17 | 700 |"), "{markdown}");
    }
}
