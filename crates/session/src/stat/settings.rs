//! The settings as the session has them: `pg_settings`.

use catalog::acl::role::PG_READ_ALL_SETTINGS;
use config::{Custom, Definition, Kind, all, general};
use types::{Datum, Result};

use super::{AnswerRows, Row, Server, row, texts};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_show_all_settings", show_all_settings)];

fn show_all_settings(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let sees_all = server.has_privileges_of(PG_READ_ALL_SETTINGS);
    let shown = all().iter().filter(|setting| !setting.facts().hidden && setting.may_examine(sees_all).is_ok());
    let mut rows: Vec<(String, Row)> = Vec::new();
    for setting in shown {
        rows.push((setting.name.to_ascii_lowercase(), known(server, setting)?));
    }
    for setting in server.settings.customs() {
        rows.push((setting.name.to_ascii_lowercase(), custom(server, setting)));
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn known(server: &Server<'_>, setting: &Definition) -> Result<Row> {
    let (mut least, mut most, mut values) = (None, None, Datum::Null);
    match setting.kind {
        Kind::Integer { min, max, .. } | Kind::AutoInteger { min, max } | Kind::AutoBlocks { min, max } => {
            (least, most) = (Some(min.to_string()), Some(max.to_string()));
        }
        Kind::Real { min, max, .. } => (least, most) = (Some(general(min)), Some(general(max))),
        Kind::Enum(known) => values = texts(known)?,
        Kind::Bool | Kind::String => {}
    }
    // What `auto` has come to.
    let memory = server.db.memory();
    let why = (setting.name == "shared_buffers" && memory.auto).then(|| memory.to_string());
    let more = Some(setting.facts().more).filter(|more| !more.is_empty()).map(str::to_string);
    Ok(row![
        setting.name,
        server.settings.get(setting.name),
        setting.unit().map(|unit| unit.name()),
        setting.category,
        setting.description,
        why.or(more),
        setting.context.name(),
        setting.vartype(),
        server.settings.source(setting).name(),
        least,
        most,
        values,
        setting.default,
        server.initial.get(setting.name),
        None::<&str>,
        None::<i32>,
        false,
    ])
}

fn custom(server: &Server<'_>, setting: &Custom) -> Row {
    let none = None::<&str>;
    row![
        setting.name.as_str(),
        setting.value.as_str(),
        none,
        "Customized Options",
        none,
        none,
        "user",
        "string",
        setting.source.name(),
        none,
        none,
        Datum::Null,
        none,
        server.initial.custom(&setting.name).map(|before| before.value.clone()),
        none,
        None::<i32>,
        false,
    ]
}
