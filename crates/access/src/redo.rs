//! Replaying changes of pages ([`crate::edit`] has the record).
//!
//! What a stretch of the log changes is gathered by page: a page is found and latched once for all of its changes, and pages can be
//! replayed by several tasks, for a record's changes of different pages have nothing to do with each other.

use std::sync::Arc;

use aio::{IoContext, Session};
use storage::{BlockChange, BlockNumber, BufferPool, PAGE_SIZE, Page, PageMut, Relation, RelationId};
use txn::UndoPtr;
use wal::Record;

use crate::edit::{COMPRESSED, DELTA, FRESH, IMAGE, MOVED, note_change};
use crate::page::{get_u16, get_u32, get_u64};
use crate::{AccessError, Result};

/// Bytes before each page's part of a record: database, file, block, mode, length.
const HEADER: usize = 16;
const TRUNCATED: &str = "a truncated record of page changes";

/// Where a stretch of the log changes a page. In order: by page, then as the log has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub id: RelationId,
    pub block: BlockNumber,
    /// Which of the stretch's records, and where its part about this page begins.
    record: u32,
    at: u32,
}

impl Change {
    pub fn page(&self) -> (RelationId, BlockNumber) {
        (self.id, self.block)
    }

    fn of<'a>(&self, records: &'a [Record]) -> PageChange<'a> {
        let record = &records[self.record as usize];
        part(&record.payload, self.at as usize).expect("it was looked at when it was gathered").1
    }

    /// Does replaying it need what the page holds?
    pub fn needs_page(&self, records: &[Record]) -> bool {
        self.of(records).needs_page()
    }
}

/// What a record says of one page.
#[derive(Clone, Copy)]
pub(crate) struct PageChange<'a> {
    pub mode: u16,
    pub data: &'a [u8],
}

/// The part of a payload that begins there: its page, the change, and where the next one begins.
fn part(payload: &[u8], at: usize) -> Option<((RelationId, BlockNumber), PageChange<'_>, usize)> {
    let (header, behind) = payload.get(at..)?.split_at_checked(HEADER)?;
    let id = RelationId { database: get_u32(header, 0), file: get_u32(header, 4) };
    let (block, mode, len) = (get_u32(header, 8), get_u16(header, 12) as u16, get_u16(header, 14));
    Some(((id, block), PageChange { mode, data: behind.get(..len)? }, at + HEADER + len))
}

fn bad(record: &Record, reason: &str) -> AccessError {
    AccessError::Log(wal::LogError::Failed(format!("record at {}: {reason}", wal::format_lsn(record.start))))
}

/// Adds the changes of record number `number` of a stretch, unsorted. Gives the transaction's latest undo record.
pub fn gather(record: &Record, number: usize, changes: &mut Vec<Change>) -> Result<UndoPtr> {
    let payload = &record.payload;
    if payload.len() < 8 {
        return Err(bad(record, TRUNCATED));
    }
    let mut at = 8;
    while at < payload.len() {
        let ((id, block), _, next) = part(payload, at).ok_or_else(|| bad(record, TRUNCATED))?;
        changes.push(Change { id, block, record: number as u32, at: at as u32 });
        at = next;
    }
    Ok(UndoPtr(get_u64(payload, 0)))
}

/// Makes the changes of one page that it does not have yet. They are some of `records`, in order; the relation has the block.
pub async fn replay(
    changes: &[Change],
    records: &[Record],
    pool: &Arc<BufferPool>,
    relation: &Arc<Relation>,
    session: &Session,
) -> Result<()> {
    let block = changes[0].block;
    let page = match changes[0].needs_page(records) {
        true => pool.pin(session, relation, block, IoContext::Normal).await?,
        false => pool.pin_for_overwrite(relation, block).await?,
    };
    let mut bytes = page.latch();
    for change in changes {
        let (record, part) = (&records[change.record as usize], change.of(records));
        if !part.needs_page() || bytes.lsn() < record.end {
            page.mark_dirty();
            part.apply(&mut bytes).map_err(|reason| bad(record, reason))?;
            bytes.set_lsn(record.end);
        }
    }
    note_change(relation, block, &bytes, BlockChange::Any);
    Ok(())
}

impl PageChange<'_> {
    /// Does it change what the page holds, and not all of it?
    fn needs_page(&self) -> bool {
        matches!(self.mode, DELTA | MOVED)
    }

    /// Makes the change.
    pub fn apply(&self, page: &mut [u8]) -> std::result::Result<(), &'static str> {
        let mut rest = self.data;
        match self.mode {
            IMAGE => {
                (rest.len() == PAGE_SIZE).then_some(()).ok_or(TRUNCATED)?;
                page.copy_from_slice(rest);
                return Ok(());
            }
            COMPRESSED => {
                let len = lz4_flex::block::decompress_into(rest, page).map_err(|_| "a compressed page is damaged")?;
                (len == PAGE_SIZE).then_some(()).ok_or(TRUNCATED)?;
                return Ok(());
            }
            FRESH => page.fill(0),
            MOVED => {
                let (count, behind) = rest.split_at_checked(2).ok_or(TRUNCATED)?;
                let (moves, behind) = behind.split_at_checked(get_u16(count, 0) * 6).ok_or(TRUNCATED)?;
                for moved in moves.chunks_exact(6) {
                    let (from, len, to) = (get_u16(moved, 0), get_u16(moved, 2), get_u16(moved, 4));
                    if from.max(to) + len > PAGE_SIZE {
                        return Err("a move beyond the page");
                    }
                    page.copy_within(from..from + len, to);
                }
                rest = behind;
            }
            DELTA => {}
            _ => return Err("an unknown mode of page change"),
        }
        while !rest.is_empty() {
            let (header, behind) = rest.split_at_checked(4).ok_or(TRUNCATED)?;
            let (offset, count) = (get_u16(header, 0), get_u16(header, 2));
            let (change, behind) = behind.split_at_checked(count).ok_or(TRUNCATED)?;
            page.get_mut(offset..offset + count).ok_or(TRUNCATED)?.copy_from_slice(change);
            rest = behind;
        }
        Ok(())
    }
}
