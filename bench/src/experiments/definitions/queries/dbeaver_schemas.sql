-- DBeaver, PostgreDatabase: schemas.
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
 LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
ORDER BY nspname;
