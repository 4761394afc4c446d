//! Definitions come back from the rows that are made of them.

use std::sync::Arc;

use access::Storage;
use catalog::{Objects, PUBLIC, RowChange};
use types::names::{PG_CLASS, PG_TYPE};
use types::oid;

use super::rows::difference;
use super::*;
use crate::column_type::ColumnType;

fn tree(text: &str, references: &[(u32, u32, i32)]) -> NodeTree {
    let address = |&(class, oid, column): &(u32, u32, i32)| ObjectAddress { class, oid, column };
    NodeTree { text: text.into(), references: references.iter().map(address).collect() }
}

/// The rows of a new definition, as a database has them.
fn stored<D: rows::Defined>(definition: &D) -> Objects {
    let mut objects = Objects::default();
    for pending in difference(5, None, Some(definition), catalog::Catalog::BUILT_IN) {
        let change = pending.onto(relcache::users(&Objects::default())).expect("it is new");
        let (mut bytes, again) = (Vec::new(), change.clone());
        change.encode(5, &mut bytes);
        assert_eq!(RowChange::decode(&mut &bytes[..]), Some((5, again.clone())), "as the log has it");
        again.apply(&mut objects);
    }
    objects
}

fn column(name: &str, ty: u32) -> ColumnDef {
    ColumnDef::new(name, ColumnType::of(ty))
}

fn columns() -> Vec<ColumnDef> {
    let id = ColumnDef { identity: Some(Identity::ByDefault), not_null: true, ..column("id", oid::INT4) };
    let name = ColumnDef {
        default: Some(tree("{Const:{a \"b c\"}}", &[(PG_TYPE, 20_001, 0), (PG_CLASS, 20_000, 0)])),
        storage: Some(Storage::External),
        compression: true,
        statistics_target: Some(7),
        collation: Some(950),
        options: vec![("n_distinct".into(), "-0.5".into())],
        lies: Lies::First { nullable: false },
        ..ColumnDef::new("name", ColumnType::built_in(oid::VARCHAR, 24))
    };
    let mut gone = ColumnDef { lies: Lies::Added(16_500), ..column("gone", oid::TEXT) };
    gone.drop(3, 77);
    let missing = MissingValue { bytes: vec![1, 0, 0, 0], text: "1".into() };
    let added = ColumnDef { lies: Lies::Added(16_600), missing: Some(missing), ..column("added", oid::INT4) };
    vec![id, name, gone, added, ColumnDef { lies: Lies::Nowhere, ..column("last", oid::TEXT) }]
}

fn indexes() -> Vec<IndexDef> {
    let key = IndexDef {
        file: 17_000,
        unique: true,
        primary: true,
        constraint: true,
        clustered: true,
        made_after: 12,
        pages: 4,
        included: vec![3],
        ..IndexDef::new(16_601, "t_pkey", vec![IndexColumn::of(0)])
    };
    let expression = |name: &str, columns: &[usize], references: &[(u32, u32, i32)]| {
        let computed = Computed { tree: tree(&format!("{{Op:{{({name})}}}}"), references), columns: columns.to_vec() };
        IndexKey::Expression(Box::new(IndexExpression {
            name: name.into(),
            computed,
            ty: ColumnType::of(oid::TEXT),
            collation: Some(950),
            statistics_target: Some(3),
        }))
    };
    let of = |key: IndexKey| IndexColumn { key, descending: true, nulls_first: true, collation: Some(951) };
    let by_column = IndexColumn { collation: Some(100), ..IndexColumn::of(1) };
    let computed = IndexDef {
        compressed_keys: false,
        nulls_not_distinct: true,
        valid: false,
        predicate: Some(Computed { tree: tree("{Null:{attno 2}}", &[]), columns: vec![1] }),
        options: vec![("fillfactor".into(), "70".into())],
        ..IndexDef::new(
            16_602,
            "t_computed",
            vec![
                of(expression("lower", &[1, 3], &[(PG_CLASS, 20_002, 0)])),
                by_column,
                of(expression("abs", &[0], &[])),
            ],
        )
    };
    vec![key, computed]
}

fn analyzed() -> Analyzed {
    let found = AnalyzedColumn {
        null_fraction: 0.25,
        width: 4,
        distinct: -0.5,
        common: vec![("1".into(), 0.5), ("2".into(), 0.125)],
        histogram: vec!["3".into(), "9".into()],
        correlation: Some(-1.0),
    };
    let bare = AnalyzedColumn { common: vec![], histogram: vec![], correlation: None, ..found.clone() };
    Analyzed {
        pages: 9,
        rows: 128.0,
        all_visible: 3,
        columns: vec![Some(found.clone()), None, None, Some(bare.clone()), None],
        indexes: vec![AnalyzedIndex { oid: 16_602, part: 0.5, expressions: vec![Some(found), Some(bare)] }],
    }
}

fn whole_table() -> TableDef {
    let mut table = TableDef {
        file: 16_999,
        tablespace: 16_400,
        moved_by: 99,
        unlogged: true,
        row_type: 16_591,
        array_type: 16_592,
        schema: "public".into(),
        indexes: indexes(),
        checks: vec![CheckDef {
            oid: 16_603,
            name: "t_check".into(),
            condition: tree("{Op:{attno 1}}", &[(PG_CLASS, 16_590, 1), (PG_CLASS, 20_003, 0)]),
        }],
        analyzed: Some(analyzed()),
        options: vec![("autovacuum_enabled".into(), "off".into())],
        ..TableDef::new(16_590, (PUBLIC, "t"), 16_393, columns())
    };
    let mut next = 18_000;
    table.assign_oids(|| {
        next += 1;
        next
    });
    table
}

