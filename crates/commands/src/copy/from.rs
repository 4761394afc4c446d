//! COPY FROM STDIN (PostgreSQL's `copyfrom.c`): rows on their way from the client into a table.

use std::future::ready;
use std::sync::Arc;

use ::error::sqlstate;
use access::progress::{Command, copy as report};
use analyze::query::Expr;
use analyze::relations::{Relation, Relations};
use analyze::rewrite::RelationPermissions;
use analyze::{ExprKind, analyze_condition};
use catalog::Catalog;
use engine::{ColumnType, EngineError, ProgressReport, Result};
use executor::{CopyError, CopyFrom, CopyInto};
use futures::future::{BoxFuture, Either};
use session::errors::{raised, reported};
use session::{CopyIn, Fed};
use session::{Environment, ParsedStatement, Session, Shared, spi};
use storage::RelationId;
use syntax::nodes::{CopyStmt, RangeVar};
use txn::LockMode;
use types::Context;
use types::acl::mode::INSERT;
use types::encoding::{Encoding, utf8};
use types::memory::claim;

use crate::copy;
use crate::copy::binary::{self, BinaryRows, Wrong};
use crate::copy::fields::{Field, Fields};
use crate::copy::format::{CopyFormat, Header, Kind, Verbosity};
use crate::copy::lines::Lines;
use crate::copy::rows::{CopyColumn, CopyRows, Reading, Skipped};

/// Bytes that are cut into rows without a look at anything else.
const PIECE: usize = 1 << 20;

/// Rows in binary whose columns are read one after the other: a processor has them at hand until the last one.
const BINARY_ROWS: usize = 512;

/// Rows on their way.
pub struct CopyFromState {
    shared: Arc<Shared>,
    relation: String,
    columns: Vec<CopyColumn>,
    format: CopyFormat,
    /// Of the data, or in binary of the texts in it.
    encoding: &'static Encoding,
    context: Arc<Context>,
    source: Source,
    rows: CopyRows,
    /// Rows that were left out.
    skipped: u64,
    /// Why nothing can be inserted after all.
    refused: Option<EngineError>,
    table: CopyFrom,
    reporting: ProgressReport,
}

/// How the data is cut into rows.
enum Source {
    Text {
        lines: Lines,
        fields: Fields,
        /// The first line is still to come.
        header: bool,
        /// A line that is the old marker of the end, if it is the last.
        marker: Option<u64>,
    },
    Binary {
        rows: BinaryRows,
        /// Of the rows that were taken last.
        fields: Vec<binary::Field>,
    },
}

pub(crate) async fn begin(
    session: &mut Session,
    statement: &ParsedStatement,
    copy: &CopyStmt,
    name: &RangeVar,
) -> Result<CopyFromState> {
    let relation = copy::open(session, statement, name, LockMode::RowExclusive).await?;
    let conditions = condition(session, statement, copy, &relation)?;
    let columns = copy::columns(&relation, &copy.attlist)?;
    if !session.is_temporary(relation.oid) {
        session.require_writable("COPY FROM")?;
    }
    let format = CopyFormat::new(&copy.options, true, &statement.text)?;
    let environment = session.environment();
    let defaults = defaults(&environment, &relation)?;
    let given = copy_columns(environment.catalog(), &relation, &columns, &format, &defaults)?;
    let inserted = columns.iter().map(|at| *at as i16 + 1).collect();
    session.require_permissions(&RelationPermissions {
        relation: relation.oid,
        required: INSERT,
        inserted,
        ..RelationPermissions::default()
    })?;
    refuse_row_security(session, &relation)?;
    copy::require_table(&relation, true)?;
    if relation.oid < catalog::FIRST_NORMAL_OBJECT_ID {
        return Err(EngineError::unsupported("COPY to a system catalog"));
    }
    // Told when the data comes, as PostgreSQL does: a client that has it ready sends it as data, not as SQL.
    let refused = if format.freeze { check_freeze(session, &relation).err() } else { None };
    let into = CopyInto {
        table: relation.oid,
        entry: spi::entry(&relation, true),
        given: columns.iter().zip(&given).map(|(&at, column)| (at, column.repr)).collect(),
        defaults,
        conditions,
        freeze: format.freeze,
    };
    let encoding = match format.kind {
        // Texts within it are the client's.
        Kind::Binary => copy::client_encoding(session)?,
        _ => copy::encoding(session, format.encoding)?,
    };
    let context = Arc::new(session.context(&environment, &statement.text));
    let snapshot = session.snapshot();
    session.lend_transaction();
    let execution = expression::Execution::new(context.clone());
    let within = session.executor_environment(environment.clone(), execution, snapshot);
    let table = CopyFrom::start(into, environment.catalog(), &*environment, within);
    let table = table.map_err(|error| raised(error, &statement.text))?;
    let source = match format.kind {
        Kind::Binary => Source::Binary { rows: BinaryRows::default(), fields: Vec::new() },
        _ => Source::Text {
            lines: Lines::new(&format),
            fields: Fields::default(),
            header: format.header != Header::None,
            marker: None,
        },
    };
    let reporting = session.shared.backend.start_progress(Command::Copy, relation.oid);
    reporting.progress.set(report::COMMAND, report::FROM);
    reporting.progress.set(report::TYPE, if copy.filename.is_some() { report::FILE } else { report::PIPE });
    Ok(CopyFromState {
        shared: session.shared.clone(),
        relation: relation.name.clone(),
        rows: CopyRows::new(&given),
        columns: given,
        format,
        encoding,
        context,
        source,
        skipped: 0,
        refused,
        table,
        reporting,
    })
}

