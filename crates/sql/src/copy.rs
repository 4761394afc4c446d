//! COPY: rows as text or CSV, from the client into a table and back; `copy_binary` reads the third format.
//!
//! The grammar of the two formats is PostgreSQL's (`copyfromparse.c`): in text, fields are separated by tabs and `\N` is
//! NULL; in CSV, an empty field is NULL unless it is quoted. A row may be cut anywhere between two messages.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringBuilder, new_null_array};
use datafusion::sql::sqlparser::ast::{
    self, CopyLegacyCsvOption, CopyLegacyOption, CopyOption, CopySource, CopyTarget, Expr as AstExpr, Ident, Statement,
};
use engine::encoding::utf8;
use engine::{EngineError, Insertion, Result, Table};
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::copy_binary::BinaryRows;
use crate::ddl::{ident, object_name};
use crate::insert::{check_constraints, check_nulls, default_of, evaluate};
use crate::session::{Reply, Session};

/// Rows that are converted at once.
const BATCH_ROWS: usize = 8192;
/// Or bytes.
const BATCH_BYTES: usize = 8 << 20;
/// Longer rows are refused, as PostgreSQL refuses more than a gigabyte; ours may not fill the memory.
pub const MAX_ROW: usize = 256 << 20;

/// How rows look.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyFormat {
    csv: bool,
    binary: bool,
    delimiter: u8,
    null: String,
    header: bool,
    quote: u8,
    escape: u8,
}

impl CopyFormat {
    fn new(options: &[CopyOption], legacy: &[CopyLegacyOption]) -> Result<CopyFormat> {
        let wrong = |message: &str| EngineError::new("22023", message);
        let mut format = CopyFormat {
            csv: false,
            binary: false,
            delimiter: b'\t',
            null: "\\N".into(),
            header: false,
            quote: b'"',
            escape: b'"',
        };
        let (mut delimiter, mut null, mut quote, mut escape) = (None, None, None, None);
        for option in options {
            match option {
                CopyOption::Format(name) => match ident(name).as_str() {
                    "text" => format.csv = false,
                    "csv" => format.csv = true,
                    "binary" => format.binary = true,
                    other => return Err(wrong(&format!("COPY format \"{other}\" not recognized"))),
                },
                // Rows are never frozen on the way in: only speed would change.
                CopyOption::Freeze(_) => {}
                CopyOption::Delimiter(c) => delimiter = Some(*c),
                CopyOption::Null(text) => null = Some(text.clone()),
                CopyOption::Header(header) => format.header = *header,
                CopyOption::Quote(c) => quote = Some(*c),
                CopyOption::Escape(c) => escape = Some(*c),
                CopyOption::Encoding(name) if ["utf8", "utf-8"].contains(&name.to_lowercase().as_str()) => {}
                other => return Err(EngineError::unsupported(format!("COPY option {other}"))),
            }
        }
        for option in legacy {
            match option {
                CopyLegacyOption::Csv(options) => {
                    format.csv = true;
                    for option in options {
                        match option {
                            CopyLegacyCsvOption::Header => format.header = true,
                            CopyLegacyCsvOption::Quote(c) => quote = Some(*c),
                            CopyLegacyCsvOption::Escape(c) => escape = Some(*c),
                            other => return Err(EngineError::unsupported(format!("COPY option {other}"))),
                        }
                    }
                }
                CopyLegacyOption::Delimiter(c) => delimiter = Some(*c),
                CopyLegacyOption::Null(text) => null = Some(text.clone()),
                CopyLegacyOption::Header => format.header = true,
                CopyLegacyOption::Binary => format.binary = true,
                other => return Err(EngineError::unsupported(format!("COPY option {other}"))),
            }
        }
        if format.binary {
            let given = [
                ("DELIMITER", delimiter.is_some()),
                ("NULL", null.is_some()),
                ("HEADER", format.header),
                ("QUOTE", quote.is_some()),
                ("ESCAPE", escape.is_some()),
            ];
            return match given.into_iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(EngineError::new("42601", format!("cannot specify {name} in BINARY mode"))),
                None => Ok(format),
            };
        }
        let byte = |what: &str, c: char| {
            let plain = c.is_ascii() && !matches!(c, '\n' | '\r');
            if plain { Ok(c as u8) } else { Err(wrong(&format!("COPY {what} must be a single one-byte character"))) }
        };
        if format.csv {
            format.delimiter = b',';
            format.null = String::new();
        } else if quote.is_some() || escape.is_some() {
            return Err(EngineError::new("0A000", "COPY QUOTE and ESCAPE require CSV mode"));
        }
        if let Some(c) = delimiter {
            format.delimiter = byte("delimiter", c)?;
        }
        if let Some(c) = quote {
            format.quote = byte("quote", c)?;
            format.escape = format.quote;
        }
        if let Some(c) = escape {
            format.escape = byte("escape", c)?;
        }
        if !format.csv
            && (format.delimiter == b'\\' || format.delimiter.is_ascii_alphanumeric() || format.delimiter == b'.')
        {
            let shown = char::from(format.delimiter);
            return Err(wrong(&format!("COPY delimiter cannot be \"{shown}\"")));
        }
        if format.csv && format.delimiter == format.quote {
            return Err(wrong("COPY delimiter and quote must be different"));
        }
        if let Some(text) = null {
            if text.contains(['\n', '\r']) {
                return Err(wrong("COPY null representation cannot use newline or carriage return"));
            }
            format.null = text;
        }
        Ok(format)
    }

    /// Appends a row as COPY TO sends it.
    pub fn put_row<'a>(&self, out: &mut Vec<u8>, fields: impl Iterator<Item = Option<&'a [u8]>>) {
        for (index, field) in fields.enumerate() {
            if index > 0 {
                out.push(self.delimiter);
            }
            match field {
                None => out.extend_from_slice(self.null.as_bytes()),
                Some(field) if self.csv => self.put_csv(out, field, index == 0),
                Some(field) => self.put_text(out, field),
            }
        }
        out.push(b'\n');
    }

    fn put_text(&self, out: &mut Vec<u8>, field: &[u8]) {
        for &byte in field {
            let letter = match byte {
                0x08 => b'b',
                0x0c => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0x0b => b'v',
                b'\\' => b'\\',
                byte if byte == self.delimiter => byte,
                byte => {
                    out.push(byte);
                    continue;
                }
            };
            out.extend_from_slice(&[b'\\', letter]);
        }
    }

    fn put_csv(&self, out: &mut Vec<u8>, field: &[u8], first: bool) {
        let special = |b: &u8| [self.delimiter, self.quote, b'\n', b'\r'].contains(b);
        // Readers before PostgreSQL 18 take a line of `\.` for the end of the data.
        let quoted = field == self.null.as_bytes() || field.iter().any(special) || (first && field == b"\\.");
        if !quoted {
            return out.extend_from_slice(field);
        }
        out.push(self.quote);
        for &byte in field {
            if byte == self.quote || byte == self.escape {
                out.push(self.escape);
            }
            out.push(byte);
        }
        out.push(self.quote);
    }

    pub fn has_header(&self) -> bool {
        self.header
    }
}

