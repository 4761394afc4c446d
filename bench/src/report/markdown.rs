//! The same for the repository.

use super::{Section, figure_text, settings_text};
use crate::record::Plan;
use crate::volume::Profile;

/// What was run, in a sentence or two.
pub fn introduction(plan: &Plan) -> String {
    let volumes: Vec<String> = plan
        .profiles
        .iter()
        .filter_map(|p| p.parse::<Profile>().ok())
        .map(|p| format!("{p} ({})", p.describe()))
        .collect();
    format!(
        "{} of the published size, {} rounds, systems taking turns in each round, every server freshly started and \
         the system's cache emptied. Volumes: {}. \"of fio\" is the table's bytes a second over what fio gets from the \
         same volume in the same run; depth is what the volume itself saw. Inflight keeps this table in a ninth of \
         PostgreSQL's bytes, which is part of every comparison below (\"table MB\", and \"moved MB\" as the volume \
         counted); \"of fio\" shows what each makes of the volume. Inflight's bulk load writes no log of its rows.",
        plan.scale,
        plan.repeat,
        volumes.join("; ")
    )
}

pub fn page(plan: &Plan, sections: &[Section]) -> String {
    let mut lines = vec!["# Inflight beside PostgreSQL".to_string(), String::new(), introduction(plan), String::new()];
    lines.push("| | |".into());
    lines.push("|---|---|".into());
    lines.extend(plan.machine.iter().map(|(name, value)| {
        // Build flags are in the page, and in plan.json.
        let short =
            value.split_once("; ").filter(|(_, rest)| rest.len() > 120).map_or(value.as_str(), |(short, _)| short);
        format!("| {name} | {} |", short.replace('|', "\\|"))
    }));
    for section in sections {
        let experiment = section.experiment;
        lines.extend([String::new(), format!("## {} ({})", experiment.title, section.profile), String::new()]);
        lines.push(experiment.about.into());
        if let Some(limit) = &section.limit {
            lines.push(format!("The limit, by fio: {limit}."));
        }
        if !section.variants.is_empty() {
            lines.push(String::new());
            lines.push(format!(
                "| system | median {} | min | max | p50 / p95 / p99 ms | Inflight faster | of fio | depth mean / peak | table MB | moved MB | settings |",
                experiment.unit
            ));
            lines.push("|---|---|---|---|---|---|---|---|---|---|---|".into());
        }
        for v in &section.variants {
            let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
            lines.push(format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                v.system,
                figure_text(v.figure.median),
                figure_text(v.figure.min),
                figure_text(v.figure.max),
                or_none(v.latency.map(|[p50, p95, p99]| format!("{p50:.2} / {p95:.2} / {p99:.2}"))),
                or_none(v.ratio.map(|r| format!("{r:.2}x"))),
                or_none(v.share.map(|s| format!("{s:.2}"))),
                or_none(v.depth.map(|(mean, peak)| format!("{mean:.1} / {peak}"))),
                or_none(v.table_mb.map(|mb| format!("{mb:.0}"))),
                or_none(v.moved_mb.map(|mb| format!("{mb:.0}"))),
                settings_text(&v.settings)
            ));
        }
        for (system, text) in &section.texts {
            lines.extend([String::new(), format!("{system}:"), "```".into(), text.clone(), "```".into()]);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}
