-- pgx 5, conn.go, LoadType.
select oid, typtype::text, typbasetype, typelem from pg_type where oid = to_regtype('timestamptz[]');
