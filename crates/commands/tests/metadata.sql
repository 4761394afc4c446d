-- psql 18.
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
WHERE c.relkind IN ('r','p','v','m','S','f','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(customers)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, pg_catalog.array_to_string(c.reloptions || array(select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', ')
, c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = 'customers'::regclass;
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated,
  a.attstorage,
  a.attcompression AS attcompression,
  CASE WHEN a.attstattarget=-1 THEN NULL ELSE a.attstattarget END AS attstattarget,
  pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = 'customers'::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
SELECT c2.relname, i.indisprimary, i.indisunique, i.indisclustered, i.indisvalid, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true),
  pg_catalog.pg_get_constraintdef(con.oid, true), contype, condeferrable, condeferred, i.indisreplident, c2.reltablespace, con.conperiod
FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i
  LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x'))
WHERE c.oid = 'customers'::regclass AND c.oid = i.indrelid AND i.indexrelid = c2.oid
ORDER BY i.indisprimary DESC, c2.relname;
SELECT c.conname, a.attname, c.connoinherit,
  c.conislocal, c.coninhcount <> 0,
  c.convalidated
FROM pg_catalog.pg_constraint c JOIN
  pg_catalog.pg_attribute a ON
    (a.attrelid = c.conrelid AND a.attnum = c.conkey[1])
WHERE c.contype = 'n' AND
  c.conrelid = 'customers'::regclass
ORDER BY a.attnum;
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = 'items'::regclass;
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = 'items'::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(items_product)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = 'items_product'::regclass;
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  CASE WHEN a.attnum <= (SELECT i.indnkeyatts FROM pg_catalog.pg_index i WHERE i.indexrelid = 'items_product'::regclass) THEN 'yes' ELSE 'no' END AS is_key,
  pg_catalog.pg_get_indexdef(a.attrelid, a.attnum, TRUE) AS indexdef
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = 'items_product'::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
SELECT i.indisunique, i.indisprimary, i.indisclustered, i.indisvalid,
  (NOT i.indimmediate) AND EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x') AND condeferrable) AS condeferrable,
  (NOT i.indimmediate) AND EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x') AND condeferred) AS condeferred,
i.indisreplident,
i.indnullsnotdistinct,
  a.amname, c2.relname, pg_catalog.pg_get_expr(i.indpred, i.indrelid, true)
FROM pg_catalog.pg_index i, pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_am a
WHERE i.indexrelid = c.oid AND c.oid = 'items_product'::regclass AND c.relam = a.oid
AND i.indrelid = c2.oid;
SELECT n.nspname AS "Name",
  pg_catalog.pg_get_userbyid(n.nspowner) AS "Owner",
  CASE WHEN pg_catalog.array_length(n.nspacl, 1) = 0 THEN '(none)' ELSE pg_catalog.array_to_string(n.nspacl, E'\n') END AS "Access privileges",
  pg_catalog.obj_description(n.oid, 'pg_namespace') AS "Description"
FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1;
SELECT n.nspname as "Schema",
  pg_catalog.format_type(t.oid, NULL) AS "Name",
  t.typname AS "Internal name",
  CASE WHEN t.typrelid != 0
      THEN CAST('tuple' AS pg_catalog.text)
    WHEN t.typlen < 0
      THEN CAST('var' AS pg_catalog.text)
    ELSE CAST(t.typlen AS pg_catalog.text)
  END AS "Size",
  pg_catalog.array_to_string(
      ARRAY(
          SELECT e.enumlabel
          FROM pg_catalog.pg_enum e
          WHERE e.enumtypid = t.oid
          ORDER BY e.enumsortorder
      ),
      E'\n'
  ) AS "Elements",
  pg_catalog.pg_get_userbyid(t.typowner) AS "Owner",
CASE WHEN pg_catalog.array_length(t.typacl, 1) = 0 THEN '(none)' ELSE pg_catalog.array_to_string(t.typacl, E'\n') END AS "Access privileges",
    pg_catalog.obj_description(t.oid, 'pg_type') as "Description"
FROM pg_catalog.pg_type t
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid))
  AND NOT EXISTS(SELECT 1 FROM pg_catalog.pg_type el WHERE el.oid = t.typelem AND el.typarray = t.oid)
  AND (t.typname OPERATOR(pg_catalog.~) '^(int4)$' COLLATE pg_catalog.default
        OR pg_catalog.format_type(t.oid, NULL) OPERATOR(pg_catalog.~) '^(int4)$' COLLATE pg_catalog.default)
  AND n.nspname OPERATOR(pg_catalog.~) '^(pg_catalog)$' COLLATE pg_catalog.default
