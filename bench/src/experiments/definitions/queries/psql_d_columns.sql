-- psql 18, \d t: the columns.
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
 (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d
  WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull,
 (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
  WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
 a.attidentity, a.attgenerated
FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'app.t1'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
