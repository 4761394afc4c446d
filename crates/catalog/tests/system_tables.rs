//! The catalogs as tables: PostgreSQL's columns, and rows of what is here.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use catalog::Catalog;
use catalog::system_table::{Found, SYSTEM_TABLES, Searches, SystemTable};
use types::{Datum, Repr};

const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

fn table(name: &str) -> &'static dyn SystemTable {
    *SYSTEM_TABLES.iter().find(|table| table.name() == name).unwrap()
}

fn column(table: &dyn SystemTable, name: &str) -> usize {
    table.columns().iter().position(|column| column.attname == name).unwrap()
}

fn select(from: &str, columns: &[&str], conditions: &[(&str, Datum)]) -> Vec<ArrayRef> {
    let table = table(from);
    let columns: Vec<usize> = columns.iter().map(|name| column(table, name)).collect();
    let (names, values): (Vec<&str>, Vec<Datum>) = conditions.iter().cloned().unzip();
    let wanted: Vec<usize> = names.iter().map(|name| column(table, name)).collect();
    let searches = Searches { columns: &wanted, values: &values, count: 1 };
    table.rows(CATALOG, &searches, usize::MAX, &columns, &[]).unwrap().columns
}

#[test]
fn every_column_is_given_or_refused() {
    for table in SYSTEM_TABLES {
        assert_eq!(CATALOG.relation(table.oid()).unwrap().relname, table.name());
        for (place, column) in table.columns().iter().enumerate() {
            match table.rows(CATALOG, &Searches::ALL, usize::MAX, &[place], &[]) {
                Ok(Found { columns: values, .. }) => {
                    let repr = Repr::of(column.atttypid, -1).unwrap();
                    assert_eq!(*values[0].data_type(), repr.arrow(), "{}.{}", table.name(), column.attname);
                    assert!(!column.attnotnull || values[0].null_count() == 0);
                }
                Err(error) => {
                    assert_eq!(error.0.code, "0A000");
                    let ty = CATALOG.format_type(column.atttypid);
                    assert_eq!(ty, "anyarray", "{}", column.attname);
                }
            }
        }
    }
}

#[test]
fn conditions_select_rows() {
    let found = select("pg_type", &["oid", "typdefault"], &[("typname", Datum::text("int4"))]);
    assert_eq!((found[0].as_primitive::<UInt32Type>().values().as_ref(), found[1].null_count()), (&[23][..], 1));
    let found = select("pg_proc", &["proargdefaults"], &[("proname", Datum::text("make_interval"))]);
    assert_eq!(found[0].as_string::<i32>().value(0), "0, 0, 0, 0, 0, 0, 0.0");
    // NULL is equal to nothing.
    let found = select("pg_type", &["oid"], &[("typdefault", Datum::Null)]);
    assert_eq!(found[0].len(), 0);
    let found = select("pg_type", &["oid"], &[("typname", Datum::text("int4")), ("typlen", Datum::I16(8))]);
    assert_eq!(found[0].len(), 0);
}

#[test]
fn searches_find_rows_one_behind_the_other() {
    let table = table("pg_attribute");
    let columns = ["attrelid", "attnum"].map(|name| column(table, name));
    let values = [
        (Datum::U32(1259), Datum::I16(2)),
        (Datum::U32(1259), Datum::I16(9999)),
        (Datum::Null, Datum::I16(1)),
        (Datum::U32(1247), Datum::I16(1)),
        (Datum::U32(1247), Datum::I16(2)),
    ];
    let values: Vec<Datum> = values.into_iter().flat_map(|(relation, number)| [relation, number]).collect();
    let searches = Searches { columns: &columns, values: &values, count: 5 };
    let found = |most| {
        let found = table.rows(CATALOG, &searches, most, &[column(table, "attname")], &[]).unwrap();
        let names: Vec<String> = found.columns[0].as_string::<i32>().iter().flatten().map(String::from).collect();
        (names.join(" "), found.searches, found.done)
    };
    assert_eq!(found(usize::MAX), ("relname oid typname".into(), vec![0, 3, 4], 5));
    assert_eq!(found(2), ("relname oid".into(), vec![0, 3], 4));
}

#[test]
fn arrays_have_their_texts() {
    let text = |from: &str, name: &str, conditions: &[(&str, Datum)]| {
        let ty = table(from).columns()[column(table(from), name)].atttypid;
        let values = select(from, &[name], conditions);
        let mut out = Vec::new();
        let base_type = types::base_type::base_type(ty).unwrap();
        (base_type.output)(&types::Context::default(), &values[0], 0, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    // What PostgreSQL 18 shows.
    let proc = [("oid", Datum::U32(3464))];
    assert_eq!(text("pg_proc", "proargtypes", &proc), "23 23 23 23 23 23 701");
    assert_eq!(text("pg_proc", "proargnames", &proc), "{years,months,weeks,days,hours,mins,secs}");
    assert_eq!(text("pg_index", "indkey", &[("indexrelid", Datum::U32(2663))]), "2 3");
    assert_eq!(text("pg_constraint", "conkey", &[("conname", Datum::text("pg_proc_oid_index"))]), "{1}");
    assert_eq!(text("pg_proc", "proargtypes", &[("proname", Datum::text("now"))]), "");
    let indexes = select("pg_index", &["indkey"], &[("indexrelid", Datum::U32(2663))]);
    assert_ne!(select("pg_index", &["indkey"], &[("indkey", Datum::of(&indexes[0], 0))])[0].len(), 0);
}

#[test]
fn tables_show_what_is_here() {
    let names = |name| select("pg_proc", &["oid"], &[("proname", Datum::text(name))])[0].len();
    assert_eq!(names("int4pl"), 1);
    assert_eq!(names("int4in"), 1);
    assert_eq!(names("pg_ls_tmpdir"), 0);
    let plus = [("oprname", Datum::text("+")), ("oprleft", Datum::U32(23)), ("oprright", Datum::U32(23))];
    assert_eq!(select("pg_operator", &["oprcode"], &plus)[0].as_primitive::<UInt32Type>().value(0), 177);
}
