//! What is shown of a plan, in EXPLAIN's formats.

use super::{BufferUsage, NodeRun, Shown, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Xml,
    Json,
    Yaml,
}

/// What is said of the whole statement.
#[derive(Debug, Default)]
pub struct Whole {
    /// SETTINGS: those that are not as they are by default.
    pub settings: Option<Vec<(String, String)>>,
    /// `Planning Time: 0.1 ms`.
    pub more: Vec<(String, String)>,
}

/// The lines of a plan in the text format.
pub fn text(plan: &Shown, whole: &Whole) -> Vec<String> {
    let mut lines = Vec::new();
    text_node(plan, 0, &mut lines);
    if let Some(settings) = whole.settings.as_ref().filter(|settings| !settings.is_empty()) {
        let settings = settings.iter().map(|(name, value)| format!("{name} = '{value}'"));
        lines.push(format!("Settings: {}", settings.collect::<Vec<_>>().join(", ")));
    }
    lines.extend(whole.more.iter().map(|(label, value)| format!("{label}: {value}")));
    lines
}

fn text_node(node: &Shown, mut indent: usize, lines: &mut Vec<String>) {
    if let Some(name) = &node.plan_name {
        lines.push(format!("{}{name}", "  ".repeat(indent)));
        indent += 1;
    }
    let mut line = "  ".repeat(indent);
    if indent > 0 {
        line += "->  ";
        indent += 2;
    }
    line += &node.title;
    if let Some(cost) = node.cost {
        let (startup, total, rows, width) = (cost.startup, cost.total, cost.rows, cost.width);
        line += &format!("  (cost={startup:.2}..{total:.2} rows={rows:.0} width={width})");
    }
    if let Some(run) = node.run {
        line += &actual(run, node.timing);
    }
    lines.push(line);
    indent += 1;
    if node.disabled {
        lines.push(format!("{}Disabled: true", "  ".repeat(indent)));
    }
    for (label, value) in &node.details {
        let value = match value {
            Value::Text(text) | Value::Number(text) => text.clone(),
            Value::Bool(value) => value.to_string(),
            Value::List(list) => list.join(", "),
            Value::Workers(_) => continue,
        };
        lines.push(format!("{}{label}: {value}", "  ".repeat(indent)));
    }
    let own = node.heap_blocks.map(|blocks| (String::new(), blocks));
    let workers =
        node.worker_blocks.iter().enumerate().map(|(number, blocks)| (format!("Worker {number}:  "), *blocks));
    for (whose, [exact, lossy]) in own.into_iter().chain(workers).filter(|(_, [a, b])| a + b > 0.0) {
        let of = |name: &str, count: f64| if count > 0.0 { format!(" {name}={count:.0}") } else { String::new() };
        let indent = "  ".repeat(indent);
        lines.push(format!("{indent}{whose}Heap Blocks:{}{}", of("exact", exact), of("lossy", lossy)));
    }
    let buffers = node.buffers.map(|buffers| buffers.lines()).unwrap_or_default();
    lines.extend(buffers.into_iter().map(|line| format!("{}{line}", "  ".repeat(indent))));
    node.children.iter().for_each(|child| text_node(child, indent, lines));
}

fn actual(run: Option<NodeRun>, timing: bool) -> String {
    match run {
        Some(run) if run.loops > 0.0 => {
            let (rows, loops) = (run.rows / run.loops, run.loops);
            if timing {
                let (startup, total) = (run.startup / loops, run.total / loops);
                format!(" (actual time={startup:.3}..{total:.3} rows={rows:.2} loops={loops:.0})")
            } else {
                format!(" (actual rows={rows:.2} loops={loops:.0})")
            }
        }
        _ => " (never executed)".to_string(),
    }
}

