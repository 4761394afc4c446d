-- Django 5, db/backends/postgresql/introspection.py, get_table_description.
SELECT a.attname AS column_name, NOT (a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)) AS is_nullable,
 pg_get_expr(ad.adbin, ad.adrelid) AS column_default, CASE WHEN collname = 'default' THEN NULL ELSE collname END AS collation,
 a.attidentity != '' AS is_autofield, col_description(a.attrelid, a.attnum) AS column_comment
FROM pg_attribute a LEFT JOIN pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
 LEFT JOIN pg_collation co ON a.attcollation = co.oid JOIN pg_type t ON a.atttypid = t.oid
 JOIN pg_class c ON a.attrelid = c.oid JOIN pg_namespace n ON c.relnamespace = n.oid
WHERE c.relkind IN ('f', 'm', 'p', 'r', 'v') AND c.relname = 't1' AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
 AND n.nspname = 'app';
