//! The rows of COPY FROM: fields become values of the columns' types, and these columns, as many rows as are inserted at once.

use std::ops::Range;

use ::error::sqlstate;
use arrow_array::{ArrayRef, BooleanArray};
use engine::{ColumnType, EngineError, Result};
use executor::{Batch, CopiedRows};
use session::errors::reported;
use types::datum::ColumnBuilder;
use types::encoding::Encoding;
use types::text::missing_blanks;
use types::{Context, Datum, Reader, Repr, decimal, oid};

use crate::copy::binary::Field as BinaryField;
use crate::copy::fields::{Field, Fields};

/// Rows that are inserted at once.
const BATCH_ROWS: usize = 8192;
/// Or bytes.
const BATCH_BYTES: usize = 8 << 20;
/// Bytes of the data that messages show.
const MAX_SHOWN: usize = 100;

/// A column that the data has.
pub struct CopyColumn {
    pub name: String,
    /// How its values are read.
    pub ty: Reader,
    pub typmod: i32,
    pub repr: Repr,
    /// In binary its values are the bytes of integers.
    pub is_integer: bool,
    /// FORCE_NOT_NULL: what means NULL is a value.
    pub force_not_null: bool,
    /// FORCE_NULL: what means NULL does even in quotes.
    pub force_null: bool,
    pub has_default: bool,
}

impl CopyColumn {
    pub fn new(name: &str, ty: ColumnType) -> Result<CopyColumn> {
        let missing = || EngineError::unsupported(format!("COPY of a column of type {}", ty.oid));
        let repr = ty.repr().ok_or_else(missing)?;
        let is_integer = matches!(ty.oid, oid::INT2 | oid::INT4 | oid::INT8);
        let (force_not_null, force_null, has_default) = (false, false, false);
        Ok(CopyColumn {
            name: name.into(),
            ty: Reader::of(ty.oid),
            typmod: ty.typmod,
            repr,
            is_integer,
            force_not_null,
            force_null,
            has_default,
        })
    }

    /// Appends the value that a text means.
    fn put_text(&self, context: &Context, builder: &mut ColumnBuilder, text: &str) -> types::Result<()> {
        if let Repr::Decimal { precision, scale } = self.repr {
            builder.put_decimal(decimal::parse(text, (precision, scale))?);
        } else if !self.put_as_it_is(builder, text) {
            builder.push(&self.ty.input(context, text, self.typmod)?);
        }
        Ok(())
    }

    /// Appends a text that its type takes as it is, perhaps with blanks behind it; says if it is one.
    fn put_as_it_is(&self, builder: &mut ColumnBuilder, text: &str) -> bool {
        let blanks = match self.ty.ty {
            oid::TEXT => 0,
            // What has no more bytes has no more characters.
            oid::VARCHAR if self.typmod < 4 || text.len() <= (self.typmod - 4) as usize => 0,
            oid::BPCHAR if self.typmod >= 4 && text.len() <= (self.typmod - 4) as usize => {
                missing_blanks(text, (self.typmod - 4) as usize)
            }
            _ => return false,
        };
        builder.put_text(text, blanks);
        true
    }

    /// Appends the values that bytes mean; `None`: NULL. Fails with the first that means none, whose position
    /// the error knows.
    fn put_binary<'a>(
        &self,
        with: &Reading<'_>,
        builder: &mut ColumnBuilder,
        fields: impl Iterator<Item = Option<&'a [u8]>> + Clone,
    ) -> Result<()> {
        let left = match self.repr {
            _ if self.is_integer => builder.put_integers(fields.clone()),
            Repr::Text | Repr::Bpchar if with.encoding.is_utf8() => self.put_texts(with, builder, fields.clone())?,
            _ => Some(0),
        };
        let Some(done) = left else { return Ok(()) };
        for (at, field) in fields.enumerate().skip(done) {
            match field {
                Some(bytes) => self.put_value(with, builder, bytes).map_err(|error| error.at_row(at))?,
                None => builder.push(&Datum::Null),
            }
        }
        Ok(())
    }

    /// Appends texts; whether they are UTF-8 is asked of all together. Gives the position of one that is not, by itself.
    fn put_texts<'a>(
        &self,
        with: &Reading<'_>,
        builder: &mut ColumnBuilder,
        fields: impl Iterator<Item = Option<&'a [u8]>> + Clone,
    ) -> Result<Option<usize>> {
        let mut joined = Vec::with_capacity(fields.clone().flatten().map(<[u8]>::len).sum());
        fields.clone().flatten().for_each(|bytes| joined.extend_from_slice(bytes));
        let Ok(joined) = with.encoding.decode(&joined) else { return Ok(Some(0)) };
        let mut rest = &*joined;
        for (at, field) in fields.enumerate() {
            let Some(bytes) = field else {
                builder.push(&Datum::Null);
                continue;
            };
            // One may end within a character that another goes on with.
            let Some((text, behind)) = rest.split_at_checked(bytes.len()) else { return Ok(Some(at)) };
            self.put_decoded(with, builder, text).map_err(|error| error.at_row(at))?;
            rest = behind;
        }
        Ok(None)
    }

    /// Appends a text.
    fn put_decoded(&self, with: &Reading<'_>, builder: &mut ColumnBuilder, text: &str) -> Result<()> {
        if !self.put_as_it_is(builder, text) {
            let value = self.ty.receive(with.context, text.as_bytes(), self.typmod);
            builder.push(&value.map_err(|error| reported(error, ""))?);
        }
        Ok(())
    }

    /// Appends the value that bytes mean.
    fn put_value(&self, with: &Reading<'_>, builder: &mut ColumnBuilder, bytes: &[u8]) -> Result<()> {
        let told = |error| reported(error, "");
        match self.repr {
            Repr::Text | Repr::Bpchar => return self.put_decoded(with, builder, &with.encoding.decode(bytes)?),
            Repr::Array | Repr::Record | Repr::Jsonb if !with.encoding.is_utf8() => {
                return Err(EngineError::unsupported("arrays, rows and jsonb in binary in another encoding than UTF8"));
            }
            Repr::Decimal { precision, scale } => {
                let value = self.ty.receive(with.context, bytes, self.typmod).map_err(told)?;
                let column = value.to_array(Repr::Numeric);
                let decimals = decimal::from_numeric(as_binary(&column), (precision, scale)).map_err(told)?;
                builder.put_decimal(decimals.value(0));
            }
            _ => builder.push(&self.ty.receive(with.context, bytes, self.typmod).map_err(told)?),
        }
        Ok(())
    }
}