/// All properties of a node in the formats that have no title.
fn properties(node: &Shown) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> =
        node.properties.iter().map(|(label, value)| ((*label).to_string(), value.clone())).collect();
    let mut number = |label: &str, text: String| all.push((label.to_string(), Value::Number(text)));
    if let Some(cost) = node.cost {
        number("Startup Cost", format!("{:.2}", cost.startup));
        number("Total Cost", format!("{:.2}", cost.total));
        number("Plan Rows", format!("{:.0}", cost.rows));
        number("Plan Width", cost.width.to_string());
    }
    if let Some(run) = node.run {
        let run = run.unwrap_or_default();
        let loops = if run.loops > 0.0 { run.loops } else { 1.0 };
        if node.timing {
            number("Actual Startup Time", format!("{:.3}", run.startup / loops));
            number("Actual Total Time", format!("{:.3}", run.total / loops));
        }
        number("Actual Rows", format!("{:.2}", run.rows / loops));
        number("Actual Loops", format!("{:.0}", run.loops));
    }
    all.push(("Disabled".to_string(), Value::Bool(node.disabled)));
    all.extend(node.details.iter().cloned());
    if let Some([exact, lossy]) = node.heap_blocks {
        all.push(("Exact Heap Blocks".to_string(), Value::Number(format!("{exact:.0}"))));
        all.push(("Lossy Heap Blocks".to_string(), Value::Number(format!("{lossy:.0}"))));
    }
    all.extend(node.buffers.iter().flat_map(BufferUsage::properties));
    if !node.worker_blocks.is_empty() {
        let worker = |(number, [exact, lossy]): (usize, &[f64; 2])| {
            let blocks = [("Exact Heap Blocks", format!("{exact:.0}")), ("Lossy Heap Blocks", format!("{lossy:.0}"))];
            std::iter::once(("Worker Number", number.to_string())).chain(blocks).collect()
        };
        let workers = node.worker_blocks.iter().enumerate().map(worker).collect();
        all.push(("Workers".to_string(), Value::Workers(workers)));
    }
    all
}

fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if (c as u32) < 0x20 => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// JSON: one array with one object.
pub fn json(plan: &Shown, whole: &Whole) -> String {
    let mut out = "[\n  {\n    \"Plan\": ".to_string();
    json_node(plan, 4, &mut out);
    if let Some(settings) = &whole.settings {
        out += ",\n    \"Settings\": {";
        for (at, (name, value)) in settings.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            out += &format!("{comma}\n      {}: {}", json_string(name), json_string(value));
        }
        out += "\n    }";
    }
    for (label, value) in &whole.more {
        out += &format!(",\n    {}: {value}", json_string(label));
    }
    out += "\n  }\n]";
    out
}

fn json_value(value: &Value) -> String {
    match value {
        Value::Text(text) => json_string(text),
        Value::Number(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::List(list) => format!("[{}]", list.iter().map(|text| json_string(text)).collect::<Vec<_>>().join(", ")),
        Value::Workers(workers) => {
            let field = |(label, value): &(&str, String)| format!("{}: {value}", json_string(label));
            let worker = |fields: &Vec<_>| format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "));
            format!("[{}]", workers.iter().map(worker).collect::<Vec<_>>().join(", "))
        }
    }
}

fn json_node(node: &Shown, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent + 2);
    *out += "{\n";
    let lines = properties(node)
        .into_iter()
        .map(|(label, value)| format!("{pad}{}: {}", json_string(&label), json_value(&value)));
    *out += &lines.collect::<Vec<_>>().join(",\n");
    if !node.children.is_empty() {
        *out += &format!(",\n{pad}\"Plans\": [\n");
        for (at, child) in node.children.iter().enumerate() {
            *out += if at > 0 { ",\n" } else { "" };
            *out += &" ".repeat(indent + 4);
            json_node(child, indent + 4, out);
        }
        *out += &format!("\n{pad}]");
    }
    *out += &format!("\n{}}}", " ".repeat(indent));
}

fn xml_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#x0d;")
}

fn xml_tag(label: &str) -> String {
    label.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.' { c } else { '-' }).collect()
}

