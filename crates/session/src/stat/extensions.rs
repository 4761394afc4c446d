//! Which extensions can be made.

use types::{Datum, Result};

use super::{AnswerRows, Row, Server, row};
use crate::commands::extension::{AVAILABLE, Available};

pub const ROWS: &[(&str, AnswerRows)] =
    &[("pg_available_extensions", extensions), ("pg_available_extension_versions", versions)];

fn extensions(_: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    Ok(AVAILABLE.iter().map(|extension| row![extension.name, extension.version, extension.comment]).collect())
}

fn versions(_: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let row = |extension: &Available| {
        let (superuser, trusted, relocatable) = (true, false, true);
        row![
            extension.name,
            extension.version,
            superuser,
            trusted,
            relocatable,
            Datum::Null,
            Datum::Null,
            extension.comment
        ]
    };
    Ok(AVAILABLE.iter().map(row).collect())
}
