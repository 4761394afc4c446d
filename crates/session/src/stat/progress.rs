//! How far long commands are ([`access::progress`]): what the views `pg_stat_progress_*` are made of.

use access::progress::{Command, create_index};
use error::sqlstate;
use types::{Datum, Error, Result};

use super::{Answer, AnswerRows, Row, Server, int_argument};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_stat_get_progress_info", progress_info)];

pub const ANSWERS: &[(&str, Answer)] = &[("pg_indexam_progress_phasename", phase_name)];

fn command(name: &str) -> Result<Option<Command>> {
    Ok(Some(match name.to_ascii_uppercase().as_str() {
        "VACUUM" => Command::Vacuum,
        "ANALYZE" => Command::Analyze,
        "CLUSTER" => Command::Cluster,
        "CREATE INDEX" => Command::CreateIndex,
        "COPY" => Command::Copy,
        "BASEBACKUP" => return Ok(None),
        _ => return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid command name: \"{name}\""))),
    }))
}

/// A row for each session that runs such a command; of others' sessions only that they do.
fn progress_info(server: &Server<'_>, arguments: &[Datum]) -> Result<Vec<Row>> {
    let Some(Datum::Text(wanted)) = arguments.first() else { return Ok(Vec::new()) };
    let Some(wanted) = command(wanted)? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for view in server.db.activity().list() {
        let backend = server.db.activity().get(view.pid);
        let progress = backend.and_then(|backend| backend.progress());
        let Some(progress) = progress.filter(|progress| progress.command == wanted) else { continue };
        let database = view.database.as_ref().map_or(0, |(oid, _)| *oid);
        let mut row: Row = vec![view.pid.into(), database.into()];
        if server.may_see(view.user.as_deref()) {
            row.push(progress.relation.into());
            row.extend(progress.parameters().map(Datum::from));
        } else {
            row.resize(3 + access::progress::PARAMETERS, Datum::Null);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// What a phase of building an index is called, for the access method and the phase's number (`btbuildphasename`).
fn phase_name(_: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let phase = match arguments.get(1) {
        Some(phase) => int_argument(std::slice::from_ref(phase)).unwrap_or(0) as u64,
        None => 0,
    };
    Ok(match phase {
        1 => "initializing".into(),
        create_index::SCANNING_TABLE => "scanning table".into(),
        create_index::LOADING_TREE => "loading tuples in tree".into(),
        _ => Datum::Null,
    })
}