fn as_binary(column: &ArrayRef) -> &arrow_array::BinaryArray {
    arrow_array::cast::AsArray::as_binary(column)
}

/// What values are read with.
pub struct Reading<'a> {
    pub context: &'a Context,
    pub columns: &'a [CopyColumn],
    pub encoding: &'static Encoding,
    /// What means NULL.
    pub null: &'a str,
    /// Rows with values that are none are left out.
    pub skips_errors: bool,
    pub relation: &'a str,
}

impl Reading<'_> {
    /// Where an error about a value is.
    fn of_column(&self, number: u64, column: &CopyColumn, value: Option<&str>) -> String {
        let (relation, name) = (self.relation, &column.name);
        match value {
            Some(value) => format!("COPY {relation}, line {number}, column {name}: \"{}\"", shown(value)),
            None => format!("COPY {relation}, line {number}, column {name}: null input"),
        }
    }

    /// The same in binary, where values cannot be shown.
    pub fn of_binary(&self, number: u64, column: &CopyColumn) -> String {
        format!("COPY {}, line {number}, column {}", self.relation, column.name)
    }

    pub fn of_line(&self, number: u64, line: &str) -> String {
        format!("COPY {}, line {number}: \"{}\"", self.relation, shown(line))
    }
}

/// As much of the data as messages show.
fn shown(text: &str) -> String {
    let mut out = String::new();
    put_shown(&mut out, text);
    out
}

fn put_shown(out: &mut String, text: &str) {
    if text.len() <= MAX_SHOWN {
        return out.push_str(text);
    }
    out.push_str(&text[..text.floor_char_boundary(MAX_SHOWN)]);
    out.push_str("...");
}

/// A row that was left out: the column, and what its value should have been.
pub struct Skipped {
    pub column: String,
    pub value: String,
    pub context: String,
}

/// Rows that wait for being inserted.
pub struct CopyRows {
    builders: Vec<ColumnBuilder>,
    rows: usize,
    bytes: usize,
    /// The rows' line numbers.
    numbers: Vec<u64>,
    /// The beginnings of the rows' lines, one behind the other, and where each ends.
    lines: String,
    ends: Vec<usize>,
    /// Rows that say DEFAULT, by column.
    defaults: Vec<Vec<usize>>,
    unwanted: Vec<usize>,
}

