//! COPY TO STDOUT (PostgreSQL's `copyto.c`): the rows of a table or a query as clients get them, each a piece of the data.

use access::progress::{Command, copy as report};
use analyze::has_into;
use analyze::relations::Relation;
use analyze::rewrite::RelationPermissions;
use engine::{EngineError, ProgressReport, Result};
use error::sqlstate;
use executor::Batch;
use futures::future::BoxFuture;
use session::{CopyChunk, CopyOut};
use session::{Format, ParsedStatement, Portal, QueryText, Session};
use syntax::nodes::{ColumnRef, CopyStmt, LimitOption, Node, RangeVar, ResTarget, SelectStmt, SetOperation};
use txn::LockMode;
use types::acl::mode::SELECT;
use types::encoding::{Encoding, utf8};

use crate::copy;
use crate::copy::binary::SIGNATURE;
use crate::copy::format::{CopyFormat, Header, Kind};

/// Pieces are given in so many bytes at once, at least where there are as many.
const CHUNK: usize = 64 << 10;

/// Rows on their way to the client.
pub struct CopyToState {
    portal: Portal,
    format: CopyFormat,
    /// Of the data, or in binary of the texts in it.
    encoding: &'static Encoding,
    /// By column: FORCE_QUOTE.
    quoted: Vec<bool>,
    width: usize,
    /// What is sent next of the rows that the portal gave last.
    batch: Option<(Batch, usize)>,
    /// What is told behind what was sent.
    failure: Option<EngineError>,
    begun: bool,
    ended: bool,
    rows: u64,
    reporting: ProgressReport,
}

pub(crate) async fn begin(session: &mut Session, statement: &ParsedStatement, copy: &CopyStmt) -> Result<CopyToState> {
    let format = CopyFormat::new(&copy.options, false, &statement.text);
    let (portal, quoted, of) = match (&copy.relation, &copy.query) {
        (Some(name), _) => {
            let relation = copy::open(session, statement, name, LockMode::AccessShare).await?;
            let columns = copy::columns(&relation, &copy.attlist)?;
            session.require_permissions(&RelationPermissions {
                relation: relation.oid,
                required: SELECT,
                selected: columns.iter().map(|at| *at as i16 + 1).collect(),
                ..RelationPermissions::default()
            })?;
            let format = format.as_ref().map_err(Clone::clone)?;
            copy::require_table(&relation, false)?;
            let quoted = copy::forced("FORCE_QUOTE", &format.force_quote, &relation, &columns)?;
            let select = select_of(&relation, &columns, name);
            (query(session, statement, &select).await?, quoted, relation.oid)
        }
        (None, Some(node)) => {
            let format = format.as_ref().map_err(Clone::clone)?;
            if matches!(node, Node::SelectStmt(select) if has_into(select)) {
                return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "COPY (SELECT INTO) is not supported"));
            }
            let portal = query(session, statement, node).await?;
            let quoted = copy::forced_results(&format.force_quote, portal.columns.as_deref().unwrap_or_default())?;
            (portal, quoted, 0)
        }
        (None, None) => return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "COPY of nothing")),
    };
    let format = format?;
    let encoding = match format.kind {
        // Texts within it are the client's.
        Kind::Binary => copy::client_encoding(session)?,
        _ => copy::encoding(session, format.encoding)?,
    };
    let width = portal.columns.as_ref().map_or(0, |columns| columns.len());
    let (batch, failure, begun, ended, rows) = (None, None, false, false, 0);
    let reporting = session.shared.backend.start_progress(Command::Copy, of);
    reporting.progress.set(report::COMMAND, report::TO);
    reporting.progress.set(report::TYPE, if copy.filename.is_some() { report::FILE } else { report::PIPE });
    Ok(CopyToState { portal, format, encoding, quoted, width, batch, failure, begun, ended, rows, reporting })
}

/// Begins to run a query that gives rows.
async fn query(session: &mut Session, statement: &ParsedStatement, node: &Node) -> Result<Portal> {
    let ready = session.ready(QueryText::within(statement, node), &[]).await?;
    if ready.source.columns.is_none() {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "COPY query must have a RETURNING clause"));
    }
    session.start(&ready, &statement.text)
}

