-- psql 18, \d t: processing the name.
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(t1)$' COLLATE pg_catalog.default
 AND n.nspname OPERATOR(pg_catalog.~) '^(app)$' COLLATE pg_catalog.default ORDER BY 2, 3;
