-- Rails 8, PostgreSQL::SchemaStatements#indexes.
SELECT distinct i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid),
 pg_catalog.obj_description(i.oid, 'pg_class') AS comment, d.indisvalid,
 ARRAY(SELECT pg_get_indexdef(d.indexrelid, k + 1, true) FROM generate_subscripts(d.indkey, 1) AS k ORDER BY k) AS columns
FROM pg_class t INNER JOIN pg_index d ON t.oid = d.indrelid INNER JOIN pg_class i ON d.indexrelid = i.oid
 LEFT JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE i.relkind IN ('i', 'I') AND d.indisprimary = 'f' AND t.relname = 't1' AND n.nspname = 'app' ORDER BY i.relname;
