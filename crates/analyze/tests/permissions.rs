//! What queries over tables.sql need: privileges and columns of each relation, and whose they are.

#[allow(dead_code)]
mod statements;

use analyze::rewrite::{RelationPermissions, relation_permissions};
use statements::{Tables, analyzed};
use types::acl::PRIVILEGES;

/// A row for each relation, as `owner? name=letters selected|inserted|updated`.
fn needed(query: &str) -> Vec<String> {
    let tables = Tables::new();
    let catalog = tables.catalog();
    let analyzed = analyzed(&tables, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let columns = |relation: u32, numbers: &std::collections::BTreeSet<i16>| {
        let name = |number: &i16| match number {
            0 => "*".to_string(),
            number => catalog.attributes(relation).find(|row| row.attnum == *number).unwrap().attname.to_string(),
        };
        numbers.iter().map(name).collect::<Vec<_>>().join(",")
    };
    let row = |row: &RelationPermissions| {
        let letters: String =
            PRIVILEGES.iter().filter(|(.., mode)| row.required & mode != 0).map(|(letter, ..)| *letter).collect();
        let of = |numbers| columns(row.relation, numbers);
        let name = &catalog.relation(row.relation).unwrap().relname;
        let owner = row.check_as.map_or(String::new(), |owner| format!("{owner} "));
        format!("{owner}{name}={letters} {}|{}|{}", of(&row.selected), of(&row.inserted), of(&row.updated))
    };
    relation_permissions(catalog, &catalog, &analyzed).unwrap().iter().map(row).collect()
}

#[test]
fn columns_are_those_that_are_read() {
    assert_eq!(needed("select count(*) from t"), ["t=r ||"]);
    assert_eq!(needed("select a from t where b = 'x' order by d"), ["t=r a,b,d||"]);
    assert_eq!(needed("select t from t"), ["t=r *||"]);
    assert_eq!(needed("select 1 from t where exists (select 1 from u where u.a = t.g)"), ["t=r g||", "u=r a||"]);
    assert_eq!(needed("with x as (select b from t) select * from x"), ["t=r b||"]);
    assert_eq!(needed("select a from t for update"), ["t=rw a||"]);
}

#[test]
fn joins_read_what_they_merge_and_what_is_named() {
    assert_eq!(needed("select t.b from t join u using (a)"), ["t=r a,b||", "u=r a||"]);
    assert_eq!(needed("select x from t full join u using (a)"), ["t=r a||", "u=r a,x||"]);
    assert_eq!(needed("select j from (t join u on true) as j"), ["t=r *||", "u=r *||"]);
}

#[test]
fn changes_need_the_columns_that_get_values() {
    assert_eq!(needed("insert into u(a, x) values (1, 'x')"), ["u=a |a,x|"]);
    assert_eq!(needed("insert into u(a) values (1) returning z"), ["u=ar z|a|"]);
    assert_eq!(needed("update u set x = 'y'"), ["u=w ||x"]);
    assert_eq!(needed("update u set x = x where a = 1"), ["u=rw a,x||x"]);
    assert_eq!(needed("delete from u"), ["u=d ||"]);
    assert_eq!(needed("delete from u using t where t.a = u.a"), ["u=rd a||", "t=r a||"]);
    let conflict = needed("insert into t(a, e) values (1, 'e') on conflict (a) do update set b = excluded.e");
    assert_eq!(conflict, ["t=arw a|a,e|b", "t=r e||"]);
    let merge =
        "merge into u using t on t.a = u.a when matched then delete when not matched then insert (a) values (1)";
    assert_eq!(needed(merge), ["u=ard a|a|", "t=r a||"]);
}

#[test]
fn a_view_reads_as_its_owner() {
    assert_eq!(needed("select a from w"), ["w=r a||", "10 t=r a,b||"]);
    assert_eq!(needed("select 1 from w, w as again"), ["w=r ||", "w=r ||", "10 t=r a,b||"]);
    assert_eq!(needed("select a from of_agg"), ["of_agg=r a||", "10 agg=r a||", "10 t=r a||"]);
    assert_eq!(needed("select relname from pg_stat_all_tables"), ["pg_stat_all_tables=r relname||"]);
}

#[test]
fn a_view_that_is_changed_needs_its_table_changed() {
    assert_eq!(needed("update w set b = 'x' where a = 1"), ["w=rw a||b", "10 t=rw a,b||b"]);
    assert_eq!(needed("insert into dv(dd, c) values ('x', 1)"), ["dv=a |c,dd|", "10 def=a b,c,d,n,o|c,d|"]);
}
