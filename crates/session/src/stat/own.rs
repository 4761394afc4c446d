//! What a session keeps for its client: `pg_prepared_statements` and `pg_cursors`.

use std::time::SystemTime;

use types::array::ArrayBuilder;
use types::{Datum, Error, Oid, Repr, Result, Scalar, oid};

use super::{AnswerRows, Row, Server, count, row, time};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_prepared_statement", prepared_statements), ("pg_cursor", cursors)];

/// Statements and cursors of the session that asks.
#[derive(Clone, Debug, Default)]
pub struct Own {
    pub statements: Vec<PreparedStatement>,
    pub cursors: Vec<Cursor>,
}

/// A prepared statement with a name.
#[derive(Clone, Debug)]
pub struct PreparedStatement {
    pub name: String,
    /// What the client sent.
    pub text: String,
    pub prepared: SystemTime,
    pub parameters: Vec<Oid>,
    /// `None`: it gives no rows.
    pub results: Option<Vec<Oid>>,
    /// PREPARE made it, and not the extended protocol.
    pub from_sql: bool,
    pub generic_plans: u64,
    pub custom_plans: u64,
}

#[derive(Clone, Debug)]
pub struct Cursor {
    pub name: String,
    pub text: String,
    pub holdable: bool,
    pub binary: bool,
    pub scrollable: bool,
    pub created: SystemTime,
}

impl Server<'_> {
    fn own(&self) -> Result<&Own> {
        self.own.ok_or_else(|| Error::unsupported("telling of prepared statements and cursors"))
    }
}

fn prepared_statements(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let row = |statement: &PreparedStatement| {
        Ok(row![
            statement.name.as_str(),
            statement.text.as_str(),
            time(statement.prepared),
            types(&statement.parameters)?,
            statement.results.as_ref().map(|results| types(results)).transpose()?,
            statement.from_sql,
            count(statement.generic_plans),
            count(statement.custom_plans),
        ])
    };
    server.own()?.statements.iter().map(row).collect()
}

/// An array of `regtype`.
fn types(oids: &[Oid]) -> Result<Datum> {
    let mut array = ArrayBuilder::new(oid::REGTYPE, Repr::Oid);
    for &ty in oids {
        array.push(Some(Scalar::Unsigned(ty.into())))?;
    }
    array.finish_list().map(Datum::bytes)
}

fn cursors(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let row = |cursor: &Cursor| {
        row![
            cursor.name.as_str(),
            cursor.text.as_str(),
            cursor.holdable,
            cursor.binary,
            cursor.scrollable,
            time(cursor.created),
        ]
    };
    Ok(server.own()?.cursors.iter().map(row).collect())
}
