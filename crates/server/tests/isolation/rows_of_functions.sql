# Functions that give one row of several columns, where the row is a value
a> select pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, 0)
a> select (pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, 0)).identity
a> select (pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, 2)).*
a> select typname, (pg_identify_object('pg_type'::regclass, oid, 0)).identity from pg_type where oid in (16, 20, 1009) order by oid
a> select pg_identify_object(null, 1, 0), (pg_identify_object(null, 1, 0)).type is null t
a> select oid, (pg_identify_object('pg_type'::regclass, nullif(oid, 20), 0)).name from pg_type where oid in (16, 20, 21) order by oid
a> select pg_get_object_address('type', '{int4}', '{}')
a> select (pg_get_object_address('table', '{pg_catalog,pg_class}', '{}')).objid::regclass
a> select (pg_identify_object_as_address('pg_proc'::regclass, 'now'::regproc, 0)).object_names
a> select row_to_json(pg_identify_object('pg_namespace'::regclass, 11, 0))
a> select typname from pg_type where oid < 30 and (pg_identify_object('pg_type'::regclass, oid, 0)).identity = 'bigint'
a> select x, (x).type from (select pg_identify_object('pg_class'::regclass, 'pg_type'::regclass, 0) x offset 0) s
a> select pg_get_object_address('type', '{no_such}', '{}')
a> select (pg_identify_object('pg_class'::regclass, 1259, 0)).nothing
