//! What drivers, ORMs and tools ask the catalog for, each file with the program that asks it. They are written from those programs'
//! sources with the table's name in the parameters' places.

macro_rules! queries {
    ($($name:ident,)*) => {
        &[$((stringify!($name), include_str!(concat!("queries/", stringify!($name), ".sql")))),*]
    };
}

/// Names and texts.
pub const ALL: &[(&str, &str)] = queries![
    dbeaver_attributes,
    dbeaver_schemas,
    dbeaver_tables,
    django_get_constraints,
    django_get_indexes,
    django_get_sequences,
    django_get_table_description,
    django_get_table_list,
    hibernate_columns,
    hibernate_sequences,
    information_schema_foreign_keys,
    information_schema_tables,
    jdbc_get_columns,
    jdbc_get_imported_keys,
    jdbc_get_index_info,
    jdbc_get_primary_keys,
    jdbc_get_schemas,
    jdbc_get_tables,
    jdbc_get_type_info,
    jdbc_type_by_name,
    npgsql_load_types,
    pg_dump_depend,
    pg_dump_tables,
    pgadmin_columns,
    pgadmin_tables,
    pgx_load_type,
    psql_complete_table,
    psql_d_columns,
    psql_d_find,
    psql_d_indexes,
    psql_d_relation,
    psql_df,
    psql_di,
    psql_dn,
    psql_dt,
    psql_dt_types,
    psql_du,
    psql_l,
    psycopg_type_info,
    rails_columns,
    rails_foreign_keys,
    rails_indexes,
    rails_load_types,
    rails_primary_keys,
    rails_tables,
    sqlalchemy_get_columns,
    sqlalchemy_get_enums,
    sqlalchemy_get_foreign_keys,
    sqlalchemy_get_indexes,
    sqlalchemy_get_pk_constraint,
    sqlalchemy_get_table_names,
    sqlalchemy_has_table,
    sqlx_fetch_type,
    sqlx_nullable_columns,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_file_is_listed_and_says_where_it_is_from() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/experiments/definitions/queries");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), ALL.len());
        assert!(ALL.len() >= 40);
        for (name, text) in ALL {
            assert!(text.starts_with("-- ") && text.trim_end().ends_with(';'), "{name}");
        }
    }
}