/// `SELECT columns FROM ONLY relation`.
fn select_of(relation: &Relation, columns: &[usize], name: &RangeVar) -> Node {
    let target = |&at: &usize| {
        let name = Node::String(relation.columns[at].name.as_str().into());
        let column = Node::ColumnRef(Box::new(ColumnRef { fields: vec![name], location: -1 }));
        let (name, indirection, val) = (None, Vec::new(), Some(column));
        Node::ResTarget(Box::new(ResTarget { name, indirection, val, location: -1 }))
    };
    let from = RangeVar { inh: false, alias: None, ..name.clone() };
    Node::SelectStmt(Box::new(SelectStmt {
        distinct_clause: Vec::new(),
        into_clause: None,
        target_list: columns.iter().map(target).collect(),
        from_clause: vec![Node::RangeVar(Box::new(from))],
        where_clause: None,
        group_clause: Vec::new(),
        group_distinct: false,
        having_clause: None,
        window_clause: Vec::new(),
        values_lists: Vec::new(),
        sort_clause: Vec::new(),
        limit_offset: None,
        limit_count: None,
        limit_option: LimitOption::LIMIT_OPTION_COUNT,
        locking_clause: Vec::new(),
        with_clause: None,
        op: SetOperation::SETOP_NONE,
        all: false,
        larg: None,
        rarg: None,
    }))
}

impl CopyOut for CopyToState {
    fn width(&self) -> usize {
        self.width
    }

    fn is_binary(&self) -> bool {
        self.format.kind == Kind::Binary
    }

    fn next<'a>(&'a mut self, session: &'a mut Session) -> BoxFuture<'a, Result<Option<CopyChunk>>> {
        Box::pin(self.next(session))
    }

    fn tag(&self) -> String {
        self.tag()
    }
}

impl CopyToState {
    /// What the client is told at the end.
    pub fn tag(&self) -> String {
        format!("COPY {}", self.rows)
    }

    /// The next pieces of the data, in the encoding that it is wanted in; `None` at the end.
    pub async fn next(&mut self, session: &mut Session) -> Result<Option<CopyChunk>> {
        let mut chunk = CopyChunk::default();
        if !std::mem::replace(&mut self.begun, true) {
            self.put_header(&mut chunk)?;
        }
        while !self.ended && chunk.bytes.len() < CHUNK {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.batch.is_none() {
                match self.portal.next(session).await {
                    Ok(batch) => self.batch = batch.map(|batch| (batch, 0)),
                    // The rows before are sent first.
                    Err(error) if !chunk.ends.is_empty() => {
                        self.failure = Some(error);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            let Some((batch, row)) = self.batch.take() else {
                self.ended = true;
                if self.is_binary() {
                    chunk.bytes.extend_from_slice(&(-1i16).to_be_bytes());
                    end_piece(&mut chunk);
                }
                break;
            };
            let row = self.put_rows(&mut chunk, &batch, row)?;
            self.batch = (row < batch.rows).then_some((batch, row));
        }
        self.reporting.progress.set(report::TUPLES_PROCESSED, self.rows);
        self.reporting.progress.add(report::BYTES_PROCESSED, chunk.bytes.len() as u64);
        Ok((!chunk.ends.is_empty()).then_some(chunk))
    }

    fn put_header(&self, chunk: &mut CopyChunk) -> Result<()> {
        if self.is_binary() {
            // It shares a piece with the first row. No flags, and nothing that is to be skipped.
            chunk.bytes.extend_from_slice(SIGNATURE);
            chunk.bytes.extend_from_slice(&[0; 8]);
            return Ok(());
        }
        if self.format.header == Header::None {
            return Ok(());
        }
        let columns = self.portal.columns.as_deref().unwrap_or_default();
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                chunk.bytes.push(self.format.delimiter);
            }
            let start = chunk.bytes.len();
            chunk.bytes.extend_from_slice(column.name.as_bytes());
            self.escape(&mut chunk.bytes, start, false);
        }
        self.end_line(chunk, 0)
    }

    /// Appends rows from one on, as many as fit; gives the first that is left.
    fn put_rows(&mut self, chunk: &mut CopyChunk, batch: &Batch, mut row: usize) -> Result<usize> {
        while row < batch.rows && chunk.bytes.len() < CHUNK {
            match self.is_binary() {
                true => self.put_binary(chunk, batch, row)?,
                false => self.put_line(chunk, batch, row)?,
            }
            row += 1;
            self.rows += 1;
        }
        Ok(row)
    }

    fn put_line(&self, chunk: &mut CopyChunk, batch: &Batch, row: usize) -> Result<()> {
        let start = chunk.bytes.len();
        for at in 0..self.width {
            if at > 0 {
                chunk.bytes.push(self.format.delimiter);
            }
            let value = chunk.bytes.len();
            match self.portal.encode(&mut chunk.bytes, Format::Text, at, &batch.columns[at], row)? {
                true => self.escape(&mut chunk.bytes, value, self.quoted[at]),
                false => chunk.bytes.extend_from_slice(self.format.null.as_bytes()),
            }
        }
        self.end_line(chunk, start)
    }

    /// Ends a line that began at a place.
    fn end_line(&self, chunk: &mut CopyChunk, start: usize) -> Result<()> {
        chunk.bytes.push(b'\n');
        self.encode(&mut chunk.bytes, start)?;
        end_piece(chunk);
        Ok(())
    }

    /// Puts the text from a place on into the encoding of the data.
    fn encode(&self, bytes: &mut Vec<u8>, start: usize) -> Result<()> {
        if self.encoding.is_utf8() || bytes[start..].is_ascii() {
            return Ok(());
        }
        let text = self.encoding.encode(utf8(&bytes[start..])?)?.into_owned();
        bytes.truncate(start);
        bytes.extend_from_slice(&text);
        Ok(())
    }

    fn put_binary(&self, chunk: &mut CopyChunk, batch: &Batch, row: usize) -> Result<()> {
        let bytes = &mut chunk.bytes;
        bytes.extend_from_slice(&(self.width as i16).to_be_bytes());
        for at in 0..self.width {
            let length = bytes.len();
            bytes.extend_from_slice(&(-1i32).to_be_bytes());
            let value = bytes.len();
            if !self.portal.encode(bytes, Format::Binary, at, &batch.columns[at], row)? {
                continue;
            }
            if !self.encoding.is_utf8() {
                let mut converted = bytes.split_off(value);
                self.portal.to_client(self.encoding, Format::Binary, at, &mut converted, 0)?;
                bytes.append(&mut converted);
            }
            let taken = i32::try_from(bytes.len() - value);
            let taken =
                taken.map_err(|_| EngineError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "a value is longer than 2 GB"))?;
            bytes[length..value].copy_from_slice(&taken.to_be_bytes());
        }
        end_piece(chunk);
        Ok(())
    }

