//! What the configuration files say, and what is wrong in them: `pg_hba_file_rules`, `pg_ident_file_mappings`,
//! `pg_file_settings`.

use std::path::Path;

use auth::hba::{self, Address, Name};
use error::sqlstate;
use types::{Datum, Error, Result};

use crate::stat::{AnswerRows, Row, Server, row, texts};

pub const ROWS: &[(&str, AnswerRows)] = &[
    ("pg_hba_file_rules", hba_file_rules),
    ("pg_ident_file_mappings", ident_file_mappings),
    ("pg_show_all_file_settings", show_all_file_settings),
];

fn unreadable(error: String) -> Error {
    Error::new(sqlstate::UNDEFINED_FILE, error)
}

fn line_number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn names(names: &[Name]) -> Result<Datum> {
    texts(names.iter().map(|name| &name.word.text))
}

fn hba_file_rules(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.require_superuser("function pg_hba_file_rules")?;
    let (mut rows, mut number) = (Vec::new(), 0);
    for line in hba::load(Path::new(server.db.settings().get("hba_file"))).map_err(unreadable)? {
        let place = (line.file.display().to_string(), line_number(line.number));
        rows.push(match line.rule {
            Err(error) => {
                let mut row = row![None::<i32>, place.0, place.1];
                row.extend(std::iter::repeat_n(Datum::Null, 7));
                row.push(error.into());
                row
            }
            Ok(rule) => {
                number += 1;
                let mut row = row![number, place.0, place.1, rule.kind.name()];
                row.extend([names(&rule.databases)?, names(&rule.users)?]);
                row.extend(address(rule.address.as_ref()));
                row.extend([rule.method.name().into(), options(&rule)?, Datum::Null]);
                row
            }
        });
    }
    Ok(rows)
}

/// Address and mask.
fn address(address: Option<&Address>) -> Row {
    match address {
        None => row![None::<&str>, None::<&str>],
        Some(Address::All) => row!["all", None::<&str>],
        Some(Address::SameHost) => row!["samehost", None::<&str>],
        Some(Address::SameNet) => row!["samenet", None::<&str>],
        Some(Address::Net(network, mask)) => row![network.to_string(), mask.to_string()],
    }
}

fn options(rule: &hba::Rule) -> Result<Datum> {
    let mut options = rule.options.clone();
    if rule.method == hba::Method::Cert && !options.iter().any(|option| option.starts_with("clientcert=")) {
        options.push("clientcert=verify-full".into());
    }
    if options.is_empty() { Ok(Datum::Null) } else { texts(options) }
}

fn ident_file_mappings(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.require_superuser("function pg_ident_file_mappings")?;
    let (mut rows, mut number) = (Vec::new(), 0);
    for line in hba::load_idents(Path::new(server.db.settings().get("ident_file"))).map_err(unreadable)? {
        let place = (line.file.display().to_string(), line_number(line.number));
        let none = None::<&str>;
        rows.push(match line.map {
            Err(error) => row![None::<i32>, place.0, place.1, none, none, none, error],
            Ok(map) => {
                number += 1;
                row![number, place.0, place.1, map.map, map.system_name.word.text, map.role.word.text, none]
            }
        });
    }
    Ok(rows)
}

/// The entries of both files in the order in which they are read. The last one of a name is applied, if nothing is wrong
/// with it.
fn show_all_file_settings(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.require_superuser("function pg_show_all_file_settings")?;
    let mut entries = Vec::new();
    for name in ["inflight.conf", "inflight.auto.conf"] {
        let path = server.directory().join(name);
        // There need not be either.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        entries.extend(config::entries(&text).map(|(line, entry)| (path.display().to_string(), line, entry)));
    }
    let last: Vec<bool> = (0..entries.len()).map(|at| is_last(&entries[at..])).collect();
    let mut rows = Vec::with_capacity(entries.len());
    for (((path, line, entry), last), number) in entries.into_iter().zip(last).zip(1..) {
        let place = row![path, line_number(line), number];
        let rest = match entry {
            Err(error) => row![None::<&str>, None::<&str>, false, error.message],
            Ok((name, value)) => {
                let wrong = wrong_entry(&name, &value);
                row![name, value, last && wrong.is_none(), wrong]
            }
        };
        rows.push([place, rest].concat());
    }
    Ok(rows)
}

type Entry = (String, usize, engine::Result<(String, String)>);

/// Whether no entry behind the first one names the same setting.
fn is_last(entries: &[Entry]) -> bool {
    let name = |entry: &Entry| entry.2.as_ref().ok().map(|(name, _)| name.to_ascii_lowercase());
    match entries.split_first() {
        Some((first, rest)) => rest.iter().all(|other| name(other) != name(first)),
        None => true,
    }
}

/// Why a setting is not applied.
fn wrong_entry(name: &str, value: &str) -> Option<String> {
    match config::find(name) {
        Some(setting) => setting.parse(value).err().map(|error| error.message),
        None => config::check_custom_name(name).err().map(|error| error.message),
    }
}
