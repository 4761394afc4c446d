-- Rails 8, PostgreSQL::SchemaStatements#foreign_keys.
SELECT t2.oid::regclass::text AS to_table, c.conname AS name, c.confupdtype AS on_update, c.confdeltype AS on_delete,
 c.convalidated AS valid, c.condeferrable AS deferrable, c.condeferred AS deferred, c.conrelid, c.confrelid,
 (SELECT array_agg(a.attname ORDER BY idx) FROM (SELECT idx, c.conkey[idx] AS conkey_elem
   FROM generate_subscripts(c.conkey, 1) AS idx) indexed_conkeys
  JOIN pg_attribute a ON a.attrelid = t1.oid AND a.attnum = indexed_conkeys.conkey_elem) AS conkey_names,
 (SELECT array_agg(a.attname ORDER BY idx) FROM (SELECT idx, c.confkey[idx] AS confkey_elem
   FROM generate_subscripts(c.confkey, 1) AS idx) indexed_confkeys
  JOIN pg_attribute a ON a.attrelid = t2.oid AND a.attnum = indexed_confkeys.confkey_elem) AS confkey_names
FROM pg_constraint c JOIN pg_class t1 ON c.conrelid = t1.oid JOIN pg_class t2 ON c.confrelid = t2.oid
 JOIN pg_namespace n ON c.connamespace = n.oid
WHERE c.contype = 'f' AND t1.relname = 't1' AND n.nspname = 'app' ORDER BY c.conname;