/// Rows come into a table without policies.
fn refuse_row_security(session: &mut Session, relation: &Relation) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().relation(relation.oid) else { return Ok(()) };
    let (role, wanted) = (environment.role(), environment.row_security);
    if !environment.roles().applies_row_security(role, row, wanted).map_err(|error| reported(error, ""))? {
        return Ok(());
    }
    let message = "COPY FROM not supported with row-level security";
    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).hint("Use INSERT statements instead."))
}

/// FREEZE is for a table that no other session can see yet.
fn check_freeze(session: &mut Session, relation: &Relation) -> Result<()> {
    if !session.cursors.is_empty() {
        let message = "cannot perform COPY FREEZE because of prior transaction activity";
        return Err(EngineError::new(sqlstate::INVALID_TRANSACTION_STATE, message));
    }
    let table = session.table_of(relation.oid)?;
    let id = RelationId { database: table.database, file: table.def.file };
    let catalog = session.db().catalog();
    let others_see = catalog.database_by_oid(table.database).is_some_and(|of| of.has_table(relation.oid));
    if session.has_created(id) && !(others_see && session.transaction().has_put_back(id)) {
        return Ok(());
    }
    let message =
        "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction";
    Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message))
}

/// WHERE.
fn condition(
    session: &mut Session,
    statement: &ParsedStatement,
    copy: &CopyStmt,
    relation: &Arc<Relation>,
) -> Result<Vec<Expr>> {
    let Some(node) = &copy.where_clause else { return Ok(Vec::new()) };
    let condition = session
        .analyze(&statement.text, &[], |with| analyze_condition(with, node, relation, ExprKind::CopyWhere, "WHERE"))?;
    let mut generated = None;
    let mut system = false;
    condition.contains(&mut |expr| {
        if let Expr::Var(var) = expr {
            let column = usize::try_from(var.attribute - 1).ok().and_then(|at| relation.columns.get(at));
            system |= var.attribute < 0;
            generated = generated.or(column.filter(|column| column.generated));
        }
        false
    });
    if let Some(column) = generated {
        let message = "generated columns are not supported in COPY FROM WHERE conditions";
        let detail = format!("Column \"{}\" is a generated column.", column.name);
        return Err(EngineError::new(sqlstate::INVALID_COLUMN_REFERENCE, message).detail(detail));
    }
    if system {
        return Err(EngineError::unsupported("a system column in COPY FROM WHERE conditions"));
    }
    Ok(vec![condition])
}

