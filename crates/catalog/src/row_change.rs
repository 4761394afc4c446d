//! Changes of the catalogs: put a row, or delete the row of a key, whatever the catalog. Transactions collect them
//! ([`Pending`]), and the log and the catalogs' file have them as bytes.
//!
//! # Format
//! Each change is a database's oid (0: what all databases share), a catalog's oid, and either the row's length + 1 and its
//! bytes ([`crate::stored_row`]), or 0 and the key's columns. Numbers are varints.
//!
//! # Rules
//! * A transaction changes rows as it saw them, and others may change other fields of the same row until it commits: what it
//!   changed is done to the row that is there then. Where both changed the same field the later commit counts: the commands'
//!   locks keep two from meaning the same part. A row that was deleted meanwhile stays deleted.

use types::Oid;

use crate::stored_row::{Stored, put_varint, take_bytes, take_varint};
use crate::syscache::{Catalog, CatalogKey, CatalogRow, Keyed, Objects};

#[derive(Clone, Debug, PartialEq)]
pub enum RowChange {
    Put(CatalogRow),
    Delete(CatalogKey),
}

impl RowChange {
    pub fn key(&self) -> CatalogKey {
        match self {
            RowChange::Put(row) => row.key(),
            RowChange::Delete(key) => *key,
        }
    }

    pub fn apply(self, objects: &mut Objects) {
        match self {
            RowChange::Put(row) => row.put(objects),
            RowChange::Delete(key) => key.delete(objects),
        }
    }

    /// Adds the bytes of the change in a database.
    pub fn encode(&self, database: Oid, out: &mut Vec<u8>) {
        put_varint(database.into(), out);
        put_varint(self.key().catalog().into(), out);
        match self {
            RowChange::Put(row) => {
                let mut bytes = Vec::with_capacity(128);
                row.encode(&mut bytes);
                put_varint(bytes.len() as u64 + 1, out);
                out.extend(bytes);
            }
            RowChange::Delete(key) => {
                out.push(0);
                key.encode(out);
            }
        }
    }

    /// Takes a change, and the database that it is in, from the beginning of bytes; `None`: they begin with none.
    pub fn decode(bytes: &mut &[u8]) -> Option<(Oid, RowChange)> {
        let database = Oid::take(bytes)?;
        let catalog = Oid::take(bytes)?;
        let change = match take_varint(bytes)? {
            0 => RowChange::Delete(CatalogKey::decode(catalog, bytes)?),
            length => {
                let row = take_bytes(bytes, usize::try_from(length - 1).ok()?)?;
                RowChange::Put(CatalogRow::decode(catalog, row)?)
            }
        };
        Some((database, change))
    }
}

/// A change of a transaction that has not committed yet.
#[derive(Clone, Debug)]
pub struct Pending {
    key: CatalogKey,
    /// The row that it was made from; `None`: there was none.
    before: Option<CatalogRow>,
    /// `None`: it is deleted.
    after: Option<CatalogRow>,
}

impl Pending {
    /// Puts a row where the caller saw `before`, or nothing.
    pub fn put<R: Keyed>(before: Option<&R>, after: R) -> Pending {
        let before = before.map(|row| R::any(row.clone().into()));
        Pending::new(before, Some(R::any(after.into()))).expect("a row is put")
    }

    /// Deletes a row that the caller saw.
    pub fn delete<R: Keyed>(row: &R) -> Pending {
        Pending::new(Some(R::any(row.clone().into())), None).expect("a row is deleted")
    }

    /// `None`: there is no row at all.
    pub fn new(before: Option<CatalogRow>, after: Option<CatalogRow>) -> Option<Pending> {
        let key = before.as_ref().or(after.as_ref())?.key();
        assert!([&before, &after].into_iter().flatten().all(|row| row.key() == key), "a row keeps its key");
        Some(Pending { key, before, after })
    }

    pub fn key(&self) -> CatalogKey {
        self.key
    }

    /// The change to what there is now; `None`: another has deleted the row.
    pub fn onto(&self, catalog: Catalog<'_>) -> Option<RowChange> {
        let Some(after) = &self.after else { return Some(RowChange::Delete(self.key)) };
        let Some(before) = &self.before else { return Some(RowChange::Put(after.clone())) };
        let now = self.key.row(catalog)?;
        let row = if now == *before { after.clone() } else { after.onto(before, &now) };
        Some(RowChange::Put(row))
    }
}
