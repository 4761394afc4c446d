//! Deleting the chunks of values that rows have no more.

use storage::Concurrency;
use txn::Snapshot;

use crate::Result;
use crate::heap::change::RowChange;
use crate::heap::pages::Pages;
use crate::heap::{Heap, Writer};
use crate::toast::stored::{Pointer, Run};

impl Heap {
    /// Deletes the chunks of values that no row has any more when the transaction commits. What is missing is gone already.
    pub(crate) async fn delete_values(&self, writer: &mut Writer, pointers: &[Vec<u8>]) -> Result<()> {
        let Some(fork) = self.toast()? else { return Ok(()) };
        let session = writer.session.clone();
        let mut runs = Vec::new();
        for pointer in pointers {
            if let Ok(pointer) = Pointer::of(pointer) {
                runs.extend(fork.all_runs(&session, &pointer).await?);
            }
        }
        runs.sort_unstable_by_key(|run| (run.block, run.row));
        let by_block: Vec<&[Run]> = runs.chunk_by(|a, b| a.block == b.block).collect();
        let mut pages =
            Pages::new(&fork, &session, Concurrency::Auto, by_block.iter().map(|runs| runs[0].block).collect());
        let snapshot = Snapshot::empty();
        for (at, runs) in by_block.iter().enumerate() {
            // Pinned for as long as it is changed.
            let Some(_page) = pages.page(at).await? else { continue };
            let tids = runs.iter().flat_map(|run| run.tids());
            let rows: Vec<(u16, RowChange<'_>)> = tids.map(|tid| (tid.row, RowChange::Delete)).collect();
            fork.change_rows(writer, &snapshot, runs[0].block, &rows, &mut vec![None; rows.len()]).await?;
        }
        Ok(())
    }
}