/// Cuts bytes into rows, and rows into fields.
struct Cutter {
    format: Arc<CopyFormat>,
    /// Begun, not ended.
    row: Vec<u8>,
    /// Inside of quotes, at the end of `row`.
    quoted: bool,
    /// The last byte of `row` was an escape: the next means itself.
    escaped: bool,
    ended: bool,
    /// The last row of a CSV was `\.`: see [`Cutter::finish`].
    marker: bool,
    line: u64,
}

impl Cutter {
    fn new(format: CopyFormat) -> Cutter {
        Cutter {
            format: Arc::new(format),
            row: Vec::new(),
            quoted: false,
            escaped: false,
            ended: false,
            marker: false,
            line: 0,
        }
    }

    /// Gives each complete row of what has come so far to `each`.
    fn feed(&mut self, mut data: &[u8], mut each: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        while !data.is_empty() && !self.ended {
            // In CSV a quoted line end belongs to the field.
            let end = if self.format.csv { self.end_in_csv(data) } else { self.end_in_text(data) };
            let Some(end) = end else {
                self.row.extend_from_slice(data);
                if self.row.len() > MAX_ROW {
                    return Err(EngineError::new("54000", format!("a row of COPY is longer than {MAX_ROW} bytes")));
                }
                return Ok(());
            };
            let (row, rest) = (&data[..end], &data[end + 1..]);
            data = rest;
            if self.row.is_empty() {
                self.finish_row(row, &mut each)?;
            } else {
                let mut whole = std::mem::take(&mut self.row);
                whole.extend_from_slice(row);
                self.finish_row(&whole, &mut each)?;
                whole.clear();
                self.row = whole;
            }
        }
        Ok(())
    }

