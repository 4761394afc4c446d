//! Rows that are kept to be read again, by several who are at different places (PostgreSQL's `tuplestore.c`): in memory while
//! they are few, then in files, each with the rows that were in memory last.

use std::sync::Arc;

use aio::Turn;
use async_trait::async_trait;
use types::Repr;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::memory::Reservation;
use crate::memory::temp_file::{TempFile, TempFileWriter};
use crate::run::estate::Run;
use crate::run::rows::{BoxRows, Rows};

/// A file has so many bytes at least, whatever memory there is.
const FILE_BYTES: usize = 4 << 20;

pub struct TupleStore {
    reprs: Arc<[Repr]>,
    /// The number of the first batch behind each file's.
    files: Vec<(usize, Arc<TempFile>)>,
    /// The batches behind those of the files.
    batches: Vec<Batch>,
    memory: Reservation,
    /// More bytes are not in memory.
    most: usize,
}

/// Where one of several readers is.
#[derive(Default)]
pub struct Reader {
    /// The number of the next batch.
    next: usize,
    /// The file that has it, and the number of the first batch behind that.
    file: Option<(usize, BoxRows)>,
}

/// Where the next batch of a reader is.
pub enum Next {
    Batch(Batch),
    /// [`Reader::next_of_file`] has it.
    InFile(Skip),
    /// Behind all batches.
    End,
}

/// A file of which a reader knows so many batches already.
pub struct Skip {
    file: Arc<TempFile>,
    end: usize,
    batches: usize,
}

impl TupleStore {
    /// A fourth of what the statement may have is the most that is kept in memory.
    pub fn new(reprs: &Arc<[Repr]>, run: &Run, name: &'static str) -> TupleStore {
        let (memory, most) = (run.reserve(name).can_spill(), run.estate.memory_limit() / 4);
        TupleStore { reprs: reprs.clone(), files: Vec::new(), batches: Vec::new(), memory, most }
    }

    pub async fn push(&mut self, batch: Batch, run: &Run) -> Result<()> {
        let held = self.memory.held();
        let granted = self.memory.secure_more(batch.memory(), run).await;
        // The reader that asked for this batch gets it from memory, which a few of them take without being granted it.
        if held > self.most || granted.is_err() && held >= FILE_BYTES {
            self.write(run).await?;
            self.memory.grow(batch.memory()).ok();
        }
        self.batches.push(batch);
        Ok(())
    }

    /// Writes what is in memory into a file.
    async fn write(&mut self, run: &Run) -> Result<()> {
        let mut file = TempFileWriter::new(&self.reprs, run)?;
        let mut turn = Turn::new(run.environment().database.engine());
        let end = self.in_files() + self.batches.len();
        for batch in &self.batches {
            turn.pass().await;
            file.write(batch.clone())?;
        }
        self.batches.clear();
        self.files.push((end, Arc::new(file.finish()?)));
        self.memory.free();
        Ok(())
    }

    /// The next batch of a reader, where no other reader has to wait for it.
    async fn read(&self, reader: &mut Reader) -> Result<Option<Batch>> {
        loop {
            if let Some(batch) = reader.next_of_file().await? {
                return Ok(Some(batch));
            }
            match self.next(reader) {
                Next::Batch(batch) => return Ok(Some(batch)),
                Next::InFile(skip) => reader.open(skip).await?,
                Next::End => return Ok(None),
            }
        }
    }

    /// All rows, for their only reader.
    pub fn into_rows(self) -> BoxRows {
        Box::new(Stored { store: self, reader: Reader::default() })
    }

    /// How many batches are in files.
    fn in_files(&self) -> usize {
        self.files.last().map_or(0, |(end, _)| *end)
    }

