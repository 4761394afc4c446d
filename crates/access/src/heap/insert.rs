//! Putting rows into a table.

use aio::{IoContext, Session};
use arrow_array::RecordBatch;
use storage::{BlockChange, BlockNumber, Page, PinnedPage};

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::row::{check_size, row_values};
use crate::heap::targets::Targets;
use crate::heap::variable::VariableColumn;
use crate::heap::{Heap, Writer};
use crate::page::modify;
use crate::page::modify::NoRoom;
use crate::page::row_set::RowSet;
use crate::page::*;
use crate::toast::save::{is_wanted, room_for_values};
use crate::undo::{COMFORTABLE, UndoHeader, UndoKind};

impl Heap {
    /// Is there much room for rows like these in the pages that there are? Then a load is to use it, or a table that is loaded into
    /// and deleted from would grow and grow.
    pub async fn has_much_room_for(&self, session: &Session, rows: &RecordBatch) -> Result<bool> {
        const LOOKED_AT: usize = 64;
        // In so many blocks, and in such a part of all.
        const MUCH: (u32, u32) = (16, 16);
        self.load_free_space(session).await?;
        let looked_at = rows.num_rows().clamp(1, LOOKED_AT);
        let columns = self.shape.variable().map(|column| VariableColumn::new(rows.column(column)));
        let len =
            |values: VariableColumn<'_>| (0..rows.num_rows().min(looked_at)).map(|row| values.len(row)).sum::<usize>();
        let bytes: usize = columns.map(len).sum();
        let found = self.relation.free_space().count((bytes / looked_at).min(MAX_ROW));
        Ok(found >= MUCH.0 && found >= self.relation.blocks() / MUCH.1)
    }

