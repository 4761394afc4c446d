//! The facts are whole: every catalog is read, and what rows refer to is there.

use catalog::catalogs::*;
use catalog::implemented::{
    aggregates, declarations, declared, declared_aggregate, declared_set_function, declared_window_function,
    set_functions, window_functions,
};
use catalog::{Catalog, QualifiedName, Scan, sql_type_name};
use types::{Oid, oid};

const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

fn is_type(ty: Oid) -> bool {
    ty == oid::INVALID || CATALOG.pg_type(ty).is_some()
}

fn is_function(function: Oid) -> bool {
    function == oid::INVALID || CATALOG.function(function).is_some()
}

fn is_operator(operator: Oid) -> bool {
    operator == oid::INVALID || CATALOG.operator(operator).is_some()
}

#[test]
fn every_catalog_is_read() {
    let rows = [
        PgAggregate::all().len(),
        PgAm::all().len(),
        PgAmop::all().len(),
        PgAmproc::all().len(),
        PgAttribute::all().len(),
        PgCast::all().len(),
        PgClass::all().len(),
        PgCollation::all().len(),
        PgConstraint::all().len(),
        PgDescription::all().len(),
        PgIndex::all().len(),
        PgInitPrivs::all().len(),
        PgLanguage::all().len(),
        PgNamespace::all().len(),
        PgOpclass::all().len(),
        PgOperator::all().len(),
        PgOpfamily::all().len(),
        PgProc::all().len(),
        PgRange::all().len(),
        PgRewrite::all().len(),
        PgType::all().len(),
    ];
    println!("{rows:?}, {} rows", rows.iter().sum::<usize>());
    assert!(rows.iter().all(|&rows| rows > 3));
}

#[test]
fn rows_refer_to_rows() {
    for row in PgProc::all() {
        let name = &row.proname;
        assert!(is_type(row.prorettype) && row.proargtypes.iter().all(|&ty| is_type(ty)), "{name}");
        assert_eq!(row.proargtypes.len(), row.pronargs as usize, "{name}");
        let defaults = row.proargdefaults.as_ref().map_or(0, |defaults| defaults.0.len());
        assert_eq!(defaults, row.pronargdefaults as usize, "{name}");
        let all = row.proallargtypes.as_ref().map(|all| all.len());
        if let Some(modes) = &row.proargmodes {
            assert_eq!(modes.len(), all.unwrap_or(row.proargtypes.len()), "{name}");
        }
        if let Some(names) = &row.proargnames {
            assert_eq!(names.len(), all.unwrap_or(row.proargtypes.len()), "{name}");
        }
        assert_eq!(row.prokind == b'a', CATALOG.aggregate(row.oid).is_some(), "{name}");
    }
    for row in PgType::all() {
        let functions = [row.typinput, row.typoutput, row.typreceive, row.typsend, row.typmodin, row.typmodout];
        assert!(functions.into_iter().all(is_function), "{}", row.typname);
        assert!(is_type(row.typelem) && is_type(row.typarray) && is_type(row.typbasetype), "{}", row.typname);
    }
    for row in PgOperator::all() {
        assert!(is_type(row.oprleft) && is_type(row.oprright) && is_type(row.oprresult), "{}", row.oid);
        assert!(is_operator(row.oprcom) && is_operator(row.oprnegate) && is_function(row.oprcode), "{}", row.oid);
    }
    for row in PgCast::all() {
        assert!(is_type(row.castsource) && is_type(row.casttarget) && is_function(row.castfunc), "{}", row.oid);
    }
    for row in PgAmop::all() {
        assert!(is_operator(row.amopopr) && CATALOG.opfamily(row.amopfamily).is_some(), "{}", row.oid);
    }
    for row in PgClass::all() {
        let columns = CATALOG.attributes(row.oid).filter(|column| column.attnum > 0).count();
        assert_eq!(columns, row.relnatts as usize, "{}", row.relname);
        assert_eq!(row.relkind == b'v', CATALOG.view_definition(row.oid).is_some(), "{}", row.relname);
    }
}

#[test]
fn structs_are_the_catalogs() {
    fn check<R: catalog::Keyed>() {
        let relation = CATALOG.relations_named(R::RELATION).next().expect("a relation");
        assert_eq!((R::CATALOG, R::SHARED), (relation.oid, relation.relisshared), "{}", R::RELATION);
        let mut columns: Vec<_> = CATALOG.attributes(relation.oid).filter(|column| column.attnum > 0).collect();
        columns.sort_by_key(|column| column.attnum);
        let names: Vec<&str> = columns.iter().map(|column| &*column.attname).collect();
        assert_eq!(names, R::COLUMNS);
    }
    macro_rules! check {
        ($($row:ident)*) => { $(check::<$row>();)* };
    }
    check!(PgAggregate PgAm PgAmop PgAmproc PgAttrdef PgAttribute PgAuthid PgAuthMembers PgCast PgClass PgCollation PgConstraint);
    check!(PgDatabase PgDbRoleSetting PgDefaultAcl PgDepend PgDescription PgEnum PgExtension PgIndex PgInitPrivs PgLanguage PgNamespace PgOpclass);
    check!(PgOperator PgOpfamily PgParameterAcl PgPolicy PgProc PgRange PgRewrite PgSequence PgShdepend PgShdescription PgStatistic PgTablespace PgType);
}

