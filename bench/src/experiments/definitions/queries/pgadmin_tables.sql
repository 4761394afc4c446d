-- pgAdmin 4, tables/sql/nodes.sql.
SELECT rel.oid, rel.relname AS name, (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE)
  AS triggercount,
 (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE AND tgenabled = 'O')
  AS has_enable_triggers,
 (CASE WHEN rel.relkind = 'p' THEN true ELSE false END) AS is_partitioned,
 nsp.nspname AS schema, des.description
FROM pg_catalog.pg_class rel INNER JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
 LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = rel.oid AND des.objsubid = 0 AND des.classoid = 'pg_class'::regclass)
WHERE rel.relkind IN ('r', 's', 't', 'p') AND rel.relnamespace = 'app'::regnamespace AND NOT rel.relispartition
ORDER BY rel.relname;