impl CopyRows {
    pub fn new(columns: &[CopyColumn]) -> CopyRows {
        CopyRows {
            builders: columns.iter().map(|column| ColumnBuilder::new(column.repr, BATCH_ROWS)).collect(),
            rows: 0,
            bytes: 0,
            numbers: Vec::new(),
            lines: String::new(),
            ends: Vec::new(),
            defaults: vec![Vec::new(); columns.len()],
            unwanted: Vec::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// How many rows there may be beside them.
    pub fn room(&self) -> usize {
        BATCH_ROWS.saturating_sub(self.rows)
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows' lines, by their numbers.
    pub fn lines(&self) -> &[u64] {
        &self.numbers
    }

    /// Where the row of this position is in the data. In binary, data cannot be shown.
    pub fn place(&self, relation: &str, row: usize) -> String {
        let number = self.numbers.get(row).copied().unwrap_or_default();
        let Some(&end) = self.ends.get(row) else { return format!("COPY {relation}, line {number}") };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        format!("COPY {relation}, line {number}: \"{}\"", &self.lines[start..end])
    }

    /// Puts a line's fields behind the rows that are there.
    pub fn put_line(
        &mut self,
        with: &Reading<'_>,
        fields: &Fields,
        line: &str,
        number: u64,
    ) -> Result<Option<Skipped>> {
        let wrong = |message: String| {
            EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, message).context(with.of_line(number, line))
        };
        if fields.len() > with.columns.len() && !with.columns.is_empty() {
            return Err(wrong("extra data after last expected column".into()));
        }
        let mut skipped = None;
        for (at, column) in with.columns.iter().enumerate() {
            let builder = &mut self.builders[at];
            if skipped.is_some() {
                builder.push(&Datum::Null);
                continue;
            }
            let field = fields.get(line, at);
            let field = field.ok_or_else(|| wrong(format!("missing data for column \"{}\"", column.name)))?;
            let value = match field {
                Field::Null if column.force_not_null => Some(with.null),
                Field::Value(text) if column.force_null && text == with.null => None,
                Field::Value(text) => Some(text),
                Field::Default if !column.has_default => {
                    let detail = format!("Column \"{}\" has no default value.", column.name);
                    return Err(wrong("unexpected default marker in COPY data".into()).detail(detail));
                }
                Field::Default => {
                    self.defaults[at].push(self.rows);
                    None
                }
                Field::Null => None,
            };
            let Some(value) = value else {
                builder.push(&Datum::Null);
                continue;
            };
            if let Err(error) = column.put_text(with.context, builder, value) {
                let context = with.of_column(number, column, Some(value));
                // What is not here is no fault of the value.
                if !with.skips_errors || error.0.code == sqlstate::FEATURE_NOT_SUPPORTED {
                    return Err(reported(error, "").context(context));
                }
                builder.push(&Datum::Null);
                skipped = Some(Skipped { column: column.name.clone(), value: shown(value), context });
            }
        }
        self.unwanted.extend(skipped.is_some().then_some(self.rows));
        put_shown(&mut self.lines, line);
        self.ends.push(self.lines.len());
        self.end_row(number, line.len());
        Ok(skipped)
    }

    /// The same for rows in binary with these numbers, whose fields lie in the data row after row. Behind them there may be some of
    /// a row that is wrong, which is no fault of these.
    pub fn put_binary(
        &mut self,
        with: &Reading<'_>,
        (data, fields): (&[u8], &[BinaryField]),
        numbers: Range<u64>,
    ) -> Result<()> {
        let width = with.columns.len();
        // Rows before the first that fails; the first column of those with which one does.
        let (mut complete, mut failed) = (usize::MAX, None);
        for (at, (column, builder)) in with.columns.iter().zip(&mut self.builders).enumerate() {
            let of_column = fields.get(at..).unwrap_or_default().iter().step_by(width);
            let values = of_column.map(|field| field.of(data)).take(complete);
            if let Err(error) = column.put_binary(with, builder, values) {
                complete = error.row().unwrap_or_default();
                failed = Some(error.context(with.of_binary(numbers.start + complete as u64, column)));
            }
        }
        let rows = complete.min((numbers.end - numbers.start) as usize);
        self.numbers.extend(numbers.take(rows));
        self.rows += rows;
        self.bytes += fields.iter().map(|field| field.bytes()).sum::<usize>() + 8 * fields.len();
        failed.map_or(Ok(()), Err)
    }

    fn end_row(&mut self, number: u64, bytes: usize) {
        self.numbers.push(number);
        self.rows += 1;
        self.bytes += bytes + 8 * self.builders.len();
    }

    /// The rows as they are inserted; they stay known by their places until [`CopyRows::clear`].
    pub fn take(&mut self, columns: &[CopyColumn]) -> CopiedRows {
        // The next rows take about as much; a sixteenth more, so that none grows for little.
        let like = |(column, before): (&CopyColumn, &ColumnBuilder)| {
            ColumnBuilder::with_capacity(column.repr, BATCH_ROWS, before.bytes() / 16 * 17)
        };
        let fresh: Vec<ColumnBuilder> = columns.iter().zip(&self.builders).map(like).collect();
        let builders = std::mem::replace(&mut self.builders, fresh);
        let rows = self.rows;
        // A row that has failed may have left values behind.
        let given = builders.into_iter().map(|builder| builder.finish().slice(0, rows)).collect();
        let marked = |marked: &[usize]| -> BooleanArray {
            let mut next = marked.iter().peekable();
            (0..rows).map(|row| Some(next.next_if(|&&marked| marked == row).is_some())).collect()
        };
        let defaults = self.defaults.iter().enumerate().filter(|(_, rows)| !rows.is_empty());
        let defaults = defaults.map(|(at, rows)| (at, marked(rows))).collect();
        let wanted = (!self.unwanted.is_empty()).then(|| {
            let unwanted = marked(&self.unwanted);
            BooleanArray::new(!unwanted.values(), None)
        });
        CopiedRows { given: Batch::new(given, rows), defaults, wanted }
    }

    /// None of them waits any more.
    pub fn clear(&mut self) {
        (self.rows, self.bytes) = (0, 0);
        self.numbers.clear();
        self.lines.clear();
        self.ends.clear();
        self.defaults.iter_mut().for_each(Vec::clear);
        self.unwanted.clear();
    }
}