    /// Makes the value that stands from a place on one that can be told from what is around it.
    fn escape(&self, bytes: &mut Vec<u8>, start: usize, quoted: bool) {
        match self.format.is_csv() {
            true => self.quote(bytes, start, quoted),
            false => escape_text(bytes, start, self.format.delimiter),
        }
    }

    /// `CopyAttributeOutCSV`.
    fn quote(&self, bytes: &mut Vec<u8>, start: usize, quoted: bool) {
        let CopyFormat { delimiter, quote, escape, ref null, .. } = self.format;
        let value = &bytes[start..];
        let special = |byte: &u8| [delimiter, quote, b'\n', b'\r'].contains(byte);
        // Readers before PostgreSQL 18 take a line of `\.` for the end of the data.
        let marker = self.width == 1 && value == b"\\.";
        if !quoted && !marker && value != null.as_bytes() && !value.iter().any(special) {
            return;
        }
        let value = bytes.split_off(start);
        bytes.push(quote);
        for byte in value {
            if byte == quote || byte == escape {
                bytes.push(escape);
            }
            bytes.push(byte);
        }
        bytes.push(quote);
    }
}

/// `CopyAttributeOutText`.
fn escape_text(bytes: &mut Vec<u8>, start: usize, delimiter: u8) {
    let letter = |byte: u8| match byte {
        0x08 => Some(b'b'),
        0x0c => Some(b'f'),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\t' => Some(b't'),
        0x0b => Some(b'v'),
        b'\\' => Some(b'\\'),
        byte if byte == delimiter => Some(byte),
        _ => None,
    };
    let Some(first) = bytes[start..].iter().position(|&byte| letter(byte).is_some()) else { return };
    let rest = bytes.split_off(start + first);
    for byte in rest {
        match letter(byte) {
            Some(letter) => bytes.extend_from_slice(&[b'\\', letter]),
            None => bytes.push(byte),
        }
    }
}

fn end_piece(chunk: &mut CopyChunk) {
    chunk.ends.push(chunk.bytes.len());
}
