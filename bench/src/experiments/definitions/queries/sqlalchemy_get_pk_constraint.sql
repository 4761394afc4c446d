-- SQLAlchemy 2.0, dialects/postgresql/base.py, get_multi_pk_constraint.
SELECT attr.conrelid, array_agg(CAST(attr.attname AS TEXT) ORDER BY attr.ord) AS cols, attr.conname,
 min(attr.description) AS description, NULL AS extra
FROM (SELECT con.conrelid AS conrelid, con.conname AS conname, con.conindid AS conindid, con.description AS description,
  con.ord AS ord, pg_catalog.pg_attribute.attname AS attname
 FROM pg_catalog.pg_attribute JOIN (SELECT pg_catalog.pg_constraint.conrelid AS conrelid, pg_catalog.pg_constraint.conname AS conname,
   pg_catalog.pg_constraint.conindid AS conindid, unnest(pg_catalog.pg_constraint.conkey) AS attnum,
   generate_subscripts(pg_catalog.pg_constraint.conkey, 1) AS ord, pg_catalog.pg_description.description AS description
  FROM pg_catalog.pg_constraint LEFT OUTER JOIN pg_catalog.pg_description
   ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid
  WHERE pg_catalog.pg_constraint.contype = 'p' AND pg_catalog.pg_constraint.conrelid IN ('app.t1'::regclass::oid)) AS con
  ON pg_catalog.pg_attribute.attnum = con.attnum AND pg_catalog.pg_attribute.attrelid = con.conrelid
 WHERE con.conrelid IN ('app.t1'::regclass::oid)) AS attr
GROUP BY attr.conrelid, attr.conname ORDER BY attr.conrelid, attr.conname;
