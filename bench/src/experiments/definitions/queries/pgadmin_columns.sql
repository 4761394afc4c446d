-- pgAdmin 4, columns/sql/properties.sql.
SELECT att.attname as name, att.*, def.*, pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS defval,
 CASE WHEN att.attndims > 0 THEN 1 ELSE 0 END AS isarray, pg_catalog.format_type(ty.oid, NULL) AS typname,
 pg_catalog.format_type(ty.oid, att.atttypmod) AS displaytypname,
 CASE WHEN ty.typelem > 0 THEN ty.typelem ELSE ty.oid END as elemoid, tn.nspname as typnspname, et.typname as elemtypname,
 ty.typstorage AS defaultstorage, cl.relname, na.nspname, coll.collname,
 (SELECT count(1) FROM pg_catalog.pg_type t2 WHERE t2.typname = ty.typname) > 1 AS isdup, indkey
FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid = atttypid
 JOIN pg_catalog.pg_namespace tn ON tn.oid = ty.typnamespace JOIN pg_catalog.pg_class cl ON cl.oid = att.attrelid
 JOIN pg_catalog.pg_namespace na ON na.oid = cl.relnamespace LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid = ty.typelem
 LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid = att.attrelid AND adnum = att.attnum
 LEFT OUTER JOIN pg_catalog.pg_collation coll ON att.attcollation = coll.oid
 LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid = att.attrelid AND indisprimary
WHERE att.attrelid = 'app.t1'::regclass AND att.attnum > 0 AND att.attisdropped IS FALSE ORDER BY att.attnum;
