-- psql 18, \di app.*.
SELECT n.nspname as "Schema", c.relname as "Name", CASE c.relkind WHEN 'i' THEN 'index' WHEN 'I' THEN 'partitioned index' END as "Type",
 pg_catalog.pg_get_userbyid(c.relowner) as "Owner", c2.relname as "Table"
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
 LEFT JOIN pg_catalog.pg_class c2 ON i.indrelid = c2.oid
WHERE c.relkind IN ('i','I','s','') AND n.nspname OPERATOR(pg_catalog.~) '^(app)$' COLLATE pg_catalog.default
ORDER BY 1,2;
