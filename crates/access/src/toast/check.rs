//! Do a table's rows and the chunks in its fork belong together? The simulator asks.

use aio::{IoContext, Session};
use arrow_schema::{Field, Schema};
use storage::{Concurrency, ReadStream};
use txn::Snapshot;

use crate::Result;
use crate::heap::Heap;
use crate::heap::scan::HeapScan;
use crate::toast::stored::Pointer;

/// Chunks that the rows which a snapshot sees lead to, and chunks that it sees: as many, if none is missing and none was left.
pub async fn count_chunks(heap: &Heap, session: &Session, snapshot: &Snapshot) -> Result<(u64, u64)> {
    let Some(fork) = heap.toast()? else { return Ok((0, 0)) };
    let variable: Vec<usize> = heap.shape.variable().collect();
    let (mut led_to, mut there) = (0, 0);
    let mut rows = scan(heap, session, snapshot, &variable);
    while let Some(batch) = rows.next_stored().await? {
        for pointer in batch.pointers() {
            if let Ok(pointer) = Pointer::of(pointer) {
                led_to += fork.all_runs(session, &pointer).await?.iter().map(|run| u64::from(run.rows)).sum::<u64>();
            }
        }
    }
    let mut chunks = scan(&fork, session, snapshot, &[]);
    while let Some(batch) = chunks.next_stored().await? {
        there += batch.rows() as u64;
    }
    Ok((led_to, there))
}

fn scan(heap: &Heap, session: &Session, snapshot: &Snapshot, columns: &[usize]) -> HeapScan {
    let fields = columns.iter().map(|&column| Field::new("", heap.shape.columns[column].data_type.clone(), true));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let mut blocks = 0..heap.relation.blocks();
    let next = Box::new(move || blocks.next());
    let (pool, context) = (&heap.store.pool, IoContext::Normal);
    let stream = ReadStream::new(pool, session, &heap.relation, Concurrency::Auto, context, None, next);
    HeapScan::new(heap, session, stream, columns.into(), schema.into(), snapshot.clone())
}