    /// A backslash in front of a line end makes it part of the value.
    fn end_in_text(&mut self, data: &[u8]) -> Option<usize> {
        // What an escape stands in front of is no end.
        let mut at = usize::from(std::mem::take(&mut self.escaped));
        while let Some(found) = memchr::memchr2(b'\n', b'\\', data.get(at..)?) {
            if data[at + found] == b'\n' {
                return Some(at + found);
            }
            at += found + 2;
            self.escaped = at > data.len();
        }
        None
    }

    fn end_in_csv(&mut self, data: &[u8]) -> Option<usize> {
        let own_escape = self.format.escape != self.format.quote;
        for (index, byte) in data.iter().enumerate() {
            // A doubled quote closes and opens again; an escaped one inside of quotes does not count.
            let escaped = std::mem::take(&mut self.escaped);
            if self.quoted && own_escape && *byte == self.format.escape {
                self.escaped = !escaped;
            } else if *byte == self.format.quote {
                self.quoted ^= !escaped;
            } else if *byte == b'\n' && !self.quoted {
                return Some(index);
            }
        }
        None
    }

    fn finish_row(&mut self, row: &[u8], each: &mut impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        self.line += 1;
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if std::mem::take(&mut self.marker) {
            each(b"\\.", self.line - 1)?;
        }
        if row == b"\\." {
            self.ended = !self.format.csv;
            self.marker = self.format.csv;
        } else if !(self.format.header && self.line == 1) {
            each(row, self.line)?;
        }
        Ok(())
    }

    /// What came last may lack its line end. In CSV, `\.` is a value like any other since PostgreSQL 18; but psql before 18
    /// sends the line that ended its input, so as the last one it is none.
    fn finish(&mut self, mut each: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        if self.quoted {
            return Err(EngineError::new("22P04", "unterminated CSV quoted field"));
        }
        let row = std::mem::take(&mut self.row);
        if row.is_empty() || self.ended { Ok(()) } else { self.finish_row(&row, &mut each) }
    }
}

/// The fields of a row, one behind the other; used again for the next row.
#[derive(Default)]
struct Fields {
    bytes: Vec<u8>,
    /// Where each ends, and whether it is NULL.
    ends: Vec<(usize, bool)>,
}

impl Fields {
    fn end(&mut self, null: bool) {
        if null {
            self.bytes.truncate(self.ends.last().map_or(0, |(end, _)| *end));
        }
        self.ends.push((self.bytes.len(), null));
    }

    fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, &(end, null))| (!null).then(|| &self.bytes[start..end]))
    }

    /// Cuts a row.
    fn cut(&mut self, format: &CopyFormat, row: &[u8]) -> Result<()> {
        self.bytes.clear();
        self.ends.clear();
        if format.csv {
            return self.cut_csv(format, row);
        }
        self.cut_text(format, row);
        Ok(())
    }

    fn cut_text(&mut self, format: &CopyFormat, row: &[u8]) {
        let (mut start, mut at) = (0, 0);
        loop {
            let stop = memchr::memchr2(format.delimiter, b'\\', &row[at..]).map_or(row.len(), |found| at + found);
            self.bytes.extend_from_slice(&row[at..stop]);
            at = stop + 1;
            match row.get(stop) {
                Some(b'\\') if at == row.len() => self.bytes.push(b'\\'),
                Some(b'\\') => at += self.unescape(&row[at..]),
                end => {
                    // NULL is told by how it is written, not by what it means.
                    self.end(&row[start..stop] == format.null.as_bytes());
                    if end.is_none() {
                        return;
                    }
                    start = at;
                }
            }
        }
    }

    /// What stands behind a backslash; gives how many bytes it takes.
    fn unescape(&mut self, rest: &[u8]) -> usize {
        let digits = |from: usize, most: usize, radix: u32| {
            let count = rest[from..].iter().take(most).take_while(|b| char::from(**b).is_digit(radix)).count();
            let text = std::str::from_utf8(&rest[from..from + count]).expect("digits");
            (u32::from_str_radix(text, radix).unwrap_or(0) as u8, from + count)
        };
        let (byte, length) = match rest[0] {
            b'b' => (0x08, 1),
            b'f' => (0x0c, 1),
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'v' => (0x0b, 1),
            b'0'..=b'7' => digits(0, 3, 8),
            b'x' if rest.get(1).is_some_and(u8::is_ascii_hexdigit) => digits(1, 2, 16),
            other => (other, 1),
        };
        self.bytes.push(byte);
        length
    }

    fn cut_csv(&mut self, format: &CopyFormat, row: &[u8]) -> Result<()> {
        let (mut start, mut was_quoted, mut quoted, mut at) = (0, false, false, 0);
        while at < row.len() {
            let byte = row[at];
            at += 1;
            if quoted {
                // Asked first, because the escape may be the quote itself.
                if byte == format.escape && row.get(at).is_some_and(|n| *n == format.quote || *n == format.escape) {
                    self.bytes.push(row[at]);
                    at += 1;
                } else if byte == format.quote {
                    quoted = false;
                } else {
                    self.bytes.push(byte);
                }
            } else if byte == format.quote {
                (quoted, was_quoted) = (true, true);
            } else if byte == format.delimiter {
                self.end(!was_quoted && self.bytes[start..] == *format.null.as_bytes());
                (start, was_quoted) = (self.bytes.len(), false);
            } else {
                self.bytes.push(byte);
            }
        }
        if quoted {
            return Err(EngineError::new("22P04", "unterminated CSV quoted field"));
        }
        self.end(!was_quoted && self.bytes[start..] == *format.null.as_bytes());
        Ok(())
    }
}

