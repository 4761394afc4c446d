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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PUBLIC;
    use crate::catalogs::{PgDescription, PgNamespace};
    use crate::syscache::Gathered;

    fn of(objects: &Objects) -> Catalog<'_> {
        Catalog { objects: Some(objects), ..Catalog::BUILT_IN }
    }

    fn put<R: Keyed>(objects: &mut Objects, row: R) {
        RowChange::Put(R::any(row.into())).apply(objects);
    }

    fn public() -> PgNamespace {
        Catalog::BUILT_IN.namespace(PUBLIC).expect("it is built in").clone()
    }

    #[test]
    fn built_in_rows_are_replaced_and_come_back() {
        let mut objects = Objects::default();
        put(&mut objects, PgNamespace { nspname: "open".into(), ..public() });
        let named = |objects: &Objects, name: &str| of(objects).namespaces_named(name).count();
        assert_eq!(of(&objects).namespace(PUBLIC).expect("it is there").nspname, "open");
        assert_eq!((named(&objects, "public"), named(&objects, "open")), (0, 1));
        let all = |objects: &Objects| {
            <PgNamespace as crate::Scan>::visible(of(objects)).filter(|row| row.oid == PUBLIC).count()
        };
        assert_eq!(all(&objects), 1);
        put(&mut objects, public());
        assert_eq!((named(&objects, "public"), named(&objects, "open"), all(&objects)), (1, 0, 1));
        objects.each_change(|change| panic!("{change:?} changes nothing"));
    }

    #[test]
    fn built_in_rows_are_deleted_as_the_log_says_it() {
        let comment = (2200, 2615, 0);
        assert!(Catalog::BUILT_IN.description(comment).is_some());
        let change = RowChange::Delete(CatalogKey::PgDescription(comment));
        let mut bytes = Vec::new();
        change.encode(5, &mut bytes);
        assert_eq!(RowChange::decode(&mut &bytes[..]), Some((5, change.clone())));
        let mut objects = Objects::default();
        change.clone().apply(&mut objects);
        assert_eq!(of(&objects).description(comment), None);
        assert_eq!(of(&objects).descriptions_of(2200).filter(|row| row.classoid == 2615).count(), 0);
        let mut kept = Vec::new();
        objects.each_change(|change| kept.push(change));
        assert_eq!(kept, [change]);
        let description = "another".into();
        put(&mut objects, PgDescription { objoid: 2200, classoid: 2615, objsubid: 0, description });
        assert_eq!(of(&objects).description(comment).map(|row| &*row.description), Some("another"));
    }

    #[test]
    fn changes_of_one_row_come_together() {
        let (before, mut objects) = (public(), Objects::default());
        let owner = Pending::put(Some(&before), PgNamespace { nspowner: 20_000, ..before.clone() });
        let renamed = Pending::put(Some(&before), PgNamespace { nspname: "open".into(), ..before.clone() });
        for pending in [&owner, &renamed] {
            pending.onto(of(&objects)).expect("it is there").apply(&mut objects);
        }
        let both = PgNamespace { nspowner: 20_000, nspname: "open".into(), ..before.clone() };
        assert_eq!(of(&objects).namespace(PUBLIC), Some(&both));
        Pending::delete(&both).onto(of(&objects)).expect("it is there").apply(&mut objects);
        assert_eq!(owner.onto(of(&objects)), None, "what was deleted meanwhile stays deleted");
    }

    #[test]
    fn changes_at_once_make_what_they_make_one_by_one() {
        let comment = |objoid: Oid, description: &'static str| {
            let description = description.into();
            RowChange::Put(PgDescription::any(
                PgDescription { objoid, classoid: 2615, objsubid: 0, description }.into(),
            ))
        };
        let delete = |objoid: Oid| RowChange::Delete(CatalogKey::PgDescription((objoid, 2615, 0)));
        let schema = |row: PgNamespace| RowChange::Put(PgNamespace::any(row.into()));
        let mut changes = vec![
            comment(20_001, "b"),
            comment(20_000, "a"),
            // A built-in row is replaced, deleted, and as it was.
            comment(2200, "another"),
            delete(11),
            schema(PgNamespace { nspname: "open".into(), ..public() }),
            schema(public()),
            delete(20_001),
            comment(20_001, "c"),
            comment(20_002, "d"),
            delete(20_002),
        ];
        changes.extend((0..30_000).map(|n| schema(PgNamespace { oid: 30_000 + n * 7 % 30_000, ..public() })));
        let (mut one_by_one, mut first, mut second) = (Objects::default(), Gathered::default(), Gathered::default());
        for (at, change) in changes.into_iter().enumerate() {
            change.clone().apply(&mut one_by_one);
            if at < 5 { &mut first } else { &mut second }.add(change);
        }
        first.append(second);
        let at_once = first.into_objects();
        let all = |objects: &Objects| {
            let mut all = Vec::new();
            objects.each_change(|change| all.push(change));
            all
        };
        assert_eq!(all(&at_once), all(&one_by_one));
        let named = |objects: &Objects| of(objects).namespaces_named("public").map(|row| row.oid).collect::<Vec<_>>();
        assert_eq!(named(&at_once), named(&one_by_one));
        assert_eq!(named(&at_once).len(), 30_001);
    }

    proptest::proptest! {
        #[test]
        fn other_bytes_are_no_changes(noise: Vec<u8>) {
            // Whatever they give, it is no panic.
            let mut rest = &noise[..];
            while RowChange::decode(&mut rest).is_some() {}
        }
    }
}
