# What objects are called
a> CREATE SCHEMA q
a> CREATE TABLE t (a int PRIMARY KEY DEFAULT 7, b text CHECK (b <> ''))
a> CREATE INDEX ti ON t (b)
a> CREATE SEQUENCE s
a> CREATE VIEW v AS SELECT * FROM t
a> CREATE VIEW q.v AS SELECT a FROM t
a> SELECT pg_describe_object('pg_rewrite'::regclass, oid, 0) FROM pg_rewrite WHERE ev_class IN ('v'::regclass, 'q.v'::regclass, 'pg_stats'::regclass, 'information_schema.tables'::regclass) ORDER BY 1
a> SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype FROM pg_depend WHERE objid IN (SELECT oid FROM pg_rewrite WHERE ev_class IN ('v'::regclass, 'q.v'::regclass)) ORDER BY 1, 2
a> SELECT pg_describe_object('pg_class'::regclass, c, 0) FROM unnest(ARRAY['t', 'ti', 's', 'v', 'q.v', 'pg_class', 'information_schema.tables']::regclass[]) c
a> SELECT pg_describe_object('pg_class'::regclass, 't'::regclass, c) FROM generate_series(-1, 3) c WHERE c <> 0
a> SELECT pg_describe_object('pg_constraint'::regclass, oid, 0) FROM pg_constraint WHERE conrelid = 't'::regclass OR contypid = 'information_schema.cardinal_number'::regtype ORDER BY 1
a> SELECT pg_describe_object('pg_attrdef'::regclass, oid, 0) FROM pg_attrdef WHERE adrelid = 't'::regclass
a> SELECT pg_describe_object('pg_type'::regclass, reltype, 0), pg_describe_object('pg_type'::regclass, 23, 0), pg_describe_object('pg_type'::regclass, 1009, 0) FROM pg_class WHERE oid = 't'::regclass
a> SELECT pg_describe_object('pg_proc'::regclass, 'int4pl'::regproc, 0), pg_describe_object('pg_operator'::regclass, 96, 0), pg_describe_object('pg_collation'::regclass, 100, 0), pg_describe_object('pg_collation'::regclass, 950, 0)
a> SELECT pg_describe_object('pg_opclass'::regclass, 1978, 0), pg_describe_object('pg_opfamily'::regclass, 1976, 0), pg_describe_object('pg_am'::regclass, 403, 0), pg_describe_object('pg_language'::regclass, 14, 0)
a> SELECT pg_describe_object('pg_namespace'::regclass, 'q'::regnamespace, 0), pg_describe_object('pg_authid'::regclass, 10, 0) IS NULL, pg_describe_object('pg_tablespace'::regclass, 1663, 0)
a> SELECT pg_describe_object('pg_type'::regclass, 1, 0), pg_describe_object('pg_class'::regclass, 1, 0), pg_describe_object('pg_rewrite'::regclass, 1, 0), pg_describe_object('pg_trigger'::regclass, 1, 0), pg_describe_object(0, 0, 0)
a> SELECT pg_describe_object(0, 5, 0)
a> SELECT pg_describe_object(99999, 5, 0)
a> SELECT pg_describe_object('pg_statistic'::regclass, 5, 0)
a> SET search_path = q
a> SELECT pg_describe_object('pg_rewrite'::regclass, oid, 0) FROM pg_rewrite WHERE ev_class IN ('public.v'::regclass, 'v'::regclass) ORDER BY 1
a> RESET search_path
a> DROP TABLE t CASCADE
a> DROP SEQUENCE s
a> DROP SCHEMA q
