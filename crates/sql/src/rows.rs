//! The rows of an answer, whichever way they come.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::execution::SendableRecordBatchStream;
use engine::encoding::Encoding;
use engine::{Result, Style};
use executor::Batch;
use futures::StreamExt;
use session::portal::Portal;

use crate::errors::translate;
use crate::output::{Column, Format, encode_binary, encode_value};
use crate::planned::{raised, reported};
use crate::session::Session;

pub struct RowsReply {
    pub columns: Arc<[Column]>,
    pub rows: RowSource,
    /// `SELECT` (with a count of rows), or a tag to send as it is.
    pub tag: &'static str,
    pub counted: bool,
}

pub enum RowSource {
    /// The old way's.
    Stream(SendableRecordBatchStream),
    /// The new way's, and the query string that errors' positions are in.
    Portal(Box<Portal>, Arc<str>),
}

impl RowsReply {
    /// The next rows; `None` at the end.
    pub async fn next(&mut self, session: &mut Session) -> Result<Option<Batch>> {
        match &mut self.rows {
            RowSource::Stream(batches) => {
                let batch = batches.next().await.transpose().map_err(translate)?;
                Ok(batch.map(|batch| Batch::new(batch.columns().to_vec(), batch.num_rows())))
            }
            RowSource::Portal(portal, text) => {
                session.lend_transaction();
                portal.next().await.map_err(|error| raised(error, text))
            }
        }
    }

    /// Appends a value of a column in a format; `false` (and nothing appended) for NULL.
    pub fn encode(
        &self,
        out: &mut Vec<u8>,
        format: Format,
        (index, array, row): (usize, &ArrayRef, usize),
        style: &Style,
        encoding: &Encoding,
    ) -> Result<bool> {
        match (&self.rows, format) {
            (RowSource::Stream(_), Format::Text) => encode_value(out, array, row, style),
            (RowSource::Stream(_), Format::Binary) => encode_binary(out, array, row, self.columns[index].oid, encoding),
            (RowSource::Portal(portal, _), format) => {
                let (output, context) = (&portal.outputs[index], &portal.context);
                let written = match format {
                    Format::Text => output.text(context, array, row, out),
                    Format::Binary => output.binary(context, array, row, out),
                };
                written.map_err(|error| reported(error, ""))
            }
        }
    }

    /// Is a value in this format a text, which has the client's encoding? (The old way's binary texts have it already.)
    pub fn is_text(&self, index: usize, format: Format) -> bool {
        match (&self.rows, format) {
            (_, Format::Text) => true,
            (RowSource::Stream(_), Format::Binary) => false,
            (RowSource::Portal(portal, _), Format::Binary) => portal.outputs[index].is_text(),
        }
    }

    /// The tag of an answer with so many rows.
    pub fn tag(&self, rows: u64) -> String {
        match &self.rows {
            RowSource::Portal(portal, _) => portal.tag(rows),
            RowSource::Stream(_) if self.counted => format!("{} {rows}", self.tag),
            RowSource::Stream(_) => self.tag.to_string(),
        }
    }
}