fn defaults(environment: &Environment, relation: &Relation) -> Result<Vec<Option<Expr>>> {
    let relations = environment.relations();
    let default = |(number, column): (i16, &analyze::relations::Attribute)| match column.dropped {
        true => Ok(None),
        false => relations.column_default(relation.oid, number).map(|default| default.map(|expr| (*expr).clone())),
    };
    let defaults = (1..).zip(&relation.columns).map(default).collect::<types::Result<_>>();
    defaults.map_err(|error| session::errors::reported(error, ""))
}

fn copy_columns(
    catalog: Catalog<'_>,
    relation: &Relation,
    columns: &[usize],
    format: &CopyFormat,
    defaults: &[Option<Expr>],
) -> Result<Vec<CopyColumn>> {
    let not_null = copy::forced("FORCE_NOT_NULL", &format.force_not_null, relation, columns)?;
    let null = copy::forced("FORCE_NULL", &format.force_null, relation, columns)?;
    let column = |(at, (force_not_null, force_null)): (&usize, (bool, bool))| {
        let column = &relation.columns[*at];
        let has_default = defaults[*at].is_some();
        let made = CopyColumn::new(&column.name, ColumnType::new(catalog, column.ty.oid, column.ty.typmod))?;
        Ok(CopyColumn { force_not_null, force_null, has_default, ..made })
    };
    columns.iter().zip(not_null.into_iter().zip(null)).map(column).collect()
}

impl CopyIn for CopyFromState {
    fn place(&self) -> String {
        self.place()
    }

    fn width(&self) -> usize {
        self.columns.len()
    }

    fn is_binary(&self) -> bool {
        self.format.kind == Kind::Binary
    }

    fn feed<'a>(&'a mut self, session: &'a mut Session, data: &'a [u8]) -> Fed<'a> {
        if data.len() > PIECE {
            return Either::Right(Box::pin(self.feed(session, data)));
        }
        // Most messages have a row, which waits for others.
        match self.check_refused().and_then(|()| self.push(data)).map(|()| self.fill(false)) {
            Err(error) => Either::Left(ready(Err(error))),
            Ok(Ok(false)) => Either::Left(ready(Ok(()))),
            Ok(filled) => Either::Right(Box::pin(self.insert_filled(session, filled, false))),
        }
    }

    fn has_waiting(&self) -> bool {
        !self.rows.is_empty()
    }

    fn insert_waiting<'a>(&'a mut self, session: &'a mut Session) -> BoxFuture<'a, Result<()>> {
        Box::pin(async {
            self.check_refused()?;
            self.flush(session).await
        })
    }

    fn finish<'a>(self: Box<Self>, session: &'a mut Session) -> BoxFuture<'a, Result<String>>
    where
        Self: 'a,
    {
        Box::pin((*self).finish(session))
    }
}

impl CopyFromState {
    /// Which line is waited for.
    pub fn place(&self) -> String {
        let number = match &self.source {
            Source::Text { lines, .. } => lines.reading(),
            Source::Binary { rows, .. } => rows.number + 1,
        };
        format!("COPY {}, line {number}", self.relation)
    }

    /// So many bytes are to come.
    pub fn expect(&self, bytes: u64) {
        self.reporting.progress.set(report::BYTES_TOTAL, bytes);
    }

    /// Takes the next bytes of the data, as the client sends them.
    pub async fn feed(&mut self, session: &mut Session, data: &[u8]) -> Result<()> {
        self.check_refused()?;
        for piece in data.chunks(PIECE) {
            self.push(piece)?;
            self.take_rows(session, false).await?;
        }
        Ok(())
    }

    fn push(&mut self, piece: &[u8]) -> Result<()> {
        let pushed = match &mut self.source {
            Source::Binary { rows, .. } => rows.push(piece),
            Source::Text { lines, .. } if self.encoding.is_utf8() => lines.push(piece),
            // Each of its characters is a byte: no message ends within one.
            Source::Text { lines, .. } => self.encoding.decode(piece).and_then(|text| lines.push(text.as_bytes())),
        };
        pushed.map_err(|error| error.context(self.place()))?;
        self.reporting.progress.add(report::BYTES_PROCESSED, piece.len() as u64);
        Ok(())
    }