/// XML.
pub fn xml(plan: &Shown, whole: &Whole) -> String {
    let mut out = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n".to_string();
    xml_node(plan, 4, &mut out);
    if let Some(settings) = &whole.settings {
        out += "    <Settings>\n";
        for (name, value) in settings {
            let tag = xml_tag(name);
            out += &format!("      <{tag}>{}</{tag}>\n", xml_text(value));
        }
        out += "    </Settings>\n";
    }
    for (label, value) in &whole.more {
        let tag = xml_tag(label);
        out += &format!("    <{tag}>{}</{tag}>\n", xml_text(value));
    }
    out += "  </Query>\n</explain>";
    out
}

fn xml_node(node: &Shown, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    *out += &format!("{pad}<Plan>\n");
    for (label, value) in properties(node) {
        let tag = xml_tag(&label);
        match value {
            Value::Text(text) | Value::Number(text) => *out += &format!("{pad}  <{tag}>{}</{tag}>\n", xml_text(&text)),
            Value::Bool(value) => *out += &format!("{pad}  <{tag}>{value}</{tag}>\n"),
            Value::List(list) => {
                *out += &format!("{pad}  <{tag}>\n");
                list.iter().for_each(|text| *out += &format!("{pad}    <Item>{}</Item>\n", xml_text(text)));
                *out += &format!("{pad}  </{tag}>\n");
            }
            Value::Workers(workers) => {
                *out += &format!("{pad}  <{tag}>\n");
                for fields in workers {
                    *out += &format!("{pad}    <Worker>\n");
                    for (label, value) in fields {
                        let tag = xml_tag(label);
                        *out += &format!("{pad}      <{tag}>{value}</{tag}>\n");
                    }
                    *out += &format!("{pad}    </Worker>\n");
                }
                *out += &format!("{pad}  </{tag}>\n");
            }
        }
    }
    if !node.children.is_empty() {
        *out += &format!("{pad}  <Plans>\n");
        node.children.iter().for_each(|child| xml_node(child, indent + 4, out));
        *out += &format!("{pad}  </Plans>\n");
    }
    *out += &format!("{pad}</Plan>\n");
}

/// YAML.
pub fn yaml(plan: &Shown, whole: &Whole) -> String {
    let mut out = "- Plan: ".to_string();
    yaml_node(plan, 4, true, &mut out);
    if let Some(settings) = &whole.settings {
        out += "\n  Settings: ";
        for (name, value) in settings {
            out += &format!("\n    {name}: {}", json_string(value));
        }
    }
    for (label, value) in &whole.more {
        out += &format!("\n  {label}: {value}");
    }
    out
}

fn yaml_node(node: &Shown, indent: usize, first_breaks: bool, out: &mut String) {
    let pad = " ".repeat(indent);
    for (at, (label, value)) in properties(node).into_iter().enumerate() {
        if at > 0 || first_breaks {
            *out += &format!("\n{pad}");
        }
        match value {
            Value::Text(text) => *out += &format!("{label}: {}", json_string(&text)),
            Value::Number(text) => *out += &format!("{label}: {text}"),
            Value::Bool(value) => *out += &format!("{label}: {value}"),
            Value::List(list) => {
                *out += &format!("{label}: ");
                list.iter().for_each(|text| *out += &format!("\n{pad}  - {}", json_string(text)));
            }
            Value::Workers(workers) => {
                *out += &format!("{label}: ");
                for fields in workers {
                    for (at, (label, value)) in fields.iter().enumerate() {
                        *out += &format!("\n{pad}  {} {label}: {value}", if at == 0 { "-" } else { " " });
                    }
                }
            }
        }
    }
    if !node.children.is_empty() {
        *out += &format!("\n{pad}Plans: ");
        for child in &node.children {
            *out += &format!("\n{pad}  - ");
            yaml_node(child, indent + 4, false, out);
        }
    }
}