/// How the data is cut into rows.
enum Source {
    Text(Box<Cutter>, Fields),
    /// With the types of the columns.
    Binary(BinaryRows, Vec<u32>),
}

/// Rows on their way from the client into a table.
pub struct CopyIn {
    table: Arc<Table>,
    /// The columns of the table that the data has, in its order.
    columns: Vec<usize>,
    defaults: Vec<Option<AstExpr>>,
    source: Source,
    builders: Vec<StringBuilder>,
    rows: usize,
    /// Bytes in `builders`.
    bytes: usize,
    insertion: Insertion,
}

impl CopyIn {
    /// Which line is waited for.
    pub fn place(&self) -> String {
        let done = match &self.source {
            Source::Text(cutter, _) => cutter.line,
            Source::Binary(rows, _) => rows.rows(),
        };
        format!("COPY {}, line {}", self.table.def.name, done + 1)
    }

    /// Columns that the client is told of.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Is the data binary? It is in no encoding then.
    pub fn is_binary(&self) -> bool {
        matches!(self.source, Source::Binary(..))
    }

    /// Takes the next bytes of the data.
    pub async fn feed(&mut self, session: &mut Session, data: &[u8]) -> Result<()> {
        let mut rest = data;
        while !rest.is_empty() {
            // A bounded piece at a time: its rows are converted before the next is cut.
            let (piece, behind) = rest.split_at(rest.len().min(1 << 20));
            rest = behind;
            let CopyIn { source, builders, rows, bytes, table, columns, .. } = self;
            match source {
                Source::Text(cutter, fields) => {
                    let format = cutter.format.clone();
                    cutter.feed(piece, |row, line| {
                        *bytes += row.len();
                        fields.cut(&format, row)?;
                        take_row(fields, table, columns, builders, rows, line)
                    })?;
                }
                Source::Binary(binary, types) => {
                    let take = |fields: Vec<Option<String>>| {
                        for (builder, field) in builders.iter_mut().zip(fields) {
                            *bytes += field.as_ref().map_or(0, String::len);
                            builder.append_option(field);
                        }
                        *rows += 1;
                        Ok(())
                    };
                    let fed = binary.feed(piece, types, take);
                    fed.map_err(|e| e.context(format!("COPY {}", table.def.name)))?;
                }
            }
            if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
                self.flush(session).await?;
            }
        }
        Ok(())
    }

    /// The data is complete; gives the number of rows.
    pub async fn finish(mut self, session: &mut Session) -> Result<u64> {
        let CopyIn { source, builders, rows, table, columns, .. } = &mut self;
        match source {
            Source::Text(cutter, fields) => {
                let format = cutter.format.clone();
                cutter.finish(|row, line| {
                    fields.cut(&format, row)?;
                    take_row(fields, table, columns, builders, rows, line)
                })?;
            }
            Source::Binary(binary, _) => {
                binary.finish().map_err(|e| e.context(format!("COPY {}", table.def.name)))?;
            }
        }
        self.flush(session).await?;
        self.insertion.finish(session.transaction()).await
    }

    async fn flush(&mut self, session: &mut Session) -> Result<()> {
        let manner = session.shared.manner();
        manner.of(self.put_rows(session)).await
    }

    async fn put_rows(&mut self, session: &mut Session) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows == 0 {
            return Ok(());
        }
        let texts: Vec<ArrayRef> = self.builders.iter_mut().map(|b| Arc::new(b.finish()) as ArrayRef).collect();
        let mut arrays = Vec::with_capacity(self.table.def.columns.len());
        for (index, column) in self.table.def.columns.iter().enumerate() {
            arrays.push(match (self.columns.iter().position(|&c| c == index), &self.defaults[index]) {
                (Some(at), _) => cast(&texts[at], column.ty, Purpose::Assignment)
                    .map_err(|e| e.context(format!("COPY {}, column {}", self.table.def.name, column.name)))?,
                (None, Some(default)) => evaluate(session, default, column.ty, rows).await?,
                (None, None) => new_null_array(&column.ty.arrow(), rows),
            });
        }
        check_nulls(&self.table, &arrays)?;
        let batch = RecordBatch::try_new(self.table.schema.clone(), arrays);
        let batch = batch.map_err(|e| EngineError::new("XX000", e.to_string()))?;
        check_constraints(session, &self.table, batch.columns()).await?;
        self.insertion.add(session.transaction(), batch).await?;
        aio::yield_once().await;
        Ok(())
    }
}

