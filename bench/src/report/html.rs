//! The page: no script, no file beside it.

use std::fmt::Write;

use super::{Section, figure_text, settings_text};
use crate::record::Plan;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:60rem;margin:0 auto;padding:1rem}\
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-top:1px solid #ccc;padding-top:1rem}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}\
th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}\
th:first-child,td:first-child{text-align:left}td.l,th.l{text-align:left;min-width:10rem}details{overflow-wrap:anywhere}tr.ours{background:#eaf4fb}\
pre{background:#f5f5f5;padding:.6rem;overflow-x:auto;font-size:.8rem}p.about{color:#555}\
svg text{font-family:system-ui,sans-serif}";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

pub fn page(plan: &Plan, sections: &[Section], charts: &[(usize, String)]) -> String {
    let mut out = String::new();
    let w = &mut out;
    let title = "Inflight beside PostgreSQL";
    put(w, format_args!("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"));
    put(w, format_args!("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"));
    put(w, format_args!("<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>\n"));
    put(w, format_args!("<p>{}</p>\n", escape(&super::markdown::introduction(plan))));
    put(w, format_args!("<div class=\"wide\"><table>"));
    for (name, value) in &plan.machine {
        // Build flags are long, and seldom what one looks for.
        let value = match value.split_once("; ") {
            Some((short, rest)) if rest.len() > 120 => {
                format!("<details><summary>{}</summary>{}</details>", escape(short), escape(rest))
            }
            _ => escape(value),
        };
        put(w, format_args!("<tr><td>{}</td><td class=\"l\">{value}</td></tr>", escape(name)));
    }
    put(w, format_args!("</table></div>\n"));
    for (index, section) in sections.iter().enumerate() {
        let experiment = section.experiment;
        put(w, format_args!("<h2>{} &mdash; {}</h2>\n", escape(experiment.title), escape(&section.profile)));
        put(w, format_args!("<p class=\"about\">{}</p>\n", escape(experiment.about)));
        if let Some(limit) = &section.limit {
            put(w, format_args!("<p>The limit, by fio: {}.</p>\n", escape(limit)));
        }
        if let Some((_, svg)) = charts.iter().find(|(i, _)| *i == index) {
            put(w, format_args!("{svg}\n"));
        }
        if !section.variants.is_empty() {
            table(w, section);
        }
        for (system, text) in &section.texts {
            put(w, format_args!("<h3>{}</h3><pre>{}</pre>\n", escape(system), escape(text)));
        }
    }
    put(w, format_args!("</body></html>\n"));
    out
}

fn table(w: &mut String, section: &Section) {
    put(
        w,
        format_args!(
            "<div class=\"wide\"><table><tr><th>System</th><th class=\"l\">Settings</th><th>min</th><th>median</th>"
        ),
    );
    put(
        w,
        format_args!(
            "<th>max {}</th><th>p50 / p95 / p99 ms</th><th>Inflight faster</th><th>of fio</th><th>depth mean / peak</th><th>table MB</th><th>moved MB</th></tr>\n",
            section.experiment.unit
        ),
    );
    for v in &section.variants {
        let class = if v.system.starts_with("Inflight") { " class=\"ours\"" } else { "" };
        put(w, format_args!("<tr{class}><td>{}</td>", escape(&v.system)));
        put(w, format_args!("<td class=\"l\">{}</td>", escape(&settings_text(&v.settings))));
        put(
            w,
            format_args!(
                "<td>{}</td><td><b>{}</b></td><td>{}</td>",
                figure_text(v.figure.min),
                figure_text(v.figure.median),
                figure_text(v.figure.max)
            ),
        );
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "&ndash;".into());
        let latency = v.latency.map(|[p50, p95, p99]| format!("{p50:.2} / {p95:.2} / {p99:.2}"));
        put(w, format_args!("<td>{}</td>", or_none(latency)));
        put(w, format_args!("<td>{}</td>", or_none(v.ratio.map(|r| format!("{r:.2}x")))));
        put(w, format_args!("<td>{}</td>", or_none(v.share.map(|s| format!("{s:.2}")))));
        put(w, format_args!("<td>{}</td>", or_none(v.depth.map(|(mean, peak)| format!("{mean:.1} / {peak}")))));
        let mb = |v: Option<f64>| or_none(v.map(|mb| format!("{mb:.0}")));
        put(w, format_args!("<td>{}</td><td>{}</td></tr>\n", mb(v.table_mb), mb(v.moved_mb)));
    }
    put(w, format_args!("</table></div>\n"));
}

fn put(w: &mut String, text: std::fmt::Arguments) {
    w.write_fmt(text).expect("writing to memory");
}
