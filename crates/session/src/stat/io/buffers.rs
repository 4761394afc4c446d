//! What is in the buffer pool: `pg_buffercache`.

use std::collections::HashMap;

use engine::DEFAULT_TABLESPACE;
use storage::{BufferView, FileSet, RelationId};
use types::set_returning::Set;
use types::{ColumnBuilder, Datum, Oid, Result};

use crate::stat::{AnswerRows, Row, Server, row};

/// A buffer's usage is 0 to 5.
const USAGES: usize = 6;

pub const ROWS: &[(&str, AnswerRows)] =
    &[("pg_buffercache_summary", summary), ("pg_buffercache_usage_counts", usage_counts)];

/// The buffers there are, one by one: there may be millions. Those that were never used are not among them.
pub struct Buffers {
    buffers: std::vec::IntoIter<BufferView>,
    files: FileSet,
    /// The tablespaces that relations are in, as far as they came.
    tablespaces: HashMap<RelationId, Oid>,
}

impl Buffers {
    pub fn of(server: &Server<'_>) -> Result<Box<dyn Set>> {
        server.require_superuser("function pg_buffercache_pages")?;
        let buffers: Vec<BufferView> = server.db.pool().buffers().collect();
        let files = server.db.files().clone();
        Ok(Box::new(Buffers { buffers: buffers.into_iter(), files, tablespaces: HashMap::new() }))
    }
}

impl Set for Buffers {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let mut filled = 0;
        let Buffers { buffers, files, tablespaces } = self;
        let mut tablespace_of = |id: RelationId| {
            let find = || files.tablespace_of(id).unwrap_or(DEFAULT_TABLESPACE);
            *tablespaces.entry(id).or_insert_with(find)
        };
        for buffer in buffers.by_ref().take(most) {
            out.iter_mut().zip(&columns(&buffer, &mut tablespace_of)).for_each(|(column, value)| column.push(value));
            filled += 1;
        }
        Ok(filled)
    }
}

fn columns(buffer: &BufferView, tablespace_of: &mut impl FnMut(RelationId) -> Oid) -> Row {
    let number = buffer.buffer as i32 + 1;
    let Some((id, block)) = buffer.tag else {
        let mut out = row![number];
        out.resize(9, Datum::Null);
        return out;
    };
    let RelationId { database, file } = id.main();
    row![
        number,
        Datum::U32(file),
        Datum::U32(tablespace_of(id)),
        Datum::U32(database),
        id.fork() as i16,
        i64::from(block),
        buffer.dirty,
        i16::from(buffer.usage),
        buffer.pins as i32,
    ]
}

fn summary(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.require_superuser("function pg_buffercache_summary")?;
    let (mut used, mut dirty, mut pinned, mut usage) = (0i32, 0i32, 0i32, 0u64);
    for buffer in server.db.pool().buffers() {
        if buffer.tag.is_some() {
            used += 1;
            dirty += i32::from(buffer.dirty);
            usage += u64::from(buffer.usage);
        }
        pinned += i32::from(buffer.pins > 0);
    }
    let unused = server.db.pool().len() as i32 - used;
    let average = (used > 0).then(|| usage as f64 / f64::from(used));
    Ok(vec![row![used, unused, dirty, pinned, average.map_or(Datum::Null, Datum::F64)]])
}

fn usage_counts(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.require_superuser("function pg_buffercache_usage_counts")?;
    let mut counts = [[0i32; 3]; USAGES];
    let mut there = 0;
    for buffer in server.db.pool().buffers() {
        let count = &mut counts[usize::from(buffer.usage).min(USAGES - 1)];
        count[0] += 1;
        count[1] += i32::from(buffer.dirty);
        count[2] += i32::from(buffer.pins > 0);
        there += 1;
    }
    // Those that were never used.
    counts[0][0] += server.db.pool().len() as i32 - there;
    let row = |(usage, [buffers, dirty, pinned]): (usize, [i32; 3])| row![usage as i32, buffers, dirty, pinned];
    Ok(counts.into_iter().enumerate().map(row).collect())
}
