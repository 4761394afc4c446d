-- sqlx, sqlx-postgres/src/connection/describe.rs, fetch_type_by_oid.
SELECT oid::regtype::text, typname, typtype::"char", typcategory::"char", typrelid, typelem, typbasetype
FROM pg_catalog.pg_type WHERE oid = 'timestamptz'::regtype;
