//! Makes the catalog of the batches of the catalogs' file, when a server starts: on all processors, and sorted before it is put
//! into maps. One row after the other takes several times as long.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use catalog::{Gathered, RowChange};
use types::Oid;

use super::file::Batch;
use super::{Catalog, DatabaseChange};

/// Changes in their order, those of each database apart.
#[derive(Default)]
struct Changes {
    /// Of what all databases share, databases themselves among it.
    shared: Vec<DatabaseChange>,
    own: BTreeMap<Oid, Own>,
}

#[derive(Default)]
struct Own {
    rows: Gathered,
    next_oid: Oid,
    youngest_index: u64,
}

/// The catalog, or what is wrong with the batches.
pub(super) fn catalog(batches: &[Batch<'_>]) -> Result<Catalog, &'static str> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let parts: Vec<_> = thread::scope(|scope| {
        let parts = batches.chunks(batches.len().div_ceil(threads).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| Changes::of(part))).collect();
        parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut changes = Changes::default();
    for part in parts {
        changes.append(part?);
    }
    Ok(changes.into_catalog())
}

impl Changes {
    fn of(batches: &[Batch<'_>]) -> Result<Changes, &'static str> {
        let mut changes = Changes::default();
        for batch in batches {
            batch.changes()?.into_iter().for_each(|change| changes.add(change));
        }
        Ok(changes)
    }

    fn add(&mut self, (database, change): DatabaseChange) {
        if change.key().is_shared() {
            self.shared.push((database, change));
            return;
        }
        let own = self.own.entry(database).or_default();
        if let RowChange::Put(row) = &change {
            own.next_oid = own.next_oid.max(super::last_oid(row).saturating_add(1));
            own.youngest_index = own.youngest_index.max(super::made_after(row));
        }
        own.rows.add(change);
    }

    /// Adds changes that come later.
    fn append(&mut self, later: Changes) {
        self.shared.extend(later.shared);
        for (database, later) in later.own {
            let own = self.own.entry(database).or_default();
            own.rows.append(later.rows);
            own.next_oid = own.next_oid.max(later.next_oid);
            own.youngest_index = own.youngest_index.max(later.youngest_index);
        }
    }

    fn into_catalog(self) -> Catalog {
        let mut catalog = Catalog::default();
        catalog.apply(&self.shared);
        for (oid, own) in self.own {
            catalog.next_oid = catalog.next_oid.max(own.next_oid);
            // A database that was dropped has none.
            if let Some(database) = catalog.databases.get_mut(&oid) {
                database.fill(own.rows.into_objects(), &catalog.shared, own.youngest_index);
            }
        }
        catalog
    }
}