/// Puts the fields of a row where those of the rows before are.
fn take_row(
    fields: &Fields,
    table: &Table,
    columns: &[usize],
    builders: &mut [StringBuilder],
    rows: &mut usize,
    line: u64,
) -> Result<()> {
    let wrong = |code, message: String| {
        EngineError::new(code, message).context(format!("COPY {}, line {line}", table.def.name))
    };
    if fields.ends.len() > columns.len() {
        return Err(wrong("22P04", "extra data after last expected column".into()));
    }
    if fields.ends.len() < columns.len() {
        let missing = &table.def.columns[columns[fields.ends.len()]].name;
        return Err(wrong("22P04", format!("missing data for column \"{missing}\"")));
    }
    for (builder, field) in builders.iter_mut().zip(fields.iter()) {
        match field.map(utf8).transpose() {
            Ok(text) => builder.append_option(text),
            Err(error) => return Err(wrong(error.code, error.message)),
        }
    }
    *rows += 1;
    Ok(())
}

pub async fn run(session: &mut Session, statement: Statement) -> Result<Reply> {
    let Statement::Copy { source, to, target, options, legacy_options, .. } = statement else {
        unreachable!("the caller looked")
    };
    match target {
        CopyTarget::Stdin | CopyTarget::Stdout => {}
        // The server's files are nobody's business but the server's.
        _ => return Err(EngineError::unsupported("COPY to or from a file or program").hint("Use psql's \\copy.")),
    }
    let format = CopyFormat::new(&options, &legacy_options)?;
    if to { copy_out(session, source, format).await } else { copy_in(session, source, format).await }
}

async fn copy_out(session: &mut Session, source: CopySource, format: CopyFormat) -> Result<Reply> {
    if format.binary {
        return Err(EngineError::unsupported("COPY TO in binary format"));
    }
    let query = match source {
        CopySource::Query(query) => Statement::Query(query),
        CopySource::Table { table_name, columns } => {
            let columns: Vec<String> = columns.iter().map(ast::Ident::to_string).collect();
            let list = if columns.is_empty() { "*".to_string() } else { columns.join(", ") };
            match crate::parse::parse_old(&format!("SELECT {list} FROM {table_name}"))?.remove(0).kind {
                crate::parse::ParsedKind::Sql(statement) => *statement,
                _ => unreachable!("a SELECT is SQL"),
            }
        }
    };
    match session.query(query).await? {
        Reply::Rows(rows) => Ok(Reply::CopyOut(rows, format)),
        _ => Err(EngineError::new("XX000", "a query without rows")),
    }
}

async fn copy_in(session: &mut Session, source: CopySource, format: CopyFormat) -> Result<Reply> {
    let CopySource::Table { table_name, columns: names } = source else { unreachable!("the parser refuses it") };
    let (schema, name) = object_name(&table_name, &session.shared.database.1)?;
    session.require_writable("COPY FROM")?;
    let table = session.lock_table(&schema, &name, LockMode::RowExclusive).await?;
    let table = table.ok_or_else(|| EngineError::new("42P01", format!("relation \"{name}\" does not exist")))?;
    let columns = column_indexes(&table, &names)?;
    let defaults = table.def.columns.iter().map(default_of).collect::<Result<_>>()?;
    let insertion = Insertion::new(&table, session.write_options());
    let builders = columns.iter().map(|_| StringBuilder::with_capacity(BATCH_ROWS, BATCH_ROWS * 8)).collect();
    let source = if format.binary {
        if session.shared.settings.read().get("client_encoding") != "UTF8" {
            return Err(EngineError::unsupported("COPY in binary format in other encodings than UTF8"));
        }
        Source::Binary(BinaryRows::default(), columns.iter().map(|&at| table.def.columns[at].ty.oid()).collect())
    } else {
        Source::Text(Box::new(Cutter::new(format)), Fields::default())
    };
    Ok(Reply::CopyIn(Box::new(CopyIn { table, columns, defaults, source, builders, rows: 0, bytes: 0, insertion })))
}