    /// Inserts a batch row by row, for statements that bring few. Gives the rows' identities.
    pub async fn insert_batch(&self, writer: &mut Writer, batch: &RecordBatch) -> Result<Vec<Tid>> {
        let mut rows = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            rows.push(row_values(&self.shape, batch, row));
        }
        self.insert(writer, &rows).await
    }

    /// The values of variable length in a row.
    pub(crate) fn variable<'a>(&self, row: &[Option<&'a [u8]>]) -> impl Iterator<Item = (usize, &'a [u8])> {
        self.shape.variable().filter_map(|column| Some((column, row[column]?)))
    }

    /// Inserts rows, each with a value for every column. Gives their identities.
    pub async fn insert(&self, writer: &mut Writer, rows: &[Vec<Option<&[u8]>>]) -> Result<Vec<Tid>> {
        let room = room_for_values(&self.shape);
        let is_long = |row: &Vec<_>| is_wanted(room, self.variable(row).map(|(_, value)| value));
        if !rows.iter().any(is_long) {
            return self.insert_rows(writer, rows).await;
        }
        let mut toasted = Vec::with_capacity(rows.len());
        for row in rows {
            toasted.push(Box::pin(self.toast_values(writer, self.variable(row), self.shape.target)).await?);
        }
        let mut short = rows.to_vec();
        for (row, values) in short.iter_mut().zip(&toasted) {
            values.iter().for_each(|(column, value)| row[*column] = value.as_deref());
        }
        self.insert_rows(writer, &short).await
    }

    /// Inserts rows as they are to be stored.
    pub(crate) async fn insert_rows(&self, writer: &mut Writer, rows: &[Vec<Option<&[u8]>>]) -> Result<Vec<Tid>> {
        self.store.check_writable(&writer.session, &self.relation).await?;
        let mut tids = Vec::with_capacity(rows.len());
        for row in rows {
            check_size(&self.shape, row)?;
        }
        let transactions = &self.store.transactions;
        while tids.len() < rows.len() {
            self.store.log.reserve(&writer.session, 2 * PAGE_RECORD).await?;
            let own = writer.transaction.xid;
            writer.undo.reserve(&writer.session, own, COMFORTABLE, || transactions.horizon()).await?;
            let bytes = modify::variable_bytes(&self.shape, &rows[tids.len()]);
            let (target, block, page) = self.target(&writer.session, bytes).await?;
            let placed = self.fill(writer, block, &page, &rows[tids.len()..])?;
            if placed.is_empty() {
                self.note_full(block, &page, bytes)?;
                self.targets.leave(target, block);
                continue;
            }
            if !self.is_toast() {
                writer.status.count_insert(&self.activity, placed.len() as u64);
            }
            tids.extend(placed.iter().map(|row| Tid { block, row: row as u16 }));
        }
        Ok(tids)
    }

    /// A page had no room for a row with so many bytes of variable length.
    fn note_full(&self, block: BlockNumber, page: &PinnedPage, bytes: usize) -> Result<()> {
        let latched = page.read();
        let room = self.parse(&latched, block)?.room_for_row(&self.shape);
        // Less than was asked for, whatever stood in the way: no session is sent here for the same again.
        self.relation.free_space().note_full(block, room.filter(|room| *room < bytes));
        Ok(())
    }

    /// The page to try for a row with so many bytes of variable length, and which of the table's targets it is.
    async fn target(&self, session: &Session, bytes: usize) -> Result<(usize, BlockNumber, PinnedPage)> {
        let mut target = 0;
        if let Some(block) = self.targets.get(target, self.relation.blocks()) {
            let page = self.pin(session, block).await?;
            if !page.is_being_changed() {
                return Ok((target, block, page));
            }
            target = Targets::of_thread();
            if let Some(block) = self.targets.get(target, self.relation.blocks()) {
                return Ok((target, block, self.pin(session, block).await?));
            }
        }
        self.load_free_space(session).await?;
        if let Some(block) = self.relation.free_space().find(bytes, self.relation.blocks()) {
            self.aim_at(target, block);
            return Ok((target, block, self.pin(session, block).await?));
        }
        let (block, page) = self.store.pool.extend(session, &self.relation, IoContext::Normal).await?;
        self.aim_at(target, block);
        Ok((target, block, page))
    }

    /// The table was cut: what comes at its end later is not where rows went.
    pub fn forget_target(&self) {
        self.targets.forget();
    }

    /// The next rows go to this page. The one that they went to until now has room still, or it would not be the target:
    /// several sessions found a page full and have each brought another.
    fn aim_at(&self, target: usize, block: BlockNumber) {
        let before = self.targets.aim_at(target, block);
        if before != block && before < self.relation.blocks() {
            // How much is not known here.
            self.relation.free_space().note(before, Some(0));
        }
    }

    /// Inserts as many of the rows as find room, in ascending order, and logs that. Gives where; nowhere: the first found none.
    fn fill(
        &self,
        writer: &mut Writer,
        block: BlockNumber,
        page: &PinnedPage,
        rows: &[Vec<Option<&[u8]>>],
    ) -> Result<RowSet> {
        let transaction = writer.transaction.clone();
        let version = Version { xid: transaction.xid, command: writer.command, inserted: true, ..Version::FROZEN };
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        if edit.is_new() {
            let layout = self.shape.current();
            let capacity = capacity_for(&self.shape, layout, modify::variable_bytes(&self.shape, &rows[0]), 0);
            modify::init(&mut edit, &self.shape, layout, capacity);
        } else {
            let heap_page = self.parse(&edit, block)?;
            if !heap_page.stands_alone() {
                return Ok(RowSet::EMPTY);
            }
        }
        let mut placed = RowSet::EMPTY;
        let mut tried = false;
        for row in rows {
            let at = match modify::insert(&mut edit, &self.shape, row, version) {
                Ok(at) => at,
                // Only before the first row: what was placed is to be logged as it is.
                Err(NoRoom) if placed.is_empty() && !tried => {
                    tried = true;
                    self.tidy(&mut edit);
                    self.widen_for(&mut edit, row);
                    match modify::insert(&mut edit, &self.shape, row, version) {
                        Ok(at) => at,
                        Err(NoRoom) => break,
                    }
                }
                Err(NoRoom) => break,
            };
            debug_assert!(at >= placed.end(), "free slots are taken in order, and before new ones");
            placed.insert(at);
        }
        if placed.is_empty() {
            if edit.is_changed() {
                edit.is_just(BlockChange::KeepsEntries);
                commit(&self.store.log, None, &mut [&mut edit]);
            }
            return Ok(placed);
        }
        let header = UndoHeader {
            kind: UndoKind::Inserted,
            xid: transaction.xid,
            command: writer.command,
            previous: transaction.undo(),
            relation: self.relation.id(),
            block,
            rows: placed,
            before: Version::FROZEN,
        };
        writer.undo.record.start(&header);
        edit.is_just(BlockChange::Inserts);
        writer.undo.append(transaction.xid, |pointer, undo| {
            commit(&self.store.log, Some((&transaction, pointer)), &mut [undo, &mut edit]);
        });
        Ok(placed)
    }
}
