//! The temporary files of a statement's nodes and of DataFusion's operators, which [`engine::TemporaryFiles`] counts.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use aio::descriptors::with_room;
use bytes::Bytes;
use datafusion_common::Result;
use datafusion_execution::disk_manager::DiskManager;
use datafusion_execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use engine::{TemporaryFile, TemporaryFiles};
use futures::Stream;
use parking_lot::Mutex;

use crate::error::Error;

/// Makes them.
pub struct CountedFiles {
    pub disk: Arc<DiskManager>,
    pub files: TemporaryFiles,
}

impl TempFileFactory for CountedFiles {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        let file = with_descriptor(|| self.disk.create_tmp_file(description))?;
        Ok(Arc::new(CountedFile { file, size: Arc::new(Mutex::new(self.files.file())) }))
    }
}

/// Opens a file; where no descriptor is left for it, idle files make room. DataFusion's errors do not always tell which these are.
fn with_descriptor<T>(open: impl Fn() -> Result<T>) -> Result<T> {
    open().or_else(|_| {
        with_room(|| File::open("/dev/null"))?;
        open()
    })
}

struct CountedFile {
    file: Arc<dyn SpillFile>,
    size: Arc<Mutex<TemporaryFile>>,
}

impl SpillFile for CountedFile {
    fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    fn size(&self) -> Option<u64> {
        self.file.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        with_descriptor(|| self.file.read_stream())
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(CountedWriter { writer: with_descriptor(|| self.file.open_writer())?, size: self.size.clone() }))
    }
}

struct CountedWriter {
    writer: Box<dyn SpillWriter>,
    size: Arc<Mutex<TemporaryFile>>,
}

impl Write for CountedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size.lock().grow(bytes.len() as u64).map_err(|error| io::Error::other(Error::from(error)))?;
        self.writer.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl SpillWriter for CountedWriter {
    fn finish(&mut self) -> Result<()> {
        self.writer.finish()
    }
}
