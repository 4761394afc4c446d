//! Rows on disk that an operator has no memory for (PostgreSQL's `BufFile`), in the files and the format in which DataFusion's
//! sort keeps its runs. A file goes when it is neither kept nor read any more.

use std::io::BufWriter;
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use async_trait::async_trait;
use datafusion_common::DataFusionError;
use datafusion_execution::SendableRecordBatchStream;
use datafusion_execution::spill_file::{SpillFile, SpillWriter};
use datafusion_physical_plan::SpillManager;
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use futures::StreamExt;
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch, schema_of};
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::rows::{BoxRows, Rows};

/// Small batches are put together until they have so many bytes.
const SMALL_BYTES: usize = 256 << 10;

/// A file that rows are written to.
pub struct TempFileWriter {
    manager: SpillManager,
    file: Arc<dyn SpillFile>,
    writer: StreamWriter<BufWriter<Box<dyn SpillWriter>>>,
    reprs: Arc<[Repr]>,
    /// What waits for more, and its rows and bytes.
    small: Vec<Batch>,
    rows: usize,
    bytes: usize,
    /// More bytes do not wait.
    most: usize,
}

impl TempFileWriter {
    /// A file for rows with such columns.
    pub fn new(reprs: &Arc<[Repr]>, run: &Run) -> Result<TempFileWriter> {
        let schema = schema_of(reprs.iter().map(|repr| repr.arrow()));
        let (environment, metrics) =
            (run.estate.task()?.runtime_env(), SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0));
        let file = environment.disk_manager.create_tmp_file("rows")?;
        let writer = StreamWriter::try_new(BufWriter::new(file.open_writer()?), &schema)?;
        let manager = SpillManager::new(environment, metrics, schema);
        // A join writes 16 files at once.
        let most = run.estate.part_of_memory(64, SMALL_BYTES);
        Ok(TempFileWriter { manager, file, writer, reprs: reprs.clone(), small: Vec::new(), rows: 0, bytes: 0, most })
    }

    /// Rows that may be read in other batches.
    pub fn append(&mut self, batch: Batch) -> Result<()> {
        (self.rows, self.bytes) = (self.rows + batch.rows, self.bytes + batch.memory());
        self.small.push(batch);
        if self.rows >= BATCH_ROWS || self.bytes >= self.most { self.write_small() } else { Ok(()) }
    }

    fn write_small(&mut self) -> Result<()> {
        let batch = Batch::concat(&std::mem::take(&mut self.small), &self.reprs)?;
        (self.rows, self.bytes) = (0, 0);
        self.write(batch)
    }

    /// Writes a batch as it is; not between rows that are put together.
    pub fn write(&mut self, batch: Batch) -> Result<()> {
        Ok(self.writer.write(&batch.with_schema(self.manager.schema())?)?)
    }

    pub fn finish(mut self) -> Result<TempFile> {
        if self.rows > 0 {
            self.write_small()?;
        }
        self.writer.finish()?;
        let mut writer =
            self.writer.into_inner()?.into_inner().map_err(|error| DataFusionError::from(error.into_error()))?;
        writer.finish()?;
        Ok(TempFile { manager: self.manager, file: self.file })
    }
}

/// Rows that were written.
pub struct TempFile {
    manager: SpillManager,
    file: Arc<dyn SpillFile>,
}

impl TempFile {
    /// Reads them all, from the first one on.
    pub fn read(&self) -> Result<BoxRows> {
        Ok(Box::new(TempFileRows(self.manager.read_spill_as_stream_unbuffered(self.file.clone(), None)?)))
    }
}

struct TempFileRows(SendableRecordBatchStream);

#[async_trait]
impl Rows for TempFileRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        Ok(self.0.next().await.transpose()?.map(Batch::from))
    }
}
