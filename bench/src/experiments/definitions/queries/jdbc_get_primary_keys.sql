-- pgjdbc, PgDatabaseMetaData.getPrimaryKeys.
SELECT result.TABLE_CAT, result.TABLE_SCHEM, result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME
FROM (SELECT current_database() AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME,
  a.attname AS COLUMN_NAME, (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,
  information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM, i.indnkeyatts as KEY_COUNT
 FROM pg_catalog.pg_class ct
 JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
 JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
 JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid)
 JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
 WHERE true AND n.nspname = 'app' AND ct.relname = 't1' AND i.indisprimary) result
where result.A_ATTNUM = (result.KEYS).x AND result.KEY_SEQ <= KEY_COUNT
ORDER BY result.table_name, result.pk_name, result.key_seq;
