-- SQLAlchemy 2.0, dialects/postgresql/base.py, get_table_names.
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class
 JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p']) AND pg_catalog.pg_class.relpersistence != 't'
 AND pg_catalog.pg_namespace.nspname = 'app';
