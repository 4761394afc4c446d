-- DBeaver, PostgreSchema.TableCache.
SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,
 pg_catalog.pg_get_partkeydef(c.oid) as partition_key
FROM pg_catalog.pg_class c
 LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE c.relnamespace = 'app'::regnamespace AND c.relkind not in ('i', 'I', 'c');