#[test]
fn tables_come_back() {
    let table = whole_table();
    let objects = stored(&table);
    assert_eq!(relcache::table(relcache::users(&objects), table.oid), Some(table));
}

#[test]
fn plain_tables_come_back() {
    let table = TableDef { schema: "public".into(), ..TableDef::new(16_590, (PUBLIC, "t"), 10, vec![]) };
    let objects = stored(&table);
    assert_eq!(relcache::table(relcache::users(&objects), table.oid), Some(table));
}

#[test]
fn views_come_back() {
    let column = |name: &str, default: Option<NodeTree>| ViewColumn {
        name: name.into(),
        ty: ColumnType::of(oid::TEXT),
        default_oid: default.as_ref().map_or(0, |_| 18_000),
        default,
        collation: Some(950),
    };
    let view = ViewDef {
        oid: 16_700,
        rule: 16_701,
        row_type: 16_702,
        array_type: 16_703,
        namespace: PUBLIC,
        schema: "public".into(),
        temporary: true,
        name: "v".into(),
        owner: 10,
        columns: vec![column("a", Some(tree("{Const}", &[(PG_CLASS, 20_000, 0)]))), column("b", None)],
        query: tree("{{command Select}}", &[(PG_CLASS, 16_590, 1), (PG_CLASS, 16_590, 2)]),
        options: vec![("security_barrier".into(), "true".into())],
    };
    let objects = stored(&view);
    assert_eq!(relcache::view(relcache::users(&objects), view.oid), Some(view));
}

#[test]
fn sequences_come_back() {
    let sequence = SequenceDef {
        file: 16_801,
        schema: "public".into(),
        ty: oid::INT2,
        start: 3,
        increment: -2,
        min: -5,
        max: 7,
        cache: 9,
        cycle: true,
        owned_by: Some((16_590, 4)),
        identity: true,
        ..SequenceDef::new(16_800, (PUBLIC, "s"), 10)
    };
    let objects = stored(&sequence);
    assert_eq!(relcache::sequence(relcache::users(&objects), sequence.oid), Some(sequence));
}

#[test]
fn what_two_sessions_change_of_a_table_comes_together() {
    let table = whole_table();
    let objects = stored(&table);
    let catalog = relcache::users(&objects);
    let mut other = TableDef { options: vec![], ..table.clone() };
    other.indexes.remove(1);
    let mut own = TableDef { analyzed: None, ..table.clone() };
    own.indexes.push(IndexDef::new(16_900, "t_last", vec![IndexColumn::of(3)]));
    let mut now = objects.clone();
    for changed in [&other, &own] {
        for pending in difference(5, Some(&table), Some(changed), catalog) {
            let change = pending.onto(relcache::users(&now));
            change.into_iter().for_each(|change| change.apply(&mut now));
        }
    }
    let both = relcache::table(relcache::users(&now), table.oid).expect("it is there");
    let names: Vec<&str> = both.indexes.iter().map(|index| &*index.name).collect();
    assert_eq!((names, both.options, both.analyzed), (vec!["t_pkey", "t_last"], vec![], None));
}

#[test]
fn a_dropped_table_leaves_no_row() {
    let table = whole_table();
    let mut objects = stored(&table);
    for pending in difference(5, Some(&table), None, relcache::users(&objects.clone())) {
        pending.onto(relcache::users(&objects)).expect("it is there").apply(&mut objects);
    }
    objects.each_change(|change| panic!("{change:?} is left"));
}

#[test]
fn entries_are_kept_until_a_row_changes() {
    let mut catalog = new_cluster("postgres");
    let table = TableDef { schema: "public".into(), ..TableDef::new(16_590, (PUBLIC, "t"), 10, columns()) };
    let mut assigned = TableDef { indexes: vec![], ..table };
    assigned.assign_oids(|| 18_000);
    let put = |catalog: &mut Catalog, before: Option<&TableDef>, after: &TableDef| {
        let rows = catalog.rows(5);
        let changes: Vec<DatabaseChange> = difference(5, before, Some(after), rows)
            .into_iter()
            .filter_map(|pending| pending.onto(rows))
            .map(|change| (5, change))
            .collect();
        catalog.apply(&changes);
    };
    let find = |catalog: &Catalog| catalog.database_by_oid(5).and_then(|found| found.table_by_oid(16_590)).cloned();
    put(&mut catalog, None, &assigned);
    let (first, version) = (find(&catalog).expect("it was made"), catalog.clone());
    let other = SequenceDef::new(16_800, (PUBLIC, "s"), 10);
    let changes = difference(5, None, Some(&other), catalog.rows(5));
    let changes: Vec<_> =
        changes.into_iter().filter_map(|pending| pending.onto(catalog.rows(5))).map(|change| (5, change)).collect();
    catalog.apply(&changes);
    assert!(Arc::ptr_eq(&first, &find(&catalog).expect("it is there")), "another relation has changed");
    let renamed = TableDef { name: "u".into(), ..TableDef::clone(&first) };
    put(&mut catalog, Some(&first), &renamed);
    assert_eq!(find(&catalog).expect("it is there").name, "u");
    assert!(Arc::ptr_eq(&first, &find(&version).expect("it is there")), "versions stay as they were");
}