#[test]
fn texts_are_read_whole() {
    let by_name = |name| CATALOG.functions_named(name).next().unwrap();
    assert_eq!(by_name("make_interval").proargdefaults.as_ref().unwrap().0.last().unwrap(), "0.0");
    let settings = by_name("pg_show_all_settings").proargnames.as_deref().unwrap();
    assert_eq!((&*settings[0], settings.len()), ("name", 17));
    let definition =
        CATALOG.relations_named("pg_roles").next().and_then(|view| CATALOG.view_definition(view.oid)).unwrap();
    assert!(definition.starts_with(" SELECT pg_authid.rolname,\n    ") && definition.contains("'********'::text"));
    let description = CATALOG.description((16, 1247, 0)).unwrap();
    assert_eq!(description.description, "boolean, format 't'/'f'");
    // An empty text is none that is missing.
    let count = CATALOG.functions_named("string_agg").next().and_then(|row| CATALOG.aggregate(row.oid)).unwrap();
    assert_eq!(count.agginitval, None);
}

#[test]
fn declarations_are_postgresqls() {
    let mut wrong = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for function in declarations() {
        let what = format!("{}({:?})", function.name, function.arguments);
        match declared(function) {
            None => wrong.push(format!("{what} is no function of PostgreSQL's")),
            Some(row) if row.prorettype != function.result => {
                wrong.push(format!("{what} gives {} instead of {}", function.result, row.prorettype));
            }
            // Without arguments both are the same.
            Some(row) if row.proisstrict != function.strict && row.pronargs > 0 => {
                wrong.push(format!("{what} is strict: {} instead of {}", function.strict, row.proisstrict));
            }
            Some(row) if !seen.insert(row.oid) => wrong.push(format!("{what} is declared twice")),
            Some(row) => assert!(CATALOG.implementation(row.oid).is_some()),
        }
    }
    for aggregate in aggregates() {
        let what = format!("{}({:?})", aggregate.name, aggregate.arguments);
        match declared_aggregate(aggregate).filter(|row| row.prokind == b'a') {
            None => wrong.push(format!("{what} is no aggregate of PostgreSQL's")),
            Some(row) if row.prorettype != aggregate.result => {
                wrong.push(format!("{what} gives {} instead of {}", aggregate.result, row.prorettype));
            }
            Some(row) if !seen.insert(row.oid) => wrong.push(format!("{what} is declared twice")),
            Some(row) => assert!(CATALOG.require_aggregate_implementation(row.oid).is_ok()),
        }
    }
    for function in window_functions() {
        let what = format!("{}({:?})", function.name, function.arguments);
        match declared_window_function(function).filter(|row| row.prokind == b'w') {
            None => wrong.push(format!("{what} is no window function of PostgreSQL's")),
            Some(row) if row.prorettype != function.result => {
                wrong.push(format!("{what} gives {} instead of {}", function.result, row.prorettype));
            }
            Some(row) if !seen.insert(row.oid) => wrong.push(format!("{what} is declared twice")),
            Some(row) => assert!(CATALOG.require_window_implementation(row.oid).is_ok()),
        }
    }
    for function in set_functions() {
        let what = format!("{}({:?})", function.name, function.arguments);
        // One that gives a row of several columns is declared like those that give many.
        match declared_set_function(function).filter(|row| row.proretset || row.prorettype == oid::RECORD) {
            None => wrong.push(format!("{what} is no set-returning function of PostgreSQL's")),
            Some(row) if row.prorettype != function.result => {
                wrong.push(format!("{what} gives {} instead of {}", function.result, row.prorettype));
            }
            // Without arguments it makes no difference.
            Some(row) if row.proisstrict != function.strict && row.pronargs > 0 => {
                wrong.push(format!("{what} strict: {} instead of {}", function.strict, row.proisstrict));
            }
            Some(row) if !seen.insert(row.oid) => wrong.push(format!("{what} is declared twice")),
            Some(row) => assert!(CATALOG.require_set_implementation(row.oid).is_ok()),
        }
    }
    println!("{} functions are declared", seen.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_here_is_refused_by_name() {
    let missing = CATALOG.functions_named("pg_ls_tmpdir").find(|row| row.pronargs == 1).unwrap();
    let error = CATALOG.require_implementation(missing.oid).unwrap_err();
    assert_eq!((error.0.code, &*error.0.message), ("0A000", "function pg_ls_tmpdir(oid) is not supported yet"));
}

#[test]
fn names_find_types() {
    let find = |schema, name| CATALOG.type_by_name(QualifiedName { schema, name });
    assert_eq!(find(None, "int4").unwrap().unwrap().oid, oid::INT4);
    assert_eq!(find(None, "_text").unwrap().unwrap().oid, oid::TEXT_ARRAY);
    assert_eq!(find(Some("public"), "int4"), Ok(None));
    assert_eq!(find(None, "sql_identifier"), Ok(None));
    assert!(find(Some("information_schema"), "sql_identifier").unwrap().is_some());
    let error = find(Some("nowhere"), "int4").unwrap_err();
    assert_eq!((error.0.code, &*error.0.message), ("3F000", "schema \"nowhere\" does not exist"));
    assert_eq!(sql_type_name("double precision"), Some(oid::FLOAT8));
    assert_eq!(CATALOG.element_type(oid::TEXT_ARRAY), Some(oid::TEXT));
    // It is subscripted like an array and is none.
    assert_eq!(CATALOG.element_type(oid::NAME), None);
}
