-- pg_dump 18, getTables, without what concerns initial privileges.
SELECT c.tableoid, c.oid, c.relname, c.relnamespace, c.relkind, c.reltype, c.relowner, c.relchecks, c.relhasindex, c.relhasrules,
 c.relpages, c.reltuples, c.relallvisible, c.relhastriggers, c.relpersistence, c.reloftype, c.relacl,
 acldefault(CASE WHEN c.relkind = 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner) AS acldefault,
 CASE WHEN c.relkind = 'f' THEN (SELECT ftserver FROM pg_catalog.pg_foreign_table WHERE ftrelid = c.oid) ELSE 0 END AS foreignserver,
 c.relfrozenxid, tc.relfrozenxid AS tfrozenxid, tc.oid AS toid, tc.relpages AS toastpages, tc.reloptions AS toast_reloptions,
 d.refobjid AS owning_tab, d.refobjsubid AS owning_col, tsp.spcname AS reltablespace, false AS relhasoids, c.relispopulated,
 c.relreplident, c.relrowsecurity, c.relforcerowsecurity, c.relminmxid, tc.relminmxid AS tminmxid,
 array_remove(array_remove(c.reloptions,'check_option=local'),'check_option=cascaded') AS reloptions, am.amname,
 (d.deptype = 'i') IS TRUE AS is_identity_sequence, c.relispartition AS ispartition
FROM pg_class c LEFT JOIN pg_depend d ON (c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0
  AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i'))
 LEFT JOIN pg_tablespace tsp ON (tsp.oid = c.reltablespace) LEFT JOIN pg_am am ON (c.relam = am.oid)
 LEFT JOIN pg_class tc ON (c.reltoastrelid = tc.oid AND tc.relkind = 't' AND c.relkind <> 'p')
WHERE c.relkind IN ('r', 'S', 'v', 'c', 'm', 'f', 'p') ORDER BY c.oid;