ORDER BY 1, 2;
SELECT 'pg_catalog.lower(text)'::pg_catalog.regprocedure::pg_catalog.oid;
SELECT pg_catalog.pg_get_functiondef(870);
-- pgjdbc.
SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME,  CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'  WHEN true THEN CASE  WHEN n.nspname = 'pg_catalog' OR n.nspname = 'information_schema' THEN CASE c.relkind   WHEN 'r' THEN 'SYSTEM TABLE'   WHEN 'v' THEN 'SYSTEM VIEW'   WHEN 'i' THEN 'SYSTEM INDEX'   ELSE NULL   END  WHEN n.nspname = 'pg_toast' THEN CASE c.relkind   WHEN 'r' THEN 'SYSTEM TOAST TABLE'   WHEN 'i' THEN 'SYSTEM TOAST INDEX'   ELSE NULL   END  ELSE CASE c.relkind   WHEN 'r' THEN 'TEMPORARY TABLE'   WHEN 'p' THEN 'TEMPORARY TABLE'   WHEN 'i' THEN 'TEMPORARY INDEX'   WHEN 'S' THEN 'TEMPORARY SEQUENCE'   WHEN 'v' THEN 'TEMPORARY VIEW'   ELSE NULL   END  END  WHEN false THEN CASE c.relkind  WHEN 'r' THEN 'TABLE'  WHEN 'p' THEN 'PARTITIONED TABLE'  WHEN 'i' THEN 'INDEX'  WHEN 'P' then 'PARTITIONED INDEX'  WHEN 'S' THEN 'SEQUENCE'  WHEN 'v' THEN 'VIEW'  WHEN 'c' THEN 'TYPE'  WHEN 'f' THEN 'FOREIGN TABLE'  WHEN 'm' THEN 'MATERIALIZED VIEW'  ELSE NULL  END  ELSE NULL  END  AS TABLE_TYPE, d.description AS REMARKS,  '' as TYPE_CAT, '' as TYPE_SCHEM, '' as TYPE_NAME, '' AS SELF_REFERENCING_COL_NAME, '' AS REF_GENERATION  FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c  LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0  and d.classoid = 'pg_class'::regclass)  WHERE c.relnamespace = n.oid  AND n.nspname LIKE 'public' AND c.relname LIKE '%' ORDER BY TABLE_TYPE,TABLE_SCHEM,TABLE_NAME;
SELECT        result.TABLE_CAT,        result.TABLE_SCHEM,        result.TABLE_NAME,        result.COLUMN_NAME,        result.KEY_SEQ,        result.PK_NAME FROM      (SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM,   ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,   (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,   information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_catalog.pg_class ct   JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)   JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid)   JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) WHERE true  AND n.nspname = 'public' AND ct.relname = 'items' AND i.indisprimary  ) result where  result.A_ATTNUM = (result.KEYS).x  ORDER BY result.table_name, result.pk_name, result.key_seq;
SELECT setting FROM pg_catalog.pg_settings WHERE name='max_index_keys';
SELECT nspname AS TABLE_SCHEM, NULL AS TABLE_CATALOG FROM pg_catalog.pg_namespace  WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_'  OR nspname = (pg_catalog.current_schemas(true))[1]) AND (nspname !~ '^pg_toast_temp_'  OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_'))  ORDER BY TABLE_SCHEM;
select null as type_cat, n.nspname as type_schem, t.typname as type_name,  null as class_name, CASE WHEN t.typtype='c' then 2002 else 2001 end as data_type, pg_catalog.obj_description(t.oid, 'pg_type')  as remarks, CASE WHEN t.typtype = 'd' then  (select CASE when base_type.oid = 4096 then 1111 when base_type.oid = 4097 then 2003 when base_type.oid = 12290 then 2003 when base_type.oid = 12291 then 2002 when base_type.oid = 1027 then 2003 when base_type.oid = 1028 then 2003 when base_type.oid = 12294 then 2003 when base_type.oid = 6150 then 2003 when base_type.oid = 12295 then 2002 when base_type.oid = 6151 then 2003 when base_type.oid = 6152 then 2003 when base_type.oid = 6153 then 2003 when base_type.oid = 1033 then 1111 when base_type.oid = 12298 then 2003 when base_type.oid = 1034 then 2003 when base_type.oid = 12299 then 2002 when base_type.oid = 6155 then 2003 when base_type.oid = 6157 then 2003 when base_type.oid = 12302 then 2003 when base_type.oid = 12303 then 2002 when base_type.oid = 16 then -7 when base_type.oid = 1040 then 2003 when base_type.oid = 17 then -2 when base_type.oid = 1041 then 2003 when base_type.oid = 18 then 1 when base_type.oid = 1042 then 1 when base_type.oid = 12306 then 2003 when base_type.oid = 1043 then 12 when base_type.oid = 19 then 12 when base_type.oid = 12307 then 2002 when base_type.oid = 20 then -5 when base_type.oid = 21 then 5 when base_type.oid = 12310 then 2003 when base_type.oid = 22 then 1111 when base_type.oid = 23 then 4 when base_type.oid = 12311 then 2002 when base_type.oid = 24 then 1111 when base_type.oid = 25 then 12 when base_type.oid = 26 then -5 when base_type.oid = 12315 then 2003 when base_type.oid = 27 then 1111 when base_type.oid = 12316 then 2002 when base_type.oid = 28 then 1111 when base_type.oid = 13341 then 2003 when base_type.oid = 29 then 1111 when base_type.oid = 13342 then 2001 when base_type.oid = 30 then 1111 when base_type.oid = 13344 then 2003 when base_type.oid = 12320 then 2003 when base_type.oid = 32 then 1111 when base_type.oid = 13345 then 2001 when base_type.oid = 12321 then 2002 when base_type.oid = 13346 then 2003 when base_type.oid = 13347 then 2001 when base_type.oid = 13349 then 2003 when base_type.oid = 12325 then 2003 when base_type.oid = 13350 then 2002 when base_type.oid = 12326 then 2002 when base_type.oid = 13352 then 2003 when base_type.oid = 13353 then 2001 when base_type.oid = 13354 then 2003 when base_type.oid = 12330 then 2003 when base_type.oid = 13355 then 2001 when base_type.oid = 12331 then 2002 when base_type.oid = 3115 then 1111 when base_type.oid = 13358 then 2003 when base_type.oid = 12334 then 2003 when base_type.oid = 13359 then 2002 when base_type.oid = 12335 then 2002 when base_type.oid = 13363 then 2003 when base_type.oid = 12339 then 2003 when base_type.oid = 13364 then 2002 when base_type.oid = 12340 then 2002 when base_type.oid = 13367 then 2003 when base_type.oid = 13368 then 2002 when base_type.oid = 12344 then 2003 when base_type.oid = 12345 then 2002 when base_type.oid = 1082 then 91 when base_type.oid = 1083 then 92 when base_type.oid = 13372 then 2003 when base_type.oid = 12348 then 2003 when base_type.oid = 13373 then 2002 when base_type.oid = 12349 then 2002 when base_type.oid = 12352 then 2003 when base_type.oid = 13377 then 2003 when base_type.oid = 12353 then 2002 when base_type.oid = 13378 then 2002 when base_type.oid = 12356 then 2003 when base_type.oid = 12357 then 2002 when base_type.oid = 13382 then 2003 when base_type.oid = 13383 then 2002 when base_type.oid = 71 then 2002 when base_type.oid = 13387 then 2003 when base_type.oid = 75 then 2002 when base_type.oid = 13388 then 2002 when base_type.oid = 13392 then 2003 when base_type.oid = 13393 then 2002 when base_type.oid = 81 then 2002 when base_type.oid = 83 then 2002 when base_type.oid = 13397 then 2003 when base_type.oid = 13398 then 2002 when base_type.oid = 1114 then 93 when base_type.oid = 13402 then 2003 when base_type.oid = 1115 then 2003 when base_type.oid = 13403 then 2002 when base_type.oid = 13407 then 2003 when base_type.oid = 4191 then 1111 when base_type.oid = 13408 then 2002 when base_type.oid = 4192 then 2003 when base_type.oid = 13412 then 2003 when base_type.oid = 13413 then 2002 when base_type.oid = 13417 then 2003 when base_type.oid = 13418 then 2002 when base_type.oid = 13422 then 2003 when base_type.oid = 13423 then 2002 when base_type.oid = 114 then 1111 when base_type.oid = 13427 then 2003 when base_type.oid = 13428 then 2002 when base_type.oid = 13432 then 2003 when base_type.oid = 13433 then 2002 when base_type.oid = 13437 then 2003 when base_type.oid = 13438 then 2002 when base_type.oid = 13441 then 2003 when base_type.oid = 13442 then 2002 when base_type.oid = 13446 then 2003 when base_type.oid = 13447 then 2002 when base_type.oid = 13450 then 2003 when base_type.oid = 13451 then 2002 when base_type.oid = 142 then 2009 when base_type.oid = 143 then 2003 when base_type.oid = 13455 then 2003 when base_type.oid = 13456 then 2002 when base_type.oid = 13460 then 2003 when base_type.oid = 3220 then 1111 when base_type.oid = 13461 then 2002 when base_type.oid = 3221 then 2003 when base_type.oid = 2201 then 2003 when base_type.oid = 13465 then 2003 when base_type.oid = 13466 then 2002 when base_type.oid = 2202 then 1111 when base_type.oid = 2203 then 1111 when base_type.oid = 2204 then 1111 when base_type.oid = 13469 then 2003 when base_type.oid = 2205 then 1111 when base_type.oid = 1182 then 2003 when base_type.oid = 13470 then 2002 when base_type.oid = 2206 then 1111 when base_type.oid = 1183 then 2003 when base_type.oid = 2207 then 2003 when base_type.oid = 1184 then 93 when base_type.oid = 2208 then 2003 when base_type.oid = 1185 then 2003 when base_type.oid = 2209 then 2003 when base_type.oid = 13474 then 2003 when base_type.oid = 2210 then 2003 when base_type.oid = 1186 then 1111 when base_type.oid = 13475 then 2002 when base_type.oid = 2211 then 2003 when base_type.oid = 1187 then 2003 when base_type.oid = 13479 then 2003 when base_type.oid = 13480 then 2002 when base_type.oid = 13483 then 2003 when base_type.oid = 13484 then 2002 when base_type.oid = 13488 then 2003 when base_type.oid = 13489 then 2002 when base_type.oid = 13493 then 2003 when base_type.oid = 13494 then 2002 when base_type.oid = 13498 then 2003 when base_type.oid = 13499 then 2002 when base_type.oid = 13503 then 2003 when base_type.oid = 13504 then 2002 when base_type.oid = 194 then 1111 when base_type.oid = 13507 then 2003 when base_type.oid = 13508 then 2002 when base_type.oid = 199 then 2003 when base_type.oid = 13512 then 2003 when base_type.oid = 13513 then 2002 when base_type.oid = 2249 then 1111 when base_type.oid = 13517 then 2003 when base_type.oid = 13518 then 2002 when base_type.oid = 1231 then 2003 when base_type.oid = 13522 then 2003 when base_type.oid = 210 then 2003 when base_type.oid = 13523 then 2002 when base_type.oid = 13527 then 2003 when base_type.oid = 13528 then 2002 when base_type.oid = 13532 then 2003 when base_type.oid = 13533 then 2002 when base_type.oid = 1248 then 2002 when base_type.oid = 13537 then 2003 when base_type.oid = 13538 then 2002 when base_type.oid = 2275 then 1111 when base_type.oid = 2276 then 1111 when base_type.oid = 2277 then 1111 when base_type.oid = 13542 then 2003 when base_type.oid = 2278 then 1111 when base_type.oid = 13543 then 2002 when base_type.oid = 2279 then 1111 when base_type.oid = 2280 then 1111 when base_type.oid = 2281 then 1111 when base_type.oid = 13546 then 2003 when base_type.oid = 13547 then 2002 when base_type.oid = 2283 then 1111 when base_type.oid = 3310 then 1111 when base_type.oid = 13551 then 2003 when base_type.oid = 2287 then 2003 when base_type.oid = 1263 then 2003 when base_type.oid = 13552 then 2002 when base_type.oid = 1266 then 92 when base_type.oid = 13556 then 2003 when base_type.oid = 13557 then 2002 when base_type.oid = 1270 then 2003 when base_type.oid = 13561 then 2003 when base_type.oid = 13562 then 2002 when base_type.oid = 13566 then 2003 when base_type.oid = 13567 then 2002 when base_type.oid = 13571 then 2003 when base_type.oid = 13572 then 2002 when base_type.oid = 13575 then 2003 when base_type.oid = 13576 then 2002 when base_type.oid = 13580 then 2003 when base_type.oid = 13581 then 2002 when base_type.oid = 269 then 1111 when base_type.oid = 270 then 2003 when base_type.oid = 271 then 2003 when base_type.oid = 13584 then 2003 when base_type.oid = 272 then 2003 when base_type.oid = 13585 then 2002 when base_type.oid = 273 then 2003 when base_type.oid = 13589 then 2003 when base_type.oid = 13590 then 2002 when base_type.oid = 13594 then 2003 when base_type.oid = 13595 then 2002 when base_type.oid = 13599 then 2003 when base_type.oid = 13600 then 2002 when base_type.oid = 3361 then 1111 when base_type.oid = 13604 then 2003 when base_type.oid = 13605 then 2002 when base_type.oid = 13609 then 2003 when base_type.oid = 13610 then 2002 when base_type.oid = 13614 then 2003 when base_type.oid = 13615 then 2002 when base_type.oid = 13619 then 2003 when base_type.oid = 13620 then 2002 when base_type.oid = 13624 then 2003 when base_type.oid = 13625 then 2002 when base_type.oid = 13628 then 2003 when base_type.oid = 13629 then 2002 when base_type.oid = 13632 then 2003 when base_type.oid = 13633 then 2002 when base_type.oid = 13636 then 2003 when base_type.oid = 13637 then 2002 when base_type.oid = 325 then 1111 when base_type.oid = 13640 then 2003 when base_type.oid = 13641 then 2002 when base_type.oid = 3402 then 1111 when base_type.oid = 13644 then 2003 when base_type.oid = 13645 then 2002 when base_type.oid = 13648 then 2003 when base_type.oid = 13649 then 2002 when base_type.oid = 13652 then 2003 when base_type.oid = 13653 then 2002 when base_type.oid = 13657 then 2003 when base_type.oid = 13658 then 2002 when base_type.oid = 13661 then 2003 when base_type.oid = 13662 then 2002 when base_type.oid = 13665 then 2003 when base_type.oid = 13666 then 2002 when base_type.oid = 4451 then 1111 when base_type.oid = 13670 then 2003 when base_type.oid = 13671 then 2002 when base_type.oid = 13675 then 2003 when base_type.oid = 13676 then 2002 when base_type.oid = 3500 then 1111 when base_type.oid = 4532 then 1111 when base_type.oid = 4533 then 1111 when base_type.oid = 4534 then 1111 when base_type.oid = 4535 then 1111 when base_type.oid = 4536 then 1111 when base_type.oid = 4537 then 1111 when base_type.oid = 4538 then 1111 when base_type.oid = 4600 then 1111 when base_type.oid = 4601 then 1111 when base_type.oid = 1560 then -7 when base_type.oid = 1561 then 2003 when base_type.oid = 1562 then 1111 when base_type.oid = 1563 then 2003 when base_type.oid = 3614 then 1111 when base_type.oid = 3615 then 1111 when base_type.oid = 3642 then 1111 when base_type.oid = 3643 then 2003 when base_type.oid = 3644 then 2003 when base_type.oid = 3645 then 2003 when base_type.oid = 41556 then 2003 when base_type.oid = 41557 then 2002 when base_type.oid = 600 then 1111 when base_type.oid = 601 then 1111 when base_type.oid = 602 then 1111 when base_type.oid = 603 then 1111 when base_type.oid = 604 then 1111 when base_type.oid = 41565 then 2003 when base_type.oid = 41566 then 2002 when base_type.oid = 41574 then 2003 when base_type.oid = 41575 then 2002 when base_type.oid = 628 then 1111 when base_type.oid = 629 then 2003 when base_type.oid = 650 then 1111 when base_type.oid = 651 then 2003 when base_type.oid = 3734 then 1111 when base_type.oid = 3735 then 2003 when base_type.oid = 1700 then 2 when base_type.oid = 3769 then 1111 when base_type.oid = 3770 then 2003 when base_type.oid = 700 then 7 when base_type.oid = 701 then 8 when base_type.oid = 705 then 1111 when base_type.oid = 718 then 1111 when base_type.oid = 719 then 2003 when base_type.oid = 2776 then 1111 when base_type.oid = 3802 then 1111 when base_type.oid = 3807 then 2003 when base_type.oid = 12001 then 2003 when base_type.oid = 12002 then 2002 when base_type.oid = 12006 then 2003 when base_type.oid = 12007 then 2002 when base_type.oid = 12011 then 2003 when base_type.oid = 12012 then 2002 when base_type.oid = 12015 then 2003 when base_type.oid = 12016 then 2002 when base_type.oid = 12019 then 2003 when base_type.oid = 12020 then 2002 when base_type.oid = 3831 then 1111 when base_type.oid = 12024 then 2003 when base_type.oid = 12025 then 2002 when base_type.oid = 12029 then 2003 when base_type.oid = 1790 then 2012 when base_type.oid = 12030 then 2002 when base_type.oid = 3838 then 1111 when base_type.oid = 12034 then 2003 when base_type.oid = 12035 then 2002 when base_type.oid = 774 then 1111 when base_type.oid = 12039 then 2003 when base_type.oid = 775 then 2003 when base_type.oid = 12040 then 2002 when base_type.oid = 12044 then 2003 when base_type.oid = 12045 then 2002 when base_type.oid = 10000 then 2003 when base_type.oid = 12049 then 2003 when base_type.oid = 10001 then 2002 when base_type.oid = 12050 then 2002 when base_type.oid = 10002 then 2003 when base_type.oid = 10003 then 2002 when base_type.oid = 10004 then 2003 when base_type.oid = 10005 then 2002 when base_type.oid = 790 then 8 when base_type.oid = 12054 then 2003 when base_type.oid = 10006 then 2003 when base_type.oid = 791 then 2003 when base_type.oid = 12055 then 2002 when base_type.oid = 10007 then 2002 when base_type.oid = 10008 then 2003 when base_type.oid = 10009 then 2002 when base_type.oid = 10010 then 2003 when base_type.oid = 2842 then 2002 when base_type.oid = 12059 then 2003 when base_type.oid = 10011 then 2002 when base_type.oid = 2843 then 2002 when base_type.oid = 12060 then 2002 when base_type.oid = 10012 then 2003 when base_type.oid = 10013 then 2002 when base_type.oid = 10014 then 2003 when base_type.oid = 10015 then 2002 when base_type.oid = 12064 then 2003 when base_type.oid = 10016 then 2003 when base_type.oid = 12065 then 2002 when base_type.oid = 10017 then 2002 when base_type.oid = 10018 then 2003 when base_type.oid = 10019 then 2002 when base_type.oid = 10020 then 2003 when base_type.oid = 12069 then 2003 when base_type.oid = 10021 then 2002 when base_type.oid = 12070 then 2002 when base_type.oid = 10022 then 2003 when base_type.oid = 10023 then 2002 when base_type.oid = 10024 then 2003 when base_type.oid = 10025 then 2002 when base_type.oid = 12074 then 2003 when base_type.oid = 10026 then 2003 when base_type.oid = 12075 then 2002 when base_type.oid = 10027 then 2002 when base_type.oid = 10028 then 2003 when base_type.oid = 10029 then 2002 when base_type.oid = 12078 then 2003 when base_type.oid = 10030 then 2003 when base_type.oid = 12079 then 2002 when base_type.oid = 10031 then 2002 when base_type.oid = 10032 then 2003 when base_type.oid = 10033 then 2002 when base_type.oid = 12082 then 2003 when base_type.oid = 10034 then 2003 when base_type.oid = 12083 then 2002 when base_type.oid = 10035 then 2002 when base_type.oid = 10036 then 2003 when base_type.oid = 10037 then 2002 when base_type.oid = 12086 then 2003 when base_type.oid = 10038 then 2003 when base_type.oid = 12087 then 2002 when base_type.oid = 10039 then 2002 when base_type.oid = 10040 then 2003 when base_type.oid = 10041 then 2002 when base_type.oid = 10042 then 2003 when base_type.oid = 12091 then 2003 when base_type.oid = 10043 then 2002 when base_type.oid = 12092 then 2002 when base_type.oid = 10044 then 2003 when base_type.oid = 10045 then 2002 when base_type.oid = 829 then 1111 when base_type.oid = 10046 then 2003 when base_type.oid = 10047 then 2002 when base_type.oid = 12096 then 2003 when base_type.oid = 10048 then 2003 when base_type.oid = 3904 then 1111 when base_type.oid = 12097 then 2002 when base_type.oid = 10049 then 2002 when base_type.oid = 3905 then 2003 when base_type.oid = 10050 then 2003 when base_type.oid = 3906 then 1111 when base_type.oid = 10051 then 2002 when base_type.oid = 3907 then 2003 when base_type.oid = 12100 then 2003 when base_type.oid = 10052 then 2003 when base_type.oid = 3908 then 1111 when base_type.oid = 12101 then 2002 when base_type.oid = 10053 then 2003 when base_type.oid = 3909 then 2003 when base_type.oid = 10054 then 2002 when base_type.oid = 3910 then 1111 when base_type.oid = 10055 then 2003 when base_type.oid = 3911 then 2003 when base_type.oid = 10056 then 2002 when base_type.oid = 3912 then 1111 when base_type.oid = 12105 then 2003 when base_type.oid = 10057 then 2003 when base_type.oid = 3913 then 2003 when base_type.oid = 12106 then 2002 when base_type.oid = 10058 then 2003 when base_type.oid = 10059 then 2003 when base_type.oid = 10060 then 2002 when base_type.oid = 10061 then 2003 when base_type.oid = 10062 then 2002 when base_type.oid = 12111 then 2003 when base_type.oid = 10063 then 2003 when base_type.oid = 12112 then 2002 when base_type.oid = 10064 then 2002 when base_type.oid = 10065 then 2003 when base_type.oid = 10066 then 2002 when base_type.oid = 12115 then 2003 when base_type.oid = 10067 then 2003 when base_type.oid = 12116 then 2002 when base_type.oid = 10068 then 2002 when base_type.oid = 10069 then 2003 when base_type.oid = 10070 then 2002 when base_type.oid = 3926 then 1111 when base_type.oid = 12119 then 2003 when base_type.oid = 10071 then 2003 when base_type.oid = 3927 then 2003 when base_type.oid = 12120 then 2002 when base_type.oid = 10072 then 2002 when base_type.oid = 10073 then 2003 when base_type.oid = 10074 then 2002 when base_type.oid = 12123 then 2003 when base_type.oid = 10075 then 2003 when base_type.oid = 12124 then 2002 when base_type.oid = 10076 then 2002 when base_type.oid = 10077 then 2003 when base_type.oid = 10078 then 2002 when base_type.oid = 12127 then 2003 when base_type.oid = 10079 then 2003 when base_type.oid = 12128 then 2002 when base_type.oid = 10080 then 2002 when base_type.oid = 10081 then 2003 when base_type.oid = 10082 then 2002 when base_type.oid = 12131 then 2003 when base_type.oid = 10083 then 2003 when base_type.oid = 12132 then 2002 when base_type.oid = 10084 then 2002 when base_type.oid = 10085 then 2003 when base_type.oid = 869 then 1111 when base_type.oid = 10086 then 2002 when base_type.oid = 12135 then 2003 when base_type.oid = 10087 then 2003 when base_type.oid = 12136 then 2002 when base_type.oid = 10088 then 2002 when base_type.oid = 10089 then 2003 when base_type.oid = 10090 then 2002 when base_type.oid = 12139 then 2003 when base_type.oid = 10091 then 2003 when base_type.oid = 12140 then 2002 when base_type.oid = 10092 then 2002 when base_type.oid = 10093 then 2003 when base_type.oid = 10094 then 2003 when base_type.oid = 12143 then 2003 when base_type.oid = 10095 then 2002 when base_type.oid = 12144 then 2002 when base_type.oid = 10096 then 2003 when base_type.oid = 10097 then 2002 when base_type.oid = 10098 then 2003 when base_type.oid = 12147 then 2003 when base_type.oid = 10099 then 2002 when base_type.oid = 12148 then 2002 when base_type.oid = 10100 then 2003 when base_type.oid = 10101 then 2002 when base_type.oid = 10102 then 2003 when base_type.oid = 10103 then 2002 when base_type.oid = 12152 then 2003 when base_type.oid = 10104 then 2003 when base_type.oid = 12153 then 2002 when base_type.oid = 10105 then 2002 when base_type.oid = 10106 then 2003 when base_type.oid = 10107 then 2002 when base_type.oid = 10108 then 2003 when base_type.oid = 12157 then 2003 when base_type.oid = 10109 then 2002 when base_type.oid = 12158 then 2002 when base_type.oid = 10110 then 2003 when base_type.oid = 10111 then 2002 when base_type.oid = 10112 then 2003 when base_type.oid = 10113 then 2003 when base_type.oid = 12162 then 2003 when base_type.oid = 10114 then 2002 when base_type.oid = 12163 then 2002 when base_type.oid = 2949 then 2003 when base_type.oid = 2950 then 1111 when base_type.oid = 12166 then 2003 when base_type.oid = 2951 then 2003 when base_type.oid = 12167 then 2002 when base_type.oid = 12171 then 2003 when base_type.oid = 12172 then 2002 when base_type.oid = 12175 then 2003 when base_type.oid = 12176 then 2002 when base_type.oid = 12180 then 2003 when base_type.oid = 12181 then 2002 when base_type.oid = 12184 then 2003 when base_type.oid = 12185 then 2002 when base_type.oid = 5017 then 1111 when base_type.oid = 2970 then 1111 when base_type.oid = 12188 then 2003 when base_type.oid = 12189 then 2002 when base_type.oid = 12193 then 2003 when base_type.oid = 12194 then 2002 when base_type.oid = 12197 then 2003 when base_type.oid = 12198 then 2002 when base_type.oid = 12201 then 2003 when base_type.oid = 12202 then 2002 when base_type.oid = 12206 then 2003 when base_type.oid = 5038 then 1111 when base_type.oid = 12207 then 2002 when base_type.oid = 5039 then 2003 when base_type.oid = 12210 then 2003 when base_type.oid = 12211 then 2002 when base_type.oid = 12214 then 2003 when base_type.oid = 12215 then 2002 when base_type.oid = 12219 then 2003 when base_type.oid = 12220 then 2002 when base_type.oid = 12223 then 2003 when base_type.oid = 12224 then 2002 when base_type.oid = 12227 then 2003 when base_type.oid = 12228 then 2002 when base_type.oid = 12232 then 2003 when base_type.oid = 12233 then 2002 when base_type.oid = 12237 then 2003 when base_type.oid = 5069 then 1111 when base_type.oid = 12238 then 2002 when base_type.oid = 12241 then 2003 when base_type.oid = 12242 then 2002 when base_type.oid = 12245 then 2003 when base_type.oid = 6101 then 2002 when base_type.oid = 5077 then 1111 when base_type.oid = 12246 then 2002 when base_type.oid = 5078 then 1111 when base_type.oid = 5079 then 1111 when base_type.oid = 5080 then 1111 when base_type.oid = 12249 then 2003 when base_type.oid = 12250 then 2002 when base_type.oid = 12254 then 2003 when base_type.oid = 12255 then 2002 when base_type.oid = 12258 then 2003 when base_type.oid = 4066 then 2002 when base_type.oid = 12259 then 2002 when base_type.oid = 12262 then 2003 when base_type.oid = 12263 then 2002 when base_type.oid = 1000 then 2003 when base_type.oid = 4072 then 1111 when base_type.oid = 1001 then 2003 when base_type.oid = 4073 then 2003 when base_type.oid = 1002 then 2003 when base_type.oid = 1003 then 2003 when base_type.oid = 12267 then 2003 when base_type.oid = 12268 then 2002 when base_type.oid = 1005 then 2003 when base_type.oid = 1006 then 2003 when base_type.oid = 1007 then 2003 when base_type.oid = 12271 then 2003 when base_type.oid = 12272 then 2002 when base_type.oid = 1008 then 2003 when base_type.oid = 1009 then 2003 when base_type.oid = 1010 then 2003 when base_type.oid = 1011 then 2003 when base_type.oid = 12276 then 2003 when base_type.oid = 1012 then 2003 when base_type.oid = 12277 then 2002 when base_type.oid = 1013 then 2003 when base_type.oid = 1014 then 2003 when base_type.oid = 1015 then 2003 when base_type.oid = 1016 then 2003 when base_type.oid = 12280 then 2003 when base_type.oid = 1017 then 2003 when base_type.oid = 12281 then 2002 when base_type.oid = 4089 then 1111 when base_type.oid = 4090 then 2003 when base_type.oid = 1018 then 2003 when base_type.oid = 1019 then 2003 when base_type.oid = 1020 then 2003 when base_type.oid = 1021 then 2003 when base_type.oid = 12285 then 2003 when base_type.oid = 1022 then 2003 when base_type.oid = 12286 then 2002 else 1111 end from pg_type base_type where base_type.oid=t.typbasetype) else null end as base_type from pg_catalog.pg_type t, pg_catalog.pg_namespace n where t.typnamespace = n.oid and n.nspname != 'pg_catalog' and n.nspname != 'pg_toast' and t.typtype IN ('c','d')  and t.typname like '%' and n.nspname like 'public' order by data_type, type_schem, type_name;
SELECT a.attname, a.atttypid, atttypmod FROM pg_catalog.pg_class ct   JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)   JOIN (SELECT i.indexrelid, i.indrelid, i.indisprimary,              information_schema._pg_expandarray(i.indkey) AS keys         FROM pg_catalog.pg_index i) i     ON (a.attnum = (i.keys).x AND a.attrelid = i.indrelid) WHERE true  AND n.nspname = 'public' AND ct.relname = 'items' AND i.indisprimary  ORDER BY a.attnum;
SELECT t.typlen FROM pg_catalog.pg_type t, pg_catalog.pg_namespace n WHERE t.typnamespace=n.oid AND t.typname='name' AND n.nspname='pg_catalog';
-- SQLAlchemy.
select current_schema();
SELECT pg_catalog.pg_class.relname 
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p']) AND pg_catalog.pg_class.relpersistence != 't' AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog';
SELECT pg_catalog.pg_namespace.nspname 
FROM pg_catalog.pg_namespace 
WHERE (pg_catalog.pg_namespace.nspname NOT LIKE 'pg/_' || '%' ESCAPE '/') ORDER BY pg_catalog.pg_namespace.nspname;
SELECT pg_catalog.pg_attribute.attname AS name, pg_catalog.format_type(pg_catalog.pg_attribute.atttypid, pg_catalog.pg_attribute.atttypmod) AS format_type, CASE WHEN pg_catalog.pg_attribute.atthasdef THEN (SELECT pg_catalog.pg_get_expr(pg_catalog.pg_attrdef.adbin, pg_catalog.pg_attrdef.adrelid) AS pg_get_expr_1 
FROM pg_catalog.pg_attrdef 
WHERE pg_catalog.pg_attribute.atthasdef AND pg_catalog.pg_attrdef.adrelid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attrdef.adnum = pg_catalog.pg_attribute.attnum) ELSE NULL END AS "default", pg_catalog.pg_attribute.attnotnull AS not_null, pg_catalog.pg_class.relname AS table_name, pg_catalog.pg_description.description AS comment, pg_catalog.pg_attribute.attgenerated AS generated, CASE WHEN (pg_catalog.pg_attribute.attidentity != '') THEN (SELECT json_build_object('always', pg_catalog.pg_attribute.attidentity = 'a', 'start', pg_catalog.pg_sequence.seqstart, 'increment', pg_catalog.pg_sequence.seqincrement, 'minvalue', pg_catalog.pg_sequence.seqmin, 'maxvalue', pg_catalog.pg_sequence.seqmax, 'cache', pg_catalog.pg_sequence.seqcache, 'cycle', pg_catalog.pg_sequence.seqcycle) AS json_build_object_1 
FROM pg_catalog.pg_sequence 
WHERE pg_catalog.pg_attribute.attidentity != '' AND pg_catalog.pg_sequence.seqrelid = CAST(CAST(pg_catalog.pg_get_serial_sequence(CAST(CAST(pg_catalog.pg_attribute.attrelid AS REGCLASS) AS TEXT), pg_catalog.pg_attribute.attname) AS REGCLASS) AS OID)) ELSE NULL END AS identity_options, CASE WHEN (pg_catalog.pg_attribute.attcollation != 0 AND (SELECT pg_catalog.pg_type.typcollation 
FROM pg_catalog.pg_type 
WHERE pg_catalog.pg_type.oid = pg_catalog.pg_attribute.atttypid) != pg_catalog.pg_attribute.attcollation) THEN (SELECT json_build_object('name', pg_catalog.pg_collation.collname, 'schema', CASE WHEN pg_catalog.pg_collation_is_visible(pg_catalog.pg_collation.oid) THEN NULL ELSE pg_catalog.pg_namespace.nspname END) AS json_build_object_9 
FROM pg_catalog.pg_collation JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_collation.collnamespace 
WHERE pg_catalog.pg_collation.oid = pg_catalog.pg_attribute.attcollation) ELSE NULL END AS collation 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_class.oid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attribute.attnum > 0 AND NOT pg_catalog.pg_attribute.attisdropped LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_description.objsubid = pg_catalog.pg_attribute.attnum JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_attribute.attnum;
SELECT pg_catalog.pg_class.oid, pg_catalog.pg_class.relname 
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers');
SELECT attr.conrelid, array_agg(CAST(attr.attname AS TEXT) ORDER BY attr.ord) AS cols, attr.conname, min(attr.description) AS description, min(attr.indnkeyatts) AS indnkeyatts, bool_and(attr.indnullsnotdistinct) AS indnullsnotdistinct 
FROM (SELECT con.conrelid AS conrelid, con.conname AS conname, con.description AS description, con.ord AS ord, con.indnkeyatts AS indnkeyatts, con.indnullsnotdistinct AS indnullsnotdistinct, pg_catalog.pg_attribute.attname AS attname 
FROM pg_catalog.pg_attribute JOIN (SELECT pg_catalog.pg_constraint.conrelid AS conrelid, pg_catalog.pg_constraint.conname AS conname, unnest(pg_catalog.pg_index.indkey) AS attnum, generate_subscripts(pg_catalog.pg_index.indkey, 1) AS ord, pg_catalog.pg_index.indnkeyatts AS indnkeyatts, pg_catalog.pg_index.indnullsnotdistinct AS indnullsnotdistinct, pg_catalog.pg_description.description AS description 
FROM pg_catalog.pg_constraint JOIN pg_catalog.pg_index ON pg_catalog.pg_constraint.conindid = pg_catalog.pg_index.indexrelid LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) 
WHERE pg_catalog.pg_constraint.contype = 'p' AND pg_catalog.pg_constraint.conrelid IN ('customers'::regclass)) AS con ON pg_catalog.pg_attribute.attnum = con.attnum AND pg_catalog.pg_attribute.attrelid = con.conrelid 
WHERE con.conrelid IN ('customers'::regclass)) AS attr GROUP BY attr.conrelid, attr.conname ORDER BY attr.conrelid, attr.conname;
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname, CASE WHEN (pg_catalog.pg_constraint.oid IS NOT NULL) THEN pg_catalog.pg_get_constraintdef(pg_catalog.pg_constraint.oid, true) END AS anon_1, nsp_ref.nspname, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_class.oid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_constraint.contype = 'f' LEFT OUTER JOIN pg_catalog.pg_class AS cls_ref ON cls_ref.oid = pg_catalog.pg_constraint.confrelid LEFT OUTER JOIN pg_catalog.pg_namespace AS nsp_ref ON cls_ref.relnamespace = nsp_ref.oid LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname;
SELECT pg_catalog.pg_am.oid, pg_catalog.pg_am.amname 
FROM pg_catalog.pg_am 
WHERE pg_catalog.pg_am.amname = 'btree';
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname, CASE WHEN (pg_catalog.pg_constraint.oid IS NOT NULL) THEN pg_catalog.pg_get_constraintdef(pg_catalog.pg_constraint.oid, true) END AS anon_1, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_class.oid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_constraint.contype = 'c' LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname;
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_class.oid = pg_catalog.pg_description.objoid AND pg_catalog.pg_description.objsubid = 0 AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_class' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers');
SELECT pg_catalog.pg_index.indrelid, pg_catalog.pg_class.relname, pg_catalog.pg_index.indisunique, pg_catalog.pg_index.indisvalid, pg_catalog.pg_constraint.conrelid IS NOT NULL AS has_constraint, pg_catalog.pg_index.indoption, pg_catalog.pg_class.reloptions, pg_catalog.pg_class.relam, CASE WHEN (pg_catalog.pg_index.indpred IS NOT NULL) THEN pg_catalog.pg_get_expr(pg_catalog.pg_index.indpred, pg_catalog.pg_index.indrelid) END AS filter_definition, pg_catalog.pg_index.indnkeyatts, pg_catalog.pg_index.indnullsnotdistinct, idx_cols.elements, idx_cols.elements_is_expr, idx_cols.elements_opclass 
FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_catalog.pg_index.indexrelid = pg_catalog.pg_class.oid LEFT OUTER JOIN (SELECT idx_attr.indexrelid AS indexrelid, min(idx_attr.indrelid) AS min_1, array_agg(idx_attr.element ORDER BY idx_attr.ord) AS elements, array_agg(idx_attr.is_expr ORDER BY idx_attr.ord) AS elements_is_expr, array_agg(idx_attr.att_opclass ORDER BY idx_attr.ord) AS elements_opclass 
FROM (SELECT idx.indexrelid AS indexrelid, idx.indrelid AS indrelid, idx.ord AS ord, CASE WHEN (idx.attnum = 0) THEN pg_catalog.pg_get_indexdef(idx.indexrelid, idx.ord + 1, true) ELSE CAST(pg_catalog.pg_attribute.attname AS TEXT) END AS element, idx.attnum = 0 AS is_expr, CAST(idx.att_opclass AS BIGINT) AS att_opclass 
FROM (SELECT pg_catalog.pg_index.indexrelid AS indexrelid, pg_catalog.pg_index.indrelid AS indrelid, unnest(pg_catalog.pg_index.indkey) AS attnum, unnest(pg_catalog.pg_index.indclass) AS att_opclass, generate_subscripts(pg_catalog.pg_index.indkey, 1) AS ord 
FROM pg_catalog.pg_index 
WHERE NOT pg_catalog.pg_index.indisprimary AND pg_catalog.pg_index.indrelid IN ('items'::regclass)) AS idx LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_attribute.attnum = idx.attnum AND pg_catalog.pg_attribute.attrelid = idx.indrelid 
WHERE idx.indrelid IN ('items'::regclass)) AS idx_attr GROUP BY idx_attr.indexrelid) AS idx_cols ON pg_catalog.pg_index.indexrelid = idx_cols.indexrelid LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_index.indrelid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_index.indexrelid = pg_catalog.pg_constraint.conindid AND pg_catalog.pg_constraint.contype = ANY (ARRAY['p', 'u', 'x']) 
WHERE pg_catalog.pg_index.indrelid IN ('items'::regclass) AND NOT pg_catalog.pg_index.indisprimary ORDER BY pg_catalog.pg_index.indrelid, pg_catalog.pg_class.relname;
SELECT pg_catalog.pg_class.relname 
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relname IN ('customers') AND pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog';
SELECT pg_catalog.pg_attribute.attname AS name, pg_catalog.format_type(pg_catalog.pg_attribute.atttypid, pg_catalog.pg_attribute.atttypmod) AS format_type, CASE WHEN pg_catalog.pg_attribute.atthasdef THEN (SELECT pg_catalog.pg_get_expr(pg_catalog.pg_attrdef.adbin, pg_catalog.pg_attrdef.adrelid) AS pg_get_expr_1 
FROM pg_catalog.pg_attrdef 
WHERE pg_catalog.pg_attribute.atthasdef AND pg_catalog.pg_attrdef.adrelid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attrdef.adnum = pg_catalog.pg_attribute.attnum) ELSE NULL END AS "default", pg_catalog.pg_attribute.attnotnull AS not_null, pg_catalog.pg_class.relname AS table_name, pg_catalog.pg_description.description AS comment, pg_catalog.pg_attribute.attgenerated AS generated, CASE WHEN (pg_catalog.pg_attribute.attidentity != '') THEN (SELECT json_build_object('always', pg_catalog.pg_attribute.attidentity = 'a', 'start', pg_catalog.pg_sequence.seqstart, 'increment', pg_catalog.pg_sequence.seqincrement, 'minvalue', pg_catalog.pg_sequence.seqmin, 'maxvalue', pg_catalog.pg_sequence.seqmax, 'cache', pg_catalog.pg_sequence.seqcache, 'cycle', pg_catalog.pg_sequence.seqcycle) AS json_build_object_1 
FROM pg_catalog.pg_sequence 
WHERE pg_catalog.pg_attribute.attidentity != '' AND pg_catalog.pg_sequence.seqrelid = CAST(CAST(pg_catalog.pg_get_serial_sequence(CAST(CAST(pg_catalog.pg_attribute.attrelid AS REGCLASS) AS TEXT), pg_catalog.pg_attribute.attname) AS REGCLASS) AS OID)) ELSE NULL END AS identity_options, CASE WHEN (pg_catalog.pg_attribute.attcollation != 0 AND (SELECT pg_catalog.pg_type.typcollation 
FROM pg_catalog.pg_type 
WHERE pg_catalog.pg_type.oid = pg_catalog.pg_attribute.atttypid) != pg_catalog.pg_attribute.attcollation) THEN (SELECT json_build_object('name', pg_catalog.pg_collation.collname, 'schema', CASE WHEN pg_catalog.pg_collation_is_visible(pg_catalog.pg_collation.oid) THEN NULL ELSE pg_catalog.pg_namespace.nspname END) AS json_build_object_9 
FROM pg_catalog.pg_collation JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_collation.collnamespace 
WHERE pg_catalog.pg_collation.oid = pg_catalog.pg_attribute.attcollation) ELSE NULL END AS collation 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_class.oid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attribute.attnum > 0 AND NOT pg_catalog.pg_attribute.attisdropped LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_description.objsubid = pg_catalog.pg_attribute.attnum JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_attribute.attnum;
SELECT pg_catalog.pg_class.oid, pg_catalog.pg_class.relname 
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items');
SELECT attr.conrelid, array_agg(CAST(attr.attname AS TEXT) ORDER BY attr.ord) AS cols, attr.conname, min(attr.description) AS description, min(attr.indnkeyatts) AS indnkeyatts, bool_and(attr.indnullsnotdistinct) AS indnullsnotdistinct 
FROM (SELECT con.conrelid AS conrelid, con.conname AS conname, con.description AS description, con.ord AS ord, con.indnkeyatts AS indnkeyatts, con.indnullsnotdistinct AS indnullsnotdistinct, pg_catalog.pg_attribute.attname AS attname 
FROM pg_catalog.pg_attribute JOIN (SELECT pg_catalog.pg_constraint.conrelid AS conrelid, pg_catalog.pg_constraint.conname AS conname, unnest(pg_catalog.pg_index.indkey) AS attnum, generate_subscripts(pg_catalog.pg_index.indkey, 1) AS ord, pg_catalog.pg_index.indnkeyatts AS indnkeyatts, pg_catalog.pg_index.indnullsnotdistinct AS indnullsnotdistinct, pg_catalog.pg_description.description AS description 
FROM pg_catalog.pg_constraint JOIN pg_catalog.pg_index ON pg_catalog.pg_constraint.conindid = pg_catalog.pg_index.indexrelid LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) 
WHERE pg_catalog.pg_constraint.contype = 'p' AND pg_catalog.pg_constraint.conrelid IN ('customers'::regclass, 'orders'::regclass, 'items'::regclass)) AS con ON pg_catalog.pg_attribute.attnum = con.attnum AND pg_catalog.pg_attribute.attrelid = con.conrelid 
WHERE con.conrelid IN ('customers'::regclass, 'orders'::regclass, 'items'::regclass)) AS attr GROUP BY attr.conrelid, attr.conname ORDER BY attr.conrelid, attr.conname;
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname, CASE WHEN (pg_catalog.pg_constraint.oid IS NOT NULL) THEN pg_catalog.pg_get_constraintdef(pg_catalog.pg_constraint.oid, true) END AS anon_1, nsp_ref.nspname, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_class.oid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_constraint.contype = 'f' LEFT OUTER JOIN pg_catalog.pg_class AS cls_ref ON cls_ref.oid = pg_catalog.pg_constraint.confrelid LEFT OUTER JOIN pg_catalog.pg_namespace AS nsp_ref ON cls_ref.relnamespace = nsp_ref.oid LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname;
SELECT pg_catalog.pg_index.indrelid, pg_catalog.pg_class.relname, pg_catalog.pg_index.indisunique, pg_catalog.pg_index.indisvalid, pg_catalog.pg_constraint.conrelid IS NOT NULL AS has_constraint, pg_catalog.pg_index.indoption, pg_catalog.pg_class.reloptions, pg_catalog.pg_class.relam, CASE WHEN (pg_catalog.pg_index.indpred IS NOT NULL) THEN pg_catalog.pg_get_expr(pg_catalog.pg_index.indpred, pg_catalog.pg_index.indrelid) END AS filter_definition, pg_catalog.pg_index.indnkeyatts, pg_catalog.pg_index.indnullsnotdistinct, idx_cols.elements, idx_cols.elements_is_expr, idx_cols.elements_opclass 
FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_catalog.pg_index.indexrelid = pg_catalog.pg_class.oid LEFT OUTER JOIN (SELECT idx_attr.indexrelid AS indexrelid, min(idx_attr.indrelid) AS min_1, array_agg(idx_attr.element ORDER BY idx_attr.ord) AS elements, array_agg(idx_attr.is_expr ORDER BY idx_attr.ord) AS elements_is_expr, array_agg(idx_attr.att_opclass ORDER BY idx_attr.ord) AS elements_opclass 
FROM (SELECT idx.indexrelid AS indexrelid, idx.indrelid AS indrelid, idx.ord AS ord, CASE WHEN (idx.attnum = 0) THEN pg_catalog.pg_get_indexdef(idx.indexrelid, idx.ord + 1, true) ELSE CAST(pg_catalog.pg_attribute.attname AS TEXT) END AS element, idx.attnum = 0 AS is_expr, CAST(idx.att_opclass AS BIGINT) AS att_opclass 
FROM (SELECT pg_catalog.pg_index.indexrelid AS indexrelid, pg_catalog.pg_index.indrelid AS indrelid, unnest(pg_catalog.pg_index.indkey) AS attnum, unnest(pg_catalog.pg_index.indclass) AS att_opclass, generate_subscripts(pg_catalog.pg_index.indkey, 1) AS ord 
FROM pg_catalog.pg_index 
WHERE NOT pg_catalog.pg_index.indisprimary AND pg_catalog.pg_index.indrelid IN ('customers'::regclass, 'orders'::regclass, 'items'::regclass)) AS idx LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_attribute.attnum = idx.attnum AND pg_catalog.pg_attribute.attrelid = idx.indrelid 
WHERE idx.indrelid IN ('customers'::regclass, 'orders'::regclass, 'items'::regclass)) AS idx_attr GROUP BY idx_attr.indexrelid) AS idx_cols ON pg_catalog.pg_index.indexrelid = idx_cols.indexrelid LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_index.indrelid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_index.indexrelid = pg_catalog.pg_constraint.conindid AND pg_catalog.pg_constraint.contype = ANY (ARRAY['p', 'u', 'x']) 
WHERE pg_catalog.pg_index.indrelid IN ('customers'::regclass, 'orders'::regclass, 'items'::regclass) AND NOT pg_catalog.pg_index.indisprimary ORDER BY pg_catalog.pg_index.indrelid, pg_catalog.pg_class.relname;
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_class.oid = pg_catalog.pg_description.objoid AND pg_catalog.pg_description.objsubid = 0 AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_class' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items');
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname, CASE WHEN (pg_catalog.pg_constraint.oid IS NOT NULL) THEN pg_catalog.pg_get_constraintdef(pg_catalog.pg_constraint.oid, true) END AS anon_1, pg_catalog.pg_description.description 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_class.oid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_constraint.contype = 'c' LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS) JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_constraint.conname;
-- Django.
SELECT
                c.relname,
                CASE
                    WHEN c.relispartition THEN 'p'
                    WHEN c.relkind IN ('m', 'v') THEN 'v'
                    ELSE 't'
                END,
                obj_description(c.oid, 'pg_class')
            FROM pg_catalog.pg_class c
            LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('f', 'm', 'p', 'r', 'v')
                AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
                AND pg_catalog.pg_table_is_visible(c.oid);
