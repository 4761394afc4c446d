//! The catalogs as tables: PostgreSQL's columns, and rows of what is here.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use catalog::Catalog;
use catalog::system_table::{SYSTEM_TABLES, SystemTable};
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
    let conditions: Vec<_> = conditions.iter().map(|(name, value)| (column(table, name), value.clone())).collect();
    table.rows(CATALOG, &conditions, &columns, &[]).unwrap()
}

#[test]
fn every_column_is_given_or_refused() {
    for table in SYSTEM_TABLES {
        assert_eq!(CATALOG.relation(table.oid()).unwrap().relname, table.name());
        for (place, column) in table.columns().iter().enumerate() {
            match table.rows(CATALOG, &[], &[place], &[]) {
                Ok(values) => {
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
