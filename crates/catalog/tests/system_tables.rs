//! The catalogs as tables: PostgreSQL's columns, and rows of what is here.

use std::cmp::Ordering;
use std::ops::Bound;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use catalog::Catalog;
use catalog::system_table::{Accepts, Condition, Found, SYSTEM_TABLES, Searches, SystemTable, is_compared};
use types::{Datum, Repr, oid};

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
    let searches = Searches { columns: &wanted, values: &values, count: 1, conditions: &[] };
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
    let searches = Searches { columns: &columns, values: &values, count: 5, conditions: &[] };
    let found = |most| {
        let found = table.rows(CATALOG, &searches, most, &[column(table, "attname")], &[]).unwrap();
        let names: Vec<String> = found.columns[0].as_string::<i32>().iter().flatten().map(String::from).collect();
        (names.join(" "), found.searches, found.done)
    };
    assert_eq!(found(usize::MAX), ("relname oid typname".into(), vec![0, 3, 4], 5));
    assert_eq!(found(2), ("relname oid".into(), vec![0, 3], 4));
}

/// As PostgreSQL compares them; `None`: one is NULL.
fn compare(one: &Datum, other: &Datum) -> Option<Ordering> {
    Some(match (one, other) {
        (Datum::Bool(a), Datum::Bool(b)) => a.cmp(b),
        (Datum::U8(a), Datum::U8(b)) => a.cmp(b),
        (Datum::U32(a), Datum::U32(b)) => a.cmp(b),
        (Datum::I16(a), Datum::I16(b)) => a.cmp(b),
        (Datum::I32(a), Datum::I32(b)) => a.cmp(b),
        (Datum::I64(a), Datum::I64(b)) => a.cmp(b),
        (Datum::Text(a), Datum::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Datum::Null, _) | (_, Datum::Null) => return None,
        other => panic!("{other:?}"),
    })
}

/// The values of a column in the rows that meet a condition on it, and how many others there are.
fn meeting(table: &dyn SystemTable, column: usize, accepts: Accepts) -> (Vec<Datum>, usize) {
    let conditions = [Condition { column, accepts }];
    let searches = Searches { conditions: &conditions, ..Searches::ALL };
    let found = table.rows(CATALOG, &searches, usize::MAX, &[column], &[]).unwrap();
    ((0..found.columns[0].len()).map(|row| Datum::of(&found.columns[0], row)).collect(), found.removed)
}

#[test]
fn conditions_are_met_by_the_rows_whose_values_say_so() {
    let mut asked = 0;
    for table in SYSTEM_TABLES {
        for (column, attribute) in table.columns().iter().enumerate() {
            if !is_compared(attribute.atttypid) {
                continue;
            }
            let all = table.rows(CATALOG, &Searches::ALL, usize::MAX, &[column], &[]).unwrap().columns.remove(0);
            let all: Vec<Datum> = (0..all.len()).map(|row| Datum::of(&all, row)).collect();
            let known: Vec<&Datum> = all.iter().filter(|value| !value.is_null()).collect();
            let (Some(&first), Some(&middle)) = (known.first(), known.get(known.len() / 2)) else { continue };
            let is = |value: &Datum, than: &Datum, so: fn(Ordering) -> bool| compare(value, than).is_some_and(so);
            let expected = |meets: &dyn Fn(&Datum) -> bool| all.iter().filter(|value| meets(value)).cloned().collect();
            let (from, to) = (Bound::Included(first.clone()), Bound::Excluded(middle.clone()));
            let behind = Bound::Excluded(first.clone());
            let until = Bound::Included(middle.clone());
            let cases: [(Accepts, Vec<Datum>); 4] = [
                (
                    Accepts::Between(from, to),
                    expected(&|value| is(value, first, Ordering::is_ge) && is(value, middle, Ordering::is_lt)),
                ),
                (Accepts::Between(behind, Bound::Unbounded), expected(&|value| is(value, first, Ordering::is_gt))),
                (Accepts::Between(Bound::Unbounded, until), expected(&|value| is(value, middle, Ordering::is_le))),
                (
                    Accepts::OneOf(vec![first.clone(), middle.clone()]),
                    expected(&|value| is(value, first, Ordering::is_eq) || is(value, middle, Ordering::is_eq)),
                ),
            ];
            for (accepts, expected) in cases {
                let text = format!("{}.{} {accepts:?}", table.name(), attribute.attname);
                let (met, removed) = meeting(*table, column, accepts);
                // Rows that are found by their names come in the order of these, and others are not looked at.
                assert!(sorted(&met) == sorted(&expected), "{text}");
                assert!(attribute.atttypid == oid::NAME || met.len() + removed >= all.len(), "{text}");
            }
            asked += 1;
        }
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn integers_compare_with_those_of_other_sizes() {
    let table = table("pg_attribute");
    let column = column(table, "attnum");
    let count = |accepts| meeting(table, column, accepts).0.len();
    let above = |value| count(Accepts::Between(Bound::Excluded(value), Bound::Unbounded));
    let all = above(Datum::I64(i64::MIN));
    assert!(above(Datum::I16(0)) > 1000 && above(Datum::I16(0)) < all);
    assert_eq!([above(Datum::I32(0)), above(Datum::I64(0))], [above(Datum::I16(0)); 2]);
    assert_eq!(above(Datum::I32(100_000)), 0);
    assert_eq!(count(Accepts::OneOf(vec![Datum::I32(65_537)])), 0, "it is not cut to the column's size");
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

fn sorted(values: &[Datum]) -> Vec<String> {
    let mut texts: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    texts.sort_unstable();
    texts
}