    pub fn next(&self, reader: &mut Reader) -> Next {
        let Some(at) = reader.next.checked_sub(self.in_files()) else {
            let file = self.files.partition_point(|(end, _)| *end <= reader.next);
            let begin = file.checked_sub(1).map_or(0, |before| self.files[before].0);
            let (end, file) = &self.files[file];
            return Next::InFile(Skip { file: file.clone(), end: *end, batches: reader.next - begin });
        };
        match self.batches.get(at) {
            Some(batch) => {
                reader.next += 1;
                Next::Batch(batch.clone())
            }
            None => Next::End,
        }
    }
}

/// A query's rows by their numbers, from 1, for a caller that keeps them longer than it runs: a cursor.
pub struct RowStore {
    store: TupleStore,
    /// The number of each batch's last row.
    ends: Vec<u64>,
    /// So many rows were there before the first one.
    behind: u64,
    reader: Reader,
    /// The batch that was read last, and its number.
    current: Option<(usize, Batch)>,
    /// For the rows that were given last.
    given: Reservation,
}

impl RowStore {
    pub fn new(reprs: &Arc<[Repr]>, run: &Run, behind: u64) -> RowStore {
        let mut store = TupleStore::new(reprs, run, "rows of a cursor");
        // To read a row is to read its file up to it.
        store.most = store.most.min(2 * FILE_BYTES);
        let (reader, given) = (Reader::default(), run.reserve_value("rows of a FETCH"));
        RowStore { store, ends: Vec::new(), behind, reader, current: None, given }
    }

    /// How many rows were there before the first one.
    pub fn behind(&self) -> u64 {
        self.behind
    }

    /// The number of the last row.
    pub fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(self.behind)
    }

    pub async fn push(&mut self, batch: Batch, run: &Run) -> Result<()> {
        self.ends.push(self.total() + batch.rows as u64);
        self.store.push(batch, run).await
    }

    /// The rows of these numbers, the first and the last one included, as far as they are there. They count as memory until
    /// others are asked for.
    pub async fn slice(&mut self, first: u64, last: u64) -> Result<Vec<Batch>> {
        let mut rows = Vec::new();
        self.given.free();
        let from = self.ends.partition_point(|end| *end < first);
        for number in from..self.ends.len() {
            let before = number.checked_sub(1).map_or(self.behind, |before| self.ends[before]);
            let (first, last) = (first.max(before + 1), last.min(self.ends[number]));
            if first > last {
                break;
            }
            let batch = self.batch(number).await?;
            self.given.grow(batch.memory())?;
            rows.push(batch.slice((first - before - 1) as usize, (last - first + 1) as usize));
        }
        Ok(rows)
    }

    async fn batch(&mut self, number: usize) -> Result<Batch> {
        if let Some((current, batch)) = &self.current
            && *current == number
        {
            return Ok(batch.clone());
        }
        if self.reader.next != number {
            self.reader = Reader { next: number, file: None };
        }
        let missing = || Error::internal("a cursor's row is not where it was kept");
        let batch = self.store.read(&mut self.reader).await?.ok_or_else(missing)?;
        self.current = Some((number, batch.clone()));
        Ok(batch)
    }
}

/// The rows of a store that is read once.
struct Stored {
    store: TupleStore,
    reader: Reader,
}

#[async_trait]
impl Rows for Stored {
    async fn next(&mut self) -> Result<Option<Batch>> {
        self.store.read(&mut self.reader).await
    }
}

impl Reader {
    /// The next batch, if the file that was read last has it.
    pub async fn next_of_file(&mut self) -> Result<Option<Batch>> {
        let Some((end, rows)) = &mut self.file else { return Ok(None) };
        if self.next == *end {
            self.file = None;
            return Ok(None);
        }
        let batch = rows.next().await?;
        self.next += 1;
        batch.map(Some).ok_or_else(|| Error::internal("a temporary file ends too early"))
    }

    /// Opens the file that has the next batch.
    pub async fn open(&mut self, skip: Skip) -> Result<()> {
        let mut rows = skip.file.read()?;
        for _ in 0..skip.batches {
            rows.next().await?;
        }
        self.file = Some((skip.end, rows));
        Ok(())
    }
}
