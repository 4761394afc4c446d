//! Which names find their objects without a schema: asked of all objects of a name, whatever their schemas' places in the search path.

use catalog::system_table::{SYSTEM_TABLES, Searches};
use catalog::{Catalog, PG_CATALOG};
use types::names::{PG_CLASS, PG_PROC, PG_TYPE};
use types::{Datum, Oid};

/// Oids, schemas, and what else is unique in a schema.
fn objects(table: &str, columns: &[&str]) -> Vec<(Oid, Oid, Vec<Datum>)> {
    let table = *SYSTEM_TABLES.iter().find(|known| known.name() == table).unwrap();
    let place = |name: &&str| table.columns().iter().position(|column| column.attname == *name).unwrap();
    let places: Vec<usize> = columns.iter().map(place).collect();
    let found = table.rows(Catalog::BUILT_IN, &Searches::ALL, usize::MAX, &places, &[]).unwrap().columns;
    let value = |row: usize, at: usize| Datum::of(&found[at], row);
    let oid = |value: Datum| if let Datum::U32(oid) = value { oid } else { panic!("{value:?}") };
    let object = |row| (oid(value(row, 0)), oid(value(row, 1)), (2..places.len()).map(|at| value(row, at)).collect());
    (0..found[0].len()).map(object).collect()
}

#[test]
fn an_object_is_visible_if_it_is_the_first_of_its_name() {
    let information_schema = Catalog::BUILT_IN.namespace_oid("information_schema").unwrap();
    let paths: [&[Oid]; 4] = [&[PG_CATALOG], &[PG_CATALOG, information_schema], &[information_schema, PG_CATALOG], &[]];
    let kinds = [
        (PG_CLASS, objects("pg_class", &["oid", "relnamespace", "relname"])),
        (PG_TYPE, objects("pg_type", &["oid", "typnamespace", "typname"])),
        (PG_PROC, objects("pg_proc", &["oid", "pronamespace", "proname", "proargtypes"])),
    ];
    for path in paths {
        let catalog = Catalog { search_path: path, ..Catalog::BUILT_IN };
        for (class, objects) in &kinds {
            let mut visible = 0;
            let place = |schema: &Oid| path.iter().position(|searched| searched == schema);
            for (oid, schema, name) in objects.iter().step_by(7) {
                let before = |(_, other, named): &(Oid, Oid, Vec<Datum>)| named == name && place(other) < place(schema);
                let is_before = |other: &(Oid, Oid, Vec<Datum>)| place(&other.1).is_some() && before(other);
                let expected = place(schema).is_some() && !objects.iter().any(is_before);
                assert_eq!(catalog.is_visible(*class, *oid), Some(expected), "{class} {oid} {name:?} in {path:?}");
                visible += usize::from(expected);
            }
            assert_eq!(visible == 0, path.is_empty(), "{class} in {path:?}");
        }
    }
}
