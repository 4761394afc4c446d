-- Rails 8, PostgreSQL::SchemaStatements#primary_keys.
SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index
  WHERE indrelid = '"app"."t1"'::regclass AND indisprimary) i
 JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx] ORDER BY i.idx;
