//! The heap's log records: writing them and replaying them.
//!
//! | kind | payload behind relation (4 + 4) and block (4) | meaning |
//! |---|---|---|
//! | 1 | row count (2), encoded rows | the rows were appended |
//! | 2 | capacity (2), base (8), row count (2), encoded rows | likewise, to a page made for them |
//! | 3 | the page | this is how the page looks now |
//! | 4 | block count (4) | a bulk load reserved blocks from there on |

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

use aio::Session;
use storage::{BlockNumber, BufferPool, FileSet, Lsn, PAGE_SIZE, PageMut, RelationId};
use txn::Xid;
use wal::{Log, Record, RecordHeader};

use crate::page::{get_u16, get_u32, init, put_u16};
use crate::row::append;
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// The heap's number among the resource managers.
pub const HEAP: u8 = 1;

const ROWS: u8 = 1;
const NEW_PAGE: u8 = 2;
const IMAGE: u8 = 3;
const RESERVE: u8 = 4;

fn place(relation: RelationId, block: BlockNumber) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[0..4].copy_from_slice(&relation.database.to_le_bytes());
    bytes[4..8].copy_from_slice(&relation.file.to_le_bytes());
    bytes[8..12].copy_from_slice(&block.to_le_bytes());
    bytes
}

/// Like its sisters, `None` if a checkpoint began since `redo` was read.
#[allow(clippy::too_many_arguments)] // What a record says, in the record's order.
pub(crate) fn log_rows(
    log: &Log,
    redo: Lsn,
    header: RecordHeader,
    relation: RelationId,
    block: BlockNumber,
    new_page: Option<&[u8]>,
    count: usize,
    rows: &[u8],
) -> Option<Lsn> {
    let mut counted = [0; 2];
    put_u16(&mut counted, 0, count);
    match new_page {
        None => {
            log.insert_if_redo(redo, RecordHeader { kind: ROWS, ..header }, &[&place(relation, block), &counted, rows])
        }
        Some(page) => {
            let made = &page[18..20];
            let base = &page[24..32];
            let header = RecordHeader { kind: NEW_PAGE, ..header };
            log.insert_if_redo(redo, header, &[&place(relation, block), made, base, &counted, rows])
        }
    }
}

pub(crate) fn log_image(
    log: &Log,
    redo: Lsn,
    header: RecordHeader,
    relation: RelationId,
    block: BlockNumber,
    page: &[u8],
) -> Option<Lsn> {
    log.counters().full_page_images.fetch_add(1, Ordering::Relaxed);
    log.insert_if_redo(redo, RecordHeader { kind: IMAGE, ..header }, &[&place(relation, block), page])
}

pub(crate) fn log_reserve(log: &Log, header: RecordHeader, relation: RelationId, blocks: &Range<BlockNumber>) -> Lsn {
    let count = (blocks.end - blocks.start).to_le_bytes();
    log.insert(RecordHeader { kind: RESERVE, ..header }, &[&place(relation, blocks.start), &count])
}

/// Blocks that bulk loads reserved, by transaction.
pub type Reservations = BTreeMap<Xid, Vec<(RelationId, Range<BlockNumber>)>>;

/// Replays one record. `shape` gives the layout of a relation's rows, `None` if it is dropped later in the log.
/// Reservations are gathered in `reserved`; the caller forgets those of transactions that committed.
pub async fn replay(
    record: &Record,
    pool: &std::sync::Arc<BufferPool>,
    files: &FileSet,
    session: &Session,
    shape: impl Fn(RelationId) -> Option<std::sync::Arc<TableShape>>,
    reserved: &mut Reservations,
) -> Result<()> {
    let payload = &record.payload;
    let bad = |reason| {
        AccessError::Log(wal::LogError::Failed(format!("record at {}: {reason}", wal::format_lsn(record.start))))
    };
    if payload.len() < 14 {
        return Err(bad("a truncated heap record"));
    }
    let relation_id = RelationId { database: get_u32(payload, 0), file: get_u32(payload, 4) };
    let (block, rest) = (get_u32(payload, 8), &payload[12..]);
    let Some(shape) = shape(relation_id) else { return Ok(()) };
    let relation = files.open(relation_id)?;
    if record.header.kind == RESERVE {
        if rest.len() != 4 {
            return Err(bad("a truncated reservation"));
        }
        let range = block..block.saturating_add(get_u32(rest, 0));
        relation.extend_to(range.end);
        relation.materialise()?;
        reserved.entry(record.header.xid).or_default().push((relation_id, range));
        return Ok(());
    }
    if block >= relation.blocks() {
        relation.extend_to(block + 1);
        relation.materialise()?;
    }
    let whole = matches!(record.header.kind, NEW_PAGE | IMAGE);
    let page = if whole {
        pool.pin_for_overwrite(&relation, block).await?
    } else {
        pool.pin(session, &relation, block, aio::IoContext::Normal).await?
    };
    if !whole && page.lsn() >= record.end {
        return Ok(());
    }
    let mut latched = page.write();
    let rows = match record.header.kind {
        IMAGE => {
            if rest.len() != PAGE_SIZE {
                return Err(bad("a page image of the wrong size"));
            }
            latched.copy_from_slice(rest);
            &[][..]
        }
        NEW_PAGE => {
            if rest.len() < 12 {
                return Err(bad("a truncated heap record"));
            }
            let base = u64::from_le_bytes(rest[2..10].try_into().expect("8 bytes"));
            init(&mut latched, &shape, get_u16(rest, 0), true, base);
            &rest[10..]
        }
        ROWS => rest,
        _ => return Err(bad("an unknown kind of heap record")),
    };
    if !rows.is_empty() {
        let count = get_u16(rows, 0);
        let mut at = 2;
        for _ in 0..count {
            match append(&mut latched, &shape, &rows[at..], record.header.xid).map_err(bad)? {
                Some(taken) => at += taken,
                None => return Err(bad("a logged row does not fit its page")),
            }
        }
    }
    latched.set_lsn(record.end);
    Ok(())
}