    /// The data is complete; gives what the client is told.
    pub async fn finish(mut self, session: &mut Session) -> Result<String> {
        self.check_refused()?;
        self.take_rows(session, true).await?;
        self.flush(session).await?;
        session.lend_transaction();
        let relation = self.relation;
        let rows = self.table.finish().await.map_err(|failed| told(failed, &relation))?;
        if self.skipped > 0 && self.format.verbosity >= Verbosity::Default {
            let were = if self.skipped == 1 { "row was" } else { "rows were" };
            let message = format!("{} {were} skipped due to data type incompatibility", self.skipped);
            self.shared.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
        }
        Ok(format!("COPY {rows}"))
    }

    fn check_refused(&mut self) -> Result<()> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Cuts what has come into rows, and inserts them when there are enough.
    async fn take_rows(&mut self, session: &mut Session, at_end: bool) -> Result<()> {
        let filled = self.fill(at_end);
        self.insert_filled(session, filled, at_end).await
    }

    /// Inserts what [`CopyFromState::fill`] has taken, as often as that is enough.
    async fn insert_filled(&mut self, session: &mut Session, mut filled: Result<bool>, at_end: bool) -> Result<()> {
        loop {
            match filled {
                Ok(true) => self.flush(session).await?,
                Ok(false) => return Ok(()),
                Err(error) => {
                    // What is wrong with the rows before is told first.
                    self.flush(session).await?;
                    return Err(error);
                }
            }
            filled = self.fill(at_end);
        }
    }

