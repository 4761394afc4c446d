//! Which extensions can be made.

use types::{Datum, Result};

use super::{AnswerRows, Row, Server, row};

/// An extension that can be made.
pub struct Available {
    pub name: &'static str,
    pub version: &'static str,
    pub comment: &'static str,
    /// Its views, and what they are over.
    pub views: &'static [(&'static str, &'static str)],
}

pub const AVAILABLE: &[Available] = &[
    Available {
        name: "pg_buffercache",
        version: "1.6",
        comment: "examine the shared buffer cache",
        views: &[("pg_buffercache", "SELECT * FROM pg_catalog.pg_buffercache_pages()")],
    },
    Available { name: "pg_prewarm", version: "1.2", comment: "prewarm relation data", views: &[] },
];

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