SELECT
                c.conname,
                array(
                    SELECT attname
                    FROM unnest(c.conkey) WITH ORDINALITY cols(colid, arridx)
                    JOIN pg_attribute AS ca ON cols.colid = ca.attnum
                    WHERE ca.attrelid = c.conrelid
                    ORDER BY cols.arridx
                ),
                c.contype,
                (SELECT fkc.relname || '.' || fka.attname
                FROM pg_attribute AS fka
                JOIN pg_class AS fkc ON fka.attrelid = fkc.oid
                WHERE fka.attrelid = c.confrelid AND fka.attnum = c.confkey[1]),
                cl.reloptions
            FROM pg_constraint AS c
            JOIN pg_class AS cl ON c.conrelid = cl.oid
            WHERE cl.relname = 'customers' AND pg_catalog.pg_table_is_visible(cl.oid);
SELECT
                indexname,
                array_agg(attname ORDER BY arridx),
                indisunique,
                indisprimary,
                array_agg(ordering ORDER BY arridx),
                amname,
                exprdef,
                s2.attoptions
            FROM (
                SELECT
                    c2.relname as indexname, idx.*, attr.attname, am.amname,
                    CASE
                        WHEN idx.indexprs IS NOT NULL THEN
                            pg_get_indexdef(idx.indexrelid)
                    END AS exprdef,
                    CASE am.amname
                        WHEN 'btree' THEN
                            CASE (option & 1)
                                WHEN 1 THEN 'DESC' ELSE 'ASC'
                            END
                    END as ordering,
                    c2.reloptions as attoptions
                FROM (
                    SELECT *
                    FROM
                        pg_index i,
                        unnest(i.indkey, i.indoption)
                            WITH ORDINALITY koi(key, option, arridx)
                ) idx
                LEFT JOIN pg_class c ON idx.indrelid = c.oid
                LEFT JOIN pg_class c2 ON idx.indexrelid = c2.oid
                LEFT JOIN pg_am am ON c2.relam = am.oid
                LEFT JOIN
                    pg_attribute attr ON attr.attrelid = c.oid AND attr.attnum = idx.key
                WHERE c.relname = 'customers' AND pg_catalog.pg_table_is_visible(c.oid)
            ) s2
            GROUP BY indexname, indisunique, indisprimary, amname, exprdef, attoptions;