    /// Takes rows until there are enough; `false`: no more of them have come.
    fn fill(&mut self, at_end: bool) -> Result<bool> {
        while !self.rows.is_full() {
            let taken = match &self.source {
                Source::Text { .. } => self.take_line(at_end)?,
                Source::Binary { .. } => self.take_binary(at_end)?,
            };
            if !taken {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take_line(&mut self, at_end: bool) -> Result<bool> {
        let CopyFromState { source, rows, format, relation, columns, encoding, context, .. } = self;
        let Source::Text { lines, fields, header, marker } = source else { return Ok(false) };
        let next = lines.next(at_end);
        let at_line = |error: EngineError, number| error.context(format!("COPY {relation}, line {number}"));
        let place = next.map_err(|error| at_line(error, lines.reading()))?;
        // Without any line there is an empty one in the place of the header that must match.
        let no_header = at_end && *header && format.header == Header::Match;
        let is_there = place.is_some();
        let (number, line) = match place {
            Some(place) => {
                let whole = || utf8(lines.with_end(place.clone()));
                let line = utf8(lines.line(place.clone())).map_err(|error| whole().err().unwrap_or(error));
                (lines.number, line.map_err(|error| at_line(error, lines.number))?)
            }
            None if no_header => (1, ""),
            None => return Ok(false),
        };
        let with =
            Reading { context, columns, encoding, null: &format.null, skips_errors: format.skips_errors, relation };
        if std::mem::take(header) {
            if format.header == Header::Match {
                match_header(&with, fields, format, line).map_err(|error| error.context(with.of_line(number, line)))?;
            }
            return Ok(is_there);
        }
        let mut put = |line: &str, number| {
            // Its fields, and their values in columns.
            let _room =
                claim(line.len()).map_err(|error| EngineError::from(error).context(with.of_line(number, line)))?;
            let cut = fields.cut(format, line, with.columns.len());
            cut.map_err(|error| error.context(with.of_line(number, line)))?;
            rows.put_line(&with, fields, line, number)
        };
        let mut skipped = [None, None];
        if let Some(before) = marker.take() {
            skipped[0] = put(END_MARKER, before)?.map(|skipped| (before, skipped));
        }
        // psql before 18 sends the line that ended its input. As the last line it would be wrong but for one column.
        if format.is_csv() && line == END_MARKER && with.columns.len() != 1 {
            *marker = Some(number);
        } else {
            skipped[1] = put(line, number)?.map(|skipped| (number, skipped));
        }
        for (number, skipped) in skipped.into_iter().flatten() {
            self.skip(number, skipped)?;
        }
        Ok(true)
    }

    /// Takes some rows that are complete.
    fn take_binary(&mut self, at_end: bool) -> Result<bool> {
        let CopyFromState { source, rows, format, relation, columns, encoding, context, .. } = self;
        let Source::Binary { rows: binary, fields } = source else { return Ok(false) };
        let first = binary.number + 1;
        let taken = binary.take(columns.len(), rows.room().min(BINARY_ROWS), at_end, fields);
        let with = Reading { context, columns, encoding, null: &format.null, skips_errors: false, relation };
        let _room = claim(if fields.is_empty() { 0 } else { binary.data().len() })?;
        rows.put_binary(&with, (binary.data(), fields), first..binary.number + 1)?;
        taken.map_err(|wrong| {
            let Wrong { error, field } = *wrong;
            match field {
                // What is wrong with the header is in no line.
                _ if !binary.has_begun() => error,
                None => error.context(format!("COPY {relation}, line {}", binary.number + 1)),
                Some(at) => error.context(with.of_binary(binary.number + 1, &columns[at])),
            }
        })?;
        Ok(binary.number >= first)
    }

    /// A row is left out, if not too many are.
    fn skip(&mut self, number: u64, skipped: Skipped) -> Result<()> {
        self.skipped += 1;
        self.reporting.progress.set(report::TUPLES_SKIPPED, self.skipped);
        let Skipped { column, value, context } = skipped;
        if self.format.verbosity == Verbosity::Verbose {
            let message = format!(
                "skipping row due to data type incompatibility at line {number} for column \"{column}\": \"{value}\""
            );
            let notice =
                EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message).context(format!("COPY {}", self.relation));
            self.shared.notice("NOTICE", notice);
        }
        match self.format.reject_limit.filter(|&limit| self.skipped > limit) {
            Some(limit) => {
                let message = format!("skipped more than REJECT_LIMIT ({limit}) rows due to data type incompatibility");
                Err(EngineError::new(sqlstate::INVALID_TEXT_REPRESENTATION, message).context(context))
            }
            None => Ok(()),
        }
    }

    /// Inserts the rows that wait for it.
    async fn flush(&mut self, session: &mut Session) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        session.lend_transaction();
        let rows = self.rows.take(&self.columns);
        let wanted = rows.wanted.as_ref().map_or(rows.given.rows, |wanted| wanted.true_count());
        let excluded = self.table.add(rows, self.rows.lines()).await.map_err(|failed| match failed.row {
            Some(row) => raised(failed.error, "").context(self.rows.place(&self.relation, row)),
            None => told(failed, &self.relation),
        })?;
        self.reporting.progress.add(report::TUPLES_PROCESSED, (wanted - excluded) as u64);
        self.reporting.progress.add(report::TUPLES_EXCLUDED, excluded as u64);
        self.rows.clear();
        aio::yield_once().await;
        Ok(())
    }
}

/// An error about a row that came before, or about none in particular.
fn told(failed: CopyError, relation: &str) -> EngineError {
    let error = raised(failed.error, "");
    match (failed.line, &error.context) {
        (Some(line), _) => error.context(format!("COPY {relation}, line {line}")),
        (None, Some(_)) => error,
        (None, None) => error.context(format!("COPY {relation}")),
    }
}

const END_MARKER: &str = "\\.";

/// The first line has the names of the columns.
fn match_header(with: &Reading<'_>, fields: &mut Fields, format: &CopyFormat, line: &str) -> Result<()> {
    let wrong = |message: String| EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, message);
    fields.cut(format, line, with.columns.len())?;
    let (got, wanted) = (fields.len(), with.columns.len());
    if got != wanted {
        return Err(wrong(format!("wrong number of fields in header line: got {got}, expected {wanted}")));
    }
    for (at, column) in with.columns.iter().enumerate() {
        let got = match fields.get(line, at) {
            Some(Field::Value(text)) if text == column.name => continue,
            Some(Field::Value(text)) => format!("\"{text}\""),
            Some(Field::Default) => format!("\"{}\"", format.default.as_deref().unwrap_or_default()),
            Some(Field::Null) | None => format!("null value (\"{}\")", format.null),
        };
        let (number, name) = (at + 1, &column.name);
        return Err(wrong(format!(
            "column name mismatch in header line field {number}: got {got}, expected \"{name}\""
        )));
    }
    Ok(())
}