fn column_indexes(table: &Table, names: &[Ident]) -> Result<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..table.def.columns.len()).collect());
    }
    let mut columns = Vec::new();
    for name in names {
        let name = ident(name);
        let relation = &table.def.name;
        let index = table.def.columns.iter().position(|c| c.name == name).ok_or_else(|| {
            EngineError::new("42703", format!("column \"{name}\" of relation \"{relation}\" does not exist"))
        })?;
        if columns.contains(&index) {
            return Err(EngineError::new("42701", format!("column \"{name}\" specified more than once")));
        }
        columns.push(index);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> CopyFormat {
        CopyFormat::new(&[], &[]).unwrap()
    }

    fn csv() -> CopyFormat {
        CopyFormat::new(&[CopyOption::Format(Ident::new("csv"))], &[]).unwrap()
    }

    /// All rows of `data`, fed in pieces of `size` bytes.
    fn rows(format: &CopyFormat, data: &[u8], size: usize) -> Result<Vec<Vec<Option<String>>>> {
        let mut cutter = Cutter::new(format.clone());
        let mut rows = Vec::new();
        let mut fields = Fields::default();
        let mut each = |row: &[u8], _| {
            fields.cut(format, row)?;
            rows.push(fields.iter().map(|f| f.map(|b| String::from_utf8(b.to_vec()).unwrap())).collect());
            Ok(())
        };
        for piece in data.chunks(size) {
            cutter.feed(piece, &mut each)?;
        }
        cutter.finish(&mut each)?;
        Ok(rows)
    }

    #[test]
    fn rows_come_out_the_same_however_they_are_cut() {
        let some = |s: &str| Some(s.to_string());
        let data = b"1\t\\N\ta\\tb\\\\\\x41\\101\n2\t\t\\\\N\r\n\\.\nignored\n";
        let wanted = vec![vec![some("1"), None, some("a\tb\\AA")], vec![some("2"), some(""), some("\\N")]];
        for size in 1..data.len() {
            assert_eq!(rows(&text(), data, size).unwrap(), wanted, "{size}");
        }
        let data = b"1,,\"\"\n\"a,\"\"b\"\"\nc\",x,\n";
        let wanted = vec![vec![some("1"), None, some("")], vec![some("a,\"b\"\nc"), some("x"), None]];
        for size in 1..data.len() {
            assert_eq!(rows(&csv(), data, size).unwrap(), wanted, "{size}");
        }
        assert_eq!(rows(&csv(), b"\"open", 3).unwrap_err().code, "22P04");
        // A backslash before a line end; in CSV a line of `\.`, and an escape that is itself escaped.
        for size in 1..6 {
            assert_eq!(rows(&text(), b"a\\\nb\n", size).unwrap(), [[some("a\nb")]]);
            assert_eq!(rows(&csv(), b"\\.\nx\n", size).unwrap(), [[some("\\.")], [some("x")]]);
            assert_eq!(rows(&csv(), b"x\n\\.\n", size).unwrap(), [[some("x")]]);
            assert_eq!(rows(&csv(), b"x\n\\.\n\\.", size).unwrap(), [[some("x")], [some("\\.")]]);
            let format =
                CopyFormat::new(&[CopyOption::Format(Ident::new("csv")), CopyOption::Escape('\\')], &[]).unwrap();
            assert_eq!(rows(&format, b"\"a\\\\\"\n\"b\\\"c\"\n", size).unwrap(), [[some("a\\")], [some("b\"c")]]);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let fields = ["", "\\N", "a\tb", "x\ny", "\"q\"", ",", "\\.", "plain", "\r"];
        for format in [text(), csv()] {
            let mut out = Vec::new();
            format.put_row(&mut out, fields.iter().map(|f| Some(f.as_bytes())).chain([None]));
            let read = rows(&format, &out, 5).unwrap();
            let wanted: Vec<_> = fields.iter().map(|f| Some(f.to_string())).chain([None]).collect();
            assert_eq!(read, [wanted]);
        }
    }
}
