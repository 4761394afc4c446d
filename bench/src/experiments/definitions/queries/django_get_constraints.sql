-- Django 5, db/backends/postgresql/introspection.py, get_constraints.
SELECT c.conname,
 array(SELECT attname FROM unnest(c.conkey) WITH ORDINALITY cols(colid, arridx)
  JOIN pg_attribute AS ca ON cols.colid = ca.attnum WHERE ca.attrelid = c.conrelid ORDER BY cols.arridx),
 c.contype,
 (SELECT fkc.relname || '.' || fka.attname FROM pg_attribute AS fka JOIN pg_class AS fkc ON fka.attrelid = fkc.oid
  WHERE fka.attrelid = c.confrelid AND fka.attnum = c.confkey[1]),
 cl.reloptions
FROM pg_constraint AS c JOIN pg_class AS cl ON c.conrelid = cl.oid
WHERE cl.relname = 't1';
