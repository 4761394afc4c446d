-- Django 5, db/backends/postgresql/introspection.py, get_constraints: indexes.
SELECT indexname, array_agg(attname ORDER BY arridx), indisunique, indisprimary, array_agg(ordering ORDER BY arridx), amname,
 exprdef, s2.attoptions
FROM (SELECT c2.relname as indexname, idx.*, attr.attname, am.amname,
  CASE WHEN idx.indexprs IS NOT NULL THEN pg_get_indexdef(idx.indexrelid) END AS exprdef,
  CASE am.amname WHEN 'btree' THEN CASE (option & 1) WHEN 1 THEN 'DESC' ELSE 'ASC' END END as ordering,
  c2.reloptions as attoptions
 FROM (SELECT * FROM pg_index i, unnest(i.indkey, i.indoption) WITH ORDINALITY koi(key, option, arridx)) idx
 LEFT JOIN pg_class c ON idx.indrelid = c.oid LEFT JOIN pg_class c2 ON idx.indexrelid = c2.oid
 LEFT JOIN pg_am am ON c2.relam = am.oid LEFT JOIN pg_attribute attr ON attr.attrelid = c.oid AND attr.attnum = idx.key
 WHERE c.relname = 't1') s2
GROUP BY indexname, indisunique, indisprimary, amname, exprdef, attoptions;
