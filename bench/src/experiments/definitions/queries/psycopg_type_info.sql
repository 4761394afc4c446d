-- psycopg 3, _typeinfo.py, TypeInfo.fetch.
SELECT typname AS name, oid, typarray AS array_oid, oid::regtype::text AS regtype, typdelim AS delimiter
FROM pg_type t WHERE t.oid = to_regtype('timestamptz') ORDER BY t.oid;
