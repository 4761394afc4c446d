-- psql 18, completion of a table's name after FROM.
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c
WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE 't1%' AND pg_catalog.pg_table_is_visible(c.oid)
 AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 't1%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