-- pg_dump 18.
SELECT
a.attrelid,
a.attnum,
a.attname,
a.attstattarget,
a.attstorage,
t.typstorage,
a.atthasdef,
a.attisdropped,
a.attlen,
a.attalign,
a.attislocal,
pg_catalog.format_type(t.oid, a.atttypmod) AS atttypname,
array_to_string(a.attoptions, ', ') AS attoptions,
CASE WHEN a.attcollation <> t.typcollation THEN a.attcollation ELSE 0 END AS attcollation,
pg_catalog.array_to_string(ARRAY(SELECT pg_catalog.quote_ident(option_name) || ' ' || pg_catalog.quote_literal(option_value) FROM pg_catalog.pg_options_to_table(attfdwoptions) ORDER BY option_name), E',
    ') AS attfdwoptions,
co.conname AS notnull_name,
CASE WHEN co.convalidated THEN pt.description ELSE NULL END AS notnull_comment,
CASE WHEN NOT co.convalidated THEN co.oid ELSE NULL END AS notnull_invalidoid,
co.connoinherit AS notnull_noinherit,
co.conislocal AS notnull_islocal,
a.attcompression AS attcompression,
a.attidentity,
CASE WHEN a.atthasmissing AND NOT a.attisdropped THEN a.attmissingval ELSE null END AS attmissingval,
a.attgenerated
FROM unnest(array['customers'::regclass::oid,'orders'::regclass::oid,'items'::regclass::oid]) AS src(tbloid)
JOIN pg_catalog.pg_attribute a ON (src.tbloid = a.attrelid) LEFT JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
 LEFT JOIN pg_catalog.pg_constraint co ON (a.attrelid = co.conrelid
   AND co.contype = 'n' AND co.conkey = array[a.attnum])
 LEFT JOIN pg_catalog.pg_description pt ON (pt.classoid = co.tableoid AND pt.objoid = co.oid)
WHERE a.attnum > 0::pg_catalog.int2
ORDER BY a.attrelid, a.attnum;
SELECT DISTINCT attrelid FROM pg_attribute WHERE attacl IS NOT NULL;
SELECT pg_catalog.current_schemas(false);
-- Views and functions.
select constraint_name, table_name, constraint_type, is_deferrable, initially_deferred, enforced, nulls_distinct from information_schema.table_constraints where table_schema = 'public' order by 1;
select constraint_name, table_name, column_name, ordinal_position, position_in_unique_constraint from information_schema.key_column_usage where table_schema = 'public' order by 1, 4;
select table_name, column_name, constraint_name from information_schema.constraint_column_usage where table_schema = 'public' order by 3, 2;
select constraint_name, check_clause from information_schema.check_constraints where constraint_schema = 'public' order by 1;
select schema_name, schema_owner from information_schema.schemata where schema_name !~ 'pg_t' order by 1;
select grantee, table_name, privilege_type, is_grantable from information_schema.table_privileges where table_schema = 'public' order by 2, 3;
select grantee, column_name, privilege_type from information_schema.column_privileges where table_name = 'customers' order by 2, 3;
select count(*) from information_schema.views where table_schema = 'public';
select count(*) from information_schema.sequences;
select * from information_schema.referential_constraints;
select role_name from information_schema.enabled_roles order by 1 limit 3;
select relname, seq_scan, last_vacuum, vacuum_count from pg_stat_user_tables order by 1;
select relname, indexrelname, idx_scan, last_idx_scan from pg_stat_user_indexes order by 1, 2;
select datname is null, numbackends, checksum_failures is null or true from pg_stat_database where datid = 0;
select count(*) from pg_stat_progress_vacuum;
select count(*) from pg_stat_replication;
select count(*) from pg_replication_slots;
select count(*) from pg_prepared_xacts;
select count(*) from pg_stat_wal_receiver;
select archived_count, last_archived_wal, failed_count from pg_stat_archiver;
select count(*) from pg_stat_slru;
select count(*) > 0, bool_and(wal_records >= 0) from pg_stat_wal;
select num_timed >= 0, restartpoints_timed from pg_stat_checkpointer;
select maxwritten_clean >= 0 from pg_stat_bgwriter;
select count(*) > 0 from pg_stat_io where object = 'relation';
select name, unit, vartype, context, category, min_val, max_val, boot_val from pg_settings where name in ('work_mem', 'DateStyle', 'enable_hashjoin', 'statement_timeout') order by 1;
select abbrev, utc_offset, is_dst from pg_timezone_abbrevs where abbrev in ('PST', 'CEST', 'UTC', 'MSK') order by 1;
select name, utc_offset is not null from pg_timezone_names where name in ('Europe/Berlin', 'UTC') order by 1;
select pid = pid, locktype from pg_locks where locktype = 'advisory';
select word, catcode, barelabel, catdesc, baredesc from pg_get_keywords() where word in ('select', 'abs', 'between', 'year', 'left') order by 1;
select (aclexplode(acldefault('r', 10))).*;
select * from aclexplode(acldefault('f', 10));
select acldefault('d', 10), acldefault('n', 10), acldefault('c', 10), acldefault('T', 10);
select * from pg_options_to_table(array['a=1', 'b', 'c=d=e']);
select pg_relation_is_updatable('customers'::regclass, false), pg_relation_is_updatable('pg_settings'::regclass, true) & 16, pg_relation_is_updatable('pg_indexes'::regclass, false), pg_column_is_updatable('customers'::regclass, 1::int2, false);
select (information_schema._pg_expandarray(array[5, 6])).*;
select x, n from information_schema._pg_expandarray(array['a', 'b']);
select (s.a).n, (s.a).x from (select information_schema._pg_expandarray(indkey) as a from pg_index where indexrelid = 'items_pkey'::regclass) s;
select pg_get_functiondef('lower(text)'::regprocedure), pg_get_functiondef('generate_series(int, int)'::regprocedure);
select pg_get_functiondef('make_interval'::regproc), pg_get_functiondef('rank()'::regprocedure);
select pg_get_functiondef('sum(int)'::regprocedure);
select pg_get_function_arg_default('make_interval'::regproc, 7), pg_get_function_arg_default('lower(text)'::regprocedure, 1);
select '10.1.2.3/8'::inet, '::1'::inet, '::ffff:1.2.3.4'::inet, '10/8'::inet, host('10.1.2.3/8'), family('::1'), masklen('10.1.2.3'), abbrev('1.2.3.4/24'::inet), text('1.2.3.4'::inet);
select '10.1'::inet;
select '1.2.3.4'::inet < '1.2.3.5'::inet, '1.2.3.4/8'::inet < '1.2.3.4/16'::inet, '::1'::inet > '255.255.255.255'::inet, '1.2.3.4/32'::inet = '1.2.3.4'::inet;
select '0/16B3748'::pg_lsn, '16/B374D848'::pg_lsn - '16/B374D800'::pg_lsn, '1/0'::pg_lsn > '0/FFFFFFFF'::pg_lsn;
select 'x/1'::pg_lsn;
SELECT pg_catalog.pg_class.oid, pg_catalog.pg_class.relname, pg_catalog.pg_class.reloptions, NULL AS relhasoids, CASE WHEN (pg_catalog.pg_am.amname IS NOT NULL AND pg_catalog.pg_am.amname != current_setting('default_table_access_method')) THEN pg_catalog.pg_am.amname ELSE NULL END AS access_method_name, pg_catalog.pg_tablespace.spcname AS tablespace_name, inherits.parent_table_names 
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_am ON pg_catalog.pg_class.relam = pg_catalog.pg_am.oid LEFT OUTER JOIN (SELECT pg_catalog.pg_inherits.inhrelid AS inhrelid, array_agg(pg_catalog.pg_class.relname ORDER BY pg_catalog.pg_inherits.inhseqno) AS parent_table_names 
FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class ON pg_catalog.pg_inherits.inhparent = pg_catalog.pg_class.oid GROUP BY pg_catalog.pg_inherits.inhrelid) AS inherits ON pg_catalog.pg_class.oid = inherits.inhrelid LEFT OUTER JOIN pg_catalog.pg_tablespace ON pg_catalog.pg_tablespace.oid = pg_catalog.pg_class.reltablespace JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace 
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('customers', 'orders', 'items');
select table_schema, table_name, table_type, is_insertable_into, is_typed from information_schema.tables where table_schema = 'public' order by 2;
select * from (select table_name, column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length, character_octet_length, numeric_precision, numeric_precision_radix, numeric_scale, datetime_precision, interval_type, udt_name, dtd_identifier, is_identity, is_generated, is_updatable from information_schema.columns where table_schema = 'public') c order by 1, 3;
